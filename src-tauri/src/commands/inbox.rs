//! Questions to the person.

use mooring_host::{DecisionView, InboxView, InteractionAnswer, InteractionOpening, Mistake, ServerId};

use crate::dto::IpcError;
use crate::state::AppState;

pub(super) async fn list_inbox(state: &AppState) -> Result<InboxView, IpcError> {
    Ok(state.host().await?.inbox())
}

pub(super) async fn open_interaction(state: &AppState, id: i64) -> Result<InteractionOpening, IpcError> {
    Ok(state.host().await?.open_interaction(id)?)
}

pub(super) async fn answer_interaction(
    state: &AppState,
    id: i64,
    nonce: String,
    answer: InteractionAnswer,
) -> Result<DecisionView, IpcError> {
    Ok(state.host().await?.answer_interaction(id, &nonce, answer).await?)
}

pub(super) async fn save_draft(state: &AppState, id: i64, draft: String) -> Result<(), IpcError> {
    Ok(state.host().await?.save_draft(id, &draft)?)
}

pub(super) async fn check_form(state: &AppState, id: i64, content: String) -> Result<Vec<Mistake>, IpcError> {
    Ok(state.host().await?.check_form(id, &content)?)
}

pub(super) async fn retry_interaction(state: &AppState, id: i64, nonce: String) -> Result<(), IpcError> {
    Ok(state.host().await?.retry_interaction(id, &nonce)?)
}

pub(super) async fn list_decisions(state: &AppState, limit: u32) -> Result<Vec<DecisionView>, IpcError> {
    Ok(state.host().await?.decisions(limit).await?)
}

pub(super) async fn lift_silence(state: &AppState, server: i64) -> Result<(), IpcError> {
    Ok(state.host().await?.lift_silence(ServerId(server)).await?)
}
