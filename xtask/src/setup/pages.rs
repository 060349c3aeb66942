//! Node and the window's pages: npm packages from the lock file, and the built pages, each only when stale.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::command::Command;
use crate::setup::{Missing, program, set_stamp, stamped};
use crate::workspace::Workspace;

/// The oldest Node that the build tools of the pages run on.
const NODE: (u32, u32) = (20, 19);

/// Checks that Node and npm are there and new enough.
pub(crate) fn node() -> Result<()> {
    let needed = format!("Node {}.{} or newer with npm", NODE.0, NODE.1);
    let get = "Install it from https://nodejs.org or with your version manager, then run this again.";
    let Ok(version) = Command::new("node").arg("--version").capture() else {
        return Err(Missing(format!("{needed} is needed and `node` was not found. {get}")).into());
    };
    let mut numbers = version.trim().trim_start_matches('v').split('.').map(|part| part.parse().unwrap_or(0));
    let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if found < NODE {
        return Err(Missing(format!("{needed} is needed, this is {}. {get}", version.trim())).into());
    }
    if program("npm").is_none() && program("npm.cmd").is_none() {
        return Err(Missing(format!("{needed} is needed and `npm` was not found. {get}")).into());
    }
    Ok(())
}

/// Installs the npm packages that the lock file names, unless that was done for this very file.
pub(crate) fn packages(workspace: &Workspace) -> Result<()> {
    install(&workspace.ui())
}

/// `npm ci` in `directory`, unless its lock file is the one already installed.
pub(crate) fn install(directory: &Path) -> Result<()> {
    let lock = directory.join("package-lock.json");
    if !lock.is_file() {
        bail!("no package-lock.json in {}", directory.display());
    }
    let stamp = directory.join("node_modules/.installed-lock.json");
    if stamped(&stamp, &lock) {
        return Ok(());
    }
    Command::new("npm")
        .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
        .directory(directory)
        .run()?;
    set_stamp(&stamp, &lock)
}

/// Builds the pages unless nothing they are made of is newer than the last build.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    if is_built(workspace, &workspace.ui().join("dist"), &[])? {
        return Ok(());
    }
    workspace.npm(&["run", "--silent", "build"]).run()
}

/// As `build`, but over the scripted backend; gives where they are.
pub(crate) fn build_scripted(workspace: &Workspace) -> Result<PathBuf> {
    let built = workspace.target.join("ui-mock");
    if !is_built(workspace, &built, &["dev"])? {
        let vite = workspace.npm(&["exec", "--", "vite", "build", "--mode", "mock", "--logLevel", "error"]);
        vite.arg("--emptyOutDir").arg("--outDir").arg(&built).run()?;
    }
    Ok(built)
}

/// Whether `built` is newer than everything the pages are made of, `more` of it included.
fn is_built(workspace: &Workspace, built: &Path, more: &[&str]) -> Result<bool> {
    const SOURCES: [&str; 6] =
        ["src", "public", "index.html", "vite.config.ts", "package-lock.json", "tsconfig.json"];
    let built = modified(&built.join("index.html"));
    let mut newest = None;
    for name in SOURCES.iter().chain(more) {
        newest = newest.max(newest_in(&workspace.ui().join(name))?);
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
