//! Views of tasks: calls on which their server works in the background.

use serde::Serialize;
use ts_rs::TS;

/// A task of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TaskView {
    /// The id that the server chose.
    pub task_id: String,
    /// The tool that was called. Empty if unknown.
    pub tool: String,
    /// `working`, `input_required`, `completed`, `failed`, `cancelled` or `other`.
    pub status: &'static str,
    /// The server's message about its state.
    pub status_message: Option<String>,
    /// When it was created, in milliseconds since the Unix epoch.
    #[serde(rename = "createdAt")]
    pub created_ms: i64,
    /// When its state was last received, in milliseconds since the Unix epoch.
    #[serde(rename = "updatedAt")]
    pub updated_ms: i64,
    /// How often the server wants to be polled, in milliseconds.
    pub poll_interval_ms: Option<u64>,
    /// How long the server keeps the task, in milliseconds.
    pub ttl_ms: Option<u64>,
}
