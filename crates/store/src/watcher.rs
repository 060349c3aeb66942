//! Watches for commits by other connections, in this process or another one. `PRAGMA data_version` says whether there
//! was one (<https://www.sqlite.org/pragma.html#pragma_data_version>).

use std::fmt::Display;
use std::future::pending;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use crate::database::Database;
use crate::table::log::newest_id;

/// How often the version is read while something is committed.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// How often it is read while nothing is, in case that the system lost an announcement.
const QUIET_INTERVAL: Duration = Duration::from_secs(10);
/// The least time between two notices to readers of tables: our own log may make twenty commits a second. Reading the
/// tables of 50 servers takes 2 ms in a debug build, reading the version 0.1 ms.
const MIN_PAUSE: Duration = Duration::from_secs(2);

/// Notifies that tables other than the log may have changed, by whatever process.
#[derive(Clone, Debug)]
pub struct TableChanges(pub(crate) watch::Receiver<()>);

impl TableChanges {
    /// Waits for the next commit; at most 250 ms after it, or two seconds after the last notice. Never returns once the
    /// watcher has ended.
    pub async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            pending::<()>().await;
        }
    }

    /// After a reading, waits for the next commit; after one that failed, of which `problem` tells, only a while.
    pub async fn changed_after<E: Display>(&mut self, read: Result<(), E>, problem: &str) {
        if let Err(error) = read {
            tracing::warn!(%error, "{problem}");
            sleep(MIN_PAUSE).await;
            self.0.mark_changed();
        }
        self.changed().await;
    }
}

/// Watches until the database is closed. Followers of the log learn of every commit, `tables` of some.
///
/// Nothing runs while nothing is committed: the system announces writes to the write-ahead log. Where it can't, the
/// version is read every 250 ms.
pub(crate) async fn watch(database: &Database, tables: watch::Sender<()>) {
    let writes = announce_writes(database);
    if let Err(error) = &writes {
        tracing::warn!(%error, "the database is read four times a second, because the system can’t watch it");
    }
    let longest = if writes.is_ok() { QUIET_INTERVAL } else { POLL_INTERVAL };
    // The first version counts as a change: something may have happened before it.
    let mut last_version = None;
    let mut is_due = false;
    let mut last_notice: Option<Instant> = None;
    while !database.lookups.is_closed() {
        let is_followed = database.is_followed();
        if is_followed {
            // The process that staged the rows does not know that a follower here waits for them.
            database.move_staged_rows().await;
        }
        // If the version can't be read, there may have been a commit as well.
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
            // Commits in quick succession are read once.
            sleep(POLL_INTERVAL).await;
        }
    }
}

/// Wakes the watcher whenever a process writes to the write-ahead log, until the result is dropped. Every commit is
/// appended to it: <https://www.sqlite.org/walformat.html>.
fn announce_writes(database: &Database) -> notify::Result<RecommendedWatcher> {
    let woken = Arc::clone(&database.woken);
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        // An error may mean that events were lost.
        if !event.is_ok_and(|event| event.kind.is_access()) {
            woken.notify_one();
        }
    })?;
    let mut log = database.path.clone().into_os_string();
    log.push("-wal");
    watcher.watch(Path::new(&log), RecursiveMode::NonRecursive)?;
    Ok(watcher)
}

/// The database's version as one connection counts it. If it has changed, followers of the log get the newest row's id.
async fn read_version(database: &Database, last_version: Option<i64>) -> Result<i64, sqlx::Error> {
    let version = sqlx::query_scalar("PRAGMA data_version").fetch_one(&database.lookups).await?;
    if last_version != Some(version) {
        database.set_newest(newest_id(&database.lookups).await?);
    }
    Ok(version)
}
