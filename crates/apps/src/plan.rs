//! Plans and writes the change that makes an app use Mooring.

use std::path::Path;

use mooring_app_key::AppKey;

use crate::app::App;
use crate::document::Document;
use crate::entry::{Entry, find_command_changes, is_ours, starts_same_command};
use crate::error::Error;
use crate::file::{FileEdit, read_text};
use crate::format::{Created, Format, Place, ServersPath};
use crate::places::Places;
use crate::refusal::{appears_twice, name_taken};
use crate::undo::{Added, Taken, UndoRecord};

/// Whether a file has to change so that an app has an entry.
#[derive(Debug)]
pub enum Plan {
    /// The app already has this entry.
    Nothing,
    /// The file has to change.
    Change(Box<Change>),
}

/// A planned change of an app's file, not yet written.
#[derive(Debug)]
pub struct Change {
    app: &'static str,
    format: Format,
    path: ServersPath,
    name: String,
    created: Created,
    replaces: bool,
    /// Whether the entry's key is removed.
    takes_key_out: bool,
    /// The app's own servers that are removed.
    taken: Vec<String>,
    edit: FileEdit,
}

impl App {
    /// Plans the change of this app's own file. Fails if the file can't be read or edited, or if it has a
    /// server with this name that is not ours.
    ///
    /// `is_current` says whether an existing entry may keep its key, which has this public key, or remain
    /// without a key.
    pub fn plan(
        &self,
        places: &Places,
        entry: &Entry,
        is_current: impl Fn(Option<&str>) -> bool,
    ) -> Result<Plan, Error> {
        self.plan_file(&self.file(places), entry, is_current)
    }

    /// Plans the change of another file of this app that the person has chosen, such as a project's.
    pub fn plan_file(
        &self,
        file: &Path,
        entry: &Entry,
        is_current: impl Fn(Option<&str>) -> bool,
    ) -> Result<Plan, Error> {
        let before = read_text(file)?;
        let text = before.as_ref().map_or_else(|| self.new_file(), |read| &read.text);
        let document = Document::read(self.format, text)?;
        let section = self.section(document.value());
        let path = section.path();
        document.check_servers(&path)?;
        let place = Place { path: &path, name: &entry.name };
        let wanted = section.form.to_value(entry);
        let servers = document.value().servers(&path);
        let has_key = |key: Option<&str>| match (key, &entry.key) {
            (None, None) => is_current(None),
            (Some(_), None) => false,
            (key, Some(_)) => key.and_then(AppKey::parse).is_some_and(|key| is_current(Some(&key.public()))),
        };
        let same_name: Vec<_> = servers.iter().filter(|(name, _)| *name == entry.name).collect();
        let is_own = |name: &String| servers.iter().any(|(known, server)| known == name && !is_ours(server));
        let own: Vec<&String> = entry.replaces.iter().filter(|name| is_own(name)).collect();
        let had_key = same_name.iter().any(|(_, server)| section.form.key_of(server).is_some());
        let (after, created, replaces) = match same_name.as_slice() {
            [] => {
                let (after, created) = document.insert_entry(place, &wanted)?;
                (after, created, false)
            }
            [(_, server)]
                if own.is_empty()
                    && starts_same_command(server, entry)
                    && has_key(section.form.key_of(server)) =>
            {
                return Ok(Plan::Nothing);
            }
            [(_, server)] if is_ours(server) => {
                let mut after = document.replace_members(place, &find_command_changes(server, &wanted))?;
                if let Some(variables) = section.form.variables_with_key(server, entry.key.as_deref()) {
                    let member = section.form.variables_member();
                    after = Document::read(self.format, &after)?.set_member(place, member, &variables)?;
                }
                (after, Created::default(), true)
            }
            [_] => return Err(Error::NameTaken(name_taken(&entry.name))),
            _ => return Err(Error::NotEditable(appears_twice(&entry.name))),
        };
        let takes_key_out = replaces && had_key && entry.key.is_none();
        // If a key is removed, no backup is made that could restore the servers.
        let own = if takes_key_out { Vec::new() } else { own };
        let (after, taken) = self.remove_servers(after, &path, &own)?;
        let edit = FileEdit {
            file: file.to_owned(),
            format: self.format,
            path: path.clone(),
            before,
            after: Some(after),
        };
        let (app, format, name) = (self.id, self.format, entry.name.clone());
        let change = Change { app, format, path, name, created, replaces, takes_key_out, taken, edit };
        Ok(Plan::Change(Box::new(change)))
    }

