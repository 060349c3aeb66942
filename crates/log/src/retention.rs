//! How much of the log stays: up to a size, and up to an age. Both can change while the writer runs.

use mooring_base::clock::Clock;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// How often it is looked whether rows have become too old, in microseconds.
const AGE_CHECK_INTERVAL_US: i64 = 60 * 60 * 1_000_000;
/// No age: rows stay until the log is too large.
const FOREVER: i64 = i64::MAX;

/// What the log may hold.
#[derive(Debug)]
pub struct Retention {
    bytes: AtomicU64,
    age_us: AtomicI64,
}

impl Retention {
    /// Up to so many bytes and this age; none: rows stay until the log is too large.
    pub fn new(bytes: u64, age: Option<Duration>) -> Self {
        let retention = Self { bytes: AtomicU64::new(bytes), age_us: AtomicI64::new(FOREVER) };
        retention.set_age(age);
        retention
    }

    /// What the log may hold, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Changes how much.
    pub fn set_bytes(&self, bytes: u64) {
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    /// Changes the age.
    pub fn set_age(&self, age: Option<Duration>) {
        let micros = age.map_or(FOREVER, |age| i64::try_from(age.as_micros()).unwrap_or(FOREVER));
        self.age_us.store(micros, Ordering::Relaxed);
    }

    fn age_us(&self) -> i64 {
        self.age_us.load(Ordering::Relaxed)
    }
}

/// Says when rows have become too old.
#[derive(Debug)]
pub struct AgeCheck {
    clock: Clock,
    /// The age that was looked for last, and when that is to be done again.
    checked: Option<(i64, i64)>,
}

impl AgeCheck {
    /// One that looks at this clock.
    pub fn new(clock: Clock) -> Self {
        Self { clock, checked: None }
    }

    /// If it is time to look, writes down rows from before which time are too old, in microseconds since the Unix epoch,
    /// if any are.
    pub fn look(&mut self, retention: &Retention, too_old_before: &mut Option<i64>) {
        let (now_us, age_us) = (self.clock.now().wall_ms.saturating_mul(1_000), retention.age_us());
        if self.checked.is_some_and(|(age, next_us)| age == age_us && now_us < next_us) {
            return;
        }
        self.checked = Some((age_us, now_us.saturating_add(AGE_CHECK_INTERVAL_US)));
        *too_old_before = (age_us != FOREVER).then(|| now_us.saturating_sub(age_us));
    }
}
