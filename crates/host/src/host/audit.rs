//! In a build for tests, each run that ends looks back: no call of a tool left without a verdict before it.

use std::ops::Range;

use mooring_store::{LogReader, StoreError};

/// Looks through what these connections have left in the log.
///
/// # Panics
///
/// If a call of a tool left without a verdict, or the log cannot be looked through: a defect, which no test may pass
/// with.
pub(super) async fn assert_verdicts(log: &LogReader, connections: Range<i64>) {
    match log.audit_verdicts(connections).await {
        Ok(audit) => {
            let calls = audit.without_verdict;
            assert!(calls.is_empty(), "calls left without a verdict, see these rows of the log: {calls:?}");
            if !audit.unknown.is_empty() {
                let (count, rows) = (audit.unknown.len(), audit.unknown);
                tracing::warn!(count, ?rows, "verdicts of calls are unknown: rows before them are gone");
            }
        }
        Err(error) => {
            let was_ended_before = matches!(error, StoreError::Closed);
            assert!(was_ended_before, "not looked through for calls left without a verdict: {error}");
        }
    }
}
