//! The system's dialogs for choosing a folder or a new file. It is the person who chooses: the page only learns of the
//! path.

use std::path::PathBuf;

/// Asks for one folder; nothing: the person gave up.
pub(crate) async fn pick_folder() -> Option<PathBuf> {
    let chosen = rfd::AsyncFileDialog::new().pick_folder().await?;
    Some(chosen.path().to_owned())
}

/// Asks where to save a file, and whether it may replace one that is there; nothing: the person gave up.
pub(crate) async fn pick_new_file(name: &str) -> Option<PathBuf> {
    let chosen = rfd::AsyncFileDialog::new().set_file_name(name).save_file().await?;
    Some(chosen.path().to_owned())
}
