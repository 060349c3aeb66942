//! Where things are: the repository, its target directory, and the cargo selection every task shares.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::command::Command;

/// Features of every build in the development profile. One selection, so that dependencies build once;
/// with this one the window carries its pages instead of asking a development server for them.
const FEATURES: [&str; 2] = ["--features", "mooring-desktop/custom-protocol"];

/// Node's package manager, which Windows has as a batch file that only its whole name starts.
pub(crate) const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// The repository this task was built from.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// The repository's root.
    pub(crate) root: PathBuf,
    /// Cargo's target directory, as `CARGO_TARGET_DIR` or the configuration names it.
    pub(crate) target: PathBuf,
    metadata: Value,
}

impl Workspace {
    /// Asks cargo, so that every way to name a target directory is honoured.
    pub(crate) fn find() -> Result<Self> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = manifest.parent().context("xtask has no parent directory")?.to_owned();
        let text = Command::new(cargo())
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .directory(&root)
            .capture()?;
        let metadata: Value = serde_json::from_str(&text).context("cargo metadata printed no JSON")?;
        let target =
            metadata["target_directory"].as_str().context("cargo metadata names no target directory")?;
        Ok(Self { root, target: PathBuf::from(target), metadata })
    }

    /// Names of the workspace's integration test targets.
    pub(crate) fn integration_tests(&self) -> Vec<String> {
        self.targets("test")
    }

    /// Names of the targets of this kind, each once.
    pub(crate) fn targets(&self, kind: &str) -> Vec<String> {
        let packages = self.metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
        let targets = packages.iter().flat_map(|package| {
            package["targets"].as_array().map_or(&[][..], Vec::as_slice).iter().filter(|target| {
                target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|known| known == kind))
            })
        });
        let mut names: Vec<String> =
            targets.filter_map(|target| target["name"].as_str()).map(str::to_owned).collect();
        names.sort();
        names.dedup();
        names
    }

    /// `cargo ARGUMENTS` in the root.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        Command::new(cargo()).args(arguments).directory(&self.root)
    }

    /// `cargo ARGUMENTS` at low priority, where the system supports that.
    pub(crate) fn cargo_low_priority(&self, arguments: &[&str]) -> Command {
        if !cfg!(unix) {
            return self.cargo(arguments);
        }
        Command::new("nice").arg(cargo()).args(arguments).directory(&self.root)
    }

    /// `cargo VERB --workspace --locked` with the shared features, then `arguments`.
    pub(crate) fn cargo_workspace(&self, verb: &str, arguments: &[&str]) -> Command {
        self.cargo(&[verb, "--workspace", "--locked"]).args(FEATURES).args(arguments)
    }

    /// `npm ARGUMENTS` for the window's pages.
    pub(crate) fn npm(&self, arguments: &[&str]) -> Command {
        Command::new(NPM).args(arguments).directory(&self.ui())
    }

    /// The window's pages.
    pub(crate) fn ui(&self) -> PathBuf {
        self.root.join("ui")
    }

    /// Directory of the binaries of the development profile.
    pub(crate) fn binaries(&self) -> PathBuf {
        self.target.join("debug")
    }

    /// Directory of the real servers that the journeys connect to.
    pub(crate) fn servers(&self) -> PathBuf {
        self.target.join("servers")
    }

    /// The login shell of tests: without the start-up files of whoever runs them.
    pub(crate) fn login_shell(&self) -> PathBuf {
        self.root.join("tests/login-shell.sh")
    }

    /// `path` as a person at the root would write it.
    pub(crate) fn relative_path(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

fn cargo() -> String {
    env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}
