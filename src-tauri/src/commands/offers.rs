//! What servers offer besides tools: resources, prompts, completion, subscriptions and tasks.

use std::collections::BTreeMap;
use std::sync::Arc;

use mooring_accounts::SealedPlace;
use mooring_base::server_id::ServerId;
use mooring_base::uri_template::UriTemplate;
use mooring_calls::{
    CallEvent, CallOutcome, Completion, CompletionReference, CompletionRequest, Follower, PromptCall,
    PromptList, ResourceList, ResourceRead, SubscriptionView, TaskView,
};
use mooring_errors::HostError;
use mooring_policy::Caller;

use super::tools::{run, with_secrets};
use crate::dto::IpcError;
use crate::sink::Sink;
use crate::state::AppState;

pub(super) async fn list_resources(
    state: &AppState,
    id: i64,
    refresh: bool,
) -> Result<Arc<ResourceList>, IpcError> {
    Ok(state.host().await?.resources(ServerId(id), refresh).await?)
}

pub(super) async fn list_prompts(
    state: &AppState,
    id: i64,
    refresh: bool,
) -> Result<Arc<PromptList>, IpcError> {
    Ok(state.host().await?.prompts(ServerId(id), refresh).await?)
}

pub(super) async fn read_resource(
    state: &AppState,
    sink: Sink<CallEvent>,
    id: i64,
    call_id: String,
    uri: String,
    template: Option<String>,
) -> Result<CallOutcome, IpcError> {
    let host = state.host().await?;
    let read = ResourceRead {
        request: Some(call_id.as_str().into()),
        uri,
        template,
        caller: Caller::Workbench,
        idle: None,
        total: None,
    };
    run(state, sink, call_id, |on_event| host.read_resource(ServerId(id), read, on_event)).await
}

pub(super) async fn get_prompt(
    state: &AppState,
    sink: Sink<CallEvent>,
    id: i64,
    call_id: String,
    prompt: String,
    arguments: String,
    sealed: Vec<SealedPlace>,
) -> Result<CallOutcome, IpcError> {
    let host = state.host().await?;
    let arguments = with_secrets(host, arguments, &sealed).await?;
    let call = PromptCall {
        request: Some(call_id.as_str().into()),
        prompt,
        arguments: Some(arguments),
        caller: Caller::Workbench,
        idle: None,
        total: None,
    };
    run(state, sink, call_id, |on_event| host.get_prompt(ServerId(id), call, on_event)).await
}

pub(super) async fn expand_template(
    _state: &AppState,
    uri_template: String,
    values: BTreeMap<String, String>,
) -> Result<String, IpcError> {
    Ok(UriTemplate::parse(&uri_template).map_err(HostError::from)?.expand(&values))
}

pub(super) async fn complete_argument(
    state: &AppState,
    id: i64,
    reference: CompletionReference,
    argument: String,
    value: String,
    context: BTreeMap<String, String>,
) -> Result<Completion, IpcError> {
    let host = state.host().await?;
    let wanted = CompletionRequest { of: reference, argument, begun: value, chosen: context };
    Ok(host.complete_argument(ServerId(id), &wanted).await?)
}

pub(super) async fn subscribe_resource(state: &AppState, id: i64, uri: String) -> Result<(), IpcError> {
    Ok(state.host().await?.subscribe(ServerId(id), &uri, Follower::Person).await?)
}

pub(super) async fn unsubscribe_resource(state: &AppState, id: i64, uri: String) -> Result<(), IpcError> {
    Ok(state.host().await?.unsubscribe(ServerId(id), &uri, Follower::Person).await?)
}

pub(super) async fn list_subscriptions(state: &AppState, id: i64) -> Result<Vec<SubscriptionView>, IpcError> {
    Ok(state.host().await?.subscriptions(ServerId(id))?)
}

pub(super) async fn list_tasks(state: &AppState, id: i64) -> Result<Vec<TaskView>, IpcError> {
    Ok(state.host().await?.tasks(ServerId(id))?)
}

pub(super) async fn cancel_task(state: &AppState, id: i64, task_id: String) -> Result<(), IpcError> {
    Ok(state.host().await?.cancel_task(ServerId(id), &task_id).await?)
}
