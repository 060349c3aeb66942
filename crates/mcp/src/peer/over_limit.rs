//! Questions over the limit, refused once the outbox has room. Until then, only their ids are stored.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

/// The most ids that are stored. Further questions get no response.
const MOST: usize = 32_768;
/// The longest id that is stored, in bytes.
const LONGEST: usize = 128;

/// The ids of one server's questions over the limit.
#[derive(Debug, Default)]
pub(crate) struct OverLimit {
    ids: Mutex<VecDeque<(Arc<str>, &'static str)>>,
    pub(crate) more: Notify,
}

impl OverLimit {
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
