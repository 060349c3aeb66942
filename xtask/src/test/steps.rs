//! The steps themselves, in the order they run.

use std::env;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::{Checks, check};
use crate::assets;
use crate::command::Command;
use crate::conformance;
use crate::headless;
use crate::requirements;
use crate::setup::system::{self, Need};
use crate::setup::{pages, python, servers, tools};

/// One named check.
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// Steps that must have passed before.
    pub(super) needs: &'static [&'static str],
    pub(super) run: fn(&Checks<'_>) -> Result<()>,
}

/// The window's tests that measure what they see.
const MEASURED: &str = "flood.test.mjs";

/// Tests at once for each processor: most of them wait for processes, and few compute.
const TESTS_A_CORE: usize = 3;

/// The name of the test target that needs the real servers.
pub(super) const JOURNEYS: &str = "journeys";

pub(super) const STEPS: [Step; 22] = [
    Step { name: "setup", about: "what the checks need is here", needs: &[], run: setup },
    Step { name: "format", about: "Rust sources are formatted", needs: &["setup"], run: format },
    Step { name: "spelling", about: "words are spelled right", needs: &["setup"], run: spelling },
    Step {
        name: "requirements",
        about: "docs/requirements.md is what the tests say",
        needs: &[],
        run: |checks| requirements::requirements(checks.workspace, true),
    },
    Step { name: "ui-install", about: "npm packages of the window", needs: &["setup"], run: ui_install },
    Step { name: "ui-types", about: "TypeScript's types agree", needs: &["ui-install"], run: ui_types },
    Step { name: "ui-lint", about: "oxlint finds nothing", needs: &["ui-install"], run: ui_lint },
    Step { name: "ui-unused", about: "knip finds nothing unused", needs: &["ui-install"], run: ui_unused },
    Step {
        name: "ui-tests",
        about: "unit tests of the window's pages",
        needs: &["ui-install"],
        run: ui_tests,
    },
    Step { name: "ui-build", about: "the window's pages build", needs: &["ui-install"], run: ui_build },
    Step { name: "clippy", about: "clippy finds nothing", needs: &["ui-build"], run: clippy },
    Step { name: "docs", about: "documentation builds without warnings", needs: &["ui-build"], run: docs },
    Step { name: "build", about: "every target builds", needs: &["ui-build"], run: build },
    Step {
        name: "bindings",
        about: "committed TypeScript types are current",
        needs: &["build"],
        run: bindings,
    },
    Step {
        name: "rust-tests",
        about: "unit, integration and tidy tests",
        needs: &["build"],
        run: rust_tests,
    },
    Step { name: "doc-tests", about: "examples in the documentation run", needs: &["build"], run: doc_tests },
    Step {
        name: "dependencies",
        about: "licences, sources, bans; advisories where their database can be fetched",
        needs: &["setup"],
        run: deny,
    },
    Step { name: "unused", about: "every dependency is used", needs: &["setup"], run: machete },
    Step {
        name: "servers",
        about: "real servers from npm and PyPI",
        needs: &["setup"],
        run: install_servers,
    },
    Step { name: JOURNEYS, about: "journeys with real servers", needs: &["build", "servers"], run: journeys },
    Step {
        name: "conformance",
        about: "the official conformance suite",
        needs: &["ui-install", "build"],
        run: conformance,
    },
    Step {
        name: "window",
        about: "end to end in the real window",
        needs: &["build", "bindings", "servers"],
        run: window,
    },
];

/// Of what the system brings, which steps need it.
const SYSTEM: [(&[Need], &[&str]); 4] = [
    (system::BUILD, &["clippy", "docs", "build"]),
    (system::HEADLESS, &["window"]),
    (system::KEYRING, &["rust-tests", JOURNEYS, "window"]),
    (system::GIT, &[JOURNEYS, "window"]),
];
/// The steps that need Node.
const NODE: &[&str] = &["ui-install", "servers"];
/// The steps that need Python: many servers of the tests are scripts.
const PYTHON: &[&str] = &["spelling", "rust-tests", "servers", JOURNEYS, "window"];
/// The steps that fill a disk, which is one of their own.
const MOUNTS: &[&str] = &["rust-tests", "window"];

fn setup(checks: &Checks<'_>) -> Result<()> {
    let selected = |name: &str| checks.selected.iter().any(|step| step.name == name);
    let any = |names: &[&str]| names.iter().copied().any(selected);
    let needs: Vec<_> = SYSTEM.iter().filter(|(_, steps)| any(steps)).map(|(needs, _)| *needs).collect();
    system::ensure(&needs, checks.installing)?;
    if any(NODE) {
        pages::node()?;
    }
    if any(PYTHON) {
        python::ensure(checks.installing)?;
    }
    if any(MOUNTS) {
        system::private_mounts()?;
    }
    // A minimal toolchain comes without these two.
    for (step, component) in [("format", "rustfmt"), ("clippy", "clippy")] {
        let verb = if component == "rustfmt" { "fmt" } else { component };
        if selected(step) && !checks.workspace.cargo(&[verb, "--version"]).succeeds() {
            Command::new("rustup")
                .args(["component", "add", component])
                .directory(&checks.workspace.root)
                .run()?;
        }
    }
    Ok(())
}

fn format(checks: &Checks<'_>) -> Result<()> {
    check(checks.workspace.cargo(&["fmt", "--all", "--check"]), 2)
}

