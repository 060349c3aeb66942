//! Options for opening a host, and facts about an installation.

use std::path::PathBuf;
use std::sync::Arc;

use directories::ProjectDirs;
use mooring_base::clock::Clock;
use mooring_base::view_serde;
use mooring_errors::{Failure, HostError};
use mooring_mcp::Limits;
use mooring_oauth::Browser;
use mooring_process::check_home;
use mooring_settings::Settings;
use mooring_words::Sentence;
use serde::{Serialize, Serializer};
use ts_rs::TS;

/// The data folder: `MOORING_HOME`, or Mooring's folder in the platform's data directory.
pub fn home_from_environment() -> Result<PathBuf, HostError> {
    if let Some(home) = chosen_home()? {
        return Ok(home);
    }
    let usual = ProjectDirs::from("", "", "Mooring").ok_or(HostError::NoHome)?.data_dir().to_owned();
    // This path also depends on an environment variable.
    if std::env::var_os("XDG_DATA_HOME").is_some() { named_home(usual) } else { Ok(usual) }
}

/// The data folder that `MOORING_HOME` names.
pub fn chosen_home() -> Result<Option<PathBuf>, HostError> {
    let named = std::env::var_os("MOORING_HOME").filter(|home| !home.is_empty());
    named.map(|home| named_home(home.into())).transpose()
}

/// Validates a chosen data folder. Fails if other users could have written to it, or if the path is relative.
pub fn named_home(home: PathBuf) -> Result<PathBuf, HostError> {
    check_home(&home).map_err(HostError::Home)?;
    Ok(home)
}

/// How a host is opened.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// The folder for the database and the servers' private directories. Created if it does not exist.
    pub home: PathBuf,
    /// Keep the saved servers running. Only one process may do that for a data folder.
    pub supervise: bool,
    /// Whether there is a person to ask. True only for the window.
    pub has_person: bool,
    /// Write the log.
    pub journal: bool,
    /// The demo server's program, if it is not next to the running program.
    pub demo_server: Option<PathBuf>,
    /// The application's name in the handshake.
    pub client_name: &'static str,
    /// The application's version in the handshake.
    pub client_version: &'static str,
    /// Where the vault's key is stored: in the system's keychain, except in tests.
    pub vault: fn() -> mooring_vault::VaultOptions,
    /// The browser for the window's sign-ins: the person's own, except in tests.
    pub browser: fn() -> Arc<dyn Browser>,
    /// The clock for the minimum time before a yes and other times of the Inbox: the system's, except in
    /// tests.
    pub clock: Clock,
}

/// Where the search path for saved servers comes from.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "LoginPath")]
pub struct LoginPathView {
    /// The folders, in order.
    #[serde(rename = "path", serialize_with = "view_serde::paths")]
    pub directories: Vec<PathBuf>,
    /// The shell that was asked, `environment`, or `asking` while the shell has not answered.
    pub source: String,
    /// Why the shell was not asked or did not answer.
    pub note: Option<Sentence>,
}

/// A limit, for display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "Limit")]
pub struct LimitView {
    /// A stable identifier of the limit.
    pub name: &'static str,
    /// Its value.
    pub value: u64,
    /// The unit: `bytes`, `count` or `seconds`.
    pub unit: &'static str,
}

/// Facts about this installation.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HostInfo {
    /// The data folder.
    #[serde(serialize_with = "view_serde::path")]
    pub home: PathBuf,
    /// The size of the database with its journal, in bytes.
    pub database_bytes: u64,
    /// How many rows the log has.
    pub log_rows: u64,
    /// When the newest backup was made, in milliseconds since the Unix epoch.
    pub backed_up_ms: Option<i64>,
    /// Whether the demo server is installed next to the application.
    pub demo_server: bool,
    /// The search path of saved servers.
    pub login_path: LoginPathView,
    /// The limits in force.
    pub limits: Vec<LimitView>,
}

/// Whether a command can be found, and which folders were searched.
#[derive(Debug, Clone, Serialize, TS)]
pub struct CommandCheck {
    /// The program's absolute path.
    #[serde(serialize_with = "view_serde::some_path")]
    pub path: Option<PathBuf>,
    /// Why it was not found.
    #[serde(serialize_with = "message")]
    #[ts(as = "Option<Sentence>")]
    pub problem: Option<Failure>,
    /// The folders that were searched.
    #[serde(serialize_with = "view_serde::paths")]
    pub searched: Vec<PathBuf>,
}

/// Serializes only the message of a failure.
#[expect(clippy::ref_option, reason = "serde hands a field over as it is")]
fn message<S: Serializer>(problem: &Option<Failure>, serializer: S) -> Result<S::Ok, S::Error> {
    problem.as_ref().map(|problem| &problem.message).serialize(serializer)
}

/// The values that the log can be filtered by.
#[derive(Debug, Clone, Default, Serialize, TS)]
pub struct LogFacets {
    /// The names of servers in the log.
    pub sources: Vec<String>,
    /// The names of apps in the log.
    pub apps: Vec<String>,
    /// The methods in the log.
    pub methods: Vec<String>,
    /// How many rows the log has.
    pub total: u64,
}

/// The limits in force, for display.
pub(crate) fn limits_in_force(settings: &Settings) -> Vec<LimitView> {
    let limits = Limits::default();
    let count = |name, value: usize| LimitView { name, value: value as u64, unit: "count" };
    let bytes = |name, value: usize| LimitView { name, value: value as u64, unit: "bytes" };
    let seconds = |name, value: u32| LimitView { name, value: value.into(), unit: "seconds" };
    vec![
        bytes("message", settings.max_message_bytes()),
        count("nodes", limits.nodes),
        count("depth", limits.depth),
        count("in_flight", limits.in_flight),
        count("items", limits.items),
        count("pages", limits.pages),
        bytes("tool_name", limits.name_bytes),
        bytes("description", limits.description_bytes),
        bytes("schema", limits.schema_bytes),
        bytes("stderr_line", limits.stderr_line_bytes),
        bytes("stderr_tail", limits.stderr_tail_bytes),
        LimitView { name: "log", value: settings.max_log_bytes(), unit: "bytes" },
        seconds("start", settings.start_timeout_seconds),
        seconds("request_idle", settings.request_idle_seconds),
        seconds("request_total", settings.request_total_seconds),
    ]
}
