//! What the vault keeps of itself: one row of the store, and the sealed rows beside it.

use std::time::Duration;

use mooring_store::{KeyCustody, Rekeyed, SecretRow, Store, StoreError, VaultKeyRow, Vaults, WrappedKey};
use mooring_vault::{
    Answer, Custody, Fingerprint, Found, Guard, Header, Kdf, KeyHeader, ProfileId, Records, Rekey, Reseal,
    Sealed, VaultError, Wrapped,
};
use mooring_words::{Sentence, say};
use url::Url;

/// How long another process may work on the key.
const PATIENCE: Duration = Duration::from_secs(30);

/// The vault's records in the store.
#[derive(Debug, Clone)]
pub(super) struct StoredRecords(Vaults);

impl StoredRecords {
    pub(super) fn new(store: &Store) -> Self {
        Self(store.vault())
    }
}

fn told(error: &StoreError) -> Sentence {
    Sentence::quoted(error.to_string())
}

impl Records for StoredRecords {
    fn find(&self, profile: ProfileId) -> Answer<'_, Found> {
        Box::pin(async move {
            let row = self.0.get(profile.0).await.map_err(|error| told(&error))?;
            let header = Header { profile: ProfileId(row.profile), key: row.key.map(key_header) };
            Ok(Found { header, sealed: u64::try_from(row.sealed).unwrap_or(u64::MAX) })
        })
    }

    fn exclusive(&self) -> Answer<'_, Option<Guard>> {
        Box::pin(async move {
            let guard = self.0.exclusive(PATIENCE).await.map_err(|error| told(&error))?;
            Ok(guard.map(|guard| Box::new(guard) as Guard))
        })
    }

    fn adopt<'a>(&'a self, key: &'a KeyHeader) -> Answer<'a, bool> {
        Box::pin(async move { self.0.adopt(&key_row(key)).await.map_err(|error| told(&error)) })
    }

    fn rekey<'a>(
        &'a self,
        from: Fingerprint,
        to: &'a KeyHeader,
        reseal: &'a Reseal<'a>,
    ) -> Answer<'a, Rekey> {
        Box::pin(async move {
            let to = key_row(to);
            let resealed = |row: &SecretRow| -> Result<SecretRow, VaultError> {
                let sealed = reseal(&row.id, &row.kind, &sealed(row)?)?;
                Ok(secret_row(row.id.clone(), &row.kind, sealed))
            };
            Ok(match self.0.rekey(from.0, &to, &resealed).await.map_err(|error| told(&error))? {
                Rekeyed::Done(rows) => Rekey::Done(rows),
                Rekeyed::OtherKey => Rekey::OtherKey,
                Rekeyed::Refused { id, .. } => Rekey::Refused { id },
            })
        })
    }

    fn discard(&self) -> Answer<'_, ()> {
        Box::pin(async move {
            let reason = say!("the key of what is sealed was given up, and the login with it");
            self.0.discard(&reason).await.map(|_| ()).map_err(|error| told(&error))
        })
    }
}

/// A resource as it may stand in the log: without what may be secret in it.
pub(crate) fn shown(resource: &str) -> String {
    let Ok(mut url) = Url::parse(resource) else { return resource.to_owned() };
    url.set_query(None);
    url.set_fragment(None);
    // An address that cannot have a name and a password has none.
    let _has_none = url.set_username("").and_then(|()| url.set_password(None));
    url.into()
}

/// A sealed secret as the store keeps it.
pub(crate) fn secret_row(id: String, kind: &str, sealed: Sealed) -> SecretRow {
    SecretRow {
        id,
        kind: kind.to_owned(),
        version: i64::from(sealed.version),
        key: sealed.key.0,
        nonce: sealed.nonce,
        ciphertext: sealed.ciphertext,
    }
}

/// The same as the vault opens it.
pub(crate) fn sealed(row: &SecretRow) -> Result<Sealed, VaultError> {
    Ok(Sealed {
        version: u8::try_from(row.version).map_err(|_| VaultError::Tampered)?,
        key: Fingerprint(row.key),
        nonce: row.nonce,
        ciphertext: row.ciphertext.clone(),
    })
}

fn key_header(row: VaultKeyRow) -> KeyHeader {
    let custody = match row.custody {
        KeyCustody::Keychain => Custody::Keychain,
        KeyCustody::Memory => Custody::Memory,
        KeyCustody::Passphrase(wrapped) => Custody::Passphrase(Wrapped {
            kdf: Kdf { memory_kib: wrapped.memory_kib, passes: wrapped.passes, lanes: wrapped.lanes },
            salt: wrapped.salt,
            nonce: wrapped.nonce,
            ciphertext: wrapped.ciphertext,
        }),
    };
    KeyHeader { fingerprint: Fingerprint(row.fingerprint), custody, created_at_us: row.created_at_us }
}

fn key_row(header: &KeyHeader) -> VaultKeyRow {
    let custody = match &header.custody {
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
    };
    VaultKeyRow { fingerprint: header.fingerprint.0, custody, created_at_us: header.created_at_us }
}
