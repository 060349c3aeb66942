//! Callers that divide a number of calls among themselves.

use std::future::Future;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::ensure;
use tokio::task::JoinSet;

use crate::figures::{Row, Stopwatch};
use crate::load::Load;

/// How many calls to make before the measurement, unless the run is shorter. As in `mooring bench`.
const WARM_UP: usize = 200;

/// Measures the load after a warm-up. `call` gets a unique number, starting at 1, and returns whether it
/// succeeded.
pub(crate) async fn measure<C, F>(load: &Load, call: C) -> anyhow::Result<Row>
where
    C: Fn(usize) -> F + Clone + Send + 'static,
    F: Future<Output = bool> + Send + 'static,
{
    // As in `mooring bench`: first a single call, then the others with the same concurrency as the measured
    // ones.
    let first = 2 + WARM_UP.min(load.calls / 10);
    let (_, alone) = run_share(1..2, 1, &call).await?;
    let (_, together) = run_share(2..first, load.concurrency, &call).await?;
    ensure!(alone + together == 0, "a call of the warm-up failed");
    let watch = Stopwatch::start();
    let (latencies, errors) = run_share(first..first + load.calls, load.concurrency, &call).await?;
    Ok(watch.finish(latencies, errors))
}

/// Makes the calls with these numbers. Returns how long the successful ones took, and how many failed.
async fn run_share<C, F>(
    numbers: Range<usize>,
    callers: usize,
    call: &C,
) -> anyhow::Result<(Vec<Duration>, u64)>
where
    C: Fn(usize) -> F + Clone + Send + 'static,
    F: Future<Output = bool> + Send + 'static,
{
    let next = Arc::new(AtomicUsize::new(numbers.start));
    let mut workers = JoinSet::new();
    for _ in 0..callers {
        let (call, next, end) = (call.clone(), Arc::clone(&next), numbers.end);
        workers.spawn(async move {
            let (mut latencies, mut errors) = (Vec::new(), 0);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= end {
                    return (latencies, errors);
                }
                let start = Instant::now();
                if call(number).await {
                    latencies.push(start.elapsed());
                } else {
                    errors += 1;
                }
            }
        });
    }
    let (mut latencies, mut errors) = (Vec::with_capacity(numbers.len()), 0);
    while let Some(done) = workers.join_next().await {
        let (times, failed) = done?;
        latencies.extend(times);
        errors += failed;
    }
    Ok((latencies, errors))
}
