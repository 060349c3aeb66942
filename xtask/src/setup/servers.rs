//! The real servers of the journeys: other people's from their registries, pinned in `tests/servers`, and ours
//! that are built with the official SDKs; and the clients of the same SDKs that ours is measured beside.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::setup::{pages, python};
use crate::workspace::Workspace;

/// Installs them under the target directory, unless exactly these are there.
pub(crate) fn install(workspace: &Workspace) -> Result<()> {
    let pins = workspace.root.join("tests/servers");
    install_npm(workspace)?;
    for (environment, pinned) in [("venv", "requirements.txt"), ("venv-2025", "requirements-2025.txt")] {
        python::environment(&workspace.servers().join(environment), &pins.join(pinned))?;
    }
    // Apart: these have programs of the same name as today's.
    packages(&pins.join("old"), &workspace.servers().join("old"))
}

/// Installs those that run with Node.
pub(crate) fn install_npm(workspace: &Workspace) -> Result<()> {
    let pins = workspace.root.join("tests/servers");
    let npm = workspace.servers().join("npm");
    packages(&pins, &npm)?;
    // Beside the packages that they import.
    for scripts in ["peers", "clients", "apps"].map(|folder| pins.join(folder)) {
        for entry in fs::read_dir(&scripts).with_context(|| scripts.display().to_string())? {
            let path = entry?.path();
            let name = path.file_name().context("a script without a name")?;
            fs::copy(&path, npm.join(name)).with_context(|| format!("could not copy: {}", path.display()))?;
        }
    }
    Ok(())
}

/// Installs what the lock file in `pins` names into `folder`.
pub(super) fn packages(pins: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("could not make: {}", folder.display()))?;
    for name in ["package.json", "package-lock.json"] {
        fs::copy(pins.join(name), folder.join(name)).with_context(|| format!("could not copy: {name}"))?;
    }
    pages::install(folder)
}
