//! What ties a transport to the requests that wait: every frame that arrives is sorted here, in wire order. Answers end
//! their requests; the rest goes to a [`Handler`].

mod batch;
mod behind;
pub(crate) mod garbage;
pub(crate) mod notification;

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use mooring_words::say;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, watch};

use crate::diagnostic::{Code, Diagnostic};
use crate::error::{CloseReason, RequestError, RpcError};
use crate::frame::{FrameError, PassingId};
use crate::inbound::{Inbound, Refusal};
use crate::json::canonical;
use crate::limits::{Bound, Bounds, Limits};
use crate::link::behind::{Habit, message_start};
use crate::link::garbage::{Garbage, NoMessages};
use crate::link::notification::{Told, read_notification};
use crate::message::{self, AnswerId, Body, Message, Parsed, Read, our_id, write};
use crate::model::notification::{Notification, Progress};
use crate::model::shape;
use crate::outgoing::{ModernHeaders, Outgoing};
use crate::params::Params;
use crate::rate::Rate;
use crate::revision::Revision;
use crate::table::{Answer, Entry, Table};
use crate::tap::{self, Direction, Outcome, Tap, TapEvent, TapKind};
use crate::text::cut;
use crate::transport::sink::{On, Received, Sink};

/// Takes what a server says that is no plain answer. It must neither block nor wait.
pub(crate) trait Handler: Send + Sync {
    /// The server asks something, with this id as JSON text.
    fn asked(&self, link: &Link, id: &str, method: &str, params: Option<&Bytes>, on: On);

    /// The server tells something.
    fn told(&self, link: &Link, notification: Notification, on: On);

    /// The server answers a request that asked for a task.
    fn answered_with_task(&self, link: &Link, entry: Entry, answer: Answer);
}

/// The heart of one connection.
pub(crate) struct Link {
    pub(crate) limits: Bounds,
    pub(crate) table: Arc<Table>,
    pub(crate) tap: Arc<dyn Tap>,
    inbound: Arc<dyn Inbound>,
    /// Held while the host is told something, so that several streams make one order.
    order: Mutex<()>,
    outbox: mpsc::Sender<Box<Outgoing>>,
    handler: Arc<dyn Handler>,
    /// What was agreed on, once it was.
    revision: OnceLock<Revision>,
    /// Whether several messages may come in one array.
    batches: AtomicBool,
    /// Set once each request stands alone: 2026-07-28.
    modern: AtomicBool,
    /// Set where the end of the exchange is what cancels a request.
    cancels_by_closing: AtomicBool,
    /// Set once an answer came on a line of its own, after the handshake.
    answers_cleanly: AtomicBool,
    /// How much the server may say unasked.
    rate: Mutex<Rate>,
    /// What came before the handshake and is no message.
    garbage: Mutex<Garbage>,
    closed: watch::Sender<Option<CloseReason>>,
}

/// A message whose place in the order is known and which waits for the tap.
enum Step {
    Answered(Box<Entry>, Answer),
    Asked(Bytes, String, Option<Bytes>),
    Told(Notification),
    Progress(u64, Progress),
    Nothing,
}

impl Link {
    pub(crate) fn new(
        limits: Limits,
        tap: Arc<dyn Tap>,
        inbound: Arc<dyn Inbound>,
        outbox: mpsc::Sender<Box<Outgoing>>,
        handler: Arc<dyn Handler>,
    ) -> Self {
        Self {
            limits: limits.into(),
            table: Arc::default(),
            tap,
            inbound,
            order: Mutex::new(()),
            outbox,
            handler,
            revision: OnceLock::new(),
            batches: AtomicBool::new(false),
            modern: AtomicBool::new(false),
            cancels_by_closing: AtomicBool::new(false),
            answers_cleanly: AtomicBool::new(false),
            rate: Mutex::new(Rate::default()),
            garbage: Mutex::new(Garbage::default()),
            closed: watch::Sender::new(None),
        }
    }

