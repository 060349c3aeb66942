//! `cargo xtask bench`: the speed and size of release builds, as ratios to a baseline measured in the same
//! run.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::binaries;
use crate::command::Command;
use crate::headless;
use crate::setup::{InstallMode, pages, proxies, python, servers, system};
use crate::workspace::Workspace;

/// The row that runs `mooring-bench reliability`.
const RELIABILITY: &str = "reliability";
/// The row that compares the gateway with other proxies. Further arguments select among them.
const GATEWAY: &str = "gateway";
/// What the service and the hidden window cost while nothing happens.
const IDLE: &str = "idle";
/// Rows that need the real window. `mooring-bench` measures all others.
const WINDOW_ROWS: [&str; 5] = ["window-start", "window-memory", "waiting-call", "live-feed", "idle-window"];

/// Runs all rows, or the named ones. Arguments after `reliability` or `gateway` belong to that row.
pub(crate) fn bench(workspace: &Workspace, rows: &[String], installing: InstallMode) -> Result<ExitCode> {
    if rows.first().is_some_and(|row| row == GATEWAY) {
        return gateway(workspace, rows, installing);
    }
    if rows == [IDLE] {
        return idle(workspace, installing);
    }
    let (window, engine): (Vec<_>, Vec<_>) =
        rows.iter().map(String::as_str).partition(|row| WINDOW_ROWS.contains(row));
    let window = if rows.is_empty() { WINDOW_ROWS.to_vec() } else { window };
    let with_engine = rows.is_empty() || !engine.is_empty();

    let needs: &[_] = if window.is_empty() { &[system::BUILD] } else { &[system::BUILD, system::HEADLESS] };
    system::ensure(needs, installing)?;
    pages::node()?;
    if with_engine {
        python::ensure(installing)?;
    }
    pages::packages(workspace)?;
    pages::build(workspace)?;
    let built = binaries::release(workspace, &["mooring-tests"])?;
    if with_engine {
        // This also installs the clients of other SDKs.
        servers::install(workspace)?;
    }

    let mut passed = true;
    let engine_with = |words: &[&str]| {
        Command::new(built.join(binaries::file_name("mooring-bench")))
            .args(words)
            .env("MOORING_BIN_DIR", &built)
            .env("MOORING_SERVERS", workspace.servers())
            .directory(&workspace.root)
            .status()
    };
    if with_engine {
        passed &= engine_with(&engine)?.success();
    }
    if rows.is_empty() {
        passed &= engine_with(&[RELIABILITY])?.success();
    }
    if !window.is_empty() {
        let script = workspace.root.join("tests/e2e/bench-window.mjs");
        passed &= headless::session(workspace, &built)?.arg(script).args(window).status()?.success();
    }
    if passed {
        return Ok(ExitCode::SUCCESS);
    }
    bail!("a row missed its goal or could not be measured")
}

/// Measures `mooring serve` with idle apps, and the hidden window.
fn idle(workspace: &Workspace, installing: InstallMode) -> Result<ExitCode> {
    system::ensure(&[system::BUILD, system::HEADLESS], installing)?;
    pages::node()?;
    pages::packages(workspace)?;
    pages::build(workspace)?;
    let built = binaries::release(workspace, &["mooring-tests"])?;
    let service = Command::new(built.join(binaries::file_name("mooring-bench")))
        .arg("idle-apps")
        .env("MOORING_BIN_DIR", &built)
        .env("MOORING_SERVERS", workspace.servers())
        .directory(&workspace.root)
        .status()?;
    let script = workspace.root.join("tests/e2e/bench-window.mjs");
    let window = headless::session(workspace, &built)?.arg(script).arg("idle-window").status()?;
    if service.success() && window.success() {
        return Ok(ExitCode::SUCCESS);
    }
    bail!("a goal was missed or could not be measured")
}

/// Compares the gateway with popular proxies, which are installed only for this row.
fn gateway(workspace: &Workspace, words: &[String], installing: InstallMode) -> Result<ExitCode> {
    system::ensure(&[system::BUILD], installing)?;
    pages::node()?;
    python::ensure(installing)?;
    let packages = ["--package", "mooring-cli", "--package", "mooring-tests"];
    workspace.cargo(&["build", "--release", "--locked"]).args(packages).run()?;
    servers::install(workspace)?;
    let installed = proxies::install(workspace)?;
    let built = workspace.target.join("release");
    let measured = Command::new(built.join(binaries::file_name("mooring-bench")))
        .args(words)
        .env("MOORING_BIN_DIR", &built)
        .env("MOORING_SERVERS", workspace.servers())
        .env("MOORING_PROXIES", installed)
        .directory(&workspace.root)
        .status()?;
    if measured.success() {
        return Ok(ExitCode::SUCCESS);
    }
    bail!("a goal was missed or could not be measured")
}
