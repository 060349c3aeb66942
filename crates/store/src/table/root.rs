//! Folders that are shared with servers, and which servers get the folders that are shared with all.

use std::sync::Arc;

use mooring_disk::StoreError;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::database::Database;
use mooring_base::clock::now_us;

/// A shared folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootRow {
    /// The root's id.
    pub id: i64,
    /// The server that the folder is shared with. `None` if it is shared with every server that gets the
    /// common folders.
    pub server_id: Option<i64>,
    /// The real path at the time of sharing, with symbolic links resolved.
    pub path: String,
    /// The name that is sent with the root. `None` if the folder's own name is sent.
    pub name: Option<String>,
    /// Whether the folder contains much more than a project. The person has confirmed such a folder a second
    /// time.
    pub wide: bool,
    /// When the folder was shared, in microseconds since the Unix epoch.
    pub granted_at_us: i64,
}

/// The tables of shared folders. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct Roots(pub(crate) Arc<Database>);

impl Roots {
    /// All shared folders, in the order of sharing.
    pub async fn list(&self) -> Result<Vec<RootRow>, StoreError> {
        const ALL: &str = "SELECT * FROM root WHERE removed_at_us IS NULL ORDER BY id";
        self.fetch_rows(sqlx::query(ALL)).await
    }

    /// The folders that are shared with this server, and those that are shared with all.
    pub async fn list_for_server(&self, server_id: i64) -> Result<Vec<RootRow>, StoreError> {
        const OF: &str = "SELECT * FROM root WHERE removed_at_us IS NULL
            AND (server_id = ? OR server_id IS NULL) ORDER BY server_id IS NULL, id";
        self.fetch_rows(sqlx::query(OF).bind(server_id)).await
    }

    /// Saves that a server asks for roots.
    pub async fn set_asked(&self, server_id: i64) -> Result<(), StoreError> {
        const ASKED: &str = "UPDATE server SET asks_for_roots = 1 WHERE id = ? AND asks_for_roots = 0";
        self.0.execute(sqlx::query(ASKED).bind(server_id)).await.map(drop)
    }

    async fn fetch_rows(
        &self,
        query: sqlx::query::Query<'_, sqlx::Sqlite, sqlx::sqlite::SqliteArguments>,
    ) -> Result<Vec<RootRow>, StoreError> {
        let rows = query.fetch_all(&self.0.lookups).await;
        rows.and_then(|rows| rows.iter().map(from_row).collect()).map_err(|error| self.0.store_error(error))
    }

    /// Shares a folder. If it is shared already, it gets the new name.
    pub async fn grant(
        &self,
        server_id: Option<i64>,
        path: &str,
        name: Option<&str>,
        wide: bool,
    ) -> Result<RootRow, StoreError> {
        const GRANT: &str =
            "INSERT INTO root (server_id, path, name, wide, granted_at_us) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (coalesce(server_id, 0), path) WHERE removed_at_us IS NULL
            DO UPDATE SET name = excluded.name, wide = excluded.wide RETURNING *";
        let query = sqlx::query(GRANT).bind(server_id).bind(path).bind(name).bind(wide).bind(now_us());
        let row = self.fetch_root(query).await?;
        row.ok_or_else(|| self.0.store_error(sqlx::Error::RowNotFound))
    }

    /// Renames a shared folder. `None` if it is not shared.
    pub async fn rename(&self, id: i64, name: Option<&str>) -> Result<Option<RootRow>, StoreError> {
        const RENAME: &str = "UPDATE root SET name = ? WHERE id = ? AND removed_at_us IS NULL RETURNING *";
        self.fetch_root(sqlx::query(RENAME).bind(name).bind(id)).await
    }

    /// Stops sharing a folder. `None` if it is not shared.
    pub async fn remove(&self, id: i64) -> Result<Option<RootRow>, StoreError> {
        const REMOVE: &str =
            "UPDATE root SET removed_at_us = ? WHERE id = ? AND removed_at_us IS NULL RETURNING *";
        self.fetch_root(sqlx::query(REMOVE).bind(now_us()).bind(id)).await
    }

