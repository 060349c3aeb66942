//! Which apps are there, and what their files say.

use std::path::{Path, PathBuf};

use mooring_app_key::AppKey;
use mooring_words::Sentence;

use crate::app::{App, apps};
use crate::document::Document;
use crate::entry::{ENTRY_NAME, is_ours, read_command};
use crate::error::Error;
use crate::file::{read_text, repository_of};
use crate::places::Places;
use crate::value::Value;

/// An app, and what was found of it.
#[derive(Debug)]
pub struct FoundApp {
    /// The app.
    pub app: &'static App,
    /// The app's file, whether it exists or not.
    pub file: PathBuf,
    /// The app seems to be installed: its file or its folder exists.
    pub is_present: bool,
    /// The Git repository that its file is in: no key belongs into it.
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
        /// The names of all its servers.
        servers: Vec<String>,
        /// The servers that start Mooring.
        ours: Vec<String>,
        /// The public key of the key that the first of those has.
        public_key: Option<String>,
        /// The program that our entry starts, if it does not exist.
        missing: Option<PathBuf>,
    },
    /// The file could not be read or parsed, or has something else in place of the servers.
    Problem(Sentence),
}

/// Every app of the table, and what is there of it. A problem with one file concerns that app alone.
pub fn find_apps(places: &Places) -> Vec<FoundApp> {
    apps().iter().map(|app| app.find(places)).collect()
}

impl App {
    /// Looks for this app.
    pub fn find(&'static self, places: &Places) -> FoundApp {
        let file = self.file(places);
        let state = self.state(&file, places);
        let state = state.unwrap_or_else(|error| State::Problem(error.sentence().clone()));
        let repository = repository_of(&file);
        FoundApp { app: self, file, is_present: self.is_present(places), repository, state }
    }

    /// The state of its file, including the servers in its other files.
    fn state(&self, file: &Path, places: &Places) -> Result<State, Error> {
        let Some(read) = read_text(file)? else { return Ok(State::NoFile) };
        let mut state = self.read_servers(&read.text)?;
        for other in self.files_read(places).iter().filter(|other| *other != file) {
            // Unreadable files are reported by the import.
            let Ok(Some(read)) = read_text(other) else { continue };
            if let (State::Readable { servers, .. }, Ok(State::Readable { servers: more, .. })) =
                (&mut state, self.read_servers(&read.text))
            {
                servers.extend(more.into_iter().filter(|name| !servers.contains(name)).collect::<Vec<_>>());
            }
        }
        Ok(state)
    }

    /// The names of the servers that start Mooring, in every file that it reads.
    pub fn names_of_mooring(&self, places: &Places) -> Vec<String> {
        let mut names = Vec::new();
        for file in self.files_read(places) {
            if let Ok(Some(read)) = read_text(&file)
                && let Ok(State::Readable { ours, .. }) = self.read_servers(&read.text)
            {
                names.extend(ours);
            }
        }
        names
    }

    /// Whether one of its files has an entry that starts Mooring.
    pub(crate) fn has_our_entry(&self, file: &Path) -> bool {
        let Ok(Some(read)) = read_text(file) else { return false };
        matches!(self.read_servers(&read.text), Ok(State::Readable { ours, .. }) if !ours.is_empty())
    }

    /// The texts of the files that it reads: of two servers with one name, that of the later text counts. They can hold
    /// secrets of the app.
    pub fn texts(&self, places: &Places) -> Result<Vec<String>, Error> {
        let read = self.files_read(places).into_iter().filter_map(|file| read_text(&file).transpose());
        read.map(|read| Ok(read?.text)).collect()
    }

    fn read_servers(&self, text: &str) -> Result<State, Error> {
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
        // The one that connecting writes; without it, it is enough that one of them starts.
        let all = servers.iter().filter(|(_, server)| is_ours(server));
        let (own, others): (Vec<_>, Vec<_>) = all.partition(|(name, _)| *name == ENTRY_NAME);
        let judged = if own.is_empty() { others } else { own };
        let missing: Option<Vec<_>> = judged.iter().map(|(_, server)| missing_program(server)).collect();
        let missing = missing.and_then(|all| all.into_iter().next());
        Ok(State::Readable { servers: names(false), ours: names(true), public_key, missing })
    }
}

/// The program that a server starts, if it is a path that does not exist.
fn missing_program(server: &Value) -> Option<PathBuf> {
    let (program, _) = read_command(server)?;
    Some(PathBuf::from(program)).filter(|program| program.is_absolute() && !program.exists())
}
