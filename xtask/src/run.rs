//! `cargo xtask run`: build Mooring and open its window, or show that it works where there is no display.

use std::process::ExitCode;

use anyhow::Result;

use crate::binaries;
use crate::command::Command;
use crate::headless;
use crate::setup::{Installing, pages, system};
use crate::workspace::Workspace;

/// Sets up, builds and opens the window; without a display, or when asked, on a virtual one.
pub(crate) fn run(
    workspace: &Workspace,
    headless: bool,
    installing: Installing,
    arguments: &[String],
) -> Result<ExitCode> {
    let without_display = !system::has_display();
    if without_display && !headless {
        println!("No display here: opening the window on a virtual one, as with --headless.");
    }
    let headless = headless || without_display;
    let needs: &[_] = if headless { &[system::BUILD, system::HEADLESS] } else { &[system::BUILD] };
    system::ensure(needs, installing)?;
    pages::node()?;
    pages::packages(workspace)?;
    pages::build(workspace)?;
    binaries::development(workspace)?;
    if headless {
        headless::demonstrate(workspace)?;
        return Ok(ExitCode::SUCCESS);
    }
    let window = workspace.binaries().join(binaries::file_name(binaries::DESKTOP));
    let status = Command::new(window).args(arguments).directory(&workspace.root).status()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}
