//! How a host is opened, and the facts it tells about itself.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use directories::ProjectDirs;
use mooring_mcp::EraChoice;
use mooring_oauth::Browser;
use mooring_words::Sentence;

use crate::error::{Failure, HostError};

/// The data folder: `MOORING_HOME`, or Mooring's folder in the platform's data directory.
pub fn home_from_environment() -> Result<PathBuf, HostError> {
    if let Some(home) = std::env::var_os("MOORING_HOME").filter(|home| !home.is_empty()) {
        return std::path::absolute(&home).map_err(|_| HostError::NoHome);
    }
    let directories = ProjectDirs::from("", "", "Mooring").ok_or(HostError::NoHome)?;
    Ok(directories.data_dir().to_owned())
}

/// How a host is opened.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// The folder of the database and of the servers' private directories. Made when it is not there.
    pub home: PathBuf,
    /// Keep the saved servers running. Only the window does.
    pub supervise: bool,
    /// Write the log.
    pub journal: bool,
    /// The demo server's program, when it is not beside the running program.
    pub demo_server: Option<PathBuf>,
    /// The name this application gives itself in the handshake.
    pub client_name: &'static str,
    /// The version it gives itself.
    pub client_version: &'static str,
    /// Where the key of what is sealed is: in the system's keychain, unless a test brings its own.
    pub vault: fn() -> mooring_vault::Options,
    /// What sign-ins of the window open: the person's own browser, unless a test brings its own.
    pub browser: fn() -> Arc<dyn Browser>,
}

/// How long one connection may take, where it differs from the settings.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConnectOptions {
    /// From the start to the end of the handshake.
    pub start_timeout: Option<Duration>,
    /// How long a request may be silent.
    pub request_idle: Option<Duration>,
    /// Which era to try; [`EraChoice::Auto`]: what the server's settings say.
    pub era: EraChoice,
    /// Find the era out by asking, whatever is remembered of it.
    pub ask_anew: bool,
}

/// Where the search path for saved servers comes from.
#[derive(Debug, Clone)]
pub struct LoginPathView {
    /// The folders, in order.
    pub directories: Vec<PathBuf>,
    /// The shell that was asked, `environment`, or `asking` while the shell has not answered.
    pub source: String,
    /// Why the shell was not asked or did not answer.
    pub note: Option<Sentence>,
}

/// One bound, for display.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitView {
    /// A stable word for the bound.
    pub name: &'static str,
    /// Its value.
    pub value: u64,
    /// `bytes`, `count` or `seconds`.
    pub unit: &'static str,
}

/// Facts about this installation.
#[derive(Debug, Clone)]
pub struct HostInfo {
    /// The data folder.
    pub home: PathBuf,
    /// The size of the database with its journal, in bytes.
    pub database_bytes: u64,
    /// How many rows the log has.
    pub log_rows: u64,
    /// The demo server's program, when it is there.
    pub demo_server: Option<PathBuf>,
    /// The search path of saved servers.
    pub login_path: LoginPathView,
    /// The bounds in force.
    pub limits: Vec<LimitView>,
}

/// Whether a command would be found, and where it was looked for.
#[derive(Debug, Clone)]
pub struct CommandCheck {
    /// The program's absolute path.
    pub path: Option<PathBuf>,
    /// Why there is none.
    pub problem: Option<Failure>,
    /// The folders that were searched.
    pub searched: Vec<PathBuf>,
}

/// What the log can be filtered by.
#[derive(Debug, Clone, Default)]
pub struct LogFacets {
    /// The servers' names that occur.
    pub sources: Vec<String>,
    /// The methods that occur.
    pub methods: Vec<String>,
    /// How many rows there are.
    pub total: u64,
}
