//! The request table. Every entry ends with a response, an error, a cancellation or a deadline.

mod entry;

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

pub(crate) use self::entry::{Entry, NewEntry, ResponseReceiver, RpcResponse};
pub use self::entry::{LogSink, ProgressSink};
use crate::error::{CloseReason, Deadline, RequestError, RpcError};
use crate::filter::ListenStream;
use crate::inbound::PendingRequest;
use crate::model::notification::Progress;
use crate::tap::{Outcome, TapEvent};

/// The methods during which a server asks questions.
const MAY_WAIT: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];
/// The most requests for a task that are remembered past their deadline.
const LATE: usize = 256;
/// Waits for the result of a call's task (2025-11-25). Its subject is the call's tool.
const TASK_RESULT: &str = "tasks/result";

/// The part of a pending request that messages on its exchange need.
pub(crate) struct WaitingCall {
    pub(crate) cause: PendingRequest,
    /// Whether the request is a subscription stream.
    pub(crate) is_stream: bool,
    pub(crate) log: Option<LogSink>,
}

#[derive(Default)]
struct TableState {
    entries: HashMap<u64, Entry>,
    /// Requests for a task past their deadline, oldest first. Tasks they create are cancelled (CANC-08).
    late: VecDeque<(u64, Entry)>,
    /// Progress sinks of requests that were answered with a task.
    progress: HashMap<u64, ProgressSink>,
    closed: Option<CloseReason>,
}

/// Keeps accepting progress of a completed request.
pub(crate) struct ProgressGuard<'a> {
    table: &'a RequestTable,
    id: u64,
}

impl Drop for ProgressGuard<'_> {
    fn drop(&mut self) {
        self.table.end_progress(self.id);
    }
}

/// Pauses the deadlines of requests until it is dropped. The time that a person takes must not end a request.
pub(crate) struct PausedDeadlines {
    table: Arc<RequestTable>,
    ids: Vec<u64>,
    ends: Vec<oneshot::Receiver<Infallible>>,
}

impl PausedDeadlines {
    /// Resolves when every call that may have caused the question is over. Never if there is no such call.
    pub(crate) async fn calls_ended(&mut self) {
        if self.ends.is_empty() {
            std::future::pending::<()>().await;
        }
        futures_util::future::join_all(self.ends.iter_mut()).await;
    }
}

impl Drop for PausedDeadlines {
    fn drop(&mut self) {
        let now = Instant::now();
        let mut inner = self.table.lock();
        for id in &self.ids {
            if let Some(entry) = inner.entries.get_mut(id) {
                entry.unpause(now);
            }
        }
    }
}

/// The pending requests of one connection.
#[derive(Default)]
pub(crate) struct RequestTable {
    next: AtomicU64,
    inner: Mutex<TableState>,
    filled: Notify,
}

impl RequestTable {
    /// How long to wait for a proper response after an error without an id.
    const OWN_ANSWER: Duration = Duration::from_secs(1);
    /// How long to wait for a proper response after a doubtful one.
    const PLAIN_ANSWER: Duration = Duration::from_secs(10);
    /// The interval of deadline checks.
    const TICK: Duration = Duration::from_millis(50);
    /// If a check is late by more than this, the process was stopped. Also the time to read what arrived.
    const STOPPED: Duration = Duration::from_secs(1);

    fn lock(&self) -> MutexGuard<'_, TableState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a request. Fails if the connection is over.
    pub(crate) fn add_entry(&self, new: NewEntry) -> Result<(u64, ResponseReceiver), RequestError> {
        let id = self.next_number();
        let (answer, waiting) = oneshot::channel();
        let entry = Entry::new(new, answer);
        let mut inner = self.lock();
        if let Some(reason) = &inner.closed {
            return Err(RequestError::Closed(reason.clone()));
        }
        let was_empty = inner.entries.is_empty();
        inner.entries.insert(id, entry);
        drop(inner);
        if was_empty {
            self.filled.notify_one();
        }
        Ok((id, waiting))
    }

    /// Removes an entry, to end it.
    pub(crate) fn take_entry(&self, id: u64) -> Option<Entry> {
        let mut inner = self.lock();
        inner.entries.remove(&id).or_else(|| {
            let at = inner.late.iter().position(|(late, _)| *late == id)?;
            inner.late.remove(at).map(|(_, entry)| entry)
        })
    }

