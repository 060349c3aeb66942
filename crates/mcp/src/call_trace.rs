//! What a caller can observe of its running call: its current request, and how long it has waited for answers
//! to the server's questions. That time is the person's, not the server's.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Follows one call.
#[derive(Debug, Default)]
pub struct CallTrace {
    /// Number of the newest request; 0 if none was sent yet.
    request: AtomicU64,
    waits: Mutex<Waits>,
}

#[derive(Debug, Default)]
struct Waits {
    /// Number of open questions, and since when at least one is open.
    open: u32,
    since: Option<Instant>,
    /// How long questions were open before.
    past: Duration,
}

impl Waits {
    fn open(&mut self, now: Instant) {
        self.open += 1;
        self.since.get_or_insert(now);
    }

    fn close(&mut self, now: Instant) {
        self.open = self.open.saturating_sub(1);
        if self.open == 0
            && let Some(since) = self.since.take()
        {
            self.past += now.saturating_duration_since(since);
        }
    }

    fn total(&self, now: Instant) -> Duration {
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
        self.waits().total(Instant::now())
    }

    pub(crate) fn set_request(&self, id: u64) {
        self.request.store(id, Ordering::Relaxed);
    }

    /// Marks a question of the call as open until the guard is dropped.
    pub(crate) fn open_question(self: &Arc<Self>) -> OpenQuestion {
        self.waits().open(Instant::now());
        OpenQuestion(Arc::clone(self))
    }

    fn waits(&self) -> MutexGuard<'_, Waits> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An open question for which its call waits.
#[derive(Debug)]
pub(crate) struct OpenQuestion(Arc<CallTrace>);

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.0.waits().close(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_is_counted_once_however_many_questions_are_open() {
        let (mut waits, start) = (Waits::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        let total = |waits: &Waits, seconds| waits.total(at(seconds)).as_secs();
        assert_eq!(total(&waits, 1), 0);
        waits.open(at(1));
        waits.open(at(2));
        assert_eq!(total(&waits, 3), 2);
        waits.close(at(3));
        waits.close(at(4));
        assert_eq!(total(&waits, 5), 3);
        waits.open(at(5));
        assert_eq!(total(&waits, 6), 4);
    }
}
