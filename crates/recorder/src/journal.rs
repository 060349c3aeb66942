//! Records every frame, line of standard error, verdict and change of state. Each record gets the time, is
//! redacted, and goes to the log's writer.

use std::borrow::Cow;
#[cfg(debug_assertions)]
use std::ops::Range;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use mooring_log::{Direction, LogKind, LogRecord, LogStatus};
use mooring_mcp::{Diagnostic, Outcome, Tap, TapEvent, TapKind};
use mooring_oauth::Step;
use mooring_store::{LogWriter, RecordFinisher, WriterClosed};
use mooring_words::{Sentence, say};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::app_recorder::AppRecorder;
use crate::call_end::note_call_end;
use crate::download::Fetching;
use crate::history::CallArguments;
use crate::live::LiveSecrets;
use crate::live::SecretLease;
use crate::redact::{KnownSecrets, RedactError, Redactor, SecretPatterns};
use crate::sign_in::purpose_word;
use mooring_base::app_call::AppCall;
use mooring_base::clock::micros;
use mooring_base::excerpt;
use mooring_base::server_id::ServerId;

const TOOLS_CALL: &str = "tools/call";
/// How many lines that aren't messages are kept as evidence.
const NOISE_LINES: usize = 5;
/// The most bytes of each of these lines.
const NOISE_BYTES: usize = 300;
/// The most bytes of a failure's evidence. The end of a program's output is kept, because it says why the
/// program ended.
const EVIDENCE_BYTES: usize = 32 << 10;

/// A verdict about tool calls, for the log.
#[derive(Debug)]
pub struct VerdictRecord<'a> {
    /// The word for the decision.
    pub decision: &'static str,
    /// Whether the decision lets the calls run.
    pub status: LogStatus,
    /// The caller's name.
    pub caller: &'a str,
    /// The rule's name in the log.
    pub rule: Cow<'static, str>,
    /// The tool's name.
    pub tool: &'a str,
    /// The hash of the arguments.
    pub arguments_sha256: &'a str,
    /// The hash of the tool's definition, if it is known.
    pub definition: Option<&'a str>,
    /// The number of equal calls.
    pub calls: u64,
    /// The call of an app that it is part of.
    pub call: Option<&'a AppCall>,
}

/// A request that ended without a response, for the log.
#[derive(Debug, Clone, Copy)]
pub struct EndedRequest<'a> {
    /// The request's method.
    pub method: &'static str,
    /// What the request was about.
    pub subject: &'a str,
    /// The request's id, if it was sent.
    pub id: Option<u64>,
    /// How long it ran, without the time that it waited for a person.
    pub elapsed: Duration,
    /// The call of an app that it is part of.
    pub call: Option<&'a AppCall>,
}

/// A change of a connection's state, for the log.
#[derive(Debug)]
pub struct StateRecord<'a> {
    /// The state's name in the log.
    pub state: &'static str,
    /// Whether the state is a good one.
    pub status: LogStatus,
    /// The number of attempts to connect.
    pub attempt: u32,
    /// Why the connection failed, if the state is a bad one.
    pub failure: Option<FailureRecord<'a>>,
    /// What led to the state, if there is no failure.
    pub cause: Option<&'a Sentence>,
}

/// Why a connection failed, for the log.
#[derive(Debug, Clone, Copy)]
pub struct FailureRecord<'a> {
    /// The word for the kind of failure.
    pub kind: &'static str,
    /// What happened.
    pub message: &'a Sentence,
    /// The evidence for the failure.
    pub evidence: Option<&'a str>,
}

/// The log of a host.
#[derive(Debug)]
pub struct Journal {
    writer: Option<LogWriter>,
    patterns: Arc<SecretPatterns>,
    live: Arc<LiveSecrets>,
    /// Redacts texts that look like secrets and the secrets in use. It has no secrets of a single server.
    common: Redactor,
    /// The number of the first connection.
    #[cfg(debug_assertions)]
    first_connection: i64,
    /// The number of the next connection.
    connections: AtomicI64,
    /// The number of the next call of an app.
    app_calls: AtomicI64,
}

