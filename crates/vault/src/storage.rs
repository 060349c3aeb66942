//! The vault's storage in the host.
//!
//! The vault decides the order of the steps of a key change. Each step that must be atomic is one method
//! here, which the host implements as one transaction.

use std::any::Any;
use std::fmt;
use std::pin::Pin;

use mooring_words::Sentence;
use secrecy::SecretBox;

use crate::encryption::EncryptedBlob;
use crate::error::VaultError;
use crate::header::{KeyHeader, VaultHeader, WrappedVaultKey};
use crate::key::{Fingerprint, ProfileId};

/// The future of a method of the vault's storage. It fails with a sentence for the person.
pub type StorageFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, Sentence>> + Send + 'a>>;

/// A row of the host that is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncryptedRow<'a> {
    /// A secret.
    Secret {
        /// The secret's id.
        id: &'a str,
        /// The secret's purpose.
        purpose: &'a str,
    },
    /// A document of the host's about this.
    Document(&'a str),
}

/// Encrypts a row with the new key.
pub type RowReencryptor<'a> =
    dyn Fn(EncryptedRow<'_>, &EncryptedBlob) -> Result<EncryptedBlob, VaultError> + Send + Sync + 'a;

/// Encrypts a document of the host with the new key.
pub type DocumentEncryptor<'a> = dyn Fn(&str, &[u8]) -> Result<EncryptedBlob, VaultError> + Send + Sync + 'a;

/// Decrypts a document of the host.
pub type DocumentDecryptor<'a> =
    dyn Fn(&str, &EncryptedBlob) -> Result<SecretBox<Vec<u8>>, VaultError> + Send + Sync + 'a;

/// Decrypts the secret of this id and kind, which an earlier version encrypted, and encrypts it for this purpose.
pub type PurposeBinder<'a> =
    dyn Fn(&str, &str, &str, &EncryptedBlob) -> Result<EncryptedBlob, VaultError> + Send + Sync + 'a;

/// The one-time upgrade of what an earlier version wrote.
pub struct PurposeUpgrade<'a> {
    /// The key that encrypts it.
    pub key: Fingerprint,
    /// Whether secrets are already bound to their purpose. One that isn't was not encrypted by Mooring.
    pub is_bound: bool,
    /// The newly wrapped key, if a passphrase wraps it.
    pub wrapped: Option<&'a WrappedVaultKey>,
    /// Binds a secret to its purpose.
    pub bind: &'a PurposeBinder<'a>,
    /// Seals a document.
    pub document: &'a DocumentEncryptor<'a>,
    /// Opens a document.
    pub open: &'a DocumentDecryptor<'a>,
}

impl fmt::Debug for PurposeUpgrade<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PurposeUpgrade").field("key", &self.key).finish_non_exhaustive()
    }
}

/// While it exists, no other process works on a key of this profile. It ends with its process.
pub type ProcessLock = Box<dyn Any + Send>;

/// The header, and the number of encrypted rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultContents {
    /// The header.
    pub header: VaultHeader,
    /// The number of encrypted rows.
    pub encrypted_rows: u64,
}

/// Result of a change of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RekeyResult {
    /// The rows are encrypted with the new key; their number.
    Done(u64),
    /// Another key than the expected one is in force. Nothing changed.
    OtherKey,
    /// This row could not be encrypted with the new key. Nothing changed.
    Refused {
        /// The row.
        id: String,
    },
}

/// The host's storage: one header and the encrypted rows. When a method returns, its changes are on disk.
pub trait VaultStorage: Send + Sync + 'static {
    /// The header on disk. Creates one with this id if there is none.
    fn read_or_create(&self, profile: ProfileId) -> StorageFuture<'_, VaultContents>;

    /// Waits a while until no other process works on a key of this profile, and locks that out. `None` if one
    /// still does.
    fn lock(&self) -> StorageFuture<'_, Option<ProcessLock>>;

    /// Activates the first key. Returns whether it did. It must not if there is an active key, or anything
    /// encrypted. The host's documents are encrypted with it in the same step.
    fn set_first_key<'a>(
        &'a self,
        key: &'a KeyHeader,
        document: &'a DocumentEncryptor<'a>,
    ) -> StorageFuture<'a, bool>;

    /// Binds every secret of an earlier version to its purpose, and encrypts the documents that this version
    /// lacked, atomically. False if another key is active. Secrets that can't be bound are kept, and can't be
    /// decrypted. A host whose secrets were always bound has nothing to do.
    fn upgrade<'a>(&'a self, _upgrade: &'a PurposeUpgrade<'a>) -> StorageFuture<'a, bool> {
        Box::pin(async { Ok(true) })
    }

    /// Called when the key is in memory, before the open vault is reported.
    fn on_opened(&self) -> StorageFuture<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    /// Replaces the key `from` by `to` and encrypts every row with the new key, all at once or not at all.
    fn rekey<'a>(
        &'a self,
        from: Fingerprint,
        to: &'a KeyHeader,
        reseal: &'a RowReencryptor<'a>,
    ) -> StorageFuture<'a, RekeyResult>;

    /// Deletes the current key's header and everything encrypted.
    fn delete_all(&self) -> StorageFuture<'_, ()>;
}
