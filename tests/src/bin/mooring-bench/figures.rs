//! The measurements of a run, with the same fields as the result of `mooring bench --json`.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// The measurements of one run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Row {
    /// Calls made.
    pub(crate) calls: u64,
    /// Calls that failed.
    pub(crate) errors: u64,
    /// Half of the calls took at most this many microseconds.
    pub(crate) p50_us: f64,
    /// 99 of 100 calls took at most this many microseconds.
    pub(crate) p99_us: f64,
    /// Calls per second.
    pub(crate) rps: f64,
    /// CPU time of the client process per call, user and system, in microseconds.
    pub(crate) cpu_us_per_call: f64,
    /// The peak resident memory of the client process, in KiB.
    pub(crate) rss_kb: u64,
}

/// A run that is being measured.
pub(crate) struct Stopwatch {
    started: Instant,
    cpu: Duration,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self { started: Instant::now(), cpu: cpu_time() }
    }

    /// Ends the run. `latencies` has one entry for each successful call.
    pub(crate) fn finish(self, mut latencies: Vec<Duration>, errors: u64) -> Row {
        let elapsed = self.started.elapsed();
        let cpu = cpu_time().saturating_sub(self.cpu);
        latencies.sort_unstable();
        let calls = latencies.len() as u64 + errors;
        Row {
            calls,
            errors,
            p50_us: micros(percentile(&latencies, 50)),
            p99_us: micros(percentile(&latencies, 99)),
            rps: count(calls) / elapsed.as_secs_f64().max(f64::MIN_POSITIVE),
            cpu_us_per_call: micros(cpu) / count(calls.max(1)),
            rss_kb: peak_memory(),
        }
    }
}

fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let index = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or_default()
}

fn micros(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e7).round() / 10.0
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn count(number: u64) -> f64 {
    number as f64
}

/// The user and system time of this process so far.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanos = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(seconds, nanos)
}

/// The peak resident memory in KiB. 0 if the system doesn't report it.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().strip_suffix("kB"))
        .and_then(|number| number.trim().parse().ok())
        .unwrap_or_default()
}
