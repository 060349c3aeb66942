//! Our client registrations at authorization servers.

use crate::database::Database;
use crate::table::secret::{self, SecretRow};
use mooring_base::clock::now_us;
use mooring_disk::StoreError;
use serde::Serialize;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;
use std::sync::Arc;
use ts_rs::TS;

/// How we are registered with an authorization server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "ClientOrigin")]
pub enum RegistrationOrigin {
    /// Pre-registered with the authorization server. Front ends see it as `entered`.
    #[serde(rename = "entered")]
    #[ts(skip)]
    Preregistered,
    /// Identified by the URL of our Client ID Metadata Document.
    #[serde(rename = "document")]
    Cimd,
    /// Registered by us with dynamic client registration (RFC 7591).
    #[serde(rename = "registered")]
    Dynamic,
    /// Entered by the person.
    Entered,
}

impl RegistrationOrigin {
    /// All origins.
    pub const ALL: [Self; 4] = [Self::Preregistered, Self::Cimd, Self::Dynamic, Self::Entered];

    /// `preregistered`, `cimd`, `dynamic` or `entered`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Preregistered => "preregistered",
            Self::Cimd => "cimd",
            Self::Dynamic => "dynamic",
            Self::Entered => "entered",
        }
    }
}

/// A registration to save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRegistration {
    /// The authorization server's issuer, exactly as it was received.
    pub issuer: String,
    /// How we are registered with it.
    pub origin: RegistrationOrigin,
    /// Our client id there.
    pub client_id: String,
    /// The authentication method at its token endpoint, such as `none` or `client_secret_basic`.
    pub method: String,
    /// The registered redirect URI.
    pub redirect: Option<String>,
    /// When the registration expires, in microseconds since the Unix epoch.
    pub expires_at_us: Option<i64>,
}

/// A registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistrationRow {
    /// Unique. A removed registration's id is not used again.
    pub id: i64,
    /// The registration.
    pub registration: NewRegistration,
    /// The encrypted client secret, with related data.
    pub secret_id: Option<String>,
    /// When the registration was made, in microseconds since the Unix epoch.
    pub created_at_us: i64,
    /// When another registration replaced it, in microseconds since the Unix epoch. `None` if it is in use.
    pub replaced_at_us: Option<i64>,
}

/// The table of registrations. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct Registrations(pub(crate) Arc<Database>);

impl Registrations {
    /// The registration in use at `issuer` with this origin.
    pub async fn current(
        &self,
        issuer: &str,
        origin: RegistrationOrigin,
    ) -> Result<Option<RegistrationRow>, StoreError> {
        const CURRENT: &str =
            "SELECT * FROM registration WHERE issuer = ? AND origin = ? AND replaced_at_us IS NULL";
        let row = sqlx::query(CURRENT).bind(issuer).bind(origin.as_str());
        let row = row.fetch_optional(&self.0.lookups).await;
        row.and_then(|row| row.as_ref().map(from_row).transpose()).map_err(|error| self.0.store_error(error))
    }

    /// The registration `id`, even if it was replaced.
    pub async fn get(&self, id: i64) -> Result<Option<RegistrationRow>, StoreError> {
        let row = sqlx::query("SELECT * FROM registration WHERE id = ?").bind(id);
        let row = row.fetch_optional(&self.0.lookups).await;
        row.and_then(|row| row.as_ref().map(from_row).transpose()).map_err(|error| self.0.store_error(error))
    }

    /// Every registration in use, by issuer.
    pub async fn list(&self) -> Result<Vec<RegistrationRow>, StoreError> {
        const LIST: &str = "SELECT * FROM registration WHERE replaced_at_us IS NULL ORDER BY issuer, id";
        let rows = sqlx::query(LIST).fetch_all(&self.0.lookups).await;
        let rows = rows.and_then(|rows| rows.iter().map(from_row).collect());
        rows.map_err(|error| self.0.store_error(error))
    }

