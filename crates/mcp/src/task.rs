//! A server's task, in both of its wire formats.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use mooring_jsonrpc::{Members, string};

use crate::limits::Limits;
use crate::model::time;
use crate::text::cut_text;

/// The extension's id.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/tasks";
/// The unsolicited notification of a status (2025-11-25).
pub(crate) const STATUS: &str = "notifications/tasks/status";

/// The status of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskStatus {
    /// The task runs.
    Working,
    /// The task waits for an answer of this client.
    InputRequired,
    /// The task ended with a result.
    Completed,
    /// The task ended with an error.
    Failed,
    /// The task was cancelled.
    Cancelled,
    /// An unknown status.
    Other,
}

impl TaskStatus {
    /// The status on the wire, or `other`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Other => "other",
        }
    }

    /// Whether the task has ended.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    fn read(name: &str) -> Self {
        [Self::Working, Self::InputRequired, Self::Completed, Self::Failed, Self::Cancelled]
            .into_iter()
            .find(|status| status.as_str() == name)
            .unwrap_or(Self::Other)
    }
}

/// A task of the server: a tool call that continues after its request was answered.
#[derive(Clone, PartialEq, Eq)]
pub struct Task {
    /// The task's id. It is a secret, because it gives access to the result.
    pub id: Arc<str>,
    /// The tool that was called. Empty if another client called it.
    pub tool: String,
    /// The task's status.
    pub status: TaskStatus,
    /// The server's message about the status.
    pub status_message: Option<String>,
    /// When the task was created, by the server's clock if known.
    pub created_at: SystemTime,
    /// When the task last changed, by the server's clock if known.
    pub updated_at: SystemTime,
    /// How often the server wants to be polled.
    pub poll_interval: Option<Duration>,
    /// How long the server keeps the task after its creation. `None` for no limit.
    pub ttl: Option<Duration>,
}

impl fmt::Debug for Task {
    /// Omits the id, which is a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task")
            .field("tool", &self.tool)
            .field("status", &self.status)
            .field("status_message", &self.status_message)
            .finish_non_exhaustive()
    }
}

/// The wire format of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskForm {
    /// The format of 2025-11-25: `ttl`, `pollInterval`.
    Core,
    /// The format of the extension: `ttlMs`, `pollIntervalMs`.
    Extension,
}

/// The longest status message in bytes.
const MESSAGE: usize = 4096;

impl Task {
    /// Parses a task (TSKX-03, TSKE-05). `None` without an id or a status.
    pub(crate) fn read(text: &str, form: TaskForm, tool: &str, limits: &Limits) -> Option<Self> {
        let (ttl_name, poll_name) = match form {
            TaskForm::Core => ("ttl", "pollInterval"),
            TaskForm::Extension => ("ttlMs", "pollIntervalMs"),
        };
        let now = SystemTime::now();
        let (mut id, mut status, mut status_message, mut created, mut updated) =
            (None, None, None, None, None);
        let (mut poll_interval, mut ttl) = (None, None);
        for (key, value) in &Members::of(text) {
            match key {
                "taskId" => id = string(value).filter(|id| !id.is_empty() && id.len() <= limits.uri_bytes),
                "status" => status = string(value).map(|name| TaskStatus::read(&name)),
                "statusMessage" => {
                    status_message = string(value).map(|text| cut_text(&text, MESSAGE).to_owned());
                }
                "createdAt" => created = string(value).and_then(|text| time::parse_timestamp(&text)),
                "lastUpdatedAt" => updated = string(value).and_then(|text| time::parse_timestamp(&text)),
                _ if key == ttl_name => ttl = read_millis(value),
                _ if key == poll_name => poll_interval = read_millis(value),
                _ => {}
            }
        }
        let created_at = created.unwrap_or(now);
        Some(Self {
            id: id?.into(),
            tool: tool.to_owned(),
            status: status?,
            status_message,
            created_at,
            updated_at: updated.unwrap_or(now),
            poll_interval,
            ttl,
        })
    }
}

fn read_millis(value: &str) -> Option<Duration> {
    let millis = value.parse::<f64>().ok().filter(|millis| *millis >= 0.0)?;
    Some(Duration::try_from_secs_f64(millis / 1000.0).unwrap_or(Duration::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: TSKX-03, TSKE-05.
    #[test]
    fn both_task_forms_are_read_and_told_apart() {
        let core = r#"{"taskId":"t","status":"working","statusMessage":"on it","createdAt":"2025-11-25T10:30:00Z","lastUpdatedAt":"2025-11-25T10:40:00Z","ttl":null,"pollInterval":5000}"#;
        let read = |text, form| Task::read(text, form, "tool", &Limits::default()).unwrap();
        let task = read(core, TaskForm::Core);
        assert_eq!(
            (&*task.id, task.status, task.status_message.as_deref()),
            ("t", TaskStatus::Working, Some("on it"))
        );
        assert_eq!((task.ttl, task.poll_interval), (None, Some(Duration::from_secs(5))));
        assert_eq!(task.updated_at.duration_since(task.created_at).unwrap(), Duration::from_mins(10));
        assert_eq!(read(core, TaskForm::Extension).poll_interval, None);
        let extension = r#"{"taskId":"t","status":"paused","ttlMs":60000,"pollIntervalMs":1e18}"#;
        let task = read(extension, TaskForm::Extension);
        assert_eq!((task.status, task.ttl), (TaskStatus::Other, Some(Duration::from_mins(1))));
        assert!(task.poll_interval.unwrap() > Duration::from_hours(1));
        for bad in
            ["{}", r#"{"taskId":7,"status":"working"}"#, r#"{"task":{"taskId":"t","status":"working"}}"#]
        {
            assert!(Task::read(bad, TaskForm::Extension, "", &Limits::default()).is_none(), "{bad}");
        }
    }
}
