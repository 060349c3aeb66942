//! The resources that apps follow no longer, until their servers have heard of it.

use std::sync::Mutex;
use std::time::Duration;

use mooring_calls::Follower;
use mooring_host::Host;
use mooring_instances::InstanceId;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::locked::locked;

/// How long a server may take to hear that nobody follows a resource any more.
const UNSUBSCRIBE_TIMEOUT: Duration = Duration::from_secs(30);

/// A resource at an instance of a server, by the server's URI.
pub(crate) type Own = (InstanceId, String);

/// What apps left, until their servers have heard of it.
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

    /// Ends what apps have left, for ever. One server that does not answer delays no other.
    pub(crate) async fn clean(&self, host: &Host) {
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
