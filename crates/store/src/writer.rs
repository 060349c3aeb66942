//! The log's single writer: one task, one connection, rows in batches.
//!
//! A batch is one transaction: up to 1,000 rows, or the rows of 50 ms. Rows that can't be written are
//! counted, and one gap row reports them as soon as writing works again. Meanwhile, the application
//! continues.

mod bodies;
mod checkpoint;
mod finish;
mod task;

use crate::database::Database;
use finish::QueueItem;
use mooring_base::clock::Clock;
use mooring_disk::StoreError;
use mooring_log::LogRecord;
use mooring_log::{PushError, Queue, Retention};
use mooring_words::Sentence;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use task::WriterTask;
use thiserror::Error;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

/// The bounds of a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterOptions {
    /// Records that may wait to be written.
    pub queue_records: usize,
    /// Bytes of bodies that may wait to be written.
    pub queue_bytes: usize,
    /// Size of the database and the files of long bodies above which the oldest rows are deleted.
    pub keep_bytes: u64,
    /// Age after which a row is deleted. `None` if rows are only deleted when the log is too large.
    pub keep_for: Option<Duration>,
    /// Maximum size of the database. Beyond it, writing fails as on a full disk.
    pub max_bytes: u64,
}

impl Default for WriterOptions {
    /// 4,096 records and 16 MiB in the queue, 1 GiB without an age limit, 4 GiB at most.
    fn default() -> Self {
        Self {
            queue_records: 4_096,
            queue_bytes: 16 << 20,
            keep_bytes: 1 << 30,
            keep_for: None,
            max_bytes: 4 << 30,
        }
    }
}

impl From<usize> for WriterOptions {
    /// The default bounds, with room for this many records in the queue.
    fn from(queue_records: usize) -> Self {
        Self { queue_records, ..Self::default() }
    }
}

/// Whether the log can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriterHealth {
    /// Writing works.
    Ok,
    /// Writing fails for now, and is retried.
    Failing {
        /// Why it fails.
        message: Sentence,
        /// The number of records lost since it began to fail.
        dropped: u64,
    },
}

/// The writer was closed before the record came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the log is closed")]
pub struct WriterClosed;

/// Finishes records in the writer's task, for example by redacting secrets, so that callers don't wait for
/// it. No record is written or published before it is finished.
pub trait RecordFinisher: fmt::Debug + Send + Sync {
    /// Finishes a record.
    fn finish(&self, record: &mut LogRecord);
}

/// Sends records to the log's writer. Cheap to clone. When the last clone is dropped, the writer stops at
/// once and drops the queued records, so [`close`](Self::close) it first.
#[derive(Clone, Debug)]
pub struct LogWriter {
    queue: Arc<Queue<QueueItem>>,
    health: watch::Receiver<WriterHealth>,
    retention: Arc<Retention>,
    /// Owns the writer's task.
    _task: Arc<JoinSet<()>>,
}

impl LogWriter {
    pub(crate) fn start(database: Arc<Database>, options: WriterOptions, clock: Clock) -> Self {
        let queue = Arc::new(Queue::new(options.queue_records, options.queue_bytes, task::BATCH));
        let (health, health_receiver) = watch::channel(WriterHealth::Ok);
        let task = WriterTask::new(database, options, Arc::clone(&queue), health, clock);
        let retention = Arc::clone(&task.retention);
        let mut owner = JoinSet::new();
        owner.spawn(task.run());
        Self { queue, health: health_receiver, retention, _task: Arc::new(owner) }
    }

    /// Changes [`keep_bytes`](WriterOptions::keep_bytes). Excess rows are then deleted, step by step.
    pub fn set_keep_bytes(&self, bytes: u64) {
        self.retention.set_bytes(bytes);
    }

    /// Changes [`keep_for`](WriterOptions::keep_for). Older rows are then deleted, step by step.
    pub fn set_keep_for(&self, age: Option<Duration>) {
        self.retention.set_age(age);
    }

    /// Queues the record without waiting, or returns it if the queue is full. After [`close`](Self::close)
    /// the record is discarded.
    #[expect(clippy::result_large_err, reason = "giving the record back is the point")]
    pub fn try_append(&self, record: LogRecord) -> Result<(), LogRecord> {
        match self.queue.try_push(QueueItem::Record(record)) {
            Err((QueueItem::Record(record), PushError::Full)) => Err(record),
            _ => Ok(()),
        }
    }

    /// Like [`try_append`](Self::try_append), for a record that `finish` still has to redact.
    #[expect(clippy::result_large_err, reason = "giving the record back is the point")]
    pub fn try_append_unfinished(
        &self,
        record: LogRecord,
        finish: Arc<dyn RecordFinisher>,
    ) -> Result<(), LogRecord> {
        match self.queue.try_push(QueueItem::Unfinished(record, finish)) {
            Err((QueueItem::Unfinished(record, _), PushError::Full)) => Err(record),
            _ => Ok(()),
        }
    }

