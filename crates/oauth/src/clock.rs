//! The current time, from a clock that tests can replace.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Source of the current time: the system's clock, or a test's.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    /// The system's.
    pub fn system() -> Self {
        Self::new(SystemTime::now)
    }

    /// One that says what the function says.
    pub fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The time.
    pub fn now(&self) -> SystemTime {
        (self.0)()
    }

    /// Whole seconds since 1970, as tokens count.
    pub(crate) fn seconds(&self) -> u64 {
        self.now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
