//! Saved servers.

use super::integrity;
use crate::database::Database;
use crate::table::server_secret::{self, NewServerSecret, ServerSecretRow};
use crate::table::{pin, secret};
use mooring_base::clock::now_us;
use mooring_base::integrity::{EntryChange, SAVED_ENTRY, server_scope};
use mooring_disk::StoreError;
use sqlx::Row;
use sqlx::query::Query;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqliteConnection, SqliteRow};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A saved server.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerRow {
    /// Never given twice.
    pub id: i64,
    /// The name, unique among the servers that are not removed.
    pub name: String,
    /// How it is started or reached, and how it is spoken to: a JSON object, written and read by the crate `definitions`.
    pub definition: String,
    /// Whether it starts with the window; false: stopped by the person.
    pub enabled: bool,
    /// Whether icons that it names by URL are loaded.
    pub loads_icons: bool,
    /// For whom it gets an instance: `automatic`, `shared`, `per_app` or `per_roots`.
    pub instances: String,
    /// Whether it has ever asked for folders.
    pub asks_for_roots: bool,
    /// Whether it has ever asked something during a call of an app, without saying of which call.
    pub asks_apps: bool,
    /// Its variables and headers with encrypted values, by place and name.
    pub secrets: Vec<ServerSecretRow>,
    /// When it was added, in microseconds since the Unix epoch.
    pub created_at_us: i64,
    /// When it was changed last, in microseconds since the Unix epoch.
    pub updated_at_us: i64,
}

impl fmt::Debug for ServerRow {
    /// Leaves out the definition, which may have secrets in its values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerRow")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("enabled", &self.enabled)
            .finish_non_exhaustive()
    }
}

/// The table of saved servers. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct Servers(pub(crate) Arc<Database>);

/// Encrypts a server's secrets for the id that its row got.
pub type SecretEncryptor<'a> = dyn Fn(i64) -> Result<Vec<NewServerSecret>, StoreError> + Send + Sync + 'a;

/// Further writes in the transaction that saves a server.
#[derive(Default)]
struct RelatedWrites<'a> {
    /// The encrypted values.
    secrets: Option<&'a SecretEncryptor<'a>>,
    /// The server and its new definition: a login is only valid for the URL in it (AUTH-41).
    moved: Option<(i64, &'a str)>,
    /// The hash by which it is known as the person's word.
    edit: Option<&'a str>,
}

impl Servers {
    /// Every server that is not removed, in the order in which they were added.
    pub async fn list(&self) -> Result<Vec<ServerRow>, StoreError> {
        self.list_where("removed_at_us IS NULL").await
    }

    /// Every server, also those that were removed and can be restored, in the order in which they were added.
    pub async fn list_with_removed(&self) -> Result<Vec<ServerRow>, StoreError> {
        self.list_where("true").await
    }

    async fn list_where(&self, condition: &str) -> Result<Vec<ServerRow>, StoreError> {
        let list = select(&format!("{condition} ORDER BY id"));
        let rows = sqlx::query(sqlx::AssertSqlSafe(list)).fetch_all(&self.0.lookups).await;
        let rows = rows.and_then(|rows| rows.iter().map(from_row).collect());
        rows.map_err(|error| self.0.store_error(error))
    }

    /// The server `id`, unless it is removed or never was.
    pub async fn get(&self, id: i64) -> Result<Option<ServerRow>, StoreError> {
        let get = select("id = ? AND removed_at_us IS NULL");
        let row = sqlx::query(sqlx::AssertSqlSafe(get)).bind(id).fetch_optional(&self.0.lookups).await;
        row.and_then(|row| row.as_ref().map(from_row).transpose()).map_err(|error| self.0.store_error(error))
    }

    /// Adds an enabled server with its encrypted values and, if the person saves it, the hash that records
    /// this ([`Pins::saved_hash`](crate::Pins::saved_hash)): all or nothing.
    pub async fn insert(
        &self,
        name: &str,
        definition: &str,
        secrets: &SecretEncryptor<'_>,
        edit: Option<&str>,
    ) -> Result<ServerRow, StoreError> {
        const INSERT: &str = "INSERT INTO server (name, definition, updated_at_us, created_at_us)
            VALUES (?, ?, ?, ?) RETURNING id";
        let now = now_us();
        let statement = sqlx::query(INSERT).bind(name).bind(definition).bind(now).bind(now);
        let beside = RelatedWrites { secrets: Some(secrets), moved: None, edit };
        self.write(statement, name, &beside).await?.ok_or(StoreError::NoSuchServer { id: 0 })
    }

