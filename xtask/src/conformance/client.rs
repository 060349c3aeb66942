//! Runs every client scenario of the suite at every protocol version, one process per run.

use std::collections::VecDeque;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use super::findings::{self, Checks, Finding, Verdict};
use super::{Suite, is_chosen};
use crate::binaries::file_name;
use crate::setup::program;

/// The client to test, a binary of the package `mooring-tests`.
const CLIENT: &str = "mooring-conformance-client";
/// The cargo arguments that select the programs for these runs.
pub(super) const PROGRAMS: &[&str] = &["--bin", CLIENT];
/// The protocol versions at which an extension's scenario runs. The suite doesn't tie it to any.
const REVISIONS_OF_EXTENSIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];
/// How many runs the suite's list contains. A mismatch means that the list changed or was parsed wrongly.
const RUNS: usize = 79;
/// How many runs are active at the same time.
const PARALLEL_RUNS: usize = 2;
/// The longest time of a run. The suite waits 30 seconds for its client.
const RUN_TIMEOUT: Duration = Duration::from_secs(45);

/// One scenario at one protocol version.
#[derive(Debug, Clone)]
struct Run {
    scenario: String,
    revision: String,
    /// Whether the scenario belongs to an extension. The suite only runs it if the version is forced.
    extension: bool,
}

/// Runs the chosen scenarios with the built client.
pub(super) fn run_all(suite: &Suite<'_>, chosen: &[String]) -> Result<Vec<Finding>> {
    let started = Instant::now();
    let mut runs = runs(&suite.command().args(["list", "--client"]).capture()?);
    check_complete(&runs)?;
    runs.retain(|run| is_chosen(&run.scenario, chosen));
    if runs.is_empty() {
        bail!("no scenario has a name that begins so");
    }
    let count = runs.len();
    let waiting: Mutex<VecDeque<_>> = Mutex::new(runs.into_iter().enumerate().collect());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let worker = || {
        let mut done = Vec::new();
        while let Some((place, run)) = next() {
            done.push((place, run_scenario(suite, run)?));
        }
        anyhow::Ok(done)
    };
    let mut findings = thread::scope(|scope| {
        let workers: Vec<_> = (0..PARALLEL_RUNS.min(count)).map(|_| scope.spawn(worker)).collect();
        let mut all = Vec::with_capacity(count);
        for worker in workers {
            match worker.join() {
                Ok(done) => all.extend(done?),
                Err(_) => bail!("a run could not be made"),
            }
        }
        anyhow::Ok(all)
    })?;
    findings.sort_by_key(|(place, _)| *place);
    let findings: Vec<_> = findings.into_iter().map(|(_, finding)| finding).collect();
    findings::print(&findings, started.elapsed());
    Ok(findings)
}

/// Fails unless these are all the runs of the pinned suite.
fn check_complete(runs: &[Run]) -> Result<()> {
    ensure!(
        runs.len() == RUNS,
        "the suite lists {} runs and not {RUNS}; where tests/conformance pins another one, so does RUNS in \
         xtask/src/conformance/client.rs",
        runs.len()
    );
    Ok(())
}

/// Parses the suite's list of scenarios into runs.
fn runs(listed: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    for line in listed.lines() {
        let Some((scenario, revisions)) =
            line.trim().strip_prefix("- ").and_then(|line| line.split_once(" ["))
        else {
            continue;
        };
        let revisions = revisions.trim_end_matches(']');
        let extension = revisions == "extension";
        let revisions: Vec<&str> =
            if extension { REVISIONS_OF_EXTENSIONS.to_vec() } else { revisions.split(',').collect() };
        runs.extend(revisions.into_iter().map(|revision| Run {
            scenario: scenario.to_owned(),
            revision: revision.to_owned(),
            extension,
        }));
    }
    runs
}

fn run_scenario(suite: &Suite<'_>, run: Run) -> Result<Finding> {
    let started = Instant::now();
    let name = format!("{}-{}", run.scenario.replace('/', "_"), run.revision);
    let directory = suite.folder(&format!("results/{name}"))?;
    let client = suite.workspace.binaries().join(file_name(CLIENT));
    // The client normally ends by itself. This is a safeguard.
    let guard = if program("timeout").is_some() { "timeout -k 2 27 " } else { "" };
    let mut command = suite
        .command()
        .args(["client", "--command", &format!("{guard}'{}'", client.display())])
        .args(["--scenario", &run.scenario, "--spec-version", &run.revision, "--output-dir"])
        .arg(&directory);
    if run.extension {
        command = command.arg("--force");
    }
    let status = command.run_within(RUN_TIMEOUT, &directory.join("suite.log"))?;
    let (passes, said) = judge(status, &directory)?;
    let Run { scenario, revision, .. } = run;
    let (verdict, took) = (Verdict::new(passes), Some(started.elapsed()));
    Ok(Finding { scenario, revision, server: None, verdict, said, took })
}

/// Reads the suite's results.
fn judge(status: Option<ExitStatus>, directory: &Path) -> Result<(bool, String)> {
    let Some(status) = status else { return Ok((false, "ran out of time".to_owned())) };
    let checks = Checks::read(directory)?;
    Ok((status.success() && checks.pass(), checks.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_runs_at_each_of_its_revisions() {
        let listed = "Client scenarios:\n  - initialize [2025-06-18,2025-11-25]\n  - auth/dpop [extension]\n";
        let runs: Vec<_> = runs(listed)
            .iter()
            .map(|run| (format!("{} {}", run.scenario, run.revision), run.extension))
            .collect();
        let expected = [
            ("initialize 2025-06-18", false),
            ("initialize 2025-11-25", false),
            ("auth/dpop 2025-11-25", true),
            ("auth/dpop 2026-07-28", true),
        ];
        assert_eq!(runs, expected.map(|(name, extension)| (name.to_owned(), extension)));
    }

    #[test]
    fn a_list_that_lost_a_run_passes_for_nothing() {
        let listed = |count: usize| "  - initialize [2025-11-25]\n".repeat(count);
        assert!(check_complete(&runs(&listed(RUNS))).is_ok());
        for count in [0, RUNS - 1, RUNS + 1] {
            let error = check_complete(&runs(&listed(count))).unwrap_err().to_string();
            assert!(error.starts_with(&format!("the suite lists {count} runs and not ")), "{error}");
        }
    }
}
