//! The vault's storage in the database: one row for the vault's header, and the encrypted rows.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mooring_base::integrity::{DocumentKey, EncryptedDocument};
use mooring_disk::StoreError;
use mooring_store::{
    KeyCustody, RekeyOutcome, SecretOwner, SecretRow, Store, VaultKeyRow, VaultUpgrade, Vaults, WrappedKey,
};
use mooring_vault::{
    DocumentEncryptor, EncryptedBlob, EncryptedRow, Fingerprint, KdfParams, KeyHeader, KeyLocation,
    ProcessLock, ProfileId, PurposeUpgrade, RekeyResult, RowReencryptor, StorageFuture, VaultContents,
    VaultError, VaultHeader, VaultStorage, WeakVault, WrappedVaultKey,
};
use mooring_words::{Sentence, say};
use secrecy::ExposeSecret;
use url::Url;

use crate::purpose;
use crate::row::{encrypted_blob, secret_row};

/// How long to wait for another process that works on the key.
const KEY_LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// Called when the vault's key is in memory, before the vault reports that it is open.
pub(crate) type VaultOpenedHook = Arc<OnceLock<Box<dyn Fn() -> StorageFuture<'static, ()> + Send + Sync>>>;

/// The vault's header and encrypted rows in the store.
pub(super) struct DatabaseStorage {
    vaults: Vaults,
    opened_hook: VaultOpenedHook,
}

impl DatabaseStorage {
    pub(super) fn new(store: &Store, when_opened: VaultOpenedHook) -> Self {
        Self { vaults: store.vault(), opened_hook: when_opened }
    }
}

/// The vault's key, with which the store encrypts documents. It does not keep the vault alive.
#[derive(Debug)]
pub(super) struct VaultKey(pub(super) WeakVault);

impl DocumentKey for VaultKey {
    fn fingerprint(&self) -> Option<[u8; 16]> {
        self.0.upgrade()?.key_fingerprint().map(|key| key.0)
    }

    fn encrypt(&self, scope: &str, text: &[u8]) -> Option<EncryptedDocument> {
        self.0.upgrade()?.encrypt_document(scope, text).ok().map(to_document)
    }

    fn decrypt(&self, scope: &str, document: &EncryptedDocument) -> Option<Vec<u8>> {
        let opened = self.0.upgrade()?.decrypt_document(scope, &to_blob(document)?).ok()?;
        Some(opened.expose_secret().clone())
    }
}

/// The key during an upgrade, when it is not in the vault yet.
#[derive(Debug)]
struct UpgradeKey<'a>(&'a PurposeUpgrade<'a>);

impl DocumentKey for UpgradeKey<'_> {
    fn fingerprint(&self) -> Option<[u8; 16]> {
        Some(self.0.key.0)
    }

    fn encrypt(&self, scope: &str, text: &[u8]) -> Option<EncryptedDocument> {
        (self.0.document)(scope, text).ok().map(to_document)
    }

    fn decrypt(&self, scope: &str, document: &EncryptedDocument) -> Option<Vec<u8>> {
        let opened = (self.0.open)(scope, &to_blob(document)?).ok()?;
        Some(opened.expose_secret().clone())
    }
}

fn to_document(sealed: EncryptedBlob) -> EncryptedDocument {
    let EncryptedBlob { version, key, nonce, ciphertext } = sealed;
    EncryptedDocument { version: i64::from(version), key: key.0, nonce, ciphertext }
}

fn to_blob(document: &EncryptedDocument) -> Option<EncryptedBlob> {
    let EncryptedDocument { version, key, nonce, ciphertext } = document.clone();
    Some(EncryptedBlob { version: u8::try_from(version).ok()?, key: Fingerprint(key), nonce, ciphertext })
}

fn store_sentence(error: &StoreError) -> Sentence {
    Sentence::quoted(error.to_string())
}

