//! A pending request with its clocks: how long it is silent, how long it may take, and when they pause.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::call_trace::{CallTrace, OpenQuestion};
use crate::diagnostic::Diagnostic;
use crate::error::{Deadline, RequestError};
use crate::filter::ListenStream;
use crate::inbound::{PendingRequest, RequestCaller};
use crate::message::ResponseBody;
use crate::model::notification::{Notification, Progress};
use crate::tap::{Outcome, TapEvent};

use super::TASK_RESULT;

/// Receives the progress of one call. Called in wire order by the reader, so it must not block.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;

/// Receives the log messages of one call, if they can be attributed to it. Called in wire order by the
/// reader, so it must not block.
pub type LogSink = Arc<dyn Fn(Notification) + Send + Sync>;

/// An unparsed response.
#[derive(Debug)]
pub(crate) struct RpcResponse {
    /// The request's number.
    pub(crate) id: u64,
    pub(crate) body: ResponseBody,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) elapsed: Duration,
}

pub(crate) type ResponseReceiver = oneshot::Receiver<Result<RpcResponse, RequestError>>;

/// A pending request.
pub(crate) struct Entry {
    pub(crate) method: &'static str,
    pub(crate) subject: Option<Arc<str>>,
    pub(crate) started: Instant,
    /// The subscription stream, if the request opens one.
    pub(super) stream: Option<Arc<ListenStream>>,
    /// Whether the stream for its response is silent so far. `None` if no stream was opened.
    pub(super) is_stream_silent: Option<bool>,
    /// Whether it asks for a task. A task in its response may have to be cancelled even if no caller waits.
    pub(crate) augmented: bool,
    pub(super) idle: Duration,
    pub(super) total: Duration,
    pub(super) last_activity: Instant,
    /// The number of the server's questions that pause the clocks. `still_since` is the start of the current
    /// pause, and `still` the length of the earlier ones.
    pub(super) questions: u32,
    /// Dropped when the entry ends, which notifies the receivers.
    pub(super) until: Vec<oneshot::Sender<Infallible>>,
    pub(super) still_since: Instant,
    pub(super) still: Duration,
    /// The observer of the call, and its open question during a pause.
    pub(super) trace: Option<Arc<CallTrace>>,
    pub(super) question: Option<OpenQuestion>,
    /// How long the earlier rounds of the call took.
    pub(super) ran_before: Duration,
    pub(super) progress: Option<ProgressSink>,
    pub(super) log: Option<LogSink>,
    pub(crate) caller: Option<RequestCaller>,
    /// The error with which the request ends at this time unless a proper response arrives. It comes from an
    /// error without an id that can only be for this request, or from a doubtful response.
    pub(super) suspected: Option<(Instant, RequestError)>,
    pub(super) answer: oneshot::Sender<Result<RpcResponse, RequestError>>,
}

impl Entry {
    pub(super) fn new(new: NewEntry, answer: oneshot::Sender<Result<RpcResponse, RequestError>>) -> Self {
        let NewEntry {
            method,
            subject,
            idle,
            total,
            progress,
            log,
            stream,
            augmented,
            caller,
            trace,
            ran_before,
        } = new;
        let now = Instant::now();
        Self {
            method,
            subject,
            started: now,
            stream,
            is_stream_silent: None,
            augmented,
            idle,
            total,
            last_activity: now,
            questions: 0,
            until: Vec::new(),
            still_since: now,
            still: Duration::ZERO,
            trace,
            question: None,
            ran_before,
            progress,
            log,
            caller,
            suspected: None,
            answer,
        }
    }

    /// Sends the outcome to the caller. Returns it if the caller is gone.
    pub(crate) fn end_with(
        self,
        outcome: Result<RpcResponse, RequestError>,
    ) -> Option<Result<RpcResponse, RequestError>> {
        self.answer.send(outcome).err()
    }

    /// A copy without a caller, for a task in a late response.
    pub(super) fn to_late_entry(&self) -> Self {
        let (nobody, _) = oneshot::channel();
        let new = NewEntry {
            method: self.method,
            subject: self.subject.clone(),
            idle: self.idle,
            total: self.total,
            progress: None,
            log: None,
            stream: None,
            augmented: self.augmented,
            caller: None,
            trace: None,
            ran_before: self.ran_before,
        };
        Self { started: self.started, ..Self::new(new, nobody) }
    }

    /// The request as the context of a server's question.
    pub(super) fn as_pending(&self) -> PendingRequest {
        let method = if self.method == TASK_RESULT { "tools/call" } else { self.method };
        PendingRequest { method, subject: self.subject.clone(), caller: self.caller.clone() }
    }

    /// Pauses the clocks for a question of the server.
    pub(super) fn pause(&mut self, now: Instant) {
        if self.questions == 0 {
            self.still_since = now;
            self.question = self.trace.as_ref().map(CallTrace::open_question);
        }
        self.questions += 1;
    }

    /// Ends one pause of the clocks. After the last one, the idle deadline restarts.
    pub(super) fn unpause(&mut self, now: Instant) {
        self.questions = self.questions.saturating_sub(1);
        if self.questions == 0 {
            self.still += now.duration_since(self.still_since);
            self.last_activity = now;
            self.question = None;
        }
    }

    /// How long the request has run, without the time in which questions waited for answers.
    pub(super) fn run_time(&self, now: Instant) -> Duration {
        let open = if self.questions > 0 { now.duration_since(self.still_since) } else { Duration::ZERO };
        now.duration_since(self.started).saturating_sub(self.still + open)
    }

    pub(super) fn overdue_deadline(&self, now: Instant) -> Option<(Deadline, Duration)> {
        if self.questions > 0 {
            return None;
        }
        if self.run_time(now) >= self.total {
            Some((Deadline::Total, self.total))
        } else if now.duration_since(self.last_activity) >= self.idle {
            Some((Deadline::Idle, self.idle))
        } else {
            None
        }
    }

    /// Describes this request in the `event` of its response. Returns the [run time](Self::run_time),
    /// including earlier rounds.
    pub(crate) fn describe(&self, event: &mut TapEvent, id: u64, outcome: Outcome) -> Duration {
        let elapsed = self.ran_before + self.run_time(Instant::now());
        event.method = Some(Cow::Borrowed(self.method));
        event.subject.clone_from(&self.subject);
        event.elapsed = Some(elapsed);
        event.outcome = Some(outcome);
        event.id = Some(id.to_string().into());
        event.caller.clone_from(&self.caller);
        elapsed
    }
}

/// The data of a new entry.
pub(crate) struct NewEntry {
    pub(crate) method: &'static str,
    pub(crate) subject: Option<Arc<str>>,
    pub(crate) idle: Duration,
    pub(crate) total: Duration,
    pub(crate) progress: Option<ProgressSink>,
    pub(crate) log: Option<LogSink>,
    pub(crate) stream: Option<Arc<ListenStream>>,
    pub(crate) augmented: bool,
    pub(crate) caller: Option<RequestCaller>,
    pub(crate) trace: Option<Arc<CallTrace>>,
    pub(crate) ran_before: Duration,
}
