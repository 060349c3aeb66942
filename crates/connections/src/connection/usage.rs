//! Whether a connection is in use. A server that starts on first use sleeps when it is not.

use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mooring_settings::Settings;
use tokio::sync::watch;
use tokio::time::Instant;

use super::LiveConnection;
use super::lists::ListKind;
use super::shared::SharedState;

/// How long to wait before a connection that something keeps awake is considered again.
const LOOK_AGAIN: Duration = Duration::from_mins(1);

/// The uses of a connection.
#[derive(Debug)]
pub(crate) struct Usage(Mutex<Uses>);

#[derive(Debug)]
struct Uses {
    /// How many requests use the connection.
    running: usize,
    last: Instant,
    /// Whether the connection is being closed because it is not used.
    is_closing: bool,
}

/// A use of a connection, until this is dropped.
pub(crate) struct UseGuard(Arc<SharedState>);

impl Default for Usage {
    fn default() -> Self {
        Self(Mutex::new(Uses { running: 0, last: Instant::now(), is_closing: false }))
    }
}

impl Usage {
    fn lock_uses(&self) -> MutexGuard<'_, Uses> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the time without a use from now on.
    pub(crate) fn mark_used(&self) {
        self.lock_uses().last = Instant::now();
    }

    /// How long to wait until the connection has been unused for `limit`. While it is used, that is `limit`.
    pub(crate) fn time_left(&self, limit: Duration) -> Duration {
        let uses = self.lock_uses();
        if uses.running > 0 { limit } else { limit.saturating_sub(uses.last.elapsed()) }
    }

    /// Decides to close the connection if it has been unused for `limit`. Requests that come later wait until
    /// it is closed, and start it again.
    pub(crate) fn try_to_close(&self, limit: Duration) -> bool {
        let mut uses = self.lock_uses();
        uses.is_closing = uses.running == 0 && uses.last.elapsed() >= limit;
        uses.is_closing
    }

    /// Whether the connection is being closed because it is not used.
    pub(crate) fn is_closing(&self) -> bool {
        self.lock_uses().is_closing
    }

    /// The connection is closed.
    pub(crate) fn mark_closed(&self) {
        self.lock_uses().is_closing = false;
    }
}

impl UseGuard {
    /// Begins a use.
    pub(crate) fn begin(shared: &Arc<SharedState>) -> Self {
        shared.usage.lock_uses().running += 1;
        Self(Arc::clone(shared))
    }
}

impl Drop for UseGuard {
    fn drop(&mut self) {
        let mut uses = self.0.usage.lock_uses();
        uses.running -= 1;
        uses.last = Instant::now();
    }
}

/// Waits until a connection that may sleep has not been used for as long as the settings say, and decides to
/// close it. Followed resources, tasks, open questions and lists that were not read keep it awake.
pub(super) async fn wait_until_unused(
    shared: &SharedState,
    link: &LiveConnection,
    mut settings: watch::Receiver<Settings>,
    are_lists_read: bool,
) {
    if shared.server.is_none() || shared.role.is_trial() || !shared.call_defaults().sleeps {
        return pending().await;
    }
    loop {
        let limit = settings.borrow_and_update().sleep_after();
        let left = shared.usage.time_left(limit);
        if !left.is_zero() {
            // A changed setting counts at once. If no more changes can come, the time decides.
            let _changed = tokio::time::timeout(left, settings.changed()).await;
            continue;
        }
        let is_listed = are_lists_read
            && ListKind::ALL
                .into_iter()
                .all(|kind| !kind.is_offered(link.client.handshake()) || shared.lists.is_current(kind));
        let is_needed = !shared.subscriptions.uris().is_empty()
            || shared.responder.is_waiting()
            || link.client.tasks().iter().any(|task| !task.status.is_over());
        if is_listed && !is_needed && shared.usage.try_to_close(limit) {
            return;
        }
        tokio::time::sleep(LOOK_AGAIN.min(limit)).await;
    }
}
