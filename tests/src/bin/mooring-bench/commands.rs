//! How long `mooring call` takes: through a running service, without one, and compared with a program that
//! only starts.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde::Serialize;

use crate::table::{Programs, command};

/// How often each command runs. They take turns, so that the machine's load affects all of them alike.
const RUNS: usize = 60;
/// How long the service may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// The median that a call through a running service may take, in milliseconds.
pub(crate) const GOAL_MS: f64 = 60.0;

/// How long one kind of command took, in milliseconds.
#[derive(Debug, Serialize)]
pub(crate) struct CommandRow {
    pub(crate) what: &'static str,
    pub(crate) p10_ms: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p90_ms: f64,
}

/// A service that ends when this is dropped.
struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        // It may already have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Measures each kind of command. The goal applies to the first.
pub(crate) fn measure(programs: &Programs) -> anyhow::Result<Vec<CommandRow>> {
    let home = tempfile::tempdir()?;
    let run = |words: &[&str]| -> anyhow::Result<Duration> {
        let mut command = command(&programs.mooring);
        command.args(words).env("MOORING_HOME", home.path()).stdin(Stdio::null());
        let started = Instant::now();
        let output = command.output()?;
        let elapsed = started.elapsed();
        let told = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "mooring {} failed: {}", words.join(" "), told.trim());
        Ok(elapsed)
    };
    let own = programs.own.to_str().context("the path of this program is text")?;
    run(&["add", "harbour", "--", own, "echo-stdio"])?;
    let service = command(&programs.mooring)
        .args(["serve"])
        .env("MOORING_HOME", home.path())
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let _service = Service(service);
    wait_for(&home.path().join("gateway.sock"))?;

    let kinds: [(&'static str, &[&str]); 3] = [
        ("call, through the service", &["call", "harbour", "echo", "text=ahoy"]),
        ("call, alone", &["call", "harbour", "echo", "text=ahoy", "--alone"]),
        ("version, which only starts", &["version"]),
    ];
    let mut taken = kinds.map(|_| Vec::with_capacity(RUNS));
    // The first run of each is slower, because the system hasn't cached its files.
    for (_, words) in kinds {
        run(words)?;
    }
    for _ in 0..RUNS {
        for ((_, words), taken) in kinds.iter().zip(&mut taken) {
            taken.push(run(words)?.as_secs_f64() * 1e3);
        }
    }
    let rows = kinds.iter().zip(taken).map(|((what, _), mut taken)| {
        taken.sort_by(f64::total_cmp);
        let at = |percent: usize| taken.get(percent * (taken.len() - 1) / 100).copied().unwrap_or_default();
        CommandRow { what, p10_ms: at(10), p50_ms: at(50), p90_ms: at(90) }
    });
    Ok(rows.collect())
}

fn wait_for(socket: &Path) -> anyhow::Result<()> {
    let started = Instant::now();
    while !socket.exists() {
        ensure!(started.elapsed() < START_TIMEOUT, "the service did not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