    /// Replaces the definition of the server `id`, and its encrypted values: those without a new value keep
    /// the current one, and those that are not in `secrets` are removed. With another URL it uses no login.
    /// `edit` is like in [`insert`](Self::insert). All or nothing. The server stays enabled or disabled.
    pub async fn update(
        &self,
        id: i64,
        name: &str,
        definition: &str,
        secrets: &SecretEncryptor<'_>,
        edit: Option<&str>,
    ) -> Result<ServerRow, StoreError> {
        const UPDATE: &str = "UPDATE server SET name = ?, definition = ?, updated_at_us = ?
            WHERE id = ? AND removed_at_us IS NULL RETURNING id";
        let statement = sqlx::query(UPDATE).bind(name).bind(definition).bind(now_us()).bind(id);
        let beside = RelatedWrites { secrets: Some(secrets), moved: Some((id, definition)), edit };
        self.write(statement, name, &beside).await?.ok_or(StoreError::NoSuchServer { id })
    }

    /// Sets whether the server `id` starts with the window.
    pub async fn set_enabled(&self, id: i64, enabled: bool) -> Result<ServerRow, StoreError> {
        const ENABLE: &str =
            "UPDATE server SET enabled = ? WHERE id = ? AND removed_at_us IS NULL RETURNING id";
        self.write(sqlx::query(ENABLE).bind(enabled).bind(id), "", &RelatedWrites::default())
            .await?
            .ok_or(StoreError::NoSuchServer { id })
    }

    /// Sets whether icons that the server `id` names by URL are loaded. A new URL of the server resets this.
    pub async fn set_loads_icons(&self, id: i64, loads: bool) -> Result<ServerRow, StoreError> {
        const LOAD: &str =
            "UPDATE server SET loads_icons = ? WHERE id = ? AND removed_at_us IS NULL RETURNING id";
        self.write(sqlx::query(LOAD).bind(loads).bind(id), "", &RelatedWrites::default())
            .await?
            .ok_or(StoreError::NoSuchServer { id })
    }

    /// Sets for whom the server `id` gets an instance.
    pub async fn set_instances(&self, id: i64, instances: &str) -> Result<ServerRow, StoreError> {
        const SET: &str =
            "UPDATE server SET instances = ? WHERE id = ? AND removed_at_us IS NULL RETURNING id";
        self.write(sqlx::query(SET).bind(instances).bind(id), "", &RelatedWrites::default())
            .await?
            .ok_or(StoreError::NoSuchServer { id })
    }

    /// Notes that the server `id` asks during calls of apps, without saying of which call.
    pub async fn set_asks_apps(&self, id: i64) -> Result<(), StoreError> {
        const SET: &str = "UPDATE server SET asks_apps = 1 WHERE id = ? AND asks_apps = 0";
        self.0.execute(sqlx::query(SET).bind(id)).await.map(drop)
    }

    /// Removes the server `id`. [`restore`](Self::restore) undoes it.
    pub async fn remove(&self, id: i64) -> Result<(), StoreError> {
        const REMOVE: &str =
            "UPDATE server SET removed_at_us = ? WHERE id = ? AND removed_at_us IS NULL RETURNING id";
        self.write(sqlx::query(REMOVE).bind(now_us()).bind(id), "", &RelatedWrites::default())
            .await?
            .map(|_| ())
            .ok_or(StoreError::NoSuchServer { id })
    }

    /// Restores the removed server `id` with its encrypted values. Fails if another server has its name now.
    pub async fn restore(&self, id: i64) -> Result<ServerRow, StoreError> {
        const NAME: &str = "SELECT name FROM server WHERE id = ? AND removed_at_us IS NOT NULL";
        const RESTORE: &str =
            "UPDATE server SET removed_at_us = NULL WHERE id = ? AND removed_at_us IS NOT NULL RETURNING id";
        let name: Option<String> = sqlx::query_scalar(NAME)
            .bind(id)
            .fetch_optional(&self.0.lookups)
            .await
            .map_err(|error| self.0.store_error(error))?;
        let name = name.ok_or(StoreError::NoSuchServer { id })?;
        self.write(sqlx::query(RESTORE).bind(id), &name, &RelatedWrites::default())
            .await?
            .ok_or(StoreError::NoSuchServer { id })
    }

    /// Deletes for good the servers that were removed at least `age` ago; returns how many.
    pub async fn purge_removed(&self, age: Duration) -> Result<u64, StoreError> {
        let _turn = self.0.lock_writes().await?;
        sqlx::query("DELETE FROM server WHERE removed_at_us <= ?")
            .bind(secret::cutoff_us(age))
            .execute(&self.0.durable_writer)
            .await
            .map(|done| done.rows_affected())
            .map_err(|error| self.0.store_error(error))
    }

