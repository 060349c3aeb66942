//! Proofs of apps' identities: keys in their entries, tokens of those that connect over HTTP, and the names
//! of others that the person allowed. Only hashes of keys and tokens are saved.
//!
//! Each is also in the integrity document of the rules. What another program writes here proves nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use mooring_base::clock::now_us;
use mooring_base::integrity::{EntryChange, IntegrityDocument, RULES_SCOPE};
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};

use super::integrity;
use crate::database::Database;
use crate::error::StoreError;
use crate::table::secret::begin;

/// Prefix of the entries in the document.
const KEY_ENTRY: &str = "key/";

/// Kinds of proofs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AppKeyKind {
    /// The key in the entry that starts Mooring's bridge.
    Entry,
    /// The token of an app that connects over HTTP.
    Token,
    /// None: the person allowed the name.
    Allowed,
    /// Not an app, but a terminal whose command line the person allowed. The path of its program is both name
    /// and proof.
    Terminal,
}

impl AppKeyKind {
    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::Token => "token",
            Self::Allowed => "allowed",
            Self::Terminal => "terminal",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Entry, Self::Token, Self::Allowed, Self::Terminal]
            .into_iter()
            .find(|kind| kind.as_str() == name)
    }
}

/// The proof of one app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppKeyRow {
    /// The app's name.
    pub app: String,
    /// Which of them it is.
    pub kind: AppKeyKind,
    /// The SHA-256 of a key or token, in hexadecimal digits; the path of a program that was allowed.
    pub proof: String,
    /// When it was made, in microseconds since the Unix epoch.
    pub created_at_us: i64,
    /// When it was last used, within a minute.
    pub used_at_us: Option<i64>,
    /// Mooring itself wrote it, as far as that can be known: under a key that is not in memory nothing counts as
    /// written by Mooring; without any key everything does.
    pub is_vouched: bool,
}

/// The table. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct AppKeys(pub(crate) Arc<Database>);

impl AppKeys {
    /// Saves a proof, and replaces the app's previous one.
    pub async fn set(&self, app: &str, kind: AppKeyKind, proof: &str) -> Result<(), StoreError> {
        const SET: &str = "INSERT INTO app_key (app, kind, proof, created_at_us) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE
            SET proof = excluded.proof, created_at_us = excluded.created_at_us, used_at_us = NULL";
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        let set = sqlx::query(SET).bind(app).bind(kind.as_str()).bind(proof).bind(now_us());
        set.execute(&mut *tx).await.map_err(fault)?;
        let change = (key_entry(app, kind), EntryChange::Set(proof.to_owned()));
        integrity::record_changes(&self.0, &mut tx, RULES_SCOPE, vec![change]).await?;
        tx.commit().await.map_err(fault)
    }

    /// Takes one away; false where the table has none. The app is then one like any that comes without.
    pub async fn remove(&self, app: &str, kind: AppKeyKind) -> Result<bool, StoreError> {
        const DECIDED: &str = "UPDATE app SET predates_keys = 0 WHERE name = ?";
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        let removed = sqlx::query("DELETE FROM app_key WHERE app = ? AND kind = ?").bind(app);
        let removed = removed.bind(kind.as_str()).execute(&mut *tx).await.map_err(fault)?;
        sqlx::query(DECIDED).bind(app).execute(&mut *tx).await.map_err(fault)?;
        let change = (key_entry(app, kind), EntryChange::Remove);
        integrity::record_changes(&self.0, &mut tx, RULES_SCOPE, vec![change]).await?;
        tx.commit().await.map_err(fault)?;
        Ok(removed.rows_affected() > 0)
    }

    /// Saves when one was last used.
    pub async fn set_used(&self, app: &str, kind: AppKeyKind, at_us: i64) -> Result<(), StoreError> {
        const USED: &str = "UPDATE app_key SET used_at_us = ? WHERE app = ? AND kind = ?";
        self.0.execute(sqlx::query(USED).bind(at_us).bind(app).bind(kind.as_str())).await.map(drop)
    }
}

/// The rows of the table, each marked as authenticated according to `vouched`.
pub(crate) async fn list_rows(
    tx: &mut SqliteConnection,
    vouched: bool,
) -> Result<Vec<AppKeyRow>, sqlx::Error> {
    let rows = sqlx::query("SELECT * FROM app_key ORDER BY app, kind").fetch_all(tx).await?;
    rows.iter().filter_map(|row| from_row(row, vouched).transpose()).collect()
}

/// The rows as the document has them: what is only in the table, or differs there, was not written by Mooring.
pub(crate) fn check_rows(rows: &mut Vec<AppKeyRow>, document: &IntegrityDocument) {
    let mut written: BTreeMap<_, _> = document
        .entries
        .iter()
        .filter_map(|(entry, proof)| Some((read_key_entry(entry)?, proof.as_str())))
        .collect();
    for row in rows.iter_mut() {
        let proof = written.remove(&(row.app.clone(), row.kind));
        row.is_vouched = proof.is_some();
        if let Some(proof) = proof {
            proof.clone_into(&mut row.proof);
        }
    }
    // Another program took them out of the table.
    rows.extend(written.into_iter().map(|((app, kind), proof)| AppKeyRow {
        app,
        kind,
        proof: proof.to_owned(),
        created_at_us: 0,
        used_at_us: None,
        is_vouched: true,
    }));
}

fn key_entry(app: &str, kind: AppKeyKind) -> String {
    format!("{KEY_ENTRY}{}/{app}", kind.as_str())
}

fn read_key_entry(entry: &str) -> Option<(String, AppKeyKind)> {
    let (kind, app) = entry.strip_prefix(KEY_ENTRY)?.split_once('/')?;
    Some((app.to_owned(), AppKeyKind::from_name(kind)?))
}

/// `None` for a kind of a newer version.
fn from_row(row: &SqliteRow, is_vouched: bool) -> Result<Option<AppKeyRow>, sqlx::Error> {
    let kind: String = row.try_get("kind")?;
    let Some(kind) = AppKeyKind::from_name(&kind) else { return Ok(None) };
    Ok(Some(AppKeyRow {
        app: row.try_get("app")?,
        kind,
        proof: row.try_get("proof")?,
        created_at_us: row.try_get("created_at_us")?,
        used_at_us: row.try_get("used_at_us")?,
        is_vouched,
    }))
}
