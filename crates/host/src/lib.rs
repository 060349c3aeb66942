//! The headless engine behind every front end.
//!
//! [`Host`] is the whole public API: saved servers and their connections, tools and calls, the log, the
//! settings. It is cheap to clone. What it shows are plain views; what changes is told by [`HostEvent`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::broadcast;

pub mod connection;
pub mod consent;
mod error;
mod event;
mod import;
mod journal;
mod server;
mod settings;
mod tools;

pub use connection::{Connection, Target};
pub use error::{Failure, FailureCode, HostError};
pub use event::HostEvent;
pub use import::{ImportEntry, ImportReport, Problem};
pub use server::{ConnectionView, NewServer, Peer, ServerId, ServerView, StateName, Transport};
pub use settings::{Language, Settings, Theme};
pub use tools::{CallError, CallEvent, CallOutcome, CallStatus, OnCallEvent, ToolCall, ToolList, ToolView};

/// An oddity that was tolerated, with the place where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable word for the kind of oddity.
    pub code: String,
    /// Where it stands, as a JSON pointer.
    pub path: String,
    /// What is odd, in plain words.
    pub message: String,
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
    pub client_name: String,
    /// The version it gives itself.
    pub client_version: String,
}

/// How long one connection may take, where it differs from the settings.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConnectOptions {
    /// From the start to the end of the handshake.
    pub start_timeout: Option<Duration>,
    /// How long a request may be silent.
    pub request_idle: Option<Duration>,
}

/// Where the search path for saved servers comes from.
#[derive(Debug, Clone)]
pub struct LoginPathView {
    /// The folders, in order.
    pub directories: Vec<PathBuf>,
    /// The shell that was asked, or `environment`.
    pub source: String,
    /// Why the shell was not asked or did not answer.
    pub note: Option<String>,
}

/// One bound, for display.
#[derive(Debug, Clone, Copy)]
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

/// The headless engine. Clones share everything; the last one to go stops every connection.
#[derive(Debug, Clone)]
pub struct Host {
    options: HostOptions,
    events: broadcast::Sender<HostEvent>,
}

impl Host {
    /// Opens the data folder and, when supervising, starts every enabled server in parallel without
    /// waiting for any.
    pub async fn open(options: HostOptions) -> Result<Self, HostError> {
        todo!()
    }

    /// Stops every connection, in parallel, and writes what is left of the log.
    pub async fn shutdown(&self) {
        todo!()
    }

    /// What changes from now on. A receiver that lags has to read the views again.
    pub fn events(&self) -> broadcast::Receiver<HostEvent> {
        self.events.subscribe()
    }

    /// The data folder.
    pub fn home(&self) -> &Path {
        &self.options.home
    }

    /// Facts about this installation.
    pub async fn info(&self) -> Result<HostInfo, HostError> {
        todo!()
    }

    /// Shows the data folder in the system's file manager.
    pub fn reveal_home(&self) -> Result<(), HostError> {
        todo!()
    }

    /// Every saved server, by name.
    pub fn servers(&self) -> Vec<ServerView> {
        todo!()
    }

    /// One saved server.
    pub fn server(&self, id: ServerId) -> Result<ServerView, HostError> {
        todo!()
    }

    /// Saves a server and, when supervising, starts it.
    pub async fn add_server(&self, server: NewServer) -> Result<ServerView, HostError> {
        todo!()
    }

    /// Saves the demo server under a free name and, when supervising, starts it.
    pub async fn add_demo_server(&self) -> Result<ServerView, HostError> {
        todo!()
    }

    /// Changes a server. A running connection is restarted when what it was started with changed.
    pub async fn update_server(&self, id: ServerId, server: NewServer) -> Result<ServerView, HostError> {
        todo!()
    }

    /// Stops and removes a server. [`Self::restore_server`] undoes it.
    pub async fn remove_server(&self, id: ServerId) -> Result<(), HostError> {
        todo!()
    }

    /// Brings a removed server back, running if it was enabled.
    pub async fn restore_server(&self, id: ServerId) -> Result<ServerView, HostError> {
        todo!()
    }

    /// Starts a server, and with every later start of the window.
    pub async fn start(&self, id: ServerId) -> Result<(), HostError> {
        todo!()
    }

    /// Stops a server until the person starts it again.
    pub async fn stop(&self, id: ServerId) -> Result<(), HostError> {
        todo!()
    }

    /// Stops a server and starts it anew.
    pub async fn restart(&self, id: ServerId) -> Result<(), HostError> {
        todo!()
    }

    /// Looks a command up on the search path of saved servers.
    pub async fn check_command(&self, command: &str) -> CommandCheck {
        todo!()
    }

    /// Reads a configuration of another application without saving anything.
    pub fn check_import(&self, text: &str) -> ImportReport {
        todo!()
    }

    /// Saves the named good entries of a configuration and, when supervising, starts them.
    pub async fn import(&self, text: &str, names: &[String]) -> Result<Vec<ServerView>, HostError> {
        todo!()
    }

    /// The tools of a running server: those remembered, or with `refresh` asked for anew.
    pub async fn tools(&self, id: ServerId, refresh: bool) -> Result<ToolList, HostError> {
        todo!()
    }

    /// Calls a tool of a running server. The verdict is accepted by the log before the call leaves;
    /// dropping the future cancels the call.
    pub async fn call_tool(
        &self,
        id: ServerId,
        call: ToolCall,
        on_event: OnCallEvent,
    ) -> Result<CallOutcome, HostError> {
        todo!()
    }

    /// Opens a connection of the caller's own, for as long as it is held.
    pub async fn connect(&self, target: Target, options: ConnectOptions) -> Result<Connection, HostError> {
        todo!()
    }

    /// The settings.
    pub fn settings(&self) -> Settings {
        todo!()
    }

    /// Keeps new settings; connections made from now on use them.
    pub async fn set_settings(&self, settings: Settings) -> Result<Settings, HostError> {
        todo!()
    }
}