    /// Ends the connection. Everything that waits ends with `reason`; the first reason stays.
    pub(crate) fn close(&self, reason: &CloseReason) {
        self.table.close(reason);
        self.closed.send_if_modified(|closed| {
            let first = closed.is_none();
            closed.get_or_insert_with(|| reason.clone());
            first
        });
    }

    /// Why the connection is over, once it is.
    pub(crate) fn closed(&self) -> watch::Receiver<Option<CloseReason>> {
        self.closed.subscribe()
    }

    /// Reports something odd that belongs to no request.
    pub(crate) fn diagnose(&self, diagnostic: Diagnostic) {
        let _order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        self.inbound.diagnose(diagnostic);
    }

    /// Notes that a limit was reached, and tells the host the first time.
    pub(crate) fn reached(&self, bound: Bound) {
        if self.limits.note(bound) {
            self.inbound.limits_changed();
        }
    }

    /// Passes something to the tap, waiting for room.
    pub(crate) async fn record(&self, event: TapEvent) {
        tap::record(self.tap.as_ref(), event).await;
    }

    /// Waits when the server says more unasked than it may: nothing is lost, its own connection slows down.
    pub(crate) async fn throttle(&self, messages: usize, bytes: usize) -> bool {
        let taken =
            self.rate.lock().unwrap_or_else(PoisonError::into_inner).take(messages, bytes, &self.limits);
        if let Some((wait, bound)) = taken {
            self.reached(bound);
            tokio::time::sleep(wait).await;
        }
        taken.is_some()
    }

    /// Sends a message that nobody waits for, if there is room; a server that takes no input gets none.
    pub(crate) fn post(&self, outgoing: Outgoing) {
        if self.outbox.try_send(Box::new(outgoing)).is_err() {
            tracing::debug!("a message to the server was left out because its queue is full or closed");
        }
    }

    pub(crate) fn outbox(&self) -> &mpsc::Sender<Box<Outgoing>> {
        &self.outbox
    }

    /// What the server has shown so far of how it answers.
    fn habit(&self) -> Habit {
        if self.answers_cleanly.load(Ordering::Relaxed) {
            Habit::Clean
        } else if self.garbage().is_over() {
            Habit::Unknown
        } else {
            Habit::Beginning
        }
    }

    /// Notes that an answer came on a line of its own.
    fn note_habit(&self) {
        if !self.answers_cleanly.load(Ordering::Relaxed) && self.garbage().is_over() {
            self.answers_cleanly.store(true, Ordering::Relaxed);
        }
    }

    /// The answer to a request that waits, where it stands behind something on its line that lets it count, such as an
    /// escape sequence ([`behind`]). Only an answer is taken: whatever has a method may be our own words, which some servers repeat.
    fn answer_behind_text(&self, bytes: &Bytes) -> Option<Read> {
        let (from, counts) = message_start(bytes, self.habit()).filter(|(from, _)| *from > 0)?;
        let read = message::parse(&bytes.slice(from..), &self.limits).ok()?;
        let Message::Answer { id: Some(AnswerId::Ours { number, .. }), .. } = &read.messages.first()?.message
        else {
            return None;
        };
        if read.is_batch || self.table.call(*number).is_none() {
            return None;
        }
        let before = String::from_utf8_lossy(bytes.get(..from.min(400)).unwrap_or_default());
        if !counts {
            self.table.doubt(*number, RequestError::Malformed { reason: behind::doubt(&before) });
            return None;
        }
        let quoted = format!("{:?}", cut(&before, 200));
        self.diagnose(Diagnostic::new(
            Code::Noise,
            "",
            say!("something stands before an answer on its line; it is left out: {quoted}", quoted),
        ));
        Some(read)
    }

