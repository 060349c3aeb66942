//! One key in the system's keychain, and the secrets encrypted with it.
//!
//! A [`Vault`] seals secrets with a random key of 32 bytes, so that they can stand in a database. The key itself is
//! in the system's keychain, wrapped by a passphrase, or in the memory of one run; where there is no keychain the
//! person chooses, and nothing is ever kept in the clear. The keychain is reached through a thread of its own, since
//! it may ask the person something and take as long as they do: see [`VaultState::Waiting`].
//!
//! This crate knows no database. What has to be kept passes through [`VaultStorage`], which the host implements: the
//! [`VaultHeader`] that names the key in force, and the [`EncryptedBlob`] rows. A key that is missing, or is another
//! one, leaves the vault [`VaultState::Locked`] and everything as it is: a new key is never made over what an old one
//! sealed.

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
pub use keychain::{ConnectKeychain, Keychain, system::system_keychain};
pub use state::{VaultMode, VaultState};
pub use storage::{
    DocumentEncryptor, EncryptedRow, ProcessLock, PurposeBinder, PurposeUpgrade, RekeyResult, RowReencryptor,
    StorageFuture, VaultContents, VaultStorage,
};
pub use vault::{KeyPlacement, PassphrasePrompt, Vault, VaultOptions, WeakVault};
