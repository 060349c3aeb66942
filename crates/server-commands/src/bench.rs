//! `mooring bench`: how fast a server answers, measured through the host that everything else uses too. The
//! whole run is one decision of the policy.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use mooring_calls::CallStatus;
use mooring_command_line as args;
use mooring_connect::{ConnectedServer, Session, Verb, Visit, take_none, with_connection};
use mooring_connections::Permit;
use mooring_faults::{Exit, Fault};
use mooring_terminal::input;
use mooring_terminal::output::{Output, TextStyle};
use mooring_typed::Place;
use mooring_visits::Server;
use serde::Serialize;
use tokio::task::JoinSet;

/// Calls that are made first and not counted. Short runs make fewer.
const WARM_UP: u64 = 200;
/// Number of calls between two updates of the progress bar.
const PROGRESS_STEP: u64 = 64;

/// The result of `--json`.
#[derive(Debug, Serialize)]
struct BenchResult {
    calls: u64,
    errors: u64,
    p50_us: u64,
    p99_us: u64,
    rps: f64,
    cpu_us_per_call: Option<f64>,
    rss_kb: Option<u64>,
}

const VERB: Verb = Verb::of("bench");

/// Runs `mooring bench`.
pub async fn run(session: &Session, args: args::Bench) -> Result<Exit, Fault> {
    let given = session.interrupt.guard(input::read_words(&[args.args])).await??;
    let arguments = given.into_object(None)?;
    let (calls, concurrency) = (args.calls, u64::from(args.concurrency));
    // Through a Mooring that already runs, the time to reach it would be measured too.
    let visit = Visit { journal: !args.no_journal, alone: true, ..Visit::new(VERB) };
    let read = async |_: &Place, words: Vec<String>| Ok(take_none(VERB, &words)?.into());
    with_connection(session, args.target, visit, read, async |visit: ConnectedServer<'_>, ()| {
        let output = visit.session.output;
        let warm_up = WARM_UP.min(calls / 10);
        let call = input::call(args.tool.clone(), arguments, visit.timeout);
        let Server::Own { connection, .. } = &visit.server else { return Err(Fault::usage("use --alone")) };
        let permit = Arc::new(connection.permit(call, 1 + warm_up + calls).await?);
        // If the call always fails, there is nothing to measure.
        let first = permit.call_without_progress().await?;
        if let Some(error) = first.error {
            return visit.report_failure(&error.into(), None, first.elapsed);
        }
        if first.status != CallStatus::Ok {
            return visit.report_failure(&Fault::tool_error(), None, first.elapsed);
        }
        measure(&permit, warm_up, concurrency, &ProgressBar::hidden()).await?;
        let bar = output.bar(calls);
        let (measured, exit) = measure(&permit, calls, concurrency, &bar).await?;
        bar.finish_and_clear();
        exit.after_printing(if output.json {
            output.result(&measured).map_err(Fault::from)
        } else {
            print(output, &measured, concurrency)
        })
    })
    .await
}

async fn measure(
    permit: &Arc<Permit>,
    calls: u64,
    concurrency: u64,
    bar: &ProgressBar,
) -> Result<(BenchResult, Exit), Fault> {
    let cpu = cpu_time();
    let started = Instant::now();
    let left = Arc::new(AtomicU64::new(calls));
    // Each caller is a task of its own, as for calls from the window. Calls from the main thread would have
    // to wait until that thread is woken.
    let mut callers = JoinSet::new();
    for _ in 0..concurrency.min(calls) {
        callers.spawn(run_caller(Arc::clone(permit), Arc::clone(&left), bar.clone()));
    }
    let (mut errors, mut exit) = (0, None);
    let mut latencies = Vec::with_capacity(usize::try_from(calls).unwrap_or_default());
    while let Some(made) = callers.join_next().await {
        let made = made.map_err(anyhow::Error::from)??;
        errors += made.errors;
        exit = exit.or(made.exit);
        latencies.extend(made.latencies);
    }
    let elapsed = started.elapsed();
    let cpu = cpu.zip(cpu_time()).map(|(before, after)| after.saturating_sub(before));
    latencies.sort_unstable();
    #[expect(clippy::cast_precision_loss, reason = "a number of calls")]
    let count = calls.max(1) as f64;
    let measured = BenchResult {
        calls,
        errors,
        p50_us: percentile(&latencies, 50),
        p99_us: percentile(&latencies, 99),
        rps: round_to_hundredths(count / elapsed.as_secs_f64().max(1e-9)),
        cpu_us_per_call: cpu.map(|cpu| round_to_hundredths(cpu.as_secs_f64() * 1e6 / count)),
        rss_kb: resident_kb(),
    };
    Ok((measured, exit.unwrap_or(Exit::Ok)))
}

/// The figures of one concurrent caller.
#[derive(Default)]
struct CallerResult {
    errors: u64,
    /// Exit code of the first failed call.
    exit: Option<Exit>,
    latencies: Vec<u32>,
}

/// Makes one call after another while there are some `left`.
async fn run_caller(
    permit: Arc<Permit>,
    left: Arc<AtomicU64>,
    bar: ProgressBar,
) -> Result<CallerResult, Fault> {
    let mut made = CallerResult::default();
    let one_less = |left: u64| left.checked_sub(1);
    while let Ok(left) = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less) {
        let started = Instant::now();
        let outcome = permit.call_without_progress().await?;
        if outcome.status != CallStatus::Ok {
            made.errors += 1;
            let exit = outcome.error.map_or(Exit::ToolError, |error| Fault::from(error).exit);
            made.exit.get_or_insert(exit);
        }
        made.latencies.push(u32::try_from(started.elapsed().as_micros()).unwrap_or(u32::MAX));
        if left.is_multiple_of(PROGRESS_STEP) {
            bar.inc(PROGRESS_STEP);
        }
    }
    Ok(made)
}

fn percentile(sorted: &[u32], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(rank).copied().unwrap_or_default().into()
}

fn round_to_hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// The processor time that this process has used so far.
fn cpu_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
    }
    #[cfg(not(unix))]
    None
}

/// The largest resident memory of this process in KiB, if `/proc` has it.
fn resident_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn print(output: Output, measured: &BenchResult, concurrency: u64) -> Result<(), Fault> {
    let field = |label: &str, value: String| {
        output.line(&format!("  {} {value}", output.tone(TextStyle::Quiet, &format!("{label:<12}"))))
    };
    output.line(&format!("{} calls, {concurrency} at a time", measured.calls))?;
    field("Errors", measured.errors.to_string())?;
    field("Median", format!("{} µs", measured.p50_us))?;
    field("99 %", format!("{} µs", measured.p99_us))?;
    field("Rate", format!("{:.0} calls/s", measured.rps))?;
    if let Some(cpu) = measured.cpu_us_per_call {
        field("Processor", format!("{cpu} µs per call"))?;
    }
    if let Some(memory) = measured.rss_kb {
        field("Memory", format!("{memory} KiB"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let values: Vec<u32> = (1..=100).collect();
        assert_eq!((percentile(&values, 50), percentile(&values, 99)), (50, 99));
        assert_eq!((percentile(&[7], 99), percentile(&[], 50)), (7, 0));
    }
}
