//! Proofs of apps' identities: keys in their configuration entries, tokens of apps that connect over HTTP,
//! and names that the person allowed. Only hashes of keys and tokens are saved.
//!
//! Each proof is also in the integrity document of the rules. A proof that another program writes into this
//! table is not trusted.

use std::collections::BTreeMap;
use std::sync::Arc;

use mooring_base::clock::now_us;
use mooring_base::integrity::{EntryChange, IntegrityDocument, RULES_SCOPE};
use mooring_disk::StoreError;
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};

use super::integrity;
use crate::database::Database;
use crate::table::secret::begin;

/// Prefix of these entries in the document.
const KEY_ENTRY: &str = "key/";

/// Kinds of proofs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AppKeyKind {
    /// The key in the entry that starts Mooring's bridge.
    Entry,
    /// The token of an app that connects over HTTP.
    Token,
    /// The person allowed the name, and there is no proof.
    Allowed,
    /// Not an app, but a terminal in which the person allowed the command line. The path of its program is
    /// both the name and the proof.
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
    /// The kind of the proof.
    pub kind: AppKeyKind,
    /// The SHA-256 of a key or token, in hexadecimal digits, or the path of an allowed program.
    pub proof: String,
    /// When the proof was made, in microseconds since the Unix epoch.
    pub created_at_us: i64,
    /// When the proof was last used, to within a minute, in microseconds since the Unix epoch.
    pub used_at_us: Option<i64>,
    /// Whether Mooring itself wrote the proof. While the key is not in memory, this is false for all proofs.
    /// Without a key, it is true for all.
    pub is_vouched: bool,
}

/// The table of apps' proofs. Every change is on the disk when its method returns.
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
        let change = (format_key_entry(app, kind), EntryChange::Set(proof.to_owned()));
        integrity::record_changes(&self.0, &mut tx, RULES_SCOPE, vec![change]).await?;
        tx.commit().await.map_err(fault)
    }

    /// Removes a proof. False if the table does not have it. From then on, the app counts as unknown.
    pub async fn remove(&self, app: &str, kind: AppKeyKind) -> Result<bool, StoreError> {
        const DECIDED: &str = "UPDATE app SET predates_keys = 0 WHERE name = ?";
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        let removed = sqlx::query("DELETE FROM app_key WHERE app = ? AND kind = ?").bind(app);
        let removed = removed.bind(kind.as_str()).execute(&mut *tx).await.map_err(fault)?;
        sqlx::query(DECIDED).bind(app).execute(&mut *tx).await.map_err(fault)?;
        let change = (format_key_entry(app, kind), EntryChange::Remove);
        integrity::record_changes(&self.0, &mut tx, RULES_SCOPE, vec![change]).await?;
        tx.commit().await.map_err(fault)?;
        Ok(removed.rows_affected() > 0)
    }

    /// Saves when a proof was last used, in microseconds since the Unix epoch.
    pub async fn set_used(&self, app: &str, kind: AppKeyKind, at_us: i64) -> Result<(), StoreError> {
        const USED: &str = "UPDATE app_key SET used_at_us = ? WHERE app = ? AND kind = ?";
        self.0.execute(sqlx::query(USED).bind(at_us).bind(app).bind(kind.as_str())).await.map(drop)
    }
}

/// The rows of the table, each with `vouched` as its [`is_vouched`](AppKeyRow::is_vouched).
pub(crate) async fn list_rows(
    tx: &mut SqliteConnection,
    vouched: bool,
) -> Result<Vec<AppKeyRow>, sqlx::Error> {
    let rows = sqlx::query("SELECT * FROM app_key ORDER BY app, kind").fetch_all(tx).await?;
    rows.iter().filter_map(|row| from_row(row, vouched).transpose()).collect()
}

/// Applies the document: sets which proofs Mooring wrote, corrects changed ones, and adds removed ones.
pub(crate) fn apply_document(rows: &mut Vec<AppKeyRow>, document: &IntegrityDocument) {
    let mut written: BTreeMap<_, _> = document
        .entries
        .iter()
        .filter_map(|(entry, proof)| Some((parse_key_entry(entry)?, proof.as_str())))
        .collect();
    for row in rows.iter_mut() {
        let proof = written.remove(&(row.app.clone(), row.kind));
        row.is_vouched = proof.is_some();
        if let Some(proof) = proof {
            proof.clone_into(&mut row.proof);
        }
    }
    // Another program removed these from the table.
    rows.extend(written.into_iter().map(|((app, kind), proof)| AppKeyRow {
        app,
        kind,
        proof: proof.to_owned(),
        created_at_us: 0,
        used_at_us: None,
        is_vouched: true,
    }));
}

fn format_key_entry(app: &str, kind: AppKeyKind) -> String {
    format!("{KEY_ENTRY}{}/{app}", kind.as_str())
}

fn parse_key_entry(entry: &str) -> Option<(String, AppKeyKind)> {
    let (kind, app) = entry.strip_prefix(KEY_ENTRY)?.split_once('/')?;
    Some((app.to_owned(), AppKeyKind::from_name(kind)?))
}

/// `None` if the kind was added by a newer version.
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