impl VaultStorage for DatabaseStorage {
    fn read_or_create(&self, profile: ProfileId) -> StorageFuture<'_, VaultContents> {
        Box::pin(async move {
            let row = self.vaults.get(profile.0).await.map_err(|error| store_sentence(&error))?;
            let header = VaultHeader { profile: ProfileId(row.profile), key: row.key.map(to_key_header) };
            Ok(VaultContents { header, encrypted_rows: u64::try_from(row.secret_count).unwrap_or(u64::MAX) })
        })
    }

    fn lock(&self) -> StorageFuture<'_, Option<ProcessLock>> {
        Box::pin(async move {
            let guard =
                self.vaults.lock_exclusive(KEY_LOCK_TIMEOUT).await.map_err(|error| store_sentence(&error))?;
            Ok(guard.map(|guard| Box::new(guard) as ProcessLock))
        })
    }

    fn set_first_key<'a>(
        &'a self,
        key: &'a KeyHeader,
        seal: &'a DocumentEncryptor<'a>,
    ) -> StorageFuture<'a, bool> {
        Box::pin(async move {
            let seal = |scope: &str, text: &[u8]| seal(scope, text).ok().map(to_document);
            self.vaults.set_first_key(&to_key_row(key), &seal).await.map_err(|error| store_sentence(&error))
        })
    }

    fn upgrade<'a>(&'a self, upgrade: &'a PurposeUpgrade<'a>) -> StorageFuture<'a, bool> {
        Box::pin(async move {
            let bind = |row: &SecretRow, owner: &SecretOwner| {
                let purpose = purpose::of_owner(owner);
                let bound = (upgrade.bind)(&row.id, &row.kind, &purpose, &encrypted_blob(row).ok()?).ok()?;
                Some(secret_row(row.id.clone(), &row.kind, purpose, bound))
            };
            let documents = UpgradeKey(upgrade);
            let wrapped =
                upgrade.wrapped.map(|wrapped| (wrapped.nonce.as_slice(), wrapped.ciphertext.as_slice()));
            let (key, is_bound) = (upgrade.key.0, upgrade.is_bound);
            let upgraded = VaultUpgrade { key, is_bound, wrapped, bind: &bind, documents: &documents };
            self.vaults.upgrade(&upgraded).await.map_err(|error| store_sentence(&error))
        })
    }

    fn on_opened(&self) -> StorageFuture<'_, ()> {
        match self.opened_hook.get() {
            Some(when_opened) => when_opened(),
            None => Box::pin(async { Ok(()) }),
        }
    }

    fn rekey<'a>(
        &'a self,
        from: Fingerprint,
        to: &'a KeyHeader,
        reseal: &'a RowReencryptor<'a>,
    ) -> StorageFuture<'a, RekeyResult> {
        Box::pin(async move {
            let to = to_key_row(to);
            let resealed = |row: &SecretRow| -> Result<SecretRow, VaultError> {
                let of_row = EncryptedRow::Secret { id: &row.id, purpose: &row.purpose };
                let sealed = reseal(of_row, &encrypted_blob(row)?)?;
                Ok(secret_row(row.id.clone(), &row.kind, row.purpose.clone(), sealed))
            };
            let redocumented = |scope: &str, old: &EncryptedDocument| {
                reseal(EncryptedRow::Document(scope), &to_blob(old)?).ok().map(to_document)
            };
            let rekeyed = self.vaults.rekey(from.0, &to, &resealed, &redocumented).await;
            Ok(match rekeyed.map_err(|error| store_sentence(&error))? {
                RekeyOutcome::Done(rows) => RekeyResult::Done(rows),
                RekeyOutcome::WrongKey => RekeyResult::OtherKey,
                RekeyOutcome::Refused { id, .. } => RekeyResult::Refused { id },
            })
        })
    }

    fn delete_all(&self) -> StorageFuture<'_, ()> {
        Box::pin(async move {
            let reason = say!("the vault key was discarded, and the login with it");
            self.vaults.discard_key(&reason).await.map(|_| ()).map_err(|error| store_sentence(&error))
        })
    }
}

/// A resource without query, fragment and credentials, for the log.
pub fn redact_resource(resource: &str) -> String {
    let Ok(mut url) = Url::parse(resource) else { return resource.to_owned() };
    url.set_query(None);
    url.set_fragment(None);
    // A URL that can't have credentials has none.
    let _has_none = url.set_username("").and_then(|()| url.set_password(None));
    url.into()
}

fn to_key_header(row: VaultKeyRow) -> KeyHeader {
    let custody = match row.custody {
        KeyCustody::Keychain => KeyLocation::Keychain,
        KeyCustody::Memory => KeyLocation::Memory,
        KeyCustody::Passphrase(wrapped) => KeyLocation::Passphrase(WrappedVaultKey {
            kdf: KdfParams { memory_kib: wrapped.memory_kib, passes: wrapped.passes, lanes: wrapped.lanes },
            salt: wrapped.salt,
            nonce: wrapped.nonce,
            ciphertext: wrapped.ciphertext,
        }),
    };
    KeyHeader { fingerprint: Fingerprint(row.fingerprint), custody, created_at_us: row.created_at_us }
}

fn to_key_row(header: &KeyHeader) -> VaultKeyRow {
    let custody = match &header.custody {
        KeyLocation::Keychain => KeyCustody::Keychain,
        KeyLocation::Memory => KeyCustody::Memory,
        KeyLocation::Passphrase(wrapped) => KeyCustody::Passphrase(WrappedKey {
            memory_kib: wrapped.kdf.memory_kib,
            passes: wrapped.kdf.passes,
            lanes: wrapped.kdf.lanes,
            salt: wrapped.salt.clone(),
            nonce: wrapped.nonce,
            ciphertext: wrapped.ciphertext.clone(),
        }),
    };
    VaultKeyRow { fingerprint: header.fingerprint.0, custody, created_at_us: header.created_at_us }
}
