//! What servers listed last.

use std::sync::Arc;

use sqlx::FromRow;

use crate::database::Database;
use crate::error::StoreError;

/// The table of what servers listed last. A change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct RememberedLists(pub(crate) Arc<Database>);

/// One list of a server, or its capabilities.
#[derive(Clone, Debug, FromRow)]
pub struct RememberedRow {
    /// The member of a list's result, or `capabilities`.
    pub kind: String,
    /// JSON.
    pub value: String,
    /// Whether it was made of what was approved, and not read of the server.
    pub is_from_approvals: bool,
}

impl RememberedLists {
    /// What is remembered of a server.
    pub async fn get(&self, server_id: i64) -> Result<Vec<RememberedRow>, StoreError> {
        sqlx::query_as("SELECT kind, value, is_from_approvals FROM remembered_list WHERE server_id = ?")
            .bind(server_id)
            .fetch_all(&self.0.lookups)
            .await
            .map_err(|error| self.0.store_error(error))
    }

    /// Keeps what was read of a server, if it is still saved.
    pub async fn set(&self, server_id: i64, kind: &str, value: &str) -> Result<(), StoreError> {
        const KEEP: &str = "INSERT INTO remembered_list (server_id, kind, value)
            SELECT id, ?, ? FROM server WHERE id = ?
            ON CONFLICT (server_id, kind) DO UPDATE SET value = excluded.value, is_from_approvals = 0";
        self.0.execute(sqlx::query(KEEP).bind(kind).bind(value).bind(server_id)).await.map(drop)
    }
}
