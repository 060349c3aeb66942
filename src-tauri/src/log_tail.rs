//! Live tails of the log. A view gets one batch at a time, and the next one only after it acknowledged the
//! last: a webview has no back-pressure, and rows can arrive faster than it draws them.
//!
//! A tail reads rows by id, just like a page of the past. So it applies the same filter, uses no memory
//! while it waits, and includes rows that other processes write.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mooring_errors::HostError;
use mooring_host::Host;
use mooring_log::LogQuery;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use crate::dto::LogBatch;
use crate::sink::Sink;

/// The shortest time between two batches.
const BATCH_INTERVAL: Duration = Duration::from_millis(32);
/// How long to wait after a failed read.
const RETRY: Duration = Duration::from_millis(250);
/// The most rows in a batch. The newest rows are sent, more than fits on a screen. Older ones can be read
/// by page.
const MAX_ROWS: u32 = 120;

/// All live tails by the names that their views chose.
#[derive(Default)]
pub(crate) struct LogTails(Mutex<HashMap<String, TailHandle>>);

struct TailHandle {
    acknowledged: Arc<Notify>,
    /// Dropping this ends the tail. Empty until the tail begins.
    task: JoinSet<()>,
}

/// A named tail that has not started. Stopping it by name prevents the start.
pub(crate) struct PendingTail<'a> {
    tails: &'a LogTails,
    id: String,
    acknowledged: Arc<Notify>,
}

impl LogTails {
    /// Registers a tail before anything is awaited. Ends a tail with the same name.
    pub(crate) fn register(&self, id: String) -> PendingTail<'_> {
        let taken = Arc::new(Notify::new());
        self.lock().insert(id.clone(), TailHandle { acknowledged: Arc::clone(&taken), task: JoinSet::new() });
        PendingTail { tails: self, id, acknowledged: taken }
    }

    /// Lets the tail send the next batch.
    pub(crate) fn acknowledge(&self, id: &str) {
        if let Some(handle) = self.lock().get(id) {
            handle.acknowledged.notify_one();
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
    /// Starts the tail after the newest row, unless it was stopped meanwhile.
    pub(crate) async fn start(
        self,
        filter: LogQuery,
        host: &Host,
        sink: Sink<LogBatch>,
    ) -> Result<(), HostError> {
        let newest = host.log_follow().await?;
        let tail = LogTail { host: host.clone(), filter, last: *newest.borrow() };
        if let Some(handle) = self.tails.lock().get_mut(&self.id).filter(|handle| self.is_same(handle)) {
            let run = tail.run(newest, sink, Arc::clone(&self.acknowledged));
            handle.task.spawn_on(run, tauri::async_runtime::handle().inner());
        }
        Ok(())
    }

    /// Whether `handle` belongs to this tail, and not to a later one with the same name.
    fn is_same(&self, handle: &TailHandle) -> bool {
        Arc::ptr_eq(&handle.acknowledged, &self.acknowledged)
    }
}

impl Drop for PendingTail<'_> {
    /// Removes the name of a tail that never started.
    fn drop(&mut self) {
        let mut tails = self.tails.lock();
        if tails.get(&self.id).is_some_and(|handle| self.is_same(handle) && handle.task.is_empty()) {
            tails.remove(&self.id);
        }
    }
}

/// One tail.
struct LogTail {
    host: Host,
    filter: LogQuery,
    /// The last row that was read.
    last: i64,
}

impl LogTail {
    async fn run(mut self, mut newest: watch::Receiver<i64>, sink: Sink<LogBatch>, taken: Arc<Notify>) {
        let mut next = Instant::now();
        loop {
            sleep_until(next).await;
            next = Instant::now() + BATCH_INTERVAL;
            let until = *newest.borrow_and_update();
            match self.read(until).await {
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
                    sleep(RETRY).await;
                    continue;
                }
            }
            if newest.changed().await.is_err() {
                return;
            }
        }
    }

    /// Reads the rows after the last read up to `newest`. `None` if there are no matching rows.
    async fn read(&mut self, newest: i64) -> Result<Option<LogBatch>, HostError> {
        if newest <= self.last {
            return Ok(None);
        }
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
}

#[cfg(test)]
mod tests {
    use mooring_connections::{ConnectOptions, Target};
    use tokio::time::timeout;

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
        let tails = LogTails::default();
        let first = tails.register("tail".to_owned());
        tails.stop("tail");
        first.start(LogQuery::default(), &host, sink()).await.unwrap();
        assert!(tails.lock().is_empty());

        // A later tail with the same name is a different tail.
        let (early, late) = (tails.register("tail".to_owned()), tails.register("tail".to_owned()));
        early.start(LogQuery::default(), &host, sink()).await.unwrap();
        assert!(tails.lock()["tail"].task.is_empty());
        late.start(LogQuery::default(), &host, sink()).await.unwrap();
        assert_eq!(tails.lock()["tail"].task.len(), 1);
        tails.stop("tail");
        drop(tails.register("tail".to_owned()));
        assert!(tails.lock().is_empty());
        host.shutdown().await;
    }

    async fn talk(host: &Host, home: &std::path::Path) {
        let target = Target::Command {
            program: mooring_testkit::scripted_server_path().display().to_string(),
            args: vec!["ok".to_owned()],
            env: [].into(),
            cwd: home.to_owned(),
        };
        host.connect(target, ConnectOptions::default()).await.unwrap().close().await;
        host.flush_log().await;
    }

    #[tokio::test]
    async fn a_tail_shows_what_two_processes_log_once_and_in_order() {
        let home = tempfile::tempdir().unwrap();
        let (window, command) = (host(home.path()).await, host(home.path()).await);
        talk(&command, home.path()).await;
        let before = window.log_facets().await.unwrap().total;
        let tails = Arc::new(LogTails::default());
        let (sent, mut batches) = tokio::sync::mpsc::channel(64);
        let taken = Arc::clone(&tails);
        let sink: Sink<LogBatch> = Box::new(move |batch| {
            sent.try_send(batch).unwrap();
            taken.acknowledge("tail");
            true
        });
        tails.register("tail".to_owned()).start(LogQuery::default(), &window, sink).await.unwrap();
        for _ in 0..3 {
            tokio::join!(talk(&window, home.path()), talk(&command, home.path()));
        }
        let query = LogQuery { limit: 1_000, ..LogQuery::default() };
        let mut all = window.log_page(&query).await.unwrap();
        all.reverse();
        let new = &all[usize::try_from(before).unwrap()..];
        let mut shown = Vec::new();
        while shown.len() < new.len() {
            let batch = timeout(Duration::from_secs(30), batches.recv()).await.unwrap().unwrap();
            assert_eq!(batch.skipped, 0);
            shown.extend(batch.rows);
        }
        assert_eq!(shown, new);
        tails.stop_all();
        command.shutdown().await;
        window.shutdown().await;
    }
}
