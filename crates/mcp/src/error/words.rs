//! The errors in words of ours. A server's words are values of a sentence or stand apart.

use std::error::Error;
use std::fmt;

use mooring_words::{Sentence, say};

use super::{CloseReason, ConnectError, RequestError};

impl RequestError {
    /// The same in words of ours.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Rpc(error) => say!(
                "the server answered with error {code}: {message}",
                code = error.code,
                message = &error.message
            ),
            Self::Timeout { after, .. } => {
                say!("no answer within {seconds} s", seconds = after.as_secs_f32())
            }
            Self::Closed(reason) => say!("the connection ended: {reason}", reason = reason.sentence()),
            Self::TooLarge { limit } => {
                say!("the answer is larger than the limit of {limit} bytes", limit = *limit)
            }
            Self::Malformed { reason } => say!("the answer cannot be read: {reason}", reason),
            Self::NotMcp { what, .. } => say!("not an MCP answer: {what}", what),
            Self::Status { status, .. } => say!("HTTP status {status}", status = *status),
            Self::SignIn { status, .. } => sign_in(*status),
            Self::Unreachable { reason } => unreachable(reason),
            Self::Refused { what, reason } => {
                say!("the call was given up because {what} was refused: {reason}", what, reason)
            }
            Self::Rounds { limit } => {
                say!("the call asked for input in more than {limit} rounds", limit = *limit)
            }
            Self::Unsendable { reason } => say!("the call cannot be sent: {reason}", reason),
            Self::NotResent { reason } => say!("nothing more was sent for the call: {reason}", reason),
            Self::TaskCancelled { message: None } => say!("the task was cancelled"),
            Self::TaskCancelled { message: Some(message) } => {
                say!("the task was cancelled: {message}", message)
            }
            Self::StreamEnded => say!("the event stream ended without an answer"),
        }
    }
}

impl CloseReason {
    /// The same in words of ours.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Stopped => say!("it was stopped"),
            Self::Exited { exit, .. } => say!("the server's process ended ({exit})", exit),
            Self::OutputClosed => say!("the server closed its output"),
            Self::InputClosed { reason } => say!("the server does not take input: {reason}", reason),
            Self::StreamLost { reason } => say!("the event stream of the connection ended: {reason}", reason),
            Self::SessionLost => say!("the server no longer knows the session"),
            Self::Unresponsive { pings } => {
                say!("the server answers no more: {count} pings in a row were in vain", count = *pings)
            }
        }
    }
}

impl ConnectError {
    /// The same in words of ours.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Spawn { program, reason } => say!("could not start {program}: {reason}", program, reason),
            Self::Exited { exit, .. } => {
                say!("the server's process ended before it answered ({exit})", exit)
            }
            Self::NotMcp { what, .. } => say!("not an MCP server: {what}", what),
            Self::Timeout { after, .. } => {
                say!("no answer to initialize within {seconds} s", seconds = after.as_secs_f32())
            }
            Self::Unreachable { reason } => unreachable(reason),
            Self::Status { status, .. } => {
                say!("the server answered with HTTP status {status}", status = *status)
            }
            Self::SignIn { status, .. } => sign_in(*status),
            Self::Rejected(error) => say!(
                "the server refused to initialize: error {code}: {message}",
                code = error.code,
                message = &error.message
            ),
            Self::Revision { offered } => {
                say!("the server wants revision {offered}, which Mooring does not speak", offered)
            }
            Self::Handshake { reason } => say!("the answer to initialize cannot be used: {reason}", reason),
        }
    }
}

fn sign_in(status: u16) -> Sentence {
    say!("the server asks for a login (HTTP status {status})", status)
}

fn unreachable(reason: &Sentence) -> Sentence {
    say!("could not reach the server: {reason}", reason)
}

macro_rules! errors {
    ($($error:ty)*) => {$(
        impl fmt::Display for $error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.sentence().fmt(f)
            }
        }

        impl Error for $error {}
    )*};
}

errors!(RequestError CloseReason ConnectError);
