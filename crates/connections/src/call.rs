//! A single tool call: the verdict, the call, and its outcome.

mod denial;
mod question;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use mooring_base::app_call::AppCall;
use mooring_base::clock::monotonic_ms;
use mooring_base::digest::{digest, hex};
use mooring_base::excerpt::quote_start;
use mooring_calls::{CallOutcome, CallStatus, OnCallEvent, ToolCall, UseGuard};
use mooring_disk::StoreError;
use mooring_errors::HostError;
use mooring_log::LogStatus;
use mooring_mcp::{CallOptions, CallResult, ResendCheck, ResendReason};
use mooring_policy::{
    AppLevel, Approval, CallRequest, Caller, Decision, Reason, ToolHints, Verdict, arguments,
};
use mooring_recorder::{Recorder, VerdictRecord};
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;

use self::question::CallQuestion;
use crate::connection::lists::ListKind;
use crate::connection::running::{RunningRequest, TOOLS_CALL, forward_logs, forward_progress};
use crate::connection::{Connection, Handle, LiveConnection};

/// Permission for a number of identical calls on one connection. Calls can only be made through a permit,
/// which ensures that every call has a verdict in the log. It covers exactly the arguments and the definition
/// that the decision was about.
pub struct Permit {
    link: Arc<LiveConnection>,
    _use: UseGuard,
    handle: Handle,
    call: ToolCall,
    permitted: PermittedCall,
    /// Checked before a call is sent again.
    check_resend: Option<ResendCheck>,
    idle: Duration,
    total: Duration,
    left: AtomicU64,
}

/// The call that was permitted. Every use of the permit must match it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PermittedCall {
    tool: String,
    arguments_sha256: [u8; 32],
    /// The hash of the tool's definition, if known.
    definition: Option<String>,
}

/// A call that matches its permit. Only this can be sent.
#[derive(Debug)]
struct SendableCall<'a> {
    tool: &'a str,
    arguments: Option<&'a RawValue>,
}

impl PermittedCall {
    /// Returns the tool and the arguments to send. Refuses a call that differs from the permitted one.
    fn check_call<'a>(&self, call: &'a ToolCall) -> Result<SendableCall<'a>, HostError> {
        let is_same = call.tool == self.tool && digest(arguments_text(call)) == self.arguments_sha256;
        if is_same {
            Ok(SendableCall { tool: &call.tool, arguments: call.arguments.as_deref() })
        } else {
            Err(HostError::Denied { rule: say!("the call isn’t the one that was allowed") })
        }
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("call", &self.call).field("left", &self.left).finish_non_exhaustive()
    }
}

impl Connection {
    /// Calls a tool. The log accepts the verdict before the call is sent. Dropping the future cancels the
    /// call.
    pub async fn call_tool(&self, call: ToolCall, on_event: OnCallEvent) -> Result<CallOutcome, HostError> {
        self.permit(call, 1).await?.call(on_event).await
    }

    /// Obtains one verdict for `calls` identical calls.
    pub async fn permit(&self, call: ToolCall, calls: u64) -> Result<Permit, HostError> {
        Permit::obtain(&self.handle, call, calls).await
    }
}

impl Permit {
    /// Decides on `calls` identical calls, asks the person if a rule requires it, and records each verdict in
    /// the log.
    pub async fn obtain(handle: &Handle, call: ToolCall, calls: u64) -> Result<Self, HostError> {
        if let Some(arguments) = &call.arguments
            && !arguments.get().trim_start().starts_with('{')
        {
            return Err(HostError::InvalidArguments(Sentence::quoted(quote_start(arguments.get()))));
        }
        if handle.is_asleep() {
            handle.refuse_denied(&call).await?;
            handle.note_waker(&call.caller);
        }
        let (link, guard) = handle.use_link().await?;
        if let Some(app) = call.caller.app_name() {
            handle.apps.record_use(app).await;
        }
        let (standing, definition) = handle.check_approval(ListKind::Tools, &call.tool).await?;
        let arguments = arguments_text(&call);
        let bound =
            PermittedCall { tool: call.tool.clone(), arguments_sha256: digest(arguments), definition };
        let app_call = call.app_call();
        let log = async |verdict: &Verdict| {
            log_verdict(&link.recorder, verdict, &bound, calls, app_call.as_ref()).await
        };
        let hints = || handle.tool_hints(&call.tool);
        let (mut verdict, mut limit) =
            (evaluate_rules(handle, &call, standing, bound.definition.as_deref(), hints)?, None);
        log(&verdict).await?;
        if let Some(rule) = verdict.reason.rule() {
            handle.rules.record_use(rule);
        }
        let asked_because = (verdict.decision == Decision::Ask).then_some(verdict.reason);
        if verdict.decision == Decision::Ask {
            let definition = bound.definition.as_deref();
            let asked = CallQuestion { call: &call, arguments, definition, standing, verdict: &verdict };
            (verdict, limit) = question::ask_person(handle, &asked).await?;
            log(&verdict).await?;
        }
        if verdict.decision != Decision::Allow {
            return Err(denial_error(&call, &verdict, asked_because, limit));
        }
        let own = call.idle.or(handle.shared.call_defaults().idle);
        let (idle, total) = handle.settings().deadlines(&call.caller, own, call.total);
        Ok(Self {
            check_resend: Some(build_resend_check(handle, &link.recorder, &verdict, &bound, app_call)),
            link,
            _use: guard,
            handle: handle.clone(),
            idle,
            total,
            call,
            permitted: bound,
            left: AtomicU64::new(calls),
        })
    }

