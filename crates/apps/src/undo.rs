//! Disconnects an app: restores the old file if nothing else has changed it, or else removes our entry.

use std::fs;
use std::path::{Path, PathBuf};

use mooring_base::digest::sha256;
use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::entry::is_ours;
use crate::error::Error;
use crate::file::{FileEdit, ReadText, follow_links, is_backup_of, read_text, remove_empty_folders};
use crate::format::{Created, Format, Place, ServersPath};

/// The data needed to undo a change. The caller stores it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UndoRecord {
    /// The app's id.
    pub app: String,
    /// The file that was changed.
    pub file: PathBuf,
    /// The backup of the file. `None` if there was no file.
    pub backup: Option<PathBuf>,
    /// Folders that were created for the file, the outermost first.
    pub(crate) folders: Vec<PathBuf>,
    /// The SHA-256 of the file before the change. `None` if there was no file.
    pub before: Option<String>,
    /// The SHA-256 of the file after the change.
    pub after: String,
    /// What the change added.
    pub added: Added,
}

/// What a change added to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Added {
    /// The format of the file.
    pub(crate) format: Format,
    /// Where the file has the servers.
    pub(crate) path: ServersPath,
    /// The name of the entry.
    pub name: String,
    pub(crate) created: Created,
    /// Whether the change replaced an older entry of ours. If so, the backup also has an entry of ours.
    pub(crate) replaced: bool,
    /// The app's own servers that were removed.
    #[serde(default)]
    pub(crate) taken: Vec<Taken>,
}

/// An app's own servers that were removed from its file. Their definitions are only in a backup, because they
/// can contain secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Taken {
    /// The backup that contains the servers.
    pub(crate) backup: PathBuf,
    /// The backup's SHA-256.
    pub(crate) before: String,
    /// The names of the servers.
    pub(crate) names: Vec<String>,
}

/// How far a file was restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undone {
    /// The file is exactly as before. If there was none, there is none now.
    Restored,
    /// Our entry was removed and the app's own servers were restored, because something else had changed the
    /// file or its backup is gone.
    Removed,
    /// There was nothing to do, because our entry was already gone.
    AlreadyGone,
}

/// A plan to disconnect an app.
#[derive(Debug)]
pub struct Undo {
    edit: Option<FileEdit>,
    outcome: Undone,
    /// Backups to remove once the file is restored.
    backups: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    /// The names of the app's own servers that can't be restored, because their backup is gone.
    lost: Vec<String>,
}

impl UndoRecord {
    /// Plans how to undo the change. The record may be forged. In any case, only a file with our entry is
    /// changed, and it is only removed if it has no other content.
    pub fn plan(&self) -> Result<Undo, Error> {
        let Some(read) = read_text(&self.file)? else { return Ok(Undo::nothing()) };
        let document = Document::read(self.added.format, &read.text)?;
        let place = Place { path: &self.added.path, name: &self.added.name };
        let servers = document.value().servers(place.path);
        if !servers.iter().any(|(name, server)| *name == place.name && is_ours(server)) {
            let (after, lost) = self.restore_taken(read.text.clone())?;
            if after == read.text {
                return Ok(Undo { lost, ..Undo::nothing() });
            }
            return Ok(self.build_undo(read, Some(after), Undone::Removed, lost));
        }
        if read.hash == self.after
            && !self.added.replaced
            && let Some(before) = self.old_text()
        {
            return Ok(self.build_undo(read, Some(before), Undone::Restored, Vec::new()));
        }
        let (after, lost) = self.restore_taken(document.remove_entry(place, self.added.created)?)?;
        let made = crate::app(&self.app).map(|app| app.new_file().trim());
        let is_new_file = self.before.is_none() && (after.trim().is_empty() || Some(after.trim()) == made);
        let is_restored = self.before.as_ref().is_some_and(|before| sha256(&after) == *before) || is_new_file;
        let outcome = if is_restored { Undone::Restored } else { Undone::Removed };
        let after = (!is_new_file).then_some(after);
        Ok(self.build_undo(read, after, outcome, lost))
    }

