//! The calls under way, each under the name its view gave it, so that they can be cancelled.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// All calls under way.
#[derive(Default)]
pub(crate) struct Calls {
    running: Mutex<HashMap<String, CancellationToken>>,
    one_ended: Notify,
}

impl Calls {
    /// Enters a call; none when one of that name is under way.
    pub(crate) fn enter(&self, id: String) -> Option<Running<'_>> {
        let token = CancellationToken::new();
        match self.lock().entry(id.clone()) {
            Entry::Occupied(_) => return None,
            Entry::Vacant(entry) => entry.insert(token.clone()),
        };
        Some(Running { calls: self, id, token })
    }

    /// Cancels a call; false when there is none of that name.
    pub(crate) fn cancel(&self, id: &str) -> bool {
        self.lock().get(id).inspect(|token| token.cancel()).is_some()
    }

    /// Cancels every call.
    pub(crate) fn cancel_all(&self) {
        self.lock().values().for_each(CancellationToken::cancel);
    }

    /// Resolves when no call is under way.
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

/// One call; it leaves the list when this is dropped.
pub(crate) struct Running<'a> {
    calls: &'a Calls,
    id: String,
    token: CancellationToken,
}

impl Running<'_> {
    /// Resolves when the call is cancelled.
    pub(crate) async fn cancelled(&self) {
        self.token.cancelled().await;
    }
}

impl Drop for Running<'_> {
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
        let calls = Calls::default();
        let running = calls.enter("a".to_owned()).unwrap();
        assert!(calls.enter("a".to_owned()).is_none());
        assert!(!calls.cancel("b"));
        assert!(calls.cancel("a"));
        assert!(running.token.is_cancelled());
        drop(running);
        assert!(!calls.cancel("a"));
        assert!(calls.enter("a".to_owned()).is_some());
    }
}
