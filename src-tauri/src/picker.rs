//! The system's dialogs for choosing a folder or a file. The person chooses, and the page only gets the
//! path.

use std::path::PathBuf;

use crate::opened::BUNDLE_EXTENSIONS;

/// Asks for a folder. Returns `None` if the person cancels.
pub(crate) async fn pick_folder() -> Option<PathBuf> {
    let chosen = rfd::AsyncFileDialog::new().pick_folder().await?;
    Some(chosen.path().to_owned())
}

/// Asks for a bundle's file. Returns `None` if the person cancels.
pub(crate) async fn pick_bundle() -> Option<PathBuf> {
    let dialog = rfd::AsyncFileDialog::new().add_filter("MCPB", &BUNDLE_EXTENSIONS);
    Some(dialog.pick_file().await?.path().to_owned())
}

/// Asks for a file. Returns `None` if the person cancels.
pub(crate) async fn pick_file() -> Option<PathBuf> {
    Some(rfd::AsyncFileDialog::new().pick_file().await?.path().to_owned())
}

/// Asks where to save a file, and whether to replace an existing one. Returns `None` if the person cancels.
pub(crate) async fn pick_new_file(name: &str) -> Option<PathBuf> {
    let chosen = rfd::AsyncFileDialog::new().set_file_name(name).save_file().await?;
    Some(chosen.path().to_owned())
}
