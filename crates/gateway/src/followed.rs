//! The resources whose changes apps are told. A server is asked once, however many apps follow.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_host::{Host, HostError, ServerId, is_resource_within};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::locked::locked;

/// How long a server may take to hear that nobody follows a resource any more.
const UNSUBSCRIBE_TIMEOUT: Duration = Duration::from_secs(30);

/// A resource of a server, by the server's URI.
type Own = (ServerId, String);

/// How many apps follow each resource.
#[derive(Default)]
pub(crate) struct FollowCounts {
    by_resource: Mutex<BTreeMap<Own, Count>>,
    /// Those that an app has left, until somebody looks whether it was the last.
    left: Mutex<BTreeSet<Own>>,
    changed: Notify,
}

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    apps: usize,
    /// The person followed it before any app did: then no app ends it.
    by_person: bool,
}

/// What one app follows, by the URI that it knows. It ends when this is dropped.
pub(crate) struct Followed {
    host: Host,
    counts: Arc<FollowCounts>,
    by_uri: Mutex<BTreeMap<String, Own>>,
}

impl FollowCounts {
    /// Counts an app less.
    fn leave(&self, followed: &Own) {
        if let Some(count) = locked(&self.by_resource).get_mut(followed) {
            count.apps -= 1;
        }
    }

    /// Ends what no app follows any more, unless the person does.
    async fn end_unused(&self, host: &Host, followed: &Own) -> Result<(), HostError> {
        let unused = {
            let mut counts = locked(&self.by_resource);
            // Another app may have come meanwhile.
            let unused = counts.get(followed).copied().filter(|count| count.apps == 0);
            if unused.is_some() {
                counts.remove(followed);
            }
            unused
        };
        match unused {
            Some(Count { by_person: false, .. }) => host.unsubscribe(followed.0, &followed.1).await,
            _ => Ok(()),
        }
    }

    /// Ends what apps have left, for ever. One server that does not answer delays no other.
    pub(crate) async fn clean(self: &Arc<Self>, host: &Host) {
        let mut ending = JoinSet::new();
        loop {
            let changed = self.changed.notified();
            for followed in std::mem::take(&mut *locked(&self.left)) {
                let (counts, host) = (Arc::clone(self), host.clone());
                ending.spawn(async move {
                    let ended = counts.end_unused(&host, &followed);
                    if let Ok(Err(error)) = tokio::time::timeout(UNSUBSCRIBE_TIMEOUT, ended).await {
                        tracing::debug!(%error, "a resource is still followed that an app followed");
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
    pub(crate) fn new(host: Host, counts: Arc<FollowCounts>) -> Self {
        Self { host, counts, by_uri: Mutex::default() }
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
        if locked(&self.by_uri).contains_key(uri) {
            return Ok(());
        }
        let by_person = self.host.subscriptions(server)?.iter().any(|followed| followed.uri == own);
        self.host.subscribe(server, own).await?;
        let followed = (server, own.to_owned());
        // Twice at once it counts once.
        if locked(&self.by_uri).insert(uri.to_owned(), followed.clone()).is_none() {
            let mut counts = locked(&self.counts.by_resource);
            let count = counts.entry(followed).or_insert(Count { apps: 0, by_person });
            count.apps += 1;
        }
        Ok(())
    }

    pub(crate) async fn remove(&self, uri: &str) -> Result<(), HostError> {
        let Some(followed) = locked(&self.by_uri).remove(uri) else { return Ok(()) };
        self.counts.leave(&followed);
        self.counts.end_unused(&self.host, &followed).await
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        let followed = std::mem::take(&mut *locked(&self.by_uri));
        for own in followed.into_values() {
            self.counts.leave(&own);
            locked(&self.counts.left).insert(own);
        }
        self.counts.changed.notify_one();
    }
}
