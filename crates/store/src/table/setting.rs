//! Settings: JSON values under text keys.

use crate::database::Database;
use crate::error::StoreError;
use std::sync::Arc;

/// The settings table.
#[derive(Clone, Debug)]
pub struct Settings(pub(crate) Arc<Database>);

impl Settings {
    /// The JSON text under `key`, if anything was saved.
    pub async fn get(&self, key: &str) -> Result<Option<String>, StoreError> {
        sqlx::query_scalar("SELECT value FROM setting WHERE key = ?")
            .bind(key)
            .fetch_optional(&self.0.lookups)
            .await
            .map_err(|error| self.0.store_error(error))
    }

    /// Saves the JSON text `value` under `key`; on the disk when this returns.
    pub async fn set(&self, key: &str, value: &str) -> Result<(), StoreError> {
        let _turn = self.0.lock_writes().await?;
        sqlx::query(
            "INSERT INTO setting (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        )
        .bind(key)
        .bind(value)
        .execute(&self.0.durable_writer)
        .await
        .map_err(|error| self.0.store_error(error))?;
        Ok(())
    }
}
