//! The log: pages of past rows, and the live tail.

use mooring_host::LogFacets;
use mooring_log::{LogEntry, LogQuery};

use crate::dto::{IpcError, LogBatch, LogPage};
use crate::sink::Sink;
use crate::state::AppState;

/// The most rows of a page. One more is read to learn whether there are more.
const PAGE: u32 = 999;

pub(super) async fn log_page(
    state: &AppState,
    filter: LogQuery,
    before: Option<i64>,
    after: Option<i64>,
    limit: u32,
) -> Result<LogPage, IpcError> {
    let limit = limit.clamp(1, PAGE);
    let forward = after.is_some() && before.is_none();
    let mut rows =
        state.host().await?.log_page(&LogQuery { before, after, limit: limit + 1, ..filter }).await?;
    let more = rows.len() > limit as usize;
    if more {
        // Rows are newest first. The extra row is the last one in reading direction.
        rows.remove(if forward { 0 } else { rows.len() - 1 });
    }
    Ok(LogPage { rows, more })
}

pub(super) async fn log_count(state: &AppState, filter: LogQuery) -> Result<i64, IpcError> {
    Ok(state.host().await?.log_count(&filter).await?)
}

pub(super) async fn count_old_events(state: &AppState, days: u32) -> Result<i64, IpcError> {
    Ok(state.host().await?.log_count_older(days).await?)
}

pub(super) async fn log_entry(state: &AppState, id: i64) -> Result<Option<LogEntry>, IpcError> {
    Ok(state.host().await?.log_entry(id).await?)
}

pub(super) async fn log_facets(state: &AppState) -> Result<LogFacets, IpcError> {
    Ok(state.host().await?.log_facets().await?)
}

pub(super) async fn clear_log(state: &AppState) -> Result<u64, IpcError> {
    Ok(state.host().await?.clear_log().await?)
}

pub(super) async fn follow_log(
    state: &AppState,
    sink: Sink<LogBatch>,
    filter: LogQuery,
    follow_id: String,
) -> Result<(), IpcError> {
    let follow = state.log_tails.register(follow_id);
    let host = state.host().await?;
    Ok(follow.start(filter, host, sink).await?)
}

pub(super) async fn ack_log(state: &AppState, follow_id: String) -> Result<(), IpcError> {
    state.log_tails.acknowledge(&follow_id);
    Ok(())
}

pub(super) async fn stop_follow(state: &AppState, follow_id: String) -> Result<(), IpcError> {
    state.log_tails.stop(&follow_id);
    Ok(())
}

#[cfg(test)]
mod tests {
    use mooring_log::LogStatus;

    use super::*;

    #[test]
    fn a_server_is_found_by_its_number_whatever_it_is_called() {
        let filter: LogQuery = serde_json::from_str(
            r#"{"serverId": 7, "kinds": [], "statuses": ["timed_out"], "minDurationUs": 1000}"#,
        )
        .unwrap();
        let query = LogQuery { before: Some(9), limit: 5, ..filter };
        assert_eq!((query.server_id, query.source, query.before, query.limit), (Some(7), None, Some(9), 5));
        assert_eq!((query.statuses, query.min_duration_us), (vec![LogStatus::TimedOut], Some(1_000)));
    }
}
