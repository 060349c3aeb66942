//! Connects an app to Mooring and disconnects it, for front ends. A planned change has a hash. Only the
//! change with the hash that was shown is made.

use std::fs;
use std::path::PathBuf;

use mooring_base::{codes, view_serde};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::app::App;
use crate::entry::{ENTRY_NAME, Entry, IMAGE_PROGRAM, KEY_TO_COME};
use crate::error::Error;
use crate::file::{FileEdit, find_repository, remove_empty_folders};
use crate::format::Format;
use crate::places::Places;
use crate::plan::Plan;
use crate::snippet::{command_line, json_snippet, toml_snippet, yaml_snippet};
use crate::undo::{UndoRecord, Undone};

/// The locations of apps' files, and the program that apps should start.
#[derive(Debug, Clone)]
pub struct AppEnvironment {
    /// The person's folders.
    pub places: Places,
    /// The absolute path of the program `mooring`, or of the `AppImage` that contains it.
    pub program: PathBuf,
    /// Whether the program is an `AppImage`. Its first argument then names the program to start.
    pub is_image: bool,
    /// The data folder, if it is not the default one. Apps start Mooring without the environment variables of
    /// this process.
    pub home: Option<PathBuf>,
}

codes! {
    /// How far disconnecting restores a file.
    pub enum AppUndone {
        /// The file is exactly as before.
        Restored = "restored",
        /// The entry was removed and the app's own servers were restored, because something else has changed
        /// the file.
        Removed = "removed",
        /// The entry was already gone.
        AlreadyGone = "already_gone",
    }
}

codes! {
    /// The format of an entry to copy.
    #[derive(Deserialize)]
    pub enum AppSnippetFormat {
        /// JSON.
        Json = "json",
        /// TOML.
        Toml = "toml",
        /// YAML.
        Yaml = "yaml",
        /// A command line.
        CommandLine = "command_line",
    }
}

/// The planned change for connecting an app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct AppPlan {
    /// The file.
    #[serde(serialize_with = "view_serde::path")]
    pub file: PathBuf,
    /// A unified diff. It may contain secrets of the app.
    pub diff: String,
    /// Identifies this change.
    pub hash: String,
    /// Whether the file exists. If so, a backup is made.
    pub backup: bool,
    /// The Git repository that contains the file. The entry gets no key then.
    #[serde(serialize_with = "view_serde::some_path")]
    pub repository: Option<PathBuf>,
}

/// The planned change for disconnecting an app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct AppUndo {
    /// The file.
    #[serde(serialize_with = "view_serde::path")]
    pub file: PathBuf,
    /// A unified diff. It may contain secrets of the app.
    pub diff: String,
    /// Identifies this change.
    pub hash: String,
    /// How far the file is restored.
    pub outcome: AppUndone,
    /// The names of the app's own servers that can't be put back, because their backup is gone.
    pub lost: Vec<String>,
}

