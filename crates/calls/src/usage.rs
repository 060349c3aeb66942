//! Whether a connection is in use. A server that starts on first use sleeps when it is not.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The uses of a connection.
#[derive(Debug, Clone)]
pub struct Usage(Arc<Mutex<Uses>>);

#[derive(Debug)]
struct Uses {
    /// How many requests use the connection.
    running: usize,
    last: Instant,
    /// Whether the connection is being closed because it is not used.
    is_closing: bool,
}

/// A use of a connection, until this is dropped.
pub struct UseGuard(Usage);

impl Default for Usage {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Uses { running: 0, last: Instant::now(), is_closing: false })))
    }
}

impl Usage {
    fn lock_uses(&self) -> MutexGuard<'_, Uses> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a use.
    pub fn begin(&self) -> UseGuard {
        self.lock_uses().running += 1;
        UseGuard(self.clone())
    }

    /// Counts the time without a use from now on.
    pub fn mark_used(&self) {
        self.lock_uses().last = Instant::now();
    }

    /// How long to wait until the connection has been unused for `limit`. While it is used, that is `limit`.
    pub fn time_left(&self, limit: Duration) -> Duration {
        let uses = self.lock_uses();
        if uses.running > 0 { limit } else { limit.saturating_sub(uses.last.elapsed()) }
    }

    /// Decides to close the connection if it has been unused for `limit`. Requests that come later wait until
    /// it is closed, and start it again.
    pub fn try_to_close(&self, limit: Duration) -> bool {
        let mut uses = self.lock_uses();
        uses.is_closing = uses.running == 0 && uses.last.elapsed() >= limit;
        uses.is_closing
    }

    /// Whether the connection is being closed because it is not used.
    pub fn is_closing(&self) -> bool {
        self.lock_uses().is_closing
    }

    /// The connection is closed.
    pub fn mark_closed(&self) {
        self.lock_uses().is_closing = false;
    }
}

impl Drop for UseGuard {
    fn drop(&mut self) {
        let mut uses = self.0.lock_uses();
        uses.running -= 1;
        uses.last = Instant::now();
    }
}
