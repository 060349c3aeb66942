//! `cargo xtask conformance`: runs the official suite against our client, or with `--gateway` against our
//! gateway.
//!
//! A run passes only if some check succeeded and none failed or warned.

mod client;
mod findings;
mod gateway;
mod served;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use self::findings::Finding;
use crate::binaries::file_name;
use crate::command::Command;
use crate::setup::{InstallMode, pages, servers, system};
use crate::workspace::Workspace;

/// What the suite tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConformanceTarget {
    /// Our client, with the suite as its servers.
    Client,
    /// Our gateway, with the suite as an app.
    Gateway,
}

/// The installed suite.
struct Suite<'a> {
    workspace: &'a Workspace,
    directory: PathBuf,
}

/// Builds the tested programs, runs all scenarios or those whose names start with one of `chosen`, and writes
/// the results to `report` as JSON.
pub(crate) fn conformance(
    workspace: &Workspace,
    target: ConformanceTarget,
    chosen: &[String],
    report: Option<&Path>,
    installing: InstallMode,
) -> Result<ExitCode> {
    system::ensure(&[system::BUILD], installing)?;
    pages::node()?;
    pages::packages(workspace)?;
    let programs = match target {
        ConformanceTarget::Client => client::PROGRAMS,
        ConformanceTarget::Gateway => {
            servers::install_npm(workspace)?;
            served::PROGRAMS
        }
    };
    workspace.cargo_workspace("build", programs).run()?;
    let findings = run(workspace, target, chosen)?;
    if let Some(report) = report {
        fs::write(report, format!("{:#}\n", findings::as_json(&findings)))
            .with_context(|| format!("could not write: {}", report.display()))?;
    }
    Ok(if findings.iter().all(Finding::is_good) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs all scenarios with the programs that are already built. Fails if a run doesn't pass.
pub(crate) fn check(workspace: &Workspace, target: ConformanceTarget) -> Result<()> {
    let findings = run(workspace, target, &[])?;
    let wrong: Vec<_> = findings.iter().filter(|finding| !finding.is_good()).map(Finding::name).collect();
    if wrong.is_empty() { Ok(()) } else { bail!("not passed: {}", wrong.join(", ")) }
}

fn run(workspace: &Workspace, target: ConformanceTarget, chosen: &[String]) -> Result<Vec<Finding>> {
    let suite = Suite::install(workspace)?;
    match target {
        ConformanceTarget::Client => client::run_all(&suite, chosen),
        ConformanceTarget::Gateway => gateway::run_all(&suite, chosen),
    }
}

/// Whether the scenario is selected on the command line.
fn is_chosen(scenario: &str, chosen: &[String]) -> bool {
    chosen.is_empty() || chosen.iter().any(|name| scenario.starts_with(name))
}

impl<'a> Suite<'a> {
    /// Installs the pinned suite in the target directory, unless this version is already there.
    fn install(workspace: &'a Workspace) -> Result<Self> {
        let directory = workspace.target.join("conformance");
        fs::create_dir_all(&directory).with_context(|| format!("could not make: {}", directory.display()))?;
        for name in ["package.json", "package-lock.json"] {
            fs::copy(workspace.root.join("tests/conformance").join(name), directory.join(name))
                .with_context(|| format!("could not copy: {name}"))?;
        }
        pages::install(&directory)?;
        Ok(Self { workspace, directory })
    }

    /// The Node from the npm packages of the pages. The suite needs a newer one than they do.
    fn node(&self) -> PathBuf {
        self.workspace.ui().join("node_modules/.bin").join(file_name("node"))
    }

    /// A command that runs the suite's command line.
    fn command(&self) -> Command {
        Command::new(self.node())
            .arg(self.directory.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"))
            .directory(&self.directory)
    }

    /// Creates an empty folder with this name.
    fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.directory.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("could not remove: {}", folder.display()))?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("could not make: {}", folder.display()))?;
        Ok(folder)
    }
}
