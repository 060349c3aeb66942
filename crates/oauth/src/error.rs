//! Why a sign-in, or a part of one, did not work.

use std::fmt;

use mooring_words::Sentence;
use serde::Serialize;
use ts_rs::TS;
use url::Url;

/// A server's error text, apart from our sentence about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "ServersWords")]
pub struct ServerMessage {
    /// Our sentence, without the server's text.
    pub ours: Sentence,
    /// Its words.
    pub theirs: String,
}

impl ServerMessage {
    fn map(self, change: &dyn Fn(&str) -> String) -> Self {
        Self { ours: self.ours.map(change), theirs: change(&self.theirs) }
    }
}

/// What went wrong, by what a caller does about it.
#[derive(Debug, Clone)]
pub enum Error {
    /// Nothing was heard of the other side, or it failed (5xx): what is kept stays good, and asking again may help.
    Unreachable(Sentence),
    /// The other side answered with an error of OAuth's.
    ErrorResponse {
        /// Its code: `invalid_grant`, `access_denied`.
        code: String,
        /// In words of ours, with its own words quoted.
        sentence: Sentence,
        /// The parts of the server's message, if it says more than the code.
        server_message: Option<ServerMessage>,
    },
    /// The authorization server knows no client of ours and lets none register: somebody has to register one by hand
    /// and enter its id.
    ClientNeeded {
        /// In words of ours.
        sentence: Sentence,
        /// The redirect address to register it with. `None` if it needs none.
        redirect: Option<Url>,
    },
    /// The authorization server does not say that it knows PKCE, which the person may allow.
    PkceUnannounced(Sentence),
    /// The authorization server does not take `resource` (RFC 8707), which the person may have left out for it.
    ResourceRefused {
        /// In words of ours, with its own words quoted.
        sentence: Sentence,
        /// The parts of the server's message, if it says more than the code.
        server_message: Option<ServerMessage>,
    },
    /// What is sealed, or is to be, waits for its key.
    VaultUnavailable {
        /// In words of ours.
        sentence: Sentence,
        /// What the person can do.
        next: Option<Sentence>,
        /// There is no keychain that the key could be in.
        no_keychain: bool,
    },
    /// What was found breaks a rule that keeps logins safe, or cannot be used.
    Refused(Sentence),
    /// The person or the clock ended it.
    Aborted(Sentence),
}

impl Error {
    /// A sentence for the person that says what went wrong.
    pub fn sentence(&self) -> &Sentence {
        match self {
            Self::Unreachable(sentence)
            | Self::ErrorResponse { sentence, .. }
            | Self::ClientNeeded { sentence, .. }
            | Self::PkceUnannounced(sentence)
            | Self::ResourceRefused { sentence, .. }
            | Self::VaultUnavailable { sentence, .. }
            | Self::Refused(sentence)
            | Self::Aborted(sentence) => sentence,
        }
    }

    /// Changes every value in the error's sentences with `change`, such as one that removes secrets.
    #[must_use]
    pub(crate) fn map(self, change: &dyn Fn(&str) -> String) -> Self {
        match self {
            Self::Unreachable(sentence) => Self::Unreachable(sentence.map(change)),
            Self::ErrorResponse { code, sentence, server_message } => Self::ErrorResponse {
                code: change(&code),
                sentence: sentence.map(change),
                server_message: server_message.map(|message| message.map(change)),
            },
            Self::ClientNeeded { sentence, redirect } => {
                Self::ClientNeeded { sentence: sentence.map(change), redirect }
            }
            Self::PkceUnannounced(sentence) => Self::PkceUnannounced(sentence.map(change)),
            Self::ResourceRefused { sentence, server_message } => Self::ResourceRefused {
                sentence: sentence.map(change),
                server_message: server_message.map(|message| message.map(change)),
            },
            Self::VaultUnavailable { sentence, next, no_keychain } => {
                Self::VaultUnavailable { sentence: sentence.map(change), next, no_keychain }
            }
            Self::Refused(sentence) => Self::Refused(sentence.map(change)),
            Self::Aborted(sentence) => Self::Aborted(sentence.map(change)),
        }
    }

    /// For a request that sent `resource`: turns an error about that parameter, recognised by its code (RFC
    /// 8707 §2) or its description, into [`Self::ResourceRefused`]. Other errors stay as they are.
    #[must_use]
    pub fn into_resource_refused(self) -> Self {
        match self {
            Self::ErrorResponse { code, sentence, server_message }
                if is_resource_error(&code, server_message.as_ref()) =>
            {
                Self::ResourceRefused { sentence, server_message }
            }
            error => error,
        }
    }

    /// Whether the other side does not know the client, or not any more (RFC 6749 §5.2). Servers of the Python SDK say
    /// so with the second code.
    pub fn is_client_unknown(&self) -> bool {
        matches!(self, Self::ErrorResponse { code, .. } if is_unknown_client(code))
    }

    /// Whether the other side said that what was shown to it is worth nothing any more (RFC 6749 §5.2).
    pub fn is_invalid_grant(&self) -> bool {
        matches!(self, Self::ErrorResponse { code, .. } if code == "invalid_grant")
    }
}

/// Whether an error code says that the client is not known.
pub(crate) fn is_unknown_client(code: &str) -> bool {
    matches!(code, "invalid_client" | "unauthorized_client")
}

fn is_resource_error(code: &str, message: Option<&ServerMessage>) -> bool {
    // Entra ID: resource and scopes do not belong together; `resource` is not supported; the resource is not known.
    const ENTRA: [&str; 3] = ["aadsts9010010", "aadsts901002", "aadsts500011"];
    let text = message.map(|message| message.theirs.to_ascii_lowercase()).unwrap_or_default();
    let of_code = match code {
        "invalid_target" | "invalid_resource" => true,
        "invalid_request" => text.contains("resource"),
        _ => false,
    };
    of_code || ENTRA.iter().any(|code| text.contains(code))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl std::error::Error for Error {}
