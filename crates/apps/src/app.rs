//! An app: the location and format of its file, and where the file has the MCP servers.

mod names;
mod table;

use std::path::{Path, PathBuf};

use mooring_words::{Sentence, say};

pub use names::longest_name;

use crate::entry::EntryForm;
use crate::format::{Format, ServersPath};
use crate::places::{Places, Platform};
use crate::value::Value;

/// An app whose servers Mooring can find and change.
#[derive(Clone, Copy, Debug)]
pub struct App {
    /// A short name that never changes, such as `claude-code`.
    pub id: &'static str,
    /// The app's name for people.
    pub name: &'static str,
    /// The format of its file.
    pub format: Format,
    /// Whether it asks the person before a tool runs, unless the person has changed that.
    pub asks_person: bool,
    /// Whether it has its own search for tools, and does not give its model all of them.
    pub searches_tools: bool,
    /// Possible locations of its file. The first match is used.
    files: &'static [Location],
    /// Whether it reads all of its files. The last file takes precedence.
    reads_all: bool,
    /// Folders that show that the app is installed, in addition to those of its files.
    folders: &'static [Location],
    /// What a new file must contain in addition to servers.
    new_file: &'static str,
    /// Possible locations of the servers in the file. The first one is used, unless the file already has a
    /// later one.
    sections: &'static [Section],
}

/// A file or folder, relative to a folder of the system.
#[derive(Debug)]
struct Location {
    platforms: &'static [Platform],
    base: Base,
    path: &'static str,
}

/// The base folder of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Home,
    Config,
    Data,
    /// `$XDG_CONFIG_HOME` or `~/.config`, on every system.
    XdgConfig,
    /// `%LOCALAPPDATA%`.
    LocalData,
    /// The path in an environment variable. With an empty `path`, this is the file itself.
    Variable(&'static str),
}

/// Where the servers are in a file, and the form of an entry.
#[derive(Debug)]
pub(crate) struct Section {
    keys: &'static [&'static str],
    list: bool,
    pub(crate) form: EntryForm,
}

impl Section {
    pub(crate) fn path(&self) -> ServersPath {
        ServersPath { keys: self.keys.iter().map(ToString::to_string).collect(), list: self.list }
    }

    /// Whether a file has servers in this section. False if the section's name is that of a server.
    fn is_used_in(&self, file: &Value) -> bool {
        let path = self.path();
        let Some(section) = file.at(&path.keys) else { return false };
        !section.members().iter().any(|(name, value)| {
            ["type", "command", "url", "enabled"].contains(&name.as_str()) && !matches!(value, Value::Map(_))
        })
    }
}

impl Location {
    /// The path on this system. `None` on other platforms, or if the variable is not set.
    fn path(&self, places: &Places) -> Option<PathBuf> {
        let base = match self.base {
            _ if !self.platforms.contains(&places.platform) => return None,
            Base::Home => places.home.clone(),
            Base::Config => places.config.clone(),
            Base::Data => places.data.clone(),
            Base::XdgConfig => places
                .variable("XDG_CONFIG_HOME")
                .map_or_else(|| places.home.join(".config"), ToOwned::to_owned),
            Base::LocalData => places.variable("LOCALAPPDATA")?.to_owned(),
            Base::Variable(name) => places.variable(name)?.to_owned(),
        };
        Some(if self.path.is_empty() { base } else { base.join(self.path) })
    }
}

impl App {
    /// The app's file: the one that a variable names, or else the first location that exists, or else the
    /// first location whose folder exists, or else the first location. If the app reads several existing
    /// files, this is the one with our entry, or else the last.
    pub fn file(&self, places: &Places) -> PathBuf {
        let known = self.known_files(places);
        let mut existing: Vec<_> = known.iter().filter(|(_, path)| path.exists()).collect();
        if self.reads_all && existing.len() > 1 {
            existing.reverse();
            existing.sort_by_key(|(_, path)| !self.has_our_entry(path));
        }
        let chosen = known
            .iter()
            .find(|(base, _)| matches!(base, Base::Variable(_)))
            .or_else(|| existing.first().copied())
            .or_else(|| known.iter().find(|(_, path)| path.parent().is_some_and(Path::is_dir)))
            .or_else(|| known.first());
        chosen.map_or_else(|| places.home.join(self.id), |(_, path)| path.clone())
    }

    /// Every file that the app reads. If two servers have the same name, the one in the later file is used.
    pub(crate) fn files_to_read(&self, places: &Places) -> Vec<PathBuf> {
        if !self.reads_all {
            return vec![self.file(places)];
        }
        let mut all = self.known_files(places);
        all.sort_by_key(|(base, _)| matches!(base, Base::Variable(_)));
        all.into_iter().map(|(_, path)| path).collect()
    }

    fn known_files(&self, places: &Places) -> Vec<(Base, PathBuf)> {
        self.files.iter().filter_map(|file| Some((file.base, file.path(places)?))).collect()
    }

