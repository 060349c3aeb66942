//! The clock of a test's hosts. It only advances when the test says so.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_base::clock::{Clock, Moment};

thread_local! {
    /// Each test runs on its own thread.
    static NOW: Arc<Mutex<Moment>> = Arc::new(Mutex::new(Clock::system().now()));
}

/// The clock of the current test.
pub(crate) fn test_clock() -> Clock {
    let now = NOW.with(Arc::clone);
    Clock::new(move || *now.lock().unwrap())
}

/// Advances the clock of the current test.
pub(crate) fn advance(time: Duration) {
    NOW.with(|now| {
        let mut now = now.lock().unwrap();
        now.instant += time;
        now.wall_ms += i64::try_from(time.as_millis()).unwrap();
    });
}
