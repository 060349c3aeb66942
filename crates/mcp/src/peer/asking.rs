//! What a server asks, on its way to whoever answers.

use std::sync::Arc;
use std::time::Duration;

use crate::inbound::Question;
use crate::transport::sink::On;

/// What the reader has for the questions' task.
#[derive(Debug)]
pub(crate) enum Asking {
    /// A request that asks something, under its number; as a task, the server fetches the answer later.
    Ask { question: Question, number: u64, as_task: Option<AsTask>, on: On },
    /// A request about a task of ours.
    About(AboutTask),
}

/// A server's wish to fetch an answer later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AsTask {
    /// For how long, where it says so.
    pub(crate) ttl: Option<Duration>,
}

/// What a server wants to know of a task of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    Get,
    Result,
    List,
    Cancel,
}

impl About {
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

/// A request about a task of ours.
#[derive(Debug)]
pub(crate) struct AboutTask {
    /// The request's id, as JSON text.
    pub(crate) id: Arc<str>,
    pub(crate) about: About,
    /// The task's id, where it names one.
    pub(crate) task: Option<String>,
}
