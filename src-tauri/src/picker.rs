//! The system's dialogs for choosing a folder or a new file. The person chooses, and the page only gets the
//! path.

use std::path::PathBuf;

/// Asks for a folder. Returns `None` if the person cancels.
pub(crate) async fn pick_folder() -> Option<PathBuf> {
    let chosen = rfd::AsyncFileDialog::new().pick_folder().await?;
    Some(chosen.path().to_owned())
}

/// Asks where to save a file, and whether to replace an existing one. Returns `None` if the person cancels.
pub(crate) async fn pick_new_file(name: &str) -> Option<PathBuf> {
    let chosen = rfd::AsyncFileDialog::new().set_file_name(name).save_file().await?;
    Some(chosen.path().to_owned())
}
