//! Showing a folder in the desktop's file manager.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a folder could not be shown.
#[derive(Debug, Error)]
pub enum OpenError {
    /// There is no such folder.
    #[error("there is no folder at this path: {}", path.display())]
    NotAFolder {
        /// What was asked for.
        path: PathBuf,
    },
    /// The desktop has no program for it, or starting that program failed.
    #[error("the file manager could not be started for {}: {source}", path.display())]
    Desktop {
        /// What was asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Opens the folder `path` in the desktop's file manager, without waiting for it.
pub fn reveal_folder(path: &Path) -> Result<(), OpenError> {
    if !path.is_absolute() || !path.is_dir() {
        return Err(OpenError::NotAFolder { path: path.into() });
    }
    open::that_detached(path).map_err(|source| OpenError::Desktop { path: path.into(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_absolute_existing_folder_is_opened() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        std::fs::write(&file, "").unwrap();
        for path in [&file, &home.path().join("missing"), Path::new(".")] {
            assert!(matches!(reveal_folder(path), Err(OpenError::NotAFolder { .. })));
        }
    }
}
