//! What the vault is doing, for whoever shows it.

use mooring_words::{Sentence, say};

use crate::keychain::KeychainError;

/// Where the key is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// In the system's keychain.
    Keychain,
    /// Wrapped by a passphrase.
    Passphrase,
    /// In the memory of this run.
    Memory,
}

impl Mode {
    /// `keychain`, `passphrase` or `memory`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Keychain => "keychain",
            Self::Passphrase => "passphrase",
            Self::Memory => "memory",
        }
    }
}

/// What the vault is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VaultState {
    /// Nobody has needed it yet.
    Closed,
    /// The key is being fetched.
    Opening,
    /// The keychain has not answered in time; it may be asking the person something. The request goes on.
    Waiting,
    /// The key is there.
    Open {
        /// Where it is kept.
        mode: Mode,
    },
    /// The key is not there, and what is sealed waits for it, untouched.
    Locked {
        /// Why.
        why: LockReason,
    },
    /// The keychain cannot be used.
    Unavailable {
        /// Why.
        why: KeychainError,
    },
}

/// Why the key is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockReason {
    /// It is wrapped by a passphrase that was not given yet.
    Passphrase,
    /// It is wrapped by a passphrase, and what was given is another one.
    WrongPassphrase,
    /// The system's keychain is locked, or its question was dismissed.
    Keychain,
    /// The keychain works and does not have it.
    KeyMissing,
    /// The keychain has another one in its place.
    OtherKey,
    /// It was in the memory of a run that has ended, or of another that still goes on.
    Memory,
    /// Something is sealed, and nothing says under which key.
    Unknown,
    /// What is written about it cannot be: it asks for more memory or time than is allowed.
    UnfitHeader,
    /// The profile could not be read.
    Records(Sentence),
}

impl LockReason {
    /// A stable word.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Passphrase | Self::WrongPassphrase => "passphrase",
            Self::Keychain => KeychainError::Locked.as_str(),
            Self::KeyMissing => "key_missing",
            Self::OtherKey => "other_key",
            Self::Memory => "memory",
            Self::Unknown => "unknown",
            Self::UnfitHeader => "unfit_header",
            Self::Records(_) => "records",
        }
    }

    /// The same in words of ours.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Passphrase => say!("your secrets wait for the passphrase"),
            Self::WrongPassphrase => say!("the passphrase is not the right one"),
            Self::Keychain => KeychainError::Locked.sentence(),
            Self::KeyMissing => {
                say!("the system's keychain no longer has the key that your secrets are sealed under")
            }
            Self::OtherKey => {
                say!("the system's keychain has another key than the one that your secrets are sealed under")
            }
            Self::Memory => say!(
                "your secrets were sealed for one run of Mooring only, which has ended or goes on elsewhere"
            ),
            Self::Unknown => say!("secrets are sealed, and nothing says under which key"),
            Self::UnfitHeader => say!("what is written about the key to your secrets is damaged"),
            Self::Records(why) => why.clone(),
        }
    }

    /// What the person can do. Nothing sealed is ever touched without them.
    pub fn next_step(&self) -> Sentence {
        match self {
            Self::Passphrase | Self::WrongPassphrase => say!("Enter the passphrase."),
            Self::Keychain => KeychainError::Locked.next_step(),
            Self::KeyMissing | Self::OtherKey => say!(
                "Bring the keychain back as it was, from a backup or from the account in which you signed in, and try again; or start over, which ends every login on this computer. Nothing was changed."
            ),
            Self::Memory => say!("Start over and sign in again, or go on in the window that is still open."),
            Self::Unknown | Self::UnfitHeader => say!(
                "Bring the data folder back from a backup, or start over, which ends every login on this computer. Nothing was changed."
            ),
            Self::Records(_) => say!("Try again."),
        }
    }
}
