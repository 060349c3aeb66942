//! Runs the real window without a display: Node scripts in `tests/e2e` drive it through `WebKitWebDriver`.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::command::Command;
use crate::workspace::Workspace;

/// Opens the window, starts the demo server, calls one of its tools and takes a picture.
pub(crate) fn demonstrate(workspace: &Workspace) -> Result<()> {
    let script = workspace.root.join("tests/e2e/headless-run.mjs");
    session(workspace, &workspace.binaries())?.arg(script).run()
}

/// Creates a `node` command with the paths in its environment. The caller adds the script.
pub(crate) fn session(workspace: &Workspace, binaries: &Path) -> Result<Command> {
    if !cfg!(target_os = "linux") {
        bail!("the window is driven through WebKitWebDriver, which exists on Linux only");
    }
    Ok(prepare(Command::new(node(workspace)), workspace, binaries))
}

/// Adds the paths that the scripts need to the environment of a command.
pub(crate) fn prepare(command: Command, workspace: &Workspace, binaries: &Path) -> Command {
    command
        .directory(&workspace.root)
        .env("MOORING_BIN_DIR", binaries)
        .env("MOORING_SERVERS", workspace.servers())
        .env("SHELL", workspace.login_shell())
        .env("MOORING_SCREENSHOTS", workspace.target.join("screenshots"))
}

/// The Node from the npm packages of the pages, or the system's.
pub(crate) fn node(workspace: &Workspace) -> PathBuf {
    let own = workspace.ui().join("node_modules/.bin/node");
    if own.is_file() { own } else { PathBuf::from("node") }
}
