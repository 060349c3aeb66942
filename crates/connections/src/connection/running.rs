//! A running request: its events, and its outcome.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mooring_base::app_call::AppCall;
use mooring_base::excerpt;
use mooring_calls::{CallEvent, CallOutcome, CallStatus, OnCallEvent};
use mooring_log::LogStatus;
use mooring_mcp::{CallTrace, LogSink, Notification, ProgressSink, RequestError};
use mooring_recorder::{EndedRequest, Recorder};

use super::shared::{SharedState, log_event};

/// The method of a tool call.
pub(crate) const TOOLS_CALL: &str = "tools/call";

/// Forwards progress notifications.
pub(crate) fn forward_progress(on_event: OnCallEvent) -> ProgressSink {
    Arc::new(move |progress| {
        on_event(CallEvent::Progress {
            progress: progress.progress,
            total: progress.total,
            message: progress.message.map(|message| excerpt::truncate(message, excerpt::MAX_TEXT_BYTES)),
        });
    })
}

/// Forwards log messages that belong to one call (LOG-04).
pub(crate) fn forward_logs(on_event: OnCallEvent) -> LogSink {
    Arc::new(move |notification: Notification| match log_event(notification.params.as_deref()) {
        Ok(event) => on_event(event),
        // The engine has already reported the problem.
        Err(diagnostic) => tracing::debug!(%diagnostic, "a log message of a call could not be read"),
    })
}

/// A running request. If this is dropped before the request ends, the request was cancelled.
pub(crate) struct RunningRequest<'a> {
    recorder: &'a Recorder,
    shared: &'a SharedState,
    /// Whether the request counts as a call.
    is_call: bool,
    method: &'static str,
    subject: &'a str,
    started: Instant,
    trace: Arc<CallTrace>,
    /// The app's call that the request belongs to.
    call: Option<AppCall>,
    ended: bool,
}

impl<'a> RunningRequest<'a> {
    /// Starts to track a request.
    pub(crate) fn start(
        recorder: &'a Recorder,
        shared: &'a SharedState,
        method: &'static str,
        subject: &'a str,
        call: Option<AppCall>,
    ) -> Self {
        let is_call = method == TOOLS_CALL;
        let (started, trace) = (Instant::now(), Arc::default());
        Self { recorder, shared, is_call, method, subject, started, trace, call, ended: false }
    }

    /// The trace through which the engine reports on the request.
    pub(crate) fn trace(&self) -> Arc<CallTrace> {
        Arc::clone(&self.trace)
    }

    /// How long the request has run, without the time that its questions waited for answers.
    fn running_time(&self) -> Duration {
        self.started.elapsed().saturating_sub(self.trace.waited())
    }

    /// Ends the request and returns its outcome. Logs the end, unless a frame in the log already shows it.
    pub(crate) async fn end(mut self, answer: Result<CallOutcome, RequestError>) -> CallOutcome {
        let outcome = answer.unwrap_or_else(|error| failed_outcome(error, self.running_time()));
        self.ended = true;
        self.count_call(outcome.elapsed);
        let status = match outcome.status {
            // The frame of the response already shows these outcomes.
            CallStatus::Ok | CallStatus::ToolError | CallStatus::RpcError => None,
            CallStatus::TimedOut => Some(LogStatus::TimedOut),
            CallStatus::Cancelled => Some(LogStatus::Cancelled),
            CallStatus::Failed => Some(LogStatus::Error),
        };
        if let (Some(status), Some(error)) = (status, &outcome.error) {
            let sentence = error.sentence();
            self.recorder.log_request_end(self.ended_request(outcome.elapsed), status, &sentence).await;
        }
        outcome
    }

    fn ended_request(&self, elapsed: Duration) -> EndedRequest<'_> {
        let (id, call) = (self.trace.request(), self.call.as_ref());
        EndedRequest { method: self.method, subject: self.subject, id, elapsed, call }
    }

    fn count_call(&self, elapsed: Duration) {
        if self.is_call {
            self.shared.calls().add(elapsed);
            self.shared.announce_change();
        }
    }
}

impl Drop for RunningRequest<'_> {
    fn drop(&mut self) {
        if !self.ended {
            let elapsed = self.running_time();
            self.recorder.log_cancelled(self.ended_request(elapsed));
            self.count_call(elapsed);
        }
    }
}

fn failed_outcome(error: RequestError, elapsed: Duration) -> CallOutcome {
    let result = match &error {
        RequestError::TooLarge { beginning, .. } => beginning.clone(),
        _ => None,
    };
    CallOutcome {
        status: match &error {
            RequestError::Rpc(_) => CallStatus::RpcError,
            RequestError::Timeout { .. } => CallStatus::TimedOut,
            _ => CallStatus::Failed,
        },
        bytes: result.as_ref().map_or(0, |beginning| beginning.get().len()),
        result,
        error: Some(mooring_errors::failure::call_error(error)),
        diagnostics: Vec::new(),
        elapsed,
    }
}
