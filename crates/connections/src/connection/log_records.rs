//! Log records of a connection's states.

use mooring_errors::Failure;
use mooring_log::LogStatus;
use mooring_recorder::{FailureRecord, StateRecord};

use mooring_server_state::StateName;

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
    StateRecord { state: state.as_str(), status, attempt, failure, cause: None }
}
