//! Reads, follows and deletes the log.

use std::sync::Arc;
use std::time::Duration;

use mooring_base::app_call::AppCall;
use mooring_disk::StoreError;
use mooring_errors::HostError;
use mooring_log::{LogEntry, LogQuery, LogRow};
use mooring_recorder::AppRecorder;
use mooring_server_state::{HostEvent, send_event};
use mooring_store::{LogReader, NewSavedCall, SavedCall, SavedCalls, Store, WriterHealth};
use tokio::sync::{broadcast, watch};
use tokio::time::sleep;

use super::Host;
use crate::options::LogFacets;

/// The minimum interval between events about the size of a growing log.
const SIZE_INTERVAL: Duration = Duration::from_secs(1);

impl Host {
    /// One page of the log, newest row first.
    pub async fn log_page(&self, query: &LogQuery) -> Result<Vec<LogRow>, HostError> {
        Ok(self.inner.store.log().page(query).await?)
    }

    /// How many rows match a query, regardless of its limit.
    pub async fn log_count(&self, query: &LogQuery) -> Result<i64, HostError> {
        Ok(self.inner.store.log().count_matching(query).await?)
    }

    /// How many rows are older than this number of days.
    pub async fn log_count_older(&self, days: u32) -> Result<i64, HostError> {
        let age = mooring_settings::days(days).unwrap_or(Duration::MAX);
        let age_us = i64::try_from(age.as_micros()).unwrap_or(i64::MAX);
        let now_us = self.inner.options.clock.now().wall_ms.saturating_mul(1_000);
        Ok(self.inner.store.log().count_before(now_us.saturating_sub(age_us)).await?)
    }

    /// One row of the log with its body, if it still exists.
    pub async fn log_entry(&self, id: i64) -> Result<Option<LogEntry>, HostError> {
        Ok(self.inner.store.log().entry(id).await?)
    }

    /// Rows of the log with their bodies, oldest first, without deleted ones. All bodies are in memory at
    /// once.
    pub async fn log_entries(&self, ids: &[i64]) -> Result<Vec<LogEntry>, HostError> {
        Ok(self.inner.store.log().entries(ids).await?)
    }

    /// The values that the log can be filtered by.
    pub async fn log_facets(&self) -> Result<LogFacets, HostError> {
        let log = self.inner.store.log();
        Ok(LogFacets {
            sources: log.sources().await?,
            apps: log.apps().await?,
            methods: log.methods().await?,
            total: self.log_rows().await?,
        })
    }

    pub(super) async fn log_rows(&self) -> Result<u64, HostError> {
        Ok(rows(&self.inner.store.log()).await?)
    }

    /// Follows the newest row's id, including rows of other processes. Read the rows themselves by page.
    /// Fails if this host does not write the log.
    pub async fn log_follow(&self) -> Result<watch::Receiver<i64>, HostError> {
        if self.inner.journal.writer().is_none() {
            return Err(HostError::JournalOff);
        }
        Ok(self.inner.store.log().follow().await?)
    }

    /// Whether the log can be written.
    pub fn journal_health(&self) -> WriterHealth {
        let writer = self.inner.journal.writer();
        writer.map_or(WriterHealth::Ok, |writer| writer.health().borrow().clone())
    }

    /// The recorder for a connection of an app.
    pub fn app_recorder(&self, app: &str) -> AppRecorder {
        self.inner.journal.app_recorder(app)
    }

    /// Assigns a number to an app's call, which links its rows in the log.
    pub fn name_app_call(&self, app: &Arc<str>) -> AppCall {
        self.inner.journal.name_app_call(app)
    }

    /// Waits until everything logged so far is on the disk.
    pub async fn flush_log(&self) {
        if let Some(writer) = self.inner.journal.writer() {
            writer.flush().await;
        }
    }

    /// A reader of the log, for [`logged_calls`](mooring_recorder::logged_calls).
    pub fn log_reader(&self) -> LogReader {
        self.inner.store.log()
    }

    /// The store of saved calls and favourites.
    pub fn saved_calls(&self) -> SavedCalls {
        self.inner.store.saved_calls()
    }

    /// Saves a call or a favourite. Redacts values in its arguments that look like secrets.
    pub async fn save_call(&self, mut call: NewSavedCall) -> Result<SavedCall, HostError> {
        let arguments = self.inner.journal.savable_arguments(&call.arguments);
        call.arguments = arguments.text;
        Ok(self.saved_calls().save(&call, &arguments.withheld).await?)
    }

    /// Deletes the whole log, and adds a row about that. Returns how many rows were deleted.
    pub async fn clear_log(&self) -> Result<u64, HostError> {
        let writer = self.inner.journal.writer().ok_or(HostError::JournalOff)?;
        let rows = writer.clear().await?;
        self.inner.registry.forget_call_times();
        Ok(rows)
    }
}

async fn rows(log: &LogReader) -> Result<u64, StoreError> {
    Ok(u64::try_from(log.count().await?).unwrap_or_default())
}

/// Sends the size of the log to front ends whenever it grows. Never returns.
pub(super) async fn announce_size(store: Store, events: broadcast::Sender<HostEvent>) {
    let log = store.log();
    let mut newest = log.growth();
    // The sender lives as long as the store. Deleting rows also triggers this, because it adds a row.
    while newest.changed().await.is_ok() {
        match log.committed_count().await.map(|rows| u64::try_from(rows).unwrap_or_default()) {
            Ok(rows) => {
                send_event(&events, HostEvent::LogChanged { rows, bytes: store.bytes() });
            }
            Err(error) => {
                tracing::warn!(%error, "the rows of the log could not be counted");
                newest.mark_changed();
            }
        }
        sleep(SIZE_INTERVAL).await;
    }
}
