//! What our parsers make of bytes, for tests that compare it with what others make of the same.

use std::time::Duration;

use bytes::Bytes;
use mooring_jsonrpc::code::{
    HEADER_MISMATCH, INVALID_PARAMS, METHOD_NOT_FOUND, MISSING_CAPABILITY, UNSUPPORTED_VERSION,
};

use crate::error::RpcError;
use crate::frame::FrameError;
use crate::limits::Limits;
use crate::message::{self, Message, ResponseBody, ResponseId};
use crate::transport::event_stream::EventStreamParser;

/// The codes of errors that the engine goes by, with their names.
pub const CODES: [(&str, i64); 5] = [
    ("method not found", METHOD_NOT_FOUND),
    ("invalid params", INVALID_PARAMS),
    ("header mismatch", HEADER_MISMATCH),
    ("missing client capability", MISSING_CAPABILITY),
    ("unsupported protocol version", UNSUPPORTED_VERSION),
];

/// What a stream of events held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedStream {
    /// Their names, which may be empty, and their data.
    pub events: Vec<(String, Bytes)>,
    /// With what the stream can be resumed.
    pub last_id: Option<Bytes>,
    /// How long to wait before that.
    pub retry: Option<Duration>,
    /// Whether every event was within the limit; one that is not is passed over.
    pub whole: bool,
}

/// Reads a stream that comes in pieces, whose events have at most `limit` bytes of data.
pub fn read_events<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, limit: usize) -> ParsedStream {
    let mut parser = EventStreamParser::new(limit);
    let mut events = Vec::new();
    for piece in pieces {
        parser.feed(piece, &mut events);
    }
    let whole = !parser.is_over() && events.iter().all(|event| event.oversize.is_none());
    ParsedStream {
        events: events
            .into_iter()
            .filter(|event| event.oversize.is_none())
            .map(|event| (event.name, event.data))
            .collect(),
        last_id: parser.last_id().cloned(),
        retry: parser.retry(),
        whole,
    }
}

/// One message of a server. Parts are JSON text.
#[derive(Debug, Clone)]
pub enum ParsedView {
    /// It asks.
    Request {
        /// The id.
        id: Bytes,
        /// The method.
        method: String,
        /// The parameters.
        params: Option<Bytes>,
    },
    /// It tells.
    Notification {
        /// The method.
        method: String,
        /// The parameters.
        params: Option<Bytes>,
    },
    /// It answers.
    Result {
        /// The id.
        id: Option<Bytes>,
        /// The result.
        result: Bytes,
    },
    /// It answers, or tells, that something went wrong.
    Error {
        /// The id.
        id: Option<Bytes>,
        /// What went wrong.
        error: RpcError,
    },
}

/// Reads the messages of one frame, and says what was odd about them.
pub fn read_messages(frame: &[u8]) -> Result<(Vec<ParsedView>, Vec<String>), FrameError> {
    let read = message::parse(&Bytes::copy_from_slice(frame), &Limits::default())?;
    let mut odd: Vec<String> = read.diagnostics.iter().map(ToString::to_string).collect();
    let mut readings = Vec::new();
    for parsed in read.messages {
        odd.extend(parsed.diagnostics.iter().map(ToString::to_string));
        readings.push(match parsed.message {
            Message::Request { id, method, params } => ParsedView::Request { id, method, params },
            Message::Notification { method, params } => ParsedView::Notification { method, params },
            Message::Response { id, body: ResponseBody::Result(result) } => {
                ParsedView::Result { id: id.map(text), result }
            }
            Message::Response { id, body: ResponseBody::Error(error) } => {
                let error = RpcError::read(&String::from_utf8_lossy(&error));
                ParsedView::Error { id: id.map(text), error }
            }
        });
    }
    Ok((readings, odd))
}

/// The number of ours that an answer belongs to, or the foreign id as it came.
fn text(id: ResponseId) -> Bytes {
    match id {
        ResponseId::Ours { number, .. } => number.to_string().into(),
        ResponseId::Foreign(text) => text,
    }
}
