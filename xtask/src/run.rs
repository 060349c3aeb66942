//! `cargo xtask run`: builds Mooring and opens its window, or runs a demonstration if there is no display.

use std::process::ExitCode;

use anyhow::{Result, ensure};

use crate::binaries;
use crate::command::Command;
use crate::headless;
use crate::setup::{InstallMode, pages, python, servers, system};
use crate::workspace::Workspace;

/// Sets up, builds and opens the window. Uses a virtual display if there is no real one, or if asked to.
pub(crate) fn run(
    workspace: &Workspace,
    headless: bool,
    installing: InstallMode,
    arguments: &[String],
) -> Result<ExitCode> {
    let without_display = !system::has_display();
    if without_display && !headless {
        println!("No display here: opening the window on a virtual one, as with --headless.");
    }
    let headless = headless || without_display;
    ensure!(
        !headless || arguments.is_empty(),
        "a window on a virtual display takes no arguments: {}",
        arguments.join(" ")
    );
    build(workspace, headless, installing)?;
    if headless {
        headless::demonstrate(workspace)?;
        return Ok(ExitCode::SUCCESS);
    }
    let window = workspace.binaries().join(binaries::file_name(binaries::DESKTOP));
    let status = Command::new(window).args(arguments).directory(&workspace.root).status()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Takes the pictures for the README, with real servers and the demo server.
pub(crate) fn readme_pictures(workspace: &Workspace, installing: InstallMode) -> Result<ExitCode> {
    python::ensure(installing)?;
    build(workspace, true, installing)?;
    servers::install(workspace)?;
    let script = workspace.root.join("tests/e2e/readme-pictures.mjs");
    headless::session(workspace, &workspace.binaries())?.arg(script).run()?;
    Ok(ExitCode::SUCCESS)
}

/// Builds everything that the window needs.
fn build(workspace: &Workspace, headless: bool, installing: InstallMode) -> Result<()> {
    let needs: &[_] = if headless { &[system::BUILD, system::HEADLESS] } else { &[system::BUILD] };
    system::ensure(needs, installing)?;
    pages::node()?;
    pages::packages(workspace)?;
    pages::build(workspace)?;
    binaries::development(workspace)
}
