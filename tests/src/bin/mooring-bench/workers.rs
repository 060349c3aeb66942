//! Callers that share a number of calls, one after the other each.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tokio::task::JoinSet;

use crate::figures::{Row, Stopwatch};
use crate::load::Load;

/// Makes the calls 1, 2, … of the load; `call` says whether it succeeded.
pub(crate) async fn measure<C, F>(load: &Load, call: C) -> anyhow::Result<Row>
where
    C: Fn(usize) -> F + Clone + Send + 'static,
    F: Future<Output = bool> + Send + 'static,
{
    let (watch, next, calls) = (Stopwatch::start(), Arc::new(AtomicUsize::new(1)), load.calls);
    let mut workers = JoinSet::new();
    for _ in 0..load.concurrency {
        let (call, next) = (call.clone(), Arc::clone(&next));
        workers.spawn(async move {
            let (mut latencies, mut errors) = (Vec::new(), 0);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number > calls {
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
    let (mut latencies, mut errors) = (Vec::with_capacity(calls), 0);
    while let Some(done) = workers.join_next().await {
        let (times, failed) = done?;
        latencies.extend(times);
        errors += failed;
    }
    Ok(watch.finish(latencies, errors))
}