    /// Runs a statement that returns the changed row's id, and what goes with it; `name` is the name that the statement
    /// gives to it.
    async fn write(
        &self,
        statement: Query<'_, Sqlite, SqliteArguments>,
        name: &str,
        beside: &RelatedWrites<'_>,
    ) -> Result<Option<ServerRow>, StoreError> {
        const LEAVE: &str = "UPDATE server_login SET chosen = 0
            WHERE server_id = ? AND (SELECT definition ->> '$.url' FROM server WHERE id = server_id) IS NOT ? ->> '$.url'";
        // The consent is for what answers at that URL.
        const LEAVE_ICONS: &str =
            "UPDATE server SET loads_icons = 0 WHERE id = ? AND definition ->> '$.url' IS NOT ? ->> '$.url'";
        let _turn = self.0.lock_writes().await?;
        let mut tx = secret::begin(&self.0).await?;
        if let Some((id, definition)) = beside.moved {
            for statement in [LEAVE, LEAVE_ICONS] {
                let left = sqlx::query(statement).bind(id).bind(definition).execute(&mut *tx).await;
                left.map_err(|error| self.0.store_error(error))?;
            }
        }
        // Fetch all rows, because an error may come last.
        let changed = match statement.fetch_all(&mut *tx).await {
            Ok(rows) => rows,
            Err(sqlx::Error::Database(error)) if error.is_unique_violation() => {
                return Err(StoreError::NameTaken { name: name.to_owned() });
            }
            Err(error) => return Err(self.0.store_error(error)),
        };
        let Some(changed) = changed.first() else { return Ok(None) };
        let id: i64 = changed.try_get("id").map_err(|error| self.0.store_error(error))?;
        if let Some(secrets) = beside.secrets {
            server_secret::replace_all(&self.0, &mut tx, id, &secrets(id)?).await?;
            let mut changes =
                integrity::definition_now(&mut tx, id).await.map_err(|error| self.0.store_error(error))?;
            if let Some(hash) = beside.edit {
                pin::set_saved_hash(&mut tx, id, hash).await.map_err(|error| self.0.store_error(error))?;
                changes.push((SAVED_ENTRY.to_owned(), EntryChange::Set(hash.to_owned())));
            }
            integrity::record_changes(&self.0, &mut tx, &server_scope(id), changes).await?;
        }
        let row = find(&mut tx, id).await.map_err(|error| self.0.store_error(error))?;
        tx.commit().await.map_err(|error| self.0.store_error(error))?;
        Ok(Some(row))
    }
}

/// Servers with their encrypted values, by a condition.
fn select(condition: &str) -> String {
    format!(
        "SELECT server.*, (SELECT json_group_array(json_array(place, name, secret_id)) FROM
             (SELECT * FROM server_secret WHERE server_id = server.id ORDER BY place, name)) AS secrets
         FROM server WHERE {condition}"
    )
}

async fn find(tx: &mut SqliteConnection, id: i64) -> Result<ServerRow, sqlx::Error> {
    let row = sqlx::query(sqlx::AssertSqlSafe(select("id = ?"))).bind(id).fetch_one(tx).await?;
    from_row(&row)
}

fn from_row(row: &SqliteRow) -> Result<ServerRow, sqlx::Error> {
    let decode = |error| sqlx::Error::ColumnDecode { index: "secrets".to_owned(), source: error };
    Ok(ServerRow {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        definition: row.try_get("definition")?,
        enabled: row.try_get("enabled")?,
        loads_icons: row.try_get("loads_icons")?,
        instances: row.try_get("instances")?,
        asks_for_roots: row.try_get("asks_for_roots")?,
        asks_apps: row.try_get("asks_apps")?,
        secrets: server_secret::from_json(row.try_get("secrets")?).map_err(|error| decode(error.into()))?,
        created_at_us: row.try_get("created_at_us")?,
        updated_at_us: row.try_get("updated_at_us")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_change_that_could_not_be_committed_is_an_error() {
        let home = tempfile::tempdir().unwrap();
        let store = crate::Store::open(home.path()).await.unwrap();
        let servers = store.servers();
        let fails_at_the_commit = "CREATE TABLE child (id REFERENCES server DEFERRABLE INITIALLY DEFERRED);
            CREATE TRIGGER orphan AFTER INSERT ON server BEGIN INSERT INTO child VALUES (77); END";
        sqlx::raw_sql(fails_at_the_commit).execute(&servers.0.durable_writer).await.unwrap();
        let error = servers.insert("s", "{}", &|_| Ok(Vec::new()), None).await.unwrap_err();
        assert!(matches!(error, StoreError::Sql(_)), "{error}");
        assert_eq!(servers.list().await.unwrap(), []);
    }
}
