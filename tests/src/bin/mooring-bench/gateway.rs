//! Compares the gateway, with its log on, with popular proxies in front of the same server, in one run.
//!
//! All of them start first and are then measured in turn, round after round. The overhead of a call is the
//! difference between two medians of the same round: through the proxy, and directly to the server.

mod apps;
mod floods;
mod front;
mod neighbours;
mod quiet;
mod report;
mod served;
mod spread;
mod subjects;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use self::report::{Comparison, Measured};
use self::served::ServedFolder;
use self::spread::GatewayGoal;
use self::subjects::{Behind, Role, SERVER, Subject};
use crate::figures::Row;
use crate::table::Programs;

/// How many calls are in flight in the second load.
const CONCURRENCY: usize = 64;

/// The length of the measurement, and where to write the results.
#[derive(Args)]
pub(crate) struct GatewayArguments {
    /// How many rounds to measure.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How many sequential calls to make in a round. Four times as many are made with 64 in flight.
    #[arg(long, default_value_t = 500)]
    calls: usize,
    /// Also writes the results to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// One round of a subject.
struct Round {
    sequential: Row,
    many: Row,
}

/// Measures and prints. The exit code says whether every goal was met.
pub(crate) fn print(wanted: &GatewayArguments) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let measured = runtime.block_on(measure(wanted))?;
    report::print(&measured);
    if let Some(file) = &wanted.report {
        std::fs::write(file, format!("{}\n", serde_json::to_string_pretty(&measured)?))?;
    }
    Ok(if measured.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Measures what idle apps cost, prints it, and says whether every goal was reached.
pub(crate) fn print_idle(rounds: usize) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let measured = runtime.block_on(quiet::measure(rounds))?;
    report::print(&measured);
    Ok(if measured.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn measure(wanted: &GatewayArguments) -> anyhow::Result<Measured> {
    let programs = Programs::find()?;
    let servers = [
        (SERVER.to_owned(), vec!["echo-stdio".to_owned()]),
        (neighbours::HANGING.to_owned(), neighbours::words("hang")),
        (neighbours::FLOODING.to_owned(), neighbours::words("notifications")),
    ];
    let served = ServedFolder::new(&programs.mooring, &servers).await?;
    let echo = programs.echo_http()?;
    let mut subjects = subjects::start(&programs, &served, &echo.url).await;
    let mut rounds: Vec<Vec<Round>> = subjects.iter().map(|_| Vec::new()).collect();
    for number in 1..=wanted.rounds.max(1) {
        for (subject, rounds) in subjects.iter_mut().zip(&mut rounds) {
            eprint!("\r\x1b[2K{}, round {number} of {}", subject.name, wanted.rounds);
            if let Some(round) = one_round(subject, wanted.calls).await {
                rounds.push(round);
            }
        }
    }
    eprint!("\r\x1b[2K");
    let mut measured = Measured::default();
    for is_http in [false, true] {
        calls_of(&subjects, &rounds, is_http, &mut measured);
    }
    apps::first_answers(&subjects, &served, wanted.rounds, &mut measured).await?;
    apps::written(&served, wanted, &mut measured).await?;
    // Last, because a flooding server can't be stopped.
    floods::measure(&served, wanted, &mut measured).await?;
    neighbours::measure(&served, wanted, &mut measured).await?;
    drop((subjects, served));
    apps::many(&programs, &mut measured).await?;
    Ok(measured)
}

/// Measures one round. A subject that fails is not measured again.
async fn one_round(subject: &mut Subject, calls: usize) -> Option<Round> {
    let open = subject.open.as_mut().ok()?;
    let measured = async {
        let sequential = open.measure(calls, 1).await?;
        let many = open.measure(calls * 4, CONCURRENCY).await?;
        anyhow::ensure!(
            sequential.errors + many.errors == 0,
            "{} calls failed",
            sequential.errors + many.errors
        );
        Ok(Round { sequential, many })
    };
    match measured.await {
        Ok(round) => Some(round),
        Err(error) => {
            subject.open = Err(format!("{error:#}"));
            None
        }
    }
}

/// Computes a figure from a subject's rounds and those of the direct calls.
type Figure = dyn Fn(&[Round], &[Round]) -> Vec<f64>;

/// Adds the figures of calls over stdio or HTTP.
fn calls_of(subjects: &[Subject], rounds: &[Vec<Round>], is_http: bool, measured: &mut Measured) {
    let direct = |behind: Behind| {
        let of = subjects
            .iter()
            .zip(rounds)
            .find(|(subject, _)| subject.role == Role::Direct && subject.behind == behind);
        of.map_or(&[][..], |(_, rounds)| rounds.as_slice())
    };
    let over = if is_http { "HTTP" } else { "stdio" };
    let added = |figure: fn(&Row) -> f64| {
        move |rounds: &[Round], direct: &[Round]| -> Vec<f64> {
            let pairs = rounds.iter().zip(direct);
            pairs.map(|(round, direct)| figure(&round.sequential) - figure(&direct.sequential)).collect()
        }
    };
    let figures: [(&str, Option<GatewayGoal>, &Figure); 3] = [
        ("added to a call, p50, µs", Some(GatewayGoal::PartOfBest(0.25)), &added(|row| row.p50_us)),
        ("added to a call, p99, µs", Some(GatewayGoal::PartOfBest(0.25)), &added(|row| row.p99_us)),
        ("64 in flight, calls/s", Some(GatewayGoal::TimesBest(4.0)), &|rounds, _| {
            rounds.iter().map(|round| round.many.rps).collect()
        }),
    ];
    for (what, goal, figure) in figures {
        let mut comparison = Comparison::new(format!("{over}: {what}"), goal);
        for (subject, rounds) in subjects.iter().zip(rounds).filter(|(subject, _)| subject.is_http == is_http)
        {
            let values = match &subject.open {
                Ok(_) => Ok(figure(rounds, direct(subject.behind))),
                Err(why) => Err(why.clone()),
            };
            comparison.add(subject.name, subject.role, values);
        }
        measured.comparisons.push(comparison);
    }
}
