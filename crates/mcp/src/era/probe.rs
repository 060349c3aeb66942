//! What a server's answer to the probe, `server/discover`, says of its era.

use mooring_words::{Sentence, say};
use serde_json::value::RawValue;

use crate::codes::{HEADER_MISMATCH, METHOD_NOT_FOUND, MISSING_CAPABILITY, UNSUPPORTED_VERSION};
use crate::error::{CloseReason, RequestError, RpcError};
use crate::members::member;
use crate::request::Success;
use crate::revision::Revision;

/// Errors that only the stateless era has (ERA-03): header mismatch, missing capability, unsupported version.
pub(super) const MODERN_ERRORS: [i64; 3] = [HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION];

/// What an answer to `server/discover` says about a server.
#[derive(Debug)]
pub(crate) enum Probe {
    /// It speaks the stateless era; its facts, where it told them.
    Modern(Option<Box<Success>>),
    /// It speaks a session, if anything; why we think so, and what else it showed.
    Session { why: Sentence, clue: Clue },
    /// It speaks the HTTP+SSE transport of old.
    OldTransport,
    /// It was silent, and `initialize`, asked as well, was answered first, where this revision was `offered`.
    Initialized { why: Sentence, offered: Revision, answer: Box<Result<Success, RequestError>> },
    /// It died of the question.
    Died,
    /// It speaks only revisions that we do not.
    Foreign(String),
    /// Nothing can be said.
    NoVerdict(RequestError),
}

/// What an answer that speaks for a session shows besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clue {
    None,
    /// It named this revision.
    Named(Revision),
    /// It has said nothing so far.
    Silent,
    /// The question is one that it does not know, said as only the stateless era says it (ERA-13).
    Unknown,
}

impl Probe {
    /// What came of the question, in a few words.
    pub(super) fn outcome(&self) -> Sentence {
        match self {
            Self::Modern(Some(_)) => say!("answered with {revision}", revision = Revision::MODERN.as_str()),
            Self::Modern(None) => {
                say!("refused with an error that only {revision} has", revision = Revision::MODERN.as_str())
            }
            Self::Session { why, .. } | Self::Initialized { why, .. } => why.clone(),
            Self::OldTransport => RequestError::OldTransport.sentence(),
            Self::Died => say!("the process ended"),
            Self::Foreign(offered) => say!("offered only {offered}", offered),
            Self::NoVerdict(error) => error.sentence(),
        }
    }
}

/// What an answer to the probe means; silence means nothing to who is `patient`.
pub(crate) fn judge(answer: Result<Success, RequestError>, over_http: bool, patient: bool) -> Probe {
    let session = |why: Sentence| Probe::Session { why, clue: Clue::None };
    match answer {
        Ok(found) => judge_result(found),
        Err(RequestError::Rpc(error)) if error.code == UNSUPPORTED_VERSION => {
            choose(&supported(&error), None)
        }
        Err(RequestError::Rpc(error)) if MODERN_ERRORS.contains(&error.code) => Probe::Modern(None),
        Err(RequestError::Rpc(error)) => Probe::Session {
            why: say!("Answered server/discover with error {code}", code = error.code),
            clue: if error.code == METHOD_NOT_FOUND && is_modern(&error) {
                Clue::Unknown
            } else {
                Clue::None
            },
        },
        Err(RequestError::Timeout { after, .. }) if !patient => {
            let why =
                say!("Did not answer server/discover within {seconds} s", seconds = after.as_secs_f32());
            Probe::Session { why, clue: Clue::Silent }
        }
        Err(RequestError::Closed(CloseReason::Exited { .. } | CloseReason::OutputClosed)) if !over_http => {
            Probe::Died
        }
        Err(RequestError::Malformed { .. }) => {
            session(say!("Answered server/discover with something unreadable"))
        }
        Err(RequestError::StreamEnded) => {
            session(say!("Ended its answer to server/discover without a result"))
        }
        // What is read of a process is no answer to this question in particular.
        Err(error @ RequestError::NotMcp { .. }) if !over_http => Probe::NoVerdict(error),
        Err(RequestError::NotMcp { what, .. }) => session(say!("Answered server/discover with {what}", what)),
        Err(RequestError::OldTransport) => Probe::OldTransport,
        // A gateway in trouble, or too much to do, says nothing of what is behind it; a server that fails at a question
        // which it does not know says that it does not know it.
        Err(RequestError::Status { status, .. })
            if (400..600).contains(&status)
                && !matches!(status, 401 | 403 | 407 | 408 | 429 | 502..=504 | 520..=530) =>
        {
            session(say!("Answered server/discover with HTTP status {status}", status))
        }
        Err(error) => Probe::NoVerdict(error),
    }
}

fn judge_result(found: Success) -> Probe {
    let versions = member(found.raw.get(), "supportedVersions");
    let names: Option<Vec<String>> = versions.and_then(|versions| serde_json::from_str(versions).ok());
    match names {
        // Without them it is no DiscoverResult (ERA-12).
        None => {
            Probe::Session { why: say!("Answered server/discover with something else"), clue: Clue::None }
        }
        Some(names) => choose(&names, Some(found)),
    }
}

/// Picks a revision from those that a server of the stateless era names (ERA-02, ERA-18, ERA-19).
fn choose(names: &[String], found: Option<Success>) -> Probe {
    if names.iter().any(|name| name == Revision::MODERN.as_str()) {
        return Probe::Modern(found.map(Box::new));
    }
    match names.iter().filter_map(|name| Revision::with_session(name)).max() {
        Some(named) => Probe::Session {
            why: say!("Offered {revision} when asked with server/discover", revision = named.as_str()),
            clue: Clue::Named(named),
        },
        None => Probe::Foreign(if names.is_empty() { "none".to_owned() } else { names.join(", ") }),
    }
}

/// The revisions that an error names in `data.supported`.
pub(crate) fn supported(error: &RpcError) -> Vec<String> {
    let data = error.data.as_deref().map_or("{}", RawValue::get);
    member(data, "supported").and_then(|names| serde_json::from_str(names).ok()).unwrap_or_default()
}

/// Whether a refusal of `initialize` is what a server of the stateless era says (ERA-13).
pub(super) fn is_modern(error: &RpcError) -> bool {
    match error.code {
        METHOD_NOT_FOUND => error.status == Some(404),
        UNSUPPORTED_VERSION => supported(error).iter().any(|name| name == Revision::MODERN.as_str()),
        code => MODERN_ERRORS.contains(&code),
    }
}
