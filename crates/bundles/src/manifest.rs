//! The manifest of a bundle (MANIFEST.md, versions 0.1 to 0.4).

mod fields;
mod read;

use std::collections::BTreeMap;

use crate::config::ConfigOption;
use crate::system::TargetSystem;

/// The content of `manifest.json`. All texts are the author's. What isn't listed here is ignored.
#[derive(Debug, Clone, PartialEq)]
pub struct BundleManifest {
    /// The version of the format, such as `0.3`.
    pub manifest_version: String,
    /// The name for machines. It may have any characters.
    pub name: String,
    /// The name for people.
    pub display_name: Option<String>,
    /// The bundle's version. By the specification a semantic version, but not checked.
    pub version: String,
    /// What the server does, in a line.
    pub description: String,
    /// What the server does, in Markdown.
    pub long_description: Option<String>,
    /// Who made it.
    pub author: BundleAuthor,
    /// The path of a PNG file in the bundle, or an `https` address.
    pub icon: Option<String>,
    /// The address of its website.
    pub homepage: Option<String>,
    /// The address of its documentation.
    pub documentation: Option<String>,
    /// The address for questions and reports.
    pub support: Option<String>,
    /// The address of its source.
    pub repository: Option<String>,
    /// The license's identifier.
    pub license: Option<String>,
    /// The addresses of the privacy policies of the services that it uses.
    pub privacy_policies: Vec<String>,
    /// The tools that it announces. The server itself may have others.
    pub tools: Vec<BundleTool>,
    /// Whether the server adds tools while it runs.
    pub tools_generated: bool,
    /// How the server runs.
    pub server: BundleServer,
    /// The values that it asks for, in the author's order.
    pub user_config: Vec<ConfigOption>,
    /// Where it can run.
    pub compatibility: BundleCompatibility,
}

/// Who made a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BundleAuthor {
    /// The name of a person or an organization.
    pub name: String,
    /// The email address.
    pub email: Option<String>,
    /// The website's address.
    pub url: Option<String>,
}

/// A tool that a bundle announces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleTool {
    /// The tool's name.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
}

/// What kind of program a server is (MANIFEST.md, “Server Types”).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BundleKind {
    /// Runs with Node.js.
    Node,
    /// Runs with Python.
    Python,
    /// A program of its own.
    Binary,
    /// Runs with uv, which fetches Python and packages. Since version 0.4.
    Uv,
}

/// How a bundle's server runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleServer {
    /// The kind of program.
    pub kind: BundleKind,
    /// The path of the server's main file in the bundle.
    pub entry_point: String,
    /// How it is started. Only a server for uv may have none.
    pub(crate) launch: Option<LaunchConfig>,
    /// What replaces parts of [`Self::launch`], by the name of the system.
    pub(crate) overrides: BTreeMap<String, LaunchOverride>,
}

/// How a server is started. Texts may have variables, such as `${__dirname}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchConfig {
    /// The program.
    pub command: String,
    /// The arguments.
    pub args: Vec<String>,
    /// The environment variables, in the author's order.
    pub env: Vec<(String, String)>,
}

/// Parts of a [`LaunchConfig`] for one system.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LaunchOverride {
    pub(crate) command: Option<String>,
    pub(crate) args: Option<Vec<String>>,
    pub(crate) env: Option<Vec<(String, String)>>,
}

/// Where a bundle can run. Empty parts require nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BundleCompatibility {
    /// The names of the systems: `darwin`, `win32`, `linux`.
    pub systems: Vec<String>,
    /// A range of versions of Node.js.
    pub node: Option<String>,
    /// A range of versions of Python.
    pub python: Option<String>,
    /// Ranges of versions of clients, by the clients' names.
    pub clients: Vec<(String, String)>,
}

impl BundleManifest {
    /// The name to show.
    pub fn title(&self) -> &str {
        self.display_name.as_deref().unwrap_or(&self.name)
    }
}

impl BundleServer {
    /// How the server is started on a system. `None` if the manifest leaves that to the host, which only a server for
    /// uv may. As in the official host, each part of an override replaces the whole part.
    pub fn launch_config(&self, system: TargetSystem) -> Option<LaunchConfig> {
        let mut config = self.launch.clone()?;
        if let Some(own) = self.overrides.get(system.manifest_name()) {
            config.command = own.command.clone().unwrap_or(config.command);
            config.args = own.args.clone().unwrap_or(config.args);
            config.env = own.env.clone().unwrap_or(config.env);
        }
        Some(config)
    }
}
