//! Pins: the definitions that each server offered and that were approved, by hash of their canonical JSON.

use super::integrity;
use crate::database::Database;
use crate::table::secret::begin;
use mooring_base::integrity::{DocumentState, EntryChange, SAVED_ENTRY, pin_entry, pin_value, server_scope};
use mooring_disk::StoreError;
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How many unapproved definitions of a server are remembered after they disappeared. Approved definitions
/// are remembered forever: if one comes back different, it counts as changed, not as new.
const MAX_GONE_UNAPPROVED: i64 = 1_000;

/// A pin: one tool, prompt, template or other definition of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinRow {
    /// `server`, `instructions`, `tool`, `prompt` or `template`.
    pub kind: String,
    /// The item's name.
    pub name: String,
    /// The hash of the current definition, or of the last one if it is gone.
    pub hash: String,
    /// The canonical JSON that `hash` is of.
    pub form: String,
    /// The hash of the definition that was approved, or seen first.
    pub known_hash: String,
    /// The canonical JSON that `known_hash` is of.
    pub known_form: String,
    /// Whether the server no longer offers it.
    pub gone: bool,
    /// When the known definition was approved, in microseconds since the Unix epoch. `None` if it was never
    /// reviewed.
    pub approved_at_us: Option<i64>,
    /// When the current definition was seen, in microseconds since the Unix epoch.
    pub seen_at_us: i64,
}

/// A pin without its canonical JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinSummary {
    /// `server`, `instructions`, `tool`, `prompt` or `template`.
    pub kind: String,
    /// The item's name.
    pub name: String,
    /// The hash of the current definition, or of the last one if it is gone.
    pub hash: String,
    /// The hash of the definition that was approved, or seen first.
    pub known_hash: String,
    /// Whether the server no longer offers it.
    pub gone: bool,
    /// Whether the person approved the known definition.
    pub approved: bool,
}

/// The table of pins. Every change is on the disk when its method returns.
#[derive(Clone, Debug)]
pub struct Pins(pub(crate) Arc<Database>);

type PinQuery<'q> = sqlx::query::Query<'q, sqlx::Sqlite, sqlx::sqlite::SqliteArguments>;

impl Pins {
    /// Every pin of a server. While the vault's key is in memory, known hashes and approvals are those that
    /// Mooring last wrote.
    pub async fn list_for_server(&self, server_id: i64) -> Result<Vec<PinRow>, StoreError> {
        const ALL: &str = "SELECT * FROM pin WHERE server_id = ? ORDER BY kind, name";
        self.read_checked_rows(server_id, sqlx::query(ALL).bind(server_id)).await
    }

    /// One pin of a server, checked as in [`list_for_server`](Self::list_for_server).
    pub async fn get(&self, server_id: i64, kind: &str, name: &str) -> Result<Option<PinRow>, StoreError> {
        const ONE: &str = "SELECT * FROM pin WHERE server_id = ? AND kind = ? AND name = ?";
        let mut rows =
            self.read_checked_rows(server_id, sqlx::query(ONE).bind(server_id).bind(kind).bind(name)).await?;
        rows.retain(|row| row.kind == kind && row.name == name);
        Ok(rows.pop())
    }

    /// Every pin of a server without its JSON, checked as in [`list_for_server`](Self::list_for_server).
    pub async fn summaries(&self, server_id: i64) -> Result<Vec<PinSummary>, StoreError> {
        const ALL: &str = "SELECT kind, name, hash, '{}' AS form, known_hash, '{}' AS known_form, gone,
            approved_at_us, seen_at_us FROM pin WHERE server_id = ?";
        let rows = self.read_checked_rows(server_id, sqlx::query(ALL).bind(server_id)).await?;
        Ok(rows.into_iter().map(PinSummary::from).collect())
    }

