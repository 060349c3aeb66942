//! Building what people and apps start: the window, the command line, its bridge and the demo server, always together.

use std::path::PathBuf;

use anyhow::Result;

use crate::workspace::Workspace;

/// The window's binary.
pub(crate) const DESKTOP: &str = "mooring-desktop";
/// The binaries that the window is shipped with.
pub(crate) const COMPANIONS: [&str; 3] = ["mooring", "mooring-bridge", "mooring-demo-server"];

/// The packages that ship, with their features.
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

/// Builds them in the development profile.
pub(crate) fn development(workspace: &Workspace) -> Result<()> {
    workspace.cargo(&["build"]).args(SELECTION).run()
}

/// Builds them as they are shipped, with `extra` packages in the same call so that dependencies build once.
pub(crate) fn release(workspace: &Workspace, extra: &[&str]) -> Result<PathBuf> {
    let extra = extra.iter().flat_map(|package| ["--package", package]);
    workspace.cargo(&["build", "--release"]).args(SELECTION).args(extra).run()?;
    Ok(workspace.target.join("release"))
}

/// A binary's file name here.
pub(crate) fn file_name(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}
