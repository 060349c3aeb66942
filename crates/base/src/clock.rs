//! What time it is.

use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Now, in microseconds since the Unix epoch, by a clock that only goes forward while this process runs: as fast as time
/// passes, however the system's clock is set back. What counts for a time is over by this one.
pub fn forward_us() -> i64 {
    static LAST: Mutex<Option<(i64, Instant)>> = Mutex::new(None);
    forward(&mut LAST.lock().unwrap_or_else(PoisonError::into_inner), now_us(), Instant::now())
}

fn forward(last: &mut Option<(i64, Instant)>, wall_us: i64, at: Instant) -> i64 {
    let passed = |(us, before): (i64, Instant)| {
        us.saturating_add(i64::try_from(at.saturating_duration_since(before).as_micros()).unwrap_or(i64::MAX))
    };
    let now = last.map_or(wall_us, |last| wall_us.max(passed(last)));
    *last = Some((now, at));
    now
}

/// Now, in microseconds since the Unix epoch.
pub fn now_us() -> i64 {
    micros(SystemTime::now())
}

/// Now, in milliseconds since the Unix epoch, by a clock that is not set back: for what counts for a time.
pub fn forward_ms() -> i64 {
    forward_us() / 1_000
}

/// Now, in milliseconds since the Unix epoch.
pub fn now_ms() -> i64 {
    now_us() / 1_000
}

/// Microseconds since the Unix epoch.
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
        assert_eq!(forward(&mut last, HOUR_US, after(0)), HOUR_US);
        // An hour back: time goes on.
        assert_eq!(forward(&mut last, 0, after(30)), HOUR_US + HOUR_US / 2);
        // Ahead: over at once, and it stays so when that is put right.
        assert_eq!(forward(&mut last, 5 * HOUR_US, after(30)), 5 * HOUR_US);
        assert_eq!(forward(&mut last, 2 * HOUR_US, after(60)), 5 * HOUR_US + HOUR_US / 2);
    }
}
