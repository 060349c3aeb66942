//! The bundles that servers came from.

use std::sync::Arc;

use mooring_disk::StoreError;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::database::Database;
use crate::table::secret::begin;

/// The bundle of a server: the one in use, or the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerBundleRow {
    /// The server.
    pub server_id: i64,
    /// Whether the server uses it. Otherwise the server can go back to it.
    pub in_use: bool,
    /// The folder that it was unpacked to, below the folder of bundles, with `/` between its parts.
    pub folder: String,
    /// The SHA-256 of its file, in hexadecimal digits.
    pub sha256: String,
    /// What the host knows of it: a JSON object without secrets.
    pub facts: String,
}

/// The table of servers' bundles. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct ServerBundles(pub(crate) Arc<Database>);

impl ServerBundles {
    /// The bundles of all servers, also of those that were removed and can be restored. By server, the one in use
    /// last.
    pub async fn list(&self) -> Result<Vec<ServerBundleRow>, StoreError> {
        const ALL: &str = "SELECT * FROM server_bundle ORDER BY server_id, in_use";
        let rows = sqlx::query(ALL).fetch_all(&self.0.lookups).await;
        rows.and_then(|rows| rows.iter().map(from_row).collect()).map_err(|error| self.0.store_error(error))
    }

    /// Replaces the bundles of a server.
    pub async fn replace(&self, server_id: i64, rows: &[ServerBundleRow]) -> Result<(), StoreError> {
        const DELETE: &str = "DELETE FROM server_bundle WHERE server_id = ?";
        const INSERT: &str =
            "INSERT INTO server_bundle (server_id, in_use, folder, sha256, facts) VALUES (?, ?, ?, ?, ?)";
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        sqlx::query(DELETE).bind(server_id).execute(&mut *tx).await.map_err(fault)?;
        for row in rows {
            let insert = sqlx::query(INSERT).bind(server_id).bind(row.in_use).bind(&row.folder);
            insert.bind(&row.sha256).bind(&row.facts).execute(&mut *tx).await.map_err(fault)?;
        }
        tx.commit().await.map_err(fault)
    }
}

fn from_row(row: &SqliteRow) -> Result<ServerBundleRow, sqlx::Error> {
    Ok(ServerBundleRow {
        server_id: row.try_get("server_id")?,
        in_use: row.try_get("in_use")?,
        folder: row.try_get("folder")?,
        sha256: row.try_get("sha256")?,
        facts: row.try_get("facts")?,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn bundles_of_a_server_go_with_it_for_good() {
        let home = tempfile::tempdir().unwrap();
        let store = crate::Store::open(home.path()).await.unwrap();
        let (servers, bundles) = (store.servers(), store.server_bundles());
        let server_id = servers.insert("s", "{}", &|_| Ok(Vec::new()), None).await.unwrap().id;
        let row = |in_use, version: &str| ServerBundleRow {
            server_id,
            in_use,
            folder: format!("tide/{version}"),
            sha256: "0".repeat(64),
            facts: "{}".to_owned(),
        };
        bundles.replace(server_id, &[row(true, "1")]).await.unwrap();
        bundles.replace(server_id, &[row(true, "2"), row(false, "1")]).await.unwrap();
        servers.remove(server_id).await.unwrap();
        assert_eq!(bundles.list().await.unwrap(), [row(false, "1"), row(true, "2")]);
        servers.purge_removed(Duration::ZERO).await.unwrap();
        assert_eq!(bundles.list().await.unwrap(), []);
    }
}
