//! How much of the log is kept: a size limit and an age limit. Both can change while the writer runs.

use mooring_base::clock::Clock;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

/// Interval between checks for old rows, in microseconds.
const AGE_CHECK_INTERVAL_US: i64 = 60 * 60 * 1_000_000;
/// No age limit: rows are only removed when the log is too large.
const FOREVER: i64 = i64::MAX;

/// The limits of the log.
#[derive(Debug)]
pub struct Retention {
    bytes: AtomicU64,
    age_us: AtomicI64,
    changed: Notify,
}

impl Retention {
    /// Keeps at most `bytes` bytes, and rows up to the age `age`. `None` means no age limit.
    pub fn new(bytes: u64, age: Option<Duration>) -> Self {
        let age_us = AtomicI64::new(age_in_micros(age));
        Self { bytes: AtomicU64::new(bytes), age_us, changed: Notify::new() }
    }

    /// The size limit in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Changes the size limit.
    pub fn set_bytes(&self, bytes: u64) {
        self.bytes.store(bytes, Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// Changes the age limit.
    pub fn set_age(&self, age: Option<Duration>) {
        self.age_us.store(age_in_micros(age), Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// Waits until a limit is changed. Only for the writer.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    fn age_us(&self) -> i64 {
        self.age_us.load(Ordering::Relaxed)
    }
}

fn age_in_micros(age: Option<Duration>) -> i64 {
    age.map_or(FOREVER, |age| i64::try_from(age.as_micros()).unwrap_or(FOREVER))
}

/// Finds out from time to time which rows are too old.
#[derive(Debug)]
pub struct AgeCheck {
    clock: Clock,
    /// The age limit of the last check, and the time of the next check in microseconds since the Unix epoch.
    checked: Option<(i64, i64)>,
}

impl AgeCheck {
    /// Creates a check that uses this clock.
    pub fn new(clock: Clock) -> Self {
        Self { clock, checked: None }
    }

    /// Whether there was a check yet.
    pub fn has_checked(&self) -> bool {
        self.checked.is_some()
    }

    /// If a check is due, sets `too_old_before` to the time before which rows are too old, in microseconds
    /// since the Unix epoch, or to `None` without an age limit.
    pub fn look(&mut self, retention: &Retention, too_old_before: &mut Option<i64>) {
        let (now_us, age_us) = (self.clock.now().wall_ms.saturating_mul(1_000), retention.age_us());
        if self.checked.is_some_and(|(age, next_us)| age == age_us && now_us < next_us) {
            return;
        }
        self.checked = Some((age_us, now_us.saturating_add(AGE_CHECK_INTERVAL_US)));
        *too_old_before = (age_us != FOREVER).then(|| now_us.saturating_sub(age_us));
    }
}
