//! The writer's staging: rows of apps' calls are appended to a file, because a verdict has to survive a kill
//! before its call is sent. A file gets each byte once; a commit would write some 25 pages twice.

use super::{WriterConnection, WriterTask};
use crate::staging::{self, MovedRows};
use crate::table::log_body;
use mooring_disk::StoreError;
use mooring_log::{LogRecord, StagingFile};
use sqlx::Connection;
use std::io;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::Instant;

/// Records and bytes of the largest batch that is staged. A larger batch is written at once, because a commit
/// then costs less per row than the file.
const MAX_BATCH: (usize, usize) = (250, 64 << 10);
/// Number of staged rows from which on they are moved.
const MAX_ROWS: usize = 1_000;
/// Bytes of staged rows from which on they are moved.
const MAX_BYTES: u64 = 1 << 20;
/// How long a row is staged at most. Readers move it sooner.
const MAX_DELAY: Duration = Duration::from_mins(10);
/// How long a row is staged at most while this process follows the log.
pub(super) const FOLLOWED_DELAY: Duration = Duration::from_millis(200);
/// Size from which on a file is no longer used after its rows were moved.
const FILE_BYTES: u64 = 1 << 20;

/// The rows staged by this writer.
#[derive(Debug, Default)]
pub(super) struct Staging {
    file: Option<StagingFile>,
    rows: usize,
    bytes: u64,
    /// When the first of these rows was staged.
    since: Option<Instant>,
    is_ending: bool,
}

impl Staging {
    /// Whether the file may have rows that aren't moved. Other processes may have moved them.
    pub(super) fn has_rows(&self) -> bool {
        self.since.is_some()
    }

    pub(super) fn number(&self) -> Option<i64> {
        self.file.as_ref().map(StagingFile::number)
    }

    /// The file's number, if nothing more is appended to it.
    pub(super) fn retired(&self) -> Option<i64> {
        let ends = |file: &&StagingFile| self.is_ending || file.bytes() >= FILE_BYTES;
        self.file.as_ref().filter(ends).map(StagingFile::number)
    }

    /// Records that all rows were moved. The files in `ended` are removed, and not used again.
    pub(super) fn forget_moved_rows(&mut self, ended: &[i64]) {
        let file = self.file.take().filter(|file| !ended.contains(&file.number()));
        *self = Self { file, is_ending: self.is_ending, ..Self::default() };
    }
}

impl WriterTask {
    /// Stages a batch. False if it has to be written at once.
    pub(super) async fn stage_batch(&mut self, records: &[LogRecord]) -> bool {
        let bytes: usize = records.iter().map(|record| record.body.len()).sum();
        if self.failing.is_some() || records.len() > MAX_BATCH.0 || bytes > MAX_BATCH.1 {
            return false;
        }
        // If staging fails, the batch is committed instead, and that fails with the same error.
        self.database.is_in_place() && self.append_staged(records.to_vec()).await.is_ok()
    }

    async fn append_staged(&mut self, records: Vec<LogRecord>) -> Result<(), StoreError> {
        let mut file = match self.staging.file.take() {
            Some(file) => file,
            None => self.create_staging_file().await?,
        };
        let count = records.len();
        let before = file.bytes();
        let appended = spawn_blocking(move || file.append(&records).map(|()| file)).await;
        let file = appended.map_err(io::Error::other).flatten();
        let file = file.map_err(|error| self.database.store_error(error.into()))?;
        let staging = &mut self.staging;
        staging.rows += count;
        staging.bytes += file.bytes() - before;
        staging.since.get_or_insert_with(Instant::now);
        staging.file = Some(file);
        Ok(())
    }

    async fn create_staging_file(&mut self) -> Result<StagingFile, StoreError> {
        let database = self.database.clone();
        let _turn = database.lock_writes().await?;
        let mut open = self.take_connection().await?;
        let created = open.create_staging_file(&log_body::folder(&database.path)).await;
        let file = created.map_err(|error| database.store_error(error))?;
        self.open_connection = Some(open);
        Ok(file)
    }

    /// Updates the state after a commit has moved staged rows: removes ended files, and notifies followers.
    pub(super) async fn finish_moved_files(&mut self, moved: MovedRows) {
        self.staging.forget_moved_rows(&moved.ended);
        staging::remove_staging_files(&log_body::folder(&self.database.path), moved.ended).await;
        if let Some(newest) = moved.newest {
            self.database.set_newest(newest);
        }
    }

    /// Overwrites the moved rows in the remaining files.
    pub(super) async fn erase_moved_rows(&self, moved: &MovedRows) {
        let (folder, open) = (log_body::folder(&self.database.path), moved.open.clone());
        let erase = move || open.iter().try_for_each(|(file, end)| mooring_log::erase(&folder, *file, *end));
        // What can't be erased is removed with its file.
        let _stays = spawn_blocking(erase).await;
    }

    /// Moves the staged rows, if they are many, large or old.
    pub(super) async fn move_staged_if_due(&mut self) {
        let Staging { rows, bytes, since: Some(since), .. } = self.staging else { return };
        let delay = if self.database.is_followed() { FOLLOWED_DELAY } else { MAX_DELAY };
        if rows >= MAX_ROWS || bytes >= MAX_BYTES || since.elapsed() >= delay {
            self.write_records(Vec::new()).await;
        }
    }

    /// Moves the staged rows, and ends the file.
    pub(super) async fn end_staging(&mut self) {
        self.staging.is_ending = true;
        if self.staging.file.is_some() {
            self.write_records(Vec::new()).await;
        }
    }
}

impl WriterConnection {
    /// Makes a file, within the transaction that inserts its number, so that neither becomes visible without
    /// the other.
    async fn create_staging_file(&mut self, folder: &std::path::Path) -> Result<StagingFile, sqlx::Error> {
        let mut tx = self.db.begin_with("BEGIN IMMEDIATE").await?;
        let number: i64 = sqlx::query_scalar("INSERT INTO log_staging (moved) VALUES (0) RETURNING id")
            .fetch_one(&mut *tx)
            .await?;
        let folder = folder.to_owned();
        let file = spawn_blocking(move || StagingFile::create(&folder, number)).await;
        let file = file.map_err(io::Error::other)??;
        tx.commit().await?;
        Ok(file)
    }
}
