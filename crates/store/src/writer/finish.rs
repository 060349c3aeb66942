//! Prepares a batch: completes its records before they are written.

use super::RecordFinisher;
use crate::error::StoreError;
use mooring_log::{LogRecord, Queued, clip};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

/// A record to be written, or a command to the writer.
#[derive(Debug)]
pub(super) enum QueueItem {
    /// To write with the next batch.
    Record(LogRecord),
    /// To complete first, then to write with its batch.
    Unfinished(LogRecord, Arc<dyn RecordFinisher>),
    /// Answered when everything before it is written or given up.
    Flush(oneshot::Sender<()>),
    /// Answered when everything before it is staged, written or given up.
    Persist(oneshot::Sender<()>),
    /// Everything that was written is to be deleted; answered with how many rows that were.
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

/// A batch that only has to be written.
#[derive(Debug)]
pub(super) struct PreparedBatch {
    pub(super) records: Result<Vec<LogRecord>, FinisherPanic>,
    /// The number of records.
    pub(super) count: usize,
    /// Senders to answer once everything before is written.
    pub(super) flushes: Vec<oneshot::Sender<()>>,
    /// Senders to answer once everything before is at least staged.
    pub(super) persists: Vec<oneshot::Sender<()>>,
    /// Senders to answer once the log is deleted.
    pub(super) clears: Vec<oneshot::Sender<Result<u64, StoreError>>>,
}

impl PreparedBatch {
    /// Makes the items of a batch ready.
    pub(super) async fn prepare(items: Vec<QueueItem>) -> Self {
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

/// Bytes of bodies from which on finishing runs on a blocking thread: a server chooses how much there is.
const BLOCKING_BYTES: usize = 4 << 10;

/// A [`RecordFinisher`] panicked. Its message is dropped, since it may quote what was to be redacted.
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
        // A panic drops the records, so that no half-finished one is written.
        catch_unwind(AssertUnwindSafe(finish_all)).map_err(|_| FinisherPanic)
    } else {
        spawn_blocking(finish_all).await.map_err(|_| FinisherPanic)
    }
}