    /// Waits until the queue has room. Another caller may fill it first.
    pub async fn wait_for_room(&self) {
        self.queue.wait_for_room().await;
    }

    /// Queues the record as soon as there is room. Queued records are written in order.
    pub async fn append(&self, record: LogRecord) -> Result<(), WriterClosed> {
        self.enqueue_item(QueueItem::Record(record)).await
    }

    /// Waits until every record queued so far is written or given up.
    pub async fn flush(&self) {
        self.enqueue_and_wait(QueueItem::Flush).await;
    }

    /// Waits until every record queued so far survives a kill of this process, or is given up. For that,
    /// records may be staged in a file, which is cheap. Readers of the log find staged records too.
    pub async fn persist(&self) {
        self.enqueue_and_wait(QueueItem::Persist).await;
    }

    async fn enqueue_and_wait(&self, item: fn(oneshot::Sender<()>) -> QueueItem) {
        let (answer, answered) = oneshot::channel();
        if self.enqueue_item(item(answer)).await.is_ok() {
            // An error means that the writer has ended, and there is nothing to wait for.
            let _ended = answered.await;
        }
    }

    /// Deletes the whole log of all processes, after the records queued so far. Writes one row that says so.
    /// Returns the number of deleted rows.
    pub async fn clear(&self) -> Result<u64, StoreError> {
        let (answer, answered) = oneshot::channel();
        self.enqueue_item(QueueItem::Clear(answer)).await.map_err(|_closed| StoreError::Closed)?;
        answered.await.map_err(|_ended| StoreError::Closed)?
    }

    async fn enqueue_item(&self, mut item: QueueItem) -> Result<(), WriterClosed> {
        loop {
            match self.queue.try_push(item) {
                Ok(()) => return Ok(()),
                Err((_, PushError::Closed)) => return Err(WriterClosed),
                Err((refused, PushError::Full)) => item = refused,
            }
            self.queue.wait_for_room().await;
        }
    }

    /// Whether the log can be written.
    pub fn health(&self) -> watch::Receiver<WriterHealth> {
        self.health.clone()
    }

    /// Refuses further records, and returns when the queued records are written.
    pub async fn close(&self) {
        self.queue.close();
        // The writer's task drops the sender when it has ended.
        let mut health = self.health.clone();
        while health.changed().await.is_ok() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use tokio::time::timeout;

    #[tokio::test]
    async fn busy_readers_delay_neither_log_nor_saved_servers() {
        let home = tempfile::tempdir().unwrap();
        let database = Store::open(home.path()).await.unwrap().database;
        let mut searches = Vec::new();
        for _ in 0..database.readers.options().get_max_connections() {
            searches.push(database.readers.acquire().await.unwrap());
        }
        let work = async {
            let writers =
                [(); 2].map(|()| LogWriter::start(Arc::clone(&database), 64.into(), Clock::system()));
            let write = async |writer: usize, body| {
                writers[writer].append(LogRecord::sample_frame(body)).await.unwrap();
                writers[writer].flush().await;
            };
            write(0, "zero").await;
            let mut newest = database.subscribe_to_newest();
            write(1, "one").await;
            write(0, "two").await;
            newest.wait_for(|newest| *newest == 3).await.unwrap();
            assert_eq!(crate::Servers(Arc::clone(&database)).list().await.unwrap(), []);
            assert_eq!(crate::Settings(Arc::clone(&database)).get("x").await.unwrap(), None);
        };
        // Less than the time after which waiting for a reader is given up.
        timeout(Duration::from_secs(20), work).await.unwrap();
        assert!(database.readers.try_acquire().is_none());
    }

    #[tokio::test]
    async fn whoever_writes_while_the_oldest_rows_go_costs_no_row() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(home.path()).await.unwrap();
        let database = Arc::clone(&store.database);
        let mut other = database.durable_writer.acquire().await.unwrap();
        let queue = Arc::new(Queue::new(64, 1 << 20, task::BATCH));
        let (health, shown) = watch::channel(WriterHealth::Ok);
        let options = WriterOptions { keep_bytes: 0, ..WriterOptions::default() };
        let mut task = WriterTask::new(Arc::clone(&database), options, queue, health, Clock::system());
        let count = || async { store.log().count().await.unwrap() };

        task.write_records(vec![LogRecord::sample_frame("old"), LogRecord::sample_frame("old")]).await;
        sqlx::query("BEGIN IMMEDIATE").execute(&mut *other).await.unwrap();
        task.trim_log().await;
        assert_eq!((count().await, shown.borrow().clone()), (2, WriterHealth::Ok));
        assert_eq!(task.pause(), task::TICK, "tries again soon");
        sqlx::query("COMMIT").execute(&mut *other).await.unwrap();
        task.write_records(vec![LogRecord::sample_frame("new")]).await;
        assert_eq!((count().await, shown.borrow().clone()), (3, WriterHealth::Ok), "nothing was left out");
        task.trim_log().await;
        assert_eq!((count().await, shown.borrow().clone()), (0, WriterHealth::Ok));
    }
}
