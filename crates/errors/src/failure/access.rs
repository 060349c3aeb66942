//! Access failures: accounts, encrypted values, and the vault.

use mooring_accounts::{SecretUnavailable, SignInRequired};
use mooring_approvals::TrustError;
use mooring_base::auth_challenge::AuthChallenge;
use mooring_oauth::{SignInReason, TokenUnavailable};
use mooring_vault::VaultError;
use mooring_words::{Sentence, say};

use super::{Failure, FailureCode};

pub(super) fn from_sign_in(status: u16, challenge: Option<String>) -> Failure {
    Failure::new(
        FailureCode::SignIn,
        say!("the server requires you to sign in (HTTP status {status})", status),
    )
    .next(say!("Sign in, or give the server an Authorization header in its settings."))
    .evidence(challenge.map(|header| format_challenges(&header)).unwrap_or_default())
}

/// The failure for a connection that needs the person to sign in.
pub fn from_sign_in_required(why: SignInRequired) -> Failure {
    let again = || say!("Sign in again.");
    let (message, next, challenge) = match why {
        SignInRequired::Unauthorized { status, challenge } => return from_sign_in(status, challenge),
        SignInRequired::Login { reason, challenge } => {
            let message = match reason {
                SignInReason::NotSignedIn => say!("no one is signed in any more"),
                SignInReason::Expired => TokenUnavailable::SignInRequired(SignInReason::Expired).sentence(),
                SignInReason::Ended(why) => say!("the login is over: {reason}", reason = why),
                SignInReason::Refused(why) => say!("the login isn’t renewed: {reason}", reason = why),
            };
            (message, again(), challenge)
        }
        SignInRequired::Credentials { error, challenge } => (
            say!("the credentials were rejected: {reason}", reason = error.sentence().clone()),
            say!("Sign in again with valid credentials."),
            challenge,
        ),
        SignInRequired::StepUp { scopes, challenge } => (
            insufficient_scope_sentence(&scopes),
            say!("Sign in again to also allow that, or restart the server without it."),
            challenge,
        ),
    };
    let failure = Failure::new(FailureCode::SignIn, message).next(next);
    if challenge.is_empty() { failure } else { failure.evidence(format_challenges(&challenge)) }
}

/// Why the encrypted values of a server are unavailable.
pub fn from_secret(why: SecretUnavailable) -> Failure {
    match why {
        SecretUnavailable::Database(error) => Failure::new(FailureCode::Internal, error.sentence()),
        SecretUnavailable::Missing { name } => {
            Failure::new(FailureCode::SecretMissing, say!("the value of {name} is missing", name))
                .next(say!("Enter it in the server’s settings."))
        }
        SecretUnavailable::Undecryptable { name, why } => {
            let message =
                say!("the value of {name} can’t be decrypted: {reason}", name, reason = why.sentence());
            Failure::new(FailureCode::SecretMissing, message)
                .next(say!("Enter it again in the server’s settings."))
        }
        SecretUnavailable::Locked(error) => from_locked(&error),
    }
}

/// The failure for a locked vault. The code already names the vault, so the message only gives the reason.
pub fn from_locked(error: &VaultError) -> Failure {
    let next = match error.next_step() {
        Some(step) => say!("{step} The server then starts automatically.", step),
        None => say!("Unlock the vault. The server then starts automatically."),
    };
    Failure::new(FailureCode::VaultLocked, error.sentence()).next(next)
}

pub(super) fn insufficient_scope_sentence(scopes: &[String]) -> Sentence {
    if scopes.is_empty() {
        say!("the server requires more than this login allows")
    } else {
        say!("the server requires more than this login allows: {scopes}", scopes = scopes.join(" "))
    }
}

/// The additional scopes that a challenge requests (RFC 6750 §3.1), or `None` if it is no such challenge.
pub(super) fn requested_scopes(header: &str) -> Option<Vec<String>> {
    let challenges = AuthChallenge::read_all(header);
    let more = challenges.iter().find(|it| it.parameter("error") == Some("insufficient_scope"))?;
    Some(mooring_oauth::split_scopes(more.parameter("scope").unwrap_or_default()))
}

/// The authentication schemes that a server accepts, one per line, or the header itself if it names none.
fn format_challenges(header: &str) -> String {
    let challenges: Vec<String> =
        AuthChallenge::read_all(header).iter().map(AuthChallenge::to_string).collect();
    if challenges.is_empty() { header.to_owned() } else { challenges.join("\n") }
}

/// Turns the comparison of a server with its approved definition into a failure if they differ.
pub fn require_approved(compared: Result<bool, TrustError>) -> Result<(), Failure> {
    match compared {
        Ok(true) => Ok(()),
        Ok(false) => Err(Failure::new(
            FailureCode::DefinitionChanged,
            say!("its command or URL changed since you approved it"),
        )
        .next(say!("Review the change under Trust, and approve it if you made it."))),
        Err(error) => Err(Failure::new(FailureCode::Internal, error.sentence())),
    }
}