impl Journal {
    /// Creates a journal that writes to `writer`, or to nowhere.
    pub fn new(writer: Option<LogWriter>) -> Result<Self, RedactError> {
        let first = micros(SystemTime::now());
        let connections = AtomicI64::new(first);
        let (patterns, live) = (Arc::new(SecretPatterns::new()?), Arc::<LiveSecrets>::default());
        Ok(Self {
            writer,
            common: Redactor::new(Arc::clone(&patterns), Arc::clone(&live), KnownSecrets::default()),
            patterns,
            live,
            #[cfg(debug_assertions)]
            first_connection: first,
            connections,
            app_calls: AtomicI64::new(first),
        })
    }

    /// Redacts this value in all logs until the lease is dropped. `None` if the value is too short to search
    /// for.
    pub fn lease_secret(&self, value: &str) -> Option<SecretLease> {
        self.live.lease_values([value])
    }

    /// Redacts this value in all logs as long as this journal exists. A value that is too short to search for
    /// isn't redacted.
    pub fn redact_from_now_on(&self, value: &str) {
        self.live.add_value(value);
    }

    /// Redacts the secrets that a server was given, in all logs until the lease is dropped.
    pub fn lease_known(&self, secrets: KnownSecrets) -> Option<SecretLease> {
        self.live.lease_forms(secrets.0)
    }

    /// The arguments of a call without secrets and texts that look like secrets, so that they may be saved.
    pub fn savable_arguments(&self, text: &str) -> CallArguments {
        CallArguments::from_redacted(&self.common.redact_text(text))
    }

    /// The writer, if there is one.
    pub fn writer(&self) -> Option<&LogWriter> {
        self.writer.as_ref()
    }

    /// The numbers of the connections so far.
    #[cfg(debug_assertions)]
    pub fn connection_numbers(&self) -> Range<i64> {
        self.first_connection..self.connections.load(Ordering::Relaxed)
    }

    /// The recorder for one connection of an app.
    pub fn app_recorder(&self, app: &str) -> AppRecorder {
        let connection = self.connections.fetch_add(1, Ordering::Relaxed);
        AppRecorder::new(self.writer.clone(), app, connection, Arc::new(self.common.without_server_secrets()))
    }

    /// Names a call of an app. Numbers increase, also across restarts.
    pub fn name_app_call(&self, app: &Arc<str>) -> AppCall {
        AppCall { app: Arc::clone(app), number: self.app_calls.fetch_add(1, Ordering::Relaxed) }
    }

    /// The recorder for one connection. Each connection has a number. Numbers increase, also across restarts.
    pub fn recorder(&self, server: Option<ServerId>, source: Arc<str>, secrets: KnownSecrets) -> Recorder {
        Recorder {
            writer: self.writer.clone(),
            server,
            source,
            connection: self.connections.fetch_add(1, Ordering::Relaxed),
            redactor: Arc::new(Redactor::new(Arc::clone(&self.patterns), Arc::clone(&self.live), secrets)),
            tools_call: Arc::from(TOOLS_CALL),
            noise: Mutex::default(),
            dropped: AtomicI64::new(0),
            fetching: Fetching::default(),
        }
    }
}

/// Frames are redacted in the writer's task, because a long body takes longer than a caller should wait.
impl RecordFinisher for Redactor {
    fn finish(&self, record: &mut LogRecord) {
        if record.method.as_deref() == Some(TOOLS_CALL) {
            note_call_end(record);
        }
        record.body = self.redact_bytes(&record.body);
        for name in [&mut record.method, &mut record.rpc_id, &mut record.subject] {
            if let Some(redacted) = name.as_deref().and_then(|name| self.redact_name(name)) {
                *name = Some(redacted.into());
            }
        }
    }
}