    /// Takes what is no message. Where it is plainly the answer to a request, that request ends; returns its id.
    async fn unreadable(&self, bytes: Bytes, error: &FrameError) -> Option<u64> {
        if self.closed.borrow().is_some() {
            // What a server prints on its way out is of no use to anyone.
            return None;
        }
        let start =
            String::from_utf8_lossy(bytes.get(..bytes.len().min(400)).unwrap_or_default()).into_owned();
        let mut passing = PassingId::default();
        if let Some((from, true)) = message_start(&bytes, self.habit()) {
            passing.feed(bytes.get(from..).unwrap_or_default());
        }
        let id = passing.end().and_then(our_id);
        let entry = id.and_then(|id| self.table.take(id));
        let mut event = TapEvent::new(Direction::In, TapKind::Noise, bytes.clone());
        if let (Some(entry), Some(id)) = (&entry, id) {
            describe(&mut event, entry, id, Outcome::Error);
        }
        self.record(event).await;
        if let Some(entry) = entry {
            entry.end(Err(RequestError::Malformed { reason: error.sentence() }));
            return id;
        }
        let excerpt = cut(&start, 200).to_owned();
        self.diagnose(Diagnostic::new(Code::Noise, "", behind::problem(&bytes, error, &excerpt)));
        self.count_garbage(excerpt, &bytes);
        None
    }

    fn note_frame(&self, error: &FrameError) {
        match error {
            FrameError::TooLarge { .. } => self.reached(Bound::Message),
            FrameError::TooManyNodes { .. } => self.reached(Bound::Nodes),
            FrameError::TooDeep { .. } => self.reached(Bound::Depth),
            FrameError::NotJson { .. } => {}
        }
    }

    fn garbage(&self) -> MutexGuard<'_, Garbage> {
        self.garbage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count_garbage(&self, excerpt: String, line: &[u8]) {
        let told = self.garbage().take(excerpt, line, &self.limits);
        if let Some(NoMessages { what, excerpt }) = told {
            self.table.fail_all(&RequestError::NotMcp { what, excerpt });
        }
    }

    /// Notes that the handshake is over; returns what came before it that is no message.
    pub(crate) fn end_of_handshake(&self) -> Option<NoMessages> {
        self.garbage().end()
    }

    /// Tells of a line that has no end, where a request was waited for in vain: what it waits for may stand there.
    pub(crate) fn tell_unfinished(&self) {
        if let Some(line) = self.garbage().take_unfinished() {
            let quoted = format!("{:?}", cut(&line, 200));
            let message = say!("its output ends in a line without an end: {quoted}", quoted);
            self.diagnose(Diagnostic::new(Code::Noise, "", message));
        }
    }

    fn sort(&self, parsed: Parsed, event: &mut TapEvent, received: &mut Received) -> Step {
        let Parsed { message, diagnostics, .. } = parsed;
        match message {
            Message::Answer { id: Some(AnswerId::Ours { number, exact }), body } => {
                self.sort_answer(number, exact, body, diagnostics, event, received)
            }
            Message::Answer { id, body } => {
                event.outcome =
                    Some(if matches!(body, Body::Error(_)) { Outcome::Error } else { Outcome::Result });
                match (id, body) {
                    (None, Body::Error(error)) => received.orphan = Some(error),
                    _ => {
                        self.diagnose(Diagnostic::new(
                            Code::Unmatched,
                            "id",
                            say!("answers nothing that we asked"),
                        ));
                    }
                }
                Step::Nothing
            }
            Message::Request { id, method, params } => {
                // As the answer will have it.
                event.id = std::str::from_utf8(&id).ok().map(|id| canonical(id).into());
                event.method = Some(Cow::Owned(method.clone()));
                self.report(diagnostics);
                Step::Asked(id, method, params)
            }
            Message::Notification { method, params } => {
                event.method = Some(Cow::Owned(method.clone()));
                self.report(diagnostics);
                match read_notification(method, params) {
                    Ok(Told::Progress(token, progress)) => Step::Progress(token, progress),
                    Ok(Told::Other(notification)) => {
                        self.look_at(&notification);
                        Step::Told(notification)
                    }
                    Err(diagnostic) => {
                        self.diagnose(diagnostic);
                        Step::Nothing
                    }
                }
            }
        }
    }

