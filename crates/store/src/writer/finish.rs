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
    pub(super) decisions: Vec<Decision>,
    /// Who waits until everything before is written.
    pub(super) flushes: Vec<oneshot::Sender<()>>,
}

/// Where a decision is among the records, and who waits for it.
pub(super) type Decision = (usize, oneshot::Sender<Result<i64, StoreError>>);

impl Ready {
    /// Makes the items of a batch ready.
    pub(super) async fn of(items: Vec<Item>) -> Self {
        let mut unfinished = Vec::with_capacity(items.len() + 1);
        let mut decisions = Vec::new();
        let mut flushes = Vec::new();
        for item in items {
            match item {
                Item::Record(record) => unfinished.push((record, None)),
                Item::Unfinished(record, finish) => unfinished.push((record, Some(finish))),
                Item::Decision(record, answer) => {
                    decisions.push((unfinished.len(), answer));
                    unfinished.push((record, None));
                }
                Item::Flush(answer) => flushes.push(answer),
            }
        }
        let count = unfinished.len();
        Self { records: finished(unfinished).await, count, decisions, flushes }
    }
}

/// Bytes of bodies from which on it is done where no other task waits for it.
const ASIDE: usize = 64 << 10;

/// A record with who finishes it.
type Unfinished = (LogRecord, Option<Arc<dyn Finish>>);

/// Who should have finished a record has panicked. What it said is not kept: it may quote what was to be taken out.
#[derive(Debug)]
pub(super) struct Panicked;

/// The finished records, in the same order.
async fn finished(records: Vec<Unfinished>) -> Result<Vec<LogRecord>, Panicked> {
    let bytes: usize = records.iter().map(|(record, _)| record.body.len()).sum();
    let finish_all = || records.into_iter().map(finish).collect();
    if bytes < ASIDE {
        // The records go with a panic, so that nobody sees one that is half finished.
        catch_unwind(AssertUnwindSafe(finish_all)).map_err(|_| Panicked)
    } else {
        spawn_blocking(finish_all).await.map_err(|_| Panicked)
    }
}

fn finish((mut record, finish): Unfinished) -> LogRecord {
    if let Some(finish) = finish {
        finish.finish(&mut record);
    }
    clip(&mut record);
    record
}
