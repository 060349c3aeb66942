//! What a server's answer to the probe, `server/discover`, says of its era.

use mooring_jsonrpc::code::{HEADER_MISMATCH, METHOD_NOT_FOUND, MISSING_CAPABILITY, UNSUPPORTED_VERSION};
use mooring_jsonrpc::member;
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;

use crate::error::{CloseReason, RequestError, RpcError};
use crate::request::Success;
use crate::revision::Revision;

/// Errors that only the stateless era has (ERA-03): header mismatch, missing capability, unsupported version.
pub(super) const MODERN_ERRORS: [i64; 3] = [HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION];

/// What an answer to `server/discover` says about a server.
#[derive(Debug)]
pub(crate) enum ProbeOutcome {
    /// It speaks the stateless era; its facts, where it told them.
    Modern(Option<Box<Success>>),
    /// It speaks a session, if anything; why we think so, and what else it showed.
    Session { why: Sentence, hint: SessionHint },
    /// It speaks the HTTP+SSE transport of old.
    OldTransport,
    /// It was silent, and `initialize`, asked as well, was answered first, where this revision was `offered`.
    Initialized { why: Sentence, offered: Revision, answer: Box<Result<Success, RequestError>> },
    /// It died of the question.
    Died,
    /// It speaks only revisions that we do not.
    UnsupportedRevisions(String),
    /// Nothing can be said.
    Inconclusive(RequestError),
}

/// What else an answer shows that speaks for the session era.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionHint {
    None,
    /// It named this revision.
    Named(Revision),
    /// It has said nothing so far.
    Silent,
    /// The question is one that it does not know, said as only the stateless era says it (ERA-13).
    Unknown,
}

impl ProbeOutcome {
    /// What came of the question, in a few words.
    pub(super) fn outcome(&self) -> Sentence {
        match self {
            Self::Modern(Some(_)) => say!("answered with {revision}", revision = Revision::MODERN.as_str()),
            Self::Modern(None) => {
                say!("rejected with an error that only {revision} has", revision = Revision::MODERN.as_str())
            }
            Self::Session { why, .. } | Self::Initialized { why, .. } => why.clone(),
            Self::OldTransport => RequestError::OldTransport.sentence(),
            Self::Died => say!("the process ended"),
            Self::UnsupportedRevisions(offered) => say!("offered only {offered}", offered),
            Self::Inconclusive(error) => error.sentence(),
        }
    }
}

/// Classifies the answer to the probe. With `patient`, a timeout says nothing of the era.
pub(crate) fn classify_answer(
    answer: Result<Success, RequestError>,
    over_http: bool,
    patient: bool,
) -> ProbeOutcome {
    let session = |why: Sentence| ProbeOutcome::Session { why, hint: SessionHint::None };
    match answer {
        Ok(found) => judge_result(found),
        Err(RequestError::Rpc(error)) if error.code == UNSUPPORTED_VERSION => {
            choose_revision(&supported_versions(&error), None)
        }
        Err(RequestError::Rpc(error)) if MODERN_ERRORS.contains(&error.code) => ProbeOutcome::Modern(None),
        Err(RequestError::Rpc(error)) => ProbeOutcome::Session {
            why: say!("Answered server/discover with error {code}", code = error.code),
            hint: if error.code == METHOD_NOT_FOUND && is_modern(&error) {
                SessionHint::Unknown
            } else {
                SessionHint::None
            },
        },
        Err(RequestError::Timeout { after, .. }) if !patient => {
            let why = say!("Didn’t answer server/discover within {seconds} s", seconds = after.as_secs_f32());
            ProbeOutcome::Session { why, hint: SessionHint::Silent }
        }
        Err(RequestError::Closed(CloseReason::Exited { .. } | CloseReason::OutputClosed)) if !over_http => {
            ProbeOutcome::Died
        }
        Err(RequestError::Malformed { .. }) => session(say!("Answered server/discover with unreadable data")),
        Err(RequestError::StreamEnded) => {
            session(say!("Ended its answer to server/discover without a result"))
        }
        // What is read of a process is no answer to this question in particular.
        Err(error @ RequestError::NotMcp { .. }) if !over_http => ProbeOutcome::Inconclusive(error),
        Err(RequestError::NotMcp { what, .. }) => session(say!("Answered server/discover with {what}", what)),
        Err(RequestError::OldTransport) => ProbeOutcome::OldTransport,
        // A gateway in trouble, or too much to do, says nothing of what is behind it; a server that fails at a question
        // which it does not know says that it does not know it.
        Err(RequestError::Status { status, .. })
            if (400..600).contains(&status)
                && !matches!(status, 401 | 403 | 407 | 408 | 429 | 502..=504 | 520..=530) =>
        {
            session(say!("Answered server/discover with HTTP status {status}", status))
        }
        Err(error) => ProbeOutcome::Inconclusive(error),
    }
}

fn judge_result(found: Success) -> ProbeOutcome {
    let versions = member(found.raw.get(), "supportedVersions");
    let names: Option<Vec<String>> = versions.and_then(|versions| serde_json::from_str(versions).ok());
    match names {
        // Without them it is no DiscoverResult (ERA-12).
        None => ProbeOutcome::Session {
            why: say!("Answered server/discover with something else"),
            hint: SessionHint::None,
        },
        Some(names) => choose_revision(&names, Some(found)),
    }
}

/// Picks a revision from those that a server of the stateless era names (ERA-02, ERA-18, ERA-19).
fn choose_revision(names: &[String], found: Option<Success>) -> ProbeOutcome {
    if names.iter().any(|name| name == Revision::MODERN.as_str()) {
        return ProbeOutcome::Modern(found.map(Box::new));
    }
    match names.iter().filter_map(|name| Revision::with_session(name)).max() {
        Some(named) => ProbeOutcome::Session {
            why: say!("Offered {revision} in reply to server/discover", revision = named.as_str()),
            hint: SessionHint::Named(named),
        },
        None => ProbeOutcome::UnsupportedRevisions(if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        }),
    }
}

/// The revisions that an error names in `data.supported`.
pub(crate) fn supported_versions(error: &RpcError) -> Vec<String> {
    let data = error.data.as_deref().map_or("{}", RawValue::get);
    member(data, "supported").and_then(|names| serde_json::from_str(names).ok()).unwrap_or_default()
}

/// Whether a refusal of `initialize` is what a server of the stateless era says (ERA-13).
pub(super) fn is_modern(error: &RpcError) -> bool {
    match error.code {
        METHOD_NOT_FOUND => error.status == Some(404),
        UNSUPPORTED_VERSION => supported_versions(error).iter().any(|name| name == Revision::MODERN.as_str()),
        code => MODERN_ERRORS.contains(&code),
    }
}
