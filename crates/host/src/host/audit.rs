//! Checks the log at the end of each run in test builds: every tool call must have a verdict before it.

use std::ops::Range;

use mooring_disk::StoreError;
use mooring_store::LogReader;

/// Checks the log of these connections.
///
/// # Panics
///
/// If a tool call was sent without a verdict, or the log cannot be checked. Either is a bug, so the test must
/// fail.
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