    /// Whether the app seems to be installed: its file or its own folder exists.
    pub(crate) fn is_present(&self, places: &Places) -> bool {
        let file = self.file(places);
        let own_folder = file.parent().filter(|folder| *folder != places.home);
        let folders = self.folders.iter().filter_map(|folder| folder.path(places));
        file.symlink_metadata().is_ok()
            || own_folder.is_some_and(Path::is_dir)
            || folders.into_iter().any(|folder| folder.is_dir())
    }

    /// The section with the servers in a file with this content.
    pub(crate) fn section(&self, file: &Value) -> &'static Section {
        let later = self.sections.iter().skip(1).find(|section| section.is_used_in(file));
        later.unwrap_or(&self.sections[0])
    }

    /// The variables that change the location of the app's files.
    #[cfg(test)]
    pub(crate) fn variables(&self) -> impl Iterator<Item = &'static str> {
        let name = |file: &Location| if let Base::Variable(name) = file.base { Some(name) } else { None };
        self.files.iter().filter_map(name)
    }

    /// The text that a new file begins with.
    pub(crate) fn new_file(&self) -> &'static str {
        self.new_file
    }
}

/// Every app in the table.
pub fn apps() -> &'static [App] {
    table::APPS
}

/// The app with this id.
pub fn app(id: &str) -> Option<&'static App> {
    apps().iter().find(|app| app.id == id)
}

/// The name that people use for the app with this id. An unknown id is returned as it is.
pub fn display_name(id: &str) -> &str {
    app(id).map_or(id, |app| app.name)
}

/// The longest name of an app, in characters.
const MAX_NAME: usize = 64;
/// Names that Mooring uses for itself, for the person, and for callers that are not apps.
const RESERVED_NAMES: [&str; 22] = [
    "mooring",
    "you",
    "yourself",
    "me",
    "myself",
    "user",
    "person",
    "owner",
    "admin",
    "administrator",
    "root",
    "system",
    "anyone",
    "everyone",
    "workbench",
    "commandline",
    "sampling",
    "你",
    "您",
    "我",
    "本人",
    "用户",
];

/// Checks the name of an app that Mooring does not know. The name must not resemble that of a known app, of
/// Mooring, or of the person.
pub fn check_new_name(name: &str) -> Result<(), Sentence> {
    let is_kept = |letter: char| letter.is_alphanumeric() || " ._-+@/()".contains(letter);
    let count = name.chars().count();
    if count == 0 || count > MAX_NAME || !name.chars().all(is_kept) || name.trim() != name {
        return Err(say!(
            "an app’s name has 1 to {limit} letters, digits, spaces and . _ - + @ / ( )",
            limit = MAX_NAME
        ));
    }
    let plain = to_plain_name(name);
    if plain.is_empty() || RESERVED_NAMES.contains(&plain.as_str()) {
        return Err(say!("an app can’t be called {name}", name));
    }
    let taken = apps().iter().find(|app| to_plain_name(app.id) == plain || to_plain_name(app.name) == plain);
    match taken {
        Some(app) => Err(say!(
            "{app} isn’t connected: connect it in Mooring under Apps, or with `mooring connect {id}`",
            app = app.name,
            id = app.id
        )),
        None => Ok(()),
    }
}

/// A name as people read it at a glance: without case, spaces and marks. Letters that resemble Latin letters
/// are replaced by those.
fn to_plain_name(name: &str) -> String {
    let plain = |letter: char| match letter {
        '0' | 'ο' | 'о' | 'Ο' | 'О' => 'o',
        '1' | 'l' | 'і' | 'І' | 'ı' | 'Ι' | 'ι' | '|' => 'i',
        'а' | 'А' | 'α' | 'Α' => 'a',
        'е' | 'Е' | 'ε' | 'Ε' => 'e',
        'с' | 'С' => 'c',
        'р' | 'Р' | 'ρ' | 'Ρ' => 'p',
        'х' | 'Х' | 'χ' | 'Χ' => 'x',
        'у' | 'У' | 'γ' => 'y',
        'ѕ' | 'Ѕ' | '5' => 's',
        'к' | 'К' | 'κ' | 'Κ' => 'k',
        'м' | 'М' | 'Μ' => 'm',
        'т' | 'Т' | 'τ' | 'Τ' => 't',
        'в' | 'В' | 'β' | 'Β' => 'b',
        'н' | 'Н' | 'Η' => 'h',
        other => other,
    };
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    let wide = |letter: char| {
        // Full-width forms have the same order as ASCII.
        let code = u32::from(letter);
        if (0xff01..=0xff5e).contains(&code) {
            char::from_u32(code - 0xfee0).unwrap_or(letter)
        } else {
            letter
        }
    };
    letters.map(wide).flat_map(char::to_lowercase).map(plain).collect()
}
