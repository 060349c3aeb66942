//! Questions to the person.

use crate::dto::{DecisionView, FormMistake, InboxView, InteractionAnswer, InteractionOpening, IpcError};
use crate::state::AppState;

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn list_inbox(_state: &AppState) -> Result<InboxView, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn open_interaction(_state: &AppState, _id: i64) -> Result<InteractionOpening, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn answer_interaction(
    _state: &AppState,
    _id: i64,
    _nonce: String,
    _answer: InteractionAnswer,
) -> Result<DecisionView, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn save_draft(_state: &AppState, _id: i64, _draft: String) -> Result<(), IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn check_form(
    _state: &AppState,
    _id: i64,
    _content: String,
) -> Result<Vec<FormMistake>, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn retry_sampling(_state: &AppState, _id: i64, _nonce: String) -> Result<(), IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn list_decisions(_state: &AppState, _limit: u32) -> Result<Vec<DecisionView>, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn lift_silence(_state: &AppState, _server: i64) -> Result<(), IpcError> {
    Err(later())
}

fn later() -> IpcError {
    IpcError::new("later", mooring_host::say!("later"))
}
