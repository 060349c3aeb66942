//! One request that waits for its answer, with its clocks: how long it has been silent, how long it may take, and when
//! they stand still.

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

/// Where the reports of progress of one call go. Called in wire order by the reader; must not block.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;

/// Where the log messages of one call go, as far as it is known whose they are. Called in wire order by the reader;
/// must not block.
pub type LogSink = Arc<dyn Fn(Notification) + Send + Sync>;

/// An answer as it came, unparsed.
#[derive(Debug)]
pub(crate) struct RpcResponse {
    /// The number of the request.
    pub(crate) id: u64,
    pub(crate) body: ResponseBody,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) elapsed: Duration,
}

pub(crate) type ResponseReceiver = oneshot::Receiver<Result<RpcResponse, RequestError>>;

/// A request that waits for its answer.
pub(crate) struct Entry {
    pub(crate) method: &'static str,
    pub(crate) subject: Option<Arc<str>>,
    pub(crate) started: Instant,
    /// The stream of changes that it is, where it is one.
    pub(super) stream: Option<Arc<ListenStream>>,
    /// Whether nothing came on the stream for its answer; none: no stream was opened.
    pub(super) is_stream_silent: Option<bool>,
    /// It asks for a task: its answer may have to be cancelled even when nobody waits any more.
    pub(crate) augmented: bool,
    pub(super) idle: Duration,
    pub(super) total: Duration,
    pub(super) last_activity: Instant,
    /// The questions of the server that keep its clocks still, since when they do, and how long they did before.
    pub(super) questions: u32,
    /// Those who want to know when it ends: they hear that these are gone.
    pub(super) until: Vec<oneshot::Sender<Infallible>>,
    pub(super) still_since: Instant,
    pub(super) still: Duration,
    /// Who follows the call, and the question that keeps its clocks still.
    pub(super) trace: Option<Arc<CallTrace>>,
    pub(super) question: Option<OpenQuestion>,
    /// How long the earlier rounds of its call ran.
    pub(super) ran_before: Duration,
    pub(super) progress: Option<ProgressSink>,
    pub(super) log: Option<LogSink>,
    pub(crate) caller: Option<RequestCaller>,
    /// What it ends with unless an answer of its own comes until then: an error without an id that can only be meant
    /// for it, or what may have been its answer.
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

    /// Gives the waiting caller its outcome. A caller that has gone needs none: then it comes back.
    pub(crate) fn end(
        self,
        outcome: Result<RpcResponse, RequestError>,
    ) -> Option<Result<RpcResponse, RequestError>> {
        self.answer.send(outcome).err()
    }

    /// What remains of it when its caller waits no longer, for a task that may yet come of it.
    pub(super) fn late(&self) -> Self {
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

    /// The request as the cause of a server's question.
    pub(super) fn as_pending(&self) -> PendingRequest {
        let method = if self.method == TASK_RESULT { "tools/call" } else { self.method };
        PendingRequest { method, subject: self.subject.clone(), caller: self.caller.clone() }
    }

    /// The server asks something that this waits for.
    pub(super) fn pause(&mut self, now: Instant) {
        if self.questions == 0 {
            self.still_since = now;
            self.question = self.trace.as_ref().map(CallTrace::open_question);
        }
        self.questions += 1;
    }

    /// One question less is open. The idle deadline starts anew.
    pub(super) fn unpause(&mut self, now: Instant) {
        self.questions = self.questions.saturating_sub(1);
        if self.questions == 0 {
            self.still += now.duration_since(self.still_since);
            self.last_activity = now;
            self.question = None;
        }
    }

    /// How long it has run, without the time in which the server's questions waited for answers.
    pub(super) fn ran(&self, now: Instant) -> Duration {
        let open = if self.questions > 0 { now.duration_since(self.still_since) } else { Duration::ZERO };
        now.duration_since(self.started).saturating_sub(self.still + open)
    }

    pub(super) fn overdue(&self, now: Instant) -> Option<(Deadline, Duration)> {
        if self.questions > 0 {
            return None;
        }
        if self.ran(now) >= self.total {
            Some((Deadline::Total, self.total))
        } else if now.duration_since(self.last_activity) >= self.idle {
            Some((Deadline::Idle, self.idle))
        } else {
            None
        }
    }

    /// Notes on `event` which request it answers; returns how long it [ran](Self::ran), with the rounds before it.
    pub(crate) fn describe(&self, event: &mut TapEvent, id: u64, outcome: Outcome) -> Duration {
        let elapsed = self.ran_before + self.ran(Instant::now());
        event.method = Some(Cow::Borrowed(self.method));
        event.subject.clone_from(&self.subject);
        event.elapsed = Some(elapsed);
        event.outcome = Some(outcome);
        event.id = Some(id.to_string().into());
        event.caller.clone_from(&self.caller);
        elapsed
    }
}

/// What a new entry needs.
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
