//! Settings: JSON under text keys. Those that decide where secrets go are authenticated by the vault's key.

use super::integrity;
use crate::database::Database;
use crate::table::secret::begin;
use mooring_base::integrity::{DocumentState, EntryChange, SETTINGS_SCOPE};
use mooring_disk::StoreError;
use sqlx::sqlite::SqliteConnection;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The settings table.
#[derive(Clone, Debug)]
pub struct Settings(pub(crate) Arc<Database>);

/// The authenticated settings, which decide where secrets are sent. Each is JSON under its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VouchedSettings {
    /// There is no key, and nothing is encrypted. The table is trusted.
    NoKey,
    /// The key is not in memory. Contains the settings that this process has saved meanwhile.
    Locked(BTreeMap<String, String>),
    /// The key is in memory, but there is no valid document.
    Missing,
    /// The settings as Mooring wrote them.
    Written(BTreeMap<String, String>),
}

impl Settings {
    /// The JSON text under `key`. `None` if nothing was saved.
    pub async fn get(&self, key: &str) -> Result<Option<String>, StoreError> {
        let value = sqlx::query_scalar("SELECT value FROM setting WHERE key = ?").bind(key);
        value.fetch_optional(&self.0.lookups).await.map_err(|error| self.0.store_error(error))
    }

    /// Saves the JSON text `value` under `key`. The change is on the disk when this returns.
    pub async fn set(&self, key: &str, value: &str) -> Result<(), StoreError> {
        self.set_vouched(key, value, Vec::new()).await
    }

    /// Saves `value` under `key` if `before` is there. Returns whether it was.
    pub async fn replace(&self, key: &str, before: Option<&str>, value: &str) -> Result<bool, StoreError> {
        const REPLACE: &str = "INSERT INTO setting (key, value) SELECT ?1, ?2 WHERE ?3 IS (SELECT value
            FROM setting WHERE key = ?1) ON CONFLICT DO UPDATE SET value = excluded.value";
        Ok(self.0.execute(sqlx::query(REPLACE).bind(key).bind(value).bind(before)).await? > 0)
    }

    /// Saves the JSON text `value` under `key`, and authenticates settings with the vault's key. These are
    /// JSON under their names.
    pub async fn set_vouched(
        &self,
        key: &str,
        value: &str,
        vouched: Vec<(String, String)>,
    ) -> Result<(), StoreError> {
        const SET: &str =
            "INSERT INTO setting (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value";
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        sqlx::query(SET).bind(key).bind(value).execute(&mut *tx).await.map_err(fault)?;
        if !vouched.is_empty() {
            let changes = vouched.into_iter().map(|(name, value)| (name, EntryChange::Set(value)));
            integrity::record_changes(&self.0, &mut tx, SETTINGS_SCOPE, changes.collect()).await?;
        }
        tx.commit().await.map_err(fault)
    }

    /// The settings that the vault's key authenticates.
    pub async fn vouched(&self) -> Result<VouchedSettings, StoreError> {
        let mut tx = self.0.lookups.begin().await.map_err(|error| self.0.store_error(error))?;
        Ok(match integrity::read_document(&self.0, &mut tx, SETTINGS_SCOPE).await? {
            DocumentState::Verified(document) => VouchedSettings::Written(document.entries),
            DocumentState::Missing => VouchedSettings::Missing,
            DocumentState::Unchecked if integrity::read_active_key(&self.0, &mut tx).await?.is_none() => {
                VouchedSettings::NoKey
            }
            DocumentState::Unchecked => {
                let pending = self.0.integrity.pending();
                let ours = pending.iter().filter(|((scope, _), _)| scope == SETTINGS_SCOPE);
                let set = ours.filter_map(|((_, name), change)| match change {
                    EntryChange::Set(value) => Some((name.clone(), value.clone())),
                    EntryChange::Seen(_) | EntryChange::Remove => None,
                });
                VouchedSettings::Locked(set.collect())
            }
        })
    }
}

/// The settings in the table that the integrity document is to contain.
pub(crate) async fn read_document_entries(
    tx: &mut SqliteConnection,
) -> Result<BTreeMap<String, String>, sqlx::Error> {
    const ROWS: &str = "SELECT member.key, setting.value -> member.fullkey FROM setting,
        json_each(CASE WHEN json_valid(setting.value) THEN setting.value ELSE '{}' END) AS member
        WHERE setting.key = 'settings' AND member.key IN ('proxy', 'clientDocument', 'appsPort')
        UNION ALL SELECT key, value FROM setting WHERE key = 'certificates'";
    let rows: Vec<(String, String)> = sqlx::query_as(ROWS).fetch_all(tx).await?;
    Ok(rows.into_iter().collect())
}
