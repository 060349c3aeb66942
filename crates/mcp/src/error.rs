//! Errors of requests and connections.

pub(crate) mod sentences;

use std::time::Duration;

use mooring_jsonrpc::{Members, raw, string};
use mooring_words::Sentence;
use serde_json::value::RawValue;

use crate::frame::truncated;
use crate::raw_json::RawJson;
use crate::text::cut_text;

/// A JSON-RPC error as the server sent it.
#[derive(Debug, Clone)]
pub struct RpcError {
    /// The error code, or 0 if the server sent no number.
    pub code: i64,
    /// The server's message.
    pub message: String,
    /// The server's additional data.
    pub data: Option<Box<RawValue>>,
    /// The HTTP status of the response, if it was not a success.
    pub status: Option<u16>,
}

impl RpcError {
    /// The longest message in bytes.
    const LONGEST: usize = 16 * 1024;

    /// Parses the `error` member of a response, whatever its type. A code that is no number becomes 0.
    pub(crate) fn read(text: &str) -> Self {
        let mut error = Self { code: 0, message: String::new(), data: None, status: None };
        if !text.starts_with('{') {
            let message = string(text).unwrap_or_else(|| text.to_owned());
            cut_text(&message, Self::LONGEST).clone_into(&mut error.message);
            return error;
        }
        let mut word = None;
        for (key, value) in &Members::of(text) {
            match key {
                "code" => match value.trim_matches('"').parse() {
                    Ok(code) => error.code = code,
                    // Some servers send a word instead of a number. The word is placed before the message.
                    Err(_) => word = string(value).filter(|word| !word.is_empty()),
                },
                "message" => {
                    let message = string(value).unwrap_or_else(|| value.to_owned());
                    cut_text(&message, Self::LONGEST).clone_into(&mut error.message);
                }
                "data" if value != "null" => error.data = raw(value),
                _ => {}
            }
        }
        if let Some(word) = word {
            let message = if error.message.is_empty() { word } else { format!("{word}: {}", error.message) };
            cut_text(&message, Self::LONGEST).clone_into(&mut error.message);
        }
        error
    }
}

/// What a failed HTTP response says besides its status and body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusHints {
    /// How long the server asks clients to wait (`Retry-After`, RFC 9110 §10.2.3).
    pub retry_after: Option<Duration>,
    /// Where the resource has moved to (`Location`), without query and credentials.
    pub location: Option<String>,
    /// The proxy that was used, without credentials.
    pub proxy: Option<String>,
}

/// Which deadline passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deadline {
    /// Nothing was received for the request for this long.
    Idle,
    /// The request took this long in all.
    Total,
}

/// Why a request has no result.
#[derive(Debug, Clone)]
pub enum RequestError {
    /// The server responded with an error.
    Rpc(RpcError),
    /// A deadline passed. The server was notified that the request is cancelled.
    Timeout {
        /// Which deadline.
        deadline: Deadline,
        /// Its length.
        after: Duration,
        /// Whether the server opened a stream for the response and sent nothing on it.
        is_stream_silent: bool,
    },
    /// The connection ended before the response.
    Closed(CloseReason),
    /// The response is larger than the limit.
    TooLarge {
        /// The limit in bytes.
        limit: usize,
        /// The size in bytes.
        size: usize,
        /// Whether `size` is the full size. Endless responses and unknown lengths aren't read to the end.
        is_whole: bool,
        /// The received part of the result, as JSON.
        beginning: Option<RawJson>,
    },
    /// The response can't be parsed.
    Malformed {
        /// What is wrong.
        reason: Sentence,
    },
    /// The HTTP response is not MCP.
    NotMcp {
        /// What came instead.
        what: Sentence,
        /// The start of the body, as the server sent it.
        excerpt: String,
    },
    /// The HTTP status ends the request.
    Status {
        /// The status.
        status: u16,
        /// The start of the body, as the server sent it.
        excerpt: String,
        /// What the headers say.
        hints: Box<StatusHints>,
    },
    /// The server has lost the session that the request named.
    SessionLost {
        /// The server's response.
        answer: Box<Self>,
        /// Whether the session is certainly gone. Otherwise it is likely and has to be checked.
        is_certain: bool,
        /// Whether the request may have run.
        may_have_run: bool,
    },
    /// A POST was answered with the stream of HTTP+SSE (2024-11-05), whose first event names an endpoint.
    OldTransport,
    /// The server's certificate is not accepted.
    Certificate {
        /// Why.
        reason: Sentence,
    },
    /// The server requires signing in (401, or 403 with a challenge).
    SignIn {
        /// 401 or 403.
        status: u16,
        /// The value of `WWW-Authenticate`.
        challenge: Option<String>,
    },
    /// The sign-in could not be renewed for now, so the request was not sent.
    Renewal {
        /// Why.
        reason: Sentence,
    },
    /// The server could not be reached.
    Unreachable {
        /// Why.
        reason: Sentence,
    },
    /// The call asked a question that was refused.
    Refused {
        /// The question's method.
        what: String,
        /// The reason, as the server would get it.
        reason: String,
    },
    /// The call asked questions in too many rounds.
    Rounds {
        /// The limit in rounds.
        limit: usize,
    },
    /// An argument cannot be sent.
    Unsendable {
        /// Why.
        reason: Sentence,
    },
    /// The request would have to be sent again, and the caller doesn't want that.
    NotResent {
        /// Why.
        reason: Sentence,
    },
    /// The event stream ended before the response.
    StreamEnded,
    /// The call became a task that was cancelled.
    TaskCancelled {
        /// The server's message about that.
        message: Option<String>,
    },
}

