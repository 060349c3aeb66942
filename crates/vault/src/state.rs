//! The state of the vault, for display.

use crate::error::{KeychainError, LockReason};

/// Where the key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VaultMode {
    /// In the system's keychain.
    Keychain,
    /// Wrapped by a passphrase.
    Passphrase,
    /// Only in memory, for this run.
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

/// The state of the vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VaultState {
    /// It was not needed yet.
    Closed,
    /// The key is being fetched.
    Opening,
    /// The keychain has not responded in time, maybe because it asks the person something. The request
    /// continues.
    Waiting,
    /// The key is there.
    Open {
        /// Where the key is.
        mode: VaultMode,
    },
    /// The key is missing. Encrypted data is kept unchanged.
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
