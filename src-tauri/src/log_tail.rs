//! Live tails of the journal. A view gets one batch at a time and the next only after it took in
//! the last: a webview has no back-pressure of its own, and rows may come faster than it draws.
//!
//! A tail reads rows by their ids as the pages of the past are read, so that it filters the same
//! way, holds nothing while it waits, and sees what other processes write to the same journal.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mooring_host::{Host, HostError, LogQuery};
use tokio::sync::Notify;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::dto::LogBatch;
use crate::sink::Sink;

/// Batches are at least this far apart.
const BATCH_INTERVAL: Duration = Duration::from_millis(32);
/// Without a word from this process's own writer, the journal is looked at this often; more often where another
/// process has just written to it.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// A batch has at most this many rows, the newest: more than any screen shows at once. Rows beyond are read
/// by page when somebody looks for them.
const MAX_ROWS: u32 = 120;

/// All live tails, by the names their views gave them.
#[derive(Default)]
pub(crate) struct LogTails(Mutex<HashMap<String, TailHandle>>);

struct TailHandle {
    acknowledged: Arc<Notify>,
    /// Dropping it ends the tail. Empty until the tail begins.
    task: JoinSet<()>,
}

/// A named tail that has not started. Stopping it by its name prevents the start.
pub(crate) struct PendingTail<'a> {
    follows: &'a LogTails,
    id: String,
    acknowledged: Arc<Notify>,
}

impl LogTails {
    /// Names a tail before anything is waited for; one of the same name ends.
    pub(crate) fn register(&self, id: String) -> PendingTail<'_> {
        let taken = Arc::new(Notify::new());
        self.lock().insert(id.clone(), TailHandle { acknowledged: Arc::clone(&taken), task: JoinSet::new() });
        PendingTail { follows: self, id, acknowledged: taken }
    }

    /// The view took in the last batch.
    pub(crate) fn acknowledge(&self, id: &str) {
        if let Some(follow) = self.lock().get(id) {
            follow.acknowledged.notify_one();
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

    fn lock(&self) -> MutexGuard<'_, HashMap<String, TailHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingTail<'_> {
    /// Begins the tail after the newest row there is, unless it was stopped meanwhile.
    pub(crate) async fn start(
        self,
        filter: LogQuery,
        host: &Host,
        sink: Sink<LogBatch>,
    ) -> Result<(), HostError> {
        let committed = host.log_follow()?;
        let mut tail = LogTail { host: host.clone(), filter, last: 0 };
        tail.last = tail.newest().await?.unwrap_or(0);
        if let Some(follow) = self.follows.lock().get_mut(&self.id).filter(|follow| self.is_same(follow)) {
            let run = tail.run(committed, sink, Arc::clone(&self.acknowledged));
            follow.task.spawn_on(run, tauri::async_runtime::handle().inner());
        }
        Ok(())
    }

    /// Whether the tail of this name is still this one, and not a later one.
    fn is_same(&self, follow: &TailHandle) -> bool {
        Arc::ptr_eq(&follow.acknowledged, &self.acknowledged)
    }
}

impl Drop for PendingTail<'_> {
    /// Removes the name of a tail that never started.
    fn drop(&mut self) {
        let mut follows = self.follows.lock();
        if follows.get(&self.id).is_some_and(|follow| self.is_same(follow) && follow.task.is_empty()) {
            follows.remove(&self.id);
        }
    }
}

/// One tail.
struct LogTail {
    host: Host,
    filter: LogQuery,
    /// Rows up to this one are dealt with.
    last: i64,
}

impl LogTail {
    async fn run<T: Clone>(mut self, mut committed: Receiver<T>, sink: Sink<LogBatch>, taken: Arc<Notify>) {
        let mut next = Instant::now();
        let mut idle = BATCH_INTERVAL;
        loop {
            sleep_until(next).await;
            next = Instant::now() + BATCH_INTERVAL;
            match self.read().await {
                Ok(Some(batch)) => {
                    if !sink(batch) {
                        return;
                    }
                    taken.notified().await;
                    idle = BATCH_INTERVAL;
                    continue;
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(%error, "the journal could not be read");
                    sleep(POLL_INTERVAL).await;
                }
            }
            // News that came since `committed` was last emptied costs one more look, and none is lost.
            match timeout(idle, committed.recv()).await {
                Ok(Err(RecvError::Closed)) => return,
                Ok(Ok(_) | Err(RecvError::Lagged(_))) => {
                    while !matches!(committed.try_recv(), Err(TryRecvError::Empty | TryRecvError::Closed)) {}
                }
                Err(_elapsed) => idle = POLL_INTERVAL.min(idle * 2),
            }
        }
    }

    /// What is new since the last time, if anything.
    async fn read(&mut self) -> Result<Option<LogBatch>, HostError> {
        let Some(newest) = self.newest().await? else {
            return Ok(None);
        };
        let query = LogQuery {
            before: Some(newest + 1),
            after: Some(self.last),
            limit: MAX_ROWS,
            ..self.filter.clone()
        };
        let mut rows = self.host.log_page(&query).await?;
        rows.reverse();
        let skipped = match rows.first() {
            Some(first) if rows.len() >= MAX_ROWS as usize => {
                self.host.log_count(&LogQuery { before: Some(first.id), ..query }).await?
            }
            _ => 0,
        };
        self.last = newest;
        Ok((!rows.is_empty()).then_some(LogBatch { rows, skipped }))
    }

    /// The newest row of any kind, unless it was dealt with.
    async fn newest(&self) -> Result<Option<i64>, HostError> {
        let newest = self.host.log_page(&LogQuery { limit: 1, ..LogQuery::default() }).await?;
        Ok(newest.first().map(|row| row.id).filter(|id| *id > self.last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_host::test_host;

    async fn host(home: &std::path::Path) -> Host {
        test_host(home, false).await
    }

    fn sink() -> Sink<LogBatch> {
        Box::new(|_| true)
    }

    #[tokio::test]
    async fn a_tail_that_is_stopped_before_it_begins_never_does() {
        let home = tempfile::tempdir().unwrap();
        let host = host(home.path()).await;
        let follows = LogTails::default();
        let first = follows.register("tail".to_owned());
        follows.stop("tail");
        first.start(LogQuery::default(), &host, sink()).await.unwrap();
        assert!(follows.lock().is_empty());

        // A later one of the same name is another one.
        let (early, late) = (follows.register("tail".to_owned()), follows.register("tail".to_owned()));
        early.start(LogQuery::default(), &host, sink()).await.unwrap();
        assert!(follows.lock()["tail"].task.is_empty());
        late.start(LogQuery::default(), &host, sink()).await.unwrap();
        assert_eq!(follows.lock()["tail"].task.len(), 1);
        follows.stop("tail");
        drop(follows.register("tail".to_owned()));
        assert!(follows.lock().is_empty());
        host.shutdown().await;
    }
}
