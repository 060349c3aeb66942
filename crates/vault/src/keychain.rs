//! The system's keychain: named text entries in another program, which may ask the person for a password.

#[cfg(any(test, feature = "fake"))]
pub(crate) mod fake;
pub(crate) mod system;
pub(crate) mod thread;

use std::sync::Arc;

use secrecy::SecretString;

use crate::error::KeychainError;

/// A connection to a keychain. A call may take as long as the person needs to answer a prompt.
pub trait Keychain {
    /// All texts with this name. There may be several, if the keychain allows it. Fails with
    /// [`KeychainError::NotFound`] if there is none, or if the keychain stores no entries at all.
    fn read(&mut self, account: &str) -> Result<Vec<SecretString>, KeychainError>;

    /// Stores a text under this name, and replaces an earlier one.
    fn write(&mut self, account: &str, text: &SecretString) -> Result<(), KeychainError>;

    /// Removes the text with this name, if there is one.
    fn remove(&mut self, account: &str) -> Result<(), KeychainError>;

    /// The names of all entries of Mooring, of all profiles.
    fn accounts(&mut self) -> Result<Vec<String>, KeychainError>;
}

/// Connects to a keychain. Called for each request, so that a keychain is found after it was started or
/// restarted.
pub type ConnectKeychain = Arc<dyn Fn() -> Result<Box<dyn Keychain>, KeychainError> + Send + Sync>;
