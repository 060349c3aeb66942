//! The vault's one row: the profile's id and the active key. Also changes that key.

use super::integrity;
use crate::database::Database;
use crate::table::secret::{self, SecretRow, read_bytes};
use crate::table::server_secret::SecretPlace;
use mooring_base::integrity::{DocumentEncryptor, DocumentKey, EncryptedDocument};
use mooring_disk::StoreError;
use mooring_words::Sentence;
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use std::fs::{File, TryLockError};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// Where the key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyCustody {
    /// In the system's keychain.
    Keychain,
    /// In this row, wrapped with a passphrase.
    Passphrase(WrappedKey),
    /// Only in memory, until the process ends.
    Memory,
}

/// A key wrapped with a passphrase, and the parameters to unwrap it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrappedKey {
    /// Argon2id's memory cost, in KiB.
    pub memory_kib: u32,
    /// Argon2id's time cost (passes).
    pub passes: u32,
    /// Argon2id's parallelism (lanes).
    pub lanes: u32,
    /// Argon2id's salt.
    pub salt: Vec<u8>,
    /// The nonce of the encrypted key.
    pub nonce: [u8; 24],
    /// The encrypted key.
    pub ciphertext: Vec<u8>,
}

/// The key that encrypts new secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultKeyRow {
    /// The key's fingerprint.
    pub fingerprint: [u8; 16],
    /// Where the key is.
    pub custody: KeyCustody,
    /// When the key was made, in microseconds since the Unix epoch.
    pub created_at_us: i64,
}

/// The vault's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultRow {
    /// A random id, which is made with the row and never changes.
    pub profile: [u8; 16],
    /// The active key. `None` if there is no key yet.
    pub key: Option<VaultKeyRow>,
    /// The number of encrypted secrets.
    pub secret_count: i64,
}

/// Result of a change of the key.
#[derive(Debug, PartialEq, Eq)]
pub enum RekeyOutcome<E> {
    /// Everything is encrypted with the new key. Contains the number of secrets.
    Done(u64),
    /// The active key is not the expected one. Nothing changed.
    WrongKey,
    /// This secret could not be encrypted with the new key. Nothing changed.
    Refused {
        /// The secret's id.
        id: String,
        /// The reason.
        why: E,
    },
}

/// The owner of a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretOwner {
    /// A variable or header of a server.
    Server {
        /// The server.
        id: i64,
        /// Whether it is a variable or a header.
        place: SecretPlace,
        /// The variable's or the header's name.
        name: String,
        /// The server's URL.
        url: Option<String>,
    },
    /// A login.
    Login {
        /// The issuer, exactly as it was received.
        issuer: String,
        /// The resource, exactly as it was received.
        resource: String,
    },
    /// A client registration at an authorization server.
    Client {
        /// The issuer, exactly as it was received.
        issuer: String,
        /// The client id there.
        client_id: String,
    },
    /// A provider of models.
    Provider {
        /// The kind of the provider's API.
        kind: String,
        /// The provider's base URL.
        base_url: String,
    },
}

/// A one-time upgrade of secrets and documents of an earlier version.
pub struct VaultUpgrade<'a> {
    /// The fingerprint of the key that the upgrade uses.
    pub key: [u8; 16],
    /// Whether secrets are already bound to their purpose. If so, Mooring did not encrypt a secret that isn't
    /// bound.
    pub is_bound: bool,
    /// The key wrapped again, if a passphrase wraps it: a nonce, and the encrypted key.
    pub wrapped: Option<(&'a [u8], &'a [u8])>,
    /// Encrypts the secret for its purpose. `None` if it can't be decrypted.
    pub bind: &'a (dyn Fn(&SecretRow, &SecretOwner) -> Option<SecretRow> + Send + Sync),
    /// Encrypts and decrypts documents.
    pub documents: &'a dyn DocumentKey,
}

