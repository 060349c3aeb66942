//! Copies the write-ahead log into the database while the writer continues. The copy waits for the disk,
//! which would delay calls.
//!
//! SQLite only restarts its write-ahead log when all of it is copied, and a flood leaves no time for that.
//! Therefore most is copied while the writer writes, and the rest while the writer waits. Only the copy that
//! reaches the end also waits until the database is on disk (<https://www.sqlite.org/wal.html#ckpt>). The
//! writer then waits as long as the disk takes for [`CHECKPOINT_PAGES`]: about 50 to 130 ms in measurements.

use crate::database::{Database, MAX_WAL_PAGES, PAGE_SIZE, connection_options};
use crate::table::log_body::EXTERNAL_BYTES;
use mooring_log::{LogRecord, preview_end};
use sqlx::sqlite::SqliteConnection;
use sqlx::{ConnectOptions, Connection};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// Pages between two checkpoints: 16 MiB. Fewer and larger checkpoints write less, because a page that
/// changes often is copied once.
const CHECKPOINT_PAGES: u64 = 4_000;
/// Pages that any transaction changes: the ends of the table and of its indexes, and the counters.
const BASE_PAGES: u64 = 8;
/// Bytes of a row in the table and the indexes, besides its body.
const ROW_OVERHEAD: usize = 200;

/// Checkpoints the write-ahead log from time to time, in a separate task.
#[derive(Debug)]
pub(super) struct Checkpointer {
    /// Approximate number of pages written since the last checkpoint.
    pages_written: Arc<AtomicU64>,
    /// `None` when the task should end.
    requests: Option<mpsc::Sender<()>>,
    /// Changes after each checkpoint.
    copied: watch::Receiver<()>,
    task: JoinSet<()>,
}

impl Checkpointer {
    pub(super) fn start(database: Arc<Database>) -> Self {
        let (wishes, mut requested) = mpsc::channel(1);
        let (tell, copied) = watch::channel(());
        let pages = Arc::new(AtomicU64::new(0));
        let written = Arc::clone(&pages);
        let mut task = JoinSet::new();
        task.spawn(async move {
            while requested.recv().await.is_some() && !requested.is_closed() {
                // This request came during a checkpoint, which has already copied its pages.
                if written.load(Ordering::Relaxed) < CHECKPOINT_PAGES {
                    continue;
                }
                // Pages that can't be copied now are copied by the next checkpoint, or by the writer. Until
                // then, readers find them in the write-ahead log.
                let _later = checkpoint_database(&database, &written).await;
                tell.send_replace(());
            }
        });
        Self { pages_written: pages, requests: Some(wishes), copied, task }
    }

    /// Counts the pages of a committed transaction with these records, and requests a checkpoint when it is
    /// due.
    pub(super) fn count_written(&mut self, records: &[LogRecord]) {
        let bytes: usize = records.iter().map(|record| ROW_OVERHEAD + inline_bytes(record)).sum();
        let new = BASE_PAGES + u64::try_from(bytes).unwrap_or(u64::MAX) / u64::from(PAGE_SIZE);
        if self.pages_written.fetch_add(new, Ordering::Relaxed) + new >= CHECKPOINT_PAGES {
            // The channel holds one request. Another one isn't needed while it waits.
            let _waits = self.requests.as_ref().map(|wishes| wishes.try_send(()));
        }
    }

    /// Waits for the running checkpoint while the write-ahead log is too long. Don't call this while holding
    /// the write lock, which the checkpoint needs.
    pub(super) async fn wait_for_room(&mut self) {
        while self.pages_written.load(Ordering::Relaxed) >= u64::from(MAX_WAL_PAGES) {
            if self.copied.changed().await.is_err() {
                // The checkpointer has ended. From now on, SQLite copies when a connection commits.
                return;
            }
        }
    }

    /// Ends the task after the running checkpoint.
    pub(super) async fn stop(&mut self) {
        self.requests = None;
        // A task that panicked has ended, too.
        let _ended = self.task.join_next().await;
    }
}

fn inline_bytes(record: &LogRecord) -> usize {
    if record.body.len() < EXTERNAL_BYTES { record.body.len() } else { preview_end(&record.body) }
}

/// Copies the whole write-ahead log, most of it while others write. Resets the counter even on failure, so
/// that the next attempt is not made at once.
async fn checkpoint_database(database: &Database, written: &AtomicU64) -> Result<(), sqlx::Error> {
    let mut db = match connection_options(&database.path).connect().await {
        Ok(db) => db,
        Err(error) => {
            written.store(0, Ordering::Relaxed);
            return Err(error);
        }
    };
    let most = checkpoint_passively(&mut db).await;
    let turn = database.lock_writes_unchecked().await;
    let rest = checkpoint_passively(&mut db).await;
    // The counter is reset before the turn is released, so that the next writer counts from zero.
    written.store(0, Ordering::Relaxed);
    drop(turn);
    db.close().await?;
    most.and(rest)
}

/// Never waits, and leaves out pages that a reader still needs.
async fn checkpoint_passively(db: &mut SqliteConnection) -> Result<(), sqlx::Error> {
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
        let mut checkpoints = Checkpointer::start(Arc::clone(&database));
        let record = LogRecord::sample_frame(vec![b'x'; PAGE_SIZE as usize]);
        let half = vec![record; MAX_WAL_PAGES as usize / 2];
        // Simulates a slow disk: the checkpoint can't end before the lock is released.
        let turn = database.lock_writes_unchecked().await;
        checkpoints.count_written(&half);
        checkpoints.wait_for_room().await;
        checkpoints.count_written(&half);
        assert!(timeout(Duration::from_millis(100), checkpoints.wait_for_room()).await.is_err());
        drop(turn);
        timeout(Duration::from_mins(1), checkpoints.wait_for_room()).await.unwrap();
        assert_eq!(checkpoints.pages_written.load(Ordering::Relaxed), 0);
        checkpoints.stop().await;
    }
}
