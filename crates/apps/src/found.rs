//! Finds installed apps, and reads their files.

use std::path::{Path, PathBuf};

use mooring_app_key::AppKey;
use mooring_words::Sentence;

use crate::app::{App, apps};
use crate::document::Document;
use crate::entry::{ENTRY_NAME, is_ours, read_command};
use crate::error::Error;
use crate::file::{find_repository, read_text};
use crate::places::Places;
use crate::value::Value;

/// An app, and what was found.
#[derive(Debug)]
pub struct FoundApp {
    /// The app.
    pub app: &'static App,
    /// The app's file, whether it exists or not.
    pub file: PathBuf,
    /// Whether the app seems to be installed: its file or its folder exists.
    pub is_present: bool,
    /// The Git repository that contains the app's file. A key must not be written into such a file.
    pub repository: Option<PathBuf>,
    /// The state of the file.
    pub state: State,
}

/// The state of an app's file.
#[derive(Debug, PartialEq, Eq)]
pub enum State {
    /// There is no file yet.
    NoFile,
    /// The file could be read.
    Readable {
        /// The names of all servers of the app.
        servers: Vec<String>,
        /// The names of the servers that start Mooring.
        ours: Vec<String>,
        /// The public key that belongs to the key of the first of these.
        public_key: Option<String>,
        /// The program that our entry starts, if the program does not exist.
        missing: Option<PathBuf>,
    },
    /// The file could not be read or parsed, or does not have a map or list in place of the servers.
    Problem(Sentence),
}

/// Looks for every app in the table. A problem with one file only affects that app.
pub fn find_apps(places: &Places) -> Vec<FoundApp> {
    apps().iter().map(|app| app.find(places)).collect()
}

impl App {
    /// Looks for this app.
    pub fn find(&'static self, places: &Places) -> FoundApp {
        let file = self.file(places);
        let state = self.read_state(&file, places);
        let state = state.unwrap_or_else(|error| State::Problem(error.sentence().clone()));
        let repository = find_repository(&file);
        FoundApp { app: self, file, is_present: self.is_present(places), repository, state }
    }

    /// The state of the app's file. Includes the servers in its other files.
    fn read_state(&self, file: &Path, places: &Places) -> Result<State, Error> {
        let Some(read) = read_text(file)? else { return Ok(State::NoFile) };
        let mut state = self.read_servers(&read.text)?;
        for other in self.files_to_read(places).iter().filter(|other| *other != file) {
            // The import reports unreadable files.
            let Ok(Some(read)) = read_text(other) else { continue };
            if let (State::Readable { servers, .. }, Ok(State::Readable { servers: more, .. })) =
                (&mut state, self.read_servers(&read.text))
            {
                servers.extend(more.into_iter().filter(|name| !servers.contains(name)).collect::<Vec<_>>());
            }
        }
        Ok(state)
    }

    /// The names of the servers that start Mooring, in all files that the app reads.
    pub fn names_of_mooring(&self, places: &Places) -> Vec<String> {
        let mut names = Vec::new();
        for file in self.files_to_read(places) {
            if let Ok(Some(read)) = read_text(&file)
                && let Ok(State::Readable { ours, .. }) = self.read_servers(&read.text)
            {
                names.extend(ours);
            }
        }
        names
    }

    /// Whether a file of the app has an entry that starts Mooring.
    pub(crate) fn has_our_entry(&self, file: &Path) -> bool {
        let Ok(Some(read)) = read_text(file) else { return false };
        matches!(self.read_servers(&read.text), Ok(State::Readable { ours, .. }) if !ours.is_empty())
    }

    /// The texts of the files that the app reads. If two servers have the same name, the one in the later
    /// text is used. The texts may contain secrets of the app.
    pub fn texts(&self, places: &Places) -> Result<Vec<String>, Error> {
        let read = self.files_to_read(places).into_iter().filter_map(|file| read_text(&file).transpose());
        read.map(|read| Ok(read?.text)).collect()
    }

    pub(crate) fn read_servers(&self, text: &str) -> Result<State, Error> {
        let document = Document::read(self.format, text)?;
        let section = self.section(document.value());
        let path = section.path();
        document.check_servers(&path)?;
        let servers = document.value().servers(&path);
        let names = |only_ours: bool| {
            let wanted = servers.iter().filter(|(_, server)| !only_ours || is_ours(server));
            wanted.map(|(name, _)| (*name).to_owned()).collect()
        };
        let first = servers.iter().find(|(_, server)| is_ours(server)).map(|(_, server)| server);
        let key = first.and_then(|server| section.form.key_of(server));
        let public_key = key.and_then(AppKey::parse).map(|key| key.public());
        // The entry that connecting would write. If there is none, it is enough that one of our other entries
        // can start.
        let all = servers.iter().filter(|(_, server)| is_ours(server));
        let (own, others): (Vec<_>, Vec<_>) = all.partition(|(name, _)| *name == ENTRY_NAME);
        let judged = if own.is_empty() { others } else { own };
        let missing: Option<Vec<_>> = judged.iter().map(|(_, server)| find_missing_program(server)).collect();
        let missing = missing.and_then(|all| all.into_iter().next());
        Ok(State::Readable { servers: names(false), ours: names(true), public_key, missing })
    }
}

/// The program that a server starts, if the program is an absolute path that does not exist.
fn find_missing_program(server: &Value) -> Option<PathBuf> {
    let (program, _) = read_command(server)?;
    Some(PathBuf::from(program)).filter(|program| program.is_absolute() && !program.exists())
}
