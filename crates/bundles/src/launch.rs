//! The command that starts a bundle's server (MANIFEST.md, “MCP Configuration” and “Variable Substitution”).
//!
//! Differences from the official host (src/shared/config.ts), which passes what it can't replace as it is: an argument
//! or a variable whose optional value is missing is left out; a default may contain variables, as MANIFEST.md says; and
//! several values in the middle of a text are an error. What a person entered is never searched for variables.

mod fill;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use mooring_words::say;

use self::fill::{Filled, FilledArgument, Variables};
use crate::config::{ConfigOption, ConfigValue};
use crate::error::BundleError;
use crate::manifest::{BundleKind, BundleManifest, LaunchConfig};
use crate::system::{TargetSystem, UserFolders};

/// A program with its arguments, never a line for a shell. `Debug` doesn't show secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct LaunchCommand {
    /// The program: a name to be found in `PATH`, or a full path.
    pub program: String,
    /// The arguments.
    pub args: Vec<String>,
    /// The environment variables that the server gets in addition to the usual ones, in the author's order.
    pub env: Vec<LaunchVariable>,
    /// The folder that the server starts in: the bundle's.
    pub cwd: PathBuf,
    /// The arguments that have a secret in them. Every program of the user can read arguments.
    pub secret_args: Vec<SecretArgument>,
    /// The keys of optional values that are missing, and whose arguments or variables were left out.
    pub left_out: Vec<String>,
}

/// An environment variable.
#[derive(Clone, PartialEq, Eq)]
pub struct LaunchVariable {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
    /// Whether a secret is in the value.
    pub is_secret: bool,
}

/// An argument with a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretArgument {
    /// The place in [`LaunchCommand::args`].
    pub index: usize,
    /// The key of the value.
    pub key: String,
}

impl fmt::Debug for LaunchCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_secret = |index: usize| self.secret_args.iter().any(|secret| secret.index == index);
        let args = self.args.iter().enumerate();
        let args: Vec<&str> = args.map(|(index, arg)| if is_secret(index) { "…" } else { arg }).collect();
        let mut shown = formatter.debug_struct("LaunchCommand");
        shown.field("program", &self.program).field("args", &args).field("env", &self.env);
        shown.field("cwd", &self.cwd).field("left_out", &self.left_out).finish_non_exhaustive()
    }
}

impl fmt::Debug for LaunchVariable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}={}", self.name, if self.is_secret { "…" } else { &self.value })
    }
}

/// The texts of an option's default, with variables replaced. Without a default there are none.
pub fn default_texts(
    option: &ConfigOption,
    folder: &Path,
    system: TargetSystem,
    folders: &UserFolders,
) -> Result<Vec<String>, BundleError> {
    match option.default.as_ref().filter(|default| !default.is_empty()) {
        Some(default) => Variables::new(folder, system, folders)?.fill_default(default),
        None => Ok(Vec::new()),
    }
}

/// The command that starts the server of a bundle that was unpacked to `folder`.
///
/// `values` are by key; those without a key in the manifest are ignored. Fails with
/// [`BundleErrorCode::InvalidValue`](crate::BundleErrorCode::InvalidValue) if a value is missing or not allowed.
pub fn launch_command(
    manifest: &BundleManifest,
    folder: &Path,
    values: &BTreeMap<String, ConfigValue>,
    system: TargetSystem,
    folders: &UserFolders,
) -> Result<LaunchCommand, BundleError> {
    for option in &manifest.user_config {
        option.check(values.get(&option.key))?;
    }
    let server = &manifest.server;
    let config = server.launch_config(system).unwrap_or_else(|| LaunchConfig {
        command: "uv".to_owned(),
        args: ["run", "--directory", "${__dirname}", &server.entry_point].map(str::to_owned).to_vec(),
        env: Vec::new(),
    });
    let variables = Variables::new(folder, system, folders)?.with_values(manifest, values)?;
    let mut left_out = Vec::new();
    let mut note_missing = |key: String| {
        if !left_out.contains(&key) {
            left_out.push(key);
        }
    };
    let program = match variables.fill(&config.command)? {
        Filled::Text { text, .. } => text,
        Filled::Missing(key) => {
            return Err(BundleError::invalid_value(say!("“{title}” is required", title = key)));
        }
    };
    let (mut args, mut secret_args) = (Vec::new(), Vec::new());
    for template in &config.args {
        match variables.fill_argument(template)? {
            FilledArgument::Texts { texts, secret } => {
                for text in texts {
                    let index = args.len();
                    secret_args.extend(secret.clone().map(|key| SecretArgument { index, key }));
                    args.push(text);
                }
            }
            FilledArgument::Missing(key) => note_missing(key),
        }
    }
    let mut env = Vec::new();
    for (name, template) in config.env {
        match variables.fill(&template)? {
            Filled::Text { text, secret } => {
                env.push(LaunchVariable { name, value: text, is_secret: secret.is_some() });
            }
            Filled::Missing(key) => note_missing(key),
        }
    }
    let program = find_program(&program, server.kind, folder, system);
    Ok(LaunchCommand { program, args, env, cwd: folder.to_owned(), secret_args, left_out })
}

/// The program of a command: a file of the bundle by its full path, or a name.
fn find_program(command: &str, kind: BundleKind, folder: &Path, system: TargetSystem) -> String {
    let is_windows = system == TargetSystem::Windows;
    if kind == BundleKind::Python && ["python", "python3"].contains(&command) {
        // Linux and macOS have no `python`, and Windows has no `python3` that runs.
        return if is_windows { "python" } else { "python3" }.to_owned();
    }
    let path = command.strip_prefix("./").unwrap_or(command);
    let is_path = path.contains('/') || (is_windows && path.contains('\\'));
    let has_drive = is_windows && path.get(1..2) == Some(":");
    let is_full = path.starts_with('/') || (is_windows && path.starts_with('\\')) || has_drive;
    let is_own = (is_path || kind == BundleKind::Binary && folder.join(path).is_file()) && !is_full;
    let separator = system.separator();
    let full = if is_own { format!("{}{separator}{path}", folder.display()) } else { command.to_owned() };
    // MANIFEST.md: “For binaries, apps will automatically append .exe on Windows”.
    let name = full.rsplit(['/', '\\']).next().unwrap_or(&full);
    let needs_ending = is_windows && kind == BundleKind::Binary && (is_own || is_full) && !name.contains('.');
    if needs_ending { full + ".exe" } else { full }
}
