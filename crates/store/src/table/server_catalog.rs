//! The registry's entries that servers came from.

use std::sync::Arc;

use mooring_disk::StoreError;
use sqlx::FromRow;

use crate::database::Database;

/// The entry that a server came from.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ServerCatalogRow {
    /// The server.
    pub server_id: i64,
    /// The registry's URL.
    pub base: String,
    /// The entry's name.
    pub name: String,
    /// The version that the server was saved or updated from.
    pub version: String,
    /// What else the host knows: a JSON object without secrets.
    pub facts: String,
}

/// The table of servers' entries. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct ServerCatalog(pub(crate) Arc<Database>);

impl ServerCatalog {
    /// The entries of the servers that aren't removed, by server.
    pub async fn list(&self) -> Result<Vec<ServerCatalogRow>, StoreError> {
        const ALL: &str = "SELECT server_id, base, server_catalog.name, version, facts FROM server_catalog
            JOIN server ON server.id = server_id WHERE removed_at_us IS NULL ORDER BY server_id";
        let rows = sqlx::query_as(ALL).fetch_all(&self.0.lookups).await;
        rows.map_err(|error| self.0.store_error(error))
    }

    /// The entry of a server.
    pub async fn get(&self, server_id: i64) -> Result<Option<ServerCatalogRow>, StoreError> {
        const ONE: &str = "SELECT * FROM server_catalog WHERE server_id = ?";
        let row = sqlx::query_as(ONE).bind(server_id).fetch_optional(&self.0.lookups).await;
        row.map_err(|error| self.0.store_error(error))
    }

    /// Remembers the entry of a server, if the server is still saved.
    pub async fn set(&self, row: &ServerCatalogRow) -> Result<(), StoreError> {
        const SET: &str = "INSERT INTO server_catalog (server_id, base, name, version, facts)
            SELECT id, ?, ?, ?, ? FROM server WHERE id = ?
            ON CONFLICT (server_id) DO UPDATE SET base = excluded.base, name = excluded.name,
            version = excluded.version, facts = excluded.facts";
        let ServerCatalogRow { server_id, base, name, version, facts } = row;
        let set = sqlx::query(SET).bind(base).bind(name).bind(version).bind(facts).bind(server_id);
        self.0.execute(set).await.map(drop)
    }
}
