//! Folders that servers may access as roots.

use mooring_base::server_id::ServerId;
use mooring_folders::{RootView, ServerRoots};
use mooring_roots::RootBreadth;

use crate::dto::IpcError;
use crate::picker;
use crate::state::AppState;

pub(super) async fn list_roots(state: &AppState) -> Result<Vec<RootView>, IpcError> {
    Ok(state.host().await?.folders().list().await?)
}

pub(super) async fn server_roots(state: &AppState, server: i64) -> Result<ServerRoots, IpcError> {
    Ok(state.host().await?.folders().of_server(ServerId(server)).await?)
}

pub(super) async fn add_root(
    state: &AppState,
    server: Option<i64>,
    path: String,
    name: Option<String>,
    wide: bool,
) -> Result<RootView, IpcError> {
    let breadth = if wide { RootBreadth::Wide } else { RootBreadth::Narrow };
    Ok(state.host().await?.folders().grant(server.map(ServerId), &path, name, breadth).await?)
}

pub(super) async fn rename_root(
    state: &AppState,
    id: i64,
    name: Option<String>,
) -> Result<RootView, IpcError> {
    Ok(state.host().await?.folders().rename(id, name).await?)
}

pub(super) async fn remove_root(state: &AppState, id: i64) -> Result<(), IpcError> {
    Ok(state.host().await?.folders().remove(id).await?)
}

pub(super) async fn restore_root(state: &AppState, id: i64) -> Result<RootView, IpcError> {
    Ok(state.host().await?.folders().restore(id).await?)
}

pub(super) async fn share_roots(state: &AppState, server: i64, shared: bool) -> Result<(), IpcError> {
    Ok(state.host().await?.folders().share(ServerId(server), shared).await?)
}

pub(super) async fn forget_roots_answer(state: &AppState, server: i64, answer: i64) -> Result<(), IpcError> {
    Ok(state.host().await?.folders().forget_answer(ServerId(server), answer).await?)
}

pub(super) async fn pick_folder(state: &AppState) -> Result<Option<String>, IpcError> {
    // Without an open data folder there is no server to choose a folder for.
    state.host().await?;
    let chosen = picker::pick_folder().await;
    Ok(chosen.map(|path| path.to_string_lossy().into_owned()))
}
