//! Starts and stops servers repeatedly. Nothing may be left behind.

use std::time::Instant;

use super::Figure;
use super::host::BenchHost;
use super::processes::{descendants, open_files_and_threads, resident_memory};

/// How many servers run at the same time.
const PARALLEL_SERVERS: usize = 4;

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
pub(crate) async fn measure(row: &str, short: bool) -> anyhow::Result<Vec<Figure>> {
    let cycles = if short { 52 } else { 1_000 };
    let place = BenchHost::new().await?;
    cycle(&place).await?;
    cycle(&place).await?;
    let (files, threads) = open_files_and_threads();
    let memory = resident_memory();
    let begun = Instant::now();
    for _ in 0..cycles / PARALLEL_SERVERS {
        cycle(&place).await?;
    }
    let each = begun.elapsed().as_secs_f64() * 1000.0 / cycles as f64;
    let (files_after, threads_after) = open_files_and_threads();
    let memory = resident_memory() - memory;
    // Only the guardian may be left.
    let left = descendants(std::process::id());
    let zombies = left.iter().filter(|(_, runs)| !runs).count();
    let running = left.iter().filter(|(_, runs)| *runs).count().saturating_sub(1);
    place.host.shutdown().await;
    Ok(vec![
        Figure::unlimited(row, "cycles", cycles as f64),
        Figure::unlimited(row, "each, ms", each),
        Figure::at_most(row, "zombies", zombies as f64, 0.0),
        Figure::at_most(row, "processes left", running as f64, 0.0),
        Figure::at_most(row, "more open files", files_after as f64 - files as f64, 0.0),
        Figure::at_most(row, "more threads", threads_after as f64 - threads as f64, 0.0),
        Figure::at_most(row, "more memory, MiB", memory, 16.0),
    ])
}

async fn cycle(place: &BenchHost) -> anyhow::Result<()> {
    let started = (0..PARALLEL_SERVERS).map(|_| place.server(&["echo-stdio"]));
    let connections = futures_util::future::try_join_all(started).await?;
    futures_util::future::join_all(connections.into_iter().map(mooring_connections::Connection::close)).await;
    Ok(())
}
