//! The state of the vault, as front ends show it.

use crate::error::{KeychainError, LockReason};

/// Where the key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VaultMode {
    /// In the system's keychain.
    Keychain,
    /// Wrapped with a passphrase.
    Passphrase,
    /// Only in memory, until the process ends.
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
    /// The vault was not needed yet.
    Closed,
    /// The key is being fetched.
    Opening,
    /// The keychain has not responded in time, maybe because it asks the person something. The request
    /// continues.
    Waiting,
    /// The key is in memory.
    Open {
        /// Where the key is.
        mode: VaultMode,
    },
    /// The key is missing. Encrypted data is kept unchanged.
    Locked {
        /// The reason.
        why: LockReason,
    },
    /// The keychain cannot be used.
    Unavailable {
        /// The reason.
        why: KeychainError,
    },
}
