//! Tasks as a front end sees them: calls that their server works on in the background.

use serde::Serialize;
use ts_rs::TS;

/// A task of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TaskView {
    /// The name that the server gave it.
    pub task_id: String,
    /// The tool that was called; empty where that is not known.
    pub tool: String,
    /// `working`, `input_required`, `completed`, `failed`, `cancelled` or `other`.
    pub status: &'static str,
    /// How it stands, in the server's words.
    pub status_message: Option<String>,
    /// When it began, in milliseconds since the Unix epoch.
    #[serde(rename = "createdAt")]
    pub created_ms: i64,
    /// When it was heard of last.
    #[serde(rename = "updatedAt")]
    pub updated_ms: i64,
    /// How often the server wants to be asked for it, in milliseconds.
    pub poll_interval_ms: Option<u64>,
    /// How long the server keeps it, in milliseconds.
    pub ttl_ms: Option<u64>,
}
