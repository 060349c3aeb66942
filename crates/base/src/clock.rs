//! The current time, from clocks that tests can replace.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Source of the current time: the system's clocks, or a function of a test.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Moment + Send + Sync>);

/// One moment, as a monotonic instant and as calendar time in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// For measuring durations.
    pub instant: Instant,
    /// Milliseconds since the Unix epoch, as [`monotonic_ms`] returns them.
    pub wall_ms: i64,
}

impl Clock {
    /// A clock that reads the system's clocks.
    pub fn system() -> Self {
        Self::new(|| Moment { instant: Instant::now(), wall_ms: monotonic_ms() })
    }

    /// A clock that calls a function for the time.
    pub fn new(now: impl Fn() -> Moment + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The current moment.
    pub fn now(&self) -> Moment {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// The current time in microseconds since the Unix epoch. It never goes back while this process runs, and
/// advances with real time even if the system's clock is set back. Use it for anything that expires.
pub fn monotonic_us() -> i64 {
    static LAST: Mutex<Option<(i64, Instant)>> = Mutex::new(None);
    advance(&mut LAST.lock().unwrap_or_else(PoisonError::into_inner), now_us(), Instant::now())
}

fn advance(last: &mut Option<(i64, Instant)>, wall_us: i64, at: Instant) -> i64 {
    let passed = |(us, before): (i64, Instant)| {
        us.saturating_add(i64::try_from(at.saturating_duration_since(before).as_micros()).unwrap_or(i64::MAX))
    };
    let now = last.map_or(wall_us, |last| wall_us.max(passed(last)));
    *last = Some((now, at));
    now
}

/// The system's time in microseconds since the Unix epoch.
pub fn now_us() -> i64 {
    micros(SystemTime::now())
}

/// The current time in milliseconds since the Unix epoch, from a clock that never goes back. Use it for
/// anything that expires.
pub fn monotonic_ms() -> i64 {
    monotonic_us() / 1_000
}

/// The system's time in milliseconds since the Unix epoch.
pub fn now_ms() -> i64 {
    now_us() / 1_000
}

/// Converts a time to microseconds since the Unix epoch. Earlier times become 0.
pub fn micros(at: SystemTime) -> i64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_clock_that_is_set_back_prolongs_nothing() {
        const HOUR_US: i64 = 3_600_000_000;
        let (mut last, start) = (None, Instant::now());
        let after = |minutes: u64| start + Duration::from_secs(60 * minutes);
        assert_eq!(advance(&mut last, HOUR_US, after(0)), HOUR_US);
        // The clock is set back an hour: time continues.
        assert_eq!(advance(&mut last, 0, after(30)), HOUR_US + HOUR_US / 2);
        // The clock is set ahead: time jumps with it, and stays there when the clock is corrected.
        assert_eq!(advance(&mut last, 5 * HOUR_US, after(30)), 5 * HOUR_US);
        assert_eq!(advance(&mut last, 2 * HOUR_US, after(60)), 5 * HOUR_US + HOUR_US / 2);
    }
}
