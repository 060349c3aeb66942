//! Tests with real files in temporary folders.

mod apps;
mod edits;
mod files;
mod generated;
mod keys;
mod undo;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::*;

/// An empty home folder.
struct Home {
    folder: TempDir,
    places: Places,
}

impl Home {
    fn new() -> Self {
        // Uses a folder in memory if the system has one, because written files are synced, which is slow on a
        // disk.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.unwrap();
        let home = folder.path().canonicalize().unwrap();
        let places = places(Platform::Linux, &home);
        Self { folder, places }
    }

    /// A home folder in which the app's file has this text.
    fn with(id: &str, text: &str) -> (Self, &'static App, PathBuf) {
        let home = Self::new();
        let (app, file) = home.app(id);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        (home, app, file)
    }

    fn app(&self, id: &str) -> (&'static App, PathBuf) {
        let app = app(id).unwrap();
        (app, app.file(&self.places))
    }

    /// Plans and writes the change.
    fn connect(&self, app: &App, entry: &Entry) -> Result<UndoRecord, Error> {
        match app.plan(&self.places, entry, |_| true)? {
            Plan::Change(change) => change.write(None),
            Plan::Nothing => panic!("nothing to do"),
        }
    }

    /// The path and content of every file in the home folder.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.insert(path.clone(), fs::read(&path).unwrap_or_default());
                }
            }
        }
        files
    }
}

fn places(platform: Platform, home: &Path) -> Places {
    let (config, data) = match platform {
        Platform::Linux => (".config", ".local/share"),
        Platform::Macos => ("Library/Application Support", "Library/Application Support"),
        Platform::Windows => ("AppData/Roaming", "AppData/Roaming"),
    };
    let local = home.join("AppData/Local");
    let env = BTreeMap::from([("LOCALAPPDATA".to_owned(), local)]);
    let env = if platform == Platform::Windows { env } else { BTreeMap::new() };
    Places { platform, home: home.to_owned(), config: home.join(config), data: home.join(data), env }
}

fn entry(app: &str) -> Entry {
    let args = ["bridge", "--app", app].map(str::to_owned).to_vec();
    Entry {
        name: "mooring".to_owned(),
        command: "/opt/mooring/bin/mooring".to_owned(),
        args,
        key: None,
        replaces: Vec::new(),
    }
}

fn change(plan: Plan) -> Change {
    match plan {
        Plan::Change(change) => *change,
        Plan::Nothing => panic!("nothing to do"),
    }
}

/// Connects an app whose file has this text, and returns the new text. Disconnecting must restore the old
/// text.
fn connected(id: &str, text: &str) -> Result<String, Error> {
    let (home, app, file) = Home::with(id, text);
    let record = home.connect(app, &entry(id))?;
    let after = fs::read_to_string(&file).unwrap();
    assert_eq!(record.plan()?.write()?, Undone::Restored);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    Ok(after)
}

/// Connects and disconnects. In between, the backup is removed and a comment is added at the end, so that
/// only the entry is removed. Returns the text without the comment.
fn removed(id: &str, text: &str, comment: &str) -> String {
    let (home, app, file) = Home::with(id, text);
    let record = home.connect(app, &entry(id)).unwrap();
    let after = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{after}{comment}")).unwrap();
    assert_eq!(record.plan().unwrap().write().unwrap(), Undone::Removed);
    let left = fs::read_to_string(&file).unwrap();
    left.strip_suffix(comment).unwrap_or(&left).to_owned()
}
