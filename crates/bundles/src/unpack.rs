//! Unpacks a bundle to a folder of its own.
//!
//! Files are written to a folder beside the final one, which is renamed once everything is there. The names were
//! checked when the bundle was opened, and every file is created new, so that nothing outside is written or followed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use mooring_words::say;

use crate::archive::{ArchiveEntry, unreadable_entry};
use crate::bundle::Bundle;
use crate::error::BundleError;
use crate::installed::InstalledBundle;
use crate::manifest::BundleKind;
use crate::names::{UNFINISHED, folder_name};
use crate::system::TargetSystem;

/// How many digits of the SHA-256 are in a folder's name.
const DIGEST_DIGITS: usize = 12;
const CHUNK_BYTES: usize = 64 * 1024;
/// With more files than this, writing them all to the disk at once is faster than one by one.
#[cfg(target_os = "linux")]
const MAX_SINGLE_SYNCS: u64 = 500;

/// How far the unpacking of a bundle is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnpackProgress {
    /// How many files and folders are there.
    pub done: u64,
    /// How many there will be.
    pub total: u64,
}

/// Is called for each file and each part of a large one. It can end the unpacking.
pub type OnUnpackProgress<'a> = dyn FnMut(UnpackProgress) -> ControlFlow<()> + 'a;

/// The unpacking of a bundle.
pub(crate) struct Unpacking<'a, 'b> {
    /// How many bytes may still be written.
    budget: u64,
    progress: UnpackProgress,
    on_progress: &'a mut OnUnpackProgress<'b>,
    /// Whether each file is written to the disk by itself.
    syncs_each: bool,
}

impl Bundle {
    /// The folder below `dir` that the bundle is unpacked to: `<name>/<version>-<first 12 digits of its SHA-256>`,
    /// with safe names.
    pub fn folder_in(&self, dir: &Path) -> PathBuf {
        let digest: String = self.sha256().chars().take(DIGEST_DIGITS).collect();
        let version = folder_name(&self.manifest().version);
        dir.join(folder_name(&self.manifest().name)).join(format!("{version}-{digest}"))
    }

    /// Unpacks the bundle to its folder below `dir`. Does nothing if that folder is there: it is only ever complete,
    /// also after a loss of power. After an error, or if `on_progress` ends the unpacking, nothing is left.
    ///
    /// Limits: 1 GiB, and 200 times the file's size or 64 MiB, whichever is more. Both are counted while the files are
    /// written. On Unix, files can be executed if they are the program that starts the server, or if the bundle is of
    /// the kind `binary` and says that they are programs: those start each other, while Node.js and Python only read
    /// the files of the other kinds.
    pub fn unpack(
        &self,
        dir: &Path,
        on_progress: &mut OnUnpackProgress<'_>,
    ) -> Result<InstalledBundle, BundleError> {
        let not_written = |error: io::Error| BundleError::not_written(&error);
        let target = self.folder_in(dir);
        if is_folder(&target) {
            return Ok(InstalledBundle::new(target));
        }
        let parent = target.parent().unwrap_or(dir);
        fs::create_dir_all(parent).map_err(not_written)?;
        let unpacked = self.unpack_beside(parent, &target, on_progress);
        if unpacked.is_err() {
            // Only succeeds if no other version is in it.
            drop(fs::remove_dir(parent));
        }
        unpacked
    }

    fn unpack_beside(
        &self,
        parent: &Path,
        target: &Path,
        on_progress: &mut OnUnpackProgress<'_>,
    ) -> Result<InstalledBundle, BundleError> {
        let not_written = |error: io::Error| BundleError::not_written(&error);
        if !is_folder(parent) {
            return Err(BundleError::not_written(&io::ErrorKind::NotADirectory.into()));
        }
        // Removed when it is dropped, unless it was renamed.
        let folder = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(parent).map_err(not_written)?;
        let total = self.archive.entries().len() as u64;
        let mut unpacking = Unpacking::new(self.limits.budget(self.file_bytes), total, on_progress);
        for entry in self.archive.entries() {
            let path = join_path(folder.path(), &entry.path);
            if entry.is_folder {
                fs::create_dir_all(&path).map_err(not_written)?;
            } else {
                self.unpack_file(entry, &path, &mut unpacking)?;
            }
            unpacking.progress.done += 1;
            unpacking.report()?;
        }
        self.mark_programs(folder.path()).map_err(not_written)?;
        if !self.is_unchanged()? {
            return Err(BundleError::changed());
        }
        if !unpacking.syncs_each {
            sync_all_files(folder.path()).map_err(not_written)?;
        }
        match fs::rename(folder.path(), target) {
            Ok(()) => {}
            // Another process was faster, with the content of this file.
            Err(_) if is_folder(target) => return Ok(InstalledBundle::new(target.to_owned())),
            Err(error) => return Err(not_written(error)),
        }
        // There is nothing at its path any more.
        drop(folder.keep());
        sync_folder(parent);
        Ok(InstalledBundle::new(target.to_owned()))
    }