/// Writes the events of one connection to the log.
#[derive(Debug)]
pub struct Recorder {
    writer: Option<LogWriter>,
    server: Option<ServerId>,
    source: Arc<str>,
    connection: i64,
    redactor: Arc<Redactor>,
    /// The text `tools/call`, which its records share. Other methods are too rare for that.
    tools_call: Arc<str>,
    noise: Mutex<Vec<String>>,
    /// How many records found no room in the log's queue.
    dropped: AtomicI64,
    fetching: Fetching,
}

impl Recorder {
    /// Watches whether the program that starts the server is downloading the server's package.
    pub fn fetches(&self) -> watch::Receiver<bool> {
        self.fetching.watch()
    }

    /// The body of a record that Mooring writes itself. Mooring chose the names of its members, so only the
    /// values are searched for secrets. Otherwise, a `code` next to a `state` would be mistaken for the code
    /// of a sign-in.
    fn redact_own_body(&self, mut body: Value) -> Bytes {
        self.redactor.redact_texts(&mut body);
        body.to_string().into()
    }

    fn new_record(&self, kind: LogKind, body: Bytes) -> LogRecord {
        LogRecord {
            at_us: micros(SystemTime::now()),
            server_id: self.server.map(|server| server.0),
            source: Arc::clone(&self.source),
            connection: self.connection,
            kind,
            direction: Direction::None,
            method: None,
            rpc_id: None,
            subject: None,
            status: LogStatus::None,
            duration_us: None,
            size: i64::try_from(body.len()).unwrap_or(i64::MAX),
            app: None,
            call: None,
            body,
        }
    }

    /// Logs a verdict. When this returns, the writer has accepted it, ahead of every frame of the call.
    pub async fn log_verdict(&self, verdict: VerdictRecord<'_>) -> Result<(), WriterClosed> {
        let Some(writer) = &self.writer else { return Ok(()) };
        let VerdictRecord { decision, status, caller, rule, tool, arguments_sha256, definition, calls, call } =
            verdict;
        let body = json!({
            "decision": decision,
            "caller": caller,
            "rule": rule,
            "tool": tool,
            "argumentsSha256": arguments_sha256,
            "definition": definition,
            "calls": calls,
        });
        let mut record = self.new_record(LogKind::Verdict, self.redact_own_body(body));
        record.method = Some(Arc::clone(&self.tools_call));
        record.subject = Some(self.redact_name(tool));
        record.status = status;
        set_app_call(&mut record, call);
        writer.append(record).await
    }

    /// Waits until all records so far are on the disk. They are still there if this process is killed.
    pub async fn persist(&self) {
        if let Some(writer) = &self.writer {
            writer.persist().await;
        }
    }

    /// Logs a change of state.
    pub async fn log_state(&self, record: StateRecord<'_>) {
        let StateRecord { state, status, attempt, failure, cause } = record;
        let Some(writer) = &self.writer else { return };
        self.log_gap(writer);
        let reason = failure.map(|failure| failure.message).or(cause);
        let body = json!({
            "state": state,
            "reason": reason.map(Sentence::as_str),
            "said": reason.map(Sentence::stored),
            "attempt": attempt,
            "failure": failure.map(|failure| json!({
                "kind": failure.kind,
                "message": failure.message.as_str(),
                "evidence": failure.evidence,
            })),
        });
        let mut record = self.new_record(LogKind::State, self.redact_own_body(body));
        record.subject = Some(state.into());
        record.status = status;
        if writer.append(record).await.is_err() {
            tracing::debug!("the log is closed: a change of state was left out");
        }
    }

