//! The journal: pages of the past, and the live tail.

use crate::convert::log_query;
use crate::dto::{IpcError, LogBatch, LogEntry, LogFacets, LogFilter, LogPage};
use crate::sink::Sink;
use crate::state::AppState;

/// The most rows of one page.
const PAGE: u32 = 1000;

pub(super) async fn log_page(
    state: &AppState,
    filter: LogFilter,
    before: Option<i64>,
    after: Option<i64>,
    limit: u32,
) -> Result<LogPage, IpcError> {
    let limit = limit.clamp(1, PAGE);
    // One more than asked for tells whether there are more.
    let query = log_query(filter, before, after, limit + 1);
    let mut rows = state.host().await?.log_page(query).await?;
    let limit = limit as usize;
    let more = rows.len() > limit;
    rows.truncate(limit);
    Ok(LogPage { rows: rows.into_iter().map(Into::into).collect(), more })
}

pub(super) async fn log_entry(state: &AppState, id: i64) -> Result<Option<LogEntry>, IpcError> {
    Ok(state.host().await?.log_entry(id).await?.map(Into::into))
}

pub(super) async fn log_facets(state: &AppState) -> Result<LogFacets, IpcError> {
    Ok(state.host().await?.log_facets().await?.into())
}

pub(super) async fn follow_log(
    state: &AppState,
    sink: Sink<LogBatch>,
    filter: LogFilter,
    follow_id: String,
) -> Result<(), IpcError> {
    let host = state.host().await?;
    Ok(state.follows.start(follow_id, filter, host, sink).await?)
}

pub(super) async fn ack_log(state: &AppState, follow_id: String) -> Result<(), IpcError> {
    state.follows.acknowledge(&follow_id);
    Ok(())
}

pub(super) async fn stop_follow(state: &AppState, follow_id: String) -> Result<(), IpcError> {
    state.follows.stop(&follow_id);
    Ok(())
}
