//! Commands about the saved servers.

use std::time::Duration;

use clap::{Args, ValueEnum};
use mooring_host::InstanceRule;

use super::values::{header, seconds, variable};
use super::{Era, Switch};

/// `mooring add`
#[derive(Debug, Args)]
pub(crate) struct Add {
    /// Its name in Mooring
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) target: NewTarget,
    /// An environment variable for the command, as NAME=VALUE; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable, conflicts_with = "url")]
    pub(crate) env: Vec<(String, String)>,
    /// An environment variable whose value is encrypted; may be repeated. You are asked for the value; it can also
    /// come from a file (NAME=@FILE) or from standard input (NAME=-)
    #[arg(long, value_name = "NAME", conflicts_with = "url")]
    pub(crate) secret_env: Vec<String>,
    /// The folder the command runs in. Default: a private one
    #[arg(long, value_name = "DIR", conflicts_with = "url")]
    pub(crate) cwd: Option<String>,
    /// A header for every request to a URL, as NAME:VALUE; may be repeated
    #[arg(long, value_name = "NAME:VALUE", value_parser = header)]
    pub(crate) header: Vec<(String, String)>,
    /// A header whose value is encrypted; may be repeated. Values as for --secret-env
    #[arg(long, value_name = "NAME")]
    pub(crate) secret_header: Vec<String>,
    /// Idle timeout of a request, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// The protocol to use
    #[arg(long, value_enum, default_value_t = Era::Auto)]
    pub(crate) era: Era,
    /// Which apps share an instance of the server, and with it what it keeps, such as a page or a session
    #[arg(long, value_enum, default_value_t = Instances::Automatic)]
    pub(crate) instances: Instances,
}

/// `mooring set`
#[derive(Debug, Args)]
pub(crate) struct Set {
    /// Its name in Mooring
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) settings: ServerSettings,
}

/// What is changed about a server.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct ServerSettings {
    /// An environment variable, as NAME=VALUE; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// An environment variable whose value is encrypted; may be repeated. You are asked for the value; it can also
    /// come from a file (NAME=@FILE) or from standard input (NAME=-)
    #[arg(long, value_name = "NAME")]
    pub(crate) secret_env: Vec<String>,
    /// A header for every request, as NAME:VALUE; may be repeated
    #[arg(long, value_name = "NAME:VALUE", value_parser = header)]
    pub(crate) header: Vec<(String, String)>,
    /// A header whose value is encrypted; may be repeated. Values as for --secret-env
    #[arg(long, value_name = "NAME")]
    pub(crate) secret_header: Vec<String>,
    /// Whether it may ask models (sampling): that of the app whose call it works on, or yours, about which the window
    /// asks you
    #[arg(long, value_enum)]
    pub(crate) sampling: Option<Switch>,
    /// Which apps share an instance of the server, and with it what it keeps, such as a page or a session
    #[arg(long, value_enum)]
    pub(crate) instances: Option<Instances>,
}

/// For whom a server gets an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Instances {
    /// One for all apps; one per set of folders once the server has asked for folders
    Automatic,
    /// One for all apps
    Shared,
    /// One per app
    PerApp,
    /// One per set of folders
    PerFolders,
}

impl From<Instances> for InstanceRule {
    fn from(instances: Instances) -> Self {
        match instances {
            Instances::Automatic => Self::Automatic,
            Instances::Shared => Self::Shared,
            Instances::PerApp => Self::PerApp,
            Instances::PerFolders => Self::PerRoots,
        }
    }
}

/// What can be saved.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct NewTarget {
    /// A URL, or the command that starts the server
    #[arg(value_name = "URL | COMMAND")]
    pub(crate) words: Vec<String>,
    /// A URL (Streamable HTTP)
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// The command that starts the server
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// `mooring remove`
#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// The saved server
    pub(crate) name: String,
}
