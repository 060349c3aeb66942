//! The resources whose changes apps are told. The host counts who follows each.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_host::{Follower, Host, HostError, ServerId, is_resource_within};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::locked::locked;

/// How long a server may take to hear that nobody follows a resource any more.
const UNSUBSCRIBE_TIMEOUT: Duration = Duration::from_secs(30);

/// Numbers of what apps follow, of all apps.
static FOLLOWERS: AtomicU64 = AtomicU64::new(1);

/// A resource of a server, by the server's URI.
type Own = (ServerId, String);

/// What apps left, until their servers have heard of it.
#[derive(Default)]
pub(crate) struct LeftResources {
    left: Mutex<Vec<(Own, Follower)>>,
    changed: Notify,
}

/// What one app follows, by the URI that it knows. It ends when this is dropped.
pub(crate) struct Followed {
    host: Host,
    follower: Follower,
    left: Arc<LeftResources>,
    by_uri: Mutex<BTreeMap<String, Own>>,
}

impl LeftResources {
    /// Ends what apps have left, for ever. One server that does not answer delays no other.
    pub(crate) async fn clean(&self, host: &Host) {
        let mut ending = JoinSet::new();
        loop {
            let changed = self.changed.notified();
            for ((server, uri), follower) in std::mem::take(&mut *locked(&self.left)) {
                let host = host.clone();
                ending.spawn(async move {
                    let ended = host.unsubscribe(server, &uri, follower);
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

impl Followed {
    pub(crate) fn new(host: Host, left: Arc<LeftResources>) -> Self {
        let follower = Follower::App(FOLLOWERS.fetch_add(1, Ordering::Relaxed));
        Self { host, follower, left, by_uri: Mutex::default() }
    }

    /// The URIs that the app knows a resource of a server by, where it follows it, or one that it is within.
    pub(crate) fn exposed(&self, server: ServerId, own: &str) -> Vec<String> {
        let followed = locked(&self.by_uri);
        let concerned =
            followed.iter().filter(|(_, (of, uri))| *of == server && is_resource_within(own, uri));
        // Where the app knows it by another URI, that is the server's behind a prefix.
        let exposed = concerned.filter_map(|(uri, (_, followed))| {
            let prefix = uri.strip_suffix(followed.as_str())?;
            Some(format!("{prefix}{own}"))
        });
        let mut exposed: Vec<String> = exposed.collect();
        exposed.dedup();
        exposed
    }

    pub(crate) async fn add(&self, server: ServerId, own: &str, uri: &str) -> Result<(), HostError> {
        self.host.subscribe(server, own, self.follower).await?;
        locked(&self.by_uri).insert(uri.to_owned(), (server, own.to_owned()));
        Ok(())
    }

    pub(crate) async fn remove(&self, uri: &str) -> Result<(), HostError> {
        let (server, own) = {
            let mut followed = locked(&self.by_uri);
            let Some(left) = followed.remove(uri) else { return Ok(()) };
            // It may follow the same by another URI.
            if followed.values().any(|own| *own == left) {
                return Ok(());
            }
            left
        };
        self.host.unsubscribe(server, &own, self.follower).await
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        let followed = std::mem::take(&mut *locked(&self.by_uri));
        locked(&self.left.left).extend(followed.into_values().map(|own| (own, self.follower)));
        self.left.changed.notify_one();
    }
}
