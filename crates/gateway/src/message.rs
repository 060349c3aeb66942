//! Messages to apps, with what the log records about them.

use mooring_jsonrpc::{Members, Message, RequestId};
use mooring_log::LogStatus;

use crate::recorded::{Note, Outgoing};

/// What the log records about a message.
pub(crate) fn note_of(message: &Message) -> Note {
    let note = Note::default();
    match message {
        Message::Request { id, method, .. } => {
            Note { method: Some(method.as_str().into()), id: Some(id.get().into()), ..note }
        }
        Message::Notification { method, .. } => Note { method: Some(method.as_str().into()), ..note },
        Message::Response { id, answer } => Note {
            id: Some(id.get().into()),
            status: if answer.is_ok() { LogStatus::Ok } else { LogStatus::Error },
            ..note
        },
    }
}

/// The code of an error response. `None` for other messages.
pub(crate) fn read_error_code(text: &str) -> Option<i64> {
    Members::of(text).inside("error").get("code")?.parse().ok()
}

/// A successful response. `result` is JSON.
pub(crate) fn response(id: &RequestId, result: &str) -> Outgoing {
    let note = Note { id: Some(id.get().into()), status: LogStatus::Ok, ..Note::default() };
    Outgoing { line: mooring_jsonrpc::response(id, result), note }
}

/// An error response. `data` is JSON.
pub(crate) fn error_response(
    id: Option<&RequestId>,
    code: i64,
    message: &str,
    data: Option<&str>,
) -> Outgoing {
    let note = Note { id: id.map(|id| id.get().into()), status: LogStatus::Error, ..Note::default() };
    Outgoing { line: mooring_jsonrpc::error_response(id, code, message, data), note }
}

/// A request. `params` is JSON.
pub(crate) fn request(id: &RequestId, method: &str, params: &str) -> Outgoing {
    let note = Note { method: Some(method.into()), id: Some(id.get().into()), ..Note::default() };
    Outgoing { line: mooring_jsonrpc::request(id, method, params), note }
}

/// A notification. `params` is JSON.
pub(crate) fn notification(method: &str, params: Option<&str>) -> Outgoing {
    let note = Note { method: Some(method.into()), ..Note::default() };
    Outgoing { line: mooring_jsonrpc::notification(method, params), note }
}