    async fn read_checked_rows(
        &self,
        server_id: i64,
        query: PinQuery<'_>,
    ) -> Result<Vec<PinRow>, StoreError> {
        let fault = |error| self.0.store_error(error);
        let mut tx = self.0.lookups.begin().await.map_err(fault)?;
        let rows = query.fetch_all(&mut *tx).await;
        let rows = rows.and_then(|rows| rows.iter().map(from_row).collect()).map_err(fault)?;
        Ok(apply_document(rows, &integrity::read_document(&self.0, &mut tx, &server_scope(server_id)).await?))
    }

    /// The number of approvals of each server, and the sum of their times. Every approval changes at least
    /// one of the two, even if the clock was set back.
    pub async fn approvals(&self) -> Result<HashMap<i64, (i64, i64)>, StoreError> {
        const ALL: &str = "SELECT server_id, count(*), sum(approved_at_us % 1000000007) FROM pin
            WHERE approved_at_us IS NOT NULL GROUP BY server_id";
        let rows = sqlx::query_as(ALL).fetch_all(&self.0.lookups).await;
        let rows: Vec<(i64, i64, i64)> = rows.map_err(|error| self.0.store_error(error))?;
        Ok(rows.into_iter().map(|(server, count, sum)| (server, (count, sum))).collect())
    }

    /// Saves pins of a server in one transaction. `edit` is the hash of the server's definition, if the person
    /// has just saved a new one. `decided`: the known hashes result from a decision of the person. If false,
    /// they are recorded as first seen and don't replace existing ones.
    pub async fn save(
        &self,
        server_id: i64,
        pins: &[PinRow],
        edit: Option<&str>,
        decided: bool,
    ) -> Result<(), StoreError> {
        const SAVE: &str = "INSERT INTO pin (server_id, kind, name, hash, form, known_hash, known_form, gone,
            approved_at_us, seen_at_us) SELECT server.id, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM server WHERE server.id = ?
            ON CONFLICT DO UPDATE SET hash = excluded.hash, form = excluded.form, known_hash = excluded.known_hash,
            known_form = excluded.known_form, gone = excluded.gone, approved_at_us = excluded.approved_at_us,
            seen_at_us = excluded.seen_at_us";
        const PRUNE: &str = "DELETE FROM pin WHERE server_id = ?1 AND gone = 1 AND approved_at_us IS NULL
            AND (kind, name) NOT IN (SELECT kind, name FROM pin WHERE server_id = ?1 AND gone = 1
            AND approved_at_us IS NULL ORDER BY seen_at_us DESC LIMIT ?2) RETURNING kind, name";
        let fault = |error| self.0.store_error(error);
        let _turn = self.0.lock_writes().await?;
        let mut tx = begin(&self.0).await?;
        let mut changes = Vec::with_capacity(pins.len());
        for pin in pins {
            let value = pin_value(&pin.known_hash, pin.approved_at_us.is_some());
            let change = if decided { EntryChange::Set(value) } else { EntryChange::Seen(value) };
            changes.push((pin_entry(&pin.kind, &pin.name), change));
            let save = sqlx::query(SAVE)
                .bind(&pin.kind)
                .bind(&pin.name)
                .bind(&pin.hash)
                .bind(&pin.form)
                .bind(&pin.known_hash)
                .bind(&pin.known_form)
                .bind(pin.gone)
                .bind(pin.approved_at_us)
                .bind(pin.seen_at_us)
                .bind(server_id);
            save.execute(&mut *tx).await.map_err(fault)?;
        }
        if let Some(hash) = edit {
            set_saved_hash(&mut tx, server_id, hash).await.map_err(fault)?;
            changes.push((SAVED_ENTRY.to_owned(), EntryChange::Set(hash.to_owned())));
            changes.extend(integrity::definition_now(&mut tx, server_id).await.map_err(fault)?);
        }
        if pins.iter().any(|pin| pin.gone) {
            let pruned: Vec<(String, String)> = sqlx::query_as(PRUNE)
                .bind(server_id)
                .bind(MAX_GONE_UNAPPROVED)
                .fetch_all(&mut *tx)
                .await
                .map_err(fault)?;
            changes.extend(pruned.iter().map(|(kind, name)| (pin_entry(kind, name), EntryChange::Remove)));
        }
        integrity::record_changes(&self.0, &mut tx, &server_scope(server_id), changes).await?;
        tx.commit().await.map_err(fault)
    }

    /// The hash of the server's definition that the person last saved.
    pub async fn saved_hash(&self, server_id: i64) -> Result<Option<String>, StoreError> {
        let fault = |error| self.0.store_error(error);
        let mut tx = self.0.lookups.begin().await.map_err(fault)?;
        match integrity::read_document(&self.0, &mut tx, &server_scope(server_id)).await? {
            DocumentState::Unchecked => {}
            DocumentState::Missing => return Ok(None),
            DocumentState::Verified(document) => return Ok(document.entries.get(SAVED_ENTRY).cloned()),
        }
        let hash = sqlx::query_scalar("SELECT hash FROM server_edit WHERE server_id = ?").bind(server_id);
        hash.fetch_optional(&mut *tx).await.map_err(fault)
    }

    /// Whether the server's definition is the one that Mooring last wrote. `None` if that is not known,
    /// because the document can't be checked now.
    pub async fn is_as_saved(&self, server_id: i64) -> Result<Option<bool>, StoreError> {
        integrity::is_as_saved(&self.0, server_id).await
    }
}

