//! The resources whose changes apps are told. A server is asked once, however many apps follow.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_host::{Host, HostError, ServerId};

use crate::locked::locked;

/// How long the servers of an app that is gone may take to hear of it.
const UNSUBSCRIBE_TIMEOUT: Duration = Duration::from_secs(2);

/// A resource of a server, by the server's URI.
type Own = (ServerId, String);

/// How many apps follow each resource.
#[derive(Default)]
pub(crate) struct FollowCounts(Mutex<BTreeMap<Own, Count>>);

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    apps: usize,
    /// The person followed it before any app did: then no app ends it.
    by_person: bool,
}

/// What one app follows, by the URI that it knows.
pub(crate) struct Followed {
    host: Host,
    counts: Arc<FollowCounts>,
    by_uri: Mutex<BTreeMap<String, Own>>,
}

impl Followed {
    pub(crate) fn new(host: Host, counts: Arc<FollowCounts>) -> Self {
        Self { host, counts, by_uri: Mutex::default() }
    }

    /// The URIs that the app knows this resource of a server by.
    pub(crate) fn exposed(&self, server: ServerId, own: &str) -> Vec<String> {
        let followed = locked(&self.by_uri);
        let same = followed.iter().filter(|(_, (of, uri))| *of == server && uri == own);
        same.map(|(uri, _)| uri.clone()).collect()
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
            let mut counts = locked(&self.counts.0);
            let count = counts.entry(followed).or_insert(Count { apps: 0, by_person });
            count.apps += 1;
        }
        Ok(())
    }

    pub(crate) async fn remove(&self, uri: &str) -> Result<(), HostError> {
        let Some(followed) = locked(&self.by_uri).remove(uri) else { return Ok(()) };
        if self.is_last(&followed) {
            self.host.unsubscribe(followed.0, &followed.1).await?;
        }
        Ok(())
    }

    /// Counts an app less; whether nobody is left.
    fn is_last(&self, followed: &Own) -> bool {
        let mut counts = locked(&self.counts.0);
        let Some(count) = counts.get_mut(followed) else { return false };
        count.apps -= 1;
        let (is_last, by_person) = (count.apps == 0, count.by_person);
        if is_last {
            counts.remove(followed);
        }
        is_last && !by_person
    }

    /// The app is gone.
    pub(crate) async fn end(&self) {
        let followed = std::mem::take(&mut *locked(&self.by_uri));
        let ended = followed.into_values().filter(|followed| self.is_last(followed));
        let told = futures_util::future::join_all(ended.map(|(server, own)| async move {
            if let Err(error) = self.host.unsubscribe(server, &own).await {
                tracing::debug!(%error, "a resource is still followed that an app followed");
            }
        }));
        // What does not answer is none of the app's concern.
        let _late = tokio::time::timeout(UNSUBSCRIBE_TIMEOUT, told).await;
    }
}
