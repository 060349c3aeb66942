//! Which processes survive when the host is killed, crashes, or exits without cleaning up.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use super::Figure;
use super::host::BenchHost;
use super::processes::{command, descendants, is_running};

/// The processes per server: the server itself, a child, and a child in its own session.
const MEMBERS: usize = 3;

pub(crate) async fn measure(row: &str, short: bool) -> anyhow::Result<Vec<Figure>> {
    let servers = if short { 4 } else { 20 };
    let mut figures = vec![Figure::unlimited(row, "servers, each with two children", f64::from(servers))];
    for (end, name) in [("", "SIGKILL"), ("abort", "a crash"), ("exit", "an end without a word")] {
        let (left, seconds) = tokio::task::spawn_blocking(move || survivors_after(servers, end)).await??;
        figures.push(Figure::at_most(row, &format!("alive 5 s after {name}"), left, 0.0));
        figures.push(Figure::unlimited(row, &format!("until none is, after {name}, s"), seconds));
    }
    Ok(figures)
}

/// How many processes are alive after five seconds, and when the last one was gone.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn survivors_after(servers: u32, end: &str) -> anyhow::Result<(f64, f64)> {
    let mut host = command(std::env::current_exe()?)
        .args(["reliability-part", "household", "--servers", &servers.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut ready = String::new();
    let read = BufReader::new(host.stdout.as_mut().context("the pipe is there")?).read_line(&mut ready)?;
    ensure!(read > 0, "the host of families did not begin");
    let family: Vec<u32> = descendants(host.id()).into_iter().map(|(pid, _)| pid).collect();
    // The guardian counts too.
    ensure!(family.len() > MEMBERS * usize::try_from(servers)?, "{} processes are too few", family.len());
    match end {
        "" => host.kill()?,
        word => writeln!(host.stdin.as_mut().context("the pipe is there")?, "{word}")?,
    }
    host.wait()?;
    let begun = Instant::now();
    let alive = || family.iter().filter(|pid| is_running(**pid)).count();
    while alive() > 0 && begun.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok((alive() as f64, begun.elapsed().as_secs_f64()))
}

/// A server with two child processes. One of them has its own session and ignores SIGTERM.
pub(crate) fn family() -> anyhow::Result<()> {
    command("/bin/sh").args(["-c", "sleep 300 & (trap '' TERM; exec setsid sleep 300) &"]).status()?;
    crate::echo::stdio::serve()
}

/// Connects to this many families, reports it, and ends in the way that it reads from standard input.
pub(crate) fn serve_families(servers: usize) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let (place, connections) = runtime.block_on(async {
        let place = BenchHost::new().await?;
        let connections = futures_util::future::try_join_all(
            (0..servers).map(|_| place.server(&["reliability-part", "family"])),
        )
        .await?;
        anyhow::Ok((place, connections))
    })?;
    println!("{} ready", connections.len());
    let mut word = String::new();
    std::io::stdin().read_line(&mut word)?;
    match word.trim() {
        "abort" => std::process::abort(),
        "exit" => std::process::exit(0),
        _ => {
            runtime.block_on(futures_util::future::join_all(
                connections.into_iter().map(mooring_connections::Connection::close),
            ));
            runtime.block_on(place.host.shutdown());
            Ok(())
        }
    }
}
