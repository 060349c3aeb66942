//! What `mooring serve` costs while five connected apps do nothing.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use anyhow::Context as _;

use super::front::OpenFront;
use super::report::{Comparison, Measured};
use super::served::ServedFolder;
use super::subjects::SERVER;
use crate::table::Programs;

const APPS: usize = 5;
/// How long what a start needs may take to be over.
const SETTLE_TIME: Duration = Duration::from_secs(10);
/// How long it is watched in each round: longer than anything that it does at intervals.
const WATCH_TIME: Duration = Duration::from_secs(30);
/// Context switches a second, and per cent of a core.
const MAX_SWITCHES: f64 = 5.0;
const MAX_PROCESSOR: f64 = 0.1;
/// Processor time in `/proc` is counted in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// Four apps at the socket and one over HTTP, in front of one server.
pub(crate) async fn measure(rounds: usize) -> anyhow::Result<Measured> {
    let programs = Programs::find()?;
    let served =
        ServedFolder::new(&programs.mooring, &[(SERVER.to_owned(), vec!["echo-stdio".to_owned()])]).await?;
    let pid = served.pid()?;
    let mut apps = vec![served.http(SERVER).await?];
    for number in 1..APPS {
        apps.push(OpenFront::stdio(served.bridge(&format!("App {number}"), SERVER).await?).await?);
    }
    for app in &mut apps {
        app.measure(20, 1).await?;
    }
    tokio::time::sleep(SETTLE_TIME).await;
    let (mut switches, mut processor) = (Vec::new(), Vec::new());
    for _ in 0..rounds.max(1) {
        let before = (context_switches(pid)?, processor_ticks(pid)?);
        tokio::time::sleep(WATCH_TIME).await;
        let after = (context_switches(pid)?, processor_ticks(pid)?);
        let seconds = WATCH_TIME.as_secs_f64();
        switches.push(count_since(&before.0, &after.0) / seconds);
        processor.push((after.1 - before.1) / TICKS_PER_SECOND / seconds * 100.0);
    }
    let mut measured = Measured::default();
    measured.comparisons.extend([
        Comparison::ours("serve, 5 idle apps: context switches a second", MAX_SWITCHES, switches),
        Comparison::ours("serve, 5 idle apps: per cent of a core", MAX_PROCESSOR, processor),
    ]);
    Ok(measured)
}

/// The context switches of each thread of a process so far, wanted by it or not.
fn context_switches(pid: u32) -> anyhow::Result<HashMap<OsString, f64>> {
    let mut threads = HashMap::new();
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        let thread = thread?;
        // A thread may end meanwhile.
        let Ok(status) = fs::read_to_string(thread.path().join("status")) else { continue };
        let counts = status.lines().filter_map(|line| line.split_once("ctxt_switches:"));
        let counts: Result<Vec<f64>, _> = counts.map(|(_, count)| count.trim().parse()).collect();
        threads.insert(thread.file_name(), counts?.iter().sum());
    }
    Ok(threads)
}

/// The switches between two readings. Those of threads that ended meanwhile are unknown.
fn count_since(before: &HashMap<OsString, f64>, after: &HashMap<OsString, f64>) -> f64 {
    after.iter().map(|(thread, count)| count - before.get(thread).unwrap_or(&0.0)).sum()
}

/// The processor time of a process so far, in ticks.
fn processor_ticks(pid: u32) -> anyhow::Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let (_, fields) = stat.rsplit_once(')').context("no name in the process's status")?;
    let times: Vec<f64> =
        fields.split_whitespace().skip(11).take(2).filter_map(|time| time.parse().ok()).collect();
    Ok(times.iter().sum())
}
