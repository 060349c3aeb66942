//! `cargo xtask apps`: connects real apps from npm, uses each with a scripted model, and disconnects it. Not
//! part of CI, because the apps take 1.3 GB.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::binaries;
use crate::command::Command;
use crate::setup::{InstallMode, pages, system};
use crate::workspace::Workspace;

/// Tries all apps, or the named ones.
pub(crate) fn apps(workspace: &Workspace, names: &[String], installing: InstallMode) -> Result<ExitCode> {
    system::ensure(&[system::BUILD], installing)?;
    pages::node()?;
    binaries::development(workspace)?;
    let folder = workspace.target.join("apps");
    pages::install_apps(&workspace.root.join("tests/apps"), &folder)?;
    let tried = Command::new("node")
        .arg(workspace.root.join("tests/apps/run.mjs"))
        .args(names)
        .env("MOORING_BIN_DIR", workspace.binaries())
        .env("MOORING_APPS", &folder)
        .directory(&workspace.root)
        .status()?;
    if tried.success() {
        return Ok(ExitCode::SUCCESS);
    }
    bail!("an app could not use the servers")
}
