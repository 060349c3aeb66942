//! The last lists of each server.

use std::sync::Arc;

use mooring_disk::StoreError;
use sqlx::FromRow;

use crate::database::Database;

/// The table of servers' last lists. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct RememberedLists(pub(crate) Arc<Database>);

/// One list of a server, or its capabilities.
#[derive(Clone, Debug, FromRow)]
pub struct RememberedRow {
    /// Whether the list was read in a session, which exists beside a shared connection of the stateless era.
    pub in_session: bool,
    /// The member of the list's result, or `capabilities`.
    pub kind: String,
    /// JSON.
    pub value: String,
    /// Whether the list was built from approvals rather than read from the server.
    pub is_from_approvals: bool,
}

/// The result of trying to open a session with a server of the stateless era.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct SessionTrialRow {
    /// Whether the server supports sessions.
    pub speaks: bool,
    /// The hash of what the shared connection listed then.
    pub beside: String,
    /// When the trial was made, in microseconds since the Unix epoch.
    pub tried_at_us: i64,
}

impl RememberedLists {
    /// The remembered rows of a server.
    pub async fn get(&self, server_id: i64) -> Result<Vec<RememberedRow>, StoreError> {
        const LISTS: &str =
            "SELECT in_session, kind, value, is_from_approvals FROM remembered_list WHERE server_id = ?";
        let rows = sqlx::query_as(LISTS).bind(server_id).fetch_all(&self.0.lookups).await;
        rows.map_err(|error| self.0.store_error(error))
    }

    /// Saves a list that was read from a server, if the server is still saved.
    pub async fn set(
        &self,
        server_id: i64,
        in_session: bool,
        kind: &str,
        value: &str,
    ) -> Result<(), StoreError> {
        const KEEP: &str = "INSERT INTO remembered_list (server_id, in_session, kind, value)
            SELECT id, ?, ?, ? FROM server WHERE id = ?
            ON CONFLICT (server_id, in_session, kind)
            DO UPDATE SET value = excluded.value, is_from_approvals = 0";
        let keep = sqlx::query(KEEP).bind(in_session).bind(kind).bind(value).bind(server_id);
        self.0.execute(keep).await.map(drop)
    }

    /// Whether a server supports sessions as well. `None` if that was never tried.
    pub async fn session_trial(&self, server_id: i64) -> Result<Option<SessionTrialRow>, StoreError> {
        const TRIAL: &str = "SELECT speaks, beside, tried_at_us FROM session_trial WHERE server_id = ?";
        let row = sqlx::query_as(TRIAL).bind(server_id).fetch_optional(&self.0.lookups).await;
        row.map_err(|error| self.0.store_error(error))
    }

    /// Saves the result of a trial, if the server is still saved. If the server does not support sessions,
    /// its session lists are removed.
    pub async fn set_session_trial(&self, server_id: i64, trial: &SessionTrialRow) -> Result<(), StoreError> {
        const KEEP: &str = "INSERT INTO session_trial (server_id, speaks, beside, tried_at_us)
            SELECT id, ?, ?, ? FROM server WHERE id = ?
            ON CONFLICT (server_id) DO UPDATE
            SET speaks = excluded.speaks, beside = excluded.beside, tried_at_us = excluded.tried_at_us";
        let SessionTrialRow { speaks, beside, tried_at_us } = trial;
        let keep = sqlx::query(KEEP).bind(speaks).bind(beside).bind(tried_at_us).bind(server_id);
        self.0.execute(keep).await?;
        if !speaks {
            const FORGET: &str = "DELETE FROM remembered_list WHERE server_id = ? AND in_session = 1";
            self.0.execute(sqlx::query(FORGET).bind(server_id)).await?;
        }
        Ok(())
    }
}
