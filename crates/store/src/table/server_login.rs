//! The logins that each server may use, and the one that is chosen.

use mooring_disk::StoreError;

use crate::database::Database;
use crate::table::login::{self, LoginRow};
use crate::table::secret::begin;
use std::sync::Arc;

/// The table of servers' logins. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct ServerLogins(pub(crate) Arc<Database>);

impl ServerLogins {
    /// The login that the server uses. `None` if none is chosen.
    pub async fn chosen(&self, server_id: i64) -> Result<Option<LoginRow>, StoreError> {
        const CHOSEN: &str = "SELECT login.* FROM server_login JOIN login ON login.id = login_id
            WHERE server_id = ? AND chosen = 1";
        let row = sqlx::query(CHOSEN).bind(server_id).fetch_optional(&self.0.lookups).await;
        row.and_then(|row| row.as_ref().map(login::from_row).transpose())
            .map_err(|error| self.0.store_error(error))
    }

    /// The logins that the server may use, the chosen one first.
    pub async fn list_for_server(&self, server_id: i64) -> Result<Vec<LoginRow>, StoreError> {
        const ALL: &str = "SELECT login.* FROM server_login JOIN login ON login.id = login_id
            WHERE server_id = ? ORDER BY chosen DESC, login.id";
        let rows = sqlx::query(ALL).bind(server_id).fetch_all(&self.0.lookups).await;
        let rows = rows.and_then(|rows| rows.iter().map(login::from_row).collect());
        rows.map_err(|error| self.0.store_error(error))
    }

    /// The servers that may use the login, and whether each one uses it.
    pub async fn list_for_login(&self, login_id: i64) -> Result<Vec<(i64, bool)>, StoreError> {
        const ALL: &str = "SELECT server_id, chosen FROM server_login WHERE login_id = ? ORDER BY server_id";
        let rows = sqlx::query_as(ALL).bind(login_id).fetch_all(&self.0.lookups).await;
        rows.map_err(|error| self.0.store_error(error))
    }

    /// Makes the server use this login instead of any other.
    pub async fn choose(&self, server_id: i64, login_id: i64) -> Result<(), StoreError> {
        const NONE: &str = "UPDATE server_login SET chosen = 0 WHERE server_id = ?";
        const CHOOSE: &str = "INSERT INTO server_login (server_id, login_id, chosen)
            SELECT server.id, login.id, 1 FROM server, login WHERE server.id = ? AND login.id = ?
            ON CONFLICT DO UPDATE SET chosen = 1";
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        sqlx::query(NONE).bind(server_id).execute(&mut *tx).await.map_err(fault)?;
        let chosen = sqlx::query(CHOOSE).bind(server_id).bind(login_id).execute(&mut *tx).await;
        if chosen.map_err(fault)?.rows_affected() == 0 {
            return Err(StoreError::NoSuchLogin { id: login_id });
        }
        tx.commit().await.map_err(fault)
    }

    /// Makes the server use no login. The logins that it may use remain.
    pub async fn choose_none(&self, server_id: i64) -> Result<(), StoreError> {
        let none = sqlx::query("UPDATE server_login SET chosen = 0 WHERE server_id = ?").bind(server_id);
        self.0.execute(none).await.map(drop)
    }

    /// All pairs of server and login, and whether the server uses the login, ordered by both ids.
    pub async fn list(&self) -> Result<Vec<(i64, i64, bool)>, StoreError> {
        const ALL: &str = "SELECT server_id, login_id, chosen FROM server_login ORDER BY server_id, login_id";
        let rows = sqlx::query_as(ALL).fetch_all(&self.0.lookups).await;
        rows.map_err(|error| self.0.store_error(error))
    }

    /// Removes the login from the server. Other servers can still use it.
    pub async fn remove(&self, server_id: i64, login_id: i64) -> Result<(), StoreError> {
        let forget = sqlx::query("DELETE FROM server_login WHERE server_id = ? AND login_id = ?");
        self.0.execute(forget.bind(server_id).bind(login_id)).await.map(drop)
    }
}
