//! Node and the window's pages: installs npm packages from the lock file and builds the pages, only if they
//! are stale.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::command::Command;
use crate::setup::{MissingPrerequisite, is_up_to_date, program, set_stamp};
use crate::workspace::{NPM, Workspace};

/// The oldest Node that the pages' build tools support.
pub(super) const NODE: (u32, u32) = (20, 19);

/// Checks that Node and npm are installed and new enough.
pub(crate) fn node() -> Result<()> {
    let needed = format!("Node {}.{} or newer with npm", NODE.0, NODE.1);
    let get = "Install it from https://nodejs.org or with your version manager, then run this again.";
    let Ok(version) = Command::new("node").arg("--version").capture() else {
        return Err(MissingPrerequisite(format!("{needed} is needed and `node` was not found. {get}")).into());
    };
    let mut numbers = version.trim().trim_start_matches('v').split('.').map(|part| part.parse().unwrap_or(0));
    let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if found < NODE {
        return Err(
            MissingPrerequisite(format!("{needed} is needed, this is {}. {get}", version.trim())).into()
        );
    }
    if program(NPM).is_none() {
        return Err(MissingPrerequisite(format!("{needed} is needed and `npm` was not found. {get}")).into());
    }
    Ok(())
}

/// Installs the npm packages of the pages, unless this lock file is already installed.
pub(crate) fn packages(workspace: &Workspace) -> Result<()> {
    install(&workspace.ui())
}

/// Runs `npm ci` in `directory`, unless its lock file is already installed.
pub(crate) fn install(directory: &Path) -> Result<()> {
    install_with(Command::new(NPM), directory)
}

/// Installs the exact versions of the apps of `tests/apps` in `directory`. There is no lock file, because an
/// app's packages depend on the system.
pub(crate) fn install_apps(pins: &Path, directory: &Path) -> Result<()> {
    let (wanted, there) = (pins.join("package.json"), directory.join("package.json"));
    std::fs::create_dir_all(directory)?;
    std::fs::copy(&wanted, &there)?;
    let stamp = directory.join("node_modules/.installed-apps.json");
    if is_up_to_date(&stamp, &there) {
        return Ok(());
    }
    let words = ["install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"];
    Command::new(NPM).args(words).directory(directory).run()?;
    set_stamp(&stamp, &there)
}

fn install_with(npm: Command, directory: &Path) -> Result<()> {
    let lock = directory.join("package-lock.json");
    if !lock.is_file() {
        bail!("no package-lock.json in {}", directory.display());
    }
    let stamp = directory.join("node_modules/.installed-lock.json");
    if is_up_to_date(&stamp, &lock) {
        return Ok(());
    }
    npm.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).directory(directory).run()?;
    set_stamp(&stamp, &lock)
}

/// Builds the pages, unless the last build is newer than all of their sources.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    if is_built(&workspace.ui(), &workspace.ui().join("dist"), &[])? {
        return Ok(());
    }
    workspace.npm(&["run", "--silent", "build"]).run()
}

/// Builds the pages with the mock backend. Returns their folder.
pub(crate) fn build_scripted(workspace: &Workspace) -> Result<PathBuf> {
    let built = workspace.target.join("ui-mock");
    if !is_built(&workspace.ui(), &built, &["dev"])? {
        let vite = workspace.npm(&["exec", "--", "vite", "build", "--mode", "mock", "--logLevel", "error"]);
        vite.arg("--emptyOutDir").arg("--outDir").arg(&built).run()?;
    }
    Ok(built)
}

/// Whether `built` is newer than all sources of the pages in `ui`, including `more`.
fn is_built(ui: &Path, built: &Path, more: &[&str]) -> Result<bool> {
    const SOURCES: [&str; 6] =
        ["src", "public", "index.html", "vite.config.ts", "package-lock.json", "tsconfig.json"];
    let built = modified(&built.join("index.html"));
    let mut newest = None;
    for name in SOURCES.iter().chain(more) {
        newest = newest.max(newest_in(&ui.join(name))?);
    }
    Ok(built.is_some() && built >= newest)
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

fn newest_in(path: &Path) -> Result<Option<SystemTime>> {
    let mut newest = modified(path);
    if path.is_dir() {
        for entry in fs::read_dir(path).with_context(|| format!("could not read: {}", path.display()))? {
            newest = newest.max(newest_in(&entry?.path())?);
        }
    }
    Ok(newest)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Duration;

    use super::*;

    /// A fake npm that logs each run.
    #[cfg(unix)]
    fn npm(directory: &Path) -> (Command, PathBuf) {
        let runs = directory.join("runs");
        let script = "mkdir -p node_modules && echo \"$1\" >> runs";
        (Command::new("/bin/sh").args(["-c", script, "npm"]), runs)
    }

    #[cfg(unix)]
    #[test]
    fn packages_are_installed_once_for_each_lock_file() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("package-lock.json");
        let install = || {
            let (npm, runs) = npm(folder.path());
            install_with(npm, folder.path()).unwrap();
            fs::read_to_string(runs).unwrap()
        };
        fs::write(&lock, "one").unwrap();
        assert_eq!(install(), "ci\n");
        // A checkout also rewrites the file with the same content.
        fs::write(&lock, "one").unwrap();
        assert_eq!(install(), "ci\n");
        fs::write(&lock, "another").unwrap();
        assert_eq!(install(), "ci\nci\n");
        fs::remove_dir_all(folder.path().join("node_modules")).unwrap();
        assert_eq!(install(), "ci\nci\nci\n");
    }

    #[test]
    fn pages_are_rebuilt_when_any_source_is_newer() {
        let folder = tempfile::tempdir().unwrap();
        let ui = folder.path();
        let built = ui.join("dist/index.html");
        let start = SystemTime::now();
        let write = |path: &Path, seconds: u64| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            File::create(path).unwrap().set_modified(start + Duration::from_secs(seconds)).unwrap();
        };
        let is_built = |more: &[&str]| is_built(ui, &ui.join("dist"), more).unwrap();
        let sources = ["src/a/deep.tsx", "public/x.svg", "index.html", "vite.config.ts", "package-lock.json"];
        for source in sources {
            write(&ui.join(source), 10);
        }
        write(&ui.join("dev/mock.ts"), 10);
        assert!(!is_built(&[]), "there are no pages yet");
        let mut now = 20;
        write(&built, now);
        assert!(is_built(&[]) && is_built(&["dev"]));
        for source in sources {
            write(&ui.join(source), now + 10);
            assert!(!is_built(&[]), "{source}");
            now += 20;
            write(&built, now);
            assert!(is_built(&[]), "{source}");
        }
        write(&ui.join("dev/mock.ts"), now + 10);
        assert!(is_built(&[]) && !is_built(&["dev"]));
    }
}
