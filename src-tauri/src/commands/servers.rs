//! Saved servers: adding, changing, starting and stopping them.

use mooring_host::{CommandCheck, NewServer, ServerId};

use crate::commands::tools::register;
use crate::dto::{ImportPreview, IpcError, ServerTrial, ServerView};
use crate::state::AppState;

pub(super) async fn list_servers(state: &AppState) -> Result<Vec<ServerView>, IpcError> {
    Ok(state.host().await?.servers().into_iter().map(Into::into).collect())
}

pub(super) async fn get_server(state: &AppState, id: i64) -> Result<ServerView, IpcError> {
    Ok(state.host().await?.server(ServerId(id))?.into())
}

pub(super) async fn server_icons(
    state: &AppState,
    id: i64,
    icons: String,
) -> Result<Option<String>, IpcError> {
    Ok(state.host().await?.server_icons(ServerId(id), &icons)?)
}

pub(super) async fn set_loads_icons(state: &AppState, id: i64, loads: bool) -> Result<(), IpcError> {
    Ok(state.host().await?.set_loads_icons(ServerId(id), loads).await?)
}

pub(super) async fn load_icon(state: &AppState, id: i64, src: String) -> Result<Option<String>, IpcError> {
    Ok(state.host().await?.load_icon(ServerId(id), &src).await?)
}

pub(super) async fn add_server(state: &AppState, server: NewServer) -> Result<ServerView, IpcError> {
    Ok(state.host().await?.add_server(server).await?.into())
}

pub(super) async fn add_demo_server(state: &AppState) -> Result<ServerView, IpcError> {
    Ok(state.host().await?.add_demo_server().await?.into())
}

pub(super) async fn update_server(
    state: &AppState,
    id: i64,
    server: NewServer,
) -> Result<ServerView, IpcError> {
    Ok(state.host().await?.update_server(ServerId(id), server).await?.into())
}

pub(super) async fn remove_server(state: &AppState, id: i64) -> Result<(), IpcError> {
    Ok(state.host().await?.remove_server(ServerId(id)).await?)
}

pub(super) async fn restore_server(state: &AppState, id: i64) -> Result<ServerView, IpcError> {
    Ok(state.host().await?.restore_server(ServerId(id)).await?.into())
}

pub(super) async fn start_server(state: &AppState, id: i64) -> Result<(), IpcError> {
    Ok(state.host().await?.start(ServerId(id)).await?)
}

pub(super) async fn stop_server(state: &AppState, id: i64) -> Result<(), IpcError> {
    Ok(state.host().await?.stop(ServerId(id)).await?)
}

pub(super) async fn restart_server(state: &AppState, id: i64) -> Result<(), IpcError> {
    Ok(state.host().await?.restart(ServerId(id)).await?)
}

pub(super) async fn try_server(
    state: &AppState,
    id: Option<i64>,
    call_id: String,
    server: NewServer,
) -> Result<Option<ServerTrial>, IpcError> {
    let host = state.host().await?;
    let running = register(state, call_id)?;
    tokio::select! {
        view = host.try_server(id.map(ServerId), server) => Ok(Some(view?.into())),
        () = running.cancelled() => Ok(None),
    }
}

pub(super) async fn check_command(
    state: &AppState,
    command: String,
    path: Option<String>,
) -> Result<CommandCheck, IpcError> {
    Ok(state.host().await?.check_command(&command, path.as_deref()).await)
}

pub(super) async fn check_import(state: &AppState, text: String) -> Result<ImportPreview, IpcError> {
    Ok(state.host().await?.check_import(&text).await.into())
}

pub(super) async fn import_servers(
    state: &AppState,
    text: String,
    names: Vec<String>,
) -> Result<Vec<ServerView>, IpcError> {
    let added = state.host().await?.import(&text, &names).await?;
    Ok(added.into_iter().map(Into::into).collect())
}
