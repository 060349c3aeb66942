//! The system's keychain: a few texts under names, behind a program that may ask the person something first.

#[cfg(test)]
pub(crate) mod fake;
pub(crate) mod system;
pub(crate) mod thread;

use std::sync::Arc;

use secrecy::SecretString;

use crate::error::KeychainError;

/// A keychain that is connected to. Its methods may take as long as a person takes to answer.
pub trait Keychain {
    /// Every text under this name; more than one if the keychain allows a name to occur twice. Fails with
    /// [`KeychainError::NotFound`] if there is none, or if the keychain stores nothing at all.
    fn read(&mut self, account: &str) -> Result<Vec<SecretString>, KeychainError>;

    /// Keeps a text under this name, in the place of the one before.
    fn write(&mut self, account: &str, text: &SecretString) -> Result<(), KeychainError>;

    /// Removes what is under this name; nothing may be there.
    fn remove(&mut self, account: &str) -> Result<(), KeychainError>;

    /// The names under which Mooring keeps something, of all profiles.
    fn accounts(&mut self) -> Result<Vec<String>, KeychainError>;
}

/// Connects to a keychain. Called for each request, so that a keychain that has come up or was restarted is
/// found.
pub type ConnectKeychain = Arc<dyn Fn() -> Result<Box<dyn Keychain>, KeychainError> + Send + Sync>;
