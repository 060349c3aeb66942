//! Errors as sentences for people. Text from a server is quoted or separate.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use mooring_words::{Sentence, say};

use super::{CloseReason, ConnectError, RequestError, StatusHints};

impl RequestError {
    /// The error as a sentence for people: lower case, no final period.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Rpc(error) if error.code == 0 => {
                say!("the server answered with an error: {message}", message = &error.message)
            }
            Self::Rpc(error) => say!(
                "the server answered with error {code}: {message}",
                code = error.code,
                message = &error.message
            ),
            Self::Timeout { after, .. } => {
                say!("no answer within {seconds} s", seconds = format_seconds(*after))
            }
            Self::Closed(reason) => say!("the connection ended: {reason}", reason = reason.sentence()),
            &Self::TooLarge { limit, size, is_whole, .. } => {
                let (limit, size) = (format_bytes(limit), format_bytes(size));
                if is_whole {
                    say!("the answer is larger than the limit of {limit}: it has {size}", limit, size)
                } else {
                    say!(
                        "the answer is larger than the limit of {limit}: it has at least {size}",
                        limit,
                        size
                    )
                }
            }
            Self::Malformed { reason } => say!("the answer can’t be read: {reason}", reason),
            Self::NotMcp { what, .. } => say!("not an MCP answer: {what}", what),
            Self::Status { status, hints, .. } => status_sentence(*status, hints),
            Self::SessionLost { answer, .. } => {
                say!("the server no longer knows the session: {reason}", reason = answer.sentence())
            }
            Self::OldTransport => old_transport_sentence(),
            Self::Certificate { reason } => certificate_sentence(reason),
            Self::SignIn { status, .. } => sign_in_sentence(*status),
            Self::Unreachable { reason } => unreachable_sentence(reason),
            Self::Renewal { reason } => not_renewed_sentence(reason),
            Self::Refused { what, reason } => {
                say!("the call was stopped because {what} was declined: {reason}", what, reason)
            }
            Self::Rounds { limit } => {
                say!("the call asked for input in more than {limit} rounds", limit = *limit)
            }
            Self::Unsendable { reason } => say!("the call can’t be sent: {reason}", reason),
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
    /// The reason as a sentence for people: lower case, no final period.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Stopped => say!("it was stopped"),
            Self::Exited { exit, .. } => say!("the server’s process ended ({exit})", exit),
            Self::OutputClosed => say!("the server closed its output"),
            Self::InputClosed { reason } => say!("the server doesn’t accept input: {reason}", reason),
            Self::StreamLost { reason } => say!("the event stream of the connection ended: {reason}", reason),
            Self::SessionLost => say!("the server no longer knows the session"),
            Self::Unresponsive { pings } => {
                say!("the server stopped answering: {count} pings in a row had no reply", count = *pings)
            }
        }
    }
}

impl ConnectError {
    /// The error as a sentence for people: lower case, no final period.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Spawn { program, reason } => say!("couldn’t start {program}: {reason}", program, reason),
            Self::Exited { exit, .. } => {
                say!("the server’s process ended before it answered ({exit})", exit)
            }
            Self::NotMcp { what, .. } => say!("not an MCP server: {what}", what),
            Self::Timeout { after, .. } => {
                say!("no answer to initialize within {seconds} s", seconds = format_seconds(*after))
            }
            Self::Unreachable { reason } => unreachable_sentence(reason),
            Self::Renewal { reason } => not_renewed_sentence(reason),
            Self::Status { status, hints, .. } => {
                say!("the server answered with {answer}", answer = status_sentence(*status, hints))
            }
            Self::Certificate { reason } => certificate_sentence(reason),
            Self::AlsoOverSse { error, sse } => {
                say!("{error}; HTTP+SSE was tried after that: {sse}", error = error.sentence(), sse)
            }
            Self::OldTransport => old_transport_sentence(),
            Self::SignIn { status, .. } => sign_in_sentence(*status),
            Self::Rejected(error) if error.code == 0 => {
                say!("the server rejected initialize: {message}", message = &error.message)
            }
            Self::Rejected(error) => say!(
                "the server rejected initialize: error {code}: {message}",
                code = error.code,
                message = &error.message
            ),
            Self::Revision { offered } => {
                say!("the server requires protocol version {offered}, which Mooring doesn’t support", offered)
            }
            Self::Handshake { reason } => say!("the answer to initialize can’t be used: {reason}", reason),
        }
    }
}

