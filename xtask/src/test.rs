//! `cargo xtask test`: runs all checks of CI, cheapest first. Each has a name and is timed, and some run in
//! parallel.
//!
//! If a step fails, the steps that need it are skipped. The others still run, so that one run reports
//! everything.

mod changed;
mod programs;
mod rustc;
mod scheduler;
mod steps;

use std::collections::BTreeMap;
use std::fs;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::command::{Command, describe_exit};
use crate::output;
use crate::setup::{InstallMode, pages, system};
use crate::test::changed::Reached;
pub(crate) use crate::test::rustc::as_compiler;
use crate::test::scheduler::{Outcome, Scheduler, StepResult};
use crate::test::steps::{JOURNEYS, STEPS, Step};
use crate::workspace::Workspace;

/// The tests that kill processes during a token refresh: package, target and name.
const KILL_TESTS: [(&str, &str, &str); 2] = [
    ("mooring-oauth", "it", "processes::kill_between_answer_and_commit_keeps_or_clearly_ends_login"),
    ("mooring-tests", JOURNEYS, "sign_in::kills::host_killed_during_renewal_keeps_or_clearly_ends_the_login"),
];

/// The test that kills the supervisor while apps call.
const KILL_GATEWAY_TESTS: [(&str, &str, &str); 1] =
    [("mooring-tests", JOURNEYS, "apps::kills::no_call_runs_twice_when_the_supervisor_is_killed")];

/// How many generated questions the page test shows.
const PROMPTS: u32 = 600;

/// The test that kills windows while questions wait and are answered.
const KILL_QUESTION_TESTS: [(&str, &str, &str); 1] =
    [("mooring-host", "it", "interactions_killed::no_kill_makes_a_yes_of_a_question")];

/// The label of steps that `--changed` skips.
const NOT_REACHED: &str = "not reached";

/// The context that all steps share.
struct StepContext<'a> {
    workspace: &'a Workspace,
    installing: InstallMode,
    /// The selected steps. The setup only installs what they need.
    selected: Vec<&'static Step>,
    /// The tests to run. `None` runs all.
    reached: Option<Reached>,
}

/// Prints the steps' names and what they check.
pub(crate) fn list() {
    for step in &STEPS {
        println!("{:<20}{}", step.name, step.about);
    }
}

/// Tests against all imperfect servers.
pub(crate) fn corpus(workspace: &Workspace, installing: InstallMode) -> Result<ExitCode> {
    system::ensure(&[system::BUILD], installing)?;
    let tests = ["test", "--locked", "--package", "mooring-tests", "--test", "corpus", "--", "--nocapture"];
    let status = workspace.cargo(&tests).env("MOORING_CORPUS", "full").status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Shows many questions with generated texts in the window's pages. Repeats the test of the checks with other
/// texts each time.
pub(crate) fn prompts(workspace: &Workspace, count: u32) -> Result<ExitCode> {
    pages::node()?;
    pages::packages(workspace)?;
    let test = ["run", "--silent", "test", "--", "src/features/inbox/two-voices.test.tsx"];
    let runs = count.div_ceil(PROMPTS);
    for run in 1..=runs {
        println!("questions {} to {}", (run - 1) * PROMPTS + 1, run * PROMPTS);
        if !workspace.npm(&test).env("VITE_PROMPTS_SEED", run.to_string()).status()?.success() {
            return Ok(ExitCode::FAILURE);
        }
    }
    println!("{} questions: all outside the server's frame stayed as it was", runs * PROMPTS);
    Ok(ExitCode::SUCCESS)
}

/// Which processes to kill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KillTarget {
    /// Processes during a token refresh.
    Logins,
    /// Windows while questions wait and are answered.
    Questions,
    /// The supervisor while ten apps make calls.
    Gateway,
}

