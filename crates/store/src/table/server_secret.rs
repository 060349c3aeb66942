//! Variables and headers of servers with encrypted values.

use crate::database::Database;
use crate::table::secret::{self, SecretRow};
use mooring_disk::StoreError;
use serde::{Deserialize, Serialize};
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use std::sync::Arc;
use ts_rs::TS;

/// Whether an encrypted value is a variable or a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SecretPlace {
    /// A variable of the process's environment.
    Env,
    /// A header of every HTTP request to the server.
    Header,
}

impl SecretPlace {
    /// `env` or `header`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Env => "env",
            Self::Header => "header",
        }
    }

    pub(crate) fn from_name(name: &str) -> Self {
        if name == "env" { Self::Env } else { Self::Header }
    }

    /// Whether two names are the same here. Names of variables are case-sensitive except on Windows; names of
    /// headers are not.
    pub fn is_same(self, one: &str, other: &str) -> bool {
        match self {
            Self::Env if cfg!(windows) => one.eq_ignore_ascii_case(other),
            Self::Env => one == other,
            Self::Header => one.eq_ignore_ascii_case(other),
        }
    }
}

/// A variable or header with an encrypted value to save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewServerSecret {
    /// Whether it is a variable or a header.
    pub place: SecretPlace,
    /// The variable's or the header's name.
    pub name: String,
    /// The new value, encrypted. `None` keeps the current one.
    pub value: Option<SecretRow>,
}

/// A variable or header with an encrypted value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSecretRow {
    /// Whether it is a variable or a header.
    pub place: SecretPlace,
    /// The variable's or the header's name.
    pub name: String,
    /// The id of the encrypted value. `None` if the person must enter it again.
    pub secret_id: Option<String>,
}

/// The table of servers' encrypted values. Every change is on disk when its method returns.
#[derive(Clone, Debug)]
pub struct ServerSecrets(pub(crate) Arc<Database>);

const SET_SQL: &str = "INSERT INTO server_secret (server_id, place, name, secret_id) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET secret_id = excluded.secret_id";

impl ServerSecrets {
    /// The values of a server, by place and name.
    pub async fn list_for_server(&self, server_id: i64) -> Result<Vec<ServerSecretRow>, StoreError> {
        const ALL: &str = "SELECT * FROM server_secret WHERE server_id = ? ORDER BY place, name";
        let rows = sqlx::query(ALL).bind(server_id).fetch_all(&self.0.lookups).await;
        let rows = rows.and_then(|rows| rows.iter().map(from_row).collect());
        rows.map_err(|error| self.0.store_error(error))
    }

    /// Sets the encrypted value of a variable or header. The old value is deleted in the same commit.
    pub async fn set(
        &self,
        server_id: i64,
        place: SecretPlace,
        name: &str,
        secret: &SecretRow,
    ) -> Result<(), StoreError> {
        let _turn = self.0.lock_writes().await?;
        let mut tx = secret::begin(&self.0).await?;
        secret::insert_secret(&self.0, &mut tx, secret, None).await?;
        let set = sqlx::query(SET_SQL).bind(server_id).bind(place.as_str()).bind(name).bind(&secret.id);
        self.check_result(set.execute(&mut *tx).await, server_id)?;
        tx.commit().await.map_err(|error| self.0.store_error(error))
    }

    /// Makes a variable or header use a secret that has a name.
    pub async fn set_named(
        &self,
        server_id: i64,
        place: SecretPlace,
        name: &str,
        secret_id: &str,
    ) -> Result<(), StoreError> {
        let _turn = self.0.lock_writes().await?;
        let mut tx = secret::begin(&self.0).await?;
        let named = sqlx::query_scalar("SELECT count(*) FROM secret WHERE id = ? AND label IS NOT NULL");
        let named: i64 =
            named.bind(secret_id).fetch_one(&mut *tx).await.map_err(|error| self.0.store_error(error))?;
        if named == 0 {
            return Err(StoreError::NoSuchSecret { id: secret_id.to_owned() });
        }
        let set = sqlx::query(SET_SQL).bind(server_id).bind(place.as_str()).bind(name).bind(secret_id);
        self.check_result(set.execute(&mut *tx).await, server_id)?;
        tx.commit().await.map_err(|error| self.0.store_error(error))
    }

