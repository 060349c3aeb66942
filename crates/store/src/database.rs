//! The open database: who connects to it and how.

use crate::error::StoreError;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions, SqliteSynchronous};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::Mutex;

/// How long a statement waits for another process's transaction.
pub(crate) const BUSY: Duration = Duration::from_secs(5);
/// Bytes of a page of a database that we make.
pub(crate) const PAGE_SIZE: u32 = 4096;
const READERS: u32 = 4;
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
    /// one of the `readers` does not keep it waiting.
    pub(crate) lookups: SqlitePool,
    /// One connection that commits to the disk itself (synchronous FULL).
    pub(crate) configuration: SqlitePool,
    /// SQLite has one writer at a time and lets the others poll. Ours take turns here, so that
    /// a flood of log rows does not starve a change of a setting.
    pub(crate) turn: Mutex<()>,
}

impl Database {
    pub(crate) fn new(path: PathBuf) -> Self {
        let reading = |connections, options: SqliteConnectOptions| {
            SqlitePoolOptions::new()
                .max_connections(connections)
                .test_before_acquire(false)
                .connect_lazy_with(options.read_only(true))
        };
        let readers = reading(READERS, options(&path).row_buffer_size(PAGE_ROWS));
        let lookups = reading(1, options(&path));
        let configuration =
            SqlitePoolOptions::new().max_connections(1).test_before_acquire(false).connect_lazy_with(
                writing(&path).synchronous(SqliteSynchronous::Full).pragma("secure_delete", "ON"),
            );
        Self { path, readers, lookups, configuration, turn: Mutex::new(()) }
    }

    /// Sorts an error of this database.
    pub(crate) fn fault(&self, error: sqlx::Error) -> StoreError {
        StoreError::from_sql(&self.path, error)
    }

    /// Closes every connection; statements under way end first.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.lookups.close().await;
        // SQLite tidies its write-ahead log away when the last connection closes, if that one
        // may write. Without it the log stays until the next start, and nothing is lost.
        let last = self.configuration.acquire().await;
        drop(last);
        self.configuration.close().await;
    }
}

/// Pages of the write-ahead log from which on whoever commits copies them into the database, should nobody else have
/// done so: 64 MiB. The file is cut to that when it begins anew.
pub(crate) const WAL_MOST: u32 = 16_384;

/// What the connections have in common that write.
pub(crate) fn writing(path: &Path) -> SqliteConnectOptions {
    options(path)
        .pragma("wal_autocheckpoint", WAL_MOST.to_string())
        .pragma("journal_size_limit", (WAL_MOST * PAGE_SIZE).to_string())
}

/// What every connection has in common. The file exists and is in WAL mode already.
pub(crate) fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new().filename(path).busy_timeout(BUSY).foreign_keys(true)
}

/// Now, in microseconds since the Unix epoch.
pub(crate) fn now_us() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_micros()).unwrap_or(i64::MAX)
}
