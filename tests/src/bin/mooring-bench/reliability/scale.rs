//! Many servers at once, compared with the time to start them without a host.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::Figure;
use super::host::BenchHost;
use super::processes::{command, cpu_time, open_files_and_threads, resident_memory};
use crate::load::INITIALIZE;

pub(crate) async fn measure(row: &str, short: bool) -> anyhow::Result<Vec<Figure>> {
    // Each server needs four files, so even the short form exceeds the initial limit of 256.
    let servers = match (short, row) {
        (true, "scale-256") => 80,
        (true, _) => 40,
        (false, _) => 200,
    };
    let place = BenchHost::new().await?;
    // A first server, so that one-time costs don't count.
    place.server(&["echo-stdio"]).await?.close().await;
    // The best of three for both, because other programs affect the time.
    let (mut bare, mut ours) = (f64::MAX, f64::MAX);
    let (mut memory, mut idle, mut files) = (0.0_f64, 0.0, 0.0);
    for _ in 0..3 {
        if row != "scale-256" {
            bare = bare.min(start_sequentially(servers)?.as_secs_f64());
        }
        let before = resident_memory();
        let begun = Instant::now();
        let connections =
            futures_util::future::try_join_all((0..servers).map(|_| place.server(&["echo-stdio"]))).await?;
        ours = ours.min(begun.elapsed().as_secs_f64());
        memory = memory.max(resident_memory() - before);
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        {
            files = open_files_and_threads().0 as f64;
        }
        let second = Duration::from_secs(if short { 1 } else { 3 });
        let cpu = cpu_time();
        tokio::time::sleep(second).await;
        idle = (cpu_time().saturating_sub(cpu)).as_secs_f64() / second.as_secs_f64() * 100.0;
        futures_util::future::join_all(connections.into_iter().map(mooring_connections::Connection::close))
            .await;
    }
    place.host.shutdown().await;
    let count = f64::from(u32::try_from(servers)?);
    let mut figures = vec![
        Figure::unlimited(row, "servers, all ready", count),
        Figure::unlimited(row, "open files meanwhile", files),
        Figure::unlimited(row, "until all are ready, ms", ours * 1000.0),
    ];
    if row != "scale-256" {
        figures.push(Figure::unlimited(row, "started by hand, ms", bare * 1000.0));
        figures.push(Figure::at_most(row, "of the time by hand", ours / bare, 1.3));
    }
    figures.push(Figure::at_most(row, "more memory, MiB", memory, 64.0));
    figures.push(Figure::at_most(row, "of a core while idle, %", idle, 2.0));
    Ok(figures)
}

/// Starts the servers one after the other, initializes each, and waits for all answers.
fn start_sequentially(servers: usize) -> anyhow::Result<Duration> {
    let own = std::env::current_exe()?;
    let begun = Instant::now();
    let mut children = Vec::new();
    for _ in 0..servers {
        let mut child = command(&own)
            .arg("echo-stdio")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        writeln!(child.stdin.as_mut().context("the pipe is there")?, "{INITIALIZE}")?;
        children.push(child);
    }
    for child in &mut children {
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().context("the pipe is there")?).read_line(&mut line)?;
    }
    let took = begun.elapsed();
    for mut child in children {
        drop(child.stdin.take());
        child.wait()?;
    }
    Ok(took)
}
