//! `cargo xtask fuzz`: tests the parsers' properties with coverage-guided inputs from libFuzzer.
//!
//! The fuzz program is written to the target directory, so that no other build needs its dependency. Where it
//! cannot be built, inputs are generated from examples, as in the tests.

use std::fs;
use std::process::ExitCode;

use anyhow::{Result, bail, ensure};

use crate::command::Command;
use crate::workspace::Workspace;

/// The names in `mooring_mcp::properties`.
const TARGETS: [&str; 6] = ["frame", "envelope", "event-stream", "challenge", "uri-template", "mcp-header"];

const PROGRAM: &str = r#"#![no_main]
use mooring_mcp::properties::{TARGETS, Target};
use std::sync::OnceLock;

static TARGET: OnceLock<Target> = OnceLock::new();

fn choose() {
    let name = std::env::var("MOORING_FUZZ").expect("a target is named");
    let target = TARGETS.into_iter().find(|(known, ..)| *known == name).expect("the target is known");
    for (number, example) in target.2.iter().enumerate() {
        std::fs::write(format!("corpus/example-{number}"), example).expect("the folder is there");
    }
    let _first = TARGET.set(target);
}

libfuzzer_sys::fuzz_target!(init: choose(), |input: &[u8]| {
    if let Some((_, property, _)) = TARGET.get() {
        property(input);
    }
});
"#;

/// The version of libFuzzer's crate. The workspace's lock file doesn't pin it.
const LIBFUZZER: &str = "0.4.10";

/// Compiler flags for coverage. Sanitizers need another compiler, and safe code doesn't need them.
const COVERAGE: [&str; 8] = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cdebug-assertions",
    "-Coverflow-checks",
];

/// Fuzzes the named property, or each of them, for this number of seconds.
pub(crate) fn fuzz(workspace: &Workspace, target: Option<&str>, seconds: u64) -> Result<ExitCode> {
    if let Some(target) = target
        && !TARGETS.contains(&target)
    {
        bail!("no such target: {target} (there are {})", TARGETS.join(", "));
    }
    let targets = TARGETS.iter().filter(|known| target.is_none_or(|target| target == **known));
    let folder = workspace.target.join("fuzz");
    let triple = crate::package::triple()?;
    if let Err(error) = build(workspace, &triple) {
        println!("libFuzzer cannot be built here ({error:#}); inputs are made from examples instead");
        return fuzz_from_examples(workspace, target, seconds);
    }
    let program = folder.join("target").join(&triple).join("release/mooring-fuzz");
    let mut failed = Vec::new();
    for target in targets {
        let place = folder.join(target);
        fs::create_dir_all(place.join("corpus"))?;
        let status = Command::new(&program)
            .args(["corpus", "-print_final_stats=1", "-max_len=8192", "-timeout=10", "-rss_limit_mb=1024"])
            .arg(format!("-max_total_time={seconds}"))
            .env("MOORING_FUZZ", target)
            .directory(&place)
            .status()?;
        if !status.success() {
            failed.push(format!("{target} (its input is in {})", workspace.relative_path(&place)));
        }
    }
    ensure!(failed.is_empty(), "a property does not hold: {}", failed.join(", "));
    Ok(ExitCode::SUCCESS)
}

fn build(workspace: &Workspace, triple: &str) -> Result<()> {
    let folder = workspace.target.join("fuzz");
    fs::create_dir_all(&folder)?;
    let engine = workspace.root.join("crates/mcp").display().to_string();
    let manifest = format!(
        "[package]\nname = \"mooring-fuzz\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [[bin]]\nname = \"mooring-fuzz\"\npath = \"main.rs\"\n\n\
         [dependencies]\nlibfuzzer-sys = \"={LIBFUZZER}\"\nmooring-mcp = {{ path = {engine:?} }}\n\n\
         [workspace]\n\n[profile.release]\ndebug = \"line-tables-only\"\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::write(folder.join("main.rs"), PROGRAM)?;
    // The current lock file, so that the dependencies are the same as everywhere else.
    fs::copy(workspace.root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    Command::new("cargo")
        .args(["build", "--release", "--target", triple, "--target-dir", "target"])
        .env("RUSTFLAGS", COVERAGE.join(" "))
        .directory(&folder)
        .run()
}

fn fuzz_from_examples(workspace: &Workspace, target: Option<&str>, seconds: u64) -> Result<ExitCode> {
    workspace
        .cargo(&["test", "--release", "--package", "mooring-mcp", "--lib", "properties", "--", "--nocapture"])
        .env("MOORING_FUZZ_SECONDS", seconds.to_string())
        .env("MOORING_FUZZ", target.unwrap_or_default())
        .run()?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_targets_are_all_the_properties_that_the_engine_has() {
        let source = Workspace::find().unwrap().root.join("crates/mcp/src/properties.rs");
        let text: String = fs::read_to_string(source).unwrap().split_whitespace().collect();
        let (_, list) = text.split_once("pubconstTARGETS:").unwrap();
        let (list, _) = list.split_once("];").unwrap();
        let names: Vec<&str> =
            list.split("(\"").skip(1).map(|item| item.split('"').next().unwrap()).collect();
        assert_eq!(names, TARGETS);
    }
}
