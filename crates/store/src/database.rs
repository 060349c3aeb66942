//! The open database: its connections and their options.

use mooring_base::integrity::Integrity;
use mooring_disk::StoreError;
use sqlx::query::Query;
use sqlx::sqlite::{
    Sqlite, SqliteArguments, SqliteConnectOptions, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard, Notify, watch};

pub(crate) const DATABASE_FILE: &str = "mooring.db";
/// How long a statement waits for another process's transaction.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a reader waits for another process's transaction when it moves staged rows.
const READER_BUSY_TIMEOUT: Duration = Duration::from_millis(200);
/// Bytes of a page, in databases that Mooring creates.
pub(crate) const PAGE_SIZE: u32 = 4096;
const MAX_READERS: u32 = 4;
/// Rows that a reading connection prepares ahead: as many as an ordinary page of the log, since each handover
/// costs more than a row.
const PAGE_ROWS: usize = 256;

/// The file, and the connections to it.
#[derive(Debug)]
pub(crate) struct Database {
    pub(crate) path: PathBuf,
    /// Read-only, so that paging never waits for a writer.
    pub(crate) readers: SqlitePool,
    /// Read-only, for quick queries such as the saved servers. They don't wait while searches of the log use
    /// all of the `readers`. The pool keeps one connection forever, because `PRAGMA data_version` counts the
    /// commits of others per connection.
    pub(crate) lookups: SqlitePool,
    /// One connection that commits to the disk itself (synchronous FULL).
    pub(crate) durable_writer: SqlitePool,
    /// One connection for moving staged rows when they are read. Like the log's writer, it commits with
    /// synchronous NORMAL, but it waits for a shorter time.
    pub(crate) log_writer: SqlitePool,
    /// SQLite has one writer at a time and lets the others poll. The writers of this process take turns here,
    /// so that a flood of log rows does not starve a change of a setting.
    write_lock: Mutex<()>,
    /// Locked for as long as the database is open, so that no other process replaces the file.
    in_use: std::sync::Mutex<Option<File>>,
    /// The identity of the opened file, if the system has one.
    file: Option<FileId>,
    /// The data that the host's key authenticates.
    pub(crate) integrity: Integrity,
    /// The id of the newest row of the log that this process knows of; 0 before the first.
    newest: watch::Sender<i64>,
    /// As `newest`, for readers that don't need staged rows at once.
    pub(crate) growth: watch::Sender<i64>,
    /// Wakes the watcher.
    pub(crate) woken: Arc<Notify>,
}

impl Database {
    pub(crate) fn new(path: PathBuf, in_use: File) -> Self {
        let pool =
            |connections| SqlitePoolOptions::new().max_connections(connections).test_before_acquire(false);
        let readers = connection_options(&path).row_buffer_size(PAGE_ROWS).read_only(true);
        let readers = pool(MAX_READERS).connect_lazy_with(readers);
        let lookups = pool(1).idle_timeout(None).max_lifetime(None);
        let lookups = lookups.connect_lazy_with(connection_options(&path).read_only(true));
        let durable_writer = pool(1).connect_lazy_with(
            writer_options(&path).synchronous(SqliteSynchronous::Full).pragma("secure_delete", "ON"),
        );
        let log_writer = pool(1).connect_lazy_with(
            writer_options(&path).synchronous(SqliteSynchronous::Normal).busy_timeout(READER_BUSY_TIMEOUT),
        );
        let file = FileId::from_path(&path);
        let (write_lock, integrity) = (Mutex::new(()), Integrity::default());
        let in_use = std::sync::Mutex::new(Some(in_use));
        let (newest, growth) = (watch::Sender::new(0), watch::Sender::new(0));
        Self {
            path,
            readers,
            lookups,
            durable_writer,
            log_writer,
            write_lock,
            in_use,
            file,
            integrity,
            newest,
            growth,
            woken: Arc::default(),
        }
    }

    /// Publishes that this row of the log is committed. Every row before it is committed too: ids are given
    /// within the transaction that writes the row, and there is only one such transaction at a time.
    pub(crate) fn set_newest(&self, row: i64) {
        for newest in [&self.newest, &self.growth] {
            newest.send_if_modified(|newest| {
                let is_newer = *newest < row;
                *newest = row.max(*newest);
                is_newer
            });
        }
    }

    /// Whether anything in this process follows the log.
    pub(crate) fn is_followed(&self) -> bool {
        self.newest.receiver_count() > 0
    }

    /// Subscribes to the id of the newest row of the log, and wakes the watcher.
    pub(crate) fn subscribe_to_newest(&self) -> watch::Receiver<i64> {
        let newest = self.newest.subscribe();
        self.woken.notify_one();
        newest
    }

    /// Takes the write lock. Fails if the file was deleted or replaced: everything written to it would be
    /// lost when this process ends.
    pub(crate) async fn lock_writes(&self) -> Result<MutexGuard<'_, ()>, StoreError> {
        let turn = self.write_lock.lock().await;
        if self.is_in_place() {
            return Ok(turn);
        }
        Err(StoreError::Replaced { path: self.path.clone() })
    }

    /// Executes a single statement durably. Returns the number of changed rows.
    pub(crate) async fn execute(
        &self,
        statement: Query<'_, Sqlite, SqliteArguments>,
    ) -> Result<u64, StoreError> {
        let _turn = self.lock_writes().await?;
        let done = statement.execute(&self.durable_writer).await;
        done.map(|done| done.rows_affected()).map_err(|error| self.store_error(error))
    }

    /// Whether the path still leads to the file that was opened.
    pub(crate) fn is_in_place(&self) -> bool {
        self.file == FileId::from_path(&self.path)
    }

    /// Takes the write lock, even if the file was deleted or replaced.
    pub(crate) async fn lock_writes_unchecked(&self) -> MutexGuard<'_, ()> {
        self.write_lock.lock().await
    }

    /// Converts an error of this database.
    pub(crate) fn store_error(&self, error: sqlx::Error) -> StoreError {
        StoreError::from_sql(&self.path, error)
    }

    /// Closes every connection, after its running statements.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.lookups.close().await;
        self.log_writer.close().await;
        // SQLite removes its write-ahead log when the last connection closes, if that connection may write.
        // Otherwise the write-ahead log remains until the next start, and nothing is lost.
        let last = self.durable_writer.acquire().await;
        drop(last);
        self.durable_writer.close().await;
        drop(self.in_use.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// The identity of a file, independent of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileId {
    device: u64,
    number: u64,
}

impl FileId {
    /// The identity of the file at this path. `None` if there is no such file, and on Windows, where an open
    /// file can't be replaced.
    fn from_path(path: &Path) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let found = path.metadata().ok()?;
            Some(Self { device: found.dev(), number: found.ino() })
        }
        #[cfg(not(unix))]
        {
            let _keeps_its_place = path;
            None
        }
    }
}

/// Pages of the write-ahead log (64 MiB) from which on the connection that commits copies them into the
/// database itself, if the checkpointer has not done so. SQLite cuts the file to this size when it restarts
/// the log.
pub(crate) const MAX_WAL_PAGES: u32 = 16_384;

pub(crate) fn writer_options(path: &Path) -> SqliteConnectOptions {
    connection_options(path)
        .pragma("wal_autocheckpoint", MAX_WAL_PAGES.to_string())
        .pragma("journal_size_limit", (MAX_WAL_PAGES * PAGE_SIZE).to_string())
}

/// Options of all connections. They expect that the file exists and is in WAL mode.
pub(crate) fn connection_options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new().filename(path).busy_timeout(BUSY_TIMEOUT).foreign_keys(true)
}
