//! Tools, and calls of them.

use std::time::Duration;

use mooring_host as host;
use serde_json::value::RawValue;

use super::{milliseconds, whole};
use crate::dto::{CallError, CallEvent, CallOutcome, CallStatus, ToolList, ToolView};

/// JSON stays the text that was sent.
pub(super) fn text(raw: Box<RawValue>) -> String {
    Box::<str>::from(raw).into()
}

impl From<host::Tool> for ToolView {
    fn from(tool: host::Tool) -> Self {
        Self {
            name: tool.name,
            title: tool.title,
            description: tool.description,
            input_schema: tool.input_schema.map(text),
            output_schema: tool.output_schema.map(text),
            annotations: tool.annotations.map(text),
            raw: text(tool.raw),
            diagnostics: tool.diagnostics,
        }
    }
}

impl From<host::ToolList> for ToolList {
    fn from(list: host::ToolList) -> Self {
        Self { tools: list.tools.into_iter().map(Into::into).collect(), diagnostics: list.diagnostics }
    }
}

impl From<host::CallEvent> for CallEvent {
    fn from(event: host::CallEvent) -> Self {
        match event {
            host::CallEvent::Progress { progress, total, message } => {
                Self::Progress { progress, total, message }
            }
            host::CallEvent::Log { level, logger, data } => Self::Log { level, logger, data: text(data) },
        }
    }
}

impl From<host::CallStatus> for CallStatus {
    fn from(status: host::CallStatus) -> Self {
        match status {
            host::CallStatus::Ok => Self::Ok,
            host::CallStatus::ToolError => Self::ToolError,
            host::CallStatus::RpcError => Self::RpcError,
            host::CallStatus::TimedOut => Self::TimedOut,
            host::CallStatus::Cancelled => Self::Cancelled,
            host::CallStatus::Failed => Self::Failed,
        }
    }
}

impl From<host::CallOutcome> for CallOutcome {
    fn from(outcome: host::CallOutcome) -> Self {
        Self {
            bytes: whole(outcome.bytes()),
            status: outcome.status.into(),
            result: outcome.result.map(String::from),
            error: outcome.error.map(|error| CallError {
                code: error.code.to_owned(),
                message: error.message,
                said: error.said.map(Into::into),
                rpc_code: error.rpc_code,
                data: error.data.map(text),
                next: error.next.map(Into::into),
                evidence: error.evidence,
            }),
            diagnostics: outcome.diagnostics,
            elapsed_ms: milliseconds(outcome.elapsed),
        }
    }
}

impl CallOutcome {
    /// The outcome of a call that the person cancelled.
    pub(crate) fn cancelled(elapsed: Duration) -> Self {
        Self {
            status: CallStatus::Cancelled,
            result: None,
            error: None,
            diagnostics: Vec::new(),
            elapsed_ms: milliseconds(elapsed),
            bytes: 0,
        }
    }
}