    /// Logs a step of a sign-in, a renewal or a sign-out.
    pub fn log_auth_step(&self, step: &Step) {
        let body = json!({
            "step": purpose_word(step.purpose),
            "ok": step.ok,
            "url": step.url,
            "httpStatus": step.status,
            "found": step.found.as_str(),
            "said": step.found.stored(),
        });
        let mut record = self.new_record(LogKind::Auth, self.redact_own_body(body));
        record.subject = Some(purpose_word(step.purpose).into());
        record.status = if step.ok { LogStatus::Ok } else { LogStatus::Error };
        let took = i64::try_from(step.took.as_micros()).unwrap_or(i64::MAX);
        record.duration_us = Some(took).filter(|took| *took > 0);
        self.append_or_count(record);
    }

    /// Logs how a sign-in or a sign-out ended.
    pub fn log_auth_end(&self, what: &'static str, ok: bool, said: &Sentence) {
        let body = json!({ "step": what, "ok": ok, "found": said.as_str(), "said": said.stored() });
        let mut record = self.new_record(LogKind::Auth, self.redact_own_body(body));
        record.subject = Some(what.into());
        record.status = if ok { LogStatus::Ok } else { LogStatus::Error };
        self.append_or_count(record);
    }

    /// Logs the end of a request that no frame shows, such as a deadline or a lost connection.
    pub async fn log_request_end(&self, ended: EndedRequest<'_>, status: LogStatus, message: &Sentence) {
        let Some(writer) = &self.writer else { return };
        if writer.append(self.new_end_record(ended, status, message)).await.is_err() {
            tracing::debug!("the log is closed: the end of a call was left out");
        }
    }

    /// Logs that a caller no longer waits for a response.
    pub fn log_cancelled(&self, ended: EndedRequest<'_>) {
        let message = say!("the caller no longer waits");
        self.append_or_count(self.new_end_record(ended, LogStatus::Cancelled, &message));
    }

    fn new_end_record(&self, ended: EndedRequest<'_>, status: LogStatus, message: &Sentence) -> LogRecord {
        let EndedRequest { method, subject, id, elapsed, call } = ended;
        let body = json!({ "call": subject, "message": message.as_str(), "said": message.stored() });
        let mut record = self.new_record(LogKind::Diagnostic, self.redact_own_body(body));
        let is_call = *method == *self.tools_call;
        record.method = Some(if is_call { Arc::clone(&self.tools_call) } else { method.into() });
        record.rpc_id = id.map(|id| id.to_string().into());
        record.subject = Some(self.redact_name(subject));
        record.status = status;
        record.duration_us = Some(i64::try_from(elapsed.as_micros()).unwrap_or(i64::MAX));
        set_app_call(&mut record, call);
        record
    }

    /// Logs an oddity that belongs to no call.
    pub fn log_diagnostic(&self, diagnostic: &Diagnostic) {
        let body = json!({
            "kind": diagnostic.code.as_str(),
            "message": diagnostic.message.as_str(),
            "said": diagnostic.message.stored(),
            "path": diagnostic.path,
        });
        let record = self.new_record(LogKind::Diagnostic, self.redact_own_body(body));
        self.append_or_count(record);
    }

