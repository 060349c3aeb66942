//! Runs the built test programs, several at a time, because each waits more than it computes.

use std::fs;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, bail};

use super::check;
use crate::command::Command;
use crate::output;
use crate::workspace::{TestBinary, Workspace};

/// How many test programs run at the same time.
const PROGRAMS_AT_ONCE: usize = 3;
/// How many tests run at the same time per processor. Most of them wait for processes.
const TESTS_A_CORE: usize = 3;
/// The packages with the slowest tests. They start first, so that none of them runs alone at the end.
const SLOWEST: [&str; 5] = ["mooring-host", "mooring-gateway", "mooring-cli", "mooring-oauth", "mooring-mcp"];
/// The most minutes that a program may take.
const LIMIT_MINUTES: u64 = 30;

/// Runs all test programs, even after a failure. Prints the output of each when it has ended.
pub(super) fn run(workspace: &Workspace, mut tests: Vec<TestBinary>) -> Result<()> {
    let folder = workspace.target.join("checks/tests");
    fs::create_dir_all(&folder).with_context(|| format!("could not make: {}", folder.display()))?;
    // In reverse, because programs are taken from the end.
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

/// How many tests run at the same time on this machine. Each of several programs runs half as many.
pub(super) fn tests_at_once() -> usize {
    thread::available_parallelism().map_or(2, usize::from) * TESTS_A_CORE
}

/// Prepares a command that runs tests: sets the paths of the binaries and real servers, and the number of
/// parallel tests.
pub(super) fn for_tests(workspace: &Workspace, command: Command, at_once: usize) -> Command {
    command
        .env("RUST_TEST_THREADS", at_once.to_string())
        .env("MOORING_BIN_DIR", workspace.binaries())
        .env("MOORING_SERVERS", workspace.servers())
        .env("SHELL", workspace.login_shell())
}

/// Prints to the step's output.
fn show(step: Option<&fs::File>, words: &str) {
    use std::io::Write as _;
    match step {
        // On a full disk, a step's output is lost, but the step goes on.
        Some(mut file) => drop(file.write_all(words.as_bytes())),
        None => println!("{words}"),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
