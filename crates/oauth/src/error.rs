//! Why a sign-in, or a step of it, failed.

use std::fmt;

use mooring_words::Sentence;
use serde::Serialize;
use ts_rs::TS;
use url::Url;

/// An error as a sentence of Mooring, and the server's own text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "ServersWords")]
pub struct ServerMessage {
    /// Mooring's sentence, without the server's text.
    pub ours: Sentence,
    /// The server's message.
    pub theirs: String,
}

impl ServerMessage {
    fn map(self, change: &dyn Fn(&str) -> String) -> Self {
        Self { ours: self.ours.map(change), theirs: change(&self.theirs) }
    }
}

/// Errors of a sign-in. The variants differ in what a caller should do.
#[derive(Debug, Clone)]
pub enum Error {
    /// The server did not respond or failed (5xx). Everything stored remains valid, and a retry may help.
    Unreachable(Sentence),
    /// The server responded with an OAuth error.
    ErrorResponse {
        /// The error code, such as `invalid_grant` or `access_denied`.
        code: String,
        /// The error as a sentence for the person, which quotes the server.
        sentence: Sentence,
        /// The parts of the server's message, if it says more than the code.
        server_message: Option<ServerMessage>,
    },
    /// The authorization server knows no client of Mooring and doesn't let one register. Someone has to
    /// register a client by hand and enter its id.
    ClientNeeded {
        /// The error as a sentence for the person.
        sentence: Sentence,
        /// The redirect URI to register the client with. `None` if the client needs none.
        redirect: Option<Url>,
    },
    /// The authorization server does not announce PKCE. The person may accept that.
    PkceUnannounced(Sentence),
    /// The authorization server does not accept `resource` (RFC 8707). The person may choose to leave the
    /// parameter out.
    ResourceRefused {
        /// The error as a sentence for the person, which quotes the server.
        sentence: Sentence,
        /// The parts of the server's message, if it says more than the code.
        server_message: Option<ServerMessage>,
    },
    /// The vault's key is needed to decrypt or encrypt a secret.
    VaultUnavailable {
        /// The error as a sentence for the person.
        sentence: Sentence,
        /// What the person can do.
        next: Option<Sentence>,
        /// Whether there is no keychain that could have the key.
        no_keychain: bool,
    },
    /// The response is unsafe or unusable.
    Refused(Sentence),
    /// The person cancelled the sign-in, or it took too long.
    Aborted(Sentence),
}

impl Error {
    /// The error as a sentence for the person.
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

    /// Converts an error about the parameter `resource` of a request into [`Self::ResourceRefused`]. Such an
    /// error is recognized by its code (RFC 8707 §2) or its description. Other errors are not changed.
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

    /// Whether the server does not know the client, or no longer knows it (RFC 6749 §5.2). Servers of the
    /// Python SDK use the code `unauthorized_client`.
    pub fn is_client_unknown(&self) -> bool {
        matches!(self, Self::ErrorResponse { code, .. } if is_unknown_client(code))
    }

    /// Whether the server says that the grant is no longer valid (RFC 6749 §5.2).
    pub fn is_invalid_grant(&self) -> bool {
        matches!(self, Self::ErrorResponse { code, .. } if code == "invalid_grant")
    }
}

/// Whether an error code says that the client is not known.
pub(crate) fn is_unknown_client(code: &str) -> bool {
    matches!(code, "invalid_client" | "unauthorized_client")
}

fn is_resource_error(code: &str, message: Option<&ServerMessage>) -> bool {
    // Entra ID: the resource and the scopes do not belong together, `resource` is not supported, or the
    // resource is not known.
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
