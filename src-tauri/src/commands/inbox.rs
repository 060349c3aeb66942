//! Questions to the person.

use mooring_host::ServerId;

use crate::dto::{DecisionView, FormMistake, InboxView, InteractionAnswer, InteractionOpening, IpcError};
use crate::state::AppState;

pub(super) async fn list_inbox(state: &AppState) -> Result<InboxView, IpcError> {
    Ok(state.host().await?.inbox().into())
}

pub(super) async fn open_interaction(state: &AppState, id: i64) -> Result<InteractionOpening, IpcError> {
    Ok(state.host().await?.open_interaction(id)?.into())
}

pub(super) async fn answer_interaction(
    state: &AppState,
    id: i64,
    nonce: String,
    answer: InteractionAnswer,
) -> Result<DecisionView, IpcError> {
    Ok(state.host().await?.answer_interaction(id, &nonce, answer.into()).await?.into())
}

pub(super) async fn save_draft(state: &AppState, id: i64, draft: String) -> Result<(), IpcError> {
    Ok(state.host().await?.save_draft(id, &draft)?)
}

pub(super) async fn check_form(
    state: &AppState,
    id: i64,
    content: String,
) -> Result<Vec<FormMistake>, IpcError> {
    let mistakes = state.host().await?.check_form(id, &content)?;
    Ok(mistakes.into_iter().map(Into::into).collect())
}

pub(super) async fn retry_interaction(state: &AppState, id: i64, nonce: String) -> Result<(), IpcError> {
    Ok(state.host().await?.retry_interaction(id, &nonce)?)
}

pub(super) async fn list_decisions(state: &AppState, limit: u32) -> Result<Vec<DecisionView>, IpcError> {
    let decisions = state.host().await?.decisions(limit).await?;
    Ok(decisions.into_iter().map(Into::into).collect())
}

pub(super) async fn lift_silence(state: &AppState, server: i64) -> Result<(), IpcError> {
    Ok(state.host().await?.lift_silence(ServerId(server)).await?)
}
