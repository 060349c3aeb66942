//! Records the messages between an app and the gateway, as those of servers are: with the time, redacted, in order.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use mooring_base::app_call::APP_PREFIX;
use mooring_base::clock::micros;
use mooring_log::{Direction, LogKind, LogRecord, LogStatus};
use mooring_store::{LogWriter, RecordFinisher};

use crate::redact::Redactor;

/// The kind of a message between an app and Mooring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppMessageKind {
    /// A message of the protocol.
    Message,
    /// Not JSON.
    NoMessage,
    /// The beginning of one that was too long.
    TooLong,
}

/// A message between an app and Mooring.
#[derive(Debug, Clone)]
pub struct AppMessage {
    /// When it came, or was sent.
    pub at: SystemTime,
    /// Whether the app sent it.
    pub is_from_app: bool,
    /// The kind of the message.
    pub kind: AppMessageKind,
    /// The bytes, without the line end or the event stream's framing.
    pub bytes: Bytes,
    /// The size in bytes.
    pub size: usize,
    /// The method; of an answer, that of the request it answers.
    pub method: Option<Arc<str>>,
    /// The JSON text of the request's id.
    pub id: Option<Arc<str>>,
    /// What the request is about, such as the app's name for a tool.
    pub subject: Option<Arc<str>>,
    /// For a response, how the request ended.
    pub status: LogStatus,
    /// For a response, how long the request took.
    pub elapsed: Option<Duration>,
    /// The number of the call that it is part of.
    pub call: Option<i64>,
}

/// A message without its secrets.
#[derive(Debug, Clone)]
pub struct RedactedMessage(LogRecord);

impl RedactedMessage {
    /// Replaces the bytes of the message with what `wrap` returns for them.
    #[must_use]
    pub fn with_body(mut self, wrap: impl FnOnce(Bytes) -> Bytes) -> Self {
        self.0.body = wrap(self.0.body);
        self
    }
}

/// Writes what goes over one connection of an app.
#[derive(Debug)]
pub struct AppRecorder {
    writer: Option<LogWriter>,
    app: Arc<str>,
    /// The word for the app.
    source: Arc<str>,
    connection: i64,
    redactor: Arc<Redactor>,
}

impl AppRecorder {
    pub(crate) fn new(
        writer: Option<LogWriter>,
        app: &str,
        connection: i64,
        redactor: Arc<Redactor>,
    ) -> Self {
        let source = format!("{APP_PREFIX}{app}").into();
        Self { writer, app: app.into(), source, connection, redactor }
    }

    /// Redacts what somebody entered into these fields in all logs from now on.
    pub fn add_field_secrets(&self, fields: &[(&str, String)]) {
        self.redactor.add_field_secrets(fields.iter().map(|(name, text)| (*name, text.as_str())));
    }

    /// Whether what is recorded is written anywhere.
    pub fn is_on(&self) -> bool {
        self.writer.is_some()
    }

    /// Records a message, unless the log has no room for it now: then false. Never waits.
    pub fn offer(&self, message: &AppMessage) -> bool {
        let Some(writer) = &self.writer else { return true };
        let finish: Arc<dyn RecordFinisher> = Arc::<Redactor>::clone(&self.redactor);
        writer.try_append_unfinished(self.record_of(message), finish).is_ok()
    }

    /// Waits until the log may have room again.
    pub async fn wait_for_room(&self) {
        if let Some(writer) = &self.writer {
            writer.wait_for_room().await;
        }
    }

    /// Redacts a message. For a long one that takes longer than who waits for the log's writer should wait.
    pub fn redact(&self, message: &AppMessage) -> RedactedMessage {
        let mut record = self.record_of(message);
        self.redactor.finish(&mut record);
        RedactedMessage(record)
    }

    /// Records a message that is redacted, unless the log has no room for it now: then false. Never waits.
    pub fn offer_redacted(&self, message: &RedactedMessage) -> bool {
        self.writer.as_ref().is_none_or(|writer| writer.try_append(message.0.clone()).is_ok())
    }

    fn record_of(&self, message: &AppMessage) -> LogRecord {
        let (kind, status) = match message.kind {
            AppMessageKind::Message => (LogKind::Frame, message.status),
            AppMessageKind::TooLong => (LogKind::Frame, LogStatus::Error),
            AppMessageKind::NoMessage => (LogKind::Diagnostic, LogStatus::Error),
        };
        LogRecord {
            at_us: micros(message.at),
            server_id: None,
            source: Arc::clone(&self.source),
            connection: self.connection,
            kind,
            direction: if message.is_from_app { Direction::FromApp } else { Direction::ToApp },
            method: message.method.clone(),
            rpc_id: message.id.clone(),
            subject: message.subject.clone(),
            status,
            duration_us: message.elapsed.map(|took| i64::try_from(took.as_micros()).unwrap_or(i64::MAX)),
            size: i64::try_from(message.size).unwrap_or(i64::MAX),
            app: Some(Arc::clone(&self.app)),
            call: message.call,
            body: message.bytes.clone(),
        }
    }
}
