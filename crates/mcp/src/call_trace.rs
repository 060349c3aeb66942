//! What a caller can observe of its running call: the current request, and how long the call has waited for
//! answers to the server's questions. That time doesn't count as the server's.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Follows one call.
#[derive(Debug, Default)]
pub struct CallTrace {
    /// The number of the newest request, or 0 before the first request.
    request: AtomicU64,
    waits: Mutex<Waits>,
}

#[derive(Debug, Default)]
struct Waits {
    /// The number of open questions, and since when at least one is open.
    open: u32,
    since: Option<Instant>,
    /// How long questions were open before.
    past: Duration,
}

impl Waits {
    fn begin_question(&mut self, now: Instant) {
        self.open += 1;
        self.since.get_or_insert(now);
    }

    fn end_question(&mut self, now: Instant) {
        self.open = self.open.saturating_sub(1);
        if self.open == 0
            && let Some(since) = self.since.take()
        {
            self.past += now.saturating_duration_since(since);
        }
    }

    fn total_duration(&self, now: Instant) -> Duration {
        self.past + self.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since))
    }
}

impl CallTrace {
    /// The id of the newest request that was sent for the call.
    pub fn request(&self) -> Option<u64> {
        Some(self.request.load(Ordering::Relaxed)).filter(|id| *id > 0)
    }

    /// How long the call has waited for answers to questions so far.
    pub fn waited(&self) -> Duration {
        self.lock_waits().total_duration(Instant::now())
    }

    pub(crate) fn set_request(&self, id: u64) {
        self.request.store(id, Ordering::Relaxed);
    }

    /// Marks a question of the call as open until the guard is dropped.
    pub(crate) fn open_question(self: &Arc<Self>) -> OpenQuestion {
        self.lock_waits().begin_question(Instant::now());
        OpenQuestion(Arc::clone(self))
    }

    fn lock_waits(&self) -> MutexGuard<'_, Waits> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An open question for which its call waits.
#[derive(Debug)]
pub(crate) struct OpenQuestion(Arc<CallTrace>);

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.0.lock_waits().end_question(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_is_counted_once_however_many_questions_are_open() {
        let (mut waits, start) = (Waits::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        let total = |waits: &Waits, seconds| waits.total_duration(at(seconds)).as_secs();
        assert_eq!(total(&waits, 1), 0);
        waits.begin_question(at(1));
        waits.begin_question(at(2));
        assert_eq!(total(&waits, 3), 2);
        waits.end_question(at(3));
        waits.end_question(at(4));
        assert_eq!(total(&waits, 5), 3);
        waits.begin_question(at(5));
        assert_eq!(total(&waits, 6), 4);
    }
}
