//! URLs that are being opened.

use std::sync::{Mutex, PoisonError};

use tokio::task::{AbortHandle, JoinSet};

/// A URL that is being opened. Dropping it aborts the task, so that a browser that never answers takes no
/// place.
pub(crate) struct UrlOpening(pub(crate) AbortHandle);

impl Drop for UrlOpening {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The tasks that open URLs.
#[derive(Default)]
pub(crate) struct UrlOpenings(pub(crate) Mutex<JoinSet<()>>);

impl UrlOpenings {
    /// Aborts all of them.
    pub(crate) fn abort_all(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
    }
}
