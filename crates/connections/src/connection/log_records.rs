//! Log records of a connection's states and failures.

use mooring_errors::Failure;
use mooring_log::LogStatus;
use mooring_recorder::{FailureRecord, Recorder, StateRecord};

use crate::server::StateName;

/// Creates the record of a state.
pub(super) fn state_record(state: StateName, attempt: u32, failure: Option<&Failure>) -> StateRecord<'_> {
    let status = match state {
        StateName::Ready => LogStatus::Ok,
        StateName::Failed | StateName::Degraded | StateName::Reconnecting => LogStatus::Error,
        StateName::Starting if failure.is_some() => LogStatus::Error,
        _ => LogStatus::None,
    };
    let failure = failure.map(|failure| FailureRecord {
        kind: failure.code.as_str(),
        message: &failure.message,
        evidence: failure.evidence.as_deref(),
    });
    StateRecord { state: state.as_str(), status, attempt, failure }
}

/// Redacts the server's secrets in a failure.
pub(super) fn redact_failure(failure: Failure, recorder: &Recorder) -> Failure {
    Failure {
        message: recorder.redact_sentence(&failure.message),
        evidence: failure.evidence.map(|evidence| recorder.redact_evidence(&evidence)),
        ..failure
    }
}
