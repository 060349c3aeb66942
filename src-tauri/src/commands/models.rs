//! Models, and who may ask them.

use crate::dto::{
    IpcError, ModelsView, ProviderCheck, ProviderInput, ProviderView, RouteRule, SamplingPolicy,
};
use crate::state::AppState;

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn list_models(_state: &AppState) -> Result<ModelsView, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn save_provider(
    _state: &AppState,
    _id: Option<i64>,
    _provider: ProviderInput,
) -> Result<ProviderView, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn remove_provider(_state: &AppState, _id: i64) -> Result<(), IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn check_provider(
    _state: &AppState,
    _id: Option<i64>,
    _provider: ProviderInput,
) -> Result<ProviderCheck, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn set_routes(_state: &AppState, _routes: Vec<RouteRule>) -> Result<ModelsView, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn set_sampling(_state: &AppState, _policy: SamplingPolicy) -> Result<ModelsView, IpcError> {
    Err(later())
}

#[expect(clippy::unused_async, reason = "later")]
pub(super) async fn forget_sampling(_state: &AppState, _id: i64) -> Result<ModelsView, IpcError> {
    Err(later())
}

fn later() -> IpcError {
    IpcError::new("later", mooring_host::say!("later"))
}
