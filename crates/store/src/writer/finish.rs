//! Making a batch ready: doing what is left to do to its records before they are written.

use super::Finish;
use super::insert::clip;
use super::queue::Item;
use crate::error::StoreError;
use crate::table::log::LogRecord;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

/// A batch that only has to be written.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) records: Result<Vec<LogRecord>, Panicked>,
    /// How many records there are, or were.
    pub(super) count: usize,
    /// Who waits until everything before is written.
    pub(super) flushes: Vec<oneshot::Sender<()>>,
    /// Who waits until everything that was written is deleted.
    pub(super) clears: Vec<oneshot::Sender<Result<u64, StoreError>>>,
}

impl Ready {
    /// Makes the items of a batch ready.
    pub(super) async fn of(items: Vec<Item>) -> Self {
        let mut records = Vec::with_capacity(items.len());
        let mut finishers = Vec::with_capacity(items.len());
        let (mut flushes, mut clears) = (Vec::new(), Vec::new());
        for item in items {
            let (record, finish) = match item {
                Item::Record(record) => (record, None),
                Item::Unfinished(record, finish) => (record, Some(finish)),
                Item::Flush(answer) => {
                    flushes.push(answer);
                    continue;
                }
                Item::Clear(answer) => {
                    clears.push(answer);
                    continue;
                }
            };
            records.push(record);
            finishers.push(finish);
        }
        let count = records.len();
        Self { records: finished(records, finishers).await, count, flushes, clears }
    }
}

/// Bytes of bodies from which on it is done where no other task waits for it: a server chooses what they hold.
const ASIDE: usize = 4 << 10;

/// Who should have finished a record has panicked. What it said is not kept: it may quote what was to be taken out.
#[derive(Debug)]
pub(super) struct Panicked;

/// The records, each finished by who is in its place.
async fn finished(
    mut records: Vec<LogRecord>,
    finishers: Vec<Option<Arc<dyn Finish>>>,
) -> Result<Vec<LogRecord>, Panicked> {
    let bytes: usize = records.iter().map(|record| record.body.len()).sum();
    let finish_all = move || {
        for (record, finish) in records.iter_mut().zip(finishers) {
            if let Some(finish) = finish {
                finish.finish(record);
            }
            clip(record);
        }
        records
    };
    if bytes < ASIDE {
        // The records go with a panic, so that nobody sees one that is half finished.
        catch_unwind(AssertUnwindSafe(finish_all)).map_err(|_| Panicked)
    } else {
        spawn_blocking(finish_all).await.map_err(|_| Panicked)
    }
}
