//! The vault tied to the database, as the host ties them.

use std::sync::Arc;
use std::time::Duration;

use mooring_store::{
    KeyCustody, Rekeyed, SealedDocument, SecretRow, Store, StoreError, VaultKeyRow, VaultRow, WrappedKey,
};
use mooring_vault::{
    Answer, Connect, Custody, Fingerprint, Found, Guard, Header, Kdf, KeyHeader, Options, ProfileId, Records,
    Rekey, Reseal, Row, SealDocument, Sealed, Vault, Wrapped,
};
use mooring_words::say;
use secrecy::{ExposeSecret, SecretString};

/// Longer than anything here takes on a busy machine.
pub(crate) const AMPLE: Duration = Duration::from_mins(1);

pub(crate) struct Kept(pub(crate) Store);

pub(crate) fn vault(store: &Store, keychain: Connect) -> Vault {
    Vault::new(Arc::new(Kept(store.clone())), Options { keychain, ..Options::default() })
}

/// Seals a secret and keeps it in the database.
pub(crate) async fn keep(vault: &Vault, store: &Store, id: &str) {
    let sealed = vault.seal(id, "token", &SecretString::from(format!("secret of {id}"))).unwrap();
    store.secrets().insert_named(&to_row(id, "token", sealed), id).await.unwrap();
}

/// How many secrets there are, all of which open.
pub(crate) async fn opens_everything(vault: &Vault, store: &Store) -> usize {
    let all = store.secrets().list().await.unwrap();
    for known in &all {
        let row = store.secrets().get(&known.id).await.unwrap().unwrap();
        let opened = vault.unseal(&row.id, &row.purpose, &from_row(&row)).unwrap();
        assert_eq!(opened.expose_secret(), format!("secret of {}", row.id));
    }
    all.len()
}

impl Records for Kept {
    fn find(&self, profile: ProfileId) -> Answer<'_, Found> {
        Box::pin(async move { self.0.vault().get(profile.0).await.map(found).map_err(said) })
    }

    fn exclusive(&self) -> Answer<'_, Option<Guard>> {
        Box::pin(async move {
            let guard = self.0.vault().exclusive(Duration::from_secs(5)).await.map_err(said)?;
            Ok(guard.map(|guard| Box::new(guard) as Guard))
        })
    }

    fn adopt<'a>(&'a self, key: &'a KeyHeader, document: &'a SealDocument<'a>) -> Answer<'a, bool> {
        Box::pin(async move {
            let seal = |scope: &str, text: &[u8]| document(scope, text).ok().map(to_document);
            self.0.vault().adopt(&to_key(key), &seal).await.map_err(said)
        })
    }

    fn rekey<'a>(
        &'a self,
        from: Fingerprint,
        to: &'a KeyHeader,
        reseal: &'a Reseal<'a>,
    ) -> Answer<'a, Rekey> {
        Box::pin(async move {
            let anew = |row: &SecretRow| {
                Ok::<_, mooring_vault::VaultError>(to_row(
                    &row.id,
                    &row.kind,
                    reseal(Row::Secret { id: &row.id, purpose: &row.purpose }, &from_row(row))?,
                ))
            };
            let documents = |scope: &str, old: &SealedDocument| {
                reseal(Row::Document(scope), &from_document(old)).ok().map(to_document)
            };
            match self.0.vault().rekey(from.0, &to_key(to), &anew, &documents).await.map_err(said)? {
                Rekeyed::Done(rows) => Ok(Rekey::Done(rows)),
                Rekeyed::OtherKey => Ok(Rekey::OtherKey),
                Rekeyed::Refused { id, .. } => Ok(Rekey::Refused { id }),
            }
        })
    }

    fn discard(&self) -> Answer<'_, ()> {
        Box::pin(
            async move { self.0.vault().discard(&say!("the disk is full")).await.map(drop).map_err(said) },
        )
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as map_err gives it")]
fn said(error: StoreError) -> mooring_words::Sentence {
    error.sentence()
}

fn found(row: VaultRow) -> Found {
    let key = row.key.map(|key| KeyHeader {
        fingerprint: Fingerprint(key.fingerprint),
        custody: match key.custody {
            KeyCustody::Keychain => Custody::Keychain,
            KeyCustody::Memory => Custody::Memory,
            KeyCustody::Passphrase(wrapped) => Custody::Passphrase(Wrapped {
                kdf: Kdf { memory_kib: wrapped.memory_kib, passes: wrapped.passes, lanes: wrapped.lanes },
                salt: wrapped.salt,
                nonce: wrapped.nonce,
                ciphertext: wrapped.ciphertext,
            }),
        },
        created_at_us: key.created_at_us,
    });
    Found { header: Header { profile: ProfileId(row.profile), key }, sealed: row.sealed.unsigned_abs() }
}

fn to_key(key: &KeyHeader) -> VaultKeyRow {
    VaultKeyRow {
        fingerprint: key.fingerprint.0,
        custody: match &key.custody {
            Custody::Keychain => KeyCustody::Keychain,
            Custody::Memory => KeyCustody::Memory,
            Custody::Passphrase(wrapped) => KeyCustody::Passphrase(WrappedKey {
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

fn to_row(id: &str, kind: &str, sealed: Sealed) -> SecretRow {
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

fn to_document(sealed: Sealed) -> SealedDocument {
    let Sealed { version, key, nonce, ciphertext } = sealed;
    SealedDocument { version: i64::from(version), key: key.0, nonce, ciphertext }
}

fn from_document(document: &SealedDocument) -> Sealed {
    Sealed {
        version: u8::try_from(document.version).unwrap(),
        key: Fingerprint(document.key),
        nonce: document.nonce,
        ciphertext: document.ciphertext.clone(),
    }
}

fn from_row(row: &SecretRow) -> Sealed {
    Sealed {
        version: u8::try_from(row.version).unwrap(),
        key: Fingerprint(row.key),
        nonce: row.nonce,
        ciphertext: row.ciphertext.clone(),
    }
}