    /// Takes one of the calls from the permit, after checking that the call and the definition are still
    /// those of the decision (B12).
    async fn take_call(&self) -> Result<SendableCall<'_>, HostError> {
        let sendable = self.permitted.check_call(&self.call)?;
        let definition = self.permitted.definition.as_deref();
        self.handle.ensure_unchanged(ListKind::Tools, &self.call.tool, definition, false).await?;
        if self.call.caller.is_person() {
            self.handle.shared.responder.person_started();
        }
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        taken
            .map(|_| sendable)
            .map_err(|_| HostError::Denied { rule: say!("the permission was already used") })
    }

    /// Makes one of the calls. Dropping the future cancels it.
    pub async fn call(&self, on_event: OnCallEvent) -> Result<CallOutcome, HostError> {
        let sendable = self.take_call().await?;
        let listening = self.handle.shared.add_listener(&self.call.caller, Arc::clone(&on_event));
        let options = CallOptions {
            idle: Some(self.idle),
            total: Some(self.total),
            on_progress: Some(forward_progress(Arc::clone(&on_event))),
            on_log: Some(forward_logs(on_event)),
            caller: Some(self.call.request_caller()),
            check_resend: self.check_resend.clone(),
            trace: None,
        };
        let outcome = self.send_call(sendable, options).await;
        drop(listening);
        Ok(outcome)
    }

    /// Makes one of the calls without requesting progress, for measurements.
    pub async fn call_without_progress(&self) -> Result<CallOutcome, HostError> {
        let sendable = self.take_call().await?;
        let options = CallOptions {
            idle: Some(self.idle),
            total: Some(self.total),
            caller: Some(self.call.request_caller()),
            check_resend: self.check_resend.clone(),
            ..CallOptions::default()
        };
        Ok(self.send_call(sendable, options).await)
    }

    async fn send_call(&self, sendable: SendableCall<'_>, options: CallOptions) -> CallOutcome {
        let running = RunningRequest::start(
            &self.link.recorder,
            &self.handle.shared,
            TOOLS_CALL,
            &self.call.tool,
            self.call.app_call(),
        );
        let options = CallOptions { trace: Some(running.trace()), ..options };
        let answer = self.link.client.call_tool(sendable.tool, sendable.arguments, options).await;
        running.end(answer.map(to_call_outcome)).await
    }
}

/// Creates the check that the engine runs before it sends a call again. If the server has lost the session,
/// it has not run the call. The call is then sent in a new session, and gets its own verdict in the log.
fn build_resend_check(
    handle: &Handle,
    recorder: &Arc<Recorder>,
    verdict: &Verdict,
    bound: &PermittedCall,
    call: Option<AppCall>,
) -> ResendCheck {
    let standing = handle.build_definition_check(ListKind::Tools, &bound.tool, bound.definition.clone());
    let verdict = Verdict { reason: Reason::NewSession, ..verdict.clone() };
    let decided = Arc::new((handle.clone(), Arc::clone(recorder), verdict, bound.clone(), call));
    Arc::new(move |resend| {
        let (standing, decided) = (standing.clone(), Arc::clone(&decided));
        async move {
            let (handle, recorder, verdict, bound, call) = &*decided;
            if let Some(standing) = &standing {
                standing(resend).await?;
            } else if resend == ResendReason::HeaderMismatch {
                // An unsaved server has no approved definitions, but the headers need the current list.
                handle.tools(true).await.map_err(|error| error.sentence())?;
            }
            if resend != ResendReason::NewSession {
                return Ok(());
            }
            let arguments_sha256 = hex(&bound.arguments_sha256);
            let record = to_verdict_record(verdict, bound, &arguments_sha256, 1, call.as_ref());
            let accepted = recorder.log_verdict(record).await;
            if call.is_some() {
                recorder.persist().await;
            }
            accepted.map_err(|_| HostError::Store(StoreError::Closed).sentence())
        }
        .boxed()
    })
}

