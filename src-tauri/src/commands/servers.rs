//! Saved servers: adding, changing, starting and stopping them.

use std::future::pending;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_definitions::NewServer;
use mooring_definitions::import::ImportValue;
use mooring_host::{CommandCheck, InstallOutcome};
use mooring_instances::{InstanceId, InstanceRule};
use mooring_load::{LoadPoint, ServerLoad};
use mooring_process::InstallOffer;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::commands::tools::register;
use crate::dto::{ImportPreview, IpcError, ServerTrial, ServerView};
use crate::sink::Sink;
use crate::state::AppState;

/// The shortest time between two updates with an installer's output.
const OUTPUT_INTERVAL: Duration = Duration::from_millis(100);

pub(super) async fn list_servers(state: &AppState) -> Result<Vec<ServerView>, IpcError> {
    Ok(state.host().await?.servers().into_iter().map(Into::into).collect())
}

pub(super) async fn list_loads(state: &AppState) -> Result<Vec<ServerLoad>, IpcError> {
    Ok(state.host().await?.server_loads())
}

pub(super) async fn get_load_hour(state: &AppState, id: i64) -> Result<Vec<LoadPoint>, IpcError> {
    Ok(state.host().await?.server_load_hour(ServerId(id)))
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

pub(super) async fn set_instance_rule(state: &AppState, id: i64, rule: InstanceRule) -> Result<(), IpcError> {
    Ok(state.host().await?.set_instance_rule(ServerId(id), rule).await?)
}

pub(super) async fn end_instance(state: &AppState, id: i64, number: u64) -> Result<(), IpcError> {
    // An instance that has already ended is fine.
    let _was_there = state.host().await?.end_instance(InstanceId { server: ServerId(id), number });
    Ok(())
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

pub(super) async fn let_server_sleep(state: &AppState, id: i64) -> Result<bool, IpcError> {
    Ok(state.host().await?.let_sleep(ServerId(id))?)
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

pub(super) async fn install_offer(state: &AppState, id: i64) -> Result<Option<InstallOffer>, IpcError> {
    Ok(state.host().await?.install_offer(ServerId(id)).await?)
}

pub(super) async fn install_program(
    state: &AppState,
    sink: Sink<String>,
    id: i64,
    call_id: String,
    line: Vec<String>,
) -> Result<InstallOutcome, IpcError> {
    let host = state.host().await?;
    let running = register(state, call_id)?;
    let (output, mut printed) = watch::channel(String::new());
    let forward = async {
        while printed.changed().await.is_ok() {
            let text = printed.borrow_and_update().clone();
            if !sink(text) {
                break;
            }
            sleep(OUTPUT_INTERVAL).await;
        }
        pending().await
    };
    let outcome = tokio::select! {
        outcome = host.install(ServerId(id), &line, &output, running.cancelled()) => outcome?,
        never = forward => never,
    };
    // If the page is gone, it needs no output.
    let _gone = sink(output.borrow().clone());
    Ok(outcome)
}

pub(super) async fn check_command(
    state: &AppState,
    command: String,
    path: Option<String>,
) -> Result<CommandCheck, IpcError> {
    Ok(state.host().await?.check_command(&command, path.as_deref()).await)
}

pub(super) async fn check_import(
    state: &AppState,
    text: String,
    values: Vec<ImportValue>,
) -> Result<ImportPreview, IpcError> {
    Ok(state.host().await?.check_import(&text).await.with_values(&values).into())
}

pub(super) async fn import_servers(
    state: &AppState,
    text: String,
    names: Vec<String>,
    values: Vec<ImportValue>,
) -> Result<Vec<ServerView>, IpcError> {
    let added = state.host().await?.import(&text, &names, &values).await?;
    Ok(added.into_iter().map(Into::into).collect())
}
