//! What the maker of a call can see of it while it runs: which request carries it, and how long it has waited for
//! answers to the server's questions. That time is the person's, not the server's.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Follows one call, whatever becomes of it.
#[derive(Debug, Default)]
pub struct CallTrace {
    /// The number of the newest request; 0: none was sent yet.
    request: AtomicU64,
    waits: Mutex<Waits>,
}

#[derive(Debug, Default)]
struct Waits {
    /// How many questions are open, and since when at least one is.
    open: u32,
    since: Option<Instant>,
    /// How long questions were open before.
    past: Duration,
}

impl CallTrace {
    /// The id of the newest request that was sent for the call.
    pub fn request(&self) -> Option<u64> {
        Some(self.request.load(Ordering::Relaxed)).filter(|id| *id > 0)
    }

    /// How long the call has waited for answers to questions so far.
    pub fn waited(&self) -> Duration {
        let waits = self.waits();
        waits.past + waits.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    pub(crate) fn set_request(&self, id: u64) {
        self.request.store(id, Ordering::Relaxed);
    }

    /// A question of the call is open until the guard is dropped.
    pub(crate) fn open_question(self: &Arc<Self>) -> OpenQuestion {
        let mut waits = self.waits();
        waits.open += 1;
        waits.since.get_or_insert_with(Instant::now);
        drop(waits);
        OpenQuestion(Arc::clone(self))
    }

    fn waits(&self) -> MutexGuard<'_, Waits> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that its call waits for.
#[derive(Debug)]
pub(crate) struct OpenQuestion(Arc<CallTrace>);

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        let mut waits = self.0.waits();
        waits.open = waits.open.saturating_sub(1);
        if waits.open == 0
            && let Some(since) = waits.since.take()
        {
            waits.past += since.elapsed();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waiting_is_counted_once_however_many_questions_are_open() {
        let trace = Arc::new(CallTrace::default());
        let second = Duration::from_secs(1);
        let pass = || tokio::time::advance(second);
        pass().await;
        assert_eq!(trace.waited(), Duration::ZERO);
        let first = trace.open_question();
        pass().await;
        let other = trace.open_question();
        pass().await;
        assert_eq!(trace.waited(), 2 * second);
        drop(first);
        pass().await;
        drop(other);
        pass().await;
        assert_eq!(trace.waited(), 3 * second);
        let _again = trace.open_question();
        pass().await;
        assert_eq!(trace.waited(), 4 * second);
    }
}
