//! What the vault keeps of itself: one row of the store, and the sealed rows beside it.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mooring_store::{
    DocumentKey, KeyCustody, Rekeyed, SealedDocument, SecretOwner, SecretRow, Store, StoreError, Upgraded,
    VaultKeyRow, Vaults, WrappedKey,
};
use mooring_vault::{
    Answer, Custody, Fingerprint, Found, Guard, Header, Kdf, KeyHeader, ProfileId, Records, Rekey, Reseal,
    Row, SealDocument, Sealed, Upgrade, VaultError, WeakVault, Wrapped,
};
use mooring_words::{Sentence, say};
use secrecy::ExposeSecret;
use url::Url;

use crate::purpose;
use crate::row::{sealed, secret_row};

/// How long another process may work on the key.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is to be done when the key is in memory, before anybody is told.
pub(crate) type WhenOpened = Arc<OnceLock<Box<dyn Fn() -> Answer<'static, ()> + Send + Sync>>>;

/// The vault's records in the store.
pub(super) struct StoredRecords {
    vaults: Vaults,
    when_opened: WhenOpened,
}

impl StoredRecords {
    pub(super) fn new(store: &Store, when_opened: WhenOpened) -> Self {
        Self { vaults: store.vault(), when_opened }
    }
}

/// The vault's key, as the store has documents sealed with it.
#[derive(Debug)]
pub(super) struct VaultKey(pub(super) WeakVault);

impl DocumentKey for VaultKey {
    fn fingerprint(&self) -> Option<[u8; 16]> {
        self.0.upgrade()?.key().map(|key| key.0)
    }

    fn seal(&self, scope: &str, text: &[u8]) -> Option<SealedDocument> {
        self.0.upgrade()?.seal_document(scope, text).ok().map(document)
    }

    fn open(&self, scope: &str, document: &SealedDocument) -> Option<Vec<u8>> {
        let opened = self.0.upgrade()?.open_document(scope, &of_document(document)?).ok()?;
        Some(opened.expose_secret().clone())
    }
}

fn document(sealed: Sealed) -> SealedDocument {
    let Sealed { version, key, nonce, ciphertext } = sealed;
    SealedDocument { version: i64::from(version), key: key.0, nonce, ciphertext }
}

fn of_document(document: &SealedDocument) -> Option<Sealed> {
    let SealedDocument { version, key, nonce, ciphertext } = document.clone();
    Some(Sealed { version: u8::try_from(version).ok()?, key: Fingerprint(key), nonce, ciphertext })
}

fn told(error: &StoreError) -> Sentence {
    Sentence::quoted(error.to_string())
}

impl Records for StoredRecords {
    fn find(&self, profile: ProfileId) -> Answer<'_, Found> {
        Box::pin(async move {
            let row = self.vaults.get(profile.0).await.map_err(|error| told(&error))?;
            let header = Header { profile: ProfileId(row.profile), key: row.key.map(key_header) };
            Ok(Found { header, sealed: u64::try_from(row.sealed).unwrap_or(u64::MAX) })
        })
    }

    fn exclusive(&self) -> Answer<'_, Option<Guard>> {
        Box::pin(async move {
            let guard = self.vaults.exclusive(PATIENCE).await.map_err(|error| told(&error))?;
            Ok(guard.map(|guard| Box::new(guard) as Guard))
        })
    }

    fn adopt<'a>(&'a self, key: &'a KeyHeader, seal: &'a SealDocument<'a>) -> Answer<'a, bool> {
        Box::pin(async move {
            let seal = |scope: &str, text: &[u8]| seal(scope, text).ok().map(document);
            self.vaults.adopt(&key_row(key), &seal).await.map_err(|error| told(&error))
        })
    }

    fn upgrade<'a>(&'a self, upgrade: &'a Upgrade<'a>) -> Answer<'a, bool> {
        Box::pin(async move {
            let bind = |row: &SecretRow, owner: &SecretOwner| {
                let purpose = purpose::of_owner(owner);
                let bound = (upgrade.bind)(&row.id, &row.kind, &purpose, &sealed(row).ok()?).ok()?;
                Some(secret_row(row.id.clone(), &row.kind, purpose, bound))
            };
            let seal = |scope: &str, text: &[u8]| (upgrade.document)(scope, text).ok().map(document);
            let wrapped =
                upgrade.wrapped.map(|wrapped| (wrapped.nonce.as_slice(), wrapped.ciphertext.as_slice()));
            let upgraded = Upgraded { key: upgrade.key.0, wrapped, bind: &bind, document: &seal };
            self.vaults.upgrade(&upgraded).await.map_err(|error| told(&error))
        })
    }

    fn opened(&self) -> Answer<'_, ()> {
        match self.when_opened.get() {
            Some(when_opened) => when_opened(),
            None => Box::pin(async { Ok(()) }),
        }
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
                let of_row = Row::Secret { id: &row.id, purpose: &row.purpose };
                let sealed = reseal(of_row, &sealed(row)?)?;
                Ok(secret_row(row.id.clone(), &row.kind, row.purpose.clone(), sealed))
            };
            let redocumented = |scope: &str, old: &SealedDocument| {
                reseal(Row::Document(scope), &of_document(old)?).ok().map(document)
            };
            let rekeyed = self.vaults.rekey(from.0, &to, &resealed, &redocumented).await;
            Ok(match rekeyed.map_err(|error| told(&error))? {
                Rekeyed::Done(rows) => Rekey::Done(rows),
                Rekeyed::OtherKey => Rekey::OtherKey,
                Rekeyed::Refused { id, .. } => Rekey::Refused { id },
            })
        })
    }

    fn discard(&self) -> Answer<'_, ()> {
        Box::pin(async move {
            let reason = say!("the key of what is sealed was given up, and the login with it");
            self.vaults.discard(&reason).await.map(|_| ()).map_err(|error| told(&error))
        })
    }
}

/// A resource as it may stand in the log: without what may be secret in it.
pub fn shown(resource: &str) -> String {
    let Ok(mut url) = Url::parse(resource) else { return resource.to_owned() };
    url.set_query(None);
    url.set_fragment(None);
    // An address that cannot have a name and a password has none.
    let _has_none = url.set_username("").and_then(|()| url.set_password(None));
    url.into()
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
