//! The vault tied to the database, as the host ties them.

use std::sync::Arc;
use std::time::Duration;

use mooring_base::integrity::EncryptedDocument;
use mooring_disk::StoreError;
use mooring_store::{KeyCustody, RekeyOutcome, SecretRow, Store, VaultKeyRow, VaultRow, WrappedKey};
use mooring_vault::{
    ConnectKeychain, DocumentEncryptor, EncryptedBlob, EncryptedRow, Fingerprint, KdfParams, KeyHeader,
    KeyLocation, ProcessLock, ProfileId, RekeyResult, RowReencryptor, StorageFuture, Vault, VaultContents,
    VaultHeader, VaultOptions, VaultStorage, WrappedVaultKey,
};
use mooring_words::say;
use secrecy::{ExposeSecret, SecretString};

/// Longer than anything here takes on a busy machine.
pub(crate) const AMPLE: Duration = Duration::from_mins(1);

pub(crate) struct StoreStorage(pub(crate) Store);

pub(crate) fn vault(store: &Store, keychain: ConnectKeychain) -> Vault {
    Vault::new(Arc::new(StoreStorage(store.clone())), VaultOptions { keychain, ..VaultOptions::default() })
}

/// Seals a secret and keeps it in the database.
pub(crate) async fn keep(vault: &Vault, store: &Store, id: &str) {
    let sealed = vault.encrypt(id, "token", &SecretString::from(format!("secret of {id}"))).unwrap();
    store.secrets().insert_named(&to_row(id, "token", sealed), id).await.unwrap();
}

/// How many secrets there are, all of which open.
pub(crate) async fn opens_everything(vault: &Vault, store: &Store) -> usize {
    let all = store.secrets().list().await.unwrap();
    for known in &all {
        let row = store.secrets().get(&known.id).await.unwrap().unwrap();
        let opened = vault.decrypt(&row.id, &row.purpose, &from_row(&row)).unwrap();
        assert_eq!(opened.expose_secret(), format!("secret of {}", row.id));
    }
    all.len()
}

impl VaultStorage for StoreStorage {
    fn read_or_create(&self, profile: ProfileId) -> StorageFuture<'_, VaultContents> {
        Box::pin(async move { self.0.vault().get(profile.0).await.map(found).map_err(said) })
    }

    fn lock(&self) -> StorageFuture<'_, Option<ProcessLock>> {
        Box::pin(async move {
            let guard = self.0.vault().lock_exclusive(Duration::from_secs(5)).await.map_err(said)?;
            Ok(guard.map(|guard| Box::new(guard) as ProcessLock))
        })
    }

    fn set_first_key<'a>(
        &'a self,
        key: &'a KeyHeader,
        document: &'a DocumentEncryptor<'a>,
    ) -> StorageFuture<'a, bool> {
        Box::pin(async move {
            let seal = |scope: &str, text: &[u8]| document(scope, text).ok().map(to_document);
            self.0.vault().set_first_key(&to_key(key), &seal).await.map_err(said)
        })
    }

    fn rekey<'a>(
        &'a self,
        from: Fingerprint,
        to: &'a KeyHeader,
        reseal: &'a RowReencryptor<'a>,
    ) -> StorageFuture<'a, RekeyResult> {
        Box::pin(async move {
            let anew = |row: &SecretRow| {
                Ok::<_, mooring_vault::VaultError>(to_row(
                    &row.id,
                    &row.kind,
                    reseal(EncryptedRow::Secret { id: &row.id, purpose: &row.purpose }, &from_row(row))?,
                ))
            };
            let documents = |scope: &str, old: &EncryptedDocument| {
                reseal(EncryptedRow::Document(scope), &from_document(old)).ok().map(to_document)
            };
            match self.0.vault().rekey(from.0, &to_key(to), &anew, &documents).await.map_err(said)? {
                RekeyOutcome::Done(rows) => Ok(RekeyResult::Done(rows)),
                RekeyOutcome::WrongKey => Ok(RekeyResult::OtherKey),
                RekeyOutcome::Refused { id, .. } => Ok(RekeyResult::Refused { id }),
            }
        })
    }

    fn delete_all(&self) -> StorageFuture<'_, ()> {
        Box::pin(async move {
            self.0.vault().discard_key(&say!("the disk is full")).await.map(drop).map_err(said)
        })
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as map_err gives it")]
fn said(error: StoreError) -> mooring_words::Sentence {
    error.sentence()
}

fn found(row: VaultRow) -> VaultContents {
    let key = row.key.map(|key| KeyHeader {
        fingerprint: Fingerprint(key.fingerprint),
        custody: match key.custody {
            KeyCustody::Keychain => KeyLocation::Keychain,
            KeyCustody::Memory => KeyLocation::Memory,
            KeyCustody::Passphrase(wrapped) => KeyLocation::Passphrase(WrappedVaultKey {
                kdf: KdfParams {
                    memory_kib: wrapped.memory_kib,
                    passes: wrapped.passes,
                    lanes: wrapped.lanes,
                },
                salt: wrapped.salt,
                nonce: wrapped.nonce,
                ciphertext: wrapped.ciphertext,
            }),
        },
        created_at_us: key.created_at_us,
    });
    VaultContents {
        header: VaultHeader { profile: ProfileId(row.profile), key },
        encrypted_rows: row.secret_count.unsigned_abs(),
    }
}

fn to_key(key: &KeyHeader) -> VaultKeyRow {
    VaultKeyRow {
        fingerprint: key.fingerprint.0,
        custody: match &key.custody {
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
        },
        created_at_us: key.created_at_us,
    }
}

fn to_row(id: &str, kind: &str, sealed: EncryptedBlob) -> SecretRow {
    SecretRow {
        id: id.to_owned(),
        kind: kind.to_owned(),
        purpose: kind.to_owned(),
        version: i64::from(sealed.version),
        key: sealed.key.0,
        nonce: sealed.nonce,
        ciphertext: sealed.ciphertext,
    }
}

fn to_document(sealed: EncryptedBlob) -> EncryptedDocument {
    let EncryptedBlob { version, key, nonce, ciphertext } = sealed;
    EncryptedDocument { version: i64::from(version), key: key.0, nonce, ciphertext }
}

fn from_document(document: &EncryptedDocument) -> EncryptedBlob {
    EncryptedBlob {
        version: u8::try_from(document.version).unwrap(),
        key: Fingerprint(document.key),
        nonce: document.nonce,
        ciphertext: document.ciphertext.clone(),
    }
}

fn from_row(row: &SecretRow) -> EncryptedBlob {
    EncryptedBlob {
        version: u8::try_from(row.version).unwrap(),
        key: Fingerprint(row.key),
        nonce: row.nonce,
        ciphertext: row.ciphertext.clone(),
    }
}
