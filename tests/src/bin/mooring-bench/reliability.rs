//! What hostile and dying servers cost, and what is left of them: figures beside the limits they have to keep.
//!
//! Each row is measured in a process of its own, so that its memory is its own, by the real host with its log, against
//! real processes.

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

/// Which rows, and how long.
#[derive(Args)]
pub(crate) struct Reliability {
    /// Only these rows: flood-line, flood-nodes, flood-depth, flood-notifications, flood-stream, flood-schemas,
    /// flood-stderr, fairness, fairness-line, fairness-stderr, fairness-stderr-empty, scale, scale-256, cycles,
    /// orphans.
    rows: Vec<String>,
    /// The short form: smaller numbers, the same limits.
    #[arg(long)]
    short: bool,
    /// Prints a line of JSON for each figure instead of a table.
    #[arg(long)]
    json: bool,
}

/// The parts that are processes of their own.
#[derive(Subcommand)]
pub(crate) enum ReliabilityPart {
    /// Measures one row and prints its figures as JSON.
    Measure {
        /// The row.
        row: String,
        /// The short form.
        #[arg(long)]
        short: bool,
    },
    /// A server that misbehaves when its tool `flood` is called.
    Evil(MisbehavingServer),
    /// A server with a child, and another in a session of its own.
    Family,
    /// A host of families, to be killed.
    Household {
        /// How many.
        #[arg(long, default_value_t = 20)]
        servers: usize,
    },
}

/// One figure, with the limit that it has to keep.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Figure {
    /// The row it belongs to.
    row: String,
    /// What was measured, with its unit.
    what: String,
    /// The figure.
    value: f64,
    /// The most it may be; none where it is only told.
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

/// Measures the named rows, or all of them, and prints them.
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

/// Measures a row in a process of its own. One row starts with the few open files that a desktop may grant.
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

/// Runs a part.
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
