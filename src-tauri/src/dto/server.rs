//! Servers as the window sees them: what a person enters, what is known, what went wrong.

use std::collections::BTreeMap;

use mooring_host::KeptSentence as Sentence;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Diagnostic, ServerSecret};

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ServerState {
    /// Stopped by the person; nothing restarts it.
    Stopped,
    /// Its process or its URL is being contacted.
    Starting,
    /// It answers.
    Ready,
    /// It answers, but something is amiss.
    Degraded,
    /// It wants a login first.
    SignInNeeded,
    /// It waits for an answer of the person.
    WaitingForYou,
    /// It went away and is being started again.
    Reconnecting,
    /// Its definition is no longer the one that was approved.
    Changed,
    /// It could not be started, or it was given up.
    Failed,
}

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// A program that speaks on its standard input and output.
    Stdio,
    /// A URL (Streamable HTTP).
    Http,
}

/// Why a server is not connected, with the next step and what supports it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Failure {
    /// A stable word, such as `command_not_found` or `timeout`.
    pub code: String,
    /// What happened, in one sentence.
    pub message: Sentence,
    /// What the person can do about it.
    pub next: Option<Sentence>,
    /// What the server or the system said.
    pub evidence: Option<String>,
}

/// Which era to negotiate with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum EraOverride {
    /// Find out.
    Auto,
    /// Each request stands alone.
    Modern,
    /// A session.
    Session,
    /// HTTP+SSE of old.
    Sse,
}

/// One step of the negotiation with a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NegotiationStep {
    /// What was asked.
    pub request: String,
    /// What came of it.
    pub outcome: Sentence,
    /// How long that took, in milliseconds.
    pub elapsed_ms: Option<f64>,
}

/// A limit that a connection has reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LimitReached {
    /// What it bounds.
    pub name: String,
    /// The bound.
    pub limit: i64,
    /// Its unit.
    pub unit: String,
    /// How often it was reached.
    pub times: i64,
    /// When it was reached last, in milliseconds of Unix time.
    pub last_at: i64,
}

/// A server's configuration, as entered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ServerInput {
    /// The name it goes by here.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// The program, for `stdio`.
    pub command: Option<String>,
    /// The program's arguments.
    pub args: Vec<String>,
    /// Variables added to the program's environment.
    pub env: BTreeMap<String, String>,
    /// The directory the program runs in; none means a private one.
    pub cwd: Option<String>,
    /// The address, for `http`.
    pub url: Option<String>,
    /// Headers added to every request.
    pub headers: BTreeMap<String, String>,
    /// How long a request may be silent, in milliseconds; none means the setting for all servers.
    pub timeout_ms: Option<i64>,
    /// Which era to negotiate.
    pub era: EraOverride,
    /// Variables and headers whose values are sealed; their names are in neither of the lists above.
    pub secrets: Vec<ServerSecret>,
}

/// A saved server and its connection.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ServerView {
    /// Its row.
    pub id: i64,
    /// Its configuration.
    #[serde(flatten)]
    pub input: ServerInput,
    /// Where its connection stands.
    pub state: ServerState,
    /// Something of it is not what was approved, and blocked until the person has looked at it.
    pub changed: bool,
    /// Since when, in milliseconds of Unix time.
    pub since: i64,
    /// Why it is not connected.
    pub failure: Option<Failure>,
    /// Which attempt to connect this is, counted from one; zero before the first.
    pub attempt: u32,
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
    /// How many tools it offers, once listed.
    pub tool_count: Option<u32>,
    /// How many resources and templates it offers, once listed.
    pub resource_count: Option<u32>,
    /// How many prompts it offers, once listed.
    pub prompt_count: Option<u32>,
    /// The negotiation, in order.
    pub steps: Vec<NegotiationStep>,
    /// The limits that this connection has reached.
    pub limits: Vec<LimitReached>,
    /// How long connecting took, in milliseconds.
    pub connect_ms: Option<f64>,
    /// The 95th percentile of its calls' durations, in milliseconds.
    pub p95_ms: Option<f64>,
    /// How many calls it was sent since the application started.
    pub calls: i64,
    /// Its process.
    pub pid: Option<u32>,
    /// The program that was found for its command.
    pub program_path: Option<String>,
    /// The last lines of its standard error.
    pub stderr_tail: Vec<String>,
}

/// What a command resolves to on the login shell's search path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CommandCheck {
    /// The absolute path of the program.
    pub path: Option<String>,
    /// Why there is none.
    pub problem: Option<Sentence>,
    /// The directories that were looked through.
    pub searched: Vec<String>,
}

/// What a pasted `mcpServers` configuration holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImportPreview {
    /// The entries that could be told apart, good and bad.
    pub entries: Vec<ImportEntry>,
    /// What makes the text as a whole unreadable.
    pub error: Option<ImportError>,
    /// Why nothing can be sealed, where something should be: it is saved as it stands in the text.
    pub plain: Option<Sentence>,
}

/// One entry of a pasted configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImportEntry {
    /// Its name in the text.
    pub name: String,
    /// The server it describes.
    pub server: Option<ServerInput>,
    /// Why it cannot be imported.
    pub problem: Option<Sentence>,
    /// The problem's line, counted from one.
    pub line: Option<u32>,
    /// The problem's column, counted from one.
    pub column: Option<u32>,
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

/// Where and why a pasted configuration is not readable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImportError {
    /// What is wrong.
    pub message: Sentence,
    /// The line, counted from one.
    pub line: u32,
    /// The column, counted from one.
    pub column: u32,
}
