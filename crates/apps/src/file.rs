//! Reads an app's file, and replaces it as a whole if it is unchanged. Makes a backup next to the file, keeps
//! its mode and owner, and follows symbolic links.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use chrono::DateTime;
use mooring_base::clock::now_ms;
use mooring_base::digest::sha256;
use mooring_words::{Sentence, io_error_sentence, say};
use similar::{ChangeTag, TextDiff};
use tempfile::NamedTempFile;

use crate::document::Document;
use crate::entry::{hide_keys, hide_values};
use crate::error::Error;
use crate::format::{Format, ServersPath};
use crate::refusal::changed_meanwhile;

/// The largest file that is read, in bytes. Claude Code's file includes the history of its projects. Files of
/// up to 101 MB were reported.
pub(crate) const MAX_BYTES: u64 = 256 << 20;
/// How many symbolic links are followed, one after the other.
const MAX_LINKS: usize = 32;
/// How many backups of one file are made in one second.
const MAX_BACKUPS: usize = 1000;

/// A file's text and its SHA-256.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ReadText {
    pub(crate) text: String,
    pub(crate) hash: String,
}

/// Follows symbolic links. The file at their end need not exist.
pub(crate) fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = without_dots(&target.parent().unwrap_or(Path::new("")).join(next)),
            // The path is not a link, or does not exist.
            Err(error) if [ErrorKind::InvalidInput, ErrorKind::NotFound].contains(&error.kind()) => {
                return Ok(target);
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The path of a file with all symbolic links resolved.
fn resolve_path(path: &Path) -> PathBuf {
    follow_links(path).map_or_else(|_| path.to_owned(), |target| without_dots(&target))
}

/// A path without `..` and links, if its folder exists.
fn without_dots(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    folder.zip(path.file_name()).map_or_else(|| path.to_owned(), |(folder, name)| folder.join(name))
}

/// The folder of the Git repository that contains a file, after following symbolic links. Everyone with a
/// copy of the repository also has the file. A repository outside of its working tree, such as one of yadm,
/// is not found.
pub(crate) fn find_repository(path: &Path) -> Option<PathBuf> {
    let target = follow_links(path).ok()?;
    let folder = target.ancestors().skip(1).find_map(|folder| folder.canonicalize().ok())?;
    folder.ancestors().find(|folder| is_repository(folder)).map(ToOwned::to_owned)
}

/// Whether Git treats a folder as a working tree: `.git` is the repository itself, or a file with its path.
fn is_repository(folder: &Path) -> bool {
    let git = folder.join(".git");
    git.join("HEAD").symlink_metadata().is_ok() || git.is_file()
}

fn unreadable_error(error: &io::Error) -> Error {
    Error::Unreadable(say!("the file can’t be read: {why}", why = io_error_sentence(error)))
}

fn not_written_error(error: &io::Error) -> Error {
    Error::NotWritten(say!("the file can’t be written: {why}", why = io_error_sentence(error)))
}

/// A file's text. `None` if there is no file.
pub(crate) fn read_text(path: &Path) -> Result<Option<ReadText>, Error> {
    let Some((file, metadata)) = open_file(path)? else { return Ok(None) };
    let too_large =
        || Error::Unreadable(say!("the file is larger than {limit} MiB", limit = MAX_BYTES >> 20));
    if metadata.len() > MAX_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| unreadable_error(&error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large());
    }
    let text = String::from_utf8(bytes).map_err(|_| Error::Unreadable(say!("the file isn’t UTF-8 text")))?;
    Ok(Some(ReadText { hash: sha256(&text), text }))
}

fn open_file(path: &Path) -> Result<Option<(File, Metadata)>, Error> {
    let target = follow_links(path).map_err(|error| unreadable_error(&error))?;
    // Checked before the file is opened, because opening a pipe would wait for its other end.
    let metadata = match fs::metadata(&target) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable_error(&error)),
    };
    if !metadata.is_file() {
        return Err(Error::Unreadable(say!("it isn’t a regular file")));
    }
    let file = File::open(&target).map_err(|error| unreadable_error(&error))?;
    Ok(Some((file, metadata)))
}