/// While this exists, no other process creates, changes or removes a key of this profile.
#[derive(Debug)]
#[must_use]
pub struct VaultGuard(#[expect(dead_code, reason = "the lock goes with the file")] File);

/// The vault's row. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct Vaults(pub(crate) Arc<Database>);

impl Vaults {
    /// The row. If the profile has no id yet, it gets `profile`, which is random.
    pub async fn get(&self, profile: [u8; 16]) -> Result<VaultRow, StoreError> {
        const MAKE: &str = "INSERT INTO vault (one, profile) VALUES (1, ?) ON CONFLICT DO NOTHING";
        if let Some(row) = self.find_row().await? {
            return Ok(row);
        }
        {
            let _turn = self.0.lock_writes().await?;
            let made = sqlx::query(MAKE).bind(profile.as_slice()).execute(&self.0.durable_writer).await;
            made.map_err(|error| self.0.store_error(error))?;
        }
        self.find_row().await?.ok_or_else(|| StoreError::Sql(sqlx::Error::RowNotFound))
    }

    async fn find_row(&self) -> Result<Option<VaultRow>, StoreError> {
        const FIND: &str = "SELECT *, (SELECT count(*) FROM secret) AS sealed FROM vault";
        let row = sqlx::query(FIND).fetch_optional(&self.0.lookups).await;
        row.and_then(|row| row.as_ref().map(from_row).transpose()).map_err(|error| self.0.store_error(error))
    }

    /// Waits up to `patience` for other processes that create, change or remove a key, and then prevents them
    /// from doing so. `None` if another process is still at it.
    pub async fn lock_exclusive(&self, patience: Duration) -> Result<Option<VaultGuard>, StoreError> {
        const LOOK_AGAIN: Duration = Duration::from_millis(20);
        let path = self.0.path.with_file_name("vault.lock");
        let file = mooring_disk::open_private(&path).map_err(|error| StoreError::from_io(&path, error))?;
        let deadline = tokio::time::Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(VaultGuard(file))),
                Err(TryLockError::WouldBlock) if tokio::time::Instant::now() < deadline => {
                    sleep(LOOK_AGAIN).await;
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(StoreError::from_io(&path, error)),
            }
        }
    }

    /// Activates the first key. False if there is already a key or an encrypted secret. Builds the integrity
    /// documents from the tables and encrypts them with `document`.
    pub async fn set_first_key(
        &self,
        key: &VaultKeyRow,
        document: &DocumentEncryptor<'_>,
    ) -> Result<bool, StoreError> {
        let _turn = self.0.lock_writes().await?;
        let mut tx = secret::begin(&self.0).await?;
        let adopted = store_key(&mut tx, key, "key IS NULL AND NOT EXISTS (SELECT 1 FROM secret)").await;
        let adopted = adopted.map_err(|error| self.0.store_error(error))?;
        if adopted {
            integrity::rebuild_documents(&self.0, &mut tx, document).await?;
        }
        tx.commit().await.map_err(|error| self.0.store_error(error))?;
        Ok(adopted)
    }

    /// Binds each secret of an earlier version to its purpose, and authenticates the person's decisions, in
    /// one transaction. False if another key is active. A secret without references is deleted. A secret with
    /// several references, or one that can't be decrypted, is not changed.
    pub async fn upgrade(&self, upgrade: &VaultUpgrade<'_>) -> Result<bool, StoreError> {
        const BOUND: &str = "SELECT EXISTS (SELECT 1 FROM secret WHERE version > 1)";
        const UNBOUND: &str = "SELECT id FROM secret WHERE version = 1 AND NOT ?";
        const WRAP: &str = "UPDATE vault SET wrap_nonce = ?, wrapped_key = ? WHERE mode = 'passphrase'";
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = secret::begin(&self.0).await?;
        let current: Option<Vec<u8>> =
            sqlx::query_scalar("SELECT key FROM vault").fetch_one(&mut *tx).await.map_err(fault)?;
        if current.as_deref() != Some(upgrade.key.as_slice()) {
            return Ok(false);
        }
        let bound: bool = sqlx::query_scalar(BOUND).fetch_one(&mut *tx).await.map_err(fault)?;
        // If a secret is bound, this upgrade was done before. Missing documents were removed since then.
        if !upgrade.is_bound && !bound && integrity::has_no_documents(&mut tx).await.map_err(fault)? {
            let seal = |scope: &str, text: &[u8]| upgrade.documents.encrypt(scope, text);
            integrity::rebuild_documents(&self.0, &mut tx, &seal).await?;
        }
        integrity::adopt_settings(&self.0, &mut tx, upgrade.documents).await?;
        let ids = sqlx::query_scalar(UNBOUND).bind(upgrade.is_bound).fetch_all(&mut *tx).await;
        let ids: Vec<String> = ids.map_err(fault)?;
        for id in ids {
            let row = sqlx::query("SELECT * FROM secret WHERE id = ?").bind(&id).fetch_one(&mut *tx).await;
            let row = row.and_then(|row| secret::from_row(&row)).map_err(fault)?;
            match find_owners(&mut tx, &row).await.map_err(fault)?.as_slice() {
                [] => {
                    let gone = sqlx::query("DELETE FROM secret WHERE id = ? AND label IS NULL").bind(&id);
                    gone.execute(&mut *tx).await.map_err(fault)?;
                }
                [owner] => {
                    if let Some(bound) = (upgrade.bind)(&row, owner) {
                        store_reencrypted(&mut tx, &id, &bound).await.map_err(fault)?;
                    }
                }
                _ => {}
            }
        }
        if let Some((nonce, wrapped)) = upgrade.wrapped {
            sqlx::query(WRAP).bind(nonce).bind(wrapped).execute(&mut *tx).await.map_err(fault)?;
        }
        tx.commit().await.map_err(fault)?;
        Ok(true)
    }

    /// Replaces the key `from` by `to` in one transaction. Replaces every secret by the result of `reseal`,
    /// and every document by the result of `redocument`.
    pub async fn rekey<E>(
        &self,
        from: [u8; 16],
        to: &VaultKeyRow,
        reseal: &(dyn Fn(&SecretRow) -> Result<SecretRow, E> + Send + Sync),
        redocument: &(dyn Fn(&str, &EncryptedDocument) -> Option<EncryptedDocument> + Send + Sync),
    ) -> Result<RekeyOutcome<E>, StoreError> {
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = secret::begin(&self.0).await?;
        let current: Option<Vec<u8>> =
            sqlx::query_scalar("SELECT key FROM vault").fetch_one(&mut *tx).await.map_err(fault)?;
        if current.as_deref() != Some(from.as_slice()) {
            return Ok(RekeyOutcome::WrongKey);
        }
        store_key(&mut tx, to, "1").await.map_err(fault)?;
        let ids: Vec<String> =
            sqlx::query_scalar("SELECT id FROM secret").fetch_all(&mut *tx).await.map_err(fault)?;
        let mut count = 0;
        for id in ids {
            let row = sqlx::query("SELECT * FROM secret WHERE id = ?").bind(&id).fetch_one(&mut *tx).await;
            let row = row.and_then(|row| secret::from_row(&row)).map_err(fault)?;
            let sealed = match reseal(&row) {
                Ok(sealed) => sealed,
                Err(why) => return Ok(RekeyOutcome::Refused { id, why }),
            };
            store_reencrypted(&mut tx, &id, &sealed).await.map_err(fault)?;
            count += 1;
        }
        integrity::reencrypt_documents(&mut tx, redocument).await.map_err(fault)?;
        // If a secret was left behind, its foreign key fails here.
        tx.commit().await.map_err(fault)?;
        Ok(RekeyOutcome::Done(count))
    }

    /// Discards the key and all encrypted data, because the person requested it. Logins end with this reason,
    /// registrations with a secret are removed, and values of servers and keys of providers have to be
    /// entered again. Returns the number of secrets.
    pub async fn discard_key(&self, reason: &Sentence) -> Result<u64, StoreError> {
        const END: &str = "UPDATE login SET state = 'ended', reason = coalesce(reason, ?), secret_id = NULL,
            version = version + 1 WHERE secret_id IS NOT NULL";
        const REST: [&str; 5] = [
            "DELETE FROM integrity",
            "DELETE FROM registration WHERE secret_id IS NOT NULL",
            "UPDATE server_secret SET secret_id = NULL",
            "UPDATE provider SET secret_id = NULL",
            "UPDATE vault SET key = NULL, mode = NULL, created_at_us = NULL, kdf_memory_kib = NULL,
                kdf_passes = NULL, kdf_lanes = NULL, kdf_salt = NULL, wrap_nonce = NULL, wrapped_key = NULL",
        ];
        let fault = |error| self.0.store_error(error);
        let reason = serde_json::to_string(&reason.stored())
            .map_err(|error| fault(sqlx::Error::Encode(error.into())))?;
        let _turn = self.0.lock_writes().await?;
        let mut tx = secret::begin(&self.0).await?;
        let count: i64 =
            sqlx::query_scalar("SELECT count(*) FROM secret").fetch_one(&mut *tx).await.map_err(fault)?;
        sqlx::query(END).bind(reason).execute(&mut *tx).await.map_err(fault)?;
        for statement in REST {
            sqlx::query(statement).execute(&mut *tx).await.map_err(fault)?;
        }
        sqlx::query("DELETE FROM secret").execute(&mut *tx).await.map_err(fault)?;
        tx.commit().await.map_err(fault)?;
        Ok(u64::try_from(count).unwrap_or_default())
    }
}

