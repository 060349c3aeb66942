//! Who may change the folder of all unpacked bundles: several processes at once that unpack bundles, or a single one
//! that removes what is left over.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::BundleError;
use crate::installed::{InstalledBundle, find_installed, list_folders};
use crate::names::UNFINISHED;

/// The file that is locked.
const LOCK: &str = ".lock";

/// Keeps others from removing what is unpacked, until it is dropped. It has to be kept until the bundle's server is
/// saved, because a folder without a server counts as left over.
#[derive(Debug)]
pub struct InstallLock {
    _file: File,
}

impl InstallLock {
    /// Waits while another process removes what is left over. Creates the folder.
    pub fn acquire(dir: &Path) -> Result<Self, BundleError> {
        let not_written = |error: io::Error| BundleError::not_written(&error);
        fs::create_dir_all(dir).map_err(not_written)?;
        let file = open_lock(dir).map_err(not_written)?;
        file.lock_shared().map_err(not_written)?;
        Ok(Self { _file: file })
    }
}

/// Keeps others from unpacking bundles, until it is dropped.
#[derive(Debug)]
pub struct CleaningLock {
    dir: PathBuf,
    _file: File,
}

impl CleaningLock {
    /// `None` if there is no such folder, or if a process is unpacking a bundle.
    pub fn try_acquire(dir: &Path) -> Result<Option<Self>, BundleError> {
        let not_written = |error: io::Error| BundleError::not_written(&error);
        if !dir.is_dir() {
            return Ok(None);
        }
        let file = open_lock(dir).map_err(not_written)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { dir: dir.to_owned(), _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(not_written(error)),
        }
    }

    /// Removes the unpacked bundles that `is_used` denies, and what a process that was ended has left.
    pub fn remove_unused(&self, is_used: impl Fn(&InstalledBundle) -> bool) -> Result<(), BundleError> {
        let not_written = |error: io::Error| BundleError::not_written(&error);
        for bundle in list_folders(&self.dir).map_err(not_written)? {
            for entry in fs::read_dir(&bundle).map_err(not_written)? {
                let entry = entry.map_err(not_written)?;
                if entry.file_name().to_str().is_some_and(|name| name.starts_with(UNFINISHED)) {
                    fs::remove_dir_all(entry.path()).map_err(not_written)?;
                }
            }
            // Only succeeds if no version is in it.
            drop(fs::remove_dir(&bundle));
        }
        for installed in find_installed(&self.dir)?.into_iter().filter(|installed| !is_used(installed)) {
            installed.remove()?;
        }
        Ok(())
    }
}

fn open_lock(dir: &Path) -> io::Result<File> {
    File::options().create(true).truncate(false).write(true).open(dir.join(LOCK))
}
