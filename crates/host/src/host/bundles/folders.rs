//! Removes the folders of bundles that no server needs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mooring_bundles::{CleaningLock, InstalledBundle};
use mooring_definitions::{NewServer, SavedServer};
use mooring_errors::HostError;
use mooring_store::Store;

use super::run_blocking;

/// Removes the folders of bundles that no server has in its record or its definition, and what processes have left
/// that were ended.
pub(in crate::host) async fn clean_folders(store: &Store, dir: &Path) -> Result<(), HostError> {
    let owned = dir.to_owned();
    let Some(lock) = run_blocking(move || CleaningLock::try_acquire(&owned)).await?? else { return Ok(()) };
    let rows = store.server_bundles().list().await?;
    let used: BTreeSet<PathBuf> = rows.iter().map(|row| dir.join(&row.folder)).collect();
    let rows = store.servers().list_with_removed().await?;
    let saved: Vec<SavedServer> = rows.into_iter().map(SavedServer::from).collect();
    let is_used = move |installed: &InstalledBundle| {
        let folder = installed.folder();
        used.contains(folder) || saved.iter().any(|server| names_folder(&server.config, folder))
    };
    Ok(run_blocking(move || lock.remove_unused(is_used)).await??)
}

/// Removes what [`clean_folders`] does. What can't be removed now is tried again later.
pub(in crate::host) async fn clean_in_background(store: Store, dir: PathBuf) {
    if let Err(error) = clean_folders(&store, &dir).await {
        tracing::warn!(%error, "bundles that are no longer used could not be removed");
    }
}

/// Whether a server's definition has the path of a folder.
fn names_folder(server: &NewServer, folder: &Path) -> bool {
    let folder = folder.display().to_string();
    let texts = server.command.iter().chain(&server.args).chain(&server.cwd).chain(server.env.values());
    texts.into_iter().any(|text| text.contains(&folder))
}
