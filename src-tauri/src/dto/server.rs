//! Servers in the shapes that only the window has.

use mooring_connections::{ConnectionView, NegotiationStep, Peer, ServerView as HostView};
use mooring_definitions::NewServer;
use mooring_definitions::import::{ImportReport, Problem};
use mooring_errors::Failure;
use mooring_host::AppImport;
use mooring_mcp::Diagnostic;
use mooring_words::Sentence;
use serde::Serialize;
use ts_rs::TS;

/// A saved server and its connection.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ServerView {
    /// The server.
    #[serde(flatten)]
    pub server: HostView,
    /// What the server reported in the handshake.
    #[serde(flatten)]
    pub peer: PeerView,
}

/// What a server told in the handshake; nothing, unless it is connected.
#[derive(Clone, Debug, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PeerView {
    /// The name it reports.
    pub server_name: Option<String>,
    /// The title it reports.
    pub server_title: Option<String>,
    /// The version it reports.
    pub server_version: Option<String>,
    /// The protocol revision in use.
    pub revision: Option<String>,
    /// The era that revision belongs to.
    pub negotiated_era: Option<String>,
    /// Why that revision was chosen.
    pub reason: Option<Sentence>,
    /// What it tells a model about itself.
    pub instructions: Option<String>,
    /// Its capabilities, as the JSON text it sent.
    pub capabilities: Option<String>,
    /// Oddities in what it said.
    pub diagnostics: Vec<Diagnostic>,
    /// The negotiation, in order.
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

/// How it went to connect to a server that is not saved.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ServerTrial {
    /// Why it could not be connected to.
    pub failure: Option<Failure>,
    /// The title that it reports, or else its name.
    pub title: Option<String>,
    /// The version that it reports.
    pub version: Option<String>,
    /// The protocol revision that was agreed.
    pub revision: Option<String>,
    /// How many tools it offers; none: it lists none.
    pub tool_count: Option<usize>,
    /// From the start to the end of the handshake.
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

/// What a pasted `mcpServers` configuration holds.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ImportPreview {
    /// The entries that could be told apart, good and bad.
    pub entries: Vec<ImportEntry>,
    /// What makes the text as a whole unreadable.
    pub error: Option<Problem>,
    /// Why nothing can be sealed, where something should be: it is saved as it stands in the text.
    pub plain: Option<Sentence>,
}

/// One entry of a pasted configuration.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ImportEntry {
    /// Its name in the text.
    pub name: String,
    /// The server it describes.
    pub server: Option<NewServer>,
    /// Why it cannot be imported.
    pub problem: Option<Sentence>,
    /// The problem's line, counted from one.
    pub line: Option<usize>,
    /// The problem's column, counted from one.
    pub column: Option<usize>,
    /// A saved server has that name already.
    pub exists: bool,
    /// The text turns it off.
    pub off: bool,
    /// What was read in another way than it is written, what is not taken over, and what to look out for. Variables and
    /// headers without a value are among the server's `secrets`, to be entered.
    pub notes: Vec<Sentence>,
    /// One of the notes is about something that the server needs to start.
    pub incomplete: bool,
    /// The variables and headers whose names look secret: their values are sealed, unless the preview's `plain` says
    /// why they are not.
    pub sealed: Vec<String>,
}

/// The servers in an app's own file.
#[derive(Clone, Debug, Serialize, TS)]
pub struct AppImportPreview {
    /// What names the text that was read.
    pub hash: String,
    /// What it holds.
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
        Self { entries, error: report.error, plain: report.stays_plain }
    }
}

impl From<mooring_definitions::import::ImportEntry> for ImportEntry {
    fn from(entry: mooring_definitions::import::ImportEntry) -> Self {
        let mooring_definitions::import::ImportEntry {
            name,
            server,
            exists,
            off,
            notes,
            incomplete,
            secrets: sealed,
        } = entry;
        let (server, problem) = match server {
            Ok(server) => (Some(server), None),
            Err(problem) => (None, Some(problem)),
        };
        let (line, column) = problem.as_ref().map(|problem| (problem.line, problem.column)).unzip();
        let problem = problem.map(|problem| problem.message);
        Self { name, server, problem, line, column, exists, off, notes, incomplete, sealed }
    }
}
