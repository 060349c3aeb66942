//! `mooring`: the same host as in the window, without the window.
//!
//! Each command is a module of [`command`]. They share how a connection is used ([`mooring_connect`]), how a
//! fault becomes an exit code ([`fault`]) and how everything is printed ([`output`]).

mod command;
mod complete;

use std::process::ExitCode;
use std::sync::Arc;

use clap::error::ErrorKind;
use mooring_command_line as args;
use mooring_connect::Session;
use mooring_faults as fault;
use mooring_server_commands::{bench, call, listing, probe, prompt, read, subscribe};
pub(crate) use mooring_terminal::CommandContext;
use mooring_terminal::{ask, files, input, line_editor, output, secret_input, table};
use mooring_visits::ItemKind;
use tracing_subscriber::filter::{FilterExt as _, filter_fn};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use crate::args::{Cli, Command};
use crate::fault::{Exit, Fault};
use crate::output::Output;

fn main() -> ExitCode {
    if std::env::var_os(args::COMPLETE).is_some() {
        let known: Arc<dyn args::KnownNames> = Arc::new(complete::SavedNames);
        match args::complete(&known) {
            Ok(true) => return ExitCode::SUCCESS,
            Ok(false) => {}
            Err(error) => return ExitCode::from(report_clap_error(&error, &typed_words()) as u8),
        }
    }
    let exit = match Cli::read(std::env::args_os()) {
        Ok(cli) => start(cli),
        Err(error) => report_clap_error(&error, &typed_words()),
    };
    ExitCode::from(exit as u8)
}

fn start(cli: Cli) -> Exit {
    init_tracing();
    turn_off_core_dumps();
    let output = Output::new(cli.json);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return conclude(output, Err(anyhow::Error::from(error).into())),
    };
    let outcome = runtime.block_on(async {
        let session = Session::alone(output);
        Box::pin(run(&session, cli.command)).await
    });
    // Nothing that blocks, such as a read of standard input, must keep the command from ending.
    runtime.shutdown_background();
    secret_input::restore_echo();
    conclude(output, outcome)
}

async fn run(session: &Session, command: Command) -> Result<Exit, Fault> {
    match command {
        Command::Probe(args) => probe::run(session, args).await,
        Command::Tools(args) => listing::run(session, args, ItemKind::Tools).await,
        Command::Resources(args) => listing::run(session, args, ItemKind::Resources).await,
        Command::Templates(args) => listing::run(session, args, ItemKind::Templates).await,
        Command::Prompts(args) => listing::run(session, args, ItemKind::Prompts).await,
        Command::Skills(args) => listing::run(session, args, ItemKind::Skills).await,
        Command::Call(args) => call::run(session, args).await,
        Command::Read(args) => read::run(session, args).await,
        Command::Prompt(args) => prompt::run(session, args).await,
        Command::Subscribe(args) => subscribe::run(session, args).await,
        Command::Shell(args) => Box::pin(command::shell::run(session, args)).await,
        Command::Add(args) => command::servers::add(session, args).await,
        Command::List => command::servers::list(session).await,
        Command::Remove(args) => command::servers::remove(session, args).await,
        Command::Trust(args) => command::trust::run(session, &args).await,
        Command::Login(args) => command::accounts::login(session, args).await,
        Command::Logout(args) => command::accounts::logout(session, &args).await,
        Command::Accounts(args) => command::accounts::accounts(session, &args).await,
        Command::Set(args) => command::change::set(session, args).await,
        Command::SetSecret(args) => command::change::set_secret(session, args).await,
        Command::Edit(args) => command::change::edit(session, args).await,
        Command::Rename(args) => command::change::rename(session, args).await,
        Command::Enable(args) => command::change::enable(session, args, true).await,
        Command::Disable(args) => command::change::enable(session, args, false).await,
        Command::Vault(args) => command::vault::run(session, args).await,
        Command::Roots(args) => command::roots::run(session, args).await,
        Command::Restore(args) => command::restore::run(session, args).await,
        Command::Profile(args) => Box::pin(command::profile::run(session, args)).await,
        Command::Logs(args) => command::logs::run(session, args).await,
        Command::Apps(args) => command::apps::apps(session, args).await,
        Command::Connect(args) => command::apps::connect(session, args).await,
        Command::Disconnect(args) => command::apps::disconnect(session, args).await,
        Command::Export(args) => command::export::run(session, args).await,
        Command::Import(args) => command::import::run(session, args).await,
        Command::Catalog(args) => command::catalog::run(session, args).await,
        Command::Rollback(args) => command::bundle::roll_back(session, args).await,
        #[cfg(unix)]
        Command::Bridge(args) => command::bridge::run(args),
        #[cfg(unix)]
        Command::Serve(args) => command::serve::run(session, &args).await,
        Command::Doctor(args) => Box::pin(command::doctor::run(session, args)).await,
        Command::Bench(args) => bench::run(session, args).await,
        Command::Search(args) => command::search::run(session, &args).await,
        Command::Completions(args) => command::help::completions(session, &args),
        Command::Help(args) => command::help::run(session, &args),
        Command::Version => version(session.output),
    }
}

