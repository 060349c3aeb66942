//! The tree on Windows: what the system's own `taskkill` reaches from the program.

use super::{Identity, Stop};
use crate::command::command;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use tokio::process::Command;

const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
const CREATE_NO_WINDOW: u32 = 0x0800_0000;
const ERROR_BAD_EXE_FORMAT: i32 = 193;

/// The standard library passes on nothing but the pipes.
pub(crate) fn share_no_files() {}

/// Gives the process a group of its own and no console window.
pub(crate) fn own_group(command: &mut Command) {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW);
}

/// Windows has no sessions in this sense.
pub(crate) fn own_session(command: &mut Command) {
    own_group(command);
}

/// The name itself when it has an extension that is run, or the name with each of them.
pub(crate) fn spellings(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let extensions = env::var("PATHEXT").unwrap_or_else(|_| ".COM;.EXE;.BAT;.CMD".to_owned());
    let path = path.to_owned();
    let own = is_executable(&path).then(|| path.clone());
    let added: Vec<PathBuf> = extensions
        .split(';')
        .filter(|extension| !extension.is_empty())
        .map(|extension| {
            let mut name = OsString::from(&path);
            name.push(extension);
            PathBuf::from(name)
        })
        .collect();
    own.into_iter().chain(added)
}

/// Whether the extension is one that is run.
pub(crate) fn is_executable(path: &Path) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|extension| {
        ["com", "exe", "bat", "cmd"].contains(&extension.to_ascii_lowercase().as_str())
    })
}

/// Permissions on Windows are lists that say nothing in one bit.
pub(crate) fn is_world_writable(_directory: &Path) -> bool {
    false
}

/// Whether the system took the file for no program at all.
pub(crate) fn is_format_error(error: &io::Error) -> bool {
    error.raw_os_error() == Some(ERROR_BAD_EXE_FORMAT)
}

/// The program and what it has started.
#[derive(Debug)]
pub(crate) struct Tree {
    leader: u32,
    ended: bool,
}

impl Tree {
    pub(crate) fn new(leader: Identity, _marker: &str) -> Self {
        Self { leader: leader.pid, ended: false }
    }

    pub(crate) fn leader(&self) -> u32 {
        self.leader
    }

    /// Whether the program still runs.
    pub(crate) fn observe(&mut self) -> bool {
        !self.ended
    }

    /// The program ended: its number may be given to a stranger from now on.
    pub(crate) fn leader_ended(&mut self) {
        self.ended = true;
    }

    /// Ends the tree. There is no polite way for a program without a window, so that only a
    /// kill does something.
    pub(crate) fn signal(&mut self, stop: Stop) {
        if self.ended || stop == Stop::Terminate {
            return;
        }
        let Some(system) = env::var_os("SYSTEMROOT") else {
            return;
        };
        let mut taskkill = command(Path::new(&system).join(r"System32\taskkill.exe"));
        taskkill.args(["/T", "/F", "/PID", &self.leader.to_string()]).kill_on_drop(false);
        own_group(&mut taskkill);
        // The program itself is killed by its owner in any case.
        let _unavailable = taskkill.spawn();
    }
}
