//! The kinds of failure.

use serde::Serialize;

/// The kinds of failure a front end tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCode {
    /// The program was not found.
    CommandNotFound,
    /// The program is there but may not be run.
    NotExecutable,
    /// The process ended by itself.
    Exited,
    /// No answer in time.
    Timeout,
    /// Nothing listens at the address.
    Refused,
    /// Something answered, but it does not speak MCP.
    NotMcp,
    /// The server's certificate is not trusted.
    Certificate,
    /// The server answered with an HTTP error.
    HttpStatus,
    /// The server wants a login.
    SignIn,
    /// The handshake failed.
    Handshake,
    /// A message was over the limit.
    TooLarge,
    /// A value that is to be sealed was not entered, or does not open.
    SecretMissing,
    /// The vault with the server's secrets, or with its login, is not open. It starts by itself once it is.
    VaultLocked,
    /// The server's definition is not what the person approved: nothing was started.
    DefinitionChanged,
    /// Anything else.
    Internal,
}

impl FailureCode {
    /// The code at the IPC boundary and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CommandNotFound => "command_not_found",
            Self::NotExecutable => "not_executable",
            Self::Exited => "exited",
            Self::Timeout => "timeout",
            Self::Refused => "refused",
            Self::NotMcp => "not_mcp",
            Self::Certificate => "certificate",
            Self::HttpStatus => "http_status",
            Self::SignIn => "sign_in",
            Self::Handshake => "handshake",
            Self::TooLarge => "too_large",
            Self::SecretMissing => "secret_missing",
            Self::VaultLocked => "vault_locked",
            Self::DefinitionChanged => "definition_changed",
            Self::Internal => "internal",
        }
    }
}
