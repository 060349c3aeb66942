//! Copying the write-ahead log into the database while the writer goes on: that waits for the disk, which calls would
//! feel.
//!
//! SQLite starts its write-ahead log anew only when all of it is copied, and a flood leaves no moment for that. So most
//! is copied while the writer writes, and what came meanwhile while it waits. Only the copy that reaches the end also
//! waits until the database is on the disk (<https://www.sqlite.org/wal.html#ckpt>), so the writer still waits then,
//! for as long as the disk takes for [`PAGES`]: about 50 to 130 ms where this was measured.

use super::insert::preview_end;
use crate::database::{Database, PAGE_SIZE, WAL_MOST, options};
use crate::table::log::LogRecord;
use crate::table::log_body::APART;
use sqlx::sqlite::SqliteConnection;
use sqlx::{ConnectOptions, Connection};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// Pages between two copies: 16 MiB. Fewer and larger ones write less, because a page that has changed often is
/// copied once.
const PAGES: u64 = 4_000;
/// Pages that any transaction changes: the ends of the table and its indexes, and the counts.
const ANY: u64 = 8;
/// Bytes of a row beside its body, with its places in the indexes.
const ROW: usize = 200;

/// Has the write-ahead log copied from time to time.
#[derive(Debug)]
pub(super) struct Checkpoints {
    /// How many were written since the last copy, about.
    pages: Arc<AtomicU64>,
    /// Nothing when the task shall end.
    wishes: Option<mpsc::Sender<()>>,
    /// Tells of each copy that has ended.
    copied: watch::Receiver<()>,
    task: JoinSet<()>,
}

impl Checkpoints {
    pub(super) fn start(database: Arc<Database>) -> Self {
        let (wishes, mut wished) = mpsc::channel(1);
        let (tell, copied) = watch::channel(());
        let pages = Arc::new(AtomicU64::new(0));
        let written = Arc::clone(&pages);
        let mut task = JoinSet::new();
        task.spawn(async move {
            while wished.recv().await.is_some() && !wished.is_closed() {
                // A wish that came during a copy, which has seen to it.
                if written.load(Ordering::Relaxed) < PAGES {
                    continue;
                }
                // What is not copied now is copied the next time, by the writer if need be. Until then readers find
                // it in the write-ahead log.
                let _later = copy(&database, &written).await;
                tell.send_replace(());
            }
        });
        Self { pages, wishes: Some(wishes), copied, task }
    }

    /// A transaction with these records was committed, by who still has the turn.
    pub(super) fn wrote(&mut self, records: &[LogRecord]) {
        let bytes: usize = records.iter().map(|record| ROW + inline(record)).sum();
        let new = ANY + u64::try_from(bytes).unwrap_or(u64::MAX) / u64::from(PAGE_SIZE);
        if self.pages.fetch_add(new, Ordering::Relaxed) + new >= PAGES {
            // While one waits for its turn there is no need for another.
            let _waits = self.wishes.as_ref().map(|wishes| wishes.try_send(()));
        }
    }

    /// Waits while so much is not copied yet that the write-ahead log would grow without end: on a slow disk, until the
    /// copy under way has ended. For who does not have the turn, which a copy needs.
    pub(super) async fn room(&mut self) {
        while self.pages.load(Ordering::Relaxed) >= u64::from(WAL_MOST) {
            if self.copied.changed().await.is_err() {
                // Nobody copies any more but whoever commits.
                return;
            }
        }
    }

    /// Waits for the copy under way, if any.
    pub(super) async fn end(&mut self) {
        self.wishes = None;
        // One that panicked has ended, too.
        let _ended = self.task.join_next().await;
    }
}

/// How much of the record's body is in the database.
fn inline(record: &LogRecord) -> usize {
    if record.body.len() < APART { record.body.len() } else { preview_end(&record.body) }
}

/// Copies everything, most of it while others write. However that ends, it is not tried again before as much was
/// written once more.
async fn copy(database: &Database, written: &AtomicU64) -> Result<(), sqlx::Error> {
    let mut db = match options(&database.path).connect().await {
        Ok(db) => db,
        Err(error) => {
            written.store(0, Ordering::Relaxed);
            return Err(error);
        }
    };
    let most = copy_what_is_there(&mut db).await;
    let turn = database.turn_anyway().await;
    let rest = copy_what_is_there(&mut db).await;
    // Whoever writes counts while it has the turn.
    written.store(0, Ordering::Relaxed);
    drop(turn);
    db.close().await?;
    most.and(rest)
}

/// Waits for nobody, and leaves what somebody still reads or what came meanwhile.
async fn copy_what_is_there(db: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(db).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use std::time::Duration;
    use tokio::time::timeout;

    #[tokio::test]
    async fn writer_waits_only_for_a_checkpoint_that_is_too_slow() {
        let home = tempfile::tempdir().unwrap();
        let database = Store::open(home.path()).await.unwrap().database;
        let mut checkpoints = Checkpoints::start(Arc::clone(&database));
        let record = LogRecord::frame(vec![b'x'; PAGE_SIZE as usize]);
        let half = vec![record; WAL_MOST as usize / 2];
        // As a disk that takes long: the copy cannot end before this is given back.
        let turn = database.turn_anyway().await;
        checkpoints.wrote(&half);
        checkpoints.room().await;
        checkpoints.wrote(&half);
        assert!(timeout(Duration::from_millis(100), checkpoints.room()).await.is_err());
        drop(turn);
        timeout(Duration::from_mins(1), checkpoints.room()).await.unwrap();
        assert_eq!(checkpoints.pages.load(Ordering::Relaxed), 0);
        checkpoints.end().await;
    }
}
