//! `cargo xtask test`: every check that CI runs, cheapest first, each named and timed.
//!
//! A step that fails stops the steps that need it; the others still run, so one run tells everything.

mod steps;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::command::{Command, ended};
use crate::setup::{Installing, pages, system};
use crate::test::steps::{JOURNEYS, STEPS, Step};
use crate::workspace::Workspace;

/// The tests that kill processes which renew a login: where they are, and their names.
const KILLING: [(&str, &str, &str); 2] = [
    (
        "mooring-oauth",
        "it",
        "processes::a_process_that_is_killed_between_answer_and_commit_leaves_a_login_or_a_clear_end",
    ),
    (
        "mooring-tests",
        JOURNEYS,
        "sign_in::kills::a_host_that_is_killed_while_it_renews_keeps_the_login_or_says_that_it_is_over",
    ),
];

/// How many questions in a server's words the test of the pages shows.
const PROMPTS: u32 = 600;

/// The test that kills windows while questions wait and are answered.
const KILLING_QUESTIONS: [(&str, &str, &str); 1] =
    [("mooring-host", "it", "interactions_killed::no_kill_makes_a_yes_of_a_question")];

/// What the steps work with.
struct Checks<'a> {
    workspace: &'a Workspace,
    installing: Installing,
    /// The steps of this run, so that the setup installs only what they need.
    selected: Vec<&'static Step>,
}

/// How one step ended.
enum Outcome {
    Passed,
    Failed(anyhow::Error),
    /// A step that it needs did not pass.
    NotRun(&'static str),
}

/// Prints the steps' names and what they check.
pub(crate) fn list() {
    for step in &STEPS {
        println!("{:<20}{}", step.name, step.about);
    }
}

/// Tries all of the imperfect servers.
pub(crate) fn corpus(workspace: &Workspace, installing: Installing) -> Result<ExitCode> {
    system::ensure(&[system::BUILD], installing)?;
    let tests = ["test", "--locked", "--package", "mooring-tests", "--test", "corpus", "--", "--nocapture"];
    let status = workspace.cargo(&tests).env("MOORING_CORPUS", "full").status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Shows many questions in a server's words in the window's pages, as often as the checks do at a time, each time with
/// other words.
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

/// Kills processes that renew a login, so many times in each way, or windows while questions wait and are answered.
pub(crate) fn kills(
    workspace: &Workspace,
    times: Option<u32>,
    questions: bool,
    installing: Installing,
) -> Result<ExitCode> {
    system::ensure(&[system::BUILD], installing)?;
    let (killing, usual): (&[_], _) = if questions { (&KILLING_QUESTIONS, 1_000) } else { (&KILLING, 200) };
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

/// Runs all steps, or the named ones and what they need.
pub(crate) fn test(
    workspace: &Workspace,
    only: &[String],
    fail_fast: bool,
    installing: Installing,
) -> Result<ExitCode> {
    let selected = select(only)?;
    let checks = Checks { workspace, installing, selected };
    let started = Instant::now();
    let mut results: Vec<(&Step, Outcome, Duration)> = Vec::new();
    for (index, &step) in checks.selected.iter().enumerate() {
        let unmet = step.needs.iter().find(|need| {
            results
                .iter()
                .any(|(done, outcome, _)| done.name == **need && !matches!(outcome, Outcome::Passed))
        });
        let stopped =
            fail_fast && results.iter().any(|(_, outcome, _)| matches!(outcome, Outcome::Failed(_)));
        if let Some(need) = unmet.copied().or(stopped.then_some("--fail-fast")) {
            results.push((step, Outcome::NotRun(need), Duration::ZERO));
            continue;
        }
        println!("\n[{}/{}] {}: {}", index + 1, checks.selected.len(), step.name, step.about);
        let begun = Instant::now();
        let outcome = match (step.run)(&checks) {
            Ok(()) => Outcome::Passed,
            Err(error) => {
                println!("{}: failed: {error:#}", step.name);
                Outcome::Failed(error)
            }
        };
        let took = begun.elapsed();
        if matches!(outcome, Outcome::Passed) {
            println!("{}: passed in {}", step.name, shown(took));
        }
        results.push((step, outcome, took));
    }
    Ok(summary(&results, started.elapsed()))
}

/// The named steps with everything they need, in the order of all steps.
fn select(only: &[String]) -> Result<Vec<&'static Step>> {
    if only.is_empty() {
        return Ok(STEPS.iter().collect());
    }
    let mut names: Vec<&str> = only.iter().map(String::as_str).collect();
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

fn summary(results: &[(&Step, Outcome, Duration)], total: Duration) -> ExitCode {
    println!("\n{:<20}{:<10}{:>9}", "step", "result", "time");
    for (step, outcome, took) in results {
        match outcome {
            Outcome::Passed => println!("{:<20}{:<10}{:>9}", step.name, "passed", shown(*took)),
            Outcome::Failed(_) => println!("{:<20}{:<10}{:>9}", step.name, "FAILED", shown(*took)),
            Outcome::NotRun(need) => println!("{:<20}{:<10}because of: {need}", step.name, "not run"),
        }
    }
    println!("{:<20}{:<10}{:>9}", "all", "", shown(total));
    for (step, outcome, _) in results {
        if let Outcome::Failed(error) = outcome {
            println!("\n{} failed: {error:#}", step.name);
        }
    }
    let passed = results.iter().filter(|(_, outcome, _)| matches!(outcome, Outcome::Passed)).count();
    let failed = results.iter().filter(|(_, outcome, _)| matches!(outcome, Outcome::Failed(_))).count();
    println!("\n{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs a step's command; `minutes` only keep what hangs from hanging for ever. Its error carries the end of the output for the summary.
fn check(command: Command, minutes: u64) -> Result<()> {
    let logged = command.logged(Duration::from_secs(minutes * 60))?;
    let how = match logged.status {
        Some(status) if status.success() => return Ok(()),
        Some(status) => ended(status),
        None => format!("stopped after {minutes} minutes"),
    };
    let lines: Vec<&str> = logged.tail.lines().collect();
    let end = lines.get(lines.len().saturating_sub(60)..).unwrap_or_default();
    bail!("{how}; the end of its output:\n{}", end.join("\n"))
}

fn shown(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    format!("{} m {:02} s", time.as_secs() / 60, time.as_secs() % 60)
}