    /// Appends a record from code that may not wait. If the queue has no room, the record is left out and
    /// counted. The count is logged as a gap as soon as there is room again.
    fn append_or_count(&self, record: LogRecord) {
        let Some(writer) = &self.writer else { return };
        self.log_gap(writer);
        if writer.try_append(record).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Logs how many records were left out since the last gap, if any.
    fn log_gap(&self, writer: &LogWriter) {
        let count = self.dropped.swap(0, Ordering::Relaxed);
        if count == 0 {
            return;
        }
        let reason = say!("the log’s queue was full");
        let body = json!({ "count": count, "reason": reason.as_str(), "said": reason.stored() });
        let record = self.new_record(LogKind::Gap, body.to_string().into());
        if writer.try_append(record).is_err() {
            self.dropped.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// A copy without this server's secrets. The secrets are dropped once the last row that needs them is
    /// written.
    #[must_use]
    pub fn without_secrets(&self) -> Self {
        Self {
            writer: self.writer.clone(),
            server: self.server,
            source: Arc::clone(&self.source),
            connection: self.connection,
            redactor: Arc::new(self.redactor.without_server_secrets()),
            tools_call: Arc::clone(&self.tools_call),
            noise: Mutex::default(),
            dropped: AtomicI64::new(self.dropped.swap(0, Ordering::Relaxed)),
            fetching: Fetching::default(),
        }
    }

    /// Redacts these values in all logs from now on.
    pub fn add_secrets<'a>(&self, values: impl IntoIterator<Item = &'a str>) {
        self.redactor.add_secrets(values);
    }

    /// Redacts the values that the user entered into these fields, in all logs. Values shorter than six bytes
    /// are redacted only in this connection's log, after the name of their field.
    pub fn add_field_secrets(&self, fields: &[(&str, String)]) {
        self.redactor.add_field_secrets(fields.iter().map(|(name, text)| (*name, text.as_str())));
    }

    /// Redacts an access token in all logs.
    pub fn add_token(&self, token: &str) {
        self.redactor.add_token(token);
    }

    /// The text without this server's secrets.
    pub fn redact_text(&self, text: &str) -> String {
        self.redactor.redact_text(text)
    }

    /// The first `most` bytes of `text` without this server's secrets. This is fast for a text of any length.
    pub fn redact_start(&self, text: &str, most: usize) -> String {
        excerpt::truncate(self.redactor.redact_start(text.as_bytes(), most + 1), most)
    }

    /// The sentence without this server's secrets.
    pub fn redact_sentence(&self, sentence: &Sentence) -> Sentence {
        sentence.map(&|text| self.redact_text(text))
    }

    /// The end of a failure's evidence without this server's secrets.
    pub fn redact_evidence(&self, evidence: &str) -> String {
        self.redactor.redact_end(evidence, EVIDENCE_BYTES)
    }

    /// The first lines that the server printed to its output although they aren't messages.
    pub fn noise(&self) -> Vec<String> {
        self.noise.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn save_noise(&self, bytes: &Bytes) {
        let mut noise = self.noise.lock().unwrap_or_else(PoisonError::into_inner);
        if noise.len() < NOISE_LINES {
            noise.push(self.redactor.redact_start(bytes, NOISE_BYTES));
        }
    }

    fn method_of(&self, event: &TapEvent) -> Option<Arc<str>> {
        let method = event.method.as_deref()?;
        Some(if *method == *self.tools_call { Arc::clone(&self.tools_call) } else { Arc::from(method) })
    }

    /// Removes secrets from a name that the server may have made up.
    fn redact_name(&self, name: &str) -> Arc<str> {
        self.redactor.redact_name(name).map_or_else(|| name.into(), Arc::from)
    }

    /// Converts an event of the connection to a record, which still has to be redacted.
    fn to_record(&self, event: &TapEvent) -> LogRecord {
        let (kind, forced) = match event.kind {
            TapKind::Frame => (LogKind::Frame, None),
            TapKind::Oversize => (LogKind::Frame, Some(LogStatus::Error)),
            TapKind::Noise => (LogKind::Diagnostic, Some(LogStatus::Error)),
            TapKind::Stderr => (LogKind::Stderr, None),
        };
        let status = forced.unwrap_or(match event.outcome {
            None => LogStatus::None,
            Some(Outcome::Error) => LogStatus::Error,
            Some(Outcome::Result) => LogStatus::Ok,
        });
        let caller = event.caller.as_ref();
        let call = caller.and_then(|caller| AppCall::from_name(&caller.name, caller.request.as_deref()?));
        LogRecord {
            at_us: micros(event.at),
            server_id: self.server.map(|server| server.0),
            source: Arc::clone(&self.source),
            connection: self.connection,
            kind,
            direction: match event.direction {
                mooring_mcp::Direction::Out => Direction::Out,
                mooring_mcp::Direction::In => Direction::In,
            },
            method: self.method_of(event),
            rpc_id: event.id.clone(),
            subject: event.subject.clone(),
            status,
            duration_us: event.elapsed.map(|elapsed| i64::try_from(elapsed.as_micros()).unwrap_or(i64::MAX)),
            size: i64::try_from(event.size).unwrap_or(i64::MAX),
            call: call.as_ref().map(|call| call.number),
            app: call.map(|call| call.app),
            body: event.bytes.clone(),
        }
    }
}

fn set_app_call(record: &mut LogRecord, call: Option<&AppCall>) {
    record.app = call.map(|call| Arc::clone(&call.app));
    record.call = call.map(|call| call.number);
}

impl Tap for Recorder {
    fn offer(&self, event: TapEvent) -> Result<(), Box<TapEvent>> {
        let accepted = match &self.writer {
            Some(writer) => {
                let finish = Arc::clone(&self.redactor);
                writer.try_append_unfinished(self.to_record(&event), finish).is_ok()
            }
            None => true,
        };
        if !accepted {
            return Err(Box::new(event));
        }
        match event.kind {
            TapKind::Noise => self.save_noise(&event.bytes),
            TapKind::Stderr => self.fetching.read_line(&event.bytes),
            TapKind::Frame | TapKind::Oversize => {}
        }
        Ok(())
    }

    fn wait_for_room(&self) -> BoxFuture<'_, ()> {
        match &self.writer {
            Some(writer) => Box::pin(writer.wait_for_room()),
            None => Box::pin(std::future::ready(())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_where_evidence_is_cut_is_not_kept_by_half() {
        let mut secrets = KnownSecrets::default();
        secrets.add_if_secret("API_KEY", "canary-b8f1d5c2e6");
        let recorder = Journal::new(None).unwrap().recorder(None, "s".into(), secrets);
        recorder.save_noise(&format!("{}canary-b8f1d5c2e6", "x".repeat(NOISE_BYTES - 8)).into());
        let noise = recorder.noise();
        assert!(noise[0].len() == NOISE_BYTES && noise[0].ends_with("[redacte"), "{noise:?}");
    }

    #[test]
    fn an_excerpt_of_a_long_text_holds_no_half_of_a_secret() {
        let recorder = Journal::new(None).unwrap().recorder(None, "s".into(), KnownSecrets::default());
        recorder.redactor.add_secrets(["canary-b8f1d5c2e6"]);
        for before in [0, 100, 299, 4_300, 4_390, 4_396] {
            let text = format!("{}canary-b8f1d5c2e6{}", "x ".repeat(before / 2), " y".repeat(1 << 20));
            assert!(!recorder.redact_start(&text, 300).contains("can"), "{before}");
            recorder.save_noise(&text.into());
            let text = format!("{}\ncanary-b8f1d5c2e6{}", "y ".repeat(1 << 20), " x".repeat(before / 2));
            let end = recorder.redactor.redact_end(&text, 300);
            assert!(end.len() <= 320 && !end.contains("5c2e6"), "{before}: {end}");
        }
        assert!(recorder.noise().iter().all(|line| line.len() >= NOISE_BYTES - 8 && !line.contains("can")));
        let text = format!("{}\nlast words", "x".repeat(EVIDENCE_BYTES));
        assert_eq!(recorder.redact_evidence(&text), "last words");
    }

    #[test]
    fn our_own_words_stay_and_a_secret_in_them_does_not() {
        let mut secrets = KnownSecrets::default();
        secrets.add_if_secret("API_KEY", "canary-b8f1d5c2e6");
        let recorder = Journal::new(None).unwrap().recorder(None, "s".into(), secrets);
        let said = json!({ "code": "nothing answers at {place}", "params": { "place": ["http://canary-b8f1d5c2e6/"] } });
        let body = recorder.redact_own_body(json!({ "state": "reconnecting", "said": said }));
        let expected = r#"{"state":"reconnecting","said":{"code":"nothing answers at {place}","params":{"place":["http://[redacted]/"]}}}"#;
        assert_eq!(body, expected);
    }
}
