//! Models, and which servers may use them.

use mooring_base::server_id::ServerId;
use mooring_models::RouteRule;

use crate::dto::{IpcError, ModelsView, ProviderCheck, ProviderInput, ProviderView, SamplingPolicy};
use crate::state::AppState;

pub(super) async fn list_models(state: &AppState) -> Result<ModelsView, IpcError> {
    Ok(state.host().await?.models().await?.into())
}

pub(super) async fn save_provider(
    state: &AppState,
    id: Option<i64>,
    provider: ProviderInput,
) -> Result<ProviderView, IpcError> {
    Ok(state.host().await?.save_provider(id, provider.try_into()?).await?.into())
}

pub(super) async fn remove_provider(state: &AppState, id: i64) -> Result<(), IpcError> {
    Ok(state.host().await?.remove_provider(id).await?)
}

pub(super) async fn check_provider(
    state: &AppState,
    id: Option<i64>,
    provider: ProviderInput,
) -> Result<ProviderCheck, IpcError> {
    Ok(state.host().await?.check_provider(id, provider.try_into()?).await?.into())
}

pub(super) async fn set_routes(state: &AppState, routes: Vec<RouteRule>) -> Result<ModelsView, IpcError> {
    let host = state.host().await?;
    host.set_routes(routes).await?;
    Ok(host.models().await?.into())
}

pub(super) async fn set_sampling(state: &AppState, policy: SamplingPolicy) -> Result<ModelsView, IpcError> {
    let host = state.host().await?;
    host.set_sampling(ServerId(policy.server), policy.try_into()?).await?;
    Ok(host.models().await?.into())
}

pub(super) async fn forget_sampling(state: &AppState, id: i64) -> Result<ModelsView, IpcError> {
    let host = state.host().await?;
    host.forget_sampling(id).await?;
    Ok(host.models().await?.into())
}