fn version(output: Output) -> Result<Exit, Fault> {
    let version = env!("CARGO_PKG_VERSION");
    if output.json {
        output.result(&serde_json::json!({ "version": version }))?;
    } else {
        output.line(&format!("mooring {version}"))?;
    }
    Ok(Exit::Ok)
}

fn conclude(output: Output, outcome: Result<Exit, Fault>) -> Exit {
    let fault = match outcome {
        Ok(exit) => return exit,
        Err(fault) => fault,
    };
    let exit = fault.exit;
    // The reader of the output has closed it, which is not a failure.
    if fault.is_closed_pipe() {
        return Exit::Ok;
    }
    if output.json {
        if output.print_failure(&fault, None, None).is_err() {
            output.fault(&fault);
        }
    } else {
        output.fault(&fault);
    }
    exit
}

/// The words that follow `mooring`.
fn typed_words() -> Vec<String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Prints help, the version, or what is wrong with a line.
fn report_clap_error(error: &clap::Error, line: &[String]) -> Exit {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => return print_clap_error(error, Exit::Ok),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => return print_clap_error(error, Exit::Usage),
        _ => {}
    }
    let is_json = line.iter().take_while(|word| *word != "--").any(|word| word == "--json");
    let args::Mistake { message, next } = args::mistake(error, line);
    conclude(Output::new(is_json), Err(Fault::usage(message).next(next)))
}

/// Traces what `RUST_LOG` asks for to standard error; by default only defects of our own. Libraries that
/// could trace a credential never trace more than warnings, whatever `RUST_LOG` asks for.
fn init_tracing() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("mooring=error"));
    let quiet = filter_fn(|event| mooring_host::is_trace_allowed(event.target(), *event.level()));
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_filter(filter.and(quiet));
    // This only fails if there is a subscriber already, and there is none.
    let _first = tracing_subscriber::registry().with(layer).try_init();
}

/// A core dump of this process would contain secrets that are in use, so none is written when it crashes.
/// Servers inherit that setting, because they have secrets in memory too. It also keeps servers from reading
/// the memory of this process.
fn turn_off_core_dumps() {
    if let Err(error) = mooring_process::keep_memory_private() {
        tracing::warn!(%error, "other programs may read the memory of this process");
    }
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let maximum = getrlimit(Resource::Core).maximum;
        if let Err(error) = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum }) {
            tracing::warn!(%error, "core dumps could not be turned off");
        }
    }
}

/// Prints help, the version or what is wrong with the command line, in clap's format.
fn print_clap_error(error: &clap::Error, exit: Exit) -> Exit {
    // The output may be closed.
    let _closed = error.print();
    exit
}