/// Kills processes. `times` is how often, or for the gateway the number of calls of each app.
pub(crate) fn kills(
    workspace: &Workspace,
    times: Option<u32>,
    of: KillTarget,
    installing: InstallMode,
) -> Result<ExitCode> {
    system::ensure(&[system::BUILD], installing)?;
    let (killing, usual): (&[_], _) = match of {
        KillTarget::Logins => (&KILL_TESTS, 200),
        KillTarget::Questions => (&KILL_QUESTION_TESTS, 1_000),
        KillTarget::Gateway => (&KILL_GATEWAY_TESTS, 1_000),
    };
    let times = times.unwrap_or(usual);
    for &(package, target, name) in killing {
        let tests = ["test", "--locked", "--package", package, "--test", target];
        let tests = workspace.cargo(&tests).args(["--", "--exact", "--nocapture", name]);
        if !tests.env("MOORING_KILLS", times.to_string()).status()?.success() {
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs all steps, the named ones and their dependencies, or those that the changes since `changed` can
/// affect.
pub(crate) fn test(
    workspace: &Workspace,
    only: &[String],
    changed: Option<&str>,
    fail_fast: bool,
    installing: InstallMode,
) -> Result<ExitCode> {
    let reached = changed.map(|reference| reachable_steps(workspace, reference)).transpose()?.flatten();
    let selected = match &reached {
        Some(reached) => select(reached.steps.iter().copied())?,
        None => select(only.iter().map(String::as_str))?,
    };
    let workspace = workspace.clone().building_with(rustc::environment(workspace)?);
    let checks = StepContext { workspace: &workspace, installing, selected, reached };
    let started = Instant::now();
    let board = Scheduler::new(checks.selected.clone(), fail_fast);
    let (beside, usual): (Vec<_>, Vec<_>) =
        checks.selected.iter().copied().partition(|step| step.beside.is_some());
    thread::scope(|scope| {
        scope.spawn(|| {
            for &step in &beside {
                board.run(step, || run_captured(&checks, step));
            }
        });
        for step in usual {
            board.run(step, || run_visible(&checks, step));
        }
    });
    let (results, total) = (board.results(), started.elapsed());
    let before = earlier_times(&workspace);
    write_times(&workspace, &results, total, &before)?;
    Ok(summary(checks.reached.as_ref(), &results, total, &before))
}

/// What the changes since `reference` affect. `None` means everything.
fn reachable_steps(workspace: &Workspace, reference: &str) -> Result<Option<Reached>> {
    let paths = changed::paths(workspace, reference)?;
    println!("changed since {reference}: {} files", paths.len());
    match changed::reachable(&paths, &workspace.packages()?) {
        Ok(reached) => Ok(Some(reached)),
        Err(path) => {
            println!("everything is checked: no rule says what this file can reach: {path}");
            Ok(None)
        }
    }
}

/// Runs a step with its output visible.
fn run_visible(checks: &StepContext<'_>, step: &Step) -> Result<()> {
    println!("\n{}: {}", step.name, step.about);
    let began = Instant::now();
    let result = (step.run)(checks);
    println!("{}", verdict(step, &result, began.elapsed()));
    result
}

/// Runs a step in parallel with others. Its output is printed when it has ended.
fn run_captured(checks: &StepContext<'_>, step: &Step) -> Result<()> {
    let folder = checks.workspace.target.join("checks");
    fs::create_dir_all(&folder).with_context(|| format!("could not make: {}", folder.display()))?;
    let file = folder.join(format!("{}.txt", step.name));
    let began = Instant::now();
    let result = output::capture_to(&file, || (step.run)(checks))?;
    let words = fs::read_to_string(&file).unwrap_or_else(|error| format!("{}: {error}\n", file.display()));
    let verdict = verdict(step, &result, began.elapsed());
    println!("\n{}, beside others: {}\n{words}{verdict}", step.name, step.about);
    result
}

fn verdict(step: &Step, result: &Result<()>, took: Duration) -> String {
    match result {
        Ok(()) => format!("{}: passed in {}", step.name, in_words(took)),
        Err(error) => format!("{}: failed: {error:#}", step.name),
    }
}

/// The named steps and all their dependencies, in order. Without names, all steps.
fn select<'a>(names: impl Iterator<Item = &'a str>) -> Result<Vec<&'static Step>> {
    let mut names: Vec<&str> = names.collect();
    if names.is_empty() {
        return Ok(STEPS.iter().collect());
    }
    names.push("setup");
    let mut next = 0;
    while let Some(name) = names.get(next) {
        let Some(step) = STEPS.iter().find(|step| step.name == *name) else {
            bail!("no such step: {name} (`cargo xtask test --list` names them)");
        };
        names.extend(step.needs);
        next += 1;
    }
    Ok(STEPS.iter().filter(|step| names.contains(&step.name)).collect())
}

/// How many past times are saved for each step.
const KEPT_TIMES: usize = 5;

/// The past times of each step that passed, in seconds, newest first.
fn earlier_times(workspace: &Workspace) -> BTreeMap<String, Vec<f64>> {
    let read = || -> Option<BTreeMap<String, Vec<f64>>> {
        let text = fs::read_to_string(workspace.target.join("checks/times.json")).ok()?;
        let times: Value = serde_json::from_str(&text).ok()?;
        serde_json::from_value(times["passed"].clone()).ok()
    };
    read().unwrap_or_default()
}

/// Writes the time of each step to `target/checks/times.json`, in seconds, with its past times.
fn write_times(
    workspace: &Workspace,
    results: &[StepResult],
    total: Duration,
    before: &BTreeMap<String, Vec<f64>>,
) -> Result<()> {
    let mut passed = before.clone();
    for StepResult { step, outcome, took } in results {
        if matches!(outcome, Outcome::Passed) {
            let times = passed.entry(step.name.to_owned()).or_default();
            times.insert(0, took.as_secs_f64());
            times.truncate(KEPT_TIMES);
        }
    }
    let steps = results.iter().map(|StepResult { step, outcome, took }| {
        let result = match outcome {
            Outcome::Passed => "passed",
            Outcome::Failed(_) => "failed",
            Outcome::NotRun(_) => "not run",
        };
        json!({ "step": step.name, "result": result, "seconds": took.as_secs_f64() })
    });
    let times =
        json!({ "steps": steps.collect::<Vec<_>>(), "seconds": total.as_secs_f64(), "passed": passed });
    let folder = workspace.target.join("checks");
    fs::create_dir_all(&folder).with_context(|| format!("could not make: {}", folder.display()))?;
    let file = folder.join("times.json");
    fs::write(&file, format!("{times:#}\n")).with_context(|| format!("could not write: {}", file.display()))
}

fn summary(
    reached: Option<&Reached>,
    results: &[StepResult],
    total: Duration,
    before: &BTreeMap<String, Vec<f64>>,
) -> ExitCode {
    println!("\n{:<20}{:<10}{:>9}  before", "step", "result", "time");
    for step in &STEPS {
        match results.iter().find(|ended| ended.step.name == step.name) {
            Some(StepResult { outcome, took, .. }) => match outcome {
                Outcome::Passed => {
                    let last = before.get(step.name).map(|times| spread(times)).unwrap_or_default();
                    println!("{:<20}{:<10}{:>9}  {last}", step.name, "passed", in_words(*took));
                }
                Outcome::Failed(_) => println!("{:<20}{:<10}{:>9}", step.name, "FAILED", in_words(*took)),
                Outcome::NotRun(need) => println!("{:<20}{:<10}because of: {need}", step.name, "not run"),
            },
            None if reached.is_some() => println!("{:<20}{NOT_REACHED}", step.name),
            None => {}
        }
    }
    if let Some(reached) = reached.filter(|reached| !reached.left_out.is_empty()) {
        println!("{:<20}{NOT_REACHED}: {}", "tests of", reached.left_out.join(", "));
    }
    println!("{:<20}{:<10}{:>9}", "all", "", in_words(total));
    for StepResult { step, outcome, .. } in results {
        if let Outcome::Failed(error) = outcome {
            println!("\n{} failed: {error:#}", step.name);
        }
    }
    let passed = results.iter().filter(|ended| matches!(ended.outcome, Outcome::Passed)).count();
    let failed = results.iter().filter(|ended| matches!(ended.outcome, Outcome::Failed(_))).count();
    println!("\n{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs a step's command. The limit of `minutes` only stops a hanging command. An error names the failed
/// tests and includes the end of the output for the summary.
fn check(command: Command, minutes: u64) -> Result<()> {
    let logged = command.run_logged(Duration::from_secs(minutes * 60))?;
    let how = match logged.status {
        Some(status) if status.success() => return Ok(()),
        Some(status) => describe_exit(status),
        None => format!("stopped after {minutes} minutes"),
    };
    let lines: Vec<&str> = logged.tail.lines().collect();
    let end = lines.get(lines.len().saturating_sub(60)..).unwrap_or_default();
    let named = logged.failures.join("\n  ");
    bail!("{how}\n  {named}\nThe end of its output:\n{}", end.join("\n"))
}

/// The shortest and the longest time, in seconds.
fn spread(times: &[f64]) -> String {
    let word = |seconds: f64| in_words(Duration::from_secs_f64(seconds));
    let shortest = times.iter().copied().fold(f64::INFINITY, f64::min);
    let longest = times.iter().copied().fold(0.0, f64::max);
    match times.len() {
        0 => String::new(),
        1 => word(longest),
        runs => format!("{} to {} in {runs} runs", word(shortest), word(longest)),
    }
}

fn in_words(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    format!("{} m {:02} s", time.as_secs() / 60, time.as_secs() % 60)
}
