//! Public access to the parsers, for tests that compare them with other implementations.

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

/// The error codes that the engine depends on, with their names.
pub const CODES: [(&str, i64); 5] = [
    ("method not found", METHOD_NOT_FOUND),
    ("invalid params", INVALID_PARAMS),
    ("header mismatch", HEADER_MISMATCH),
    ("missing client capability", MISSING_CAPABILITY),
    ("unsupported protocol version", UNSUPPORTED_VERSION),
];

/// The content of an event stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedStream {
    /// Names, which may be empty, and data.
    pub events: Vec<(String, Bytes)>,
    /// The id with which the stream can be resumed.
    pub last_id: Option<Bytes>,
    /// How long to wait before reconnecting.
    pub retry: Option<Duration>,
    /// Whether every event was within the limit. Larger events are skipped.
    pub whole: bool,
}

/// Parses a stream of chunks. Events have at most `limit` bytes of data.
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

/// A message of a server. Its parts are JSON text.
#[derive(Debug, Clone)]
pub enum ParsedView {
    /// A request.
    Request {
        /// The id.
        id: Bytes,
        /// The method.
        method: String,
        /// The parameters.
        params: Option<Bytes>,
    },
    /// A notification.
    Notification {
        /// The method.
        method: String,
        /// The parameters.
        params: Option<Bytes>,
    },
    /// A successful response.
    Result {
        /// The id.
        id: Option<Bytes>,
        /// The result.
        result: Bytes,
    },
    /// An error response, or an error without an id.
    Error {
        /// The id.
        id: Option<Bytes>,
        /// The error.
        error: RpcError,
    },
}

/// Parses the messages of one frame. Also returns their diagnostics.
pub fn read_messages(frame: &[u8]) -> Result<(Vec<ParsedView>, Vec<String>), FrameError> {
    let read = message::parse_frame(&Bytes::copy_from_slice(frame), &Limits::default())?;
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

/// The number of a request of this client, or the text of another id.
fn text(id: ResponseId) -> Bytes {
    match id {
        ResponseId::Ours { number, .. } => number.to_string().into(),
        ResponseId::Foreign(text) => text,
    }
}
