//! Consent rules, and what is approved of servers.

use mooring_approvals::{RuleView, Simulation};
use mooring_base::server_id::ServerId;
use mooring_calls::ToolAccess;
use mooring_policy::{CommandNote, NewRule, PinApproval, TrustView, review_command as review};

use crate::dto::IpcError;
use crate::state::AppState;

pub(super) async fn list_rules(state: &AppState) -> Result<Vec<RuleView>, IpcError> {
    Ok(state.host().await?.rules())
}

pub(super) async fn list_tool_access(state: &AppState, id: i64) -> Result<Vec<ToolAccess>, IpcError> {
    Ok(state.host().await?.tool_access(ServerId(id)).await?)
}

pub(super) async fn save_rule(
    state: &AppState,
    id: Option<i64>,
    rule: NewRule,
) -> Result<RuleView, IpcError> {
    Ok(state.host().await?.save_rule(id, rule).await?)
}

pub(super) async fn remove_rule(state: &AppState, id: i64) -> Result<(), IpcError> {
    Ok(state.host().await?.remove_rule(id).await?)
}

pub(super) async fn restore_rule(state: &AppState, id: i64) -> Result<RuleView, IpcError> {
    Ok(state.host().await?.restore_rule(id).await?)
}

pub(super) async fn simulate_rule(
    state: &AppState,
    id: Option<i64>,
    rule: NewRule,
) -> Result<Simulation, IpcError> {
    Ok(state.host().await?.simulate_rule(id, rule).await?)
}

pub(super) async fn get_trust(state: &AppState, server: i64) -> Result<TrustView, IpcError> {
    Ok(state.host().await?.trust(ServerId(server)).await?)
}

pub(super) async fn approve_trust(
    state: &AppState,
    server: i64,
    approvals: Vec<PinApproval>,
) -> Result<TrustView, IpcError> {
    Ok(state.host().await?.approve_trust(ServerId(server), &approvals).await?)
}

pub(super) async fn withdraw_trust(
    state: &AppState,
    server: i64,
    approvals: Vec<PinApproval>,
) -> Result<TrustView, IpcError> {
    Ok(state.host().await?.withdraw_trust(ServerId(server), &approvals).await?)
}

pub(super) async fn review_command(
    _state: &AppState,
    command: String,
    args: Vec<String>,
    env: Vec<String>,
) -> Result<Vec<CommandNote>, IpcError> {
    Ok(review(&command, &args, &env))
}
