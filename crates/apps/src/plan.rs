//! Plans what to change so that an app uses Mooring, shows it, and writes it.

use std::path::Path;

use mooring_app_key::AppKey;

use crate::app::App;
use crate::document::Document;
use crate::entry::{Entry, command_changes, is_ours, starts_same, without_keys};
use crate::error::Error;
use crate::file::{FileEdit, read_text};
use crate::format::{Created, Format, Place, ServersPath};
use crate::places::Places;
use crate::refusal::{appears_twice, name_taken};
use crate::undo::{Added, UndoRecord};

/// What is to be done for an app to have an entry.
#[derive(Debug)]
pub enum Plan {
    /// Nothing: it has this entry.
    Nothing,
    /// The file changes.
    Change(Change),
}

/// A change of an app's file that nobody has written yet.
#[derive(Debug)]
pub struct Change {
    app: &'static str,
    format: Format,
    path: ServersPath,
    name: String,
    created: Created,
    replaces: bool,
    /// The entry gets no key.
    is_keyless: bool,
    edit: FileEdit,
}

impl App {
    /// Plans the change of this app's own file. Fails where the file cannot be read or edited, or has a server of this
    /// name that is not ours.
    ///
    /// `is_current`: whether an entry that has the key of this public one, or none, need not change for that.
    pub fn plan(
        &self,
        places: &Places,
        entry: &Entry,
        is_current: impl Fn(Option<&str>) -> bool,
    ) -> Result<Plan, Error> {
        self.plan_file(&self.file(places), entry, is_current)
    }

    /// Plans the change of another file of this app, such as a project's, which the person has picked.
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
        let wanted = section.form.value(entry);
        let servers = document.value().servers(&path);
        let has_key = |key: Option<&str>| match (key, &entry.key) {
            (None, None) => is_current(None),
            (Some(_), None) => false,
            (key, Some(_)) => key.and_then(AppKey::parse).is_some_and(|key| is_current(Some(&key.public()))),
        };
        let same_name: Vec<_> = servers.iter().filter(|(name, _)| *name == entry.name).collect();
        let (after, created, replaces) = match same_name.as_slice() {
            [] => {
                let (after, created) = document.insert(place, &wanted)?;
                (after, created, false)
            }
            [(_, server)] if starts_same(server, entry) && has_key(section.form.key_of(server)) => {
                return Ok(Plan::Nothing);
            }
            [(_, server)] if is_ours(server) => {
                let mut after = document.replace(place, &command_changes(server, &wanted))?;
                if let Some(variables) = section.form.variables_with_key(server, entry.key.as_deref()) {
                    let member = section.form.variables_member();
                    after = Document::read(self.format, &after)?.set_member(place, member, &variables)?;
                }
                (after, Created::default(), true)
            }
            [_] => return Err(Error::NameTaken(name_taken(&entry.name))),
            _ => return Err(Error::NotEditable(appears_twice(&entry.name))),
        };
        let edit = FileEdit { file: file.to_owned(), before, after: Some(after) };
        let (app, format, name) = (self.id, self.format, entry.name.clone());
        let is_keyless = entry.key.is_none();
        Ok(Plan::Change(Change { app, format, path, name, created, replaces, is_keyless, edit }))
    }
}

impl Change {
    /// The file that changes.
    pub fn file(&self) -> &Path {
        &self.edit.file
    }

    /// The SHA-256 of the file as it was read; none where there was none.
    pub fn read_hash(&self) -> Option<&str> {
        self.edit.before.as_ref().map(|read| read.hash.as_str())
    }

    /// The whole new text.
    pub fn new_text(&self) -> &str {
        self.edit.after.as_deref().unwrap_or_default()
    }

    /// The lines that are added.
    pub fn added_lines(&self) -> String {
        self.edit.added_lines()
    }

    /// An entry of ours that starts something else is replaced.
    pub fn replaces(&self) -> bool {
        self.replaces
    }

    /// A unified diff of lines, to be shown. It can hold secrets of the app: show it, and do not log it.
    pub fn diff(&self) -> String {
        without_keys(&self.edit.diff())
    }

    /// What names this change to this file as it was read: the person agrees to what they were shown.
    pub fn fingerprint(&self) -> String {
        self.edit.fingerprint()
    }

    /// Whether the file stays as it is.
    fn is_empty(&self) -> bool {
        self.edit.before.as_ref().is_some_and(|read| read.text == self.new_text())
    }

    /// The change that takes this one back.
    pub(crate) fn reverse(&self) -> FileEdit {
        self.edit.reverse()
    }

    /// Writes the change, if the file still is what was read. `earlier` is the record of a change of ours that this
    /// one replaces: if nothing else changed the file since, disconnecting goes back to before that one.
    pub fn write(self, earlier: Option<&UndoRecord>) -> Result<UndoRecord, Error> {
        if let Some(earlier) = earlier.filter(|_| self.is_empty()) {
            return Ok(earlier.clone());
        }
        let earlier = earlier.filter(|earlier| self.continues(earlier));
        // A key that goes out does not stay beside the file.
        let takes_key_out = self.is_keyless && self.replaces;
        let written = self.edit.write(earlier.is_none() && !takes_key_out && !self.is_empty())?;
        let after = mooring_base::digest::sha256(self.new_text());
        // What is kept of it is no place for a key.
        let added_text = without_keys(&self.edit.added_lines());
        let Self { app, format, path, name, created, replaces, edit, .. } = self;
        if let Some(earlier) = earlier {
            return Ok(UndoRecord { after, ..earlier.clone() });
        }
        Ok(UndoRecord {
            app: app.to_owned(),
            file: edit.file,
            backup: written.backup,
            folders: written.folders,
            before: edit.before.map(|read| read.hash),
            after,
            added: Added { format, path, name, text: added_text, created, replaced: replaces },
        })
    }

    fn continues(&self, earlier: &UndoRecord) -> bool {
        self.replaces
            && self.read_hash() == Some(&earlier.after)
            && (&self.edit.file, &self.name) == (&earlier.file, &earlier.added.name)
    }
}
