//! Why nobody is let in: logins, sealed values, the vault.

use mooring_accounts::{SecretUnavailable, SignInRequired};
use mooring_approvals::TrustError;
use mooring_base::auth_challenge::AuthChallenge;
use mooring_oauth::{SignInReason, TokenUnavailable};
use mooring_vault::VaultError;
use mooring_words::{Sentence, say};

use super::{Failure, FailureCode};

pub(crate) fn from_sign_in(status: u16, challenge: Option<String>) -> Failure {
    Failure::new(
        FailureCode::SignIn,
        say!("the server requires you to sign in (HTTP status {status})", status),
    )
    .next(say!("Sign in, or give the server an Authorization header in its settings."))
    .evidence(challenge.map(|header| format_challenges(&header)).unwrap_or_default())
}

/// Why nobody gets in before a person has signed in.
pub(crate) fn from_sign_in_required(why: SignInRequired) -> Failure {
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

/// Why the sealed values of a server cannot be had.
pub(crate) fn from_secret(why: SecretUnavailable) -> Failure {
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

/// The vault is not open. That it is the vault is said by the code; the message is the reason.
pub(crate) fn from_locked(error: &VaultError) -> Failure {
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

/// The scopes that a challenge asks for in addition (RFC 6750 §3.1); none where that is not what it says.
pub(super) fn requested_scopes(header: &str) -> Option<Vec<String>> {
    let challenges = AuthChallenge::read_all(header);
    let more = challenges.iter().find(|it| it.parameter("error") == Some("insufficient_scope"))?;
    Some(mooring_oauth::split_scopes(more.parameter("scope").unwrap_or_default()))
}

/// What a server takes for a login, a scheme a line; the header itself where it names none.
fn format_challenges(header: &str) -> String {
    let challenges: Vec<String> =
        AuthChallenge::read_all(header).iter().map(AuthChallenge::to_string).collect();
    if challenges.is_empty() { header.to_owned() } else { challenges.join("\n") }
}

/// Why a server may not be started or reached, after it was compared with what the person approved.
pub(crate) fn require_approved(compared: Result<bool, TrustError>) -> Result<(), Failure> {
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
