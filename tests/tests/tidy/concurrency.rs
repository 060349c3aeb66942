//! Every channel is bounded, every task has an owner, every process is started in one place.

use crate::source::{Source, sources};
use crate::{assert_found, assert_none};

fn shipped() -> Vec<Source> {
    let mut found = sources(&["rs"]);
    found.retain(|source| source.path.starts_with("crates/") || source.path.starts_with("src-tauri/"));
    found
}

fn containing(source: &Source, needles: &[&str]) -> Vec<String> {
    let code = source.code();
    needles.iter().filter(|needle| code.contains(**needle)).map(|needle| source.line_with(needle)).collect()
}

fn unbounded(source: &Source) -> Vec<String> {
    containing(source, &["unbounded_channel", "UnboundedSender", "mpsc::unbounded(", "mpsc::channel()"])
}

#[test]
fn every_channel_is_bounded() {
    let offences: Vec<_> = shipped().iter().flat_map(unbounded).collect();
    assert_none(&offences);
}

#[test]
fn an_unbounded_channel_is_found() {
    let text = "let (sender, receiver) = mpsc::unbounded_channel();";
    assert_found(&unbounded(&Source::sample("crates/host/src/journal.rs", text)), "journal.rs:1");
}

fn bare_spawns(source: &Source) -> Vec<String> {
    containing(source, &["tokio::spawn(", "tokio::task::spawn(", "async_runtime::spawn("])
}

#[test]
fn every_task_is_spawned_into_something_that_owns_it() {
    let offences: Vec<_> = shipped().iter().flat_map(bare_spawns).collect();
    assert_none(&offences);
}

#[test]
fn a_task_without_an_owner_is_found() {
    let source = Source::sample("crates/mcp/src/link.rs", "fn run() {\n    tokio::spawn(read());\n}\n");
    assert_found(&bare_spawns(&source), "link.rs:2");
}

fn started_processes(source: &Source) -> Vec<String> {
    if source.path.starts_with("crates/process/") {
        return Vec::new();
    }
    containing(source, &["process::Command", "Command::new("])
}

#[test]
fn processes_are_started_only_in_crates_process() {
    let offences: Vec<_> = shipped().iter().flat_map(started_processes).collect();
    assert_none(&offences);
}

#[test]
fn a_process_started_elsewhere_is_found() {
    let source = Source::sample("crates/host/src/server.rs", "let child = Command::new(\"npx\").spawn();");
    assert_found(&started_processes(&source), "server.rs:1");
}

fn unsafe_code(source: &Source) -> Vec<String> {
    containing(source, &["unsafe {", "unsafe fn", "unsafe impl", "unsafe_code"])
}

#[test]
fn unsafe_code_is_in_at_most_one_module_of_crates_process() {
    let found = shipped();
    let mut modules: Vec<&str> = found
        .iter()
        .filter(|source| !unsafe_code(source).is_empty())
        .map(|source| source.path.as_str())
        .collect();
    modules.dedup();
    assert!(modules.len() <= 1, "{modules:?}");
    assert!(modules.iter().all(|path| path.starts_with("crates/process/")), "{modules:?}");
}

#[test]
fn an_unsafe_block_is_found() {
    let source = Source::sample("crates/store/src/open.rs", "let id = unsafe { libc::getpid() };");
    assert_found(&unsafe_code(&source), "open.rs:1");
}
