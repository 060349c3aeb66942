//! The open database: who connects to it and how.

use crate::error::StoreError;
use mooring_base::integrity::Integrity;
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
/// How long a reader that moves staged rows waits for that.
const READER_BUSY_TIMEOUT: Duration = Duration::from_millis(200);
/// Bytes of a page of a database that we make.
pub(crate) const PAGE_SIZE: u32 = 4096;
const MAX_READERS: u32 = 4;
/// Rows that a reading connection prepares ahead: an ordinary page at one go, since handing
/// over costs more than a row.
const PAGE_ROWS: usize = 256;

/// The file, and the connections to it.
#[derive(Debug)]
pub(crate) struct Database {
    pub(crate) path: PathBuf,
    /// Read-only, so that paging never waits for a writer.
    pub(crate) readers: SqlitePool,
    /// Read-only, for what is found at once, such as the saved servers: searching the log with every
    /// one of the `readers` does not keep it waiting. It is one and the same connection for good: others' commits are
    /// noticed by what it counts.
    pub(crate) lookups: SqlitePool,
    /// One connection that commits to the disk itself (synchronous FULL).
    pub(crate) durable_writer: SqlitePool,
    /// One connection for moving staged rows when they are read. It commits like the log's writer, and waits less.
    pub(crate) log_writer: SqlitePool,
    /// SQLite has one writer at a time and lets the others poll. Ours take turns here, so that
    /// a flood of log rows does not starve a change of a setting.
    write_lock: Mutex<()>,
    /// Locked for as long as the database is open, so that no other process replaces the file.
    in_use: std::sync::Mutex<Option<File>>,
    /// Which file it is, if the system can identify it.
    file: Option<FileId>,
    /// The data that the host's key authenticates.
    pub(crate) integrity: Integrity,
    /// The newest row of the log that is known of; 0 before the first.
    newest: watch::Sender<i64>,
    /// The newest row of the log as well, for readers that need not follow at once.
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

    /// This row of the log is committed, and so is every row before it: ids are given within the transaction that
    /// writes the row, and there is one of those at a time.
    pub(crate) fn set_newest(&self, row: i64) {
        for newest in [&self.newest, &self.growth] {
            newest.send_if_modified(|newest| {
                let is_newer = *newest < row;
                *newest = row.max(*newest);
                is_newer
            });
        }
    }

    /// Whether somebody in this process follows the log.
    pub(crate) fn is_followed(&self) -> bool {
        self.newest.receiver_count() > 0
    }

    /// The newest row of the log that is known of.
    pub(crate) fn newest(&self) -> watch::Receiver<i64> {
        let newest = self.newest.subscribe();
        self.woken.notify_one();
        newest
    }

    /// Takes the write lock. Fails when the file was deleted or replaced: what is written to it then is lost when
    /// this process ends.
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

    /// Whether the file that was opened still has its place.
    pub(crate) fn is_in_place(&self) -> bool {
        self.file == FileId::from_path(&self.path)
    }

    /// Takes the write lock, also when the file was deleted or replaced.
    pub(crate) async fn lock_writes_unchecked(&self) -> MutexGuard<'_, ()> {
        self.write_lock.lock().await
    }

    /// Converts an error of this database.
    pub(crate) fn store_error(&self, error: sqlx::Error) -> StoreError {
        StoreError::from_sql(&self.path, error)
    }

    /// Closes every connection; statements under way end first.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.lookups.close().await;
        self.log_writer.close().await;
        // SQLite removes its write-ahead log when the last connection closes, if that one may write.
        // Otherwise the log remains until the next start, and nothing is lost.
        let last = self.durable_writer.acquire().await;
        drop(last);
        self.durable_writer.close().await;
        drop(self.in_use.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// Identity of a file, independent of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileId {
    device: u64,
    number: u64,
}

impl FileId {
    /// Opens the file at this path, if it exists. On Windows an open file can't be replaced.
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

/// Pages of the write-ahead log at which the connection that commits copies them into the database itself, if
/// the checkpointer has not done so: 64 MiB. The file is cut to that size when SQLite restarts the log.
pub(crate) const MAX_WAL_PAGES: u32 = 16_384;

/// Options of all connections that write.
pub(crate) fn writer_options(path: &Path) -> SqliteConnectOptions {
    connection_options(path)
        .pragma("wal_autocheckpoint", MAX_WAL_PAGES.to_string())
        .pragma("journal_size_limit", (MAX_WAL_PAGES * PAGE_SIZE).to_string())
}

/// Options of all connections. The file exists and is in WAL mode.
pub(crate) fn connection_options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new().filename(path).busy_timeout(BUSY_TIMEOUT).foreign_keys(true)
}