/// Writes a verdict to the log.
async fn log_verdict(
    recorder: &Recorder,
    verdict: &Verdict,
    bound: &PermittedCall,
    calls: u64,
    app_call: Option<&AppCall>,
) -> Result<(), HostError> {
    let arguments_sha256 = hex(&bound.arguments_sha256);
    let accepted =
        recorder.log_verdict(to_verdict_record(verdict, bound, &arguments_sha256, calls, app_call)).await;
    if matches!(verdict.caller, Caller::App(_)) {
        // No person saw this call. If this process is killed, only the log shows that the call was made.
        recorder.persist().await;
    }
    accepted.map_err(|_| HostError::Store(StoreError::Closed))
}

/// The error of a call that is not allowed. `limit` is the message of a limit that suppressed the question.
fn denial_error(
    call: &ToolCall,
    verdict: &Verdict,
    asked_because: Option<Reason>,
    limit: Option<Sentence>,
) -> HostError {
    if verdict.reason == Reason::Changed {
        return HostError::DefinitionChanged { what: call.tool.clone() };
    }
    HostError::Denied { rule: limit.unwrap_or_else(|| mooring_approvals::refusal(verdict, asked_because)) }
}

/// Converts a verdict to a record for the log.
fn to_verdict_record<'a>(
    verdict: &'a Verdict,
    bound: &'a PermittedCall,
    arguments_sha256: &'a str,
    calls: u64,
    call: Option<&'a AppCall>,
) -> VerdictRecord<'a> {
    VerdictRecord {
        decision: verdict.decision.as_str(),
        status: match verdict.decision {
            Decision::Allow => LogStatus::Ok,
            Decision::Ask => LogStatus::None,
            Decision::Deny => LogStatus::Error,
        },
        caller: verdict.caller.as_str(),
        rule: verdict.reason.name(),
        tool: &bound.tool,
        arguments_sha256,
        definition: bound.definition.as_deref(),
        calls,
        call,
    }
}

/// The arguments as they are sent.
fn arguments_text(call: &ToolCall) -> &str {
    call.arguments.as_deref().map_or("{}", RawValue::get)
}

/// Evaluates the current rules.
fn evaluate_rules(
    handle: &Handle,
    call: &ToolCall,
    standing: Approval,
    definition: Option<&str>,
    hints: impl FnOnce() -> ToolHints,
) -> Result<Verdict, HostError> {
    let book = handle.rules.book();
    let server = handle.shared.server;
    let arguments = if book.needs_arguments(server, &call.tool, &call.caller) {
        Some(arguments::parse_arguments(arguments_text(call)).map_err(HostError::InvalidArguments)?)
    } else {
        None
    };
    let hints =
        if book.rules().is_empty() && call.caller.is_person() { ToolHints::default() } else { hints() };
    let request = CallRequest {
        server,
        tool: &call.tool,
        definition,
        approval: standing,
        hints,
        arguments: arguments.as_ref(),
        caller: &call.caller,
        level: call.caller.app_name().map_or(AppLevel::AskHere, |app| handle.apps.access(app).level),
        now_ms: monotonic_ms(),
    };
    Ok(mooring_policy::decide(&request, book.rules()))
}

fn to_call_outcome(result: CallResult) -> CallOutcome {
    CallOutcome {
        status: if result.is_error { CallStatus::ToolError } else { CallStatus::Ok },
        bytes: result.raw.get().len(),
        result: Some(result.raw),
        error: None,
        diagnostics: result.diagnostics,
        elapsed: result.elapsed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: SEC-26, TOOL-05.
    #[test]
    fn permit_covers_only_the_call_that_was_decided() {
        let call = |tool: &str, arguments: &str| ToolCall {
            request: None,
            tool: tool.to_owned(),
            arguments: Some(RawValue::from_string(arguments.to_owned()).unwrap()),
            caller: Caller::CommandLine,
            idle: None,
            total: None,
        };
        let decided = call("echo", r#"{"text":"a"}"#);
        let permitted = PermittedCall {
            tool: decided.tool.clone(),
            arguments_sha256: digest(arguments_text(&decided)),
            definition: None,
        };
        assert!(permitted.check_call(&decided).is_ok());
        // Even a small change to the call is refused.
        for other in [
            call("echo", r#"{"text":"b"}"#),
            call("echo", r#"{"text": "a"}"#),
            call("seen", r#"{"text":"a"}"#),
        ] {
            assert_eq!(permitted.check_call(&other).unwrap_err().code().as_str(), "denied");
        }
        assert!(permitted.check_call(&ToolCall { arguments: None, ..call("echo", "{}") }).is_err());
    }
}
