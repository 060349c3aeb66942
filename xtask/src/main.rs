//! `cargo xtask`: one command to run Mooring from source and one to run all checks of CI.
//!
//! Each task installs what it needs (system packages, npm packages, pinned tools) and says so. Tasks that a
//! person may want in production belong to `mooring` instead.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a task's output is its purpose")]

mod apps;
mod assets;
mod bench;
mod binaries;
mod cimd;
mod command;
mod conformance;
mod files_to_add;
mod fuzz;
mod headless;
mod output;
mod package;
mod pictures;
mod requirements;
mod run;
mod setup;
mod test;
mod workspace;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

use crate::conformance::ConformanceTarget;
use crate::package::PackageOptions;
use crate::setup::{InstallMode, MissingPrerequisite, pages};
use crate::test::KillTarget;
use crate::workspace::Workspace;

/// The exit code if something that the task needs is missing and was not installed.
const EXIT_MISSING: u8 = 3;

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    about = "Run, check, measure and package Mooring",
    disable_help_subcommand = true
)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Args)]
struct Setup {
    /// Do not install system packages; print the line that would and stop
    #[arg(long)]
    no_install: bool,
}

#[derive(Subcommand)]
enum Task {
    /// Build Mooring and open its window
    Run {
        /// Open the window on a virtual display, call a tool of the demo server and take a screenshot
        #[arg(long)]
        headless: bool,
        #[command(flatten)]
        setup: Setup,
        /// Arguments for the application, where its window is on a real display
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Run every check that CI runs
    Test {
        /// Run only these steps and what they need
        #[arg(long, value_name = "STEP")]
        only: Vec<String>,
        /// Run only what can be reached by the changes since this branch left REF (by default origin/main), committed
        /// or not. What is left out is listed as "not reached". A file that no rule knows, such as a manifest, reaches
        /// everything. Before merging, run all
        #[arg(
            long,
            value_name = "REF",
            num_args = 0..=1,
            default_missing_value = "origin/main",
            conflicts_with = "only"
        )]
        changed: Option<String>,
        /// List the steps
        #[arg(long)]
        list: bool,
        /// Stop at the first step that fails
        #[arg(long)]
        fail_fast: bool,
        #[command(flatten)]
        setup: Setup,
    },
    /// Run the end-to-end tests in the real window
    E2e {
        #[command(flatten)]
        setup: Setup,
    },
    /// Measure speed and size in release builds, all rows or the named ones
    Bench {
        rows: Vec<String>,
        #[command(flatten)]
        setup: Setup,
    },
    /// Test against all imperfect servers, of which the checks use one in ten
    Corpus {
        #[command(flatten)]
        setup: Setup,
    },
    /// Show questions with generated texts from servers in the window's pages, of which the checks show 600
    Prompts {
        /// How many questions
        #[arg(default_value_t = 10_000)]
        count: u32,
    },
    /// Kill processes between a token refresh and its commit, of which the checks kill twenty in one test and
    /// twelve in another
    Kills {
        /// How many; by default 200, with --questions 1,000. With --gateway the calls of each app, by default 1,000
        times: Option<u32>,
        /// Kill windows while questions wait and are answered instead, of which the checks kill ten
        #[arg(long)]
        questions: bool,
        /// Kill the supervisor every second while ten apps make calls instead, of which the checks make 20
        /// calls each
        #[arg(long, conflicts_with = "questions")]
        gateway: bool,
        #[command(flatten)]
        setup: Setup,
    },
    /// Run the official conformance suite against our client, all scenarios or those whose names start like
    /// this
    Conformance {
        scenarios: Vec<String>,
        /// Run the server scenarios against our gateway instead, with a server of each era
        #[arg(long)]
        gateway: bool,
        /// Write what was found to this file as well, as JSON
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
        #[command(flatten)]
        setup: Setup,
    },
    /// Connect real apps from npm (claude-code, codex, opencode, gemini-cli, copilot-cli), all or the named ones, have each
    /// list and call a tool with a scripted model, and disconnect it. Downloads 1.3 GB the first time
    Apps {
        apps: Vec<String>,
        #[command(flatten)]
        setup: Setup,
    },
    /// Fuzz a parser of the engine: frame, envelope, event-stream, challenge, uri-template, mcp-header
    Fuzz {
        target: Option<String>,
        /// How many seconds each is fuzzed
        #[arg(long, default_value_t = 60)]
        seconds: u64,
    },
    /// Build installers from release builds
    Package {
        /// Kinds of installers (deb, rpm, appimage, dmg, msi, nsis); by default the one usual on this system
        #[arg(long, value_delimiter = ',')]
        bundles: Vec<String>,
        /// Install each package in a clean Debian root, try the application there, and remove it (needs root)
        #[arg(long)]
        check: bool,
        /// Package the development build: quick, for work on the packages
        #[arg(long)]
        debug: bool,
        /// The program that an image starts with, from github.com/AppImage/type2-runtime. Without it, only the
        /// image's folder is made
        #[arg(long, value_name = "FILE")]
        runtime: Option<PathBuf>,
        #[command(flatten)]
        setup: Setup,
    },
    /// Regenerate the TypeScript types of the window's commands
    Bindings {
        #[command(flatten)]
        setup: Setup,
    },
    /// Regenerate the recordings of the host's answers for the mock backend
    Recordings {
        #[command(flatten)]
        setup: Setup,
    },
    /// Write into CONTRIBUTING.md which files a new screen, setting or question needs
    FilesToAdd {
        /// Add an example of each to a copy of the sources: it must build, and not without the places that say so
        #[arg(long = "try")]
        is_trial: bool,
        /// Only what has this in its name, such as "question"
        #[arg(requires = "is_trial", default_value = "")]
        wanted: String,
    },
    /// Write docs/requirements.md: what the protocol requires, and the tests that show it
    Requirements {
        /// Only check whether the page matches the tests
        #[arg(long)]
        check: bool,
    },
    /// Write the document to publish that describes Mooring to authorization servers (OAuth Client ID Metadata
    /// Document)
    Cimd(cimd::Cimd),
    /// Redraw every icon from icons/mooring.svg
    Icons,
    /// Take pictures of every screen in every state, and fail where something is wrong on one
    Pictures {
        #[command(flatten)]
        wanted: pictures::PictureOptions,
        #[command(flatten)]
        setup: Setup,
    },
    /// Format the sources, Rust, TypeScript and stylesheets
    Fmt,
}

