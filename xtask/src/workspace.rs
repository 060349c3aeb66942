//! The repository's paths, its target directory, and the cargo arguments that all tasks share.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::command::Command;

/// The features of every development build. A single set, so that dependencies build once. This one embeds
/// the pages in the window instead of loading them from a development server.
const FEATURES: [&str; 2] = ["--features", "mooring-desktop/custom-protocol"];

/// npm. On Windows it is a batch file, which only starts by its full name.
pub(crate) const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// Additional environment variables for cargo.
type Environment = Vec<(&'static str, OsString)>;

/// The repository that this program was built from.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    /// The repository's root.
    pub(crate) root: PathBuf,
    /// Cargo's target directory, from `CARGO_TARGET_DIR` or the configuration.
    pub(crate) target: PathBuf,
    metadata: Value,
    /// Additional environment variables for workspace builds.
    environment: Environment,
}

/// A package of this repository.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// The folder, relative to the root and with slashes.
    pub(crate) folder: String,
    /// Packages of this repository that it depends on.
    pub(crate) needs: Vec<String>,
    /// Packages of this repository that only its tests depend on.
    pub(crate) tests_need: Vec<String>,
    /// The names of its integration tests.
    pub(crate) tests: Vec<String>,
}

/// A built test program.
#[derive(Debug)]
pub(crate) struct TestBinary {
    pub(crate) package: String,
    pub(crate) target: String,
    /// The package's folder, in which its tests run.
    pub(crate) folder: PathBuf,
    pub(crate) executable: PathBuf,
}

impl Workspace {
    /// Finds the repository. Asks cargo, so that all ways to set the target directory work.
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
        Ok(Self { root, target: PathBuf::from(target), metadata, environment: Vec::new() })
    }

    /// Builds the workspace with these environment variables from now on.
    pub(crate) fn building_with(
        self,
        environment: impl IntoIterator<Item = (&'static str, OsString)>,
    ) -> Self {
        Self { environment: environment.into_iter().collect(), ..self }
    }

    /// The names of the workspace's integration tests.
    pub(crate) fn integration_tests(&self) -> Vec<String> {
        self.targets("test")
    }

    /// The names of all targets of this kind, without duplicates.
    pub(crate) fn targets(&self, kind: &str) -> Vec<String> {
        let mut names: Vec<String> =
            array(&self.metadata["packages"]).iter().flat_map(|package| targets(package, kind)).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The packages of this repository.
    pub(crate) fn packages(&self) -> Result<Vec<Package>> {
        array(&self.metadata["packages"]).iter().map(|package| self.package(package)).collect()
    }

    fn package(&self, package: &Value) -> Result<Package> {
        let name = package["name"].as_str().context("cargo metadata names no package")?;
        let folder = folder_of(package)?;
        let folder = folder
            .strip_prefix(&self.root)
            .with_context(|| format!("not in this repository: {}", folder.display()))?;
        let (tests_need, needs): (Vec<_>, Vec<_>) = array(&package["dependencies"])
            .iter()
            .filter(|dependency| dependency["path"].is_string())
            .partition(|dependency| dependency["kind"] == "dev");
        let names = |dependencies: Vec<&Value>| {
            dependencies
                .iter()
                .filter_map(|dependency| dependency["name"].as_str())
                .map(str::to_owned)
                .collect()
        };
        Ok(Package {
            name: name.to_owned(),
            folder: folder.to_string_lossy().replace('\\', "/"),
            needs: names(needs),
            tests_need: names(tests_need),
            tests: targets(package, "test"),
        })
    }

    /// Builds the tests that `arguments` select, with the shared features, and returns their paths.
    pub(crate) fn build_tests(&self, arguments: &[&str]) -> Result<Vec<TestBinary>> {
        let build = self.cargo_workspace("test", &["--no-run", "--message-format=json-render-diagnostics"]);
        let messages = build.args(arguments).capture()?;
        let packages = array(&self.metadata["packages"]);
        let mut built = Vec::new();
        for line in messages.lines() {
            let message: Value = serde_json::from_str(line).context("cargo printed no JSON")?;
            let (Some(executable), true) =
                (message["executable"].as_str(), message["profile"]["test"] == true)
            else {
                continue;
            };
            let package = packages
                .iter()
                .find(|package| package["id"] == message["package_id"])
                .with_context(|| format!("a test of no package of ours: {executable}"))?;
            built.push(TestBinary {
                package: package["name"].as_str().context("cargo metadata names no package")?.to_owned(),
                target: message["target"]["name"].as_str().context("cargo names no target")?.to_owned(),
                folder: folder_of(package)?,
                executable: PathBuf::from(executable),
            });
        }
        Ok(built)
    }

    /// `cargo ARGUMENTS` in the root.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        Command::new(cargo()).args(arguments).directory(&self.root)
    }

    /// `cargo ARGUMENTS` at low priority, if the system supports that.
    pub(crate) fn cargo_low_priority(&self, arguments: &[&str]) -> Command {
        if !cfg!(unix) {
            return self.cargo(arguments);
        }
        Command::new("nice").arg(cargo()).args(arguments).directory(&self.root)
    }

    /// `cargo VERB --workspace --locked` with the shared features, then `arguments`.
    pub(crate) fn cargo_workspace(&self, verb: &str, arguments: &[&str]) -> Command {
        let cargo = self.cargo(&[verb, "--workspace", "--locked"]).args(FEATURES).args(arguments);
        self.environment.iter().fold(cargo, |cargo, (name, value)| cargo.env(name, value))
    }

    /// `npm ARGUMENTS` in the folder of the pages.
    pub(crate) fn npm(&self, arguments: &[&str]) -> Command {
        Command::new(NPM).args(arguments).directory(&self.ui())
    }

    /// The folder of the window's pages.
    pub(crate) fn ui(&self) -> PathBuf {
        self.root.join("ui")
    }

    /// The folder of the development binaries.
    pub(crate) fn binaries(&self) -> PathBuf {
        self.target.join("debug")
    }

    /// The folder of the real servers for the journeys.
    pub(crate) fn servers(&self) -> PathBuf {
        self.target.join("servers")
    }

    /// The login shell of tests. It doesn't read the user's start-up files.
    pub(crate) fn login_shell(&self) -> PathBuf {
        self.root.join("tests/login-shell.sh")
    }

    /// `path` relative to the root, for display.
    pub(crate) fn relative_path(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The names of a package's targets of this kind.
fn targets(package: &Value, kind: &str) -> Vec<String> {
    let targets = array(&package["targets"]).iter();
    let targets = targets.filter(|target| array(&target["kind"]).iter().any(|known| known == kind));
    targets.filter_map(|target| target["name"].as_str()).map(str::to_owned).collect()
}

fn folder_of(package: &Value) -> Result<PathBuf> {
    let manifest = package["manifest_path"].as_str().context("cargo metadata names no manifest")?;
    Ok(Path::new(manifest).parent().context("a manifest without a folder")?.to_owned())
}

fn cargo() -> String {
    env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}
