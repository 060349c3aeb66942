//! What the host stores for the vault.
//!
//! The order in which a key is changed is the vault's business, and each step that has to be all or nothing is one
//! method here: the host makes it one transaction.

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
        /// Its id.
        id: &'a str,
        /// What it is for.
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
    /// The key that it is sealed under.
    pub key: Fingerprint,
    /// Secrets are bound to their purpose already: none that is not was sealed by Mooring.
    pub is_bound: bool,
    /// How the key is wrapped from now on, where a passphrase wraps it.
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

/// The header, and whether something is sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultContents {
    /// The header.
    pub header: VaultHeader,
    /// How many rows are sealed.
    pub encrypted_rows: u64,
}

/// How a change of the key ended.
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

/// What the host keeps: one header and the sealed rows. What a method has answered is on the disk.
pub trait VaultStorage: Send + Sync + 'static {
    /// The header as it is on the disk now. A profile without one gets it, with this id.
    fn read_or_create(&self, profile: ProfileId) -> StorageFuture<'_, VaultContents>;

    /// Waits a while until no other process works on a key of this profile, and locks that out. `None` if one
    /// still does.
    fn lock(&self) -> StorageFuture<'_, Option<ProcessLock>>;

    /// Puts the first key in force; whether it did. It must not where a key is in force, or anything is sealed.
    /// The host's documents are sealed with it, in the same step.
    fn set_first_key<'a>(
        &'a self,
        key: &'a KeyHeader,
        document: &'a DocumentEncryptor<'a>,
    ) -> StorageFuture<'a, bool>;

    /// Binds every secret that an earlier version sealed to its purpose, and seals the documents that it did not have,
    /// all at once or not at all; false: another key is in force. What cannot be bound stays, and does not open. A host whose secrets were always bound has
    /// nothing to do.
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

    /// Gives up the key in force and everything sealed.
    fn delete_all(&self) -> StorageFuture<'_, ()>;
}
