//! The real servers of the journeys: third-party ones pinned in `tests/servers`, and our own, built with the
//! official SDKs. Also the SDKs' clients that ours is compared with.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::setup::{pages, python};
use crate::workspace::Workspace;

/// Installs all of them in the target directory, unless these versions are already there.
pub(crate) fn install(workspace: &Workspace) -> Result<()> {
    let pins = workspace.root.join("tests/servers");
    install_npm(workspace)?;
    for (environment, pinned) in [("venv", "requirements.txt"), ("venv-2025", "requirements-2025.txt")] {
        python::environment(&workspace.servers().join(environment), &pins.join(pinned))?;
    }
    // In a separate folder, because these have programs with the same names as the current ones.
    packages(&pins.join("old"), &workspace.servers().join("old"))
}

/// Installs the Node servers.
pub(crate) fn install_npm(workspace: &Workspace) -> Result<()> {
    let pins = workspace.root.join("tests/servers");
    let npm = workspace.servers().join("npm");
    packages(&pins, &npm)?;
    // The scripts must be next to the packages that they import.
    for scripts in ["peers", "clients", "apps"].map(|folder| pins.join(folder)) {
        for entry in fs::read_dir(&scripts).with_context(|| scripts.display().to_string())? {
            let path = entry?.path();
            let name = path.file_name().context("a script without a name")?;
            fs::copy(&path, npm.join(name)).with_context(|| format!("could not copy: {}", path.display()))?;
        }
    }
    Ok(())
}

/// Installs the packages of the lock file in `pins` in `folder`.
pub(super) fn packages(pins: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("could not make: {}", folder.display()))?;
    for name in ["package.json", "package-lock.json"] {
        fs::copy(pins.join(name), folder.join(name)).with_context(|| format!("could not copy: {name}"))?;
    }
    pages::install(folder)
}
