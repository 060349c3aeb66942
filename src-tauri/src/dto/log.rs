//! The journal: rows, pages of them, and the live tail.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a row records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum LogKind {
    /// One message of the protocol.
    Frame,
    /// A line on a server's standard error.
    Stderr,
    /// A decision about a call.
    Verdict,
    /// A connection's change of state.
    State,
    /// Rows that could not be kept.
    Gap,
    /// An oddity in what a server sent.
    Diagnostic,
    /// A step of a sign-in, a renewal of a login, or a sign-out.
    Auth,
}

/// Which way a frame went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// To the server.
    Out,
    /// From the server.
    In,
    /// Neither.
    None,
}

/// How an exchange ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum LogStatus {
    /// Nothing ended here.
    None,
    /// Well.
    Ok,
    /// With an error.
    Error,
    /// It was cancelled.
    Cancelled,
    /// No answer came in time.
    TimedOut,
}

/// A row without its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LogRow {
    /// Its number; later rows have larger ones.
    pub id: i64,
    /// When, in microseconds of Unix time.
    pub at: i64,
    /// The saved server, if it is one.
    pub server_id: Option<i64>,
    /// The server's name.
    pub source: String,
    /// Which connection to that server.
    pub connection: i64,
    /// What it records.
    pub kind: LogKind,
    /// Which way a frame went.
    pub direction: Direction,
    /// The method, also on the answer.
    pub method: Option<String>,
    /// The request's id, as JSON text.
    pub rpc_id: Option<String>,
    /// What it is about, such as a tool's name.
    pub subject: Option<String>,
    /// How the exchange ended.
    pub status: LogStatus,
    /// How long the exchange took, in microseconds.
    pub duration_us: Option<i64>,
    /// The body's size in bytes.
    pub size: i64,
    /// The beginning of the body.
    pub preview: String,
}

/// A row with its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LogEntry {
    /// The row.
    #[serde(flatten)]
    pub row: LogRow,
    /// The whole text.
    pub body: String,
}

/// Which rows are wanted; an absent part matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LogFilter {
    /// Only those that were written under this name.
    pub source: Option<String>,
    /// Only this saved server's, whatever it was called.
    pub server_id: Option<i64>,
    /// Only this way.
    pub direction: Option<Direction>,
    /// Only this method.
    pub method: Option<String>,
    /// Only these kinds; none named means all.
    pub kinds: Vec<LogKind>,
    /// Only rows whose body contains this.
    pub text: Option<String>,
}

/// Rows of the past, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LogPage {
    /// The rows.
    pub rows: Vec<LogRow>,
    /// More rows lie beyond the last one.
    pub more: bool,
}

/// Rows of the present, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LogBatch {
    /// The rows.
    pub rows: Vec<LogRow>,
    /// How many rows before these were left out because the view fell behind; pages have them.
    pub skipped: i64,
}

/// What the journal can be filtered by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LogFacets {
    /// Servers that have rows.
    pub sources: Vec<String>,
    /// Methods that have rows.
    pub methods: Vec<String>,
    /// How many rows there are.
    pub total: i64,
}
