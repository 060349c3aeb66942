//! Addresses that are being opened.

use std::sync::{Mutex, PoisonError};

use tokio::task::{AbortHandle, JoinSet};

/// An address that is being opened. Dropping it gives that up: a browser that never answers keeps no room.
pub(crate) struct UrlOpening(pub(crate) AbortHandle);

impl Drop for UrlOpening {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Owns what is being opened.
#[derive(Default)]
pub(crate) struct UrlOpenings(pub(crate) Mutex<JoinSet<()>>);

impl UrlOpenings {
    /// Gives up what is being opened.
    pub(crate) fn abort_all(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
    }
}
