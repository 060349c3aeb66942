//! The vault's storage in the host.
//!
//! The vault decides the order of the steps of a key change. Each atomic step is one method here, which the
//! host implements as one transaction.

use std::any::Any;
use std::fmt;
use std::pin::Pin;

use mooring_words::Sentence;
use secrecy::SecretBox;

use crate::encryption::EncryptedBlob;
use crate::error::VaultError;
use crate::header::{KeyHeader, VaultHeader, WrappedVaultKey};
use crate::key::{Fingerprint, ProfileId};

/// The future of a method of the vault's storage. Its error is a sentence for the person.
pub type StorageFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, Sentence>> + Send + 'a>>;

/// An encrypted row of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncryptedRow<'a> {
    /// A secret.
    Secret {
        /// The secret's id.
        id: &'a str,
        /// The secret's purpose.
        purpose: &'a str,
    },
    /// A document of the host. Contains its scope.
    Document(&'a str),
}

/// Encrypts a row again, with the new key.
pub type RowReencryptor<'a> =
    dyn Fn(EncryptedRow<'_>, &EncryptedBlob) -> Result<EncryptedBlob, VaultError> + Send + Sync + 'a;

/// Encrypts a document of the host. The first argument is its scope.
pub type DocumentEncryptor<'a> = dyn Fn(&str, &[u8]) -> Result<EncryptedBlob, VaultError> + Send + Sync + 'a;

/// Decrypts a document of the host. The first argument is its scope.
pub type DocumentDecryptor<'a> =
    dyn Fn(&str, &EncryptedBlob) -> Result<SecretBox<Vec<u8>>, VaultError> + Send + Sync + 'a;

/// Encrypts a secret for its purpose. The arguments are the secret's id, its kind, the purpose, and the
/// secret as an earlier version encrypted it.
pub type PurposeBinder<'a> =
    dyn Fn(&str, &str, &str, &EncryptedBlob) -> Result<EncryptedBlob, VaultError> + Send + Sync + 'a;

/// The one-time upgrade of data that an earlier version wrote.
pub struct PurposeUpgrade<'a> {
    /// The fingerprint of the key.
    pub key: Fingerprint,
    /// Whether secrets are already bound to their purpose. If so, Mooring did not encrypt a secret that isn't
    /// bound.
    pub is_bound: bool,
    /// The key wrapped again, if a passphrase wraps it.
    pub wrapped: Option<&'a WrappedVaultKey>,
    /// Binds a secret to its purpose.
    pub bind: &'a PurposeBinder<'a>,
    /// Encrypts a document.
    pub document: &'a DocumentEncryptor<'a>,
    /// Decrypts a document.
    pub open: &'a DocumentDecryptor<'a>,
}

impl fmt::Debug for PurposeUpgrade<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PurposeUpgrade").field("key", &self.key).finish_non_exhaustive()
    }
}

/// While this exists, no other process works on a key of this profile. The lock ends with its process.
pub type ProcessLock = Box<dyn Any + Send>;

/// What storage holds for a vault, as far as it can be read without the key.
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
    /// All rows are encrypted with the new key. Contains their number.
    Done(u64),
    /// The current key is not the expected one. Nothing changed.
    OtherKey,
    /// This row could not be encrypted with the new key. Nothing changed.
    Refused {
        /// The row's id.
        id: String,
    },
}

/// The host's storage: one header, and the encrypted rows. When a method returns, its changes are on the
/// disk.
pub trait VaultStorage: Send + Sync + 'static {
    /// Reads the header and the number of rows. Creates a header with this id if there is none.
    fn read_or_create(&self, profile: ProfileId) -> StorageFuture<'_, VaultContents>;

    /// Waits for a while for other processes that work on a key of this profile, and then prevents them from
    /// doing so. `None` if another process is still at it.
    fn lock(&self) -> StorageFuture<'_, Option<ProcessLock>>;

    /// Activates the first key, and encrypts the host's documents with it in the same step. Returns false and
    /// changes nothing if there is an active key, or anything encrypted.
    fn set_first_key<'a>(
        &'a self,
        key: &'a KeyHeader,
        document: &'a DocumentEncryptor<'a>,
    ) -> StorageFuture<'a, bool>;

    /// Binds every secret of an earlier version to its purpose, and encrypts the documents that the earlier
    /// version did not have, atomically. Returns false if another key is active. Secrets that can't be bound
    /// are kept, and can't be decrypted. The default is for a host that has always bound its secrets.
    fn upgrade<'a>(&'a self, _upgrade: &'a PurposeUpgrade<'a>) -> StorageFuture<'a, bool> {
        Box::pin(async { Ok(true) })
    }

    /// Called when the key is in memory, before the vault reports that it is open.
    fn on_opened(&self) -> StorageFuture<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    /// Replaces the key `from` by `to`, and encrypts every row with the new key, atomically.
    fn rekey<'a>(
        &'a self,
        from: Fingerprint,
        to: &'a KeyHeader,
        reseal: &'a RowReencryptor<'a>,
    ) -> StorageFuture<'a, RekeyResult>;

    /// Deletes the current key's header and all encrypted data.
    fn delete_all(&self) -> StorageFuture<'_, ()>;
}