/// A change that was just made to an app's file. Dropping this undoes the change unless [`keep`](Self::keep)
/// was called, because the change could not be undone later without its record.
#[derive(Debug)]
pub struct NewConnection {
    record: UndoRecord,
    has_key: bool,
    is_kept: bool,
    /// The edit that undoes the change, and the files to remove after it.
    reverse: FileEdit,
    backups: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl NewConnection {
    /// Whether the key was written into the entry.
    pub fn has_key(&self) -> bool {
        self.has_key
    }

    /// The record that is needed to undo the change later.
    pub fn record(&self) -> &UndoRecord {
        &self.record
    }

    /// Keeps the change. Call this when its record is saved.
    pub fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for NewConnection {
    fn drop(&mut self) {
        // If another program has changed the file in the meantime, the change is not undone.
        if !self.is_kept && self.reverse.write(false).is_ok() {
            self.backups.iter().for_each(|backup| drop(fs::remove_file(backup)));
            remove_empty_folders(&self.folders);
        }
    }
}

impl AppEnvironment {
    fn build_entry(&self, id: &str, key: Option<&str>, replaces: &[String]) -> Entry {
        let mut args = if self.is_image { vec![IMAGE_PROGRAM.to_owned()] } else { Vec::new() };
        args.extend(["bridge", "--app", id].map(str::to_owned));
        if let Some(home) = &self.home {
            args.extend(["--home".to_owned(), home.display().to_string()]);
        }
        let (command, key) = (self.program.display().to_string(), key.map(str::to_owned));
        Entry { name: ENTRY_NAME.to_owned(), command, args, key, replaces: replaces.to_owned() }
    }

    /// Plans the change that connects an app. `None` if the app is connected, and `is_current` accepts the
    /// public key of its entry or the absence of a key. If only Mooring's own record has to be removed, the
    /// change leaves the file as it is. `replaces` has the names of the app's own servers to remove from the
    /// file, because the app gets them through Mooring.
    pub fn plan_connect(
        &self,
        app: &App,
        replaces: &[String],
        is_current: impl Fn(Option<&str>) -> bool,
    ) -> Result<Option<AppPlan>, Error> {
        let repository = find_repository(&app.file(&self.places));
        let key = repository.is_none().then_some(KEY_TO_COME);
        Ok(match app.plan(&self.places, &self.build_entry(app.id, key, replaces), is_current)? {
            Plan::Nothing => None,
            Plan::Change(change) => Some(AppPlan {
                file: change.file().to_owned(),
                diff: change.diff(),
                hash: change.fingerprint(),
                backup: change.read_hash().is_some(),
                repository,
            }),
        })
    }

    /// Connects an app with the change that [`Self::plan_connect`] returned with this `hash`. Fails if the
    /// change would be different now. `new_key` replaces the placeholder in the diff, unless the file is in a
    /// Git repository. `earlier` is the record of our change that this one replaces.
    pub fn connect(
        &self,
        app: &App,
        hash: &str,
        replaces: &[String],
        new_key: &str,
        earlier: Option<&UndoRecord>,
    ) -> Result<NewConnection, Error> {
        // The plan has checked whether the entry's old key is current. Now the new key replaces the old one
        // in any case.
        let has_key = find_repository(&app.file(&self.places)).is_none();
        let key = |key| has_key.then_some(key);
        let planned =
            |key| match app.plan(&self.places, &self.build_entry(app.id, key, replaces), |_| false)? {
                Plan::Change(change) => Ok(change),
                Plan::Nothing => Err(Error::changed()),
            };
        let (shown, change) = (planned(key(KEY_TO_COME))?, planned(key(new_key))?);
        if shown.fingerprint() != hash || shown.read_hash() != change.read_hash() {
            return Err(Error::changed());
        }
        let reverse = change.reverse();
        let record = change.write(earlier)?;
        let known = earlier.map(UndoRecord::backups).unwrap_or_default();
        let backups: Vec<_> = record.backups().into_iter().filter(|backup| !known.contains(backup)).collect();
        let folders =
            if backups.is_empty() && earlier.is_some() { Vec::new() } else { record.folders.clone() };
        Ok(NewConnection { record, has_key, is_kept: false, reverse, backups, folders })
    }

    /// The entry as text to copy into the file of the app with this id, in the app's form if it is in the
    /// table, and otherwise in the form that most apps have.
    pub fn snippet(&self, id: &str, format: AppSnippetFormat, key: Option<&str>) -> Result<String, Error> {
        let entry = self.build_entry(id, key, &[]);
        let own = crate::app(id).filter(|app| match app.format {
            Format::Json => format == AppSnippetFormat::Json,
            Format::Toml => format == AppSnippetFormat::Toml,
            Format::Yaml => format == AppSnippetFormat::Yaml,
        });
        if let Some(app) = own {
            return app.snippet(&entry);
        }
        match format {
            AppSnippetFormat::Json => json_snippet(&entry),
            AppSnippetFormat::Toml => toml_snippet(&entry),
            AppSnippetFormat::Yaml => yaml_snippet(&entry),
            AppSnippetFormat::CommandLine => Ok(command_line(&entry)),
        }
    }
}

impl UndoRecord {
    /// Plans the change that disconnects the app.
    pub fn plan_disconnect(&self) -> Result<AppUndo, Error> {
        let undo = self.plan()?;
        Ok(AppUndo {
            file: self.file.clone(),
            diff: undo.diff(),
            hash: undo.fingerprint(),
            outcome: undo.outcome().into(),
            lost: undo.lost().to_owned(),
        })
    }

    /// Disconnects the app with the change that [`Self::plan_disconnect`] returned with this `hash`. Fails if
    /// the change would be different now.
    pub fn disconnect(&self, hash: &str) -> Result<AppUndone, Error> {
        let undo = self.plan()?;
        if undo.fingerprint() == hash { Ok(undo.write()?.into()) } else { Err(Error::changed()) }
    }
}

impl From<Undone> for AppUndone {
    fn from(outcome: Undone) -> Self {
        match outcome {
            Undone::Restored => Self::Restored,
            Undone::Removed => Self::Removed,
            Undone::AlreadyGone => Self::AlreadyGone,
        }
    }
}
