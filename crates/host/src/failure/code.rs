//! The kinds of failure.

use mooring_base::codes;

codes! {
    /// The kinds of failure a front end tells apart.
    pub enum FailureCode {
        /// The program was not found.
        CommandNotFound = "command_not_found",
        /// The program is there but may not be run.
        NotExecutable = "not_executable",
        /// The process ended by itself.
        Exited = "exited",
        /// No answer in time.
        Timeout = "timeout",
        /// Nothing listens at the address.
        Refused = "refused",
        /// Something answered, but it does not speak MCP.
        NotMcp = "not_mcp",
        /// The server's certificate is not trusted.
        Certificate = "certificate",
        /// The server answered with an HTTP error.
        HttpStatus = "http_status",
        /// The server wants a login.
        SignIn = "sign_in",
        /// The handshake failed.
        Handshake = "handshake",
        /// A message was over the limit.
        TooLarge = "too_large",
        /// A value that is to be sealed was not entered, or does not open.
        SecretMissing = "secret_missing",
        /// The vault with the server's secrets, or with its login, is not open. It starts by itself once it is.
        VaultLocked = "vault_locked",
        /// The server's definition is not what the person approved: nothing was started.
        DefinitionChanged = "definition_changed",
        /// Anything else.
        Internal = "internal",
    }
}
