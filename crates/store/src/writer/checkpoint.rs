//! Copying the write-ahead log into the database while the writer goes on: a copy waits for the disk for about a
//! tenth of a second, which calls would feel.
//!
//! SQLite starts its write-ahead log anew only when all of it was copied, and in a flood it never is. So it is still
//! the writer who does that, but seldom, and with little left to copy (<https://www.sqlite.org/wal.html#ckpt>).

use super::insert::preview_end;
use crate::database::{PAGE_SIZE, options};
use crate::table::log::LogRecord;
use crate::table::log_body::APART;
use sqlx::{ConnectOptions, Connection};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Pages from which on the writer copies them itself: 64 MiB.
pub(super) const MOST: u64 = 16_000;
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
    /// How much was written since the last copy, about.
    pages: u64,
    /// Nothing when the task shall end.
    wishes: Option<mpsc::Sender<()>>,
    task: JoinSet<()>,
}

impl Checkpoints {
    pub(super) fn start(path: PathBuf) -> Self {
        let (wishes, mut wished) = mpsc::channel(1);
        let mut task = JoinSet::new();
        task.spawn(async move {
            while wished.recv().await.is_some() {
                // What is not copied now is copied the next time, by the writer if need be. Where that fails,
                // it is not known whether the disk has the transactions, and the writer says so.
                let _later = copy(&path).await;
            }
        });
        Self { pages: 0, wishes: Some(wishes), task }
    }

    /// A transaction with these records was committed.
    pub(super) fn wrote(&mut self, records: &[LogRecord]) {
        let bytes: usize = records.iter().map(|record| ROW + inline(record)).sum();
        self.pages += ANY + u64::try_from(bytes).unwrap_or(u64::MAX) / u64::from(PAGE_SIZE);
        if self.pages >= PAGES {
            self.pages = 0;
            // While one waits for its turn there is no need for another.
            let _waits = self.wishes.as_ref().map(|wishes| wishes.try_send(()));
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

/// Copies what can be copied without waiting for anybody.
async fn copy(path: &Path) -> Result<(), sqlx::Error> {
    let mut db = options(path).connect().await?;
    let copied = sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(&mut db).await;
    db.close().await?;
    copied.map(drop)
}