fn main() -> ExitCode {
    if let Some(compiled) = test::as_compiler() {
        return compiled;
    }
    match task(Cli::parse().task) {
        Ok(code) => code,
        Err(error) if error.is::<MissingPrerequisite>() => {
            eprintln!("{error}");
            ExitCode::from(EXIT_MISSING)
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn task(task: Task) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    match task {
        Task::Run { headless, setup, arguments } => {
            run::run(&workspace, headless, setup.installing(), &arguments)
        }
        Task::Test { only, changed, list, fail_fast, setup } => {
            if list {
                test::list();
                return Ok(ExitCode::SUCCESS);
            }
            test::test(&workspace, &only, changed.as_deref(), fail_fast, setup.installing())
        }
        Task::E2e { setup } => test::test(&workspace, &["window".to_owned()], None, true, setup.installing()),
        Task::Bench { rows, setup } => bench::bench(&workspace, &rows, setup.installing()),
        Task::Corpus { setup } => test::corpus(&workspace, setup.installing()),
        Task::Prompts { count } => test::prompts(&workspace, count),
        Task::Kills { times, questions, gateway, setup } => {
            let of = match (questions, gateway) {
                (true, _) => KillTarget::Questions,
                (_, true) => KillTarget::Gateway,
                _ => KillTarget::Logins,
            };
            test::kills(&workspace, times, of, setup.installing())
        }
        Task::Conformance { scenarios, gateway, json, setup } => {
            let target = if gateway { ConformanceTarget::Gateway } else { ConformanceTarget::Client };
            conformance::conformance(&workspace, target, &scenarios, json.as_deref(), setup.installing())
        }
        Task::Apps { apps: names, setup } => apps::apps(&workspace, &names, setup.installing()),
        Task::Fuzz { target, seconds } => fuzz::fuzz(&workspace, target.as_deref(), seconds),
        Task::Package { bundles, check, debug, runtime, setup } => {
            let options = PackageOptions { bundles, check, debug, runtime };
            package::package(&workspace, options, setup.installing())
        }
        Task::Bindings { setup } => assets::bindings(&workspace, setup.installing()),
        Task::Recordings { setup } => assets::recordings(&workspace, setup.installing()),
        Task::FilesToAdd { is_trial, wanted } => {
            files_to_add::files_to_add(&workspace, is_trial, &wanted)?;
            Ok(ExitCode::SUCCESS)
        }
        Task::Requirements { check } => {
            requirements::requirements(&workspace, check)?;
            Ok(ExitCode::SUCCESS)
        }
        Task::Cimd(options) => cimd::cimd(&options),
        Task::Icons => assets::icons(&workspace),
        Task::Pictures { wanted, setup } => pictures::pictures(&workspace, &wanted, setup.installing()),
        Task::Fmt => {
            workspace.cargo(&["fmt", "--all"]).run()?;
            pages::node()?;
            pages::packages(&workspace)?;
            workspace.npm(&["run", "--silent", "format"]).run()?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

impl Setup {
    fn installing(&self) -> InstallMode {
        if self.no_install { InstallMode::Print } else { InstallMode::Install }
    }
}
