//! Subscriptions that apps have ended, until the gateway has unsubscribed at their servers.

use std::sync::Mutex;
use std::time::Duration;

use mooring_calls::Follower;
use mooring_host::Host;
use mooring_instances::InstanceId;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::locked::locked;

/// How long `resources/unsubscribe` may take.
const UNSUBSCRIBE_TIMEOUT: Duration = Duration::from_secs(30);

/// A resource of an instance, by the server's own URI.
pub(crate) type Own = (InstanceId, String);

/// Ended subscriptions at whose servers the gateway still has to unsubscribe.
#[derive(Default)]
pub(crate) struct LeftResources {
    left: Mutex<Vec<(Own, Follower)>>,
    changed: Notify,
}

impl LeftResources {
    pub(crate) fn add(&self, left: impl Iterator<Item = (Own, Follower)>) {
        locked(&self.left).extend(left);
        self.changed.notify_one();
    }

    /// Unsubscribes from these resources at their servers, and never returns. A server that doesn't answer
    /// doesn't delay the others.
    pub(crate) async fn unsubscribe_all(&self, host: &Host) {
        let mut ending = JoinSet::new();
        loop {
            let changed = self.changed.notified();
            for ((at, uri), follower) in std::mem::take(&mut *locked(&self.left)) {
                let host = host.clone();
                ending.spawn(async move {
                    let ended = host.unsubscribe(at, &uri, follower);
                    if let Ok(Err(error)) = tokio::time::timeout(UNSUBSCRIBE_TIMEOUT, ended).await {
                        tracing::debug!(%error, "a server may still tell of a resource that an app followed");
                    }
                });
            }
            tokio::select! {
                () = changed => {}
                Some(_) = ending.join_next() => {}
            }
        }
    }
}