    /// Restores removed servers from their backups. Returns the text, and the names of those that can't be
    /// restored. If a server with the same name exists again, it is not changed.
    fn restore_taken(&self, mut text: String) -> Result<(String, Vec<String>), Error> {
        let Added { format, path, taken, .. } = &self.added;
        let mut lost = Vec::new();
        for Taken { backup, before, names } in taken {
            let before = self.read_backup(backup, before);
            let before = before.as_ref().and_then(|text| Document::read(*format, text).ok());
            for name in names {
                let document = Document::read(*format, &text)?;
                if document.value().servers(path).iter().any(|(known, _)| known == name) {
                    continue;
                }
                let servers = before.as_ref().map(|before| before.value().servers(path)).unwrap_or_default();
                let server = servers.into_iter().find(|(known, _)| known == name).map(|(_, server)| server);
                match server.map(|server| document.insert_entry(Place { path, name }, server)) {
                    Some(Ok((with, _))) => text = with,
                    _ => lost.push(name.clone()),
                }
            }
        }
        Ok((text, lost))
    }

    /// The text of a backup, if it is a backup of this file and has this hash.
    fn read_backup(&self, backup: &Path, hash: &str) -> Option<String> {
        let read = is_backup_of(backup, &self.file).then(|| read_text(backup).ok().flatten()).flatten()?;
        (read.hash == hash).then_some(read.text)
    }

    /// All backups that the record names.
    pub(crate) fn backups(&self) -> Vec<PathBuf> {
        self.backup.iter().chain(self.added.taken.iter().map(|taken| &taken.backup)).cloned().collect()
    }

    /// The file's old text. `None` if it is no longer known.
    pub(crate) fn old_text(&self) -> Option<String> {
        self.read_backup(self.backup.as_ref()?, self.before.as_ref()?)
    }

    fn build_undo(&self, read: ReadText, after: Option<String>, outcome: Undone, lost: Vec<String>) -> Undo {
        // Symbolic links lead to the actual file.
        let target = follow_links(&self.file).ok();
        let is_of_file = |folder: &&PathBuf| target.as_ref().is_some_and(|target| target.starts_with(folder));
        let made = self.folders.iter().filter(|_| after.is_none()).filter(is_of_file);
        let folders = made.cloned().collect();
        let is_done = |backup: &PathBuf| outcome == Undone::Restored && is_backup_of(backup, &self.file);
        let backups = self.backups().into_iter().filter(is_done).collect();
        let Added { format, path, .. } = self.added.clone();
        let edit = FileEdit { file: self.file.clone(), format, path, before: Some(read), after };
        Undo { edit: Some(edit), outcome, backups, folders, lost }
    }
}

impl Undo {
    fn nothing() -> Self {
        Self {
            edit: None,
            outcome: Undone::AlreadyGone,
            backups: Vec::new(),
            folders: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// The names of the app's own servers that can't be restored, because their backup is gone.
    pub fn lost(&self) -> &[String] {
        &self.lost
    }

    /// How far the file is restored.
    pub fn outcome(&self) -> Undone {
        self.outcome
    }

    /// The file that changes. `None` if there is nothing to do.
    pub fn file(&self) -> Option<&Path> {
        self.edit.as_ref().map(|edit| edit.file.as_path())
    }

    /// A unified diff of lines to show. It may contain secrets of the app, so don't log it.
    pub fn diff(&self) -> String {
        self.edit.as_ref().map(FileEdit::diff).unwrap_or_default()
    }

    /// Identifies this change to this version of the file, so that the person agrees to what was shown.
    pub fn fingerprint(&self) -> String {
        self.edit.as_ref().map(FileEdit::fingerprint).unwrap_or_default()
    }

    /// Makes the change, if the file is unchanged since it was read.
    pub fn write(self) -> Result<Undone, Error> {
        if let Some(edit) = &self.edit {
            edit.write(false)?;
            // The file now has the same content as its backup. A backup that can't be removed does no harm.
            self.backups.iter().for_each(|backup| drop(fs::remove_file(backup)));
            remove_empty_folders(&self.folders);
        }
        Ok(self.outcome)
    }
}