async fn store_key(
    tx: &mut SqliteConnection,
    key: &VaultKeyRow,
    condition: &'static str,
) -> Result<bool, sqlx::Error> {
    let put = format!(
        "UPDATE vault SET key = ?, mode = ?, created_at_us = ?, kdf_memory_kib = ?, kdf_passes = ?, kdf_lanes = ?,
         kdf_salt = ?, wrap_nonce = ?, wrapped_key = ? WHERE {condition}"
    );
    let (mode, wrapped) = match &key.custody {
        KeyCustody::Keychain => ("keychain", None),
        KeyCustody::Passphrase(wrapped) => ("passphrase", Some(wrapped)),
        KeyCustody::Memory => ("memory", None),
    };
    let statement = sqlx::query(sqlx::AssertSqlSafe(put))
        .bind(key.fingerprint.as_slice())
        .bind(mode)
        .bind(key.created_at_us)
        .bind(wrapped.map(|wrapped| wrapped.memory_kib))
        .bind(wrapped.map(|wrapped| wrapped.passes))
        .bind(wrapped.map(|wrapped| wrapped.lanes))
        .bind(wrapped.map(|wrapped| wrapped.salt.as_slice()))
        .bind(wrapped.map(|wrapped| wrapped.nonce.as_slice()))
        .bind(wrapped.map(|wrapped| wrapped.ciphertext.as_slice()));
    Ok(statement.execute(tx).await?.rows_affected() == 1)
}

