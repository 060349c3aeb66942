//! Builds the programs that people and apps start: the window, the command line, its bridge and the demo
//! server, all in one build.

use std::path::PathBuf;

use anyhow::Result;

use crate::workspace::Workspace;

/// The window's binary.
pub(crate) const DESKTOP: &str = "mooring-desktop";
/// The other binaries that ship with the window.
pub(crate) const COMPANIONS: [&str; 3] = ["mooring", "mooring-bridge", "mooring-demo-server"];

/// Cargo arguments that select the shipped packages and their features.
pub(crate) const SELECTION: [&str; 9] = [
    "--locked",
    "--features",
    "mooring-desktop/custom-protocol",
    "--package",
    "mooring-desktop",
    "--package",
    "mooring-cli",
    "--package",
    "mooring-demo-server",
];

/// Builds the programs in the development profile.
pub(crate) fn development(workspace: &Workspace) -> Result<()> {
    workspace.cargo(&["build"]).args(SELECTION).run()
}

/// Builds the programs in the release profile. The `extra` packages are in the same call so that dependencies
/// build once.
pub(crate) fn release(workspace: &Workspace, extra: &[&str]) -> Result<PathBuf> {
    let extra = extra.iter().flat_map(|package| ["--package", package]);
    workspace.cargo(&["build", "--release"]).args(SELECTION).args(extra).run()?;
    Ok(workspace.target.join("release"))
}

/// A binary's file name on this system.
pub(crate) fn file_name(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}
