//! The state of the vault, for display.

use crate::error::{KeychainError, LockReason};

/// Where the key is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VaultMode {
    /// In the system's keychain.
    Keychain,
    /// Wrapped by a passphrase.
    Passphrase,
    /// In the memory of this run.
    Memory,
}

impl VaultMode {
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
    /// It was not needed yet.
    Closed,
    /// The key is being fetched.
    Opening,
    /// The keychain has not answered in time; it may be asking the person something. The request goes on.
    Waiting,
    /// The key is there.
    Open {
        /// Where it is kept.
        mode: VaultMode,
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
