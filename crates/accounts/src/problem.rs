//! Why a sign-in failed, and what the person can do about it.

use std::fmt;

use mooring_base::codes;
use mooring_oauth::{Error, ServerMessage, SignInReason, TokenUnavailable};
use mooring_words::{Sentence, say};
use serde::Serialize;
use ts_rs::TS;

codes! {
    /// The kinds of reasons why a sign-in, a renewal or a sign-out did not work.
    pub enum SignInProblemCode {
        /// A client has to be registered and entered.
        ClientNeeded = "client_needed",
        /// The authorization server does not announce support for PKCE.
        PkceUnannounced = "pkce_unannounced",
        /// The authorization server does not accept the server's URL as `resource`.
        ResourceRefused = "resource_refused",
        /// The vault is not open.
        Vault = "vault",
        /// The authorization server could not be reached.
        Unreachable = "unreachable",
        /// The authorization server responded with an error.
        Answered = "answered",
        /// The server's information is unsafe or unusable.
        Refused = "refused",
        /// The login has ended.
        Ended = "ended",
    }
}

/// Why a sign-in, a renewal or a sign-out did not work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct SignInProblem {
    /// The kind of reason.
    pub code: SignInProblemCode,
    /// What happened.
    pub message: Sentence,
    /// The message split into our sentence and the server's text, if the server sent one.
    pub said: Option<ServerMessage>,
    /// What the person can do.
    pub next: Option<Sentence>,
    /// For `client_needed`: the redirect URI to register the client with.
    pub redirect: Option<String>,
    /// For `vault`: whether there is no keychain that could store its key.
    #[serde(skip)]
    pub no_keychain: bool,
}

impl SignInProblem {
    pub(crate) fn new(code: SignInProblemCode, message: Sentence, next: Sentence) -> Self {
        Self { code, message, said: None, next: Some(next), redirect: None, no_keychain: false }
    }

    /// Converts the reason why there is no token for a login.
    pub(crate) fn from_unavailable(needs: &TokenUnavailable) -> Self {
        match needs {
            TokenUnavailable::SignInRequired(SignInReason::Refused(_)) => Self::new(
                SignInProblemCode::Answered,
                needs.sentence(),
                say!("Try again later; if it stays like this, sign in again."),
            ),
            TokenUnavailable::SignInRequired(_) => {
                Self::new(SignInProblemCode::Ended, needs.sentence(), say!("Sign in again."))
            }
            TokenUnavailable::Retryable(error) | TokenUnavailable::CredentialsRejected(error) => error.into(),
        }
    }
}

impl From<&Error> for SignInProblem {
    fn from(error: &Error) -> Self {
        let message = error.sentence().clone();
        match error {
            Error::Unreachable(_) => Self::new(
                SignInProblemCode::Unreachable,
                message,
                say!("Check the network, and try again in a while."),
            ),
            Error::ErrorResponse { code, server_message: said, .. } => {
                let next = match code.as_str() {
                    "access_denied" => say!("Sign in again, and allow access in the browser."),
                    "invalid_client" | "unauthorized_client" => {
                        say!(
                            "Enter the ID of a client that is registered there, with its secret if it has one."
                        )
                    }
                    "invalid_scope" => say!("Ask the server’s operator which scopes it needs."),
                    _ => say!("Try again; the steps show what the authorization server was asked."),
                };
                Self { said: said.clone(), ..Self::new(SignInProblemCode::Answered, message, next) }
            }
            Error::ClientNeeded { redirect, .. } => Self {
                code: SignInProblemCode::ClientNeeded,
                message,
                said: None,
                next: Some(match redirect {
                    Some(redirect) => say!(
                        "Register a client for Mooring there with the redirect URI {redirect}, and enter its ID here.",
                        redirect = redirect.as_str()
                    ),
                    None => say!("Register a client for Mooring there, and enter its ID and secret here."),
                }),
                redirect: redirect.as_ref().map(|redirect| redirect.as_str().to_owned()),
                no_keychain: false,
            },
            Error::PkceUnannounced(_) => Self::new(
                SignInProblemCode::PkceUnannounced,
                message,
                say!("If you trust this server, allow it not to announce PKCE. PKCE is used anyway."),
            ),
            Error::ResourceRefused { server_message: said, .. } => Self {
                said: said.clone(),
                ..Self::new(
                    SignInProblemCode::ResourceRefused,
                    message,
                    say!(
                        "If you trust this server, sign in without its URL (resource). Its tokens may then work for other servers too."
                    ),
                )
            },
            Error::VaultUnavailable { next, no_keychain, .. } => Self {
                code: SignInProblemCode::Vault,
                message,
                said: None,
                next: next.clone(),
                redirect: None,
                no_keychain: *no_keychain,
            },
            Error::Refused(_) => Self::new(
                SignInProblemCode::Refused,
                message,
                say!("Report this to the server’s operator; the steps show what was found."),
            ),
            Error::Aborted(_) => Self::new(SignInProblemCode::Ended, message, say!("Sign in again.")),
        }
    }
}

impl fmt::Display for SignInProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(f)
    }
}
