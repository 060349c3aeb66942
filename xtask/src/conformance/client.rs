//! Every scenario of the suite's client half at every revision, one process a run.

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

/// The client under test, a binary of the member `tests`.
const CLIENT: &str = "mooring-conformance-client";
/// What cargo builds for these runs.
pub(super) const PROGRAMS: &[&str] = &["--bin", CLIENT];
/// The revisions at which a scenario of an extension is run; the suite ties them to none.
const REVISIONS_OF_EXTENSIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];
/// How many runs the suite's list stands for, so that a list that is shorter, or read as shorter, is noticed.
const RUNS: usize = 79;
/// Runs at once.
const PARALLEL_RUNS: usize = 2;
/// Longest run; the suite waits 30 seconds for its client.
const RUN_TIMEOUT: Duration = Duration::from_secs(45);

/// One scenario at one revision.
#[derive(Debug, Clone)]
struct Run {
    scenario: String,
    revision: String,
    /// Of an extension, which the suite runs only when forced to name a revision.
    extension: bool,
}

/// Runs what is chosen with the client that is built.
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

/// Whether these are all the runs that the pinned suite has.
fn check_complete(runs: &[Run]) -> Result<()> {
    ensure!(
        runs.len() == RUNS,
        "the suite lists {} runs and not {RUNS}; where tests/conformance pins another one, so does RUNS in \
         xtask/src/conformance/client.rs",
        runs.len()
    );
    Ok(())
}

/// The runs that the suite's list of scenarios stands for.
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
    // The client ends by itself; this is for the day when it does not.
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
    let (verdict, took) = (Verdict::new(passes, None), Some(started.elapsed()));
    Ok(Finding { scenario, revision, server: None, verdict, said, took })
}

/// Reads what the suite found.
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