fn not_renewed_sentence(reason: &Sentence) -> Sentence {
    say!("the login couldn’t be renewed: {reason}", reason)
}

/// An HTTP status as a sentence, with what the headers say.
fn status_sentence(status: u16, hints: &StatusHints) -> Sentence {
    let sentence = if let Some(location) = &hints.location {
        say!("HTTP status {status}: the URL has moved to {location}", status, location)
    } else if let Some(meaning) = status_meaning(status) {
        say!("HTTP status {status}: {meaning}", status, meaning)
    } else {
        say!("HTTP status {status}", status)
    };
    let sentence = match hints.retry_after {
        Some(wait) => {
            say!("{answer}; it asks to wait {seconds} s", answer = sentence, seconds = wait.as_secs())
        }
        None => sentence,
    };
    match &hints.proxy {
        Some(proxy) => say!("{answer}; it came through the proxy {proxy}", answer = sentence, proxy),
        None => sentence,
    }
}

/// The meaning of a status (RFC 9110 §15, RFC 6585).
fn status_meaning(status: u16) -> Option<Sentence> {
    Some(match status {
        400 => say!("the request was rejected as invalid"),
        402 => say!("a payment is required"),
        403 => say!("access is forbidden"),
        404 => say!("nothing is there"),
        405 => say!("the method isn’t allowed"),
        406 => say!("no acceptable content type"),
        407 => say!("the proxy requires a login"),
        408 => say!("the request took too long to arrive"),
        409 => say!("it conflicts with another operation"),
        410 => say!("it was removed"),
        413 => say!("the request is too large"),
        415 => say!("the content type isn’t supported"),
        421 => say!("the request reached the wrong server"),
        422 => say!("the content can’t be processed"),
        429 => say!("too many requests"),
        431 => say!("the headers are too large"),
        451 => say!("unavailable for legal reasons"),
        500 => say!("an internal error of the server"),
        501 => say!("not implemented"),
        502 => say!("the gateway got no valid answer from the server"),
        503 => say!("the service is unavailable for now"),
        504 | 524 => say!("the gateway timed out waiting for the server"),
        520..=523 | 525..=527 | 530 => say!("the gateway couldn’t reach the server"),
        529 => say!("the service is overloaded"),
        _ => return None,
    })
}

fn old_transport_sentence() -> Sentence {
    say!("a POST was answered with the event stream of HTTP+SSE, the transport of 2024-11-05")
}

fn certificate_sentence(reason: &Sentence) -> Sentence {
    say!("the server’s certificate isn’t trusted: {reason}", reason)
}

/// A size in MiB with one decimal, or in bytes if it is small.
fn format_bytes(bytes: usize) -> String {
    const MIB: usize = 1024 * 1024;
    match (bytes / MIB, bytes % MIB * 10 / MIB) {
        (0, _) => format!("{bytes} bytes"),
        (whole, 0) => format!("{whole} MiB"),
        (whole, tenth) => format!("{whole}.{tenth} MiB"),
    }
}

/// Seconds, with milliseconds for short durations.
pub(crate) fn format_seconds(duration: Duration) -> String {
    let millis = duration.as_millis();
    match millis {
        0..10_000 => {
            (Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX)).as_secs_f32()).to_string()
        }
        _ => ((millis + 500) / 1_000).to_string(),
    }
}

fn sign_in_sentence(status: u16) -> Sentence {
    say!("the server requires you to sign in (HTTP status {status})", status)
}

fn unreachable_sentence(reason: &Sentence) -> Sentence {
    say!("couldn’t reach the server: {reason}", reason)
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
