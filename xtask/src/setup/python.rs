//! Python: checks its version and its support for virtual environments, and creates environments from pinned
//! requirements.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::command::Command;
use crate::setup::system::{self, VENV};
use crate::setup::{InstallMode, MissingPrerequisite, is_up_to_date, set_stamp};

/// The oldest Python that the test servers support.
pub(super) const OLDEST: &str = "3.11";
const CHECK: &str = "import sys; sys.exit(0 if sys.version_info >= (3, 11) else 1)";

/// Checks Python, and installs its `venv` module, which is a separate package on Debian.
pub(crate) fn ensure(installing: InstallMode) -> Result<()> {
    let get =
        "Install it from https://python.org or with your system's package manager, then run this again.";
    if !python().arg("--version").succeeds() {
        return Err(MissingPrerequisite(format!(
            "Python {OLDEST} or newer is needed and was not found. {get}"
        ))
        .into());
    }
    if !python().args(["-c", CHECK]).succeeds() {
        let version = python().arg("--version").capture()?;
        return Err(MissingPrerequisite(format!(
            "Python {OLDEST} or newer is needed, this is {}. {get}",
            version.trim()
        ))
        .into());
    }
    if makes_environments() {
        return Ok(());
    }
    system::install(&[&VENV], installing)?;
    if makes_environments() {
        return Ok(());
    }
    let message =
        "Python's venv module still does not work. Try `python3 -m venv` by hand and follow what it says.";
    Err(MissingPrerequisite(message.to_owned()).into())
}

/// Creates a virtual environment in `directory` with the pinned `requirements`. Recreates it when they
/// change.
pub(crate) fn environment(directory: &Path, requirements: &Path) -> Result<()> {
    let stamp = directory.join("installed-requirements.txt");
    if is_up_to_date(&stamp, requirements) {
        return Ok(());
    }
    if directory.exists() {
        fs::remove_dir_all(directory)
            .with_context(|| format!("could not remove: {}", directory.display()))?;
    }
    python().args(["-m", "venv"]).arg(directory).run()?;
    Command::new(program(directory, "python"))
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--only-binary",
            ":all:",
            "-r",
        ])
        .arg(requirements)
        .run()?;
    set_stamp(&stamp, requirements)
}

/// The path of a program in the environment in `directory`.
pub(crate) fn program(directory: &Path, name: &str) -> PathBuf {
    if cfg!(windows) {
        directory.join("Scripts").join(format!("{name}.exe"))
    } else {
        directory.join("bin").join(name)
    }
}

fn python() -> Command {
    Command::new(if cfg!(windows) { "python" } else { "python3" })
}

fn makes_environments() -> bool {
    python().args(["-c", "import venv, ensurepip"]).succeeds()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_of_the_same_pins_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let (pins, made) = (folder.path().join("requirements.txt"), folder.path().join("venv"));
        fs::write(&pins, "tool==1\n").unwrap();
        fs::create_dir(&made).unwrap();
        set_stamp(&made.join("installed-requirements.txt"), &pins).unwrap();
        environment(&made, &pins).unwrap();
        assert_eq!(fs::read_dir(&made).unwrap().count(), 1);
    }
}
