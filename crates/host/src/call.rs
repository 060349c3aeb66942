//! One tool call: the verdict, the call, how it ended.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use mooring_mcp::{
    Again, CallOptions, CallResult, LogSink, Notification, ProgressSink, RequestError, Resend,
};
use mooring_store::{LogStatus, StoreError};
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::connection::lists::Kind;
use crate::connection::shared::{Shared, log_event};
use crate::connection::{Handle, Link, forward_ms};
use crate::consent::question::{self, Asked};
use crate::consent::{self, Decision, RULE_CHANGED, RULE_NEW_SESSION, Request, Standing, Verdict};
use crate::error::HostError;
use crate::excerpt;
use crate::interaction::view::ToolHints;
use crate::journal::Recorder;
use crate::tools::{CallError, CallEvent, CallOutcome, CallStatus, OnCallEvent, ToolCall};

/// The method of a tool call.
const TOOLS_CALL: &str = "tools/call";

/// The consent for a number of equal calls on one connection. The only way to make a call: whoever holds one
/// has a verdict in the log. It is for exactly the arguments and the definition that were decided on.
pub struct Permit {
    link: Arc<Link>,
    handle: Handle,
    call: ToolCall,
    bound: Bound,
    /// What is asked before one of them is sent once more.
    again: Option<Again>,
    idle: Duration,
    total: Duration,
    left: AtomicU64,
}

/// What was decided on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Bound {
    tool: String,
    arguments_sha256: [u8; 32],
    /// The hash of the tool's definition, where one is known.
    definition: Option<String>,
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("call", &self.call).field("left", &self.left).finish_non_exhaustive()
    }
}

impl Permit {
    /// Decides on `calls` equal calls, asks the person where a rule says so, and has each verdict accepted by the log.
    pub(crate) async fn ask(handle: &Handle, call: ToolCall, calls: u64) -> Result<Self, HostError> {
        if let Some(arguments) = &call.arguments
            && !arguments.get().trim_start().starts_with('{')
        {
            return Err(HostError::InvalidArguments(Sentence::quoted(start_of(arguments.get()))));
        }
        let link = handle.link()?;
        let (standing, definition) = handle.standing(Kind::Tools, &call.tool).await?;
        let arguments = text_of(&call);
        let bound = Bound { tool: call.tool.clone(), arguments_sha256: digest(arguments), definition };
        let arguments_sha256 = hex(&bound.arguments_sha256);
        let log = async |verdict: &Verdict| {
            let definition = bound.definition.as_deref();
            let accepted =
                link.recorder.verdict(verdict, &call.tool, &arguments_sha256, definition, calls).await;
            accepted.map_err(|_| HostError::Store(StoreError::Closed))
        };
        let mut verdict = decide(handle, &call, standing, bound.definition.as_deref())?;
        log(&verdict).await?;
        if let Some(rule) = verdict.rule_id {
            handle.context.rules.used(rule);
        }
        if verdict.decision == Decision::Ask {
            let definition = bound.definition.as_deref();
            let asked = Asked { call: &call, arguments, definition, standing, verdict: &verdict };
            verdict = question::ask(handle, &asked).await?;
            log(&verdict).await?;
        }
        if verdict.decision != Decision::Allow {
            return Err(if verdict.rule == RULE_CHANGED {
                HostError::DefinitionChanged { what: call.tool }
            } else {
                HostError::Denied { rule: question::refusal(&verdict) }
            });
        }
        let settings = handle.settings();
        let own = call.idle.or(handle.shared.manner().idle);
        Ok(Self {
            again: Some(again(handle, &link.recorder, &verdict, &bound)),
            link,
            handle: handle.clone(),
            idle: own.unwrap_or_else(|| settings.request_idle()),
            total: call.total.unwrap_or_else(|| settings.request_total_beside(own)),
            call,
            bound,
            left: AtomicU64::new(calls),
        })
    }