    fn check_result<T>(&self, done: Result<T, sqlx::Error>, server_id: i64) -> Result<(), StoreError> {
        match done {
            Ok(_) => Ok(()),
            Err(sqlx::Error::Database(error)) if error.is_foreign_key_violation() => {
                Err(StoreError::NoSuchServer { id: server_id })
            }
            Err(error) => Err(self.0.store_error(error)),
        }
    }

    /// Removes a variable or header from the server.
    pub async fn remove(&self, server_id: i64, place: SecretPlace, name: &str) -> Result<(), StoreError> {
        let remove = sqlx::query("DELETE FROM server_secret WHERE server_id = ? AND place = ? AND name = ?");
        self.0.execute(remove.bind(server_id).bind(place.as_str()).bind(name)).await.map(drop)
    }
}

/// Replaces all variables and headers of a server with encrypted values by this list.
pub(crate) async fn replace_all(
    database: &Database,
    tx: &mut SqliteConnection,
    server_id: i64,
    secrets: &[NewServerSecret],
) -> Result<(), StoreError> {
    const ALL: &str = "SELECT * FROM server_secret WHERE server_id = ?";
    const GO: &str = "DELETE FROM server_secret WHERE server_id = ? AND place = ? AND name = ?";
    const RENAME: &str = "UPDATE server_secret SET name = ? WHERE server_id = ? AND place = ? AND name = ?";
    let fault = |error| database.store_error(error);
    let before = sqlx::query(ALL).bind(server_id).fetch_all(&mut *tx).await.map_err(fault)?;
    for row in before {
        let row = from_row(&row).map_err(fault)?;
        let now = secrets
            .iter()
            .find(|secret| secret.place == row.place && row.place.is_same(&secret.name, &row.name));
        let place = row.place.as_str();
        match now {
            None => {
                let go = sqlx::query(GO).bind(server_id).bind(place).bind(&row.name);
                go.execute(&mut *tx).await.map_err(fault)?;
            }
            Some(secret) if secret.name != row.name => {
                let rename = sqlx::query(RENAME).bind(&secret.name).bind(server_id).bind(place);
                rename.bind(&row.name).execute(&mut *tx).await.map_err(fault)?;
            }
            Some(_) => {}
        }
    }
    for NewServerSecret { place, name, value } in secrets {
        let id = value.as_ref().map(|value| &value.id);
        let statement = match value {
            Some(value) => {
                secret::insert_secret(database, tx, value, None).await?;
                SET_SQL
            }
            None => {
                "INSERT INTO server_secret (server_id, place, name, secret_id) VALUES (?, ?, ?, ?)
                ON CONFLICT DO NOTHING"
            }
        };
        let set = sqlx::query(statement).bind(server_id).bind(place.as_str()).bind(name).bind(id);
        set.execute(&mut *tx).await.map_err(fault)?;
    }
    Ok(())
}

/// Parses the list in a column of a server's row.
pub(crate) fn from_json(text: &str) -> Result<Vec<ServerSecretRow>, serde_json::Error> {
    let rows: Vec<(String, String, Option<String>)> = serde_json::from_str(text)?;
    let row = |(place, name, secret_id): (String, String, Option<String>)| ServerSecretRow {
        place: SecretPlace::from_name(&place),
        name,
        secret_id,
    };
    Ok(rows.into_iter().map(row).collect())
}

fn from_row(row: &SqliteRow) -> Result<ServerSecretRow, sqlx::Error> {
    let place: &str = row.try_get("place")?;
    Ok(ServerSecretRow {
        place: SecretPlace::from_name(place),
        name: row.try_get("name")?,
        secret_id: row.try_get("secret_id")?,
    })
}
