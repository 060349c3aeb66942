//! Prepares a batch: finishes its records before they are written.

use super::RecordFinisher;
use mooring_disk::StoreError;
use mooring_log::{LogRecord, Queued, clip};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

/// A record to be written, or a command to the writer.
#[derive(Debug)]
pub(super) enum QueueItem {
    /// Is written with the next batch.
    Record(LogRecord),
    /// Is finished first, and then written with the next batch.
    Unfinished(LogRecord, Arc<dyn RecordFinisher>),
    /// Answered when every record before it is written or given up.
    Flush(oneshot::Sender<()>),
    /// Answered when every record before it is staged, written or given up.
    Persist(oneshot::Sender<()>),
    /// Deletes the whole log. Answered with the number of deleted rows.
    Clear(oneshot::Sender<Result<u64, StoreError>>),
}

impl Queued for QueueItem {
    fn bytes(&self) -> usize {
        match self {
            Self::Record(record) | Self::Unfinished(record, _) => record.body.len(),
            Self::Flush(_) | Self::Persist(_) | Self::Clear(_) => 0,
        }
    }

    fn is_urgent(&self) -> bool {
        matches!(self, Self::Flush(_) | Self::Persist(_) | Self::Clear(_))
    }
}

/// A batch that is ready to be written.
#[derive(Debug)]
pub(super) struct PreparedBatch {
    pub(super) records: Result<Vec<LogRecord>, FinisherPanic>,
    /// The number of records.
    pub(super) count: usize,
    /// Senders to answer once every record is written.
    pub(super) flushes: Vec<oneshot::Sender<()>>,
    /// Senders to answer once every record is staged or written.
    pub(super) persists: Vec<oneshot::Sender<()>>,
    /// Senders to answer once the log is cleared.
    pub(super) clears: Vec<oneshot::Sender<Result<u64, StoreError>>>,
}

impl PreparedBatch {
    /// Finishes the records of a batch, and sorts its commands.
    pub(super) async fn from_items(items: Vec<QueueItem>) -> Self {
        let mut records = Vec::with_capacity(items.len());
        let mut finishers = Vec::with_capacity(items.len());
        let (mut flushes, mut persists, mut clears) = (Vec::new(), Vec::new(), Vec::new());
        for item in items {
            let (record, finish) = match item {
                QueueItem::Record(record) => (record, None),
                QueueItem::Unfinished(record, finish) => (record, Some(finish)),
                QueueItem::Flush(answer) => {
                    flushes.push(answer);
                    continue;
                }
                QueueItem::Persist(answer) => {
                    persists.push(answer);
                    continue;
                }
                QueueItem::Clear(answer) => {
                    clears.push(answer);
                    continue;
                }
            };
            records.push(record);
            finishers.push(finish);
        }
        let count = records.len();
        Self { records: finish_records(records, finishers).await, count, flushes, persists, clears }
    }
}

/// Bytes of bodies from which on records are finished on a blocking thread, because a server decides how many
/// bytes there are.
const BLOCKING_BYTES: usize = 4 << 10;

/// A [`RecordFinisher`] panicked. The panic's message is dropped, since it may quote what was to be redacted.
#[derive(Debug)]
pub(super) struct FinisherPanic;

/// Finishes each record with the finisher at its index.
async fn finish_records(
    mut records: Vec<LogRecord>,
    finishers: Vec<Option<Arc<dyn RecordFinisher>>>,
) -> Result<Vec<LogRecord>, FinisherPanic> {
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
    if bytes < BLOCKING_BYTES {
        // A panic drops all records, so that no half-finished one is written.
        catch_unwind(AssertUnwindSafe(finish_all)).map_err(|_| FinisherPanic)
    } else {
        spawn_blocking(finish_all).await.map_err(|_| FinisherPanic)
    }
}