    /// Takes one of the calls, if it still is what was decided on (B12).
    async fn take(&self) -> Result<(), HostError> {
        let is_same =
            self.call.tool == self.bound.tool && digest(text_of(&self.call)) == self.bound.arguments_sha256;
        if !is_same {
            return Err(HostError::Denied { rule: say!("the call is not the one that was allowed") });
        }
        let definition = self.bound.definition.as_deref();
        self.handle.still(Kind::Tools, &self.call.tool, definition, false).await?;
        if self.call.caller.is_gesture() {
            self.handle.context.models.rounds.begin(self.handle.shared.server);
        }
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        taken.map(|_| ()).map_err(|_| HostError::Denied { rule: say!("the verdict is used up") })
    }

    /// Makes one of the calls. Dropping the future cancels it.
    pub async fn call(&self, on_event: OnCallEvent) -> Result<CallOutcome, HostError> {
        self.take().await?;
        let listening = self.handle.shared.listen(Arc::clone(&on_event));
        let options = CallOptions {
            idle: Some(self.idle),
            total: Some(self.total),
            on_progress: Some(progress_to(Arc::clone(&on_event))),
            on_log: Some(logs_to(on_event)),
            caller: Some(self.call.caller.as_str()),
            again: self.again.clone(),
        };
        let outcome = self.make(options).await;
        drop(listening);
        Ok(outcome)
    }

    /// Makes one of the calls without asking for progress, for measuring.
    pub async fn call_quietly(&self) -> Result<CallOutcome, HostError> {
        self.take().await?;
        let options = CallOptions {
            idle: Some(self.idle),
            total: Some(self.total),
            caller: Some(self.call.caller.as_str()),
            again: self.again.clone(),
            ..CallOptions::default()
        };
        Ok(self.make(options).await)
    }

    async fn make(&self, options: CallOptions) -> CallOutcome {
        let running = Running::start(&self.link.recorder, &self.handle.shared, TOOLS_CALL, &self.call.tool);
        let answer =
            self.link.client.call_tool(&self.call.tool, self.call.arguments.as_deref(), options).await;
        running.end(answer.map(outcome)).await
    }
}

/// What is asked before a call is sent once more. Where the server had forgotten the session, it has not carried the call
/// out: what leaves then is the same call, and has a verdict of its own in the log.
fn again(handle: &Handle, recorder: &Arc<Recorder>, verdict: &Verdict, bound: &Bound) -> Again {
    let standing = handle.again(Kind::Tools, &bound.tool, bound.definition.clone());
    let verdict = Verdict { rule: RULE_NEW_SESSION.into(), ..verdict.clone() };
    let decided = Arc::new((handle.clone(), Arc::clone(recorder), verdict, bound.clone()));
    Arc::new(move |resend| {
        let (standing, decided) = (standing.clone(), Arc::clone(&decided));
        async move {
            let (handle, recorder, verdict, Bound { tool, arguments_sha256, definition }) = &*decided;
            if let Some(standing) = &standing {
                standing(resend).await?;
            } else if resend == Resend::HeaderMismatch {
                // Nothing was approved that could be another thing by now, but the headers want the list of now.
                handle.tools(true).await.map_err(|error| error.sentence())?;
            }
            if resend != Resend::NewSession {
                return Ok(());
            }
            let accepted =
                recorder.verdict(verdict, tool, &hex(arguments_sha256), definition.as_deref(), 1).await;
            accepted.map_err(|_| HostError::Store(StoreError::Closed).sentence())
        }
        .boxed()
    })
}

/// The arguments as they leave.
fn text_of(call: &ToolCall) -> &str {
    call.arguments.as_deref().map_or("{}", RawValue::get)
}

