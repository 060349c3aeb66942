//! How long the start took, for `MOORING_TIMINGS=1`.

use std::io::Write as _;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::dto::PaintPhase;

/// The first moment of `main`, where the system does not tell when the process began.
static MAIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Marks the first moment of `main`.
pub(crate) fn mark_start() {
    LazyLock::force(&MAIN);
}

/// Prints how long after the start of the process a phase was reached, if that is asked for.
pub(crate) fn report(phase: PaintPhase) {
    if std::env::var_os("MOORING_TIMINGS").is_none_or(|value| value != "1") {
        return;
    }
    let name = match phase {
        PaintPhase::Paint => "first paint",
        PaintPhase::Interactive => "interactive",
    };
    let elapsed = since_process_start().unwrap_or_else(|| MAIN.elapsed());
    // Nobody to tell when standard error is closed.
    let _ = writeln!(std::io::stderr(), "mooring: {name} {} ms", elapsed.as_millis());
}

/// The process's age, to 10 ms.
#[cfg(target_os = "linux")]
fn since_process_start() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let uptime = std::fs::read_to_string("/proc/uptime").ok()?;
    age(&stat, &uptime)
}

/// Elsewhere there is no such file.
#[cfg(not(target_os = "linux"))]
fn since_process_start() -> Option<Duration> {
    None
}

/// The age from the texts of `/proc/self/stat` and `/proc/uptime`, both of which count from boot.
#[cfg(target_os = "linux")]
fn age(stat: &str, uptime: &str) -> Option<Duration> {
    // The second field is the program's name in parentheses and may contain anything; the start is
    // the 22nd, in hundredths of a second on every architecture (`USER_HZ`).
    let (_, after_name) = stat.rsplit_once(')')?;
    let started: u64 = after_name.split_whitespace().nth(19)?.parse().ok()?;
    let uptime: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    Duration::try_from_secs_f64(uptime).ok()?.checked_sub(Duration::from_millis(started.checked_mul(10)?))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_age_is_read_past_a_program_name_with_spaces_and_parentheses() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 12345 0 0";
        assert_eq!(age(stat, "124.45 1.00\n"), Some(Duration::from_secs(1)));
    }

    #[test]
    fn this_process_is_young() {
        assert!(since_process_start().unwrap() < Duration::from_hours(1));
    }
}