fn spelling(checks: &Checks<'_>) -> Result<()> {
    let typos = tools::typos(checks.workspace)?;
    check(tools::at_root(checks.workspace, &typos).args(["--config", "typos.toml"]), 2)
}

fn ui_install(checks: &Checks<'_>) -> Result<()> {
    pages::packages(checks.workspace)
}

fn ui_types(checks: &Checks<'_>) -> Result<()> {
    check(checks.workspace.npm(&["run", "--silent", "typecheck"]), 5)
}

fn ui_lint(checks: &Checks<'_>) -> Result<()> {
    check(checks.workspace.npm(&["run", "--silent", "lint"]), 5)
}

fn ui_unused(checks: &Checks<'_>) -> Result<()> {
    check(checks.workspace.npm(&["run", "--silent", "knip"]), 5)
}

fn ui_tests(checks: &Checks<'_>) -> Result<()> {
    check(checks.workspace.npm(&["run", "--silent", "test"]), 15)
}

fn ui_build(checks: &Checks<'_>) -> Result<()> {
    pages::build(checks.workspace)
}

fn clippy(checks: &Checks<'_>) -> Result<()> {
    check(cargo(checks, "clippy", &["--all-targets", "--", "--deny", "warnings"]), 45)
}

fn docs(checks: &Checks<'_>) -> Result<()> {
    check(cargo(checks, "doc", &["--no-deps"]).env("RUSTDOCFLAGS", "--deny warnings"), 30)
}

fn build(checks: &Checks<'_>) -> Result<()> {
    check(cargo(checks, "build", &["--all-targets"]), 60)
}

fn bindings(checks: &Checks<'_>) -> Result<()> {
    assets::check_bindings(checks.workspace)
}

/// All but the journeys: by name, so that a new target cannot be forgotten.
fn rust_tests(checks: &Checks<'_>) -> Result<()> {
    let names = checks.workspace.integration_tests();
    let targets = names.iter().filter(|name| *name != JOURNEYS).flat_map(|name| ["--test", name]);
    check(tests(checks, &["--no-fail-fast", "--lib", "--bins", "--examples"]).args(targets), 30)
}

fn doc_tests(checks: &Checks<'_>) -> Result<()> {
    check(tests(checks, &["--doc"]), 30)
}

fn deny(checks: &Checks<'_>) -> Result<()> {
    let deny = tools::cargo_tool(checks.workspace, tools::DENY)?;
    let deny = || tools::at_root(checks.workspace, &deny).arg("--workspace").arg("--all-features");
    check(deny().args(["check", "bans", "licenses", "sources"]), 5)?;
    // The database of advisories is a git repository, out of reach where only registries are.
    if deny().args(["fetch", "db"]).succeeds() {
        return check(deny().args(["check", "--disable-fetch", "advisories"]), 5);
    }
    println!("  advisories: not checked, their database cannot be fetched here");
    Ok(())
}

fn machete(checks: &Checks<'_>) -> Result<()> {
    let machete = tools::cargo_tool(checks.workspace, tools::MACHETE)?;
    check(
        tools::at_root(checks.workspace, &machete).args(["machete", "crates", "src-tauri", "tests", "xtask"]),
        2,
    )
}

fn install_servers(checks: &Checks<'_>) -> Result<()> {
    servers::install(checks.workspace)
}

fn journeys(checks: &Checks<'_>) -> Result<()> {
    check(tests(checks, &["--test", JOURNEYS]), 30)
}

fn conformance(checks: &Checks<'_>) -> Result<()> {
    conformance::check(checks.workspace)
}

fn window(checks: &Checks<'_>) -> Result<()> {
    let directory = checks.workspace.root.join("tests/e2e");
    let mut scripts: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&directory).with_context(|| format!("no directory: {}", directory.display()))? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(".test.mjs")) {
            scripts.push(path);
        }
    }
    scripts.sort();
    if scripts.is_empty() {
        bail!("no tests in {}", directory.display());
    }
    // Each test has a display and a bus of its own and waits more than it works; what is measured runs alone.
    let (alone, beside): (Vec<_>, Vec<_>) =
        scripts.into_iter().partition(|path| path.file_name().is_some_and(|name| name == MEASURED));
    for (scripts, at_once) in [(beside, "2"), (alone, "1")] {
        let node = headless::session(checks.workspace, &checks.workspace.binaries())?;
        let at_once = format!("--test-concurrency={at_once}");
        check(node.args(["--test", at_once.as_str(), "--test-reporter=spec"]).args(scripts), 30)?;
    }
    Ok(())
}

/// Cargo on the whole workspace, in colour when a person watches.
fn cargo(checks: &Checks<'_>, verb: &str, arguments: &[&str]) -> Command {
    let command = checks.workspace.cargo_workspace(verb, arguments);
    let watched = io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none();
    if watched { command.env("CARGO_TERM_COLOR", "always") } else { command }
}

/// `cargo test`, told where the binaries and the real servers are.
fn tests(checks: &Checks<'_>, arguments: &[&str]) -> Command {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    cargo(checks, "test", arguments)
        .env("RUST_TEST_THREADS", (cores * TESTS_A_CORE).to_string())
        .env("MOORING_BIN_DIR", checks.workspace.binaries())
        .env("MOORING_SERVERS", checks.workspace.servers())
        .env("SHELL", checks.workspace.login_shell())
}