    fn sort_answer(
        &self,
        number: u64,
        exact: bool,
        body: Body,
        mut diagnostics: Vec<Diagnostic>,
        event: &mut TapEvent,
        received: &mut Received,
    ) -> Step {
        event.id = Some(number.to_string().into());
        event.outcome = Some(if matches!(body, Body::Error(_)) { Outcome::Error } else { Outcome::Result });
        let Some(entry) = self.table.take(number) else {
            // A late answer to a request that was cancelled or timed out is normal.
            return Step::Nothing;
        };
        if !exact {
            diagnostics.push(Diagnostic::new(Code::Envelope, "id", say!("came back with another type")));
        }
        let outcome = if matches!(body, Body::Error(_)) { Outcome::Error } else { Outcome::Result };
        let elapsed = describe(event, &entry, number, outcome);
        received.answered = Some(number);
        Step::Answered(Box::new(entry), Answer { id: number, body, diagnostics, elapsed })
    }

    /// Reports what is odd about a notification; the host gets it all the same.
    fn look_at(&self, notification: &Notification) {
        let mut odd = Vec::new();
        let params = notification.params.as_deref().map(RawValue::get);
        shape::check_told(&notification.method, params, &mut odd);
        self.report(odd);
    }

    /// Tells the host something, in order.
    pub(crate) fn notify(&self, notification: Notification) {
        let _order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        self.inbound.notify(notification);
    }

    /// Answers a request of the server, whose id is `id` as JSON text.
    pub(crate) fn answer(&self, id: &Arc<str>, method: &str, answer: Result<Box<RawValue>, Refusal>) {
        self.post(Outgoing::answer(id, method, answer));
    }

    /// Whether each request stands alone.
    pub(crate) fn is_modern(&self) -> bool {
        self.modern.load(Ordering::Relaxed)
    }

    /// Sends a request whose answer nobody waits for.
    pub(crate) fn fire(
        &self,
        method: &'static str,
        params: &Params,
        meta: Option<&Params>,
        modern: Option<ModernHeaders>,
    ) {
        let id = self.table.number();
        self.post(Outgoing {
            bytes: write::request(id, method, Some(params), meta, None),
            method: Some(Cow::Borrowed(method)),
            id: Some(id.to_string().into()),
            subject: None,
            outcome: None,
            modern,
        });
    }

    fn report(&self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        for diagnostic in diagnostics {
            self.diagnose(diagnostic);
        }
    }

    fn take(&self, step: Step, on: On) {
        match step {
            Step::Answered(entry, answer) if entry.augmented => {
                self.handler.answered_with_task(self, *entry, answer);
            }
            Step::Answered(entry, answer) => drop(entry.end(Ok(answer))),
            Step::Asked(id, method, params) => {
                if let Ok(id) = std::str::from_utf8(&id) {
                    self.handler.asked(self, id, &method, params.as_ref(), on);
                }
            }
            Step::Told(notification) => self.handler.told(self, notification, on),
            Step::Progress(token, progress) => {
                if !self.table.hear(token, progress) {
                    let message = say!("reports progress of nothing that waits");
                    self.diagnose(Diagnostic::new(Code::Unmatched, "params.progressToken", message));
                }
            }
            Step::Nothing => {}
        }
    }

    /// The revision that `initialize` agreed on.
    pub(crate) fn revision(&self) -> Option<Revision> {
        self.revision.get().copied()
    }

    /// From here on messages are those of `revision`.
    pub(crate) fn agree(&self, revision: Revision) {
        self.revision.get_or_init(|| revision);
        self.batches.store(revision.has_batches(), Ordering::Relaxed);
    }

    /// From here on each request stands alone; `over_http` also ends by the end of its exchange.
    pub(crate) fn turn_modern(&self, over_http: bool) {
        self.modern.store(true, Ordering::Relaxed);
        self.cancels_by_closing.store(over_http, Ordering::Relaxed);
    }

    /// Whether closing the exchange is what cancels a request (SHL-11).
    pub(crate) fn cancels_by_closing(&self) -> bool {
        self.cancels_by_closing.load(Ordering::Relaxed)
    }
}

impl Sink for Link {
    fn limits(&self) -> &Limits {
        &self.limits
    }

