//! The gateway beside the proxies that people use now, in front of the same server and in one run, with our log on.
//!
//! All of them are started first and are measured in turn, round after round. What a call costs more than over the
//! server called directly is the difference of two medians of the same round.

mod apps;
mod floods;
mod front;
mod neighbours;
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

/// Calls that are in flight in the second load.
const CONCURRENCY: usize = 64;

/// How long, and where to.
#[derive(Args)]
pub(crate) struct GatewayArguments {
    /// How often each is measured.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How many calls, one after the other, and four times as many with 64 in flight.
    #[arg(long, default_value_t = 500)]
    calls: usize,
    /// Writes the figures to this file as well, as JSON.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// A round of one subject.
struct Round {
    sequential: Row,
    many: Row,
}

/// Measures, prints, and says whether every goal was reached.
pub(crate) fn print(wanted: &GatewayArguments) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let measured = runtime.block_on(measure(wanted))?;
    report::print(&measured);
    if let Some(file) = &wanted.report {
        std::fs::write(file, format!("{}\n", serde_json::to_string_pretty(&measured)?))?;
    }
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
    // Before a server floods, which can't be undone.
    floods::measure(&served, wanted, &mut measured).await?;
    neighbours::measure(&served, wanted, &mut measured).await?;
    drop((subjects, served));
    apps::many(&programs, &mut measured).await?;
    Ok(measured)
}

/// One that fails is not asked again.
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

/// What is taken of a subject's rounds, beside those of the server called directly.
type Figure = dyn Fn(&[Round], &[Round]) -> Vec<f64>;

/// The figures of calls over stdio or HTTP.
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
