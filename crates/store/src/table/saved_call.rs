//! Saved calls with their arguments, and favourites, which are rows without a name.

use std::sync::Arc;

use mooring_base::clock::now_us;
use mooring_disk::StoreError;
use mooring_log::ItemKind;
use serde::{Deserialize, Serialize};
use sqlx::Row;
use sqlx::query::Query;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqliteRow};
use ts_rs::TS;

use crate::database::Database;

/// A call or a favourite to save.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NewSavedCall {
    /// The saved server.
    pub server_id: i64,
    /// The kind of the item.
    pub kind: ItemKind,
    /// The item's name, URI or URI template.
    pub item: String,
    /// The name that the person gave the call. `None` if this is a favourite.
    pub name: Option<String>,
    /// The arguments, as the text of a JSON object.
    pub arguments: String,
}

/// A saved call or a favourite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SavedCall {
    /// Unique. A removed call's id is not used again.
    pub id: i64,
    /// The saved server.
    pub server_id: i64,
    /// The kind of the item.
    pub kind: ItemKind,
    /// The item's name, URI or URI template.
    pub item: String,
    /// The name that the person gave the call. `None` if this is a favourite.
    pub name: Option<String>,
    /// The arguments, as the text of a JSON object, without values that looked like secrets.
    pub arguments: String,
    /// The paths of the values that looked like secrets and were not saved.
    pub withheld: Vec<String>,
}

/// The table of saved calls. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct SavedCalls(pub(crate) Arc<Database>);

impl SavedCalls {
    /// Every saved call and favourite of servers that weren't removed, in the order of saving.
    pub async fn list(&self) -> Result<Vec<SavedCall>, StoreError> {
        const ALL: &str = "SELECT saved_call.* FROM saved_call JOIN server ON server.id = server_id
            WHERE saved_call.removed_at_us IS NULL AND server.removed_at_us IS NULL ORDER BY saved_call.id";
        let rows = sqlx::query(ALL).fetch_all(&self.0.lookups).await;
        rows.and_then(|rows| rows.iter().map(from_row).collect()).map_err(|error| self.0.store_error(error))
    }

    /// Saves a call or a favourite. `withheld` has the paths of the values that were left out of its
    /// arguments. Replaces the saved call of the same item and name.
    pub async fn save(&self, call: &NewSavedCall, withheld: &[String]) -> Result<SavedCall, StoreError> {
        const SAVE: &str =
            "INSERT INTO saved_call (server_id, kind, item, name, arguments, withheld, saved_at_us)
            SELECT id, ?, ?, ?, ?, ?, ? FROM server WHERE id = ? AND removed_at_us IS NULL
            ON CONFLICT (server_id, kind, item, coalesce(name, '')) WHERE removed_at_us IS NULL
            DO UPDATE SET arguments = excluded.arguments, withheld = excluded.withheld RETURNING *";
        let query = sqlx::query(SAVE).bind(call.kind.as_str()).bind(&call.item).bind(&call.name);
        let query = query.bind(&call.arguments).bind(serde_json::json!(withheld).to_string()).bind(now_us());
        let saved = self.fetch_call(query.bind(call.server_id)).await?;
        saved.ok_or(StoreError::NoSuchServer { id: call.server_id })
    }

    /// Renames a saved call. `None` if it does not exist. [`StoreError::NameTaken`] if the item has another
    /// saved call of this name.
    pub async fn rename(&self, id: i64, name: &str) -> Result<Option<SavedCall>, StoreError> {
        const RENAME: &str = "UPDATE saved_call SET name = ? WHERE id = ? AND name IS NOT NULL AND removed_at_us IS NULL RETURNING *";
        match self.fetch_call(sqlx::query(RENAME).bind(name).bind(id)).await {
            Err(StoreError::Sql(sqlx::Error::Database(error))) if error.is_unique_violation() => {
                Err(StoreError::NameTaken { name: name.to_owned() })
            }
            renamed => renamed,
        }
    }

    /// Removes a saved call or a favourite. `None` if it does not exist.
    pub async fn remove(&self, id: i64) -> Result<Option<SavedCall>, StoreError> {
        const REMOVE: &str =
            "UPDATE saved_call SET removed_at_us = ? WHERE id = ? AND removed_at_us IS NULL RETURNING *";
        self.fetch_call(sqlx::query(REMOVE).bind(now_us()).bind(id)).await
    }

    /// Restores a removed call or favourite. `None` if it never existed, or if another one now has its name.
    pub async fn restore(&self, id: i64) -> Result<Option<SavedCall>, StoreError> {
        const RESTORE: &str = "UPDATE OR IGNORE saved_call SET removed_at_us = NULL WHERE id = ? AND removed_at_us IS NOT NULL RETURNING *";
        self.fetch_call(sqlx::query(RESTORE).bind(id)).await
    }

    async fn fetch_call(
        &self,
        query: Query<'_, Sqlite, SqliteArguments>,
    ) -> Result<Option<SavedCall>, StoreError> {
        let _turn = self.0.lock_writes().await?;
        // Fetches all rows, because an error may come last.
        let rows = query.fetch_all(&self.0.durable_writer).await;
        rows.and_then(|rows| rows.first().map(from_row).transpose())
            .map_err(|error| self.0.store_error(error))
    }
}

fn from_row(row: &SqliteRow) -> Result<SavedCall, sqlx::Error> {
    let decode = |column: &str, source: Box<dyn std::error::Error + Send + Sync>| sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source,
    };
    let kind: &str = row.try_get("kind")?;
    Ok(SavedCall {
        id: row.try_get("id")?,
        server_id: row.try_get("server_id")?,
        kind: ItemKind::from_name(kind)
            .ok_or_else(|| decode("kind", format!("unknown kind: {kind}").into()))?,
        item: row.try_get("item")?,
        name: row.try_get("name")?,
        arguments: row.try_get("arguments")?,
        withheld: serde_json::from_str(row.try_get("withheld")?)
            .map_err(|error| decode("withheld", error.into()))?,
    })
}
