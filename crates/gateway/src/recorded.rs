//! Records the messages of apps in the log. If the log has no room, the app's connection waits, like a
//! server's connection.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use mooring_base::app_call::AppCall;
use mooring_host::Host;
use mooring_inbox::elicit::keep_out_secrets;
use mooring_log::LogStatus;
use mooring_recorder::{AppMessage, AppMessageKind, AppRecorder};
use mooring_shares::{Room, SMALL_MESSAGE, Share};
use serde_json::value::RawValue;

/// The requests that one server answers, and that have to be allowed. The log links the messages that they
/// cause at the server to them.
const CALLS: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];

/// What the log records about a message besides its bytes.
#[derive(Debug, Clone)]
pub(crate) struct Note {
    pub(crate) method: Option<Arc<str>>,
    /// The request's id, as JSON text.
    pub(crate) id: Option<Arc<str>>,
    pub(crate) subject: Option<Arc<str>>,
    pub(crate) status: LogStatus,
    pub(crate) elapsed: Option<Duration>,
    /// The number of the call that the message is part of.
    pub(crate) call: Option<i64>,
}

impl Default for Note {
    fn default() -> Self {
        Self { method: None, id: None, subject: None, status: LogStatus::None, elapsed: None, call: None }
    }
}

impl Note {
    /// Marks the message as part of a call.
    pub(crate) fn of_call(self, call: Option<i64>) -> Self {
        Self { call, ..self }
    }
}

/// A message to an app: one line of JSON.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    pub(crate) line: String,
    pub(crate) note: Note,
}

impl From<String> for Outgoing {
    fn from(line: String) -> Self {
        Self { line, note: Note::default() }
    }
}

impl Outgoing {
    /// Marks the message as part of a call.
    pub(crate) fn of_call(self, call: Option<i64>) -> Self {
        Self { note: self.note.of_call(call), ..self }
    }
}

/// A request from an app, until it is answered.
#[derive(Debug, Clone)]
pub(crate) struct AskedFor {
    note: Note,
    since: Instant,
}

impl AskedFor {
    pub(crate) fn new(id: &str, method: &str, subject: Option<&str>, call: &AppCall) -> Self {
        let is_call = CALLS.contains(&method);
        let note = Note {
            method: Some(method.into()),
            id: Some(id.into()),
            subject: subject.filter(|_| is_call).map(Arc::from),
            call: is_call.then_some(call.number),
            ..Note::default()
        };
        Self { note, since: Instant::now() }
    }

    /// The note for the request itself.
    pub(crate) fn note(&self) -> Note {
        self.note.clone()
    }

    /// The number of the call. `None` if the request is no call.
    pub(crate) fn call_number(&self) -> Option<i64> {
        self.note.call
    }

    /// Adds to the note of an answer which request it answers, and how long that took.
    pub(crate) fn note_answer(&self, answer: Outgoing) -> Outgoing {
        let Outgoing { line, note: Note { status, .. } } = answer;
        let note = Note { status, elapsed: Some(self.since.elapsed()), ..self.note.clone() };
        Outgoing { line, note }
    }
}

/// Records the messages of one connection of an app.
#[derive(Debug)]
pub(crate) struct AppLog {
    recorder: Arc<AppRecorder>,
    /// The app's share, which limits its part of the log's queue.
    share: Arc<Share>,
}

/// Bytes that wait for the log's writer. They use room in the log's queue until they are dropped.
struct QueuedBytes {
    bytes: Bytes,
    _room: Option<Room>,
}

impl AsRef<[u8]> for QueuedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl AppLog {
    pub(crate) fn new(host: &Host, app: &str, share: &Arc<Share>) -> Arc<Self> {
        Arc::new(Self { recorder: Arc::new(host.app_recorder(app)), share: Arc::clone(share) })
    }

