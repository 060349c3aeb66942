//! Runs the built test programs, several at a time: each waits more than it computes, at its end above all.

use std::fs;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, bail};

use super::check;
use crate::command::Command;
use crate::output;
use crate::workspace::{TestBinary, Workspace};

/// Test programs at once.
const PROGRAMS_AT_ONCE: usize = 3;
/// Tests at once for each processor: most of them wait for processes, and few compute.
const TESTS_A_CORE: usize = 3;
/// Packages whose programs take longest. They begin first: what ends last has then little left to do alone.
const SLOWEST: [&str; 5] = ["mooring-host", "mooring-gateway", "mooring-cli", "mooring-oauth", "mooring-mcp"];
/// How many minutes a program may take.
const LIMIT_MINUTES: u64 = 30;

/// Runs all of them, whatever fails; the output of each is shown when it has ended.
pub(super) fn run(workspace: &Workspace, mut tests: Vec<TestBinary>) -> Result<()> {
    let folder = workspace.target.join("checks/tests");
    fs::create_dir_all(&folder).with_context(|| format!("could not make: {}", folder.display()))?;
    // The slowest last: they are taken from the end.
    let place = |test: &TestBinary| {
        let is_unit = test.target != "it";
        (is_unit, SLOWEST.iter().position(|name| *name == test.package).unwrap_or(SLOWEST.len()))
    };
    tests.sort_by_key(|test| std::cmp::Reverse(place(test)));
    let (waiting, failed) = (Mutex::new(tests), Mutex::new(Vec::new()));
    let shown = output::capture_file()?;
    thread::scope(|scope| {
        for _ in 0..PROGRAMS_AT_ONCE {
            scope.spawn(|| {
                while let Some(test) = lock(&waiting).pop() {
                    let name = format!("{} of {}", test.target, test.package);
                    let file = folder.join(format!("{}-{}.txt", test.package, test.target));
                    let ran = output::capture_to(&file, || run_one(workspace, &test));
                    let result = ran.context("its output can’t be saved").flatten();
                    let words = fs::read_to_string(&file).unwrap_or_else(|error| error.to_string());
                    let mut failed = lock(&failed);
                    show(shown.as_ref(), &format!("\n{name}\n{words}"));
                    failed.extend(result.err().map(|error| format!("{name}: {error:#}")));
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if failed.is_empty() { Ok(()) } else { bail!("{}", failed.join("\n")) }
}

fn run_one(workspace: &Workspace, test: &TestBinary) -> Result<()> {
    let command = Command::new(&test.executable).directory(&test.folder);
    let command = command.env("CARGO_MANIFEST_DIR", &test.folder);
    check(for_tests(workspace, command, tests_at_once() / 2), LIMIT_MINUTES)
}

/// How many tests run at once on this machine; each of several programs runs half as many.
pub(super) fn tests_at_once() -> usize {
    thread::available_parallelism().map_or(2, usize::from) * TESTS_A_CORE
}

/// A command that runs tests, told where the binaries and the real servers are, and how many of its tests run at once.
pub(super) fn for_tests(workspace: &Workspace, command: Command, at_once: usize) -> Command {
    command
        .env("RUST_TEST_THREADS", at_once.to_string())
        .env("MOORING_BIN_DIR", workspace.binaries())
        .env("MOORING_SERVERS", workspace.servers())
        .env("SHELL", workspace.login_shell())
}

/// Shows words where the step's own go.
fn show(step: Option<&fs::File>, words: &str) {
    use std::io::Write as _;
    match step {
        // A disk that is full takes the words of a step, not the step.
        Some(mut file) => drop(file.write_all(words.as_bytes())),
        None => println!("{words}"),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
