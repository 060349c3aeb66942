//! Requests of the server in the queue for the host.

use std::sync::Arc;
use std::time::Duration;

use crate::inbound::Question;
use crate::transport::sink::FrameSource;

/// An item in the queue between the reader and the task that asks the host.
#[derive(Debug)]
pub(crate) enum QueuedRequest {
    /// A question with its number. If the question is a task, the server fetches the answer later.
    Question { question: Question, number: u64, as_task: Option<TaskMetadata>, on: FrameSource },
    /// A request about one of this client's tasks.
    Task(TaskRequest),
}

/// The `task` member of a request's parameters: the server fetches the answer later (2025-11-25).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TaskMetadata {
    /// How long the task should be kept, if the server says so.
    pub(crate) ttl: Option<Duration>,
}

/// The method of a server's request about one of this client's tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskMethod {
    Get,
    Result,
    List,
    Cancel,
}

impl TaskMethod {
    pub(crate) fn from_method(method: &str) -> Option<Self> {
        [Self::Get, Self::Result, Self::List, Self::Cancel].into_iter().find(|about| about.method() == method)
    }

    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Get => "tasks/get",
            Self::Result => "tasks/result",
            Self::List => "tasks/list",
            Self::Cancel => "tasks/cancel",
        }
    }
}

/// A request about one of this client's tasks.
#[derive(Debug)]
pub(crate) struct TaskRequest {
    /// The request's id as JSON text.
    pub(crate) id: Arc<str>,
    pub(crate) method: TaskMethod,
    /// The task's id, if the request names one.
    pub(crate) task: Option<String>,
}
