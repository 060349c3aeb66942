//! Dispatches frames in wire order: responses to their requests, everything else to a [`MessageHandler`].

mod batch;
pub(crate) mod handshake_noise;
mod line_prefix;
pub(crate) mod notification;

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use mooring_base::rate::RateLimiter;
use mooring_jsonrpc::JsonObject;
use mooring_jsonrpc::canonical::parse as parse_canonical;
use mooring_words::say;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, watch};

use crate::client_capabilities::Refusal;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::error::{CloseReason, RequestError, RpcError};
use crate::frame::{FrameError, ResponseIdScanner};
use crate::inbound::ClientHandler;
use crate::limits::{LimitKind, LimitTracker, Limits};
use crate::link::handshake_noise::{HandshakeNoise, NoiseSummary};
use crate::link::line_prefix::{AnswerStyle, find_message_start};
use crate::link::notification::{IncomingNotification, read_notification};
use crate::message::{
    self, Message, ParsedFrame, ParsedMessage, ResponseBody, ResponseId, read_own_id, write,
};
use crate::model::notification::{Notification, Progress};
use crate::model::shape;
use crate::outgoing::{ModernHeaders, OutgoingMessage};
use crate::revision::Revision;
use crate::table::{Entry, RequestTable, RpcResponse};
use crate::tap::{self, Direction, Outcome, Tap, TapEvent, TapKind};
use crate::text::cut_text;
use crate::transport::sink::{FrameOutcome, FrameSink, FrameSource};

/// Handles the server's messages other than plain responses. Handlers must not block.
pub(crate) trait MessageHandler: Send + Sync {
    /// Handles a request of the server. `id` is JSON text.
    fn handle_request(
        &self,
        link: &MessageLink,
        id: &str,
        method: &str,
        params: Option<&Bytes>,
        on: FrameSource,
    );

    fn handle_notification(&self, link: &MessageLink, notification: Notification, on: FrameSource);

    /// Handles the response to a request that asked for a task.
    fn handle_task_response(&self, link: &MessageLink, entry: Entry, answer: RpcResponse);
}

/// What a connection's transport and requests share: limits, request table, tap, outbox and handler.
pub(crate) struct MessageLink {
    pub(crate) limits: LimitTracker,
    pub(crate) table: Arc<RequestTable>,
    pub(crate) tap: Arc<dyn Tap>,
    inbound: Arc<dyn ClientHandler>,
    /// Held while the host is called, so that several streams are delivered in one order.
    order: Mutex<()>,
    outbox: mpsc::Sender<Box<OutgoingMessage>>,
    handler: Arc<dyn MessageHandler>,
    revision: OnceLock<Revision>,
    /// Whether an array may contain several messages.
    batches: AtomicBool,
    /// Set in the stateless era (2026-07-28).
    modern: AtomicBool,
    /// Set if closing the exchange cancels a request.
    cancels_by_closing: AtomicBool,
    /// Set once a response came on a separate line after the handshake.
    answers_cleanly: AtomicBool,
    /// Limits the server's unsolicited messages.
    rate: Mutex<RateLimiter>,
    /// Output before the end of the handshake that is not a message.
    garbage: Mutex<HandshakeNoise>,
    closed: watch::Sender<Option<CloseReason>>,
}

/// A message that is sorted and waits for the tap.
enum SortedMessage {
    Response(Box<Entry>, RpcResponse),
    Request(Bytes, String, Option<Bytes>),
    Notification(Notification),
    Progress(u64, Progress),
    Ignored,
}

