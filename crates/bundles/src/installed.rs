//! Unpacked bundles: which there are, and their removal.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use mooring_words::{io_error_sentence, say};

use crate::error::{BundleError, BundleErrorCode};
use crate::limits::Limits;
use crate::manifest::BundleManifest;
use crate::names::UNFINISHED;

/// An unpacked version of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledBundle {
    folder: PathBuf,
}

impl InstalledBundle {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The folder with the bundle's files. Its parent has all versions of the bundle.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The first 12 digits of the SHA-256 of the file that it came from.
    pub fn digest_start(&self) -> &str {
        let name = self.folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.rsplit('-').next().unwrap_or_default()
    }

    /// Reads the manifest in the folder. The server could have changed it.
    pub fn read_manifest(&self) -> Result<BundleManifest, BundleError> {
        let most = Limits::DEFAULT.manifest_bytes;
        let mut bytes = Vec::new();
        let read = fs::File::open(self.folder.join("manifest.json"))
            .and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
        read.map_err(|error| BundleError::unreadable_file(&error))?;
        if bytes.len() as u64 > most {
            let name = "manifest.json";
            return Err(BundleError::too_large(say!("“{name}” in the bundle is too large", name)));
        }
        BundleManifest::read(&bytes)
    }

    /// Removes the folder with everything in it, and the bundle's folder if no other version is left. A folder that is
    /// gone is no error.
    pub fn remove(&self) -> Result<(), BundleError> {
        let not_removed = |error: io::Error| {
            let error = io_error_sentence(&error);
            let sentence = say!("the bundle’s folder can’t be removed: {error}", error);
            BundleError::new(BundleErrorCode::NotWritten, sentence)
        };
        let Some(parent) = self.folder.parent() else { return Ok(()) };
        if fs::symlink_metadata(&self.folder).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Ok(());
        }
        // Under another name first, so that no half of it is taken for the whole.
        let leaving = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(parent).map_err(not_removed)?;
        fs::rename(&self.folder, leaving.path().join("bundle")).map_err(not_removed)?;
        leaving.close().map_err(not_removed)?;
        // Only succeeds if no other version is in it.
        drop(fs::remove_dir(parent));
        Ok(())
    }
}

/// The versions of bundles that were unpacked to a folder, by name. Nothing if there is no such folder.
pub fn find_installed(dir: &Path) -> Result<Vec<InstalledBundle>, BundleError> {
    let unreadable = |error: io::Error| BundleError::unreadable_file(&error);
    let mut found = Vec::new();
    for bundle in list_folders(dir).map_err(unreadable)? {
        found.extend(list_folders(&bundle).map_err(unreadable)?.into_iter().map(InstalledBundle::new));
    }
    Ok(found)
}

/// The folders in a folder in order, without links and unfinished ones.
pub(crate) fn list_folders(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut folders = Vec::new();
    for entry in entries {
        let entry = entry?;
        let is_hidden = entry.file_name().to_str().is_none_or(|name| name.starts_with('.'));
        if !is_hidden && entry.file_type()?.is_dir() {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}
