//! Why a request or a connection ended otherwise than hoped.

pub(crate) mod sentences;

use std::time::Duration;

use mooring_jsonrpc::{Members, raw, string};
use mooring_words::Sentence;
use serde_json::value::RawValue;

use crate::frame::truncated;
use crate::raw_json::RawJson;
use crate::text::cut;

/// An error object of JSON-RPC as a server sent it.
#[derive(Debug, Clone)]
pub struct RpcError {
    /// The code; 0 where the server sent none that is a number.
    pub code: i64,
    /// The server's words.
    pub message: String,
    /// What the server added.
    pub data: Option<Box<RawValue>>,
    /// The HTTP status it came with, where it was not a success.
    pub status: Option<u16>,
}

impl RpcError {
    /// Longest message kept, in bytes.
    const LONGEST: usize = 16 * 1024;

    /// Reads the error member of an answer, whatever its type. Where its code is no number it is 0, and a word that stands
    /// there begins the message.
    pub(crate) fn read(text: &str) -> Self {
        let mut error = Self { code: 0, message: String::new(), data: None, status: None };
        if !text.starts_with('{') {
            let message = string(text).unwrap_or_else(|| text.to_owned());
            cut(&message, Self::LONGEST).clone_into(&mut error.message);
            return error;
        }
        let mut word = None;
        for (key, value) in &Members::of(text) {
            match key {
                "code" => match value.trim_matches('"').parse() {
                    Ok(code) => error.code = code,
                    // Some put a word of their own there: it stands before what they say.
                    Err(_) => word = string(value).filter(|word| !word.is_empty()),
                },
                "message" => {
                    let message = string(value).unwrap_or_else(|| value.to_owned());
                    cut(&message, Self::LONGEST).clone_into(&mut error.message);
                }
                "data" if value != "null" => error.data = raw(value),
                _ => {}
            }
        }
        if let Some(word) = word {
            let message = if error.message.is_empty() { word } else { format!("{word}: {}", error.message) };
            cut(&message, Self::LONGEST).clone_into(&mut error.message);
        }
        error
    }
}

/// What an HTTP answer outside 2xx tells besides its status and its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusHints {
    /// How long the server wants us to wait (`Retry-After`, RFC 9110 §10.2.3).
    pub retry_after: Option<Duration>,
    /// Where it says that the resource is (`Location`), without query and credentials.
    pub location: Option<String>,
    /// The proxy that the request went through, without credentials.
    pub proxy: Option<String>,
}

/// Which deadline passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deadline {
    /// Nothing was heard of the request for this long.
    Idle,
    /// The request took this long in all.
    Total,
}

/// Why a request has no result.
#[derive(Debug, Clone)]
pub enum RequestError {
    /// The server answered with an error.
    Rpc(RpcError),
    /// A deadline of ours passed; the server was told that the request is cancelled.
    Timeout {
        /// Which one.
        deadline: Deadline,
        /// Its length.
        after: Duration,
        /// The server opened a stream for the answer, and nothing came on it.
        is_stream_silent: bool,
    },
    /// The connection ended first.
    Closed(CloseReason),
    /// The answer is larger than we accept.
    TooLarge {
        /// The limit in bytes.
        limit: usize,
        /// How large it is, in bytes.
        size: usize,
        /// Whether that is all of it: what comes without an end, or its length unsaid, is not waited for.
        is_whole: bool,
        /// What its beginning holds of the result, as JSON.
        beginning: Option<RawJson>,
    },
    /// The answer cannot be read.
    Malformed {
        /// What is wrong, in words.
        reason: Sentence,
    },
    /// HTTP brought something that is not MCP.
    NotMcp {
        /// What came instead.
        what: Sentence,
        /// How it begins; the server's words.
        excerpt: String,
    },
    /// HTTP brought a status that ends the request.
    Status {
        /// The status.
        status: u16,
        /// How its body begins; the server's words.
        excerpt: String,
        /// What its headers tell.
        hints: Box<StatusHints>,
    },
    /// The server no longer knows the session that the request named.
    SessionLost {
        /// What it said.
        answer: Box<Self>,
        /// The session is gone; otherwise that is likely, and the session has to be tried.
        is_certain: bool,
        /// Nothing proves that the request was not carried out.
        may_have_run: bool,
    },
    /// A POST was answered with the stream of HTTP+SSE (2024-11-05), whose first event names an endpoint.
    OldTransport,
    /// The server's certificate is not accepted.
    Certificate {
        /// Why, in words.
        reason: Sentence,
    },
    /// The server wants a login (401, or 403 with a challenge).
    SignIn {
        /// 401 or 403.
        status: u16,
        /// `WWW-Authenticate` as it came.
        challenge: Option<String>,
    },
    /// The login could not be renewed for now, so that the server was not asked.
    Renewal {
        /// Why.
        reason: Sentence,
    },
    /// The server could not be reached.
    Unreachable {
        /// Why, in words.
        reason: Sentence,
    },
    /// The call asked for something that was refused.
    Refused {
        /// The method of the question.
        what: String,
        /// Why, in the words that a server would get.
        reason: String,
    },
    /// The call never stopped asking.
    Rounds {
        /// The limit in rounds.
        limit: usize,
    },
    /// An argument cannot be sent.
    Unsendable {
        /// Why, in words.
        reason: Sentence,
    },
    /// It would have had to be sent once more, and its maker no longer wants that.
    NotResent {
        /// Why, in words.
        reason: Sentence,
    },
    /// The event stream ended before the answer came.
    StreamEnded,
    /// The call had become a task, which was cancelled.
    TaskCancelled {
        /// What the server says about that.
        message: Option<String>,
    },
}

