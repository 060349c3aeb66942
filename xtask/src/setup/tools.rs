//! The tools of the checks at pinned versions. They are installed in the target directory only.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::command::Command;
use crate::setup::python;
use crate::workspace::Workspace;

/// A tool built from crates.io.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CargoTool {
    name: &'static str,
    version: &'static str,
}

/// Checks the dependencies' licences, sources, duplicates and advisories.
pub(crate) const DENY: CargoTool = CargoTool { name: "cargo-deny", version: "0.20.2" };
/// Finds unused dependencies.
pub(crate) const MACHETE: CargoTool = CargoTool { name: "cargo-machete", version: "0.9.2" };

/// Returns the tool's path. Builds the tool first if this version is missing.
pub(crate) fn cargo_tool(workspace: &Workspace, tool: CargoTool) -> Result<PathBuf> {
    let root = directory(workspace).join(format!("{}-{}", tool.name, tool.version));
    let program = root.join("bin").join(format!("{}{}", tool.name, std::env::consts::EXE_SUFFIX));
    if program.is_file() {
        return Ok(program);
    }
    let build = directory(workspace).join("build");
    // The tools have many dependencies in common, so they share a build directory.
    workspace
        .cargo_low_priority(&[
            "install",
            "--quiet",
            "--locked",
            "--debug",
            "--version",
            tool.version,
            "--root",
        ])
        .arg(&root)
        .arg("--target-dir")
        .arg(&build)
        .arg(tool.name)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .run()?;
    Ok(program)
}

/// The spelling checker. The Python Package Index has prebuilt binaries.
pub(crate) fn typos(workspace: &Workspace) -> Result<PathBuf> {
    let environment = directory(workspace).join("typos");
    python::environment(&environment, &pins(workspace))?;
    Ok(python::program(&environment, "typos"))
}

/// A command that runs `program` in the repository's root.
pub(crate) fn at_root(workspace: &Workspace, program: &Path) -> Command {
    Command::new(program).directory(&workspace.root)
}

fn pins(workspace: &Workspace) -> PathBuf {
    workspace.root.join("xtask/tools.txt")
}

fn directory(workspace: &Workspace) -> PathBuf {
    workspace.target.join("tools")
}
