//! What running servers cost: processor time, memory and processes of each, now and over the last hour.
//!
//! A server is its program and everything that this has started. The numbers are the system's own; memory
//! that processes share counts for each of them.

mod meter;
mod processes;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mooring_base::clock::now_ms;
use mooring_base::server_id::ServerId;
use serde::Serialize;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout_at};
use ts_rs::TS;

use crate::meter::Meter;
use crate::processes::list_processes;

/// The time between two measurements while a window shows them.
const WHILE_WATCHED: Duration = Duration::from_secs(2);
/// The time between two measurements otherwise.
const USUAL: Duration = Duration::from_secs(10);
/// How long a request for the loads counts as watching them.
const WATCHED_FOR: Duration = Duration::from_secs(10);

/// What a server costs at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Load {
    /// The processor time since the measurement before. 100 is one processor fully used.
    pub cpu_percent: f64,
    /// Resident memory in bytes.
    #[ts(type = "number")]
    pub memory_bytes: u64,
    /// The number of processes.
    pub processes: usize,
}

/// A part of the last hour.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LoadPoint {
    /// When the part began, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub at: i64,
    /// The mean processor time, and the largest memory and number of processes, in this part.
    pub load: Load,
}

/// What a running server costs.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ServerLoad {
    /// The server.
    pub id: ServerId,
    /// The last measurement.
    pub load: Load,
}

/// Measures the processes of servers.
#[derive(Debug, Default)]
pub struct Loads {
    meter: Mutex<Meter>,
    watched: Mutex<Option<Instant>>,
    wanted: Notify,
}

impl Loads {
    /// The loads of the servers that run. Measures more often for the next seconds.
    pub fn servers(&self) -> Vec<ServerLoad> {
        *self.watched.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        self.wanted.notify_one();
        self.meter.lock().unwrap_or_else(PoisonError::into_inner).loads()
    }

    /// The last hour of a server in parts of 30 seconds, oldest first. Parts without a running process are absent.
    pub fn hour(&self, server: ServerId) -> Vec<LoadPoint> {
        self.meter.lock().unwrap_or_else(PoisonError::into_inner).hour(server)
    }

    /// Measures until it is dropped, or until the system doesn't list its processes. `running` gives the process
    /// ids of the servers' programs.
    pub async fn measure(self: Arc<Self>, running: impl Fn() -> Vec<(ServerId, u32)>) {
        loop {
            let programs = running();
            let loads = Arc::clone(&self);
            // Listing all processes takes milliseconds.
            match tokio::task::spawn_blocking(move || loads.take(&programs)).await {
                Ok(Ok(())) => self.wait_for_next().await,
                Ok(Err(error)) => return tracing::warn!(%error, "processes can’t be measured here"),
                Err(error) => return tracing::error!(%error, "the measurement of processes ended"),
            }
        }
    }

    fn take(&self, programs: &[(ServerId, u32)]) -> Result<(), sysinfo::Error> {
        let processes = if programs.is_empty() { Vec::new() } else { list_processes()? };
        let mut meter = self.meter.lock().unwrap_or_else(PoisonError::into_inner);
        meter.take(std::time::Instant::now(), now_ms(), programs, &processes);
        Ok(())
    }

    async fn wait_for_next(&self) {
        let measured = Instant::now();
        let is_watched = || {
            let watched = *self.watched.lock().unwrap_or_else(PoisonError::into_inner);
            watched.is_some_and(|at| at.elapsed() < WATCHED_FOR)
        };
        if !is_watched() && timeout_at(measured + USUAL, self.wanted.notified()).await.is_err() {
            return;
        }
        sleep(WHILE_WATCHED.saturating_sub(measured.elapsed())).await;
    }
}