impl MessageLink {
    pub(crate) fn new(
        limits: Limits,
        tap: Arc<dyn Tap>,
        inbound: Arc<dyn ClientHandler>,
        outbox: mpsc::Sender<Box<OutgoingMessage>>,
        handler: Arc<dyn MessageHandler>,
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
            rate: Mutex::new(RateLimiter::default()),
            garbage: Mutex::new(HandshakeNoise::default()),
            closed: watch::Sender::new(None),
        }
    }

    /// Ends the connection and all pending requests with `reason`. The first reason wins.
    pub(crate) fn close(&self, reason: &CloseReason) {
        self.table.close(reason);
        self.closed.send_if_modified(|closed| {
            let first = closed.is_none();
            closed.get_or_insert_with(|| reason.clone());
            first
        });
    }

    /// Becomes `Some` when the connection is over, with the reason.
    pub(crate) fn closed(&self) -> watch::Receiver<Option<CloseReason>> {
        self.closed.subscribe()
    }

    /// Reports a problem that belongs to no request.
    pub(crate) fn diagnose(&self, diagnostic: Diagnostic) {
        let _order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        self.inbound.diagnose(diagnostic);
    }

    /// Records that a limit was reached, and notifies the host the first time.
    pub(crate) fn note_limit(&self, bound: LimitKind) {
        if self.limits.note_reached(bound) {
            self.inbound.limits_changed();
        }
    }

    /// Passes an event to the tap, and waits until it has room.
    pub(crate) async fn record(&self, event: TapEvent) {
        tap::record_event(self.tap.as_ref(), event).await;
    }

    /// Waits if the server exceeds its limit on unsolicited messages, which slows only this connection down.
    pub(crate) async fn throttle(&self, messages: usize, bytes: usize) -> bool {
        let taken = self.limits.count_unasked(&self.rate, messages, bytes);
        if let Some((wait, bound)) = taken {
            self.note_limit(bound);
            tokio::time::sleep(wait).await;
        }
        taken.is_some()
    }

    /// Sends a message without waiting. Drops it if the queue is full because the server doesn't read.
    pub(crate) fn post_message(&self, outgoing: OutgoingMessage) {
        if self.outbox.try_send(Box::new(outgoing)).is_err() {
            tracing::debug!("a message to the server was left out because its queue is full or closed");
        }
    }

    pub(crate) fn outbox(&self) -> &mpsc::Sender<Box<OutgoingMessage>> {
        &self.outbox
    }

    /// How the server has responded so far.
    fn answer_style(&self) -> AnswerStyle {
        if self.answers_cleanly.load(Ordering::Relaxed) {
            AnswerStyle::Clean
        } else if self.lock_noise().is_over() {
            AnswerStyle::Unknown
        } else {
            AnswerStyle::Handshake
        }
    }

    /// Records that a response came on a separate line.
    fn note_clean_answer(&self) {
        if !self.answers_cleanly.load(Ordering::Relaxed) && self.lock_noise().is_over() {
            self.answers_cleanly.store(true, Ordering::Relaxed);
        }
    }

    /// A response to a pending request that follows other text on its line, if [`line_prefix`] allows the
    /// text. Only responses count: some servers echo this client's requests.
    fn find_answer_behind_text(&self, bytes: &Bytes) -> Option<ParsedFrame> {
        let (from, counts) = find_message_start(bytes, self.answer_style()).filter(|(from, _)| *from > 0)?;
        let read = message::parse_frame(&bytes.slice(from..), &self.limits).ok()?;
        let Message::Response { id: Some(ResponseId::Ours { number, .. }), .. } =
            &read.messages.first()?.message
        else {
            return None;
        };
        if read.is_batch || self.table.find_call(*number).is_none() {
            return None;
        }
        let before = String::from_utf8_lossy(bytes.get(..from.min(400)).unwrap_or_default());
        if !counts {
            self.table.expect_error_for(
                *number,
                RequestError::Malformed { reason: line_prefix::doubt_reason(&before) },
            );
            return None;
        }
        let quoted = format!("{:?}", cut_text(&before, 200));
        self.diagnose(Diagnostic::new(
            DiagnosticCode::Noise,
            "",
            say!("there is text before an answer on its line; it was ignored: {quoted}", quoted),
        ));
        Some(read)
    }

    /// Handles a line that is no message. Ends the request to which it clearly responds, and returns its id.
    async fn handle_unreadable(&self, bytes: Bytes, error: &FrameError) -> Option<u64> {
        if self.closed.borrow().is_some() {
            // Output after the end of the connection is irrelevant.
            return None;
        }
        let start =
            String::from_utf8_lossy(bytes.get(..bytes.len().min(400)).unwrap_or_default()).into_owned();
        let mut passing = ResponseIdScanner::default();
        if let Some((from, true)) = find_message_start(&bytes, self.answer_style()) {
            passing.feed(bytes.get(from..).unwrap_or_default());
        }
        let id = passing.finish().and_then(read_own_id);
        let entry = id.and_then(|id| self.table.take_entry(id));
        let mut event = TapEvent::new(Direction::In, TapKind::Noise, bytes.clone());
        if let (Some(entry), Some(id)) = (&entry, id) {
            entry.describe(&mut event, id, Outcome::Error);
        }
        self.record(event).await;
        if let Some(entry) = entry {
            entry.end_with(Err(RequestError::Malformed { reason: error.sentence() }));
            return id;
        }
        let excerpt = cut_text(&start, 200).to_owned();
        self.diagnose(Diagnostic::new(
            DiagnosticCode::Noise,
            "",
            line_prefix::describe_problem(&bytes, error, &excerpt),
        ));
        self.add_noise(excerpt, &bytes);
        None
    }

    fn note_frame_limit(&self, error: &FrameError) {
        match error {
            FrameError::TooLarge { .. } => self.note_limit(LimitKind::Message),
            FrameError::TooManyNodes { .. } => self.note_limit(LimitKind::Nodes),
            FrameError::TooDeep { .. } => self.note_limit(LimitKind::Depth),
            FrameError::NotJson { .. } => {}
        }
    }

    fn lock_noise(&self) -> MutexGuard<'_, HandshakeNoise> {
        self.garbage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add_noise(&self, excerpt: String, line: &[u8]) {
        if let Some(NoiseSummary { what, excerpt }) = self.lock_noise().add_line(excerpt, line, &self.limits)
        {
            self.table.fail_all(&RequestError::NotMcp { what, excerpt });
        }
    }

    /// Ends the handshake. Returns a summary of the output before it that was not a message.
    pub(crate) fn end_of_handshake(&self) -> Option<NoiseSummary> {
        self.lock_noise().end_handshake()
    }

    /// Reports an unfinished line after a request timed out, because its response may be there.
    pub(crate) fn report_unfinished(&self) {
        if let Some(line) = self.lock_noise().take_unfinished() {
            let quoted = format!("{:?}", cut_text(&line, 200));
            let message = say!("its output ends with an unfinished line: {quoted}", quoted);
            self.diagnose(Diagnostic::new(DiagnosticCode::Noise, "", message));
        }
    }

    fn sort_message(
        &self,
        parsed: ParsedMessage,
        event: &mut TapEvent,
        received: &mut FrameOutcome,
    ) -> SortedMessage {
        let ParsedMessage { message, diagnostics, .. } = parsed;
        match message {
            Message::Response { id: Some(ResponseId::Ours { number, exact }), body } => {
                self.sort_answer(number, exact, body, diagnostics, event, received)
            }
            Message::Response { id, body } => {
                event.outcome = Some(if matches!(body, ResponseBody::Error(_)) {
                    Outcome::Error
                } else {
                    Outcome::Result
                });
                match (id, body) {
                    (None, ResponseBody::Error(error)) => received.orphan = Some(error),
                    _ => {
                        self.diagnose(Diagnostic::new(
                            DiagnosticCode::Unmatched,
                            "id",
                            say!("doesn’t answer any of our requests"),
                        ));
                    }
                }
                SortedMessage::Ignored
            }
            Message::Request { id, method, params } => {
                // The id in the form that the response will have.
                event.id = std::str::from_utf8(&id).ok().map(|id| parse_canonical(id).to_string().into());
                event.method = Some(Cow::Owned(method.clone()));
                self.report_diagnostics(diagnostics);
                SortedMessage::Request(id, method, params)
            }
            Message::Notification { method, params } => {
                event.method = Some(Cow::Owned(method.clone()));
                self.report_diagnostics(diagnostics);
                match read_notification(method, params) {
                    Ok(IncomingNotification::Progress(token, progress)) => {
                        self.table.with_entry(token, |entry| event.caller.clone_from(&entry.caller));
                        SortedMessage::Progress(token, progress)
                    }
                    Ok(IncomingNotification::Other(notification)) => {
                        self.check_notification(&notification);
                        SortedMessage::Notification(notification)
                    }
                    Err(diagnostic) => {
                        self.diagnose(diagnostic);
                        SortedMessage::Ignored
                    }
                }
            }
        }
    }

    fn sort_answer(
        &self,
        number: u64,
        exact: bool,
        body: ResponseBody,
        mut diagnostics: Vec<Diagnostic>,
        event: &mut TapEvent,
        received: &mut FrameOutcome,
    ) -> SortedMessage {
        event.id = Some(number.to_string().into());
        event.outcome =
            Some(if matches!(body, ResponseBody::Error(_)) { Outcome::Error } else { Outcome::Result });
        let Some(entry) = self.table.take_entry(number) else {
            // A late response to a request that was cancelled or timed out is normal.
            return SortedMessage::Ignored;
        };
        if !exact {
            diagnostics.push(Diagnostic::new(
                DiagnosticCode::Envelope,
                "id",
                say!("came back with another type"),
            ));
        }
        let outcome = if matches!(body, ResponseBody::Error(_)) { Outcome::Error } else { Outcome::Result };
        let elapsed = entry.describe(event, number, outcome);
        received.answered = Some(number);
        SortedMessage::Response(Box::new(entry), RpcResponse { id: number, body, diagnostics, elapsed })
    }

    /// Reports problems of a notification. The host gets it anyway.
    fn check_notification(&self, notification: &Notification) {
        let mut odd = Vec::new();
        let params = notification.params.as_deref().map(RawValue::get);
        shape::check_notification(&notification.method, params, &mut odd);
        self.report_diagnostics(odd);
    }

    /// Delivers a notification to the host, in order.
    pub(crate) fn notify(&self, notification: Notification) {
        let _order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        self.inbound.notify(notification);
    }

    /// Responds to a request of the server. `id` is JSON text.
    pub(crate) fn send_answer(&self, id: &Arc<str>, method: &str, answer: Result<Box<RawValue>, Refusal>) {
        self.post_message(OutgoingMessage::answer(id, method, answer));
    }

    pub(crate) fn is_modern(&self) -> bool {
        self.modern.load(Ordering::Relaxed)
    }

    /// Sends a request whose response is ignored.
    pub(crate) fn send_unawaited(
        &self,
        method: &'static str,
        params: &JsonObject,
        meta: Option<&JsonObject>,
        modern: Option<ModernHeaders>,
    ) {
        let id = self.table.next_number();
        self.post_message(OutgoingMessage {
            bytes: write::write_request(id, method, Some(params), meta, None),
            method: Some(Cow::Borrowed(method)),
            id: Some(id.to_string().into()),
            subject: None,
            outcome: None,
            caller: None,
            modern,
        });
    }

    fn report_diagnostics(&self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        for diagnostic in diagnostics {
            self.diagnose(diagnostic);
        }
    }

    fn dispatch_message(&self, step: SortedMessage, on: FrameSource) {
        match step {
            SortedMessage::Response(entry, answer) if entry.augmented => {
                self.handler.handle_task_response(self, *entry, answer);
            }
            SortedMessage::Response(entry, answer) => drop(entry.end_with(Ok(answer))),
            SortedMessage::Request(id, method, params) => {
                if let Some(NoiseSummary { what, excerpt }) = self.lock_noise().describe_echo(&method) {
                    self.table.fail_all(&RequestError::NotMcp { what, excerpt });
                } else if let Ok(id) = std::str::from_utf8(&id) {
                    self.handler.handle_request(self, id, &method, params.as_ref(), on);
                }
            }
            SortedMessage::Notification(notification) => {
                self.handler.handle_notification(self, notification, on);
            }
            SortedMessage::Progress(token, progress) => {
                if !self.table.report_progress(token, progress) {
                    let message = say!("reports progress for no running request");
                    self.diagnose(Diagnostic::new(
                        DiagnosticCode::Unmatched,
                        "params.progressToken",
                        message,
                    ));
                }
            }
            SortedMessage::Ignored => {}
        }
    }

    /// The revision that `initialize` negotiated.
    pub(crate) fn revision(&self) -> Option<Revision> {
        self.revision.get().copied()
    }

    pub(crate) fn set_revision(&self, revision: Revision) {
        self.revision.get_or_init(|| revision);
        self.batches.store(revision.has_batches(), Ordering::Relaxed);
    }

    /// Switches to the stateless era. With `over_http`, closing the exchange cancels a request.
    pub(crate) fn switch_to_modern(&self, over_http: bool) {
        self.modern.store(true, Ordering::Relaxed);
        self.cancels_by_closing.store(over_http, Ordering::Relaxed);
    }

    /// Whether closing the exchange cancels a request (SHL-11).
    pub(crate) fn cancels_by_closing(&self) -> bool {
        self.cancels_by_closing.load(Ordering::Relaxed)
    }
}