async fn find_owners(tx: &mut SqliteConnection, row: &SecretRow) -> Result<Vec<SecretOwner>, sqlx::Error> {
    const SERVERS: &str =
        "SELECT server_id, place, server_secret.name, definition ->> '$.url' FROM server_secret
        JOIN server ON server.id = server_id WHERE secret_id = ?";
    const PAIRS: [(&str, &str); 3] = [
        ("login", "SELECT issuer, resource FROM login WHERE secret_id = ?"),
        ("client", "SELECT issuer, client_id FROM registration WHERE secret_id = ?"),
        ("provider", "SELECT kind, base_url FROM provider WHERE secret_id = ?"),
    ];
    if row.kind == "server" {
        let rows: Vec<(i64, String, String, Option<String>)> =
            sqlx::query_as(SERVERS).bind(&row.id).fetch_all(tx).await?;
        let owner = |(id, place, name, url): (i64, String, String, Option<String>)| SecretOwner::Server {
            id,
            place: SecretPlace::from_name(&place),
            name,
            url,
        };
        return Ok(rows.into_iter().map(owner).collect());
    }
    let Some((_, select)) = PAIRS.iter().find(|(kind, _)| *kind == row.kind) else { return Ok(Vec::new()) };
    let rows: Vec<(String, String)> = sqlx::query_as(*select).bind(&row.id).fetch_all(tx).await?;
    let owner = |(one, other): (String, String)| match row.kind.as_str() {
        "login" => SecretOwner::Login { issuer: one, resource: other },
        "client" => SecretOwner::Client { issuer: one, client_id: other },
        _ => SecretOwner::Provider { kind: one, base_url: other },
    };
    Ok(rows.into_iter().map(owner).collect())
}

async fn store_reencrypted(
    tx: &mut SqliteConnection,
    id: &str,
    sealed: &SecretRow,
) -> Result<(), sqlx::Error> {
    const RESEAL: &str =
        "UPDATE secret SET purpose = ?, version = ?, key = ?, nonce = ?, ciphertext = ? WHERE id = ?";
    let statement = sqlx::query(RESEAL)
        .bind(&sealed.purpose)
        .bind(sealed.version)
        .bind(sealed.key.as_slice())
        .bind(sealed.nonce.as_slice())
        .bind(&sealed.ciphertext)
        .bind(id);
    statement.execute(tx).await.map(|_| ())
}

fn from_row(row: &SqliteRow) -> Result<VaultRow, sqlx::Error> {
    let mode: Option<&str> = row.try_get("mode")?;
    let custody = match mode {
        None => None,
        Some("keychain") => Some(KeyCustody::Keychain),
        Some("memory") => Some(KeyCustody::Memory),
        Some(_) => Some(KeyCustody::Passphrase(WrappedKey {
            memory_kib: row.try_get("kdf_memory_kib")?,
            passes: row.try_get("kdf_passes")?,
            lanes: row.try_get("kdf_lanes")?,
            salt: row.try_get("kdf_salt")?,
            nonce: read_bytes(row, "wrap_nonce")?,
            ciphertext: row.try_get("wrapped_key")?,
        })),
    };
    let key = match custody {
        None => None,
        Some(custody) => Some(VaultKeyRow {
            fingerprint: read_bytes(row, "key")?,
            custody,
            created_at_us: row.try_get("created_at_us")?,
        }),
    };
    Ok(VaultRow { profile: read_bytes(row, "profile")?, key, secret_count: row.try_get("sealed")? })
}
