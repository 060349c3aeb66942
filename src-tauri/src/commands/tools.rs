//! Tools, and calls of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mooring_accounts::SealedPlace;
use mooring_base::server_id::ServerId;
use mooring_calls::{CallEvent, CallOutcome, CallStatus, OnCallEvent, ToolCall, ToolList};
use mooring_errors::HostError;
use mooring_forms::SchemaCheck;
use mooring_host::Host;
use mooring_policy::Caller;
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;

use crate::call_events::CallEvents;
use crate::calls::RunningCall;
use crate::dto::{IpcError, WindowCode};
use crate::sink::Sink;
use crate::state::AppState;

pub(super) async fn list_tools(state: &AppState, id: i64, refresh: bool) -> Result<Arc<ToolList>, IpcError> {
    Ok(state.host().await?.tools(ServerId(id), refresh).await?)
}

pub(super) async fn call_tool(
    state: &AppState,
    sink: Sink<CallEvent>,
    id: i64,
    call_id: String,
    tool: String,
    arguments: String,
    sealed: Vec<SealedPlace>,
) -> Result<CallOutcome, IpcError> {
    let host = state.host().await?;
    let arguments = with_secrets(host, arguments, &sealed).await?;
    let call = ToolCall {
        request: Some(call_id.as_str().into()),
        tool,
        arguments: Some(arguments),
        caller: Caller::Workbench,
        idle: None,
        total: None,
    };
    run(state, sink, call_id, |on_event| host.call_tool(ServerId(id), call, on_event)).await
}

pub(super) async fn check_value(
    _: &AppState,
    schema: String,
    value: String,
    chosen: BTreeMap<String, u32>,
) -> Result<SchemaCheck, IpcError> {
    Ok(mooring_calls::check_value(schema, value, chosen).await)
}

/// Parses the view's arguments and fills in the secrets.
pub(super) async fn with_secrets(
    host: &Host,
    text: String,
    sealed: &[SealedPlace],
) -> Result<Box<RawValue>, HostError> {
    json(host.secret_variables().fill(text, sealed).await?)
}

/// Parses the view's arguments.
pub(super) fn json(text: String) -> Result<Box<RawValue>, HostError> {
    RawValue::from_string(text)
        .map_err(|error| HostError::InvalidArguments(Sentence::quoted(error.to_string())))
}

/// Registers a request under the name that the view chose.
pub(super) fn register(state: &AppState, call_id: String) -> Result<RunningCall<'_>, IpcError> {
    let running = state.calls.register(call_id.clone());
    running.ok_or_else(|| {
        IpcError::new(WindowCode::CallRunning, say!("a call of this name is running: {id}", id = call_id))
    })
}

/// Runs a request under the name that the view chose. `cancel_call`, or the end of the page, drops the
/// host's future, which cancels the request at the server. The outcome is then `cancelled`.
pub(super) async fn run<F>(
    state: &AppState,
    sink: Sink<CallEvent>,
    call_id: String,
    request: impl FnOnce(OnCallEvent) -> F,
) -> Result<CallOutcome, IpcError>
where
    F: Future<Output = Result<CallOutcome, HostError>>,
{
    let running = register(state, call_id)?;
    let started = Instant::now();
    let events = CallEvents::default();
    let gather = events.clone();
    let on_event = Arc::new(move |event| gather.push(event));
    let outcome = tokio::select! {
        outcome = Box::pin(request(on_event)) => outcome?,
        () = running.cancelled() => cancelled_outcome(started.elapsed()),
        never = events.forward(&sink) => never,
    };
    events.flush(&sink);
    Ok(outcome)
}

fn cancelled_outcome(elapsed: Duration) -> CallOutcome {
    CallOutcome {
        status: CallStatus::Cancelled,
        result: None,
        error: None,
        diagnostics: Vec::new(),
        elapsed,
        bytes: 0,
    }
}

pub(super) async fn cancel_call(state: &AppState, call_id: String) -> Result<bool, IpcError> {
    Ok(state.calls.cancel(&call_id))
}