    /// Shares a removed folder again. `None` if it was never shared, or is shared already.
    pub async fn restore(&self, id: i64) -> Result<Option<RootRow>, StoreError> {
        const RESTORE: &str = "UPDATE OR IGNORE root SET removed_at_us = NULL WHERE id = ? AND removed_at_us IS NOT NULL RETURNING *";
        self.fetch_root(sqlx::query(RESTORE).bind(id)).await
    }

    async fn fetch_root(
        &self,
        query: sqlx::query::Query<'_, sqlx::Sqlite, sqlx::sqlite::SqliteArguments>,
    ) -> Result<Option<RootRow>, StoreError> {
        let _turn = self.0.lock_writes().await?;
        // Fetches all rows, because an error may come last.
        let rows = query.fetch_all(&self.0.durable_writer).await;
        rows.and_then(|rows| rows.first().map(from_row).transpose())
            .map_err(|error| self.0.store_error(error))
    }

    /// Whether the common folders are shared with this server. `None` if that is not decided.
    pub async fn is_sharing_common(&self, server_id: i64) -> Result<Option<bool>, StoreError> {
        let shared = sqlx::query_scalar("SELECT shared FROM root_share WHERE server_id = ?").bind(server_id);
        shared.fetch_optional(&self.0.lookups).await.map_err(|error| self.0.store_error(error))
    }

    /// Every server for which this is decided, and the decision.
    pub async fn list_sharing(&self) -> Result<Vec<(i64, bool)>, StoreError> {
        let shares = sqlx::query_as("SELECT server_id, shared FROM root_share ORDER BY server_id");
        shares.fetch_all(&self.0.lookups).await.map_err(|error| self.0.store_error(error))
    }

    /// When this was decided for a server, in microseconds since the Unix epoch. The time identifies the
    /// decision.
    pub async fn sharing_decided_at(&self, server_id: i64) -> Result<Option<i64>, StoreError> {
        let decided =
            sqlx::query_scalar("SELECT decided_at_us FROM root_share WHERE server_id = ?").bind(server_id);
        decided.fetch_optional(&self.0.lookups).await.map_err(|error| self.0.store_error(error))
    }

    /// Saves whether the common folders are shared with the server. Returns the time of the decision in
    /// microseconds since the Unix epoch, which identifies it. Fails if there is no such server.
    pub async fn set_sharing(&self, server_id: i64, shared: bool) -> Result<i64, StoreError> {
        const SHARE: &str = "INSERT INTO root_share (server_id, shared, decided_at_us)
            SELECT id, ?, ? FROM server WHERE id = ?
            ON CONFLICT DO UPDATE SET shared = excluded.shared, decided_at_us = excluded.decided_at_us";
        let now = now_us();
        match self.0.execute(sqlx::query(SHARE).bind(shared).bind(now).bind(server_id)).await? {
            0 => Err(StoreError::NoSuchServer { id: server_id }),
            _ => Ok(now),
        }
    }

    /// Removes the decision made at `decided`, unless there is a newer one.
    pub async fn clear_sharing(&self, server_id: i64, decided: i64) -> Result<(), StoreError> {
        const UNSHARE: &str = "DELETE FROM root_share WHERE server_id = ? AND decided_at_us = ?";
        self.0.execute(sqlx::query(UNSHARE).bind(server_id).bind(decided)).await.map(drop)
    }
}

fn from_row(row: &SqliteRow) -> Result<RootRow, sqlx::Error> {
    Ok(RootRow {
        id: row.try_get("id")?,
        server_id: row.try_get("server_id")?,
        path: row.try_get("path")?,
        name: row.try_get("name")?,
        wide: row.try_get("wide")?,
        granted_at_us: row.try_get("granted_at_us")?,
    })
}
