//! Shows a folder in the desktop's file manager, and opens a URL in the browser.

use mooring_words::{Sentence, io_error_sentence, say};
use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a folder could not be shown.
#[derive(Debug)]
pub enum OpenError {
    /// The folder does not exist.
    NotAFolder {
        /// The requested folder.
        path: PathBuf,
    },
    /// The desktop has no program for folders, or starting that program failed.
    Desktop {
        /// The requested folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl OpenError {
    /// The error as a sentence for the person.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::NotAFolder { path } => {
                say!("there is no folder at this path: {path}", path = path.to_string_lossy())
            }
            Self::Desktop { path, source } => say!(
                "the file manager couldn’t be started for {path}: {reason}",
                path = path.to_string_lossy(),
                reason = io_error_sentence(source)
            ),
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl Error for OpenError {}

/// Opens the folder `path` in the desktop's file manager, without waiting for it.
pub fn reveal_folder(path: &Path) -> Result<(), OpenError> {
    if !path.is_absolute() || !path.is_dir() {
        return Err(OpenError::NotAFolder { path: path.into() });
    }
    open::that_detached(path).map_err(|source| OpenError::Desktop { path: path.into(), source })
}

/// How long to wait whether a program that may open a URL fails. A program that runs for longer is considered
/// to be the browser itself. `xdg-open` is a shell script that tries several programs, so it takes a while
/// until it finds that there is no browser.
#[cfg(not(windows))]
const TO_FAIL: std::time::Duration = std::time::Duration::from_secs(2);

/// Opens a URL in the person's browser. Blocks until this has failed or has probably worked, up to two
/// seconds for each program that is tried. The caller must have checked the URL, and that the person wants to
/// open it.
#[cfg(not(windows))]
pub fn open_address(address: &str) -> io::Result<()> {
    open::that_detached_with_timeout(address, TO_FAIL)
}

/// Opens a URL in the person's browser. The caller must have checked the URL, and that the person wants to
/// open it.
#[cfg(windows)]
pub fn open_address(address: &str) -> io::Result<()> {
    open::that_detached(address)
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