impl RequestError {
    /// The HTTP status that it came with.
    pub(crate) fn http_status(&self) -> Option<u16> {
        match self {
            Self::Status { status, .. } | Self::SignIn { status, .. } => Some(*status),
            Self::Rpc(error) => error.status,
            _ => None,
        }
    }

    /// A deadline of this length passed, with no stream open for the answer.
    pub(crate) fn timeout(deadline: Deadline, after: Duration) -> Self {
        Self::Timeout { deadline, after, is_stream_silent: false }
    }

    /// An answer of `size` bytes, or of more where that is not `whole`, which begins with `head`.
    pub(crate) fn too_large(limit: usize, size: usize, is_whole: bool, head: &[u8]) -> Self {
        Self::TooLarge { limit, size, is_whole, beginning: truncated::truncated_result(head) }
    }
}

/// Why a connection is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CloseReason {
    /// We ended it.
    Stopped,
    /// The server's process ended.
    Exited {
        /// How, in words: `exit code 1`, `signal 9 (SIGKILL)`.
        exit: Sentence,
        /// The last lines of stderr; the server's words.
        stderr: Vec<String>,
    },
    /// The server closed its stdout but its process lives.
    OutputClosed,
    /// The server no longer takes input.
    InputClosed {
        /// Why, in words.
        reason: Sentence,
    },
    /// The event stream that carried the connection ended (HTTP+SSE).
    StreamLost {
        /// Why, in words.
        reason: Sentence,
    },
    /// The HTTP session is gone (404 with a session id).
    SessionLost,
    /// The server answers nothing any more.
    Unresponsive {
        /// How many pings in a row were in vain.
        pings: u32,
    },
}

/// Why a connection could not be made.
#[derive(Debug, Clone)]
pub enum ConnectError {
    /// The program could not be started.
    Spawn {
        /// The program's path.
        program: String,
        /// Why, in words.
        reason: Sentence,
    },
    /// The process ended before it answered.
    Exited {
        /// How, in words.
        exit: Sentence,
        /// The last lines of stderr; the server's words.
        stderr: Vec<String>,
    },
    /// Something answered that is not MCP.
    NotMcp {
        /// What came instead.
        what: Sentence,
        /// How it begins; the server's words.
        excerpt: String,
    },
    /// No answer in time.
    Timeout {
        /// How long we waited.
        after: Duration,
        /// The server opened a stream for the answer, and nothing came on it.
        is_stream_silent: bool,
        /// The last lines of stderr; the server's words.
        stderr: Vec<String>,
    },
    /// The login could not be renewed for now, so that the server was not asked.
    Renewal {
        /// Why.
        reason: Sentence,
    },
    /// The address could not be reached.
    Unreachable {
        /// Why, in words.
        reason: Sentence,
    },
    /// HTTP refused.
    Status {
        /// The status.
        status: u16,
        /// How its body begins; the server's words.
        excerpt: String,
        /// What its headers tell.
        hints: Box<StatusHints>,
    },
    /// The server's certificate is not accepted.
    Certificate {
        /// Why, in words.
        reason: Sentence,
    },
    /// It was refused, and so was the HTTP+SSE transport of 2024-11-05, which was tried after that.
    AlsoOverSse {
        /// The refusal.
        error: Box<Self>,
        /// What the older transport met, in words.
        sse: Sentence,
    },
    /// It speaks HTTP+SSE of 2024-11-05, and another transport was chosen for it.
    OldTransport,
    /// A login is needed first.
    SignIn {
        /// 401 or 403.
        status: u16,
        /// `WWW-Authenticate` as it came.
        challenge: Option<String>,
    },
    /// The server refused `initialize`.
    Rejected(RpcError),
    /// The server wants a revision that we do not speak.
    Revision {
        /// What the server answered.
        offered: String,
    },
    /// The answer to `initialize` cannot be used.
    Handshake {
        /// Why, in words.
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
