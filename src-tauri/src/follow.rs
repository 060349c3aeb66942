//! Live tails of the journal. A view gets one batch at a time and the next only after it took in
//! the last: a webview has no back-pressure of its own, and rows may come faster than it draws.
//!
//! A tail reads rows by their ids as the pages of the past are read, so that it filters the same
//! way, holds nothing while it waits, and sees what other processes write to the same journal.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mooring_host::{Host, HostError};
use tokio::sync::Notify;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::convert::log_query;
use crate::dto::{LogBatch, LogFilter, LogRow};
use crate::sink::Sink;

/// Batches are at least this far apart.
const PACE: Duration = Duration::from_millis(32);
/// Without a word from this process's own writer, the journal is looked at this often.
const IDLE: Duration = Duration::from_millis(250);
/// A batch has at most this many rows, the newest.
const BATCH: u32 = 500;

/// All live tails, by the names their views gave them.
#[derive(Default)]
pub(crate) struct Follows(Mutex<HashMap<String, Follow>>);

struct Follow {
    taken: Arc<Notify>,
    /// Dropping it ends the tail.
    _task: JoinSet<()>,
}

impl Follows {
    /// Begins a tail after the newest row there is; one of the same name ends.
    pub(crate) async fn start(
        &self,
        id: String,
        filter: LogFilter,
        host: &Host,
        sink: Sink<LogBatch>,
    ) -> Result<(), HostError> {
        let committed = host.log_follow()?;
        let taken = Arc::new(Notify::new());
        let mut tail = Tail { host: host.clone(), filter, last: 0 };
        tail.last = tail.newest().await?.unwrap_or(0);
        let mut task = JoinSet::new();
        task.spawn_on(tail.run(committed, sink, Arc::clone(&taken)), tauri::async_runtime::handle().inner());
        self.lock().insert(id, Follow { taken, _task: task });
        Ok(())
    }

    /// The view took in the last batch.
    pub(crate) fn acknowledge(&self, id: &str) {
        if let Some(follow) = self.lock().get(id) {
            follow.taken.notify_one();
        }
    }

    /// Ends a tail.
    pub(crate) fn stop(&self, id: &str) {
        self.lock().remove(id);
    }

    /// Ends all tails.
    pub(crate) fn stop_all(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Follow>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One tail.
struct Tail {
    host: Host,
    filter: LogFilter,
    /// Rows up to this one are dealt with.
    last: i64,
}

impl Tail {
    async fn run<T: Clone>(mut self, mut committed: Receiver<T>, sink: Sink<LogBatch>, taken: Arc<Notify>) {
        let mut next = Instant::now();
        loop {
            sleep_until(next).await;
            next = Instant::now() + PACE;
            match self.read().await {
                Ok(Some(batch)) => {
                    if !sink(batch) {
                        return;
                    }
                    taken.notified().await;
                    continue;
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(%error, "the journal could not be read");
                    sleep(IDLE).await;
                }
            }
            // News that came since `committed` was last emptied costs one more look, and none is lost.
            match timeout(IDLE, committed.recv()).await {
                Ok(Err(RecvError::Closed)) => return,
                Ok(Ok(_) | Err(RecvError::Lagged(_))) => {
                    while !matches!(committed.try_recv(), Err(TryRecvError::Empty | TryRecvError::Closed)) {}
                }
                Err(_elapsed) => {}
            }
        }
    }

    /// What is new since the last time, if anything.
    async fn read(&mut self) -> Result<Option<LogBatch>, HostError> {
        let Some(newest) = self.newest().await? else {
            return Ok(None);
        };
        let query = log_query(self.filter.clone(), Some(newest + 1), Some(self.last), BATCH);
        let mut rows: Vec<LogRow> = self.host.log_page(&query).await?.into_iter().map(Into::into).collect();
        rows.reverse();
        let skipped = match rows.first() {
            Some(first) if rows.len() >= BATCH as usize => first.id - self.last - 1,
            _ => 0,
        };
        self.last = newest;
        Ok((!rows.is_empty()).then_some(LogBatch { rows, skipped }))
    }

    /// The newest row of any kind, unless it was dealt with.
    async fn newest(&self) -> Result<Option<i64>, HostError> {
        let newest = self.host.log_page(&log_query(LogFilter::default(), None, None, 1)).await?;
        Ok(newest.first().map(|row| row.id).filter(|id| *id > self.last))
    }
}
