//! The system's keychain: a few texts under names, behind a program that may ask the person something first.

#[cfg(test)]
pub(crate) mod fake;
pub(crate) mod system;
pub(crate) mod thread;

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use mooring_words::{Sentence, say};
use secrecy::SecretString;

/// A keychain that is connected to. Its methods may take as long as a person takes to answer.
pub trait Keychain {
    /// Every text under this name; more than one where the keychain lets a name stand twice.
    /// [`KeychainError::NotFound`] where there is none, or where the keychain keeps nothing at all.
    fn read(&mut self, account: &str) -> Result<Vec<SecretString>, KeychainError>;

    /// Keeps a text under this name, in the place of the one before.
    fn write(&mut self, account: &str, text: &SecretString) -> Result<(), KeychainError>;

    /// Removes what is under this name; nothing may be there.
    fn remove(&mut self, account: &str) -> Result<(), KeychainError>;

    /// The names under which Mooring keeps something, of all profiles.
    fn accounts(&mut self) -> Result<Vec<String>, KeychainError>;
}

/// Connects to a keychain: anew for each request, so that one that has come up or was restarted is found.
pub type Connect = Arc<dyn Fn() -> Result<Box<dyn Keychain>, KeychainError> + Send + Sync>;

/// Why the keychain could not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeychainError {
    /// There is no session bus, or none that answers.
    NoBus {
        /// What the system said.
        detail: String,
    },
    /// Nothing on the session bus keeps secrets.
    NoProvider,
    /// What keeps secrets has nowhere to put them: there is no default collection.
    NoCollection,
    /// It is locked, and the person did not unlock it.
    Locked,
    /// There is no such entry, although the keychain keeps what it is given.
    NotFound,
    /// It has more requests unanswered than it should.
    Unanswered,
    /// Anything else.
    Failed {
        /// What the system said.
        detail: String,
    },
}

impl KeychainError {
    /// The same in words of ours.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::NoBus { detail } => {
                say!("the desktop session, and with it the keychain, cannot be reached: {detail}", detail)
            }
            Self::NoProvider => say!("no program of this desktop session keeps passwords"),
            Self::NoCollection => say!("the system's keychain has no default keyring to keep passwords in"),
            Self::Locked => say!("the system's keychain is locked"),
            Self::NotFound => say!("the system's keychain has no such entry"),
            Self::Unanswered => say!("the system's keychain does not answer"),
            Self::Failed { detail } => say!("the system's keychain failed: {detail}", detail),
        }
    }

    /// A stable word: `no_keychain` where there is none to be used, `keychain_locked`, or `keychain_failed`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::NoBus { .. } | Self::NoProvider | Self::NoCollection => "no_keychain",
            Self::Locked => "keychain_locked",
            Self::NotFound | Self::Unanswered | Self::Failed { .. } => "keychain_failed",
        }
    }

    /// What the person can do.
    pub fn next_step(&self) -> Sentence {
        match self {
            Self::NoBus { .. } => say!(
                "Start Mooring from within your desktop session and try again, or choose a passphrase or this run only."
            ),
            Self::NoProvider => say!(
                "Start a keychain such as GNOME Keyring, KWallet or KeePassXC and try again, or choose a passphrase or this run only."
            ),
            Self::NoCollection => say!(
                "Make a default keyring in your keychain's program and try again, or choose a passphrase or this run only."
            ),
            Self::Locked => say!("Unlock your keychain and try again."),
            Self::NotFound | Self::Unanswered | Self::Failed { .. } => say!("Try again."),
        }
    }
}

impl fmt::Display for KeychainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl Error for KeychainError {}
