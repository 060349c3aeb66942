//! When a server that starts on first use falls asleep.

use std::future::pending;
use std::time::Duration;

use mooring_settings::Settings;
use tokio::sync::watch;

use super::lists::ListKind;
use super::shared::SharedState;
use super::{Handle, LiveConnection};

/// How long to wait before a connection that something keeps awake is considered again.
const LOOK_AGAIN: Duration = Duration::from_mins(1);
/// How long a server that the profiles in use leave out stays connected after a use.
const LEFT_AFTER: Duration = Duration::from_secs(2);

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
    let is_left = shared.call_defaults().is_left;
    loop {
        let sleep_after = settings.borrow_and_update().sleep_after();
        let limit = if is_left { sleep_after.min(LEFT_AFTER) } else { sleep_after };
        let left = shared.usage.time_left(limit);
        if !left.is_zero() {
            // A changed setting counts at once. If no more changes can come, the time decides.
            let _changed = tokio::time::timeout(left, settings.changed()).await;
            continue;
        }
        let is_listed = is_left
            || are_lists_read
                && ListKind::ALL
                    .into_iter()
                    .all(|kind| !kind.is_offered(link.client.handshake()) || shared.lists.is_current(kind));
        if is_listed && !is_needed(shared, link) && shared.usage.try_to_close(limit) {
            return;
        }
        tokio::time::sleep(LOOK_AGAIN.min(limit)).await;
    }
}

/// Whether something needs the connection although no request runs.
fn is_needed(shared: &SharedState, link: &LiveConnection) -> bool {
    // A resource of a server that is left out is followed again when the server starts.
    let is_followed = !shared.call_defaults().is_left && !shared.subscriptions.uris().is_empty();
    is_followed
        || shared.responder.is_waiting()
        || link.client.tasks().iter().any(|task| !task.status.is_over())
}

impl Handle {
    /// Lets the server sleep now. Returns false if it is used, or if it does not start on first use.
    pub(crate) fn let_sleep(&self) -> bool {
        let Ok(link) = self.link() else { return self.is_asleep() };
        let may_close = self.may_sleep()
            && !is_needed(&self.shared, &link)
            && self.shared.usage.try_to_close(Duration::ZERO);
        if may_close {
            self.commands.rest();
        }
        may_close
    }
}
