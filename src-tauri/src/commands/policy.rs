//! Rules of consent, and what is approved of servers.

use mooring_host::review_command as review;

use crate::dto::{IpcError, PinApproval, RuleInput, RuleView, Sentence, Simulation, TrustView};
use crate::state::AppState;

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn list_rules(_state: &AppState) -> Result<Vec<RuleView>, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn save_rule(
    _state: &AppState,
    _id: Option<i64>,
    _rule: RuleInput,
) -> Result<RuleView, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn remove_rule(_state: &AppState, _id: i64) -> Result<(), IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn restore_rule(_state: &AppState, _id: i64) -> Result<RuleView, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn simulate_rule(
    _state: &AppState,
    _id: Option<i64>,
    _rule: RuleInput,
) -> Result<Simulation, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn get_trust(_state: &AppState, _server: i64) -> Result<TrustView, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn approve_trust(
    _state: &AppState,
    _server: i64,
    _approvals: Vec<PinApproval>,
) -> Result<TrustView, IpcError> {
    Err(later())
}

pub(super) async fn review_command(
    _state: &AppState,
    command: String,
    args: Vec<String>,
    env: Vec<String>,
) -> Result<Vec<Sentence>, IpcError> {
    Ok(review(&command, &args, &env).into_iter().map(Into::into).collect())
}

fn later() -> IpcError {
    IpcError::new("later", mooring_host::say!("later"))
}
