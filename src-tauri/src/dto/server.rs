//! Server data that only the window uses.

use std::path::PathBuf;

use mooring_definitions::NewServer;
use mooring_definitions::import::{ImportInput, ImportReport, Problem};
use mooring_errors::Failure;
use mooring_host::AppImport;
use mooring_mcp::Diagnostic;
use mooring_server_state::{ConnectionView, NegotiationStep, Peer, ServerView as HostView};
use mooring_words::Sentence;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A saved server and its connection.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ServerView {
    /// The host's view of the server.
    #[serde(flatten)]
    pub server: HostView,
    /// What the server reported in the handshake.
    #[serde(flatten)]
    pub peer: PeerView,
}

/// What a server reported in the handshake. Empty unless the server is connected.
#[derive(Clone, Debug, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PeerView {
    /// The server's name.
    pub server_name: Option<String>,
    /// The server's title.
    pub server_title: Option<String>,
    /// The server's version.
    pub server_version: Option<String>,
    /// The protocol version in use.
    pub revision: Option<String>,
    /// The era of that protocol version.
    pub negotiated_era: Option<String>,
    /// Why that protocol version was chosen.
    pub reason: Option<Sentence>,
    /// The server's instructions for a model.
    pub instructions: Option<String>,
    /// The server's capabilities, as the JSON text that it sent.
    pub capabilities: Option<String>,
    /// Irregularities in what the server sent.
    pub diagnostics: Vec<Diagnostic>,
    /// The steps of the negotiation, in order.
    pub steps: Vec<NegotiationStep>,
}

impl From<Peer> for PeerView {
    fn from(peer: Peer) -> Self {
        Self {
            server_name: peer.name,
            server_title: peer.title,
            server_version: peer.version,
            revision: Some(peer.revision),
            negotiated_era: Some(peer.era),
            reason: Some(peer.reason),
            instructions: peer.instructions,
            capabilities: Some(peer.capabilities.get().to_owned()),
            diagnostics: peer.diagnostics,
            steps: peer.steps,
        }
    }
}

impl From<HostView> for ServerView {
    fn from(mut server: HostView) -> Self {
        let peer = server.connection.peer.take().map(PeerView::from).unwrap_or_default();
        Self { server, peer }
    }
}

/// The result of testing a connection to a server that is not saved.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ServerTrial {
    /// Why the connection failed.
    pub failure: Option<Failure>,
    /// The title that the server reports, or its name if it has no title.
    pub title: Option<String>,
    /// The version that the server reports.
    pub version: Option<String>,
    /// The negotiated protocol version.
    pub revision: Option<String>,
    /// How many tools the server has. `None` if it doesn't list any.
    pub tool_count: Option<usize>,
    /// The time from the start to the end of the handshake, in milliseconds.
    pub connect_ms: Option<f64>,
    /// The last lines of standard error, oldest first.
    pub stderr_tail: Vec<String>,
}

impl From<ConnectionView> for ServerTrial {
    fn from(view: ConnectionView) -> Self {
        let ConnectionView { failure, tool_count, connect_time, stderr_tail, peer, .. } = view;
        let connect_ms = connect_time.map(|time| time.as_secs_f64() * 1_000.0);
        let (mut title, mut version, mut revision) = (None, None, None);
        if let Some(peer) = peer {
            title = peer.title.or(peer.name);
            version = peer.version;
            revision = Some(peer.revision);
        }
        Self { failure, title, version, revision, tool_count, connect_ms, stderr_tail }
    }
}

/// The contents of a pasted `mcpServers` configuration.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ImportPreview {
    /// The entries that could be parsed, valid or not.
    pub entries: Vec<ImportEntry>,
    /// Why the text could not be parsed.
    pub error: Option<Problem>,
    /// Why secrets can't be encrypted, if there are any. They are then saved as plain text.
    pub plain: Option<Sentence>,
    /// What the text is, such as a link for an app or a command line.
    pub read_as: Option<Sentence>,
}

/// One entry of a pasted configuration.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ImportEntry {
    /// The name of the entry.
    pub name: String,
    /// The server that the entry describes. It has the defaults of `inputs`, and placeholders for the rest.
    pub server: Option<NewServer>,
    /// The values that the person is asked for.
    pub inputs: Vec<ImportInput>,
    /// Why the entry cannot be imported.
    pub problem: Option<Sentence>,
    /// The line of the problem, counted from 1.
    pub line: Option<usize>,
    /// The column of the problem, counted from 1.
    pub column: Option<usize>,
    /// Whether a saved server already has this name.
    pub exists: bool,
    /// Whether the configuration disables this entry.
    pub off: bool,
    /// Whether it is another way to run or reach the server of the entry before it.
    pub alternative: bool,
    /// What the import changes, leaves out or warns about. Variables and headers without a value are in the
    /// server's `secrets`.
    pub notes: Vec<Sentence>,
    /// Whether one of the notes is about something that the server needs to start.
    pub incomplete: bool,
    /// The variables and headers with secret-looking names. Their values are encrypted, unless the
    /// preview's `plain` is set.
    pub sealed: Vec<String>,
}

/// Whose files are imported.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ImportPlace {
    /// Those of an app, by its id.
    App(String),
    /// Those in a project's folder, by its full path.
    #[ts(type = "string")]
    Folder(PathBuf),
}

/// The servers in an app's configuration file or a project's folder.
#[derive(Clone, Debug, Serialize, TS)]
pub struct AppImportPreview {
    /// A hash of the text that was read.
    pub hash: String,
    /// The entries in the text.
    pub preview: ImportPreview,
}

impl From<AppImport> for AppImportPreview {
    fn from(AppImport { report, hash }: AppImport) -> Self {
        Self { hash, preview: report.into() }
    }
}

impl From<ImportReport> for ImportPreview {
    fn from(report: ImportReport) -> Self {
        let entries = report.entries.into_iter().map(Into::into).collect();
        Self { entries, error: report.error, plain: report.stays_plain, read_as: report.read_as }
    }
}

impl From<mooring_definitions::import::ImportEntry> for ImportEntry {
    fn from(entry: mooring_definitions::import::ImportEntry) -> Self {
        let mooring_definitions::import::ImportEntry {
            name,
            server,
            inputs,
            exists,
            off,
            alternative,
            notes,
            incomplete,
            secrets: sealed,
            ..
        } = entry;
        let (server, problem) = match server {
            Ok(server) => (Some(server), None),
            Err(problem) => (None, Some(problem)),
        };
        let (line, column) = problem.as_ref().map(|problem| (problem.line, problem.column)).unzip();
        let problem = problem.map(|problem| problem.message);
        Self {
            name,
            server,
            inputs,
            problem,
            line,
            column,
            exists,
            off,
            alternative,
            notes,
            incomplete,
            sealed,
        }
    }
}
