//! The one watcher of what others commit to the database: other processes, and the rest of this one.
//!
//! SQLite tells nobody of another's commit, but a connection knows whether there was one since it last looked
//! (`PRAGMA data_version`, <https://www.sqlite.org/pragma.html#pragma_data_version>), without reading any table.

use crate::database::Database;
use crate::table::log::newest_id;
use std::future::pending;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

/// How often it is looked.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// For how long whoever reads tables is left alone after being woken. A batch of our own log is a commit as well, and
/// while servers talk there are up to twenty a second. Reading the tables of 50 servers takes 2 ms in a debug build, a look
/// 0.1 ms: so seldom, it costs no more than when nothing was known of commits, and nothing while there are none.
const MIN_PAUSE: Duration = Duration::from_secs(2);

/// Tells that tables beside the log may have changed, whoever changed them.
#[derive(Clone, Debug)]
pub struct TableChanges(pub(crate) watch::Receiver<()>);

impl TableChanges {
    /// Waits for a commit that was not told of yet: a quarter of a second at most, and two seconds after the last one.
    /// Never returns once nobody watches any more.
    pub async fn next(&mut self) {
        if self.0.changed().await.is_err() {
            pending::<()>().await;
        }
    }

    /// What was to be read could not be: after a while that counts as another change.
    pub async fn again(&mut self) {
        sleep(MIN_PAUSE).await;
        self.0.mark_changed();
    }
}

/// Watches until the database is closed. Followers of the log are told of every commit, `tables` of some.
pub(crate) async fn run(database: &Database, tables: watch::Sender<()>) {
    let mut ticks = interval(POLL_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // Whatever the first look finds counts as a change: so does what happened before it.
    let mut seen = None;
    let mut is_due = false;
    let mut told: Option<Instant> = None;
    while !database.lookups.is_closed() {
        ticks.tick().await;
        // Where it cannot be looked there may have been a commit as well.
        let version = look(database, seen).await.ok();
        is_due |= version.is_none() || version != seen;
        seen = version;
        if is_due && told.is_none_or(|told| told.elapsed() >= MIN_PAUSE) {
            is_due = false;
            told = Some(Instant::now());
            tables.send_replace(());
        }
    }
}

/// The database's version as one connection counts it. Where it is another one, followers of the log hear of its newest
/// row.
async fn look(database: &Database, seen: Option<i64>) -> Result<i64, sqlx::Error> {
    let version = sqlx::query_scalar("PRAGMA data_version").fetch_one(&database.lookups).await?;
    if seen != Some(version) {
        database.set_newest(newest_id(&database.lookups).await?);
    }
    Ok(version)
}
