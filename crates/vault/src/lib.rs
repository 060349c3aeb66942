//! Encrypts secrets with one key in the system's keychain.
//!
//! A [`Vault`] encrypts secrets with a random key of 32 bytes, so that they can be stored in a database. The
//! key itself is in the system's keychain, wrapped with a passphrase, or only in memory. If there is no
//! keychain, the person chooses between the others. Nothing is ever stored unencrypted. The keychain is used
//! on a separate thread, because it may ask the person something and wait for the answer: see
//! [`VaultState::Waiting`].
//!
//! The crate is independent of the database. The host implements [`VaultStorage`], which stores the
//! [`VaultHeader`] with the current key's location, and the [`EncryptedBlob`] rows. If the key is missing or
//! a different key is found, the vault is [`VaultState::Locked`] and nothing is changed: a new key never
//! replaces a key that has encrypted secrets.

mod encryption;
mod error;
mod header;
mod key;
mod keychain;
mod passphrase;
mod state;
mod storage;
mod vault;

pub use encryption::{EncryptedBlob, random_id};
pub use error::{KeychainError, LockReason, VaultError};
pub use header::{KdfParams, KeyHeader, KeyLocation, VaultHeader, WrappedVaultKey};
pub use key::{Fingerprint, ProfileId};
#[cfg(feature = "fake")]
pub use keychain::fake::FakeKeychain;
pub use keychain::{ConnectKeychain, Keychain, system::system_keychain};
pub use state::{VaultMode, VaultState};
pub use storage::{
    DocumentDecryptor, DocumentEncryptor, EncryptedRow, ProcessLock, PurposeBinder, PurposeUpgrade,
    RekeyResult, RowReencryptor, StorageFuture, VaultContents, VaultStorage,
};
pub use vault::{KeyPlacement, PassphrasePrompt, Vault, VaultOptions, WeakVault};