    /// Saves a registration, and replaces the one with the same issuer and origin. The replaced registration
    /// is only kept while a login needs it.
    pub async fn save(
        &self,
        registration: &NewRegistration,
        secret: Option<&SecretRow>,
    ) -> Result<RegistrationRow, StoreError> {
        const REPLACE: &str = "UPDATE registration SET replaced_at_us = ?
            WHERE issuer = ? AND origin = ? AND replaced_at_us IS NULL";
        const INSERT: &str = "INSERT INTO registration
            (issuer, origin, client_id, method, redirect, secret_id, expires_at_us, created_at_us)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING *";
        let fault = |error| self.0.store_error(error);
        let now = now_us();
        let _turn = self.0.lock_writes().await?;
        let mut tx = secret::begin(&self.0).await?;
        let replaced = sqlx::query(REPLACE).bind(now).bind(&registration.issuer);
        replaced.bind(registration.origin.as_str()).execute(&mut *tx).await.map_err(fault)?;
        sqlx::query(PRUNE).execute(&mut *tx).await.map_err(fault)?;
        if let Some(secret) = secret {
            secret::insert_secret(&self.0, &mut tx, secret, None).await?;
        }
        let insert = sqlx::query(INSERT)
            .bind(&registration.issuer)
            .bind(registration.origin.as_str())
            .bind(&registration.client_id)
            .bind(&registration.method)
            .bind(&registration.redirect)
            .bind(secret.map(|secret| &secret.id))
            .bind(registration.expires_at_us)
            .bind(now);
        let row = insert.fetch_one(&mut *tx).await.and_then(|row| from_row(&row)).map_err(fault)?;
        tx.commit().await.map_err(fault)?;
        Ok(row)
    }

    /// Retires the registration `id`, as if it were replaced. It is removed when another registration is
    /// saved, if no login needs it.
    pub async fn retire(&self, id: i64) -> Result<(), StoreError> {
        const RETIRE: &str =
            "UPDATE registration SET replaced_at_us = ? WHERE id = ? AND replaced_at_us IS NULL";
        self.0.execute(sqlx::query(RETIRE).bind(now_us()).bind(id)).await.map(drop)
    }

    /// Puts the registration `id` back into use, unless another registration has replaced it.
    pub async fn restore(&self, id: i64) -> Result<(), StoreError> {
        const RESTORE: &str = "UPDATE registration SET replaced_at_us = NULL WHERE id = ? AND NOT EXISTS
            (SELECT 1 FROM registration AS other WHERE other.issuer = registration.issuer
            AND other.origin = registration.origin AND other.replaced_at_us IS NULL)";
        self.0.execute(sqlx::query(RESTORE).bind(id)).await.map(drop)
    }

    /// Removes the registration `id` with its secret. Logins that used it remain, without a registration.
    pub async fn remove(&self, id: i64) -> Result<(), StoreError> {
        let removed = sqlx::query("DELETE FROM registration WHERE id = ?").bind(id);
        self.0.execute(removed).await.map(drop)
    }
}

/// Removes the replaced registrations that no login needs.
pub(crate) const PRUNE: &str = "DELETE FROM registration WHERE replaced_at_us IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM login WHERE registration_id = registration.id AND state = 'active')";

fn from_row(row: &SqliteRow) -> Result<RegistrationRow, sqlx::Error> {
    let origin: &str = row.try_get("origin")?;
    let origin = RegistrationOrigin::ALL.into_iter().find(|known| known.as_str() == origin);
    Ok(RegistrationRow {
        id: row.try_get("id")?,
        registration: NewRegistration {
            issuer: row.try_get("issuer")?,
            origin: origin.ok_or_else(|| sqlx::Error::ColumnNotFound("origin".to_owned()))?,
            client_id: row.try_get("client_id")?,
            method: row.try_get("method")?,
            redirect: row.try_get("redirect")?,
            expires_at_us: row.try_get("expires_at_us")?,
        },
        secret_id: row.try_get("secret_id")?,
        created_at_us: row.try_get("created_at_us")?,
        replaced_at_us: row.try_get("replaced_at_us")?,
    })
}
