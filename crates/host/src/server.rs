//! A server as the person describes it, and as the screens show it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::value::RawValue;

use crate::Diagnostic;
use crate::error::Failure;

/// The number of a saved server in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerId(pub i64);

/// How a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transport {
    /// A child process, spoken to over its standard input and output.
    Stdio,
    /// Streamable HTTP.
    Http,
}

impl Transport {
    /// The word used in the database, in JSON and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
        }
    }
}

/// A server to save: exactly what the form and an import contain, not yet checked.
#[derive(Clone, PartialEq, Eq)]
pub struct NewServer {
    /// The name the person gave it, unique among the saved servers.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// The program to start, for [`Transport::Stdio`].
    pub command: Option<String>,
    /// The program's arguments.
    pub args: Vec<String>,
    /// Environment variables declared for the program.
    pub env: BTreeMap<String, String>,
    /// The directory it runs in. A private directory when absent.
    pub cwd: Option<String>,
    /// The address, for [`Transport::Http`].
    pub url: Option<String>,
    /// Headers sent with every request.
    pub headers: BTreeMap<String, String>,
    /// How long one request may be silent, when it differs from the settings.
    pub timeout: Option<Duration>,
}

impl fmt::Debug for NewServer {
    /// Environment and header values may be secrets: only their names are shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewServer")
            .field("name", &self.name)
            .field("transport", &self.transport)
            .field("command", &self.command)
            .field("args", &self.args.len())
            .field("env", &self.env.keys())
            .field("cwd", &self.cwd)
            .field("headers", &self.headers.keys())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// The states of a connection, with the words shown everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StateName {
    /// Stopped by the person; nothing restarts it.
    Stopped,
    /// The process or the handshake is under way.
    Starting,
    /// Connected.
    Ready,
    /// Connected, but something the server offers could not be read.
    Degraded,
    /// The server wants a login.
    SignInNeeded,
    /// A question to the person is open.
    WaitingForYou,
    /// The connection was lost and is about to be tried again.
    Reconnecting,
    /// The definition changed since it was approved.
    Changed,
    /// Given up; the reason is in [`ConnectionView::failure`].
    Failed,
}

impl StateName {
    /// The word used in JSON and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Degraded => "degraded",
            Self::SignInNeeded => "sign_in_needed",
            Self::WaitingForYou => "waiting_for_you",
            Self::Reconnecting => "reconnecting",
            Self::Changed => "changed",
            Self::Failed => "failed",
        }
    }
}

/// What the handshake told about the other side.
#[derive(Debug, Clone)]
pub struct Peer {
    /// The name the server gives itself.
    pub name: Option<String>,
    /// The title it wants shown.
    pub title: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its instructions for a model.
    pub instructions: Option<String>,
    /// The negotiated protocol revision, such as `2025-11-25`.
    pub revision: String,
    /// The negotiated era, such as `session`.
    pub era: String,
    /// One sentence on why that revision and era were chosen.
    pub reason: String,
    /// The server's capabilities, as sent.
    pub capabilities: Box<RawValue>,
    /// Oddities in the handshake.
    pub diagnostics: Vec<Diagnostic>,
}

/// A connection at one moment.
#[derive(Debug, Clone)]
pub struct ConnectionView {
    /// The state.
    pub state: StateName,
    /// When the state was entered, in milliseconds since the Unix epoch.
    pub since_ms: i64,
    /// Why it failed, or why it is being tried again.
    pub failure: Option<Failure>,
    /// Which attempt to reconnect this is; 0 when none is under way.
    pub attempt: u32,
    /// The other side, while connected.
    pub peer: Option<Peer>,
    /// How many tools it offers, once they were listed.
    pub tool_count: Option<usize>,
    /// From the start to the end of the handshake.
    pub connect_time: Option<Duration>,
    /// The 95th percentile of finished calls' durations.
    pub p95: Option<Duration>,
    /// How many calls have ended.
    pub calls: u64,
    /// The process id, for a running stdio server.
    pub pid: Option<u32>,
    /// The absolute path of the program that was started.
    pub program: Option<PathBuf>,
    /// The last lines of standard error, oldest first.
    pub stderr_tail: Vec<String>,
}

/// A saved server with its connection.
#[derive(Debug, Clone)]
pub struct ServerView {
    /// Its number.
    pub id: ServerId,
    /// Its settings.
    pub config: NewServer,
    /// Its connection.
    pub connection: ConnectionView,
}
