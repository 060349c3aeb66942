//! The memory during and after a server's flood. Healthy servers continue to work meanwhile.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use mooring_connections::Target;

use super::Figure;
use super::host::{BenchHost, call, echoes, time_calls};
use super::processes::{command, peak_memory, resident_memory, written_mebibytes};

/// The number of calls to each of the two healthy servers.
const CALLS: usize = 50;
/// The limit for additional memory during the flood, in MiB.
const MAX_DURING_MIB: f64 = 64.0;
/// The limit for additional memory after [`SETTLE_TIME`], in MiB.
const MAX_AFTER_MIB: f64 = 16.0;
const SETTLE_TIME: Duration = Duration::from_secs(30);

pub(crate) async fn measure(row: &str, mode: &str, short: bool) -> anyhow::Result<Vec<Figure>> {
    let mebibytes = match (short, mode) {
        (false, _) => "1024",
        // Saving all of this in memory would exceed the limit. The other floods are refused because of their
        // structure.
        (true, "line" | "stream" | "stderr") => "128",
        (true, _) => "32",
    };
    let limit = Duration::from_secs(if short { 20 } else { 120 });
    let place = BenchHost::new().await?;
    let neighbours = [place.server(&["echo-stdio"]).await?, place.server(&["echo-stdio"]).await?];
    let words = ["reliability-part", "evil", mode, "--mebibytes", mebibytes];
    let over_http = (mode == "stream").then(|| HttpChild::start(&words)).transpose()?;
    let evil = match &over_http {
        Some(http) => place.connect(http.target()).await?,
        None => place.server(&words).await?,
    };
    let pid = over_http.as_ref().map(|http| http.child.id()).or(evil.view().pid);
    let mut permits = Vec::new();
    for neighbour in &neighbours {
        let permit = echoes(neighbour, 2 * CALLS).await?;
        time_calls(&permit, CALLS, Duration::ZERO).await?;
        permits.push(permit);
    }
    let before = resident_memory();

    let flood = call("flood", "{}", limit)?;
    let begun = Instant::now();
    let calls = async {
        // The outcome of the flood doesn't matter.
        let _refused = evil.call_tool(flood, Arc::new(|_| {})).await;
        let _refused = evil.tools(true).await;
    };
    let pause = Duration::from_millis(20);
    let healthy =
        futures_util::future::try_join_all(permits.iter().map(|permit| time_calls(permit, CALLS, pause)));
    let ((), healthy) = tokio::join!(calls, healthy);
    let lost = healthy.map_or(1.0, |_| 0.0);
    let seconds = begun.elapsed().as_secs_f64();
    let sent = pid.map_or(0.0, written_mebibytes);
    let during = peak_memory() - before;

    evil.close().await;
    let mut after = resident_memory() - before;
    let wait = Instant::now();
    while after > MAX_AFTER_MIB && wait.elapsed() < SETTLE_TIME {
        tokio::time::sleep(Duration::from_millis(200)).await;
        after = resident_memory() - before;
    }
    place.host.shutdown().await;
    Ok(vec![
        Figure::unlimited(row, "taken of what it sent, MiB", sent),
        Figure::unlimited(row, "for how long, s", seconds),
        Figure::at_most(row, "more memory at the peak, MiB", during, MAX_DURING_MIB),
        Figure::at_most(row, "more memory afterwards, MiB", after, MAX_AFTER_MIB),
        Figure::at_most(row, "neighbours that lost a call", lost, 0.0),
    ])
}

/// A server over HTTP. Dropping this ends it.
struct HttpChild {
    child: Child,
    url: String,
}

impl HttpChild {
    fn start(words: &[&str]) -> anyhow::Result<Self> {
        let mut child = command(std::env::current_exe()?).args(words).stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take().context("the pipe is there")?;
        let mut server = Self { child, url: String::new() };
        BufReader::new(output).read_line(&mut server.url)?;
        Ok(server)
    }

    fn target(&self) -> Target {
        Target::Url { url: self.url.trim().to_owned(), headers: std::collections::BTreeMap::new() }
    }
}

impl Drop for HttpChild {
    fn drop(&mut self) {
        // It may already have ended.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}