    /// From now on, keeps what the user entered into the secret fields of a form out of the log.
    pub(crate) fn keep_out(&self, form: &RawValue, answer: &RawValue) {
        keep_out_secrets(form, answer, |secrets| self.recorder.add_field_secrets(secrets));
    }

    /// Records a message from the app.
    pub(crate) async fn record_received(&self, bytes: Bytes, note: Note) {
        self.record_message(true, AppMessageKind::Message, bytes, note).await;
    }

    /// Records bytes from the app that are not a message, or not even JSON.
    pub(crate) async fn record_unreadable(&self, bytes: Bytes, is_no_json: bool) {
        let kind = if is_no_json { AppMessageKind::NoMessage } else { AppMessageKind::Message };
        self.record_message(true, kind, bytes, Note { status: LogStatus::Error, ..Note::default() }).await;
    }

    /// Records the beginning of a message that is too long. `size` is its full length in bytes.
    pub(crate) async fn record_too_long(&self, beginning: Bytes, size: usize) {
        if self.recorder.is_on() {
            let message =
                AppMessage { size, ..app_message(true, AppMessageKind::TooLong, beginning, Note::default()) };
            self.enqueue_message(message).await;
        }
    }

    /// Records a message to the app. If the future is dropped before its end, nothing is recorded.
    pub(crate) async fn record_sent(&self, message: &Outgoing) {
        if self.recorder.is_on() {
            let bytes = Bytes::copy_from_slice(message.line.as_bytes());
            self.record_message(false, AppMessageKind::Message, bytes, message.note.clone()).await;
        }
    }

    async fn record_message(&self, is_from_app: bool, kind: AppMessageKind, bytes: Bytes, note: Note) {
        if self.recorder.is_on() {
            self.enqueue_message(app_message(is_from_app, kind, bytes, note)).await;
        }
    }

    async fn enqueue_message(&self, message: AppMessage) {
        let room = self.share.room_in_log(message.bytes.len()).await;
        let queued = |bytes| Bytes::from_owner(QueuedBytes { bytes, _room: room });
        if message.bytes.len() <= SMALL_MESSAGE {
            let message = AppMessage { bytes: queued(message.bytes), ..message };
            while !self.recorder.offer(&message) {
                self.recorder.wait_for_room().await;
            }
            return;
        }
        // Redacting a large message in the writer's task would delay all other messages.
        let recorder = Arc::clone(&self.recorder);
        let redacted = tokio::task::spawn_blocking(move || recorder.redact(&message)).await;
        let Ok(redacted) = redacted else {
            return tracing::warn!("a message of an app could not be redacted");
        };
        let redacted = redacted.with_body(queued);
        while !self.recorder.offer_redacted(&redacted) {
            self.recorder.wait_for_room().await;
        }
    }
}

fn app_message(is_from_app: bool, kind: AppMessageKind, bytes: Bytes, note: Note) -> AppMessage {
    let Note { method, id, subject, status, elapsed, call } = note;
    AppMessage {
        at: SystemTime::now(),
        is_from_app,
        kind,
        size: bytes.len(),
        bytes,
        method,
        id,
        subject,
        status,
        elapsed,
        call,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::head::RequestHead;

    #[test]
    fn only_calls_are_tied_and_say_what_they_are_about() {
        let call = AppCall { app: "a".into(), number: 7 };
        for (method, params, subject, number) in [
            ("tools/call", r#"{"name":"s__t\n","arguments":{"name":"x"}}"#, Some("s__t\n"), Some(7)),
            ("resources/read", r#"{"uri":"a:b"}"#, Some("a:b"), Some(7)),
            ("tools/call", "[]", None, Some(7)),
            ("tools/list", r#"{"name":"s__t"}"#, None, None),
        ] {
            let head = RequestHead::of(&serde_json::from_str(params).unwrap());
            let asked = AskedFor::new("1", method, head.subject.as_deref(), &call);
            assert_eq!(
                (asked.note().subject.as_deref(), asked.call_number()),
                (subject, number),
                "{method} {params}"
            );
        }
    }
}
