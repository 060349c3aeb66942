//! Questions to the person.

use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_forms::Mistake;
use mooring_host::DecisionEvents;
use mooring_inbox::{
    AddressView, DecisionView, InboxView, InteractionAnswer, InteractionOpening, inspect_url,
};
use mooring_store::DecisionQuery;

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

pub(super) async fn inspect_link(_state: &AppState, url: String) -> Result<AddressView, IpcError> {
    Ok(inspect_url(&url))
}

pub(super) async fn open_link(state: &AppState, url: String) -> Result<(), IpcError> {
    Ok(state.host().await?.open_link(&url).await?)
}

pub(super) async fn list_decisions(state: &AppState, limit: u32) -> Result<Vec<DecisionView>, IpcError> {
    Ok(state.host().await?.decisions(limit).await?)
}

pub(super) async fn find_decisions(
    state: &AppState,
    filter: DecisionQuery,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<DecisionView>, IpcError> {
    Ok(state.host().await?.find_decisions(&DecisionQuery { before, limit, ..filter }).await?)
}

pub(super) async fn decision_events(state: &AppState, id: i64) -> Result<DecisionEvents, IpcError> {
    Ok(state.host().await?.decision_events(id).await?)
}

pub(super) async fn put_off_interaction(
    state: &AppState,
    id: i64,
    minutes: Option<u32>,
) -> Result<(), IpcError> {
    let time = minutes.map(|minutes| Duration::from_mins(minutes.into()));
    Ok(state.host().await?.put_off_interaction(id, time)?)
}

pub(super) async fn bring_back_interaction(state: &AppState, id: i64) -> Result<(), IpcError> {
    Ok(state.host().await?.bring_back_interaction(id)?)
}

pub(super) async fn lift_silence(state: &AppState, server: i64) -> Result<(), IpcError> {
    Ok(state.host().await?.lift_silence(ServerId(server)).await?)
}

pub(super) async fn lift_app_silence(state: &AppState, app: String) -> Result<(), IpcError> {
    state.host().await?.lift_app_silence(&app);
    Ok(())
}
