//! `mooring-bench`: our calls beside a floor and beside the official SDK, all in one run.
//!
//! The floor is what a client can do at all: echo servers that splice the request's id into a
//! canned answer, and clients without log, cancellation or deadline. Every measured client runs in
//! a process of its own, against the same echo servers, and prints one [`figures::Row`] as JSON;
//! without a subcommand this program starts them in turn and prints a table.
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

/// Measures calls, and prints them beside a floor and beside the official SDK.
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    part: Option<BenchCommand>,
    /// Only these rows: stdio-sequential, stdio-64, stdio-1mb, stdio-idle, http-sequential, http-64,
    /// http-1mb, http-idle, journal, cli.
    rows: Vec<String>,
    /// How often each client is measured; the table shows medians.
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
    /// The echo server over HTTP; prints its address.
    EchoHttp {
        /// The port on loopback; any free one when left out.
        #[arg(long, default_value_t = 0)]
        port: u16,
    },
    /// A minimal client of the echo server over stdio.
    FloorStdio(Load),
    /// A minimal client of the echo server over HTTP.
    FloorHttp {
        /// Address of the echo server.
        #[arg(long)]
        url: String,
        #[command(flatten)]
        load: Load,
    },
    /// The official SDK's client over stdio.
    RmcpStdio(Load),
    /// The official SDK's client over HTTP.
    RmcpHttp {
        /// Address of the echo server.
        #[arg(long)]
        url: String,
        #[command(flatten)]
        load: Load,
    },
    /// Memory of connections that do nothing.
    Idle(idle::IdleArguments),
    /// Rows per second into the log while somebody pages through it.
    Journal {
        /// How many rows to write.
        #[arg(long, default_value_t = 500_000)]
        rows: u64,
        /// The data folder; one that is thrown away when left out.
        #[arg(long)]
        home: Option<PathBuf>,
    },
    /// The gateway beside the proxies that people use now: calls, memory, and what other servers and apps do to it.
    Gateway(gateway::GatewayArguments),
    /// Floods, fairness, many servers at once, starts and stops, orphans: figures beside their limits.
    Reliability(reliability::Reliability),
    /// A part of that.
    #[command(subcommand, hide = true, name = "reliability-part")]
    Stage(reliability::ReliabilityPart),
    /// Writes rows into the log of a data folder at a given rate, for a window to show.
    Feed {
        /// The data folder.
        #[arg(long)]
        home: PathBuf,
        /// Rows per second.
        #[arg(long, default_value_t = 10_000)]
        rate: u64,
        /// For how long.
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
