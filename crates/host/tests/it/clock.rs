//! The clock of the hosts that a test opens: it stands still until the test moves it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_base::clock::{Clock, Moment};

thread_local! {
    /// Each test has a thread of its own.
    static NOW: Arc<Mutex<Moment>> = Arc::new(Mutex::new(Clock::system().now()));
}

/// The clock of this test.
pub(crate) fn test_clock() -> Clock {
    let now = NOW.with(Arc::clone);
    Clock::new(move || *now.lock().unwrap())
}

/// Has this much time pass.
pub(crate) fn advance(time: Duration) {
    NOW.with(|now| {
        let mut now = now.lock().unwrap();
        now.instant += time;
        now.wall_ms += i64::try_from(time.as_millis()).unwrap();
    });
}