/// An edit of a file: the text that was read, and the new text.
#[derive(Clone)]
pub(crate) struct FileEdit {
    pub(crate) file: PathBuf,
    /// The format of the file, and where the servers are.
    pub(crate) format: Format,
    pub(crate) path: ServersPath,
    /// The old text. `None` if there was no file.
    pub(crate) before: Option<ReadText>,
    /// The new text. `None` removes the file.
    pub(crate) after: Option<String>,
}

/// Leaves out the texts, because they may contain secrets of the app.
impl fmt::Debug for FileEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileEdit").field("file", &self.file).finish_non_exhaustive()
    }
}

/// Files and folders that were created when an edit was written.
pub(crate) struct WrittenFile {
    /// A backup of the file.
    pub(crate) backup: Option<PathBuf>,
    /// Folders that were created, the outermost first.
    pub(crate) folders: Vec<PathBuf>,
}

impl FileEdit {
    fn texts(&self) -> (&str, &str) {
        (self.before.as_ref().map_or("", |read| &read.text), self.after.as_deref().unwrap_or_default())
    }

    /// A unified diff of lines. Hides keys, and the values of servers' variables and headers.
    pub(crate) fn diff(&self) -> String {
        let (before, after) = self.texts();
        let mut name = self.file.display().to_string();
        let place = resolve_path(&self.file);
        if place != self.file {
            name = format!("{name} -> {}", place.display());
        }
        let diff = TextDiff::from_lines(before, after);
        let diff = hide_keys(&diff.unified_diff().context_radius(3).to_string());
        let documents = [before, after].into_iter().filter_map(|text| Document::read(self.format, text).ok());
        let lines =
            documents.fold(diff, |diff, document| hide_values(&diff, &document.value().servers(&self.path)));
        if lines.is_empty() { lines } else { format!("--- {name}\n+++ {name}\n{lines}") }
    }

    /// A SHA-256 that identifies the file's path, the section, the text that was read, and the new text.
    pub(crate) fn fingerprint(&self) -> String {
        let before = self.before.as_ref().map(|read| &read.hash);
        let after = self.after.as_deref().map(sha256);
        let place = resolve_path(&self.file);
        sha256(&format!("{}\n{}\n{before:?}\n{after:?}", self.file.display(), place.display()))
    }

    /// The lines that the edit adds.
    pub(crate) fn added_lines(&self) -> String {
        let (before, after) = self.texts();
        let diff = TextDiff::from_lines(before, after);
        diff.iter_all_changes()
            .filter(|change| change.tag() == ChangeTag::Insert)
            .map(|change| change.value())
            .collect()
    }

    /// The edit that undoes this one.
    pub(crate) fn reverse(&self) -> Self {
        let before = self.after.as_ref().map(|text| ReadText { hash: sha256(text), text: text.clone() });
        Self { before, after: self.before.as_ref().map(|read| read.text.clone()), ..self.clone() }
    }

    /// Writes or removes the file, unless it has changed since it was read.
    pub(crate) fn write(&self, with_backup: bool) -> Result<WrittenFile, Error> {
        self.check_unchanged()?;
        let target = follow_links(&self.file).map_err(|error| not_written_error(&error))?;
        let Some(text) = &self.after else {
            fs::remove_file(&target).map_err(|error| not_written_error(&error))?;
            return Ok(WrittenFile { backup: None, folders: Vec::new() });
        };
        let folder =
            target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut written = WrittenFile { backup: None, folders: missing_folders(folder) };
        let result = self.write_text(&target, folder, text, with_backup, &mut written);
        if result.is_err() {
            // Nothing was changed, so the backup isn't needed.
            written.backup.iter().for_each(|backup| drop(fs::remove_file(backup)));
            remove_empty_folders(&written.folders);
        }
        result.map(|()| written)
    }

    fn write_text(
        &self,
        target: &Path,
        folder: &Path,
        text: &str,
        with_backup: bool,
        written: &mut WrittenFile,
    ) -> Result<(), Error> {
        let failed = |error: io::Error| not_written_error(&error);
        fs::create_dir_all(folder).map_err(failed)?;
        check_writable(target, folder)?;
        if let Some(before) = self.before.as_ref().filter(|_| with_backup) {
            written.backup = Some(write_backup(target, &before.text).map_err(failed)?);
        }
        let mut temporary =
            tempfile::Builder::new().prefix(".mooring-").tempfile_in(folder).map_err(failed)?;
        temporary.write_all(text.as_bytes()).map_err(failed)?;
        if self.before.is_some() {
            copy_owner_and_mode(target, temporary.as_file()).map_err(failed)?;
        }
        temporary.as_file().sync_all().map_err(failed)?;
        self.check_unchanged()?;
        self.replace_file(temporary, target)?;
        sync_folder(folder);
        Ok(())
    }

