//! Encrypted secrets. `crates/vault` encrypts and decrypts them. This crate stores their bytes.

use crate::database::Database;
use mooring_base::clock::now_us;
use mooring_disk::StoreError;
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use std::sync::Arc;
use std::time::Duration;

/// A row of the table: an encrypted secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretRow {
    /// A random id, which is authenticated with the ciphertext.
    pub id: String,
    /// The kind of the secret, such as `token`.
    pub kind: String,
    /// The purpose of the encryption (authenticated data). Empty if an earlier version encrypted it.
    pub purpose: String,
    /// The version of the encryption.
    pub version: i64,
    /// The fingerprint of the key that it is encrypted with.
    pub key: [u8; 16],
    /// 24 random bytes.
    pub nonce: [u8; 24],
    /// The encrypted secret.
    pub ciphertext: Vec<u8>,
}

/// Facts about a secret that are known without decrypting it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretSummary {
    /// The random id.
    pub id: String,
    /// The kind of the secret, such as `token`.
    pub kind: String,
    /// The name that the person gave it. `None` if it belongs to the row that refers to it.
    pub label: Option<String>,
    /// When the secret was encrypted, in microseconds since the Unix epoch.
    pub at_us: i64,
    /// The servers that use it in variables or headers.
    pub servers: Vec<i64>,
}

/// The table of encrypted secrets. Every change is on disk when its method returns.
#[derive(Clone, Debug)]
pub struct Secrets(pub(crate) Arc<Database>);

/// A condition for secrets without a name that no row refers to.
const ORPHANED: &str = "label IS NULL
    AND NOT EXISTS (SELECT 1 FROM login WHERE secret_id = secret.id)
    AND NOT EXISTS (SELECT 1 FROM registration WHERE secret_id = secret.id)
    AND NOT EXISTS (SELECT 1 FROM server_secret WHERE secret_id = secret.id)
    AND NOT EXISTS (SELECT 1 FROM provider WHERE secret_id = secret.id)
    AND at_us < ?";

impl Secrets {
    /// The secret `id`.
    pub async fn get(&self, id: &str) -> Result<Option<SecretRow>, StoreError> {
        let row = sqlx::query("SELECT * FROM secret WHERE id = ?").bind(id);
        let row = row.fetch_optional(&self.0.lookups).await.map_err(|error| self.0.store_error(error))?;
        row.as_ref().map(from_row).transpose().map_err(|error| self.0.store_error(error))
    }

    /// The number of secrets.
    pub async fn count(&self) -> Result<i64, StoreError> {
        let count = sqlx::query_scalar("SELECT count(*) FROM secret");
        count.fetch_one(&self.0.lookups).await.map_err(|error| self.0.store_error(error))
    }

    /// Every secret with the servers that use it, oldest first.
    pub async fn list(&self) -> Result<Vec<SecretSummary>, StoreError> {
        const LIST: &str = "SELECT id, kind, label, at_us, (SELECT json_group_array(DISTINCT server_id)
            FROM server_secret WHERE secret_id = secret.id) AS servers FROM secret ORDER BY at_us, id";
        let rows = sqlx::query(LIST).fetch_all(&self.0.lookups).await;
        let uses = rows.and_then(|rows| rows.iter().map(summary_from_row).collect());
        uses.map_err(|error| self.0.store_error(error))
    }

    /// Saves a secret with a name that the person gave it. No other secret may have the name.
    pub async fn insert_named(&self, secret: &SecretRow, label: &str) -> Result<(), StoreError> {
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        insert_secret(&self.0, &mut tx, secret, Some(label)).await?;
        tx.commit().await.map_err(|error| self.0.store_error(error))
    }

    /// Replaces the content of the secret with the same id. Keeps its name and the references to it.
    pub async fn replace(&self, secret: &SecretRow) -> Result<(), StoreError> {
        const REPLACE: &str =
            "UPDATE secret SET kind = ?, purpose = ?, version = ?, key = ?, nonce = ?, ciphertext = ?, at_us = ?
            WHERE id = ? AND EXISTS (SELECT 1 FROM vault WHERE key = ?)";
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        let known: i64 = sqlx::query_scalar("SELECT count(*) FROM secret WHERE id = ?")
            .bind(&secret.id)
            .fetch_one(&mut *tx)
            .await
            .map_err(|error| self.0.store_error(error))?;
        if known == 0 {
            return Err(StoreError::NoSuchSecret { id: secret.id.clone() });
        }
        let statement = sqlx::query(REPLACE)
            .bind(&secret.kind)
            .bind(&secret.purpose)
            .bind(secret.version)
            .bind(secret.key.as_slice())
            .bind(secret.nonce.as_slice())
            .bind(&secret.ciphertext)
            .bind(now_us())
            .bind(&secret.id)
            .bind(secret.key.as_slice());
        let done = statement.execute(&mut *tx).await.map_err(|error| self.0.store_error(error))?;
        if done.rows_affected() == 0 {
            return Err(StoreError::WrongKey);
        }
        tx.commit().await.map_err(|error| self.0.store_error(error))
    }

    /// Removes a secret with a name. Variables and headers that used it have to be entered again.
    pub async fn remove_named(&self, id: &str) -> Result<(), StoreError> {
        const EMPTY: &str = "UPDATE server_secret SET secret_id = NULL WHERE secret_id = ?";
        const REMOVE: &str = "DELETE FROM secret WHERE id = ? AND label IS NOT NULL";
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        let emptied = sqlx::query(EMPTY).bind(id).execute(&mut *tx).await;
        emptied.map_err(|error| self.0.store_error(error))?;
        let removed = sqlx::query(REMOVE).bind(id).execute(&mut *tx).await;
        if removed.map_err(|error| self.0.store_error(error))?.rows_affected() == 0 {
            return Err(StoreError::NoSuchSecret { id: id.to_owned() });
        }
        tx.commit().await.map_err(|error| self.0.store_error(error))
    }

    /// The ids of secrets without a name that no row refers to, if they are older than `age`.
    pub async fn orphans(&self, age: Duration) -> Result<Vec<String>, StoreError> {
        let orphans = format!("SELECT id FROM secret WHERE {ORPHANED} ORDER BY id");
        let orphans = sqlx::query_scalar(sqlx::AssertSqlSafe(orphans)).bind(cutoff_us(age));
        orphans.fetch_all(&self.0.lookups).await.map_err(|error| self.0.store_error(error))
    }

    /// Removes the secrets that [`orphans`](Self::orphans) lists. Returns their number.
    pub async fn remove_orphans(&self, age: Duration) -> Result<u64, StoreError> {
        let _turn = self.0.lock_writes().await?;
        let remove = sqlx::AssertSqlSafe(format!("DELETE FROM secret WHERE {ORPHANED}"));
        let removed = sqlx::query(remove).bind(cutoff_us(age)).execute(&self.0.durable_writer).await;
        removed.map(|done| done.rows_affected()).map_err(|error| self.0.store_error(error))
    }
}

