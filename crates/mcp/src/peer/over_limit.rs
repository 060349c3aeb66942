//! Questions over the limit. Each is answered with a refusal as soon as the outbox has room; only its id is kept.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

/// How many ids wait at most; those beyond get no answer.
const MOST: usize = 32_768;
/// Bytes of an id that waits.
const LONGEST: usize = 128;

/// The ids of the questions of one server that are more than is held.
#[derive(Debug, Default)]
pub(crate) struct OverLimit {
    ids: Mutex<VecDeque<(Arc<str>, &'static str)>>,
    pub(crate) more: Notify,
}

impl OverLimit {
    /// Takes one more, which asks with `method`.
    pub(crate) fn add(&self, id: &Arc<str>, method: &'static str) {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        if ids.len() < MOST && id.len() <= LONGEST {
            ids.push_back((Arc::clone(id), method));
            drop(ids);
            self.more.notify_one();
        } else {
            tracing::debug!("a question was left without an answer because too many are");
        }
    }

    pub(crate) fn next(&self) -> Option<(Arc<str>, &'static str)> {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        let next = ids.pop_front();
        if ids.is_empty() {
            ids.shrink_to(0);
        }
        next
    }
}