    fn replace_file(&self, temporary: NamedTempFile, target: &Path) -> Result<(), Error> {
        let result = match self.before {
            Some(_) => temporary.persist(target),
            None => temporary.persist_noclobber(target),
        };
        match result {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {
                Err(Error::Changed(changed_meanwhile()))
            }
            Err(error) => Err(not_written_error(&error.error)),
        }
    }

    fn check_unchanged(&self) -> Result<(), Error> {
        let now = read_text(&self.file)?.map(|read| read.hash);
        let planned = self.before.as_ref().map(|read| &read.hash);
        if now.as_ref() == planned { Ok(()) } else { Err(Error::Changed(changed_meanwhile())) }
    }
}

/// The parent folders of a path that do not exist, the outermost first.
fn missing_folders(folder: &Path) -> Vec<PathBuf> {
    let missing = folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    let mut missing: Vec<_> = missing.map(ToOwned::to_owned).collect();
    missing.reverse();
    missing
}

/// Removes folders that were created, if they are empty.
pub(crate) fn remove_empty_folders(folders: &[PathBuf]) {
    folders.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
}

/// Refuses a read-only file: its owner made it read-only, and the new file would not be.
fn check_writable(target: &Path, folder: &Path) -> Result<(), Error> {
    let is_read_only =
        |path: &Path| fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly());
    let why: Option<Sentence> = if is_read_only(target) {
        Some(say!("the file is read-only"))
    } else if cfg!(unix) && is_read_only(folder) {
        Some(say!("its folder is read-only"))
    } else {
        None
    };
    why.map_or(Ok(()), |why| Err(Error::NotWritten(why)))
}

/// Writes a copy next to the file. Only its owner can read it, because it may contain secrets of the app.
fn write_backup(target: &Path, text: &str) -> io::Result<PathBuf> {
    let date = DateTime::from_timestamp_millis(now_ms()).unwrap_or_default().format("%Y-%m-%dT%H%M%SZ");
    for attempt in 1..MAX_BACKUPS {
        let number = if attempt == 1 { String::new() } else { format!("-{attempt}") };
        let mut name = target.file_name().map(OsString::from).unwrap_or_default();
        name.push(format!(".mooring-{date}{number}.bak"));
        let path = target.with_file_name(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&path) {
            Ok(mut file) => {
                let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
                if written.is_err() {
                    drop(fs::remove_file(&path));
                }
                return written.map(|()| path);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Whether a backup of the file would have this path.
pub(crate) fn is_backup_of(backup: &Path, file: &Path) -> bool {
    let Ok(target) = follow_links(file) else { return false };
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let Some((backup_name, name)) = name(backup).zip(name(&target)) else { return false };
    let is_named = backup_name.strip_prefix(&name).is_some_and(|rest| rest.starts_with(".mooring-"));
    is_named
        && backup.extension().is_some_and(|extension| extension == "bak")
        && backup.parent() == target.parent()
}

/// Gives the new file the mode of the old one, and its owner if the system allows that.
#[cfg(unix)]
fn copy_owner_and_mode(from: &Path, to: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let (old, new) = (fs::metadata(from)?, to.metadata()?);
    if (old.uid(), old.gid()) != (new.uid(), new.gid())
        && fchown(to, Some(old.uid()), Some(old.gid())).is_err()
    {
        drop(fchown(to, None, Some(old.gid())));
    }
    to.set_permissions(fs::Permissions::from_mode(old.mode() & 0o7777))
}

#[cfg(not(unix))]
fn copy_owner_and_mode(from: &Path, to: &File) -> io::Result<()> {
    to.set_permissions(fs::metadata(from)?.permissions())
}

/// Makes the renaming in a folder durable. The file itself is already written, so an error is ignored.
fn sync_folder(folder: &Path) {
    #[cfg(unix)]
    drop(File::open(folder).and_then(|folder| folder.sync_all()));
    #[cfg(not(unix))]
    let _ = folder;
}