/// The verdict of the rules in force.
fn decide(
    handle: &Handle,
    call: &ToolCall,
    standing: Standing,
    definition: Option<&str>,
) -> Result<Verdict, HostError> {
    let book = handle.context.rules.book();
    let server = handle.shared.server;
    let arguments = if book.needs_arguments(server, &call.tool, call.caller) {
        Some(consent::arguments::read(text_of(call)).map_err(HostError::InvalidArguments)?)
    } else {
        None
    };
    let hints = if book.rules().is_empty() && call.caller.is_gesture() {
        ToolHints::default()
    } else {
        handle.tool_hints(&call.tool)
    };
    let request = Request {
        server,
        tool: &call.tool,
        definition,
        standing,
        hints,
        arguments: arguments.as_ref(),
        caller: call.caller,
        now_ms: forward_ms(),
    };
    Ok(consent::decide(&request, book.rules()))
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
        bytes: result.raw.get().len(),
        result: Some(result.raw),
        error: None,
        diagnostics: result.diagnostics,
        elapsed: result.elapsed,
    }
}

fn failed(error: RequestError, elapsed: Duration) -> CallOutcome {
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
        error: Some(CallError::from(error)),
        diagnostics: Vec::new(),
        elapsed,
    }
}

/// A text's SHA-256 in hexadecimal digits.
pub(crate) fn sha256(text: &str) -> String {
    hex(&digest(text))
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// Bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(if value < 10 { b'0' + value } else { b'a' + value - 10 });
    let mut hex = String::with_capacity(2 * bytes.len());
    hex.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]));
    hex
}

/// How a text begins, for a message about it.
pub(crate) fn start_of(text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    if start.len() < text.len() { format!("{start}…") } else { start }
}

#[cfg(test)]
mod tests {
    use mooring_testkit::scripted_server_path;

    use super::*;
    use crate::connection::Target;
    use crate::consent::Caller;
    use crate::{ConnectOptions, Host, HostOptions};

    // Requirements: SEC-26, TOOL-05.
    #[tokio::test]
    async fn a_permit_is_for_the_call_that_was_decided_on_and_for_no_more_than_were_allowed() {
        let home = tempfile::tempdir().unwrap();
        let options = HostOptions {
            home: home.path().to_owned(),
            supervise: false,
            journal: true,
            demo_server: None,
            client_name: "mooring-test",
            client_version: "0",
            vault: mooring_vault::Options::default,
            browser: crate::system_browser,
        };
        let host = Host::open(options).await.unwrap();
        let target = Target::Command {
            program: scripted_server_path().display().to_string(),
            args: vec!["ok".to_owned()],
            env: [].into(),
            cwd: home.path().to_owned(),
        };
        let connection = host.connect(target, ConnectOptions::default()).await.unwrap();
        let arguments = |text: &str| Some(RawValue::from_string(format!(r#"{{"text":"{text}"}}"#)).unwrap());
        let call = ToolCall {
            tool: "echo".to_owned(),
            arguments: arguments("a"),
            caller: Caller::CommandLine,
            idle: None,
            total: None,
        };
        let mut permit = connection.permit(call, 1).await.unwrap();
        // Changed on the way, it is refused, however little.
        let code = |refused: Result<CallOutcome, HostError>| refused.unwrap_err().code();
        permit.call.arguments = arguments("b");
        assert_eq!(code(permit.call_quietly().await), "denied");
        permit.call.arguments = Some(RawValue::from_string(r#"{"text": "a"}"#.to_owned()).unwrap());
        assert_eq!(code(permit.call(Arc::new(|_| {})).await), "denied");
        permit.call.arguments = arguments("a");
        permit.call.tool = "seen".to_owned();
        assert_eq!(code(permit.call_quietly().await), "denied");
        permit.call.tool = "echo".to_owned();
        assert_eq!(permit.call_quietly().await.unwrap().status, CallStatus::Ok);
        // Once is once.
        assert_eq!(code(permit.call_quietly().await), "denied");
        drop(permit);
        connection.close().await;
        host.shutdown().await;
    }
}
