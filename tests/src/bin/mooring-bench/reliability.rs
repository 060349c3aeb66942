//! The cost of hostile and crashing servers, and what they leave behind, compared with limits.
//!
//! The real host with its log runs against real processes. Each row runs in its own process to measure its
//! memory separately.

mod cycles;
mod fairness;
mod flood;
mod host;
mod misbehaving;
mod orphans;
mod processes;
mod scale;

use std::process::{ExitCode, Stdio};

use anyhow::{Context as _, bail, ensure};
use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};

pub(crate) use host::BenchHost;
pub(crate) use misbehaving::MisbehavingServer;
pub(crate) use processes::{anonymous_memory, command, descendants, process_memory, written_mebibytes};

/// Which rows to measure, and how long.
#[derive(Args)]
pub(crate) struct Reliability {
    /// Only these rows: flood-line, flood-nodes, flood-depth, flood-notifications, flood-stream, flood-schemas,
    /// flood-stderr, fairness, fairness-line, fairness-stderr, fairness-stderr-empty, scale, scale-256, cycles,
    /// orphans.
    rows: Vec<String>,
    /// The short form: smaller numbers with the same limits.
    #[arg(long)]
    short: bool,
    /// Prints one line of JSON per figure instead of a table.
    #[arg(long)]
    json: bool,
}

/// The parts that run in their own process.
#[derive(Subcommand)]
pub(crate) enum ReliabilityPart {
    /// Measures a row and prints its figures as JSON.
    Measure {
        /// The row.
        row: String,
        /// The short form.
        #[arg(long)]
        short: bool,
    },
    /// A server that misbehaves when its tool `flood` is called.
    Evil(MisbehavingServer),
    /// A server with two child processes, one of them in its own session.
    Family,
    /// A host with several families, which the measurement ends.
    Household {
        /// How many families.
        #[arg(long, default_value_t = 20)]
        servers: usize,
    },
}

/// A figure and its limit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Figure {
    /// The row of the figure.
    row: String,
    /// What is measured, and its unit.
    what: String,
    /// The measured value.
    value: f64,
    /// The largest allowed value. `None` if there is no limit.
    limit: Option<f64>,
}

impl Figure {
    fn at_most(row: &str, what: &str, value: f64, limit: f64) -> Self {
        Self { row: row.to_owned(), what: what.to_owned(), value, limit: Some(limit) }
    }

    fn unlimited(row: &str, what: &str, value: f64) -> Self {
        Self { row: row.to_owned(), what: what.to_owned(), value, limit: None }
    }

    fn is_within_limit(&self) -> bool {
        self.limit.is_none_or(|limit| self.value <= limit)
    }

    fn verdict(&self) -> &'static str {
        match (self.limit, self.is_within_limit()) {
            (None, _) => "",
            (Some(_), true) => "ok",
            (Some(_), false) => "MISSED",
        }
    }
}

const ROWS: [&str; 15] = [
    "flood-line",
    "flood-nodes",
    "flood-depth",
    "flood-notifications",
    "flood-stream",
    "flood-schemas",
    "flood-stderr",
    "fairness",
    "fairness-line",
    "fairness-stderr",
    "fairness-stderr-empty",
    "scale",
    "scale-256",
    "cycles",
    "orphans",
];

/// Measures the named rows, or all of them, and prints the figures.
pub(crate) fn print(wanted: &Reliability) -> anyhow::Result<ExitCode> {
    if let Some(row) = wanted.rows.iter().find(|row| !ROWS.contains(&row.as_str())) {
        bail!("no such row: {row}");
    }
    let mut kept = true;
    if !wanted.json {
        println!("{:20} {:44} {:>12} {:>12}", "row", "figure", "measured", "at most");
    }
    for row in ROWS {
        if !wanted.rows.is_empty() && !wanted.rows.iter().any(|wanted| wanted == row) {
            continue;
        }
        for figure in measure_in_process(row, wanted.short)? {
            kept &= figure.is_within_limit();
            if wanted.json {
                println!(
                    "{}",
                    serde_json::json!({
                        "row": figure.row, "what": figure.what, "value": figure.value,
                        "limit": figure.limit, "kept": figure.is_within_limit(),
                    })
                );
            } else {
                let limit = figure.limit.map(|limit| format!("{limit:.1}")).unwrap_or_default();
                println!(
                    "{:20} {:44} {:>12.1} {limit:>12}  {}",
                    figure.row,
                    figure.what,
                    figure.value,
                    figure.verdict()
                );
            }
        }
    }
    Ok(if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Measures a row in its own process. One row starts with the low limit of open files that a desktop may set.
fn measure_in_process(row: &str, short: bool) -> anyhow::Result<Vec<Figure>> {
    let own = std::env::current_exe()?;
    let mut command = if row == "scale-256" {
        let mut shell = processes::command("/bin/sh");
        shell.args(["-c", "ulimit -S -n 256; exec \"$0\" \"$@\""]).arg(own);
        shell
    } else {
        processes::command(own)
    };
    command.args(["reliability-part", "measure", row]).stdout(Stdio::piped());
    if short {
        command.arg("--short");
    }
    let output = command.output()?;
    ensure!(output.status.success(), "{row}: {}", output.status);
    let text = String::from_utf8(output.stdout)?;
    text.lines().map(|line| serde_json::from_str(line).with_context(|| format!("{row}: {line}"))).collect()
}

/// Runs a part in this process.
pub(crate) fn run(part: ReliabilityPart) -> anyhow::Result<()> {
    match part {
        ReliabilityPart::Measure { row, short } => {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
            for figure in runtime.block_on(measure(&row, short))? {
                println!("{}", serde_json::to_string(&figure)?);
            }
            Ok(())
        }
        ReliabilityPart::Evil(evil) => evil.serve(),
        ReliabilityPart::Family => orphans::family(),
        ReliabilityPart::Household { servers } => orphans::serve_families(servers),
    }
}

async fn measure(row: &str, short: bool) -> anyhow::Result<Vec<Figure>> {
    match row {
        "fairness" => fairness::measure(row, "notifications", short).await,
        "scale" | "scale-256" => scale::measure(row, short).await,
        "cycles" => cycles::measure(row, short).await,
        "orphans" => orphans::measure(row, short).await,
        _ => {
            if let Some(mode) = row.strip_prefix("fairness-") {
                return fairness::measure(row, mode, short).await;
            }
            let mode = row.strip_prefix("flood-").with_context(|| format!("no such row: {row}"))?;
            flood::measure(row, mode, short).await
        }
    }
}
