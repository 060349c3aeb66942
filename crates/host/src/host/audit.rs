//! In a build for tests, each run that ends looks back: no call of a tool left without a verdict before it.

use std::ops::Range;

use mooring_store::{LogKind, LogQuery, LogReader, StoreError};

/// Looks through what these connections have left in the log.
///
/// # Panics
///
/// If a call of a tool left without a verdict: a defect, which no test may pass with.
pub(super) async fn look_back(log: &LogReader, connections: Range<i64>) {
    match calls_without_verdict(log, connections).await {
        Ok(calls) => {
            assert!(calls.is_empty(), "calls left without a verdict, see these rows of the log: {calls:?}");
        }
        // A test took the database away, or this run was ended before.
        Err(error) => tracing::debug!(%error, "the log was not looked through"),
    }
}

/// None also where rows are missing, because they were too many or the disk was full.
async fn calls_without_verdict(log: &LogReader, connections: Range<i64>) -> Result<Vec<i64>, StoreError> {
    let gaps = LogQuery { kinds: vec![LogKind::Gap], limit: 1, ..LogQuery::default() };
    let first = LogQuery { before: Some(2), limit: 1, ..LogQuery::default() };
    let is_whole = log.page(&gaps).await?.is_empty() && !log.page(&first).await?.is_empty();
    if is_whole { log.calls_without_verdict(connections).await } else { Ok(Vec::new()) }
}
