//! Disconnects an app: the file of before where nothing else changed it, else without our entry.

use std::fs;
use std::path::{Path, PathBuf};

use mooring_base::digest::sha256;
use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::entry::{is_ours, without_keys};
use crate::error::Error;
use crate::file::{FileEdit, ReadText, is_backup_of, read_text, remove_empty_folders, target_of};
use crate::format::{Created, Format, Place, ServersPath};

/// What it takes to undo a change. It is written down by the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UndoRecord {
    /// The app's id.
    pub app: String,
    /// The file that was changed.
    pub file: PathBuf,
    /// The file as it was; none where there was none.
    pub backup: Option<PathBuf>,
    /// Folders that were made for the file, the outermost first.
    pub(crate) folders: Vec<PathBuf>,
    /// The SHA-256 of the file before; none where there was none.
    pub before: Option<String>,
    /// The SHA-256 of the file after.
    pub after: String,
    /// What was added.
    pub added: Added,
}

/// What a change added to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Added {
    /// How the file is written.
    pub(crate) format: Format,
    /// Where in it the servers are.
    pub(crate) path: ServersPath,
    /// The name of the entry.
    pub name: String,
    /// The lines that were added.
    pub text: String,
    pub(crate) created: Created,
    /// An older entry of ours was there before, so that the file of before is not one without us.
    pub(crate) replaced: bool,
}

/// How far a file went back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undone {
    /// The file is exactly what it was; where there was none, there is none.
    Restored,
    /// Only our entry was removed: something else had changed the file, or its backup is gone.
    Removed,
    /// There was nothing to do: our entry is not there anymore.
    AlreadyGone,
}

/// How an app is going to be disconnected.
#[derive(Debug)]
pub struct Undo {
    edit: Option<FileEdit>,
    outcome: Undone,
    /// What is not needed once the file is back.
    backup: Option<PathBuf>,
    folders: Vec<PathBuf>,
}

impl UndoRecord {
    /// Plans how the change is undone now. Others may have written the record: whatever it says, only a file that has an
    /// entry of ours changes, and one is deleted only where nothing else is in it.
    pub fn plan(&self) -> Result<Undo, Error> {
        let Some(read) = read_text(&self.file)? else { return Ok(Undo::nothing()) };
        let document = Document::read(self.added.format, &read.text)?;
        let place = Place { path: &self.added.path, name: &self.added.name };
        let servers = document.value().servers(place.path);
        if !servers.iter().any(|(name, server)| *name == place.name && is_ours(server)) {
            return Ok(Undo::nothing());
        }
        if read.hash == self.after
            && !self.added.replaced
            && let Some(before) = self.backed_up()
        {
            return Ok(self.undo(read, Some(before), Undone::Restored));
        }
        let after = document.remove(place, self.added.created)?;
        let made = crate::app(&self.app).map(|app| app.new_file().trim());
        let is_new_file = self.before.is_none() && (after.trim().is_empty() || Some(after.trim()) == made);
        let is_restored = self.before.as_ref().is_some_and(|before| sha256(&after) == *before) || is_new_file;
        let outcome = if is_restored { Undone::Restored } else { Undone::Removed };
        let after = (!is_new_file).then_some(after);
        Ok(self.undo(read, after, outcome))
    }

    /// The text of before: none where it is not known anymore.
    fn backed_up(&self) -> Option<String> {
        let backup = read_text(self.backup_beside()?).ok().flatten()?;
        (Some(&backup.hash) == self.before.as_ref()).then_some(backup.text)
    }

    /// The backup, if it is one of this file.
    fn backup_beside(&self) -> Option<&Path> {
        self.backup.as_deref().filter(|backup| is_backup_of(backup, &self.file))
    }

    fn undo(&self, read: ReadText, after: Option<String>, outcome: Undone) -> Undo {
        // It stands at the end of symbolic links.
        let target = target_of(&self.file).ok();
        let is_of_file = |folder: &&PathBuf| target.as_ref().is_some_and(|target| target.starts_with(folder));
        let made = self.folders.iter().filter(|_| after.is_none()).filter(is_of_file);
        let folders = made.cloned().collect();
        let backup = self.backup_beside().filter(|_| outcome == Undone::Restored).map(ToOwned::to_owned);
        let edit = FileEdit { file: self.file.clone(), before: Some(read), after };
        Undo { edit: Some(edit), outcome, backup, folders }
    }
}

impl Undo {
    fn nothing() -> Self {
        Self { edit: None, outcome: Undone::AlreadyGone, backup: None, folders: Vec::new() }
    }

    /// How far the file goes back.
    pub fn outcome(&self) -> Undone {
        self.outcome
    }

    /// The file that changes; none where there is nothing to do.
    pub fn file(&self) -> Option<&Path> {
        self.edit.as_ref().map(|edit| edit.file.as_path())
    }

    /// A unified diff of lines, to be shown. It can hold secrets of the app: show it, and do not log it.
    pub fn diff(&self) -> String {
        self.edit.as_ref().map(|edit| without_keys(&edit.diff())).unwrap_or_default()
    }

    /// What names this change to this file as it was read: the person agrees to what they were shown.
    pub fn fingerprint(&self) -> String {
        self.edit.as_ref().map(FileEdit::fingerprint).unwrap_or_default()
    }

    /// Does it, if the file still is what was read.
    pub fn write(self) -> Result<Undone, Error> {
        if let Some(edit) = &self.edit {
            edit.write(false)?;
            // The file says the same as its backup now. A backup that cannot be removed does no harm.
            self.backup.iter().for_each(|backup| drop(fs::remove_file(backup)));
            remove_empty_folders(&self.folders);
        }
        Ok(self.outcome)
    }
}