/// Saves the hash of a server's definition as the person saved it.
pub(crate) async fn set_saved_hash(
    tx: &mut SqliteConnection,
    server_id: i64,
    hash: &str,
) -> Result<(), sqlx::Error> {
    const SET: &str = "INSERT INTO server_edit (server_id, hash) SELECT id, ? FROM server WHERE id = ?
        ON CONFLICT DO UPDATE SET hash = excluded.hash";
    sqlx::query(SET).bind(hash).bind(server_id).execute(tx).await.map(|_| ())
}

fn from_row(row: &SqliteRow) -> Result<PinRow, sqlx::Error> {
    Ok(PinRow {
        kind: row.try_get("kind")?,
        name: row.try_get("name")?,
        hash: row.try_get("hash")?,
        form: row.try_get("form")?,
        known_hash: row.try_get("known_hash")?,
        known_form: row.try_get("known_form")?,
        gone: row.try_get("gone")?,
        approved_at_us: row.try_get("approved_at_us")?,
        seen_at_us: row.try_get("seen_at_us")?,
    })
}

impl From<PinRow> for PinSummary {
    fn from(row: PinRow) -> Self {
        Self {
            kind: row.kind,
            name: row.name,
            hash: row.hash,
            known_hash: row.known_hash,
            gone: row.gone,
            approved: row.approved_at_us.is_some(),
        }
    }
}

