//! `mooring-bench`: compares our client with a floor and with the official SDK, all in one run.
//!
//! The floor is the fastest that a client can be: echo servers that splice the request's id into a fixed
//! answer, and clients without log, cancellation or deadline. Every measured client runs in its own process
//! against the same echo servers, and prints one [`figures::Row`] as JSON. Without a subcommand, this program
//! starts them in turn and prints a table.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a table on standard output is what this program is for"
)]

mod commands;
mod echo;
mod figures;
mod floor;
mod gateway;
mod idle;
mod journal;
mod load;
mod official;
mod reliability;
mod table;
mod workers;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use figures::Row;
use load::Load;

/// Measures calls, and compares them with a floor and with the official SDK.
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    part: Option<BenchCommand>,
    /// Only these rows: stdio-sequential, stdio-64, stdio-1mb, stdio-idle, http-sequential, http-64,
    /// http-1mb, http-idle, journal, cli.
    rows: Vec<String>,
    /// How often to measure each client. The table shows medians.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Prints the rows as JSON instead of a table.
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
enum BenchCommand {
    /// The echo server on standard input and output.
    EchoStdio,
    /// The echo server over HTTP. Prints its URL.
    EchoHttp {
        /// The port on the loopback interface. By default any free port.
        #[arg(long, default_value_t = 0)]
        port: u16,
    },
    /// A minimal client of the echo server over stdio.
    FloorStdio(Load),
    /// A minimal client of the echo server over HTTP.
    FloorHttp {
        /// URL of the echo server.
        #[arg(long)]
        url: String,
        #[command(flatten)]
        load: Load,
    },
    /// The official SDK's client over stdio.
    RmcpStdio(Load),
    /// The official SDK's client over HTTP.
    RmcpHttp {
        /// URL of the echo server.
        #[arg(long)]
        url: String,
        #[command(flatten)]
        load: Load,
    },
    /// Memory of idle connections.
    /// What `mooring serve` costs while its apps do nothing.
    IdleApps {
        /// How often it is measured.
        #[arg(long, default_value_t = 3)]
        rounds: usize,
    },
    Idle(idle::IdleArguments),
    /// Rows per second into the log while a reader pages through it.
    Journal {
        /// How many rows to write.
        #[arg(long, default_value_t = 500_000)]
        rows: u64,
        /// The data folder. By default a temporary one.
        #[arg(long)]
        home: Option<PathBuf>,
    },
    /// Compares the gateway with popular proxies: calls, memory, and the effect of other servers and apps.
    Gateway(gateway::GatewayArguments),
    /// Measures floods, fairness, many servers, starts and stops, and orphans, and compares the figures with
    /// limits.
    Reliability(reliability::Reliability),
    /// Runs a part of the reliability measurements.
    #[command(subcommand, hide = true, name = "reliability-part")]
    Stage(reliability::ReliabilityPart),
    /// Writes rows to the log of a data folder at a given rate, for a window to show.
    Feed {
        /// The data folder.
        #[arg(long)]
        home: PathBuf,
        /// Rows per second.
        #[arg(long, default_value_t = 10_000)]
        rate: u64,
        /// How many seconds to write.
        #[arg(long, default_value_t = 10)]
        seconds: u64,
    },
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let Some(part) = arguments.part else {
        return table::print(&arguments.rows, arguments.rounds.max(1), arguments.json);
    };
    match part {
        BenchCommand::EchoStdio => echo::stdio::serve()?,
        BenchCommand::EchoHttp { port } => echo::http::serve(port)?,
        BenchCommand::FloorStdio(load) => emit(&floor::stdio::measure(&load)?)?,
        BenchCommand::FloorHttp { url, load } => emit(&floor::http::measure(&url, &load)?)?,
        BenchCommand::RmcpStdio(load) => emit(&official::stdio(&load)?)?,
        BenchCommand::RmcpHttp { url, load } => emit(&official::http(&url, &load)?)?,
        BenchCommand::Idle(wanted) => println!("{}", serde_json::to_string(&idle::measure(&wanted)?)?),
        BenchCommand::Journal { rows, home } => {
            println!("{}", serde_json::to_string(&journal::measure(rows, home)?)?);
        }
        BenchCommand::Reliability(wanted) => return reliability::print(&wanted),
        BenchCommand::IdleApps { rounds } => return gateway::print_idle(rounds),
        BenchCommand::Gateway(wanted) => return gateway::print(&wanted),
        BenchCommand::Stage(part) => reliability::run(part)?,
        BenchCommand::Feed { home, rate, seconds } => {
            println!("{}", serde_json::to_string(&journal::feed(&home, rate, seconds)?)?);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn emit(row: &Row) -> anyhow::Result<()> {
    println!("{}", serde_json::to_string(row)?);
    Ok(())
}