    async fn receive_on(&self, on: On, bytes: Bytes) -> Received {
        let mut received = Received::default();
        let size = bytes.len();
        let mut kind = TapKind::Frame;
        let mut read = match message::parse(&bytes, &self.limits) {
            Ok(read) => read,
            Err(error) => {
                let Some(read) = self.answer_behind_text(&bytes) else {
                    self.note_frame(&error);
                    received.answered = self.unreadable(bytes, &error).await;
                    received.noise = Some(error);
                    if received.answered.is_none() {
                        self.throttle(1, size).await;
                    }
                    return received;
                };
                kind = TapKind::Noise;
                read
            }
        };
        received.is_message = !read.messages.is_empty();
        let mut event = TapEvent::new(Direction::In, kind, bytes);
        if read.is_batch {
            self.take_batch(read, event, size, on, &mut received).await;
            return received;
        }
        if let Some(parsed) = read.messages.pop() {
            let step = self.sort(parsed, &mut event, &mut received);
            if received.orphan.is_some()
                && let On::Exchange(id) = on
            {
                self.describe_error(&mut event, id);
            }
            self.record(event).await;
            self.take(step, on);
        }
        if kind == TapKind::Frame && received.answered.is_some() {
            self.note_habit();
        }
        if let Some(error) = received.orphan.as_ref().filter(|_| on == On::Shared)
            && self.table.suspect(RpcError::read(&String::from_utf8_lossy(error)))
        {
            received.orphan = None;
        }
        if received.answered.is_none() {
            self.throttle(1, size).await;
        }
        received
    }

    async fn oversize(&self, head: Bytes, size: usize, is_whole: bool, id: Option<u64>) {
        let mut event = TapEvent::new(Direction::In, TapKind::Oversize, head.clone());
        event.size = size;
        let entry = id.and_then(|id| self.table.take(id));
        if let (Some(entry), Some(id)) = (&entry, id) {
            describe(&mut event, entry, id, Outcome::Error);
        }
        self.record(event).await;
        let limit = self.limits.message_bytes;
        self.reached(Bound::Message);
        match entry {
            Some(entry) => {
                drop(entry.end(Err(RequestError::too_large(limit, size, is_whole, &head))));
            }
            None => self.diagnose(Diagnostic::new(
                Code::Limit,
                "",
                say!("a message is larger than {limit} bytes", limit),
            )),
        }
    }

    fn unfinished(&self, line: &[u8]) {
        self.garbage().unfinished(line);
    }

    async fn throttle(&self, messages: usize, bytes: usize) -> bool {
        Self::throttle(self, messages, bytes).await
    }

    async fn record(&self, event: TapEvent) {
        Self::record(self, event).await;
    }

    fn describe_error(&self, event: &mut TapEvent, id: u64) {
        self.table.look(id, |entry| {
            describe(event, entry, id, Outcome::Error);
        });
    }

    fn diagnose(&self, diagnostic: Diagnostic) {
        Self::diagnose(self, diagnostic);
    }

    fn reached(&self, bound: Bound) {
        Self::reached(self, bound);
    }

    fn close(&self, reason: &CloseReason) {
        Self::close(self, reason);
    }

    fn closed(&self) -> watch::Receiver<Option<CloseReason>> {
        Self::closed(self)
    }

    fn waiting(&self) -> usize {
        self.table.waiting()
    }

    fn is_awaited(&self, id: u64) -> bool {
        self.table.call(id).is_some()
    }

    fn fail(&self, id: u64, error: RequestError) {
        self.table.fail(id, error);
    }
}

/// Notes on `event` which request it answers; returns how long that took.
fn describe(event: &mut TapEvent, entry: &Entry, id: u64, outcome: Outcome) -> Duration {
    let elapsed = entry.started.elapsed();
    event.method = Some(Cow::Borrowed(entry.method));
    event.subject.clone_from(&entry.subject);
    event.elapsed = Some(elapsed);
    event.outcome = Some(outcome);
    event.id = Some(id.to_string().into());
    elapsed
}
