//! Tokens of apps that connect over HTTP, as hashes.

use std::sync::Arc;

use mooring_base::clock::now_us;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::database::Database;
use crate::error::StoreError;

/// How exactly the last use is kept, in microseconds.
const USE_INTERVAL_US: i64 = 60_000_000;

/// What is kept of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppTokenRow {
    /// The app's name.
    pub app: String,
    /// When it was made, in microseconds since the Unix epoch.
    pub created_at_us: i64,
    /// When it was last used, within a minute.
    pub used_at_us: Option<i64>,
}

/// The table of tokens. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct AppTokens(pub(crate) Arc<Database>);

impl AppTokens {
    /// Keeps the hash of an app's new token. The one that it had counts no longer.
    pub async fn set(&self, app: &str, hash: &str) -> Result<(), StoreError> {
        const SET: &str = "INSERT INTO app_token (app, hash, created_at_us) VALUES (?, ?, ?)
            ON CONFLICT (app) DO UPDATE
            SET hash = excluded.hash, created_at_us = excluded.created_at_us, used_at_us = NULL";
        let _turn = self.0.lock_writes().await?;
        let done = sqlx::query(SET).bind(app).bind(hash).bind(now_us()).execute(&self.0.durable_writer).await;
        done.map(drop).map_err(|error| self.0.store_error(error))
    }

    /// Takes an app's token away; false where it has none.
    pub async fn remove(&self, app: &str) -> Result<bool, StoreError> {
        let _turn = self.0.lock_writes().await?;
        let done = sqlx::query("DELETE FROM app_token WHERE app = ?")
            .bind(app)
            .execute(&self.0.durable_writer)
            .await;
        done.map(|done| done.rows_affected() > 0).map_err(|error| self.0.store_error(error))
    }

    /// The app whose token has this hash.
    pub async fn find(&self, hash: &str) -> Result<Option<AppTokenRow>, StoreError> {
        const FIND: &str = "SELECT * FROM app_token WHERE hash = ?";
        const USED: &str = "UPDATE app_token SET used_at_us = ? WHERE hash = ?";
        let fault = |error| self.0.store_error(error);
        let row = sqlx::query(FIND).bind(hash).fetch_optional(&self.0.lookups).await.map_err(fault)?;
        let Some(row) = row.as_ref().map(from_row) else { return Ok(None) };
        let now = now_us();
        if row.used_at_us.is_none_or(|used| now - used > USE_INTERVAL_US) {
            let _turn = self.0.lock_writes().await?;
            sqlx::query(USED).bind(now).bind(hash).execute(&self.0.durable_writer).await.map_err(fault)?;
        }
        Ok(Some(row))
    }

    /// Every token, by app.
    pub async fn list(&self) -> Result<Vec<AppTokenRow>, StoreError> {
        let rows = sqlx::query("SELECT * FROM app_token ORDER BY app").fetch_all(&self.0.lookups).await;
        rows.map(|rows| rows.iter().map(from_row).collect()).map_err(|error| self.0.store_error(error))
    }
}

fn from_row(row: &SqliteRow) -> AppTokenRow {
    AppTokenRow {
        app: row.get("app"),
        created_at_us: row.get("created_at_us"),
        used_at_us: row.get("used_at_us"),
    }
}
