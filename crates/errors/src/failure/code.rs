//! Failure codes for front ends.

use mooring_base::codes;

codes! {
    /// The kinds of failures that front ends distinguish.
    pub enum FailureCode {
        /// The program was not found.
        CommandNotFound = "command_not_found",
        /// The program exists but cannot be executed.
        NotExecutable = "not_executable",
        /// The process exited on its own.
        Exited = "exited",
        /// The server did not respond in time.
        Timeout = "timeout",
        /// Nothing listens at the URL.
        Refused = "refused",
        /// Something answered, but it does not speak MCP.
        NotMcp = "not_mcp",
        /// The server's certificate is not trusted.
        Certificate = "certificate",
        /// The server answered with an HTTP error.
        HttpStatus = "http_status",
        /// The server requires the person to sign in.
        SignIn = "sign_in",
        /// The handshake failed.
        Handshake = "handshake",
        /// A message exceeded the size limit.
        TooLarge = "too_large",
        /// A secret value was not entered or cannot be decrypted.
        SecretMissing = "secret_missing",
        /// The vault with the server's secrets or account is locked. The server starts automatically once it
        /// is open.
        VaultLocked = "vault_locked",
        /// The server's definition differs from the approved one, so nothing was started.
        DefinitionChanged = "definition_changed",
        /// Any other failure.
        Internal = "internal",
    }
}
