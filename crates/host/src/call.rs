//! One tool call: the verdict, the call, how it ended.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mooring_mcp::{CallOptions, CallResult, LogSink, Notification, ProgressSink, RequestError};
use mooring_store::{LogStatus, StoreError};
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::connection::shared::{Shared, log_event};
use crate::connection::{Handle, Link};
use crate::consent::{self, Decision};
use crate::error::HostError;
use crate::excerpt;
use crate::journal::Recorder;
use crate::tools::{CallError, CallEvent, CallOutcome, CallStatus, OnCallEvent, ToolCall};

/// The method of a tool call.
const TOOLS_CALL: &str = "tools/call";

/// The consent for a number of equal calls on one connection. The only way to make a call: whoever holds one
/// has a verdict in the log.
pub struct Permit {
    link: Arc<Link>,
    shared: Arc<Shared>,
    call: ToolCall,
    idle: Duration,
    total: Duration,
    left: AtomicU64,
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("call", &self.call).field("left", &self.left).finish_non_exhaustive()
    }
}

impl Permit {
    /// Decides on `calls` equal calls and has the verdict accepted by the log.
    pub(crate) async fn ask(handle: &Handle, call: ToolCall, calls: u64) -> Result<Self, HostError> {
        if let Some(arguments) = &call.arguments
            && !arguments.get().trim_start().starts_with('{')
        {
            return Err(HostError::InvalidArguments(Sentence::quoted(start_of(arguments.get()))));
        }
        let link = handle.link()?;
        let verdict = consent::decide(call.caller);
        let arguments = call.arguments.as_deref().map_or("{}", RawValue::get);
        link.recorder
            .verdict(&verdict, &call.tool, &sha256(arguments), calls)
            .await
            .map_err(|_| HostError::Store(StoreError::Closed))?;
        if verdict.decision != Decision::Allow {
            return Err(HostError::Denied { rule: Sentence::quoted(verdict.rule) });
        }
        let settings = handle.settings();
        let manner = handle.shared.manner();
        Ok(Self {
            link,
            shared: Arc::clone(&handle.shared),
            idle: call.idle.or(manner.idle).unwrap_or_else(|| settings.request_idle()),
            total: call.total.unwrap_or_else(|| settings.request_total()),
            call,
            left: AtomicU64::new(calls),
        })
    }

    /// Makes one of the calls. Dropping the future cancels it.
    pub async fn call(&self, on_event: OnCallEvent) -> Result<CallOutcome, HostError> {
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if taken.is_err() {
            return Err(HostError::Denied { rule: say!("the verdict is used up") });
        }
        let listening = self.shared.listen(Arc::clone(&on_event));
        let options = CallOptions {
            idle: Some(self.idle),
            total: Some(self.total),
            on_progress: Some(progress_to(Arc::clone(&on_event))),
            on_log: Some(logs_to(on_event)),
        };
        let outcome = self.make(options).await;
        drop(listening);
        Ok(outcome)
    }

    /// Makes one of the calls without asking for progress, for measuring.
    pub async fn call_quietly(&self) -> Result<CallOutcome, HostError> {
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if taken.is_err() {
            return Err(HostError::Denied { rule: say!("the verdict is used up") });
        }
        let options =
            CallOptions { idle: Some(self.idle), total: Some(self.total), ..CallOptions::default() };
        Ok(self.make(options).await)
    }

    async fn make(&self, options: CallOptions) -> CallOutcome {
        let running = Running::start(&self.link.recorder, &self.shared, TOOLS_CALL, &self.call.tool);
        let answer =
            self.link.client.call_tool(&self.call.tool, self.call.arguments.as_deref(), options).await;
        running.end(answer.map(outcome)).await
    }
}

/// Passes progress on.
pub(crate) fn progress_to(on_event: OnCallEvent) -> ProgressSink {
    Arc::new(move |progress| {
        on_event(CallEvent::Progress {
            progress: progress.progress,
            total: progress.total,
            message: progress.message.map(|message| excerpt::start(message, excerpt::WORDS)),
        });
    })
}

/// Passes log messages on that are known to be of one call (LOG-04).
pub(crate) fn logs_to(on_event: OnCallEvent) -> LogSink {
    Arc::new(move |notification: Notification| match log_event(notification.params.as_deref()) {
        Ok(event) => on_event(event),
        // What is wrong with it the engine has said already.
        Err(diagnostic) => tracing::debug!(%diagnostic, "a log message of a call could not be read"),
    })
}

/// A request under way. Dropped before its end, it was cancelled.
pub(crate) struct Running<'a> {
    recorder: &'a Recorder,
    shared: &'a Shared,
    /// Whether it counts as a call.
    is_call: bool,
    method: &'static str,
    subject: &'a str,
    started: Instant,
    ended: bool,
}

impl<'a> Running<'a> {
    /// From now on.
    pub(crate) fn start(
        recorder: &'a Recorder,
        shared: &'a Shared,
        method: &'static str,
        subject: &'a str,
    ) -> Self {
        let is_call = method == TOOLS_CALL;
        Self { recorder, shared, is_call, method, subject, started: Instant::now(), ended: false }
    }

    /// How it went; in the log as well, where no frame tells it.
    pub(crate) async fn end(mut self, answer: Result<CallOutcome, RequestError>) -> CallOutcome {
        let outcome = answer.unwrap_or_else(|error| failed(error, self.started.elapsed()));
        self.ended = true;
        self.count(outcome.elapsed);
        let status = match outcome.status {
            // The frame of the answer tells these.
            CallStatus::Ok | CallStatus::ToolError | CallStatus::RpcError => None,
            CallStatus::TimedOut => Some(LogStatus::TimedOut),
            CallStatus::Cancelled => Some(LogStatus::Cancelled),
            CallStatus::Failed => Some(LogStatus::Error),
        };
        if let (Some(status), Some(error)) = (status, &outcome.error) {
            let said = error.sentence();
            self.recorder.ended(self.method, self.subject, status, &said, outcome.elapsed).await;
        }
        outcome
    }

    fn count(&self, elapsed: Duration) {
        if self.is_call {
            self.shared.count(elapsed);
            self.shared.announce();
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if !self.ended {
            let elapsed = self.started.elapsed();
            self.recorder.cancelled(self.method, self.subject, elapsed);
            self.count(elapsed);
        }
    }
}

fn outcome(result: CallResult) -> CallOutcome {
    CallOutcome {
        status: if result.is_error { CallStatus::ToolError } else { CallStatus::Ok },
        result: Some(result.raw),
        error: None,
        diagnostics: result.diagnostics,
        elapsed: result.elapsed,
    }
}

fn failed(error: RequestError, elapsed: Duration) -> CallOutcome {
    CallOutcome {
        status: match &error {
            RequestError::Rpc(_) => CallStatus::RpcError,
            RequestError::Timeout { .. } => CallStatus::TimedOut,
            _ => CallStatus::Failed,
        },
        result: None,
        error: Some(CallError::from(error)),
        diagnostics: Vec::new(),
        elapsed,
    }
}

/// A text's SHA-256 in hexadecimal digits.
pub(crate) fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().fold(String::with_capacity(64), |mut hex, byte| {
        use fmt::Write as _;
        // Writing to a string does not fail.
        let _infallible = write!(hex, "{byte:02x}");
        hex
    })
}

/// How a text begins, for a message about it.
pub(crate) fn start_of(text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    if start.len() < text.len() { format!("{start}…") } else { start }
}
