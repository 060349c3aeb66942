//! Records the messages between an app and the gateway, like the messages of servers: with the time,
//! redacted, and in order.

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
    /// Bytes that aren't JSON.
    NoMessage,
    /// The beginning of a message that was too long.
    TooLong,
}

/// A message between an app and Mooring.
#[derive(Debug, Clone)]
pub struct AppMessage {
    /// When the message was received or sent.
    pub at: SystemTime,
    /// Whether the app sent it.
    pub is_from_app: bool,
    /// The kind of the message.
    pub kind: AppMessageKind,
    /// The bytes, without the line end or the event stream's framing.
    pub bytes: Bytes,
    /// The size in bytes.
    pub size: usize,
    /// The method. For a response, the method of the request.
    pub method: Option<Arc<str>>,
    /// The JSON text of the request's id.
    pub id: Option<Arc<str>>,
    /// What the request is about, such as the app's name for a tool.
    pub subject: Option<Arc<str>>,
    /// For a response, how the request ended.
    pub status: LogStatus,
    /// For a response, how long the request took.
    pub elapsed: Option<Duration>,
    /// The number of the call that the message is part of.
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

/// Writes the messages of one connection of an app to the log.
#[derive(Debug)]
pub struct AppRecorder {
    writer: Option<LogWriter>,
    app: Arc<str>,
    /// The app's name in the log.
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

    /// Redacts the values that someone entered into these fields, in all logs from now on.
    pub fn add_field_secrets(&self, fields: &[(&str, String)]) {
        self.redactor.add_field_secrets(fields.iter().map(|(name, text)| (*name, text.as_str())));
    }

    /// Whether there is a log to write to.
    pub fn is_on(&self) -> bool {
        self.writer.is_some()
    }

    /// Records a message. Returns false if the log has no room for it now. Never waits.
    pub fn offer(&self, message: &AppMessage) -> bool {
        let Some(writer) = &self.writer else { return true };
        let finish: Arc<dyn RecordFinisher> = Arc::<Redactor>::clone(&self.redactor);
        writer.try_append_unfinished(self.to_record(message), finish).is_ok()
    }

    /// Waits until the log may have room again.
    pub async fn wait_for_room(&self) {
        if let Some(writer) = &self.writer {
            writer.wait_for_room().await;
        }
    }

    /// Redacts a message. Long messages should be redacted before they are offered, because the log's writer
    /// would take too long.
    pub fn redact(&self, message: &AppMessage) -> RedactedMessage {
        let mut record = self.to_record(message);
        self.redactor.finish(&mut record);
        RedactedMessage(record)
    }

    /// Records a redacted message. Returns false if the log has no room for it now. Never waits.
    pub fn offer_redacted(&self, message: &RedactedMessage) -> bool {
        self.writer.as_ref().is_none_or(|writer| writer.try_append(message.0.clone()).is_ok())
    }

    fn to_record(&self, message: &AppMessage) -> LogRecord {
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