/// The time `age` before now, in microseconds since the Unix epoch.
pub(crate) fn cutoff_us(age: Duration) -> i64 {
    now_us().saturating_sub(i64::try_from(age.as_micros()).unwrap_or(i64::MAX))
}

/// Begins a transaction that writes, on the connection that commits to the disk itself.
pub(crate) async fn begin(
    database: &Database,
) -> Result<sqlx::Transaction<'static, sqlx::Sqlite>, StoreError> {
    database.durable_writer.begin_with("BEGIN IMMEDIATE").await.map_err(|error| database.store_error(error))
}

/// Inserts a secret, if it is encrypted with the active key.
pub(crate) async fn insert_secret(
    database: &Database,
    tx: &mut SqliteConnection,
    secret: &SecretRow,
    label: Option<&str>,
) -> Result<(), StoreError> {
    const INSERT: &str =
        "INSERT INTO secret (id, kind, purpose, version, key, nonce, ciphertext, label, at_us)
        SELECT ?, ?, ?, ?, key, ?, ?, ?, ? FROM vault WHERE key = ?";
    let statement = sqlx::query(INSERT)
        .bind(&secret.id)
        .bind(&secret.kind)
        .bind(&secret.purpose)
        .bind(secret.version)
        .bind(secret.nonce.as_slice())
        .bind(&secret.ciphertext)
        .bind(label)
        .bind(now_us())
        .bind(secret.key.as_slice());
    match statement.execute(tx).await {
        Ok(done) if done.rows_affected() == 0 => Err(StoreError::WrongKey),
        Ok(_) => Ok(()),
        Err(sqlx::Error::Database(error)) if label.is_some() && error.is_unique_violation() => {
            Err(StoreError::LabelTaken { label: label.unwrap_or_default().to_owned() })
        }
        Err(error) => Err(database.store_error(error)),
    }
}

pub(crate) fn from_row(row: &SqliteRow) -> Result<SecretRow, sqlx::Error> {
    Ok(SecretRow {
        id: row.try_get("id")?,
        kind: row.try_get("kind")?,
        purpose: row.try_get::<Option<String>, _>("purpose")?.unwrap_or_default(),
        version: row.try_get("version")?,
        key: read_bytes(row, "key")?,
        nonce: read_bytes(row, "nonce")?,
        ciphertext: row.try_get("ciphertext")?,
    })
}

/// Reads a column of exactly `N` bytes.
pub(crate) fn read_bytes<const N: usize>(row: &SqliteRow, column: &str) -> Result<[u8; N], sqlx::Error> {
    row.try_get::<&[u8], _>(column)?
        .try_into()
        .map_err(|error| sqlx::Error::ColumnDecode { index: column.to_owned(), source: Box::new(error) })
}

fn summary_from_row(row: &SqliteRow) -> Result<SecretSummary, sqlx::Error> {
    let servers = serde_json::from_str(row.try_get("servers")?).map_err(|error| {
        sqlx::Error::ColumnDecode { index: "servers".to_owned(), source: Box::new(error) }
    })?;
    Ok(SecretSummary {
        id: row.try_get("id")?,
        kind: row.try_get("kind")?,
        label: row.try_get("label")?,
        at_us: row.try_get("at_us")?,
        servers,
    })
}
