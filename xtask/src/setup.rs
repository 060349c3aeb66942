//! Checks what a task needs before it starts, and installs what is missing after saying so.

pub(crate) mod pages;
pub(crate) mod proxies;
pub(crate) mod python;
pub(crate) mod servers;
pub(crate) mod system;
pub(crate) mod tools;

use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// What to do about missing system packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InstallMode {
    /// Install them with the system's package manager.
    Install,
    /// Print the command that would install them.
    Print,
}

/// Something is missing and was not installed. The text says what the person can do.
#[derive(Debug)]
pub(crate) struct MissingPrerequisite(pub(crate) String);

impl fmt::Display for MissingPrerequisite {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for MissingPrerequisite {}

/// The first file with this name on the PATH.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|directory| directory.join(name)).find(|candidate| candidate.is_file())
}

/// Whether `stamp` equals `source`, which means that the result made from it is up to date.
fn is_up_to_date(stamp: &Path, source: &Path) -> bool {
    match (fs::read(stamp), fs::read(source)) {
        (Ok(then), Ok(now)) => then == now,
        _ => false,
    }
}

/// Records the version of `source` that something was made from.
fn set_stamp(stamp: &Path, source: &Path) -> Result<()> {
    fs::copy(source, stamp).with_context(|| format!("could not write: {}", stamp.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;

    #[test]
    fn documents_name_all_prerequisites_of_the_first_command() {
        let root = Workspace::find().unwrap().root;
        for (document, start) in [("README.md", "Both need "), ("CONTRIBUTING.md", "You need ")] {
            let text = fs::read_to_string(root.join(document)).unwrap();
            let needed = text.split_once(start).unwrap().1.lines().next().unwrap();
            let (major, minor) = pages::NODE;
            let node = format!(" {major}.{minor} or newer with npm");
            let python = format!("Python {} or newer", python::OLDEST);
            for name in ["rustup", "C linker", "`cc`", "`build-essential`", &node, &python, "git", "mount"] {
                assert!(needed.contains(name), "{document} names no {name}: {needed}");
            }
        }
    }
}