impl RequestError {
    /// The HTTP status of the response.
    pub(crate) fn http_status(&self) -> Option<u16> {
        match self {
            Self::Status { status, .. } | Self::SignIn { status, .. } => Some(*status),
            Self::Rpc(error) => error.status,
            _ => None,
        }
    }

    /// The error for a passed deadline, without an open stream for the response.
    pub(crate) fn timeout(deadline: Deadline, after: Duration) -> Self {
        Self::Timeout { deadline, after, is_stream_silent: false }
    }

    /// The error for a response that begins with `head` and has `size` bytes, or more unless `is_whole`.
    pub(crate) fn too_large(limit: usize, size: usize, is_whole: bool, head: &[u8]) -> Self {
        Self::TooLarge { limit, size, is_whole, beginning: truncated::truncated_result(head) }
    }
}

/// Why a connection is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CloseReason {
    /// This client ended the connection.
    Stopped,
    /// The server's process ended.
    Exited {
        /// How it ended: `exit code 1`, `signal 9 (SIGKILL)`.
        exit: Sentence,
        /// The last lines of stderr, as the server sent it.
        stderr: Vec<String>,
    },
    /// The server closed its stdout, but its process still runs.
    OutputClosed,
    /// The server no longer reads its input.
    InputClosed {
        /// Why.
        reason: Sentence,
    },
    /// The event stream of the connection ended (HTTP+SSE).
    StreamLost {
        /// Why.
        reason: Sentence,
    },
    /// The HTTP session is gone (404 with a session id).
    SessionLost,
    /// The server no longer responds.
    Unresponsive {
        /// The number of consecutive pings without a response.
        pings: u32,
    },
}

/// Why connecting failed.
#[derive(Debug, Clone)]
pub enum ConnectError {
    /// The program could not be started.
    Spawn {
        /// The program's path.
        program: String,
        /// Why.
        reason: Sentence,
    },
    /// The process ended before it responded.
    Exited {
        /// How it ended.
        exit: Sentence,
        /// The last lines of stderr, as the server sent it.
        stderr: Vec<String>,
    },
    /// The peer does not speak MCP.
    NotMcp {
        /// What came instead.
        what: Sentence,
        /// The start of the output, from the server.
        excerpt: String,
    },
    /// There was no response in time.
    Timeout {
        /// How long the client waited.
        after: Duration,
        /// Whether the server opened a stream for the response and sent nothing on it.
        is_stream_silent: bool,
        /// The last lines of stderr, as the server sent it.
        stderr: Vec<String>,
    },
    /// The sign-in could not be renewed for now, so the server was not contacted.
    Renewal {
        /// Why.
        reason: Sentence,
    },
    /// The URL could not be reached.
    Unreachable {
        /// Why.
        reason: Sentence,
    },
    /// The HTTP status ends the attempt.
    Status {
        /// The status.
        status: u16,
        /// The start of the body, as the server sent it.
        excerpt: String,
        /// What the headers say.
        hints: Box<StatusHints>,
    },
    /// The server's certificate is not accepted.
    Certificate {
        /// Why.
        reason: Sentence,
    },
    /// The server refused, and then the HTTP+SSE transport of 2024-11-05 also failed.
    AlsoOverSse {
        /// The refusal.
        error: Box<Self>,
        /// Why the older transport failed.
        sse: Sentence,
    },
    /// The server speaks HTTP+SSE of 2024-11-05, but another transport was chosen for it.
    OldTransport,
    /// The server requires signing in.
    SignIn {
        /// 401 or 403.
        status: u16,
        /// The value of `WWW-Authenticate`.
        challenge: Option<String>,
    },
    /// The server refused `initialize`.
    Rejected(RpcError),
    /// The server requires a revision that this client doesn't support.
    Revision {
        /// The server's revision.
        offered: String,
    },
    /// The response to `initialize` is unusable.
    Handshake {
        /// Why.
        reason: Sentence,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: BASE-08.
    #[test]
    fn an_error_of_any_type_is_readable() {
        let read = |text| {
            let error = RpcError::read(text);
            (error.code, error.message, error.data.map(|data| data.get().to_owned()))
        };
        assert_eq!(
            read(r#"{"code":-32601,"message":"no","data":{"a":1}}"#),
            (-32601, "no".into(), Some("{\"a\":1}".into()))
        );
        assert_eq!(read(r#"{"code":"-32000","message":null}"#), (-32000, "null".into(), None));
        assert_eq!(read(r#"{"message":"over","code":"E_BUSY"}"#), (0, "E_BUSY: over".into(), None));
        assert_eq!(read(r#"{"code":"E_BUSY"}"#), (0, "E_BUSY".into(), None));
        assert_eq!(read(r#"{"code":null,"message":"over"}"#), (0, "over".into(), None));
        assert_eq!(read(r#""went wrong""#), (0, "went wrong".into(), None));
        assert_eq!(read(r#"{"code":99999999999999999999}"#), (0, String::new(), None));
    }
}
