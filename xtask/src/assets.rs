//! Generated files that are committed: the icons, the TypeScript types of the window's commands, and
//! recordings of the host's answers.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::binaries::file_name;
use crate::command::Command;
use crate::setup::{InstallMode, pages, system};
use crate::workspace::Workspace;

/// The generated icons that the installers and the window use.
const ICONS: [&str; 6] = ["32x32.png", "64x64.png", "128x128.png", "128x128@2x.png", "icon.icns", "icon.ico"];

/// Redraws every icon from the SVG drawing, and saves the drawing's hash.
pub(crate) fn icons(workspace: &Workspace) -> Result<ExitCode> {
    pages::node()?;
    pages::packages(workspace)?;
    let drawn = workspace.target.join("icons");
    let drawing = workspace.root.join("icons/mooring.svg");
    let bytes = fs::read(&drawing).with_context(|| format!("could not read: {}", drawing.display()))?;
    tauri(workspace)
        .arg("icon")
        .arg(&drawing)
        .arg("--output")
        .arg(&drawn)
        .directory(&workspace.root)
        .run()?;
    for name in ICONS {
        let copied = fs::copy(drawn.join(name), workspace.root.join("icons").join(name));
        copied.with_context(|| format!("could not copy: {name}"))?;
    }
    // In the format of `sha256sum`. A test compares the hash to check that the icons match the drawing.
    let mut hash = String::new();
    for byte in Sha256::digest(&bytes) {
        write!(hash, "{byte:02x}")?;
    }
    fs::write(workspace.root.join("icons/mooring.svg.sha256"), format!("{hash}  mooring.svg\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Regenerates the committed bindings.
pub(crate) fn bindings(workspace: &Workspace, installing: InstallMode) -> Result<ExitCode> {
    system::ensure(&[system::BUILD], installing)?;
    let directory = workspace.ui().join("src/ipc/bindings");
    workspace
        .cargo(&["run", "--package", "mooring-desktop", "--example", "bindings"])
        .arg(directory)
        .run()?;
    Ok(ExitCode::SUCCESS)
}

/// Regenerates the committed recordings of the host's answers.
pub(crate) fn recordings(workspace: &Workspace, installing: InstallMode) -> Result<ExitCode> {
    system::ensure(&[system::BUILD], installing)?;
    workspace
        .cargo(&["test", "--workspace", "--test", "it", "recordings::"])
        .env("SHELL", workspace.login_shell())
        .env("MOORING_WRITE_RECORDINGS", "1")
        .run()?;
    Ok(ExitCode::SUCCESS)
}

/// Fails if the committed bindings differ from those that the built generator writes.
pub(crate) fn check_bindings(workspace: &Workspace) -> Result<()> {
    let fresh = workspace.target.join("bindings");
    if fresh.exists() {
        fs::remove_dir_all(&fresh)?;
    }
    let generator = workspace.binaries().join("examples").join(file_name("bindings"));
    Command::new(generator).arg(&fresh).directory(&workspace.root).capture()?;
    let committed = workspace.ui().join("src/ipc/bindings");
    let differing = differences(&committed, &fresh)?;
    if differing.is_empty() {
        return Ok(());
    }
    bail!("the committed bindings are out of date, run `cargo xtask bindings`: {}", differing.join(", "))
}

/// Files that differ or exist in only one directory, as relative paths.
fn differences(left: &Path, right: &Path) -> Result<Vec<String>> {
    let mut names = files(left, "")?;
    names.extend(files(right, "")?);
    names.sort();
    names.dedup();
    names.retain(|name| fs::read(left.join(name)).ok() != fs::read(right.join(name)).ok());
    Ok(names)
}

fn files(root: &Path, prefix: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in
        fs::read_dir(root.join(prefix)).with_context(|| format!("no directory: {}", root.display()))?
    {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        if entry.file_type()?.is_dir() {
            found.extend(files(root, &path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

/// The Tauri command line from the npm packages of the pages.
pub(crate) fn tauri(workspace: &Workspace) -> Command {
    let name = if cfg!(windows) { "tauri.cmd" } else { "tauri" };
    Command::new(workspace.ui().join("node_modules/.bin").join(name))
}
