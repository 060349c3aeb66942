//! The resources whose changes an app is told.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mooring_host::{Host, HostError, ServerId};

/// What one app follows, by the URI that it knows. The server is asked once, however many follow.
pub(crate) struct Followed {
    host: Host,
    by_uri: Mutex<BTreeMap<String, Following>>,
}

struct Following {
    server: ServerId,
    own: String,
    /// Nobody followed it before.
    began: bool,
}

impl Followed {
    pub(crate) fn new(host: Host) -> Self {
        Self { host, by_uri: Mutex::default() }
    }

    fn by_uri(&self) -> MutexGuard<'_, BTreeMap<String, Following>> {
        self.by_uri.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The URIs that the app knows this resource of a server by.
    pub(crate) fn exposed(&self, server: ServerId, own: &str) -> Vec<String> {
        let followed = self.by_uri();
        let same =
            followed.iter().filter(|(_, following)| following.server == server && following.own == own);
        same.map(|(uri, _)| uri.clone()).collect()
    }

    pub(crate) async fn add(&self, server: ServerId, own: &str, uri: &str) -> Result<(), HostError> {
        let began = !self.host.subscriptions(server)?.iter().any(|followed| followed.uri == own);
        self.host.subscribe(server, own).await?;
        let following = Following { server, own: own.to_owned(), began };
        self.by_uri().entry(uri.to_owned()).or_insert(following);
        Ok(())
    }

    pub(crate) async fn remove(&self, uri: &str) -> Result<(), HostError> {
        let ended = self.by_uri().remove(uri);
        match ended.filter(|following| following.began) {
            Some(following) => self.host.unsubscribe(following.server, &following.own).await,
            None => Ok(()),
        }
    }

    /// The app is gone.
    pub(crate) async fn end(&self) {
        let uris: Vec<String> = self.by_uri().keys().cloned().collect();
        for uri in uris {
            if let Err(error) = self.remove(&uri).await {
                tracing::debug!(%error, "a resource is still followed that an app followed");
            }
        }
    }
}
