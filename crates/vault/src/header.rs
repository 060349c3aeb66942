//! The header: where the current key is, and how to load it.

use std::fmt;

use crate::key::{Fingerprint, ProfileId};
use crate::state::VaultMode;

/// The host's record of the vault, next to the encrypted rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultHeader {
    /// The profile's id.
    pub profile: ProfileId,
    /// The current key. `None` if there is no key yet.
    pub key: Option<KeyHeader>,
}

/// A description of the current key, without the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHeader {
    /// The key's fingerprint.
    pub fingerprint: Fingerprint,
    /// Where the key is.
    pub custody: KeyLocation,
    /// When the key was made, in microseconds since the Unix epoch.
    pub created_at_us: i64,
}

/// Where a key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyLocation {
    /// In the system's keychain.
    Keychain,
    /// In the header, wrapped with a passphrase.
    Passphrase(WrappedVaultKey),
    /// Only in memory, until the process ends.
    Memory,
}

impl KeyLocation {
    /// The location without its data.
    pub fn mode(&self) -> VaultMode {
        match self {
            Self::Keychain => VaultMode::Keychain,
            Self::Passphrase(_) => VaultMode::Passphrase,
            Self::Memory => VaultMode::Memory,
        }
    }
}

/// The parameters of Argon2id (RFC 9106).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KdfParams {
    /// Memory, in KiB.
    pub memory_kib: u32,
    /// Number of passes over the memory.
    pub passes: u32,
    /// Degree of parallelism.
    pub lanes: u32,
}

impl KdfParams {
    /// The second recommended option of RFC 9106, section 4, with one lane: 64 MiB, three passes.
    pub const RECOMMENDED: Self = Self { memory_kib: 64 << 10, passes: 3, lanes: 1 };
    /// The limits for a header's parameters.
    pub(crate) const MOST: Self = Self { memory_kib: 256 << 10, passes: 12, lanes: 4 };
    /// The limit for memory times passes, in KiB: four times the recommended value.
    pub(crate) const MOST_WORK: u64 = 4 * 3 * (64 << 10);

    /// Whether the parameters are within the limits for a header.
    pub(crate) fn is_within_limits(self) -> bool {
        self.memory_kib <= Self::MOST.memory_kib
            && self.passes <= Self::MOST.passes
            && self.lanes <= Self::MOST.lanes
            && u64::from(self.memory_kib) * u64::from(self.passes) <= Self::MOST_WORK
    }
}

/// A key wrapped with a passphrase.
#[derive(Clone, PartialEq, Eq)]
pub struct WrappedVaultKey {
    /// The parameters that derive a key from the passphrase.
    pub kdf: KdfParams,
    /// 16 random bytes.
    pub salt: Vec<u8>,
    /// A random nonce.
    pub nonce: [u8; 24],
    /// The key, encrypted with XChaCha20-Poly1305.
    pub ciphertext: Vec<u8>,
}

impl fmt::Debug for WrappedVaultKey {
    /// Leaves out everything that would allow guessing the passphrase.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WrappedVaultKey").field("kdf", &self.kdf).finish_non_exhaustive()
    }
}
