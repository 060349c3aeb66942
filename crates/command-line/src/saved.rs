//! Commands about the saved servers.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::{Serialize, Serializer};

use crate::values::{header, seconds, variable};
use crate::{Era, Switch};

/// `mooring add`
#[derive(Debug, Args)]
pub struct Add {
    /// Its name in Mooring
    pub name: String,
    #[command(flatten)]
    pub place: ServerPlace,
    /// An environment variable for the command, as NAME=VALUE; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable, conflicts_with = "url")]
    pub env: Vec<(String, String)>,
    /// An environment variable whose value is encrypted; may be repeated. You are asked for the value; it can also
    /// come from a file (NAME=@FILE) or from standard input (NAME=-)
    #[arg(long, value_name = "NAME", conflicts_with = "url")]
    pub secret_env: Vec<String>,
    /// A header for every request to a URL, as NAME:VALUE; may be repeated
    #[arg(long, short = 'H', value_name = "NAME:VALUE", value_parser = header)]
    pub header: Vec<(String, String)>,
    /// A header whose value is encrypted; may be repeated. Values as for --secret-env
    #[arg(long, value_name = "NAME")]
    pub secret_header: Vec<String>,
    #[command(flatten)]
    pub fields: ServerFields,
    /// Which apps share an instance of the server, and with it what it keeps, such as a page or a session
    #[arg(long, value_enum, default_value_t = Instances::Automatic)]
    pub instances: Instances,
}

/// `mooring set`
#[derive(Debug, Args)]
pub struct Set {
    /// Its name in Mooring
    pub name: String,
    #[command(flatten)]
    pub settings: ServerSettings,
}

/// What is changed about a server.
#[derive(Debug, Default, Args)]
#[group(required = true, multiple = true)]
pub struct ServerSettings {
    /// An environment variable, as NAME=VALUE; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub env: Vec<(String, String)>,
    /// An environment variable whose value is encrypted; may be repeated. You are asked for the value; it can also
    /// come from a file (NAME=@FILE) or from standard input (NAME=-)
    #[arg(long, value_name = "NAME")]
    pub secret_env: Vec<String>,
    /// A header for every request, as NAME:VALUE; may be repeated
    #[arg(long, short = 'H', value_name = "NAME:VALUE", value_parser = header)]
    pub header: Vec<(String, String)>,
    /// A header whose value is encrypted; may be repeated. Values as for --secret-env
    #[arg(long, value_name = "NAME")]
    pub secret_header: Vec<String>,
    /// Whether it may ask models (sampling): that of the app whose call it works on, or yours, about which the window
    /// asks you
    #[arg(long, value_enum)]
    pub sampling: Option<Switch>,
    /// Which apps share an instance of the server, and with it what it keeps, such as a page or a session
    #[arg(long, value_enum)]
    pub instances: Option<Instances>,
}

/// For whom a server gets an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Instances {
    /// One for all apps; one per set of folders once the server has asked for folders
    Automatic,
    /// One for all apps
    Shared,
    /// One per app
    PerApp,
    /// One per set of folders
    PerFolders,
}

/// How a server is started or reached.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct ServerPlace {
    /// A URL, or the command that starts the server
    #[arg(value_name = "URL | COMMAND")]
    pub words: Vec<String>,
    /// A URL (Streamable HTTP)
    #[arg(long)]
    pub url: Option<String>,
    /// The command that starts the server
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// `mooring rename`
#[derive(Debug, Args)]
pub struct Rename {
    /// The saved server
    pub name: String,
    /// Its new name
    pub new_name: String,
}

/// `mooring edit`
#[derive(Debug, Args)]
pub struct Edit {
    /// The saved server
    pub name: String,
    #[command(flatten)]
    pub place: ServerPlace,
    #[command(flatten)]
    pub fields: ServerFields,
}

/// Fields of a server's definition, under their names there. One that is not given keeps its value.
#[derive(Debug, Default, PartialEq, Eq, Args, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerFields {
    /// The folder the command runs in. A new server has a private one
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<String>,
    /// Idle timeout of a request, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    #[serde(rename = "timeoutMs", serialize_with = "milliseconds")]
    pub timeout: Option<Duration>,
    /// The protocol to use. A new server: auto
    #[arg(long, value_enum)]
    pub era: Option<Era>,
    /// When it starts. A new server: with-mooring
    #[arg(long, value_enum)]
    pub start: Option<Start>,
}

/// When a server is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// Together with Mooring
    WithMooring,
    /// On its first use; it sleeps when it is not used
    OnUse,
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
fn milliseconds<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(|time| time.as_millis()).serialize(serializer)
}

/// `mooring remove`, `enable` and `disable`
#[derive(Debug, Args)]
pub struct Named {
    /// The saved server
    pub name: String,
}

/// `mooring rollback`
#[derive(Debug, Args)]
pub struct Rollback {
    /// The saved server
    pub name: String,
    /// Go back without asking
    #[arg(long)]
    pub yes: bool,
}

/// `mooring set-secret`
#[derive(Debug, Args)]
pub struct SetSecret {
    /// The saved server
    pub name: String,
    /// Its variable or header. You are asked for the value; it can also come from a file (NAME=@FILE) or from standard
    /// input (NAME=-)
    #[arg(value_name = "VARIABLE | HEADER")]
    pub secret: String,
}

/// `mooring export`
#[derive(Debug, Args)]
pub struct Export {
    /// The saved servers. Default: all of them
    #[arg(value_name = "NAME")]
    pub name: Vec<String>,
    /// For which app
    #[arg(long, value_enum, default_value_t)]
    pub format: ExportFormat,
    /// Write to this file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long, requires = "output")]
    pub force: bool,
}

/// The app that an export is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Claude, Cursor and most others
    #[default]
    McpServers,
    /// VS Code
    Vscode,
    /// Codex, in TOML
    Codex,
    #[value(help = "OpenCode")]
    Opencode,
}
