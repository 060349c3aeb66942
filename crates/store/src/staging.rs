//! Staged rows: a writer appends rows to a file, and many of them are later moved into the log's table at
//! once. Every reader or writer of the log first moves the staged rows of all processes, so that a page is
//! complete. The position in each file is committed with the rows, so that each row is moved once.

use crate::database::Database;
use crate::insert::InsertStatements;
use crate::table::log_body;
use crate::table::log_facet::Facets;
use crate::table::log_share::SourceShares;
use mooring_log::{self as staging, LogRecord, StagedBatches};
use sqlx::sqlite::{SqliteConnection, SqliteExecutor};
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// How long a reader waits for its turn to move rows. After that it reads without them.
const READER_PATIENCE: Duration = Duration::from_secs(1);

/// The rows that a transaction has moved into the table.
#[derive(Debug, Default)]
pub(crate) struct MovedRows {
    pub(crate) records: Vec<LogRecord>,
    /// The id of the newest of them.
    pub(crate) newest: Option<i64>,
    /// Files whose writer has ended, to be removed after the commit.
    pub(crate) ended: Vec<i64>,
    /// The other files, each with the offset up to which its rows were moved.
    pub(crate) open: Vec<(i64, u64)>,
}

/// Moves the rows of all files into the table, within a transaction that writes. Nothing more is appended to
/// the file `retired`.
pub(crate) async fn move_rows(
    db: &mut SqliteConnection,
    folder: &Path,
    inserts: &InsertStatements,
    (facets, shares): (&mut Facets, &SourceShares),
    retired: Option<i64>,
) -> Result<MovedRows, sqlx::Error> {
    let moved = read_moved_offsets(&mut *db).await?;
    let (path, known) = (folder.to_owned(), moved.clone());
    let read = spawn_blocking(move || read_staged_rows(&path, &known, retired)).await;
    let (mut rows, batches) = read.map_err(io::Error::other)??;
    for (number, end) in &rows.open {
        if moved.get(number) != Some(end) {
            sqlx::query("UPDATE log_staging SET moved = ? WHERE id = ?")
                .bind(i64::try_from(*end).map_err(io::Error::other)?)
                .bind(number)
                .execute(&mut *db)
                .await?;
        }
    }
    // A file is created before others can see its row in `log_staging`, and removed after the row is deleted.
    // If a row has no file, the file was lost.
    for number in moved.keys().filter(|number| rows.open.iter().all(|(open, _)| open != *number)) {
        sqlx::query("DELETE FROM log_staging WHERE id = ?").bind(number).execute(&mut *db).await?;
    }
    rows.records = staging::merge_by_time(batches);
    if !rows.records.is_empty() {
        let first = inserts.insert_records(&mut *db, &rows.records).await?;
        facets.add_records(&mut *db, &rows.records).await?;
        shares.add_records(&mut *db, &rows.records).await?;
        rows.newest = i64::try_from(rows.records.len()).ok().map(|count| first + count - 1);
    }
    Ok(rows)
}

/// Reads the new rows of the files, and finds out which files are still open. Blocks.
fn read_staged_rows(
    folder: &Path,
    moved: &HashMap<i64, u64>,
    retired: Option<i64>,
) -> io::Result<(MovedRows, Vec<Vec<LogRecord>>)> {
    let (mut rows, mut batches) = (MovedRows::default(), Vec::new());
    for (number, length) in staging::list(folder)? {
        // Checked before the file is read: after its owner has ended, nothing is appended.
        let has_ended = retired == Some(number) || staging::is_abandoned(folder, number);
        let from = moved.get(&number).copied();
        let mut end = from.unwrap_or(length);
        if end < length {
            let Ok(StagedBatches { records, end: read }) = staging::read(folder, number, end) else {
                // Nothing of this file is moved now. The next move reads it again.
                rows.open.push((number, end));
                continue;
            };
            batches.push(records);
            end = read;
        }
        if has_ended {
            rows.ended.push(number);
        } else if from.is_some() {
            rows.open.push((number, end));
        }
    }
    Ok((rows, batches))
}

/// The offset in each file up to which its rows were moved.
async fn read_moved_offsets<'c>(db: impl SqliteExecutor<'c>) -> Result<HashMap<i64, u64>, sqlx::Error> {
    let files: Vec<(i64, i64)> = sqlx::query_as("SELECT id, moved FROM log_staging").fetch_all(db).await?;
    Ok(files.into_iter().filter_map(|(number, moved)| Some((number, u64::try_from(moved).ok()?))).collect())
}

/// Removes files of which every row was moved.
pub(crate) async fn remove_staging_files(folder: &Path, ended: Vec<i64>) {
    let folder = folder.to_owned();
    // Files that can't be removed now are removed the next time.
    let _stay =
        spawn_blocking(move || ended.into_iter().for_each(|file| staging::remove(&folder, file))).await;
}

impl Database {
    /// Moves staged rows into the table, for a reader of the table. Rows that can't be moved now are moved
    /// later.
    pub(crate) async fn move_staged_rows(&self) {
        if self.has_staged_rows().await.unwrap_or(true) {
            let _read_later = self.try_move_staged_rows().await;
        }
    }

    async fn has_staged_rows(&self) -> Result<bool, sqlx::Error> {
        let folder = log_body::folder(&self.path);
        let files = spawn_blocking(move || staging::list(&folder)).await.map_err(io::Error::other)??;
        if files.is_empty() {
            return Ok(false);
        }
        let moved = read_moved_offsets(&self.lookups).await?;
        Ok(files.iter().any(|(number, length)| moved.get(number).is_some_and(|moved| moved < length)))
    }

    async fn try_move_staged_rows(&self) -> Result<(), sqlx::Error> {
        let turn = timeout(READER_PATIENCE, self.lock_writes()).await;
        let Ok(Ok(_turn)) = turn else { return Ok(()) };
        let folder = log_body::folder(&self.path);
        let mut tx = self.log_writer.begin_with("BEGIN IMMEDIATE").await?;
        let mut facets = Facets::load(&mut tx).await?;
        let counts = (&mut facets, &SourceShares::default());
        let moved = move_rows(&mut tx, &folder, &InsertStatements::new(), counts, None).await?;
        tx.commit().await?;
        remove_staging_files(&folder, moved.ended).await;
        if let Some(newest) = moved.newest {
            self.set_newest(newest);
        }
        Ok(())
    }
}
