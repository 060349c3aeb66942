//! The current time, from a clock that tests can replace.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The source of the current time. This is the system's clock, or a test's clock.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    /// The system's clock.
    pub fn system() -> Self {
        Self::new(SystemTime::now)
    }

    /// A clock with the time that `now` returns.
    pub fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The current time.
    pub fn now(&self) -> SystemTime {
        (self.0)()
    }

    /// Whole seconds since 1970, as in tokens.
    pub(crate) fn seconds_since_epoch(&self) -> u64 {
        self.now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
