//! Everything that can go wrong with the vault.

use std::error::Error;
use std::fmt;

use mooring_words::{Sentence, say};

use crate::keychain::KeychainError;
use crate::passphrase;
use crate::seal;
use crate::state::LockReason;

/// Why the vault could not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VaultError {
    /// It was not opened.
    Closed,
    /// The keychain has not answered yet; the request goes on.
    Waiting,
    /// The key is not there.
    Locked(LockReason),
    /// The keychain cannot be used.
    Unavailable(KeychainError),
    /// The secret is sealed under another key than the one that is open here: another process has changed the key.
    /// Open the vault again.
    OtherKey,
    /// The secret was changed, or put into another row.
    Tampered,
    /// The secret was sealed by a newer version of Mooring.
    UnknownVersion(u8),
    /// The secret or its name is longer than can be sealed.
    TooLong,
    /// The passphrase is not the one that wrapped the key.
    WrongPassphrase,
    /// The passphrase is too short or too long to be one.
    UnfitPassphrase,
    /// What is written about the key asks for more memory or time than is allowed.
    UnfitHeader,
    /// There is a key already, or something sealed.
    NotEmpty,
    /// This one is sealed in a way that this key does not open, so that a new key cannot take over.
    CannotReseal {
        /// The row.
        id: String,
    },
    /// Another process is working on the key.
    Busy,
    /// The system gives no random numbers.
    NoRandomness,
    /// The profile could not be read or written.
    Records(Sentence),
}

impl VaultError {
    /// The same in words of ours.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Closed => say!("the vault is not open"),
            Self::Waiting => say!("the system's keychain has not answered yet"),
            Self::Locked(why) => why.sentence(),
            Self::Unavailable(why) => why.sentence(),
            Self::OtherKey => say!("the secret was sealed under a key that is no longer in force"),
            Self::Tampered => say!("this secret was changed or moved, and does not open"),
            Self::UnknownVersion(version) => {
                say!(
                    "this secret was sealed by a newer version of Mooring: {version}",
                    version = u16::from(*version)
                )
            }
            Self::TooLong => say!("a secret can have at most {bytes} bytes", bytes = seal::LONGEST),
            Self::WrongPassphrase => say!("the passphrase is not the right one"),
            Self::UnfitPassphrase => say!(
                "a passphrase has at least {least} characters and at most {most} bytes",
                least = passphrase::SHORTEST,
                most = passphrase::LONGEST
            ),
            Self::UnfitHeader => LockReason::UnfitHeader.sentence(),
            Self::NotEmpty => say!("there is a key already, or something is sealed"),
            Self::CannotReseal { id } => {
                say!("this secret does not open, so the key stays as it is: {id}", id)
            }
            Self::Busy => say!("another run of Mooring is working on the key"),
            Self::NoRandomness => say!("the system gives no random numbers"),
            Self::Records(why) => why.clone(),
        }
    }

    /// What the person can do, where they can do something.
    pub fn next_step(&self) -> Option<Sentence> {
        Some(match self {
            Self::Waiting => say!("Look for a window in which your keychain asks for its password."),
            Self::Locked(why) => why.next_step(),
            Self::Unavailable(why) => why.next_step(),
            Self::WrongPassphrase => say!("Enter the passphrase."),
            Self::UnfitHeader => LockReason::UnfitHeader.next_step(),
            Self::UnknownVersion(_) => say!("Install the newest Mooring. Nothing was changed."),
            Self::Busy => say!("Try again."),
            _ => return None,
        })
    }
}

impl fmt::Display for VaultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl Error for VaultError {}

impl From<KeychainError> for VaultError {
    fn from(error: KeychainError) -> Self {
        match error {
            KeychainError::Locked => Self::Locked(LockReason::Keychain),
            KeychainError::NotFound => Self::Locked(LockReason::KeyMissing),
            other => Self::Unavailable(other),
        }
    }
}
