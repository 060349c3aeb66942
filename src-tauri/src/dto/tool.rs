//! Tools, and calls of them.

use mooring_host::KeptSentence as Sentence;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Diagnostic;

/// A tool as its server describes it. JSON is kept as the text that was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolView {
    /// The name to call it by.
    pub name: String,
    /// A name to show.
    pub title: Option<String>,
    /// What it does, in the server's words.
    pub description: Option<String>,
    /// The JSON Schema of its arguments, as JSON text.
    pub input_schema: Option<String>,
    /// The JSON Schema of its structured result, as JSON text.
    pub output_schema: Option<String>,
    /// What the server says of its effects, as JSON text.
    pub annotations: Option<String>,
    /// The whole definition, as JSON text.
    pub raw: String,
    /// Oddities in the definition.
    pub diagnostics: Vec<Diagnostic>,
}

/// All tools of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ToolList {
    /// The tools, in the server's order.
    pub tools: Vec<ToolView>,
    /// Oddities in the list.
    pub diagnostics: Vec<Diagnostic>,
}

/// Something that happens while a call runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CallEvent {
    /// The server says how far it is.
    Progress {
        /// How far.
        progress: f64,
        /// Of how much.
        total: Option<f64>,
        /// In its words.
        message: Option<String>,
    },
    /// The server logs a message.
    Log {
        /// Its severity, in the server's word.
        level: String,
        /// Which part of the server it comes from.
        logger: Option<String>,
        /// The message, as JSON text.
        data: String,
    },
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// The tool returned a result.
    Ok,
    /// The tool returned a result that says it failed.
    ToolError,
    /// The server answered with an error.
    RpcError,
    /// No answer came in time.
    TimedOut,
    /// The person cancelled it.
    Cancelled,
    /// It could not be sent, or the connection ended.
    Failed,
}

/// Why a call has no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallError {
    /// A stable word, such as `timeout` or `closed`.
    pub code: String,
    /// What happened, in English; the server's words where it answered with an error.
    pub message: String,
    /// What happened, unless the server answered with an error.
    pub said: Option<Sentence>,
    /// The server's error code.
    pub rpc_code: Option<i64>,
    /// The server's error data, as JSON text.
    pub data: Option<String>,
    /// What the person can do, where that is known.
    pub next: Option<Sentence>,
    /// The server's words, where they are no error of the protocol.
    pub evidence: Option<String>,
}

/// The end of a call.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallOutcome {
    /// How it ended.
    pub status: CallStatus,
    /// The server's result, as the JSON text it sent.
    pub result: Option<String>,
    /// Why there is none.
    pub error: Option<CallError>,
    /// Oddities in the result.
    pub diagnostics: Vec<Diagnostic>,
    /// How long it took, in milliseconds.
    pub elapsed_ms: f64,
    /// The result's size in bytes.
    pub bytes: i64,
}
