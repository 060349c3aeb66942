//! What servers listed last.

use std::sync::Arc;

use crate::database::Database;
use crate::error::StoreError;

/// The table of what servers listed last. A change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct RememberedLists(pub(crate) Arc<Database>);

impl RememberedLists {
    /// The lists of a server: of each its kind, and a JSON array.
    pub async fn get(&self, server_id: i64) -> Result<Vec<(String, String)>, StoreError> {
        sqlx::query_as("SELECT kind, list FROM remembered_list WHERE server_id = ?")
            .bind(server_id)
            .fetch_all(&self.0.lookups)
            .await
            .map_err(|error| self.0.store_error(error))
    }

    /// Keeps a list of a server, if it is still saved.
    pub async fn set(&self, server_id: i64, kind: &str, list: &str) -> Result<(), StoreError> {
        const KEEP: &str = "INSERT INTO remembered_list (server_id, kind, list)
            SELECT id, ?, ? FROM server WHERE id = ?
            ON CONFLICT (server_id, kind) DO UPDATE SET list = excluded.list";
        self.0.execute(sqlx::query(KEEP).bind(kind).bind(list).bind(server_id)).await.map(drop)
    }
}
