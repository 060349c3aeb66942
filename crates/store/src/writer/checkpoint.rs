//! Copying the write-ahead log into the database while the writer goes on: that waits for the disk for about a tenth of
//! a second, which calls would feel.
//!
//! SQLite starts its write-ahead log anew only when all of it is copied, and a flood leaves no moment for that. So most
//! is copied while the writer writes, and what came meanwhile while it waits
//! (<https://www.sqlite.org/wal.html#ckpt>).

use super::insert::preview_end;
use crate::database::{Database, PAGE_SIZE, options};
use crate::table::log::LogRecord;
use crate::table::log_body::APART;
use sqlx::sqlite::SqliteConnection;
use sqlx::{ConnectOptions, Connection};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Pages from which on the writer copies them itself, should that not have been done: 64 MiB.
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
    pub(super) fn start(database: Arc<Database>) -> Self {
        let (wishes, mut wished) = mpsc::channel(1);
        let mut task = JoinSet::new();
        task.spawn(async move {
            while wished.recv().await.is_some() {
                // What is not copied now is copied the next time, by the writer if need be. Until then readers find
                // it in the write-ahead log.
                let _later = copy(&database).await;
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

/// Copies everything, most of it while others write.
async fn copy(database: &Database) -> Result<(), sqlx::Error> {
    let mut db = options(&database.path).connect().await?;
    let most = copy_what_is_there(&mut db).await;
    let turn = database.turn.lock().await;
    let rest = copy_what_is_there(&mut db).await;
    drop(turn);
    db.close().await?;
    most.and(rest)
}

/// Waits for nobody, and leaves what somebody still reads or what came meanwhile.
async fn copy_what_is_there(db: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(db).await.map(drop)
}
