//! Copies the write-ahead log into the database while the writer continues, because that waits for the disk,
//! which calls would notice.
//!
//! SQLite only restarts its write-ahead log when all of it is copied, and a flood leaves no time for that. So
//! most is copied while the writer writes, and the rest while the writer waits. Only the copy that reaches
//! the end also waits until the database is on disk (<https://www.sqlite.org/wal.html#ckpt>). The writer then
//! waits as long as the disk takes for [`CHECKPOINT_PAGES`]: about 50 to 130 ms in measurements.

use crate::database::{Database, MAX_WAL_PAGES, PAGE_SIZE, connection_options};
use crate::table::log_body::EXTERNAL_BYTES;
use mooring_log::{LogRecord, preview_end};
use sqlx::sqlite::SqliteConnection;
use sqlx::{ConnectOptions, Connection};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// Pages between two copies: 16 MiB. Fewer and larger ones write less, because a page that has changed often is
/// copied once.
const CHECKPOINT_PAGES: u64 = 4_000;
/// Pages that any transaction changes: the ends of the table and its indexes, and the counts.
const BASE_PAGES: u64 = 8;
/// Bytes of a row beside its body, with its places in the indexes.
const ROW_OVERHEAD: usize = 200;

/// Checkpoints the write-ahead log from time to time, in a separate task.
#[derive(Debug)]
pub(super) struct Checkpointer {
    /// Approximate number of pages written since the last copy.
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
                // A wish that came during a copy, which has seen to it.
                if written.load(Ordering::Relaxed) < CHECKPOINT_PAGES {
                    continue;
                }
                // What is not copied now is copied the next time, by the writer if necessary. Until then
                // readers find it in the write-ahead log.
                let _later = checkpoint(&database, &written).await;
                tell.send_replace(());
            }
        });
        Self { pages_written: pages, requests: Some(wishes), copied, task }
    }

    /// Counts a committed transaction with these records; requests a checkpoint when it is time.
    pub(super) fn count_written(&mut self, records: &[LogRecord]) {
        let bytes: usize = records.iter().map(|record| ROW_OVERHEAD + inline_bytes(record)).sum();
        let new = BASE_PAGES + u64::try_from(bytes).unwrap_or(u64::MAX) / u64::from(PAGE_SIZE);
        if self.pages_written.fetch_add(new, Ordering::Relaxed) + new >= CHECKPOINT_PAGES {
            // While one waits for its turn there is no need for another.
            let _waits = self.requests.as_ref().map(|wishes| wishes.try_send(()));
        }
    }

    /// Waits while the write-ahead log is too long, until the running checkpoint has ended. Not while holding the
    /// write lock, which the checkpoint needs.
    pub(super) async fn wait_for_room(&mut self) {
        while self.pages_written.load(Ordering::Relaxed) >= u64::from(MAX_WAL_PAGES) {
            if self.copied.changed().await.is_err() {
                // The checkpointer has ended; from now on SQLite copies when a connection commits.
                return;
            }
        }
    }

    /// Waits for the copy under way, if any.
    pub(super) async fn stop(&mut self) {
        self.requests = None;
        // One that panicked has ended, too.
        let _ended = self.task.join_next().await;
    }
}

fn inline_bytes(record: &LogRecord) -> usize {
    if record.body.len() < EXTERNAL_BYTES { record.body.len() } else { preview_end(&record.body) }
}

/// Checkpoints everything, most of it while others write. Whether it succeeds or not, the next one comes only after
/// as many pages.
async fn checkpoint(database: &Database, written: &AtomicU64) -> Result<(), sqlx::Error> {
    let mut db = match connection_options(&database.path).connect().await {
        Ok(db) => db,
        Err(error) => {
            written.store(0, Ordering::Relaxed);
            return Err(error);
        }
    };
    let most = checkpoint_passive(&mut db).await;
    let turn = database.lock_writes_unchecked().await;
    let rest = checkpoint_passive(&mut db).await;
    // Reset before the turn is released: the next writer counts its pages from zero.
    written.store(0, Ordering::Relaxed);
    drop(turn);
    db.close().await?;
    most.and(rest)
}

/// Never waits, and leaves pages that a reader still needs.
async fn checkpoint_passive(db: &mut SqliteConnection) -> Result<(), sqlx::Error> {
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
        // As a disk that takes long: the copy cannot end before this is given back.
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