    /// A new number, for a request without an entry.
    pub(crate) fn next_number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The number of requests so far.
    pub(crate) fn request_count(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// Ends the only pending request with an error without an id, unless a proper response arrives soon. The
    /// error may be for a notification instead. Returns false unless exactly one request is pending.
    pub(crate) fn expect_error(&self, error: RpcError) -> bool {
        let mut inner = self.lock();
        let mut waiting = inner.entries.values_mut().filter(|entry| entry.stream.is_none());
        let (Some(only), None) = (waiting.next(), waiting.next()) else { return false };
        only.suspected.get_or_insert((Instant::now() + Self::OWN_ANSWER, RequestError::Rpc(error)));
        true
    }

    /// Ends request `id` with an error unless a proper response arrives soon. A line may contain its
    /// response, or foreign text that the server printed.
    pub(crate) fn expect_error_for(&self, id: u64, error: RequestError) {
        if let Some(entry) = self.lock().entries.get_mut(&id) {
            entry.suspected.get_or_insert((Instant::now() + Self::PLAIN_ANSWER, error));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().entries.is_empty()
    }

    pub(crate) fn count_waiting(&self) -> usize {
        self.lock().entries.len()
    }

    pub(crate) fn find_stream(&self, id: u64) -> Option<Arc<ListenStream>> {
        self.lock().entries.get(&id).and_then(|entry| entry.stream.clone())
    }

    pub(crate) fn find_call(&self, id: u64) -> Option<WaitingCall> {
        self.lock().entries.get(&id).map(|entry| WaitingCall {
            cause: entry.as_pending(),
            is_stream: entry.stream.is_some(),
            log: entry.log.clone(),
        })
    }

    /// Calls `look` with the entry of request `id`, if it is pending.
    pub(crate) fn with_entry(&self, id: u64, look: impl FnOnce(&Entry)) {
        if let Some(entry) = self.lock().entries.get(&id) {
            look(entry);
        }
    }

    /// Records that a stream for the response to request `id` is open, and whether it is silent so far.
    pub(crate) fn note_stream(&self, id: u64, is_silent: bool) {
        if let Some(entry) = self.lock().entries.get_mut(&id) {
            // A stream on which anything arrived is no longer silent, even after it is reopened.
            entry.is_stream_silent = Some(is_silent && entry.is_stream_silent != Some(false));
        }
    }

    /// Adds the caller of request `id` to the event of a message on its exchange. If the message is an error
    /// without an id, it is described as the response.
    pub(crate) fn describe_exchanged(&self, event: &mut TapEvent, id: u64, is_answer: bool) {
        self.with_entry(id, |entry| {
            if is_answer {
                entry.describe(event, id, Outcome::Error);
            } else if event.caller.is_none() {
                event.caller.clone_from(&entry.caller);
            }
        });
    }

    /// The pending requests that a question on a shared connection may belong to, oldest first.
    pub(crate) fn pending_requests(&self) -> Vec<PendingRequest> {
        let inner = self.lock();
        let may_wait = |entry: &Entry| MAY_WAIT.contains(&entry.method) || entry.method == TASK_RESULT;
        let mut found: Vec<_> = inner.entries.iter().filter(|(_, entry)| may_wait(entry)).collect();
        found.sort_unstable_by_key(|(id, _)| **id);
        found.into_iter().map(|(_, entry)| entry.as_pending()).collect()
    }

    /// Keeps accepting progress of a request that was answered with a task.
    pub(crate) fn begin_progress(&self, entry: &Entry, id: u64) {
        if let Some(sink) = &entry.progress {
            self.lock().progress.insert(id, Arc::clone(sink));
        }
    }

    pub(crate) fn end_progress(&self, id: u64) {
        self.lock().progress.remove(&id);
    }

    /// Keeps accepting progress of the completed request `id` until the guard is dropped.
    pub(crate) fn keep_progress(&self, id: u64, sink: ProgressSink) -> ProgressGuard<'_> {
        self.lock().progress.insert(id, sink);
        ProgressGuard { table: self, id }
    }

    pub(crate) fn fail(&self, id: u64, error: RequestError) {
        if let Some(entry) = self.take_entry(id) {
            entry.end_with(Err(error));
        }
    }

    /// Ends all current entries with an error.
    pub(crate) fn fail_all(&self, error: &RequestError) {
        let entries = std::mem::take(&mut self.lock().entries);
        for entry in entries.into_values() {
            entry.end_with(Err(error.clone()));
        }
    }

    /// Pauses deadlines until the guard is dropped, because the server asked a question. Without `id`, it is
    /// unknown which request caused the question, so the deadlines of all pending requests are paused.
    pub(crate) fn pause_deadlines(self: &Arc<Self>, id: Option<u64>) -> PausedDeadlines {
        let now = Instant::now();
        let mut inner = self.lock();
        let (mut ids, mut ends) = (Vec::new(), Vec::new());
        for (number, entry) in &mut inner.entries {
            let waits = entry.idle != Duration::MAX || entry.trace.is_some();
            if id.is_none_or(|id| id == *number) && waits {
                entry.pause(now);
                if MAY_WAIT.contains(&entry.method) {
                    entry.until.retain(|until| !until.is_closed());
                    let (until, end) = oneshot::channel();
                    entry.until.push(until);
                    ends.push(end);
                }
                ids.push(*number);
            }
        }
        drop(inner);
        PausedDeadlines { table: Arc::clone(self), ids, ends }
    }

    /// Handles a progress report for request `id`. Returns false if the request is unknown.
    pub(crate) fn report_progress(&self, id: u64, progress: Progress) -> bool {
        let mut inner = self.lock();
        let sink = if let Some(entry) = inner.entries.get_mut(&id) {
            entry.last_activity = Instant::now();
            entry.progress.clone()
        } else {
            let Some(sink) = inner.progress.get(&id) else { return false };
            Some(Arc::clone(sink))
        };
        drop(inner);
        if let Some(sink) = sink {
            sink(progress);
        }
        true
    }

    /// Ends all current and future entries, because the connection is over. The first reason wins.
    pub(crate) fn close(&self, reason: &CloseReason) {
        let mut inner = self.lock();
        inner.closed.get_or_insert_with(|| reason.clone());
        let entries = std::mem::take(&mut inner.entries);
        inner.late.clear();
        drop(inner);
        for entry in entries.into_values() {
            entry.end_with(Err(RequestError::Closed(reason.clone())));
        }
    }

    /// Ends the entries whose deadline passed. Returns the requests to cancel, or `None` if no request is
    /// pending. A request for a task is not cancelled (CANC-08).
    fn end_overdue(&self) -> Option<Vec<(u64, &'static str)>> {
        let now = Instant::now();
        let mut inner = self.lock();
        if inner.entries.is_empty() {
            return None;
        }
        let suspected = |entry: &Entry| entry.suspected.as_ref().is_some_and(|(until, _)| *until <= now);
        for (_, mut entry) in inner.entries.extract_if(|_, entry| suspected(entry)) {
            if let Some((_, error)) = entry.suspected.take() {
                entry.end_with(Err(error));
            }
        }
        let overdue: Vec<(u64, Entry, Deadline, Duration)> = inner
            .entries
            .extract_if(|_, entry| entry.overdue_deadline(now).is_some())
            .filter_map(|(id, entry)| {
                entry.overdue_deadline(now).map(|(deadline, after)| (id, entry, deadline, after))
            })
            .collect();
        let late = overdue.iter().filter(|(_, entry, ..)| entry.augmented);
        inner.late.extend(late.map(|(id, entry, ..)| (*id, entry.to_late_entry())));
        let too_many = inner.late.len().saturating_sub(LATE);
        inner.late.drain(..too_many);
        drop(inner);
        let mut cancelled = Vec::with_capacity(overdue.len());
        for (id, entry, deadline, after) in overdue {
            if !entry.augmented {
                cancelled.push((id, entry.method));
            }
            let is_stream_silent = entry.is_stream_silent == Some(true);
            entry.end_with(Err(RequestError::Timeout { deadline, after, is_stream_silent }));
        }
        Some(cancelled)
    }

    /// Ends overdue entries while this future is polled, and calls `cancel` for each request to cancel.
    pub(crate) async fn watch_deadlines(&self, cancel: impl Fn(u64, &'static str)) {
        let mut looked = Instant::now();
        loop {
            // After the process was stopped or the system slept, first handle what arrived in the meantime.
            if looked.elapsed() > Self::TICK + Self::STOPPED {
                tokio::time::sleep(Self::STOPPED).await;
            }
            match self.end_overdue() {
                None => {
                    self.filled.notified().await;
                    looked = Instant::now();
                }
                Some(ended) => {
                    for (id, method) in ended {
                        cancel(id, method);
                    }
                    looked = Instant::now();
                    tokio::time::sleep(Self::TICK).await;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::ResponseBody;

    fn entry(idle: Duration, total: Duration) -> NewEntry {
        NewEntry {
            method: "tools/call",
            subject: None,
            idle,
            total,
            progress: None,
            log: None,
            stream: None,
            augmented: false,
            caller: None,
            trace: None,
            ran_before: Duration::ZERO,
        }
    }

    fn since(start: Instant, idle: Duration, total: Duration) -> Entry {
        let (answer, _) = oneshot::channel();
        Entry {
            method: "m",
            subject: None,
            started: start,
            stream: None,
            is_stream_silent: None,
            augmented: false,
            idle,
            total,
            last_activity: start,
            questions: 0,
            until: Vec::new(),
            still_since: start,
            still: Duration::ZERO,
            trace: None,
            question: None,
            ran_before: Duration::ZERO,
            progress: None,
            log: None,
            caller: None,
            suspected: None,
            answer,
        }
    }

    // Requirements: BASE-31, ELIC-10.
    #[test]
    fn request_clocks_pause_while_the_server_asks_something() {
        let start = Instant::now();
        let seconds = Duration::from_secs;
        let mut entry = since(start, seconds(10), seconds(15));
        let ends = |entry: &Entry, after| {
            entry.overdue_deadline(start + seconds(after)).map(|(deadline, _)| deadline)
        };
        entry.pause(start + seconds(9));
        entry.pause(start + seconds(9));
        entry.unpause(start + seconds(500));
        assert_eq!(ends(&entry, 1_000), None, "one question of two is still open");
        assert_eq!(entry.run_time(start + seconds(1_000)), seconds(9));
        entry.unpause(start + seconds(1_009));
        assert_eq!(entry.run_time(start + seconds(1_014)), seconds(14));
        assert_eq!(ends(&entry, 1_014), None, "14 of 15 s are used");
        assert_eq!(ends(&entry, 1_015), Some(Deadline::Total));
        let mut entry = since(start, seconds(10), seconds(60));
        entry.pause(start + seconds(9));
        entry.unpause(start + seconds(1_009));
        assert_eq!((ends(&entry, 1_018), ends(&entry, 1_019)), (None, Some(Deadline::Idle)));
    }

    #[tokio::test]
    async fn a_question_on_the_exchange_of_a_request_stops_no_other_clock() {
        let table = Arc::new(RequestTable::default());
        let minute = Duration::from_mins(1);
        let (asking, _asking) = table.add_entry(entry(minute, minute)).unwrap();
        let (other, _other) = table.add_entry(entry(minute, minute)).unwrap();
        let (standing, _standing) = table.add_entry(entry(Duration::MAX, Duration::MAX)).unwrap();
        let held = |id: u64| table.lock().entries[&id].questions;
        let one = table.pause_deadlines(Some(asking));
        assert_eq!((held(asking), held(other), held(standing)), (1, 0, 0));
        let all = table.pause_deadlines(None);
        assert_eq!((held(asking), held(other), held(standing)), (2, 1, 0));
        drop((one, all));
        assert_eq!((held(asking), held(other)), (0, 0));
    }

    // Requirements: BASE-31, PROG-04.
    #[test]
    fn progress_resets_the_idle_deadline_but_not_the_total() {
        let start = Instant::now();
        let seconds = Duration::from_secs;
        let overdue = |heard: u64, now: u64| {
            let heard = start + seconds(heard);
            let entry = Entry { last_activity: heard, ..since(start, seconds(60), seconds(100)) };
            entry.overdue_deadline(start + seconds(now)).map(|(deadline, _)| deadline)
        };
        assert_eq!(overdue(0, 59), None);
        assert_eq!(overdue(0, 60), Some(Deadline::Idle));
        assert_eq!(overdue(30, 89), None);
        assert_eq!(overdue(30, 90), Some(Deadline::Idle));
        assert_eq!(overdue(90, 99), None);
        assert_eq!(overdue(90, 100), Some(Deadline::Total));
    }

    // Requirements: CANC-08, TSKX-11.
    #[tokio::test]
    async fn task_request_is_kept_past_its_deadline_and_not_cancelled() {
        let table = RequestTable::default();
        let ask = || NewEntry { augmented: true, ..entry(Duration::ZERO, Duration::from_mins(1)) };
        let (id, waiting) = table.add_entry(ask()).unwrap();
        let (given_up, _) = table.add_entry(ask()).unwrap();
        let (plain, _) = table.add_entry(entry(Duration::ZERO, Duration::from_mins(1))).unwrap();
        assert_eq!(table.end_overdue(), Some(vec![(plain, "tools/call")]));
        assert!(matches!(waiting.await.unwrap(), Err(RequestError::Timeout { .. })));
        assert!(table.is_empty());
        for late in [id, given_up] {
            let entry = table.take_entry(late).unwrap();
            let answer = Err(RequestError::StreamEnded);
            assert!(entry.augmented && entry.end_with(answer).is_some(), "nobody waits for it");
            assert!(table.take_entry(late).is_none());
        }
        let many: Vec<_> = (0..=LATE).map(|_| table.add_entry(ask()).unwrap().0).collect();
        table.end_overdue();
        // The entries come from an unordered map, so it is undefined which entries are dropped.
        assert_eq!(many.into_iter().filter(|id| table.take_entry(*id).is_some()).count(), LATE);
    }

    // Requirements: BASE-31, CANC-07.
    #[tokio::test]
    async fn passed_deadline_ends_the_request_and_reports_it() {
        let table = RequestTable::default();
        let (id, waiting) = table.add_entry(entry(Duration::from_millis(1), Duration::from_mins(1))).unwrap();
        let cancelled = Mutex::new(Vec::new());
        let outcome = tokio::select! {
            outcome = waiting => outcome.unwrap(),
            () = table.watch_deadlines(|id, method| cancelled.lock().unwrap().push((id, method))) => unreachable!(),
        };
        assert!(
            matches!(outcome, Err(RequestError::Timeout { deadline: Deadline::Idle, .. })),
            "{outcome:?}"
        );
        assert_eq!(*cancelled.lock().unwrap(), [(id, "tools/call")]);
    }

    #[tokio::test]
    async fn what_came_while_the_process_was_stopped_still_counts() {
        let table = RequestTable::default();
        let (id, waiting) =
            table.add_entry(entry(Duration::from_millis(300), Duration::from_mins(1))).unwrap();
        let stopped = async {
            tokio::time::sleep(RequestTable::TICK * 2).await;
            // This stops the whole process, as SIGSTOP does.
            std::thread::sleep(RequestTable::STOPPED * 2);
            tokio::time::sleep(RequestTable::TICK * 4).await;
            let answer = RpcResponse {
                id,
                body: ResponseBody::Result("{}".into()),
                diagnostics: Vec::new(),
                elapsed: Duration::ZERO,
            };
            assert!(table.take_entry(id).unwrap().end_with(Ok(answer)).is_none());
            std::future::pending::<()>().await;
        };
        let outcome = tokio::select! {
            outcome = waiting => outcome.unwrap(),
            () = table.watch_deadlines(|_, _| ()) => unreachable!(),
            () = stopped => unreachable!(),
        };
        assert!(outcome.is_ok(), "{outcome:?}");
    }

    #[tokio::test]
    async fn closing_ends_every_request_and_rejects_new_ones() {
        let table = RequestTable::default();
        let (_, waiting) = table.add_entry(entry(Duration::from_mins(1), Duration::from_mins(1))).unwrap();
        table.close(&CloseReason::OutputClosed);
        assert!(matches!(waiting.await.unwrap(), Err(RequestError::Closed(CloseReason::OutputClosed))));
        assert!(matches!(
            table.add_entry(entry(Duration::ZERO, Duration::ZERO)),
            Err(RequestError::Closed(_))
        ));
    }
}
