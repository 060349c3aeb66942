//! What a response to the probe, `server/discover`, says about a server's era.

use mooring_jsonrpc::code::{HEADER_MISMATCH, METHOD_NOT_FOUND, MISSING_CAPABILITY, UNSUPPORTED_VERSION};
use mooring_jsonrpc::member;
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;

use crate::error::{CloseReason, RequestError, RpcError};
use crate::request::Success;
use crate::revision::Revision;

/// Errors of the stateless era only (ERA-03): header mismatch, missing capability, unsupported version.
pub(super) const MODERN_ERRORS: [i64; 3] = [HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION];

/// What a response to `server/discover` says about a server.
#[derive(Debug)]
pub(crate) enum ProbeOutcome {
    /// The server speaks the stateless era. Contains the response if it was a result.
    Modern(Option<Box<Success>>),
    /// The server probably speaks the session era. Contains the reason and further hints.
    Session { why: Sentence, hint: SessionHint },
    /// The server speaks the old HTTP+SSE transport.
    OldTransport,
    /// Instead of the probe, the server first answered `initialize`, which offered the revision `offered`.
    Initialized { why: Sentence, offered: Revision, answer: Box<Result<Success, RequestError>> },
    /// The server exited.
    Died,
    /// The server only speaks revisions that this client doesn't support.
    UnsupportedRevisions(String),
    /// The response is inconclusive.
    Inconclusive(RequestError),
}

/// Further hints in a response that suggests the session era.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionHint {
    None,
    /// The server named this revision.
    Named(Revision),
    /// The server has not answered so far.
    Silent,
    /// The server doesn't know the method, but its error is one that only the stateless era has (ERA-13).
    Unknown,
}

impl ProbeOutcome {
    /// The outcome of the probe in a few words.
    pub(super) fn describe_outcome(&self) -> Sentence {
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

/// Classifies the response to the probe. With `patient`, a timeout says nothing about the era.
pub(crate) fn classify_answer(
    answer: Result<Success, RequestError>,
    over_http: bool,
    patient: bool,
) -> ProbeOutcome {
    let session = |why: Sentence| ProbeOutcome::Session { why, hint: SessionHint::None };
    match answer {
        Ok(found) => judge_result(found),
        Err(RequestError::Rpc(error)) if error.code == UNSUPPORTED_VERSION => {
            choose_revision(&read_supported_versions(&error), None)
        }
        Err(RequestError::Rpc(error)) if MODERN_ERRORS.contains(&error.code) => ProbeOutcome::Modern(None),
        Err(RequestError::Rpc(error)) => ProbeOutcome::Session {
            why: say!("Answered server/discover with error {code}", code = error.code),
            hint: if error.code == METHOD_NOT_FOUND && is_modern_error(&error) {
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
        // Output of a process that is not MCP may be unrelated to the probe.
        Err(error @ RequestError::NotMcp { .. }) if !over_http => ProbeOutcome::Inconclusive(error),
        Err(RequestError::NotMcp { what, .. }) => session(say!("Answered server/discover with {what}", what)),
        Err(RequestError::OldTransport) => ProbeOutcome::OldTransport,
        // Statuses of a gateway or overload say nothing about the server. Others mean an unknown method.
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
        // A result without versions is not a DiscoverResult (ERA-12).
        None => ProbeOutcome::Session {
            why: say!("Answered server/discover with something else"),
            hint: SessionHint::None,
        },
        Some(names) => choose_revision(&names, Some(found)),
    }
}

/// Chooses from the revisions that a server of the stateless era supports (ERA-02, ERA-18, ERA-19).
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

/// The revisions in an error's `data.supported`.
pub(crate) fn read_supported_versions(error: &RpcError) -> Vec<String> {
    let data = error.data.as_deref().map_or("{}", RawValue::get);
    member(data, "supported").and_then(|names| serde_json::from_str(names).ok()).unwrap_or_default()
}

/// Whether an error for `initialize` comes from a server of the stateless era (ERA-13).
pub(super) fn is_modern_error(error: &RpcError) -> bool {
    match error.code {
        METHOD_NOT_FOUND => error.status == Some(404),
        UNSUPPORTED_VERSION => {
            read_supported_versions(error).iter().any(|name| name == Revision::MODERN.as_str())
        }
        code => MODERN_ERRORS.contains(&code),
    }
}
