//! Messages to apps with what the log has of them.

use mooring_bridge::message;
use mooring_host::LogStatus;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::recorded::{Note, Outgoing};

pub(crate) use mooring_base::json_members::{elements, member, members, quoted, text_member, with_members};
pub(crate) use mooring_bridge::message::{
    Message, RequestId, Unreadable, cancelled, code, id_of_parts, parse, response_id,
};

/// What the log has of a message.
pub(crate) fn note(message: &Message) -> Note {
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

/// What a request says beside what it asks for (basic#_meta).
pub(crate) fn meta(params: Option<&RawValue>) -> Option<Box<RawValue>> {
    member(params?.get(), "_meta")
}

/// The token under which an app wants to hear how far a request is.
pub(crate) fn progress_token(params: Option<&RawValue>) -> Option<Box<RawValue>> {
    member(meta(params)?.get(), "progressToken").filter(|token| token.get() != "null")
}

/// The code of an error response; none where the message is none.
pub(crate) fn error_code(text: &str) -> Option<i64> {
    #[derive(Deserialize)]
    struct ErrorEnvelope {
        error: ErrorParts,
    }
    #[derive(Deserialize)]
    struct ErrorParts {
        code: i64,
    }
    serde_json::from_str::<ErrorEnvelope>(text).ok().map(|envelope| envelope.error.code)
}

/// A successful response; `result` is JSON.
pub(crate) fn response(id: &RequestId, result: &str) -> Outgoing {
    let note = Note { id: Some(id.get().into()), status: LogStatus::Ok, ..Note::default() };
    Outgoing { line: message::response(id, result), note }
}

/// An error response; `data` is JSON.
pub(crate) fn error_response(
    id: Option<&RequestId>,
    code: i64,
    message: &str,
    data: Option<&str>,
) -> Outgoing {
    let note = Note { id: id.map(|id| id.get().into()), status: LogStatus::Error, ..Note::default() };
    Outgoing { line: message::error_response(id, code, message, data), note }
}

/// A request; `params` is JSON.
pub(crate) fn request(id: &RequestId, method: &str, params: &str) -> Outgoing {
    let note = Note { method: Some(method.into()), id: Some(id.get().into()), ..Note::default() };
    Outgoing { line: message::request(id, method, params), note }
}

/// A notification; `params` is JSON.
pub(crate) fn notification(method: &str, params: Option<&str>) -> Outgoing {
    let note = Note { method: Some(method.into()), ..Note::default() };
    Outgoing { line: message::notification(method, params), note }
}
