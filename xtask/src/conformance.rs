//! `cargo xtask conformance`: the official client suite, every scenario at every revision, one process a run.
//!
//! A run passes only if the suite says so, something succeeded and nothing warned.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::binaries::file_name;
use crate::command::Command;
use crate::output;
use crate::setup::{InstallMode, pages, program, system};
use crate::workspace::Workspace;

/// The client under test, a binary of the member `tests`.
const CLIENT: &str = "mooring-conformance-client";
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

/// What came of a run.
#[derive(Debug)]
struct Finding {
    run: Run,
    passed: bool,
    /// How many checks ended how, or why there are none.
    said: String,
    took: Duration,
}

impl Finding {
    fn verdict(&self) -> &'static str {
        if self.passed { "passed" } else { "FAILED" }
    }
}

/// Builds the client, runs everything, or the scenarios whose names begin as one of `chosen`, and writes what was found
/// to `report` as JSON.
pub(crate) fn conformance(
    workspace: &Workspace,
    chosen: &[String],
    report: Option<&Path>,
    installing: InstallMode,
) -> Result<ExitCode> {
    system::ensure(&[system::BUILD], installing)?;
    pages::node()?;
    pages::packages(workspace)?;
    workspace.cargo(&["build", "--locked", "--package", "mooring-tests", "--bin", CLIENT]).run()?;
    let findings = run_all(workspace, chosen)?;
    if let Some(report) = report {
        fs::write(report, format!("{:#}\n", as_json(&findings)))
            .with_context(|| format!("could not write: {}", report.display()))?;
    }
    Ok(if findings.iter().all(|finding| finding.passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs everything with the client that is built, and fails when a run does not pass.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let findings = run_all(workspace, &[])?;
    let wrong = findings.iter().filter(|finding| !finding.passed);
    let wrong: Vec<_> =
        wrong.map(|finding| format!("{} {}", finding.run.scenario, finding.run.revision)).collect();
    if wrong.is_empty() { Ok(()) } else { bail!("not passed: {}", wrong.join(", ")) }
}

fn run_all(workspace: &Workspace, chosen: &[String]) -> Result<Vec<Finding>> {
    let started = Instant::now();
    let suite = install(workspace)?;
    let mut runs = runs(&suite_command(workspace, &suite).args(["list", "--client"]).capture()?);
    check_complete(&runs)?;
    runs.retain(|run| chosen.is_empty() || chosen.iter().any(|name| run.scenario.starts_with(name)));
    if runs.is_empty() {
        bail!("no scenario has a name that begins so");
    }
    let count = runs.len();
    let waiting: Mutex<VecDeque<_>> = Mutex::new(runs.into_iter().enumerate().collect());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let worker = || {
        let mut done = Vec::new();
        while let Some((place, run)) = next() {
            done.push((place, run_scenario(workspace, &suite, run)?));
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
    print(&findings, started.elapsed());
    Ok(findings)
}

/// Whether these are all the runs that the pinned suite has.
fn check_complete(runs: &[Run]) -> Result<()> {
    ensure!(
        runs.len() == RUNS,
        "the suite lists {} runs and not {RUNS}; where tests/conformance pins another one, so does RUNS in \
         xtask/src/conformance.rs",
        runs.len()
    );
    Ok(())
}

/// Installs the pinned suite under the target directory, unless exactly this one is there.
fn install(workspace: &Workspace) -> Result<PathBuf> {
    let directory = workspace.target.join("conformance");
    fs::create_dir_all(&directory).with_context(|| format!("could not make: {}", directory.display()))?;
    for name in ["package.json", "package-lock.json"] {
        fs::copy(workspace.root.join("tests/conformance").join(name), directory.join(name))
            .with_context(|| format!("could not copy: {name}"))?;
    }
    pages::install(&directory)?;
    Ok(directory)
}

/// The suite's own command line, with the Node that the pages' packages bring: it needs a newer one than they do.
fn suite_command(workspace: &Workspace, suite: &Path) -> Command {
    Command::new(workspace.ui().join("node_modules/.bin").join(file_name("node")))
        .arg(suite.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"))
        .directory(suite)
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

fn run_scenario(workspace: &Workspace, suite: &Path, run: Run) -> Result<Finding> {
    let started = Instant::now();
    let name = format!("{}-{}", run.scenario.replace('/', "_"), run.revision);
    let directory = suite.join("results").join(name);
    if directory.exists() {
        fs::remove_dir_all(&directory)
            .with_context(|| format!("could not remove: {}", directory.display()))?;
    }
    fs::create_dir_all(&directory).with_context(|| format!("could not make: {}", directory.display()))?;
    let client = workspace.binaries().join(file_name(CLIENT));
    // The client ends by itself; this is for the day when it does not.
    let guard = if program("timeout").is_some() { "timeout -k 2 27 " } else { "" };
    let mut command = suite_command(workspace, suite)
        .args(["client", "--command", &format!("{guard}'{}'", client.display())])
        .args(["--scenario", &run.scenario, "--spec-version", &run.revision, "--output-dir"])
        .arg(&directory);
    if run.extension {
        command = command.arg("--force");
    }
    let status = command.run_within(RUN_TIMEOUT, &directory.join("suite.log"))?;
    let (passed, said) = judge(status, &directory)?;
    Ok(Finding { run, passed, said, took: started.elapsed() })
}

/// Reads what the suite found.
fn judge(status: Option<ExitStatus>, directory: &Path) -> Result<(bool, String)> {
    let Some(status) = status else { return Ok((false, "ran out of time".to_owned())) };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for path in findings_in(directory)? {
        let checks: Value = serde_json::from_slice(&fs::read(&path)?).context("the findings are not JSON")?;
        for check in checks.as_array().into_iter().flatten() {
            let status = check["status"].as_str().unwrap_or("unknown").to_lowercase();
            *counts.entry(status).or_default() += 1;
        }
    }
    let count = |name| counts.get(name).copied().unwrap_or(0);
    let passed = status.success() && count("success") > 0 && count("warning") == 0 && count("failure") == 0;
    let said: Vec<_> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    Ok((passed, if said.is_empty() { "no checks".to_owned() } else { said.join(", ") }))
}

/// The files of checks; the suite makes directories of the parts of a scenario's name.
fn findings_in(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(findings_in(&path)?);
        } else if path.ends_with("checks.json") {
            found.push(path);
        }
    }
    Ok(found)
}

fn print(findings: &[Finding], took: Duration) {
    output::line(format_args!("\n{:<46}{:<12}{:>7}  {:<9}checks", "scenario", "revision", "time", "result"));
    for finding in findings {
        let Run { scenario, revision, .. } = &finding.run;
        let seconds = finding.took.as_secs_f64();
        let (verdict, said) = (finding.verdict(), &finding.said);
        output::line(format_args!("{scenario:<46}{revision:<12}{seconds:>5.1} s  {verdict:<9}{said}"));
    }
    let passed = findings.iter().filter(|finding| finding.passed).count();
    output::line(format_args!("\n{passed} of {} runs pass; {:.0} s", findings.len(), took.as_secs_f64()));
    for finding in findings.iter().filter(|finding| !finding.passed) {
        output::line(format_args!("not passed: {} at {}", finding.run.scenario, finding.run.revision));
    }
}

fn as_json(findings: &[Finding]) -> Value {
    let runs = findings.iter().map(|finding| {
        json!({
            "scenario": finding.run.scenario,
            "revision": finding.run.revision,
            "passed": finding.passed,
            "checks": finding.said,
            "seconds": finding.took.as_secs_f64(),
        })
    });
    runs.collect()
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
