//! Percentiles of the durations of the newest calls. The time that a call waited for a person doesn't count.

use std::collections::VecDeque;
use std::time::Duration;

use mooring_base::view_serde;
use serde::Serialize;
use ts_rs::TS;

/// How many of a server's newest calls are used for its percentiles.
pub const REMEMBERED_CALLS: usize = 512;
/// With fewer calls than this, there are no percentiles.
const FEWEST_CALLS: usize = 5;

/// The durations of the newest calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallTimes {
    /// Number of calls, at least 5.
    pub count: usize,
    /// The median.
    #[serde(rename = "p50Ms", serialize_with = "view_serde::millis")]
    #[ts(type = "number")]
    pub p50: Duration,
    /// The 95th percentile.
    #[serde(rename = "p95Ms", serialize_with = "view_serde::millis")]
    #[ts(type = "number")]
    pub p95: Duration,
}

impl CallTimes {
    /// Computes the percentiles. `None` if there are too few calls.
    pub fn of(mut durations: Vec<Duration>) -> Option<Self> {
        let count = durations.len();
        if count < FEWEST_CALLS {
            return None;
        }
        durations.sort_unstable();
        let percentile =
            |percent: usize| durations.get((count * percent).div_ceil(100).saturating_sub(1)).copied();
        Some(Self { count, p50: percentile(50)?, p95: percentile(95)? })
    }
}

/// Converts a duration of the log, in microseconds.
pub fn duration_of(micros: i64) -> Duration {
    Duration::from_micros(micros.max(0).unsigned_abs())
}

/// Counts the calls of one server that end in this run, and remembers the durations of its newest calls.
#[derive(Debug, Default)]
pub struct CallCounter {
    /// Number of calls that ended in this run.
    ended: u64,
    /// Durations of the newest calls, oldest first.
    latest: VecDeque<Duration>,
}

impl CallCounter {
    /// Adds a call that has just ended.
    pub fn add(&mut self, elapsed: Duration) {
        self.ended += 1;
        self.latest.push_back(elapsed);
        self.drop_oldest();
    }

    /// Adds calls of earlier runs, newest first.
    pub fn add_earlier(&mut self, elapsed: impl IntoIterator<Item = Duration>) {
        for elapsed in elapsed {
            self.latest.push_front(elapsed);
        }
        self.drop_oldest();
    }

    /// Forgets all durations.
    pub fn clear(&mut self) {
        self.latest.clear();
    }

    fn drop_oldest(&mut self) {
        self.latest.drain(..self.latest.len().saturating_sub(REMEMBERED_CALLS));
    }

    /// The number of calls that ended in this run.
    pub fn ended(&self) -> u64 {
        self.ended
    }

    /// The durations of the newest calls, oldest first.
    pub fn latest(&self) -> Vec<Duration> {
        self.latest.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(counter: &CallCounter) -> Option<(usize, u128, u128)> {
        CallTimes::of(counter.latest())
            .map(|times| (times.count, times.p50.as_millis(), times.p95.as_millis()))
    }

    #[test]
    fn percentiles_are_those_of_the_newest_calls() {
        let mut counter = CallCounter::default();
        for millis in 1..=4 {
            counter.add(Duration::from_millis(millis));
        }
        assert_eq!(times(&counter), None, "too few to say anything");
        for millis in 5..=100 {
            counter.add(Duration::from_millis(millis));
        }
        assert_eq!((counter.ended(), times(&counter)), (100, Some((100, 50, 95))));
        for _ in 0..REMEMBERED_CALLS {
            counter.add(Duration::from_millis(7));
        }
        assert_eq!((counter.ended(), times(&counter)), (612, Some((REMEMBERED_CALLS, 7, 7))));
        counter.clear();
        assert_eq!((counter.ended(), times(&counter)), (612, None));
    }

    #[test]
    fn calls_of_an_earlier_run_come_before_those_of_this_one() {
        let mut counter = CallCounter::default();
        counter.add(Duration::from_millis(9));
        counter.add_earlier((1..=4).rev().map(Duration::from_millis));
        assert_eq!(counter.latest(), [1, 2, 3, 4, 9].map(Duration::from_millis));
        assert_eq!((counter.ended(), times(&counter)), (1, Some((5, 3, 9))));
        counter.add_earlier([Duration::from_secs(9); REMEMBERED_CALLS]);
        assert_eq!(times(&counter), Some((REMEMBERED_CALLS, 9_000, 9_000)));
        assert_eq!(counter.latest().last(), Some(&Duration::from_millis(9)), "the oldest are left out");
    }
}
