//! Servers from bundles: read, added, and brought back to an earlier version.

use std::future::pending;
use std::path::Path;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_bundle_setup::{BundleChoice, BundleReview, ServerBundleView};
use mooring_definitions::import::ImportValue;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::commands::tools::register;
use crate::dto::{BundleAdded, BundleProgress, IpcError, ServerView};
use crate::picker;
use crate::sink::Sink;
use crate::state::AppState;

/// The shortest time between two updates of the progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

pub(super) async fn pick_bundle(state: &AppState) -> Result<Option<String>, IpcError> {
    state.host().await?;
    Ok(picker::pick_bundle().await.map(|path| path.to_string_lossy().into_owned()))
}

pub(super) async fn pick_file(state: &AppState) -> Result<Option<String>, IpcError> {
    state.host().await?;
    Ok(picker::pick_file().await.map(|path| path.to_string_lossy().into_owned()))
}

pub(super) async fn read_bundle(
    state: &AppState,
    path: String,
    choice: BundleChoice,
    values: Vec<ImportValue>,
) -> Result<BundleReview, IpcError> {
    Ok(state.host().await?.read_bundle(Path::new(&path), &choice, &values).await?)
}

pub(super) async fn add_bundle(
    state: &AppState,
    sink: Sink<BundleProgress>,
    call_id: String,
    path: String,
    sha256: String,
    choice: BundleChoice,
    values: Vec<ImportValue>,
) -> Result<Option<BundleAdded>, IpcError> {
    let host = state.host().await?;
    let running = register(state, call_id)?;
    let (sender, mut progress) = watch::channel(None);
    let forward = async {
        while progress.changed().await.is_ok() {
            let now = *progress.borrow_and_update();
            if now.is_some_and(|now| !sink(BundleProgress::from(now))) {
                break;
            }
            sleep(PROGRESS_INTERVAL).await;
        }
        pending().await
    };
    let adding = host.add_bundle(Path::new(&path), &sha256, choice, &values, move |now| {
        sender.send_replace(Some(now));
    });
    tokio::select! {
        added = adding => Ok(Some(added?.into())),
        () = running.cancelled() => Ok(None),
        never = forward => never,
    }
}

pub(super) async fn server_bundle(state: &AppState, id: i64) -> Result<Option<ServerBundleView>, IpcError> {
    Ok(state.host().await?.server_bundle(ServerId(id)).await?)
}

pub(super) async fn roll_back_bundle(
    state: &AppState,
    id: i64,
    hash: String,
) -> Result<ServerView, IpcError> {
    Ok(state.host().await?.roll_back_bundle(ServerId(id), &hash).await?.into())
}
