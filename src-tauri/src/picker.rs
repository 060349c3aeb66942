//! The system's dialog for choosing a folder. It is the person who chooses: the page only learns of the path.

use std::path::PathBuf;

/// Asks for one folder; nothing: the person gave up.
pub(crate) async fn pick_folder() -> Option<PathBuf> {
    let chosen = rfd::AsyncFileDialog::new().pick_folder().await?;
    Some(chosen.path().to_owned())
}
