//! The running calls by the names that their views chose, so that they can be cancelled.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// All running calls.
#[derive(Default)]
pub(crate) struct RunningCalls {
    running: Mutex<HashMap<String, CancellationToken>>,
    one_ended: Notify,
}

impl RunningCalls {
    /// Adds a call. Returns `None` if a call with this name is already running.
    pub(crate) fn register(&self, id: String) -> Option<RunningCall<'_>> {
        let token = CancellationToken::new();
        match self.lock().entry(id.clone()) {
            Entry::Occupied(_) => return None,
            Entry::Vacant(entry) => entry.insert(token.clone()),
        };
        Some(RunningCall { calls: self, id, token })
    }

    /// Cancels a call. Returns false if no call has this name.
    pub(crate) fn cancel(&self, id: &str) -> bool {
        self.lock().get(id).inspect(|token| token.cancel()).is_some()
    }

    /// Cancels every call.
    pub(crate) fn cancel_all(&self) {
        self.lock().values().for_each(CancellationToken::cancel);
    }

    /// Resolves when no call is running.
    pub(crate) async fn all_ended(&self) {
        loop {
            let one_ended = self.one_ended.notified();
            if self.lock().is_empty() {
                return;
            }
            one_ended.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, CancellationToken>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running call. Dropping it removes it from [`RunningCalls`].
pub(crate) struct RunningCall<'a> {
    calls: &'a RunningCalls,
    id: String,
    token: CancellationToken,
}

impl RunningCall<'_> {
    /// Resolves when the call is cancelled.
    pub(crate) async fn cancelled(&self) {
        self.token.cancelled().await;
    }
}

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        self.calls.lock().remove(&self.id);
        self.calls.one_ended.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_call_can_be_cancelled_and_frees_its_name() {
        let calls = RunningCalls::default();
        let running = calls.register("a".to_owned()).unwrap();
        assert!(calls.register("a".to_owned()).is_none());
        assert!(!calls.cancel("b"));
        assert!(calls.cancel("a"));
        assert!(running.token.is_cancelled());
        drop(running);
        assert!(!calls.cancel("a"));
        assert!(calls.register("a".to_owned()).is_some());
    }
}