/// Replaces known hashes and approvals by those that Mooring last wrote. A pin that Mooring never wrote was
/// not approved. A pin that is missing in the table is added as gone.
fn apply_document(mut rows: Vec<PinRow>, known: &DocumentState) -> Vec<PinRow> {
    let document = match known {
        DocumentState::Unchecked => return rows,
        DocumentState::Missing => {
            for row in &mut rows {
                row.known_hash.clear();
                row.approved_at_us = None;
            }
            return rows;
        }
        DocumentState::Verified(document) => document,
    };
    rows.retain_mut(|row| {
        let entry = document.entries.get(&pin_entry(&row.kind, &row.name));
        if let Some((approved, hash)) = entry.and_then(|entry| entry.split_at_checked(1)) {
            hash.clone_into(&mut row.known_hash);
            row.approved_at_us = (approved == "+").then(|| row.approved_at_us.unwrap_or_default());
            return true;
        }
        row.approved_at_us = None;
        // If the key was not in memory when a server was first started, the server's own row is unverified,
        // and the server counts as not started yet. The saved definition in the document still decides about
        // the start.
        row.kind != "server"
    });
    let here: HashSet<String> = rows.iter().map(|row| pin_entry(&row.kind, &row.name)).collect();
    for (entry, value) in &document.entries {
        if here.contains(entry) {
            continue;
        }
        let Some((kind, name)) = entry.strip_prefix("pin/").and_then(|entry| entry.split_once('/')) else {
            continue;
        };
        let Some((approved, hash)) = value.split_at_checked(1) else { continue };
        rows.push(PinRow {
            kind: kind.to_owned(),
            name: name.to_owned(),
            hash: String::new(),
            form: "{}".to_owned(),
            known_hash: hash.to_owned(),
            known_form: "{}".to_owned(),
            gone: true,
            approved_at_us: (approved == "+").then_some(0),
            seen_at_us: 0,
        });
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pin(name: &str, hash: &str, gone: bool, seen_at_us: i64) -> PinRow {
        PinRow {
            kind: "tool".to_owned(),
            name: name.to_owned(),
            hash: hash.to_owned(),
            form: "{}".to_owned(),
            known_hash: hash.to_owned(),
            known_form: "{}".to_owned(),
            gone,
            approved_at_us: None,
            seen_at_us,
        }
    }

    #[tokio::test]
    async fn pins_are_per_server_and_old_unapproved_ones_are_deleted() {
        let home = tempfile::tempdir().unwrap();
        let store = crate::Store::open(home.path()).await.unwrap();
        let server = "INSERT INTO server (name, created_at_us, updated_at_us) VALUES ('a', 0, 0)";
        let pins = store.pins();
        // Nothing is saved for a server that does not exist.
        pins.save(1, &[pin("a", "1", false, 0)], Some("x"), true).await.unwrap();
        assert_eq!(
            (pins.list_for_server(1).await.unwrap(), pins.saved_hash(1).await.unwrap()),
            (vec![], None)
        );
        sqlx::raw_sql(server).execute(&pins.0.durable_writer).await.unwrap();
        pins.save(1, &[pin("a", "1", false, 0), pin("b", "1", false, 0)], None, true).await.unwrap();
        pins.save(1, &[pin("a", "2", false, 1)], None, true).await.unwrap();
        let all = [pin("a", "2", false, 1), pin("b", "1", false, 0)];
        assert_eq!(pins.list_for_server(1).await.unwrap(), all);
        assert_eq!(pins.get(1, "tool", "b").await.unwrap().as_ref(), Some(&all[1]));
        assert_eq!(pins.get(1, "prompt", "b").await.unwrap(), None);
        let marks = pins.summaries(1).await.unwrap();
        assert!(marks.len() == 2 && marks.iter().all(|mark| !mark.approved && !mark.gone));
        pins.save(1, &[], Some("x"), true).await.unwrap();
        pins.save(1, &[], Some("y"), true).await.unwrap();
        pins.save(1, &[], None, true).await.unwrap();
        assert_eq!(pins.saved_hash(1).await.unwrap().as_deref(), Some("y"));
        // Approved definitions are remembered, however many others come and go later.
        let approved = PinRow { approved_at_us: Some(1), ..pin("approved", "1", true, 0) };
        pins.save(1, std::slice::from_ref(&approved), None, true).await.unwrap();
        let gone: Vec<PinRow> = (0..1_100).map(|at| pin(&format!("g{at}"), "1", true, at)).collect();
        pins.save(1, &gone, None, true).await.unwrap();
        assert_eq!(pins.get(1, "tool", "approved").await.unwrap(), Some(approved));
        let kept = pins.list_for_server(1).await.unwrap();
        assert_eq!(kept.len(), 1_003);
        assert!(kept.iter().all(|pin| !pin.gone || pin.approved_at_us.is_some() || pin.seen_at_us >= 100));
        store.servers().remove(1).await.unwrap();
        store.servers().purge_removed(std::time::Duration::ZERO).await.unwrap();
        assert_eq!(pins.list_for_server(1).await.unwrap(), []);
    }
}