    fn unpack_file(
        &self,
        entry: &ArchiveEntry,
        path: &Path,
        unpacking: &mut Unpacking<'_, '_>,
    ) -> Result<(), BundleError> {
        let not_written = |error: io::Error| BundleError::not_written(&error);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(not_written)?;
        }
        let mut content = self.archive.open(entry)?;
        let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(not_written)?;
        unpacking.copy(&mut content, &mut file)?;
        if unpacking.syncs_each {
            file.sync_all().map_err(not_written)?;
        }
        Ok(())
    }

    /// Makes programs of the files that have to be.
    fn mark_programs(&self, folder: &Path) -> io::Result<()> {
        let server = &self.manifest().server;
        let config = server.launch_config(TargetSystem::THIS);
        let command = config.as_ref().and_then(|config| path_in_bundle(&config.command));
        let is_binary = server.kind == BundleKind::Binary;
        let entry_point = Some(&*server.entry_point).filter(|_| is_binary).and_then(path_in_bundle);
        for entry in self.archive.entries().iter().filter(|entry| !entry.is_folder) {
            let is_started = [command, entry_point].contains(&Some(&*entry.path));
            if is_started || (is_binary && entry.is_executable) {
                make_executable(&join_path(folder, &entry.path))?;
            }
        }
        Ok(())
    }
}

/// Lets everyone run a file who can read it.
#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path)?.permissions().mode();
    fs::set_permissions(path, fs::Permissions::from_mode(mode | ((mode & 0o444) >> 2)))
}

/// Other systems go by a file's name.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The path in the bundle that a command or an entry point names.
fn path_in_bundle(command: &str) -> Option<&str> {
    let folder =
        ["${__dirname}/", "${__dirname}${/}", "./"].iter().find_map(|start| command.strip_prefix(start));
    Some(folder.unwrap_or(command)).filter(|path| !path.starts_with('/'))
}

impl<'a, 'b> Unpacking<'a, 'b> {
    pub(crate) fn new(budget: u64, total: u64, on_progress: &'a mut OnUnpackProgress<'b>) -> Self {
        let progress = UnpackProgress { done: 0, total };
        Self { budget, progress, on_progress, syncs_each: syncs_each(total) }
    }

    /// Copies the content of a file as long as the budget lasts.
    pub(crate) fn copy(&mut self, content: &mut dyn Read, file: &mut dyn Write) -> Result<(), BundleError> {
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut is_first = true;
        loop {
            let read = match content.read(&mut chunk) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(unreadable_entry(&error)),
            };
            self.budget = self.budget.checked_sub(read as u64).ok_or_else(|| {
                BundleError::too_large(say!(
                    "the bundle’s files are larger than its size allows; it may be a zip bomb"
                ))
            })?;
            let written = file.write_all(chunk.get(..read).unwrap_or_default());
            written.map_err(|error| BundleError::not_written(&error))?;
            if !is_first {
                self.report()?;
            }
            is_first = false;
        }
    }

    fn report(&mut self) -> Result<(), BundleError> {
        match (self.on_progress)(self.progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(BundleError::cancelled()),
        }
    }
}

/// Whether each file is written to the disk by itself.
#[cfg(target_os = "linux")]
fn syncs_each(files: u64) -> bool {
    files <= MAX_SINGLE_SYNCS
}

/// Other systems can't write a whole file system to the disk and wait for that.
#[cfg(not(target_os = "linux"))]
fn syncs_each(_: u64) -> bool {
    true
}

/// Writes to the disk what was written to the file system of a folder.
#[cfg(target_os = "linux")]
fn sync_all_files(folder: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(folder)?)?)
}

/// Each file was written by itself.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Linux")]
fn sync_all_files(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Writes the names in a folder to the disk. Without it, a loss of power can only undo the unpacking as a whole, so a
/// system that can't do it for folders is no problem.
fn sync_folder(folder: &Path) {
    drop(File::open(folder).and_then(|folder| folder.sync_all()));
}

/// The path of an entry in a folder, with the system's separators.
fn join_path(folder: &Path, path: &str) -> PathBuf {
    let mut joined = folder.to_owned();
    joined.extend(path.split('/'));
    joined
}

/// Whether there is a folder, and not a link to one.
fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}
