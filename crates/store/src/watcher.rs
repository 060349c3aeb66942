//! Watches for commits by other connections, in this process or another one. `PRAGMA data_version` changes
//! with each (<https://www.sqlite.org/pragma.html#pragma_data_version>).

use std::fmt::Display;
use std::future::pending;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use crate::database::Database;
use crate::table::log::read_newest_id;

/// How often the version is read while there are commits.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// How often the version is read while there are no commits, in case the system lost a notification.
const QUIET_INTERVAL: Duration = Duration::from_secs(10);
/// The least time between two notifications of readers of tables. Our own log may commit twenty times a
/// second. In a debug build, reading the tables of 50 servers takes 2 ms, and reading the version 0.1 ms.
const MIN_PAUSE: Duration = Duration::from_secs(2);

/// Notifies that a process may have changed tables other than the log.
#[derive(Clone, Debug)]
pub struct TableChanges(pub(crate) watch::Receiver<()>);

impl TableChanges {
    /// Waits for the next commit. Returns at most 250 ms after it, or two seconds after the last
    /// notification. Never returns once the watcher has ended.
    pub async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            pending::<()>().await;
        }
    }

    /// Waits for the next commit after `read`. If the reading failed, logs `problem` and returns after two
    /// seconds.
    pub async fn changed_after<E: Display>(&mut self, read: Result<(), E>, problem: &str) {
        if let Err(error) = read {
            tracing::warn!(%error, "{problem}");
            sleep(MIN_PAUSE).await;
            self.0.mark_changed();
        }
        self.changed().await;
    }
}

/// Watches until the database is closed. Notifies followers of the log of every commit, and `tables` at most
/// every two seconds.
///
/// Sleeps while there are no commits: the system notifies us of writes to the write-ahead log. If it can't,
/// the version is read every 250 ms.
pub(crate) async fn watch_commits(database: &Database, tables: watch::Sender<()>) {
    let writes = watch_write_ahead_log(database);
    if let Err(error) = &writes {
        tracing::warn!(%error, "the database is read four times a second, because the system can’t watch it");
    }
    let longest = if writes.is_ok() { QUIET_INTERVAL } else { POLL_INTERVAL };
    // The first reading counts as a change, because there may have been commits before it.
    let mut last_version = None;
    let mut is_due = false;
    let mut last_notice: Option<Instant> = None;
    while !database.lookups.is_closed() {
        let is_followed = database.is_followed();
        if is_followed {
            // The process that staged rows does not know that this process follows the log.
            database.move_staged_rows().await;
        }
        // If the version can't be read, there may have been a commit.
        let version = read_version(database, last_version).await.ok();
        is_due |= version.is_none() || version != last_version;
        last_version = version;
        if is_due && last_notice.is_none_or(|at| at.elapsed() >= MIN_PAUSE) {
            is_due = false;
            last_notice = Some(Instant::now());
            tables.send_replace(());
        }
        let pause = if is_due || is_followed { POLL_INTERVAL } else { longest };
        if timeout(pause, database.woken.notified()).await.is_ok() {
            // Waits, so that commits in quick succession are read once.
            sleep(POLL_INTERVAL).await;
        }
    }
}

/// Wakes the watcher whenever a process writes to the write-ahead log, until the result is dropped. Every
/// commit is appended to that log: <https://www.sqlite.org/walformat.html>.
fn watch_write_ahead_log(database: &Database) -> notify::Result<RecommendedWatcher> {
    let woken = Arc::clone(&database.woken);
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        // An error may mean that notifications were lost.
        if !event.is_ok_and(|event| event.kind.is_access()) {
            woken.notify_one();
        }
    })?;
    let mut log = database.path.clone().into_os_string();
    log.push("-wal");
    watcher.watch(Path::new(&log), RecursiveMode::NonRecursive)?;
    Ok(watcher)
}

/// Reads the data version. If it has changed, followers of the log get the id of the newest row.
async fn read_version(database: &Database, last_version: Option<i64>) -> Result<i64, sqlx::Error> {
    let version = sqlx::query_scalar("PRAGMA data_version").fetch_one(&database.lookups).await?;
    if last_version != Some(version) {
        database.set_newest(read_newest_id(&database.lookups).await?);
    }
    Ok(version)
}