impl FrameSink for MessageLink {
    fn limits(&self) -> &Limits {
        &self.limits
    }

    async fn receive_on(&self, on: FrameSource, bytes: Bytes) -> FrameOutcome {
        let mut received = FrameOutcome::default();
        let size = bytes.len();
        let mut kind = TapKind::Frame;
        let mut read = match message::parse_frame(&bytes, &self.limits) {
            Ok(read) => read,
            Err(error) => {
                let Some(read) = self.find_answer_behind_text(&bytes) else {
                    self.note_frame_limit(&error);
                    received.answered = self.handle_unreadable(bytes, &error).await;
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
            let step = self.sort_message(parsed, &mut event, &mut received);
            if let FrameSource::Exchange(id) = on {
                self.table.describe_exchanged(&mut event, id, received.orphan.is_some());
            }
            self.record(event).await;
            self.dispatch_message(step, on);
        }
        if kind == TapKind::Frame && received.answered.is_some() {
            self.note_clean_answer();
        }
        if let Some(error) = received.orphan.as_ref().filter(|_| on == FrameSource::Shared)
            && self.table.expect_error(RpcError::read(&String::from_utf8_lossy(error)))
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
        let entry = id.and_then(|id| self.table.take_entry(id));
        if let (Some(entry), Some(id)) = (&entry, id) {
            entry.describe(&mut event, id, Outcome::Error);
        }
        self.record(event).await;
        let limit = self.limits.message_bytes;
        self.note_limit(LimitKind::Message);
        match entry {
            Some(entry) => drop(entry.end_with(Err(RequestError::too_large(limit, size, is_whole, &head)))),
            None => self.diagnose(Diagnostic::new(
                DiagnosticCode::Limit,
                "",
                say!("a message is larger than {limit} bytes", limit),
            )),
        }
    }

    fn on_partial_line(&self, line: &[u8]) {
        self.lock_noise().add_partial_line(line);
    }

    async fn throttle(&self, messages: usize, bytes: usize) -> bool {
        Self::throttle(self, messages, bytes).await
    }

    async fn record(&self, event: TapEvent) {
        Self::record(self, event).await;
    }

    fn describe_error(&self, event: &mut TapEvent, id: u64) {
        self.table.describe_exchanged(event, id, true);
    }

    fn diagnose(&self, diagnostic: Diagnostic) {
        Self::diagnose(self, diagnostic);
    }

    fn on_limit(&self, bound: LimitKind) {
        Self::note_limit(self, bound);
    }

    fn close(&self, reason: &CloseReason) {
        Self::close(self, reason);
    }

    fn closed(&self) -> watch::Receiver<Option<CloseReason>> {
        Self::closed(self)
    }

    fn waiting(&self) -> usize {
        self.table.count_waiting()
    }

    fn is_awaited(&self, id: u64) -> bool {
        self.table.find_call(id).is_some()
    }

    fn note_stream(&self, id: u64, is_silent: bool) {
        self.table.note_stream(id, is_silent);
    }

    fn fail(&self, id: u64, error: RequestError) {
        self.table.fail(id, error);
    }
}
