//! Profiles: named sets of servers, tools and folders.

use mooring_errors::HostError;
use mooring_host::{ProfileImportChoice, ProfileReview, ProfileView, RemovedProfile};
use mooring_profiles::NewProfile;

use crate::dto::IpcError;
use crate::state::AppState;

pub(super) async fn list_profiles(state: &AppState) -> Result<Vec<ProfileView>, IpcError> {
    Ok(state.host().await?.profile_views())
}

pub(super) async fn save_profile(
    state: &AppState,
    id: Option<i64>,
    profile: NewProfile,
) -> Result<ProfileView, IpcError> {
    Ok(state.host().await?.save_profile(id, profile).await?)
}

pub(super) async fn remove_profile(state: &AppState, id: i64) -> Result<RemovedProfile, IpcError> {
    Ok(state.host().await?.remove_profile(id).await?)
}

pub(super) async fn restore_profile(state: &AppState, removed: RemovedProfile) -> Result<(), IpcError> {
    Ok(state.host().await?.restore_profile(removed).await?)
}

pub(super) async fn use_profile(state: &AppState, id: Option<i64>) -> Result<Option<i64>, IpcError> {
    Ok(state.host().await?.profiles().switch(id).await.map_err(HostError::from)?)
}

pub(super) async fn export_profile(state: &AppState, id: i64) -> Result<String, IpcError> {
    Ok(state.host().await?.export_profile(id)?)
}

pub(super) async fn review_profile(state: &AppState, text: String) -> Result<ProfileReview, IpcError> {
    Ok(state.host().await?.review_profile(&text).await?)
}

pub(super) async fn import_profile(
    state: &AppState,
    text: String,
    choice: ProfileImportChoice,
) -> Result<ProfileView, IpcError> {
    Ok(state.host().await?.import_profile(&text, choice).await?)
}
