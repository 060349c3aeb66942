//! The catalog of an MCP registry.

use std::future::pending;

use mooring_base::server_id::ServerId;
use mooring_definitions::NewServer;
use mooring_definitions::import::ImportValue;
use mooring_host::{
    CatalogEntryView, CatalogFoundView, CatalogServerView, CatalogSource, CatalogUpdateReview, ImportChoice,
};
use mooring_registry::{CatalogState, CatalogVersion, RefreshReason, SyncProgress};
use tokio::sync::watch;

use crate::commands::tools::register;
use crate::dto::{IpcError, ServerView};
use crate::sink::Sink;
use crate::state::AppState;

pub(super) async fn get_catalog(state: &AppState) -> Result<CatalogState, IpcError> {
    Ok(state.host().await?.catalog_state().await?)
}

pub(super) async fn refresh_catalog(
    state: &AppState,
    sink: Sink<SyncProgress>,
    opened: bool,
    call_id: String,
) -> Result<Option<CatalogState>, IpcError> {
    let host = state.host().await?;
    let running = register(state, call_id)?;
    let reason = if opened { RefreshReason::Opened } else { RefreshReason::Asked };
    let (sender, mut progress) = watch::channel(SyncProgress::default());
    let forward = async {
        while progress.changed().await.is_ok() {
            let now = *progress.borrow_and_update();
            if !sink(now) {
                break;
            }
        }
        pending().await
    };
    let on_progress = |now| {
        sender.send_replace(now);
    };
    tokio::select! {
        done = host.refresh_catalog(reason, &on_progress) => done?,
        () = running.cancelled() => return Ok(None),
        never = forward => never,
    };
    Ok(Some(host.catalog_state().await?))
}

pub(super) async fn search_catalog(
    state: &AppState,
    text: String,
    offset: u32,
    limit: u32,
) -> Result<CatalogFoundView, IpcError> {
    Ok(state.host().await?.search_catalog(&text, offset, limit).await?)
}

pub(super) async fn get_catalog_entry(
    state: &AppState,
    name: String,
    version: Option<String>,
) -> Result<CatalogEntryView, IpcError> {
    Ok(state.host().await?.catalog_entry(&name, version.as_deref()).await?)
}

pub(super) async fn list_catalog_versions(
    state: &AppState,
    name: String,
) -> Result<Vec<CatalogVersion>, IpcError> {
    Ok(state.host().await?.catalog_versions(&name).await?)
}

pub(super) async fn list_catalog_servers(state: &AppState) -> Result<Vec<CatalogServerView>, IpcError> {
    Ok(state.host().await?.catalog_servers().await?)
}

pub(super) async fn add_from_catalog(
    state: &AppState,
    source: CatalogSource,
    text: String,
    package: String,
    name: Option<String>,
    values: Vec<ImportValue>,
) -> Result<Vec<ServerView>, IpcError> {
    let names = [package];
    let choice =
        ImportChoice { names: &names, values: &values, new_name: name.as_deref(), ..ImportChoice::default() };
    let added = state.host().await?.add_from_catalog(&source, &text, choice).await?;
    Ok(added.into_iter().map(Into::into).collect())
}

pub(super) async fn review_catalog_update(
    state: &AppState,
    id: i64,
    version: Option<String>,
    values: Vec<ImportValue>,
) -> Result<CatalogUpdateReview, IpcError> {
    let host = state.host().await?;
    Ok(host.review_catalog_update(ServerId(id), version.as_deref(), &values).await?)
}

pub(super) async fn update_from_catalog(
    state: &AppState,
    id: i64,
    version: String,
    values: Vec<ImportValue>,
    shown: NewServer,
) -> Result<ServerView, IpcError> {
    let host = state.host().await?;
    Ok(host.update_from_catalog(ServerId(id), &version, &values, &shown).await?.into())
}
