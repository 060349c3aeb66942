//! Prints how long the start took, if `MOORING_TIMINGS=1`.

use std::io::Write as _;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// When `main` began. Used on systems that don't report when the process began.
static MAIN_START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Records when `main` began.
pub(crate) fn mark_start() {
    LazyLock::force(&MAIN_START);
    report("main", Duration::ZERO);
}

/// Prints the time from the start of the process to a step, if enabled. `ago` is the time since the step.
pub(crate) fn report(step: &str, ago: Duration) {
    if std::env::var_os("MOORING_TIMINGS").is_none_or(|value| value != "1") {
        return;
    }
    let age = since_process_start().unwrap_or_else(|| MAIN_START.elapsed());
    // There is nothing to do if standard error is closed.
    let _ = writeln!(std::io::stderr(), "mooring: {step} {} ms", age.saturating_sub(ago).as_millis());
}

/// The age of the process. The system reports its start in hundredths of a second.
#[cfg(target_os = "linux")]
fn since_process_start() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    let now = clock_gettime(ClockId::Boottime);
    let now = Duration::new(now.tv_sec.try_into().ok()?, now.tv_nsec.try_into().ok()?);
    age(&std::fs::read_to_string("/proc/self/stat").ok()?, now)
}

/// Other systems have no `/proc/self/stat`.
#[cfg(not(target_os = "linux"))]
fn since_process_start() -> Option<Duration> {
    None
}

/// Computes the age from the text of `/proc/self/stat` and the time since boot.
#[cfg(target_os = "linux")]
fn age(stat: &str, now: Duration) -> Option<Duration> {
    // The second field is the program's name in parentheses and may contain anything; the start is
    // the 22nd, in hundredths of a second on every architecture (`USER_HZ`).
    let (_, after_name) = stat.rsplit_once(')')?;
    let started: u64 = after_name.split_whitespace().nth(19)?.parse().ok()?;
    now.checked_sub(Duration::from_millis(started.checked_mul(10)?))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn age_is_parsed_past_spaces_and_parentheses_in_the_name() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 12345 0 0";
        assert_eq!(age(stat, Duration::from_millis(124_457)), Some(Duration::from_millis(1_007)));
    }

    #[test]
    fn this_process_is_young() {
        assert!(since_process_start().unwrap() < Duration::from_hours(1));
    }
}