    /// Removes the servers with these names. Returns the text, and the names of the removed servers. A server
    /// that can't be removed and restored without other changes is kept.
    fn remove_servers(
        &self,
        mut text: String,
        path: &ServersPath,
        names: &[&String],
    ) -> Result<(String, Vec<String>), Error> {
        let mut taken = Vec::new();
        for name in names {
            let document = Document::read(self.format, &text)?;
            let place = Place { path, name };
            let servers = document.value().servers(path);
            let Some((_, server)) = servers.into_iter().find(|(known, _)| known == name) else { continue };
            if let Ok(without) = document.remove_entry(place, Created::default())
                && Document::read(self.format, &without)?.insert_entry(place, server).is_ok()
            {
                text = without;
                taken.push((*name).clone());
            }
        }
        Ok((text, taken))
    }
}

impl Change {
    /// The file that changes.
    pub fn file(&self) -> &Path {
        &self.edit.file
    }

    /// The SHA-256 of the file when it was read. `None` if there was no file.
    pub fn read_hash(&self) -> Option<&str> {
        self.edit.before.as_ref().map(|read| read.hash.as_str())
    }

    /// The complete new text.
    pub fn new_text(&self) -> &str {
        self.edit.after.as_deref().unwrap_or_default()
    }

    /// The lines that the change adds.
    pub fn added_lines(&self) -> String {
        self.edit.added_lines()
    }

    /// Whether the change replaces an entry of ours that starts another command line.
    pub fn replaces(&self) -> bool {
        self.replaces
    }

    /// A unified diff of lines to show, without values of variables and headers. It may contain other secrets
    /// of the app, so don't log it.
    pub fn diff(&self) -> String {
        self.edit.diff()
    }

    /// Identifies this change to this version of the file, so that the person agrees to what was shown.
    pub fn fingerprint(&self) -> String {
        self.edit.fingerprint()
    }

    /// Whether the change leaves the file unchanged.
    fn is_empty(&self) -> bool {
        self.edit.before.as_ref().is_some_and(|read| read.text == self.new_text())
    }

    /// The edit that undoes this change.
    pub(crate) fn reverse(&self) -> FileEdit {
        self.edit.reverse()
    }

    /// Writes the change if the file is unchanged since it was read. `earlier` is the record of our change
    /// that this one replaces. If nothing else has changed the file since then, disconnecting restores the
    /// file from before the earlier change.
    pub fn write(self, earlier: Option<&UndoRecord>) -> Result<UndoRecord, Error> {
        if let Some(earlier) = earlier.filter(|_| self.is_empty()) {
            return Ok(earlier.clone());
        }
        // Servers that an earlier change removed are restored from its backup, even if something else has
        // changed the file since.
        let mut taken = earlier.map(|earlier| earlier.added.taken.clone()).unwrap_or_default();
        let earlier = earlier.filter(|earlier| self.continues_change(earlier));
        let is_backed_up = earlier.is_some_and(|earlier| earlier.old_text().is_some());
        // A removed key must not remain in a backup.
        let with_backup = match earlier {
            Some(_) => !self.taken.is_empty() && !is_backed_up,
            None => !self.takes_key_out && !self.is_empty(),
        };
        let written = self.edit.write(with_backup)?;
        let after = mooring_base::digest::sha256(self.new_text());
        let before = self.read_hash().map(str::to_owned);
        let Self { app, format, path, name, created, replaces, taken: names, edit, .. } = self;
        let from_earlier = earlier.and_then(|earlier| earlier.backup.clone().zip(earlier.before.clone()));
        let source = written.backup.clone().zip(before).or(from_earlier);
        if let Some((backup, before)) = source.filter(|_| !names.is_empty()) {
            taken.push(Taken { backup, before, names });
        }
        if let Some(earlier) = earlier {
            let added = Added { taken, ..earlier.added.clone() };
            return Ok(UndoRecord { after, added, ..earlier.clone() });
        }
        Ok(UndoRecord {
            app: app.to_owned(),
            file: edit.file,
            backup: written.backup,
            folders: written.folders,
            before: edit.before.map(|read| read.hash),
            after,
            added: Added { format, path, name, created, replaced: replaces, taken },
        })
    }

    fn continues_change(&self, earlier: &UndoRecord) -> bool {
        self.replaces
            && self.read_hash() == Some(&earlier.after)
            && (&self.edit.file, &self.name) == (&earlier.file, &earlier.added.name)
    }
}
