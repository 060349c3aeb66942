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
    /// The server is being told that nobody follows it.
    is_ending: bool,
    /// How many apps have come so far, also those that have left.
    comers: u64,
}

/// An app that is counted while its server is asked, and no longer if that fails.
struct PendingFollow<'a> {
    counts: &'a FollowCounts,
    followed: Own,
    is_agreed: bool,
}

impl Drop for PendingFollow<'_> {
    fn drop(&mut self) {
        if !self.is_agreed {
            self.counts.leave_later(self.followed.clone());
        }
    }
}

/// A resource that is being ended at its server, until this is dropped.
struct PendingEnd<'a> {
    counts: &'a FollowCounts,
    followed: &'a Own,
    /// How many apps had come before.
    comers: u64,
}

impl Drop for PendingEnd<'_> {
    fn drop(&mut self) {
        let mut counts = locked(&self.counts.by_resource);
        match counts.get_mut(self.followed) {
            Some(count) if count.apps > 0 || count.comers != self.comers => count.is_ending = false,
            _ => {
                counts.remove(self.followed);
            }
        }
    }
}

/// What one app follows, by the URI that it knows. It ends when this is dropped.
pub(crate) struct Followed {
    host: Host,
    counts: Arc<FollowCounts>,
    by_uri: Mutex<BTreeMap<String, Own>>,
}

impl FollowCounts {
    /// Counts an app more.
    fn come(&self, host: &Host, followed: &Own) -> Result<PendingFollow<'_>, HostError> {
        let mut counts = locked(&self.by_resource);
        if let Some(count) = counts.get_mut(followed) {
            count.apps += 1;
            count.comers += 1;
        } else {
            let by_person = host.subscriptions(followed.0)?.iter().any(|one| one.uri == followed.1);
            counts.insert(followed.clone(), Count { apps: 1, by_person, is_ending: false, comers: 1 });
        }
        drop(counts);
        Ok(PendingFollow { counts: self, followed: followed.clone(), is_agreed: false })
    }

    /// Counts an app less.
    fn leave(&self, followed: &Own) {
        if let Some(count) = locked(&self.by_resource).get_mut(followed) {
            count.apps -= 1;
        }
    }

    /// The same, and has it ended in the background if that was the last.
    fn leave_later(&self, followed: Own) {
        self.leave(&followed);
        locked(&self.left).insert(followed);
        self.changed.notify_one();
    }

    /// Marks what no app follows any more as ending, unless the person follows it.
    fn begin_ending<'a>(&'a self, followed: &'a Own) -> Option<PendingEnd<'a>> {
        let mut counts = locked(&self.by_resource);
        // Another app may have come meanwhile, or another task ends it.
        let count = counts.get_mut(followed).filter(|count| count.apps == 0 && !count.is_ending)?;
        if count.by_person {
            counts.remove(followed);
            return None;
        }
        count.is_ending = true;
        Some(PendingEnd { counts: self, followed, comers: count.comers })
    }

    /// Ends what no app follows any more, unless the person does.
    async fn end_unused(&self, host: &Host, followed: &Own) -> Result<(), HostError> {
        // Once more if an app came and left meanwhile.
        while let Some(ending) = self.begin_ending(followed) {
            host.unsubscribe(followed.0, &followed.1).await?;
            drop(ending);
            let has_apps = locked(&self.by_resource).get(followed).is_some_and(|count| count.apps > 0);
            if has_apps {
                // What they asked for may have reached the server before this.
                host.subscribe(followed.0, &followed.1).await?;
            }
        }
        Ok(())
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
        let followed = (server, own.to_owned());
        let mut counted = self.counts.come(&self.host, &followed)?;
        self.host.subscribe(server, own).await?;
        // Twice at once it counts once.
        counted.is_agreed = locked(&self.by_uri).insert(uri.to_owned(), followed).is_none();
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
            self.counts.leave_later(own);
        }
    }
}
