//! The resources whose changes apps are told. The host counts who follows each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use mooring_host::{Follower, Host, HostError, InstanceId, StateName, is_resource_within};

use crate::left_resources::{LeftResources, Own};
use crate::locked::locked;
use crate::view::AppView;

/// Numbers of what apps follow, of all apps.
static FOLLOWERS: AtomicU64 = AtomicU64::new(1);

/// What one app follows, by the URI that it knows. It ends when this is dropped.
pub(crate) struct Followed {
    host: Host,
    follower: Follower,
    left: Arc<LeftResources>,
    by_uri: Mutex<BTreeMap<String, Own>>,
}

impl Followed {
    pub(crate) fn new(host: Host, left: Arc<LeftResources>) -> Self {
        let follower = Follower::App(FOLLOWERS.fetch_add(1, Ordering::Relaxed));
        Self { host, follower, left, by_uri: Mutex::default() }
    }

    /// The URIs that the app knows a resource of a server by, where it follows it, or one that it is within.
    pub(crate) fn exposed(&self, view: &AppView, at: InstanceId, own: &str) -> Vec<String> {
        let followed = locked(&self.by_uri);
        let concerned = followed.iter().filter(|(_, (of, uri))| *of == at && is_resource_within(own, uri));
        let exposed = concerned.map(|(uri, (_, followed))| match followed {
            followed if followed == own => uri.clone(),
            _ if view.is_of_one() => own.to_owned(),
            _ => view.carry(at.server, own),
        });
        exposed.collect::<BTreeSet<_>>().into_iter().collect()
    }

    pub(crate) async fn add(&self, at: InstanceId, own: &str, uri: &str) -> Result<(), HostError> {
        self.host.subscribe(at, own, self.follower).await?;
        let before = locked(&self.by_uri).insert(uri.to_owned(), (at, own.to_owned()));
        let is_left = |left: &Own| locked(&self.by_uri).values().all(|own| own != left);
        self.left.add(before.filter(is_left).into_iter().map(|own| (own, self.follower)));
        Ok(())
    }

    pub(crate) async fn remove(&self, uri: &str) -> Result<(), HostError> {
        let (at, own) = {
            let mut followed = locked(&self.by_uri);
            let Some(left) = followed.remove(uri) else { return Ok(()) };
            // It may follow the same by another URI.
            if followed.values().any(|own| *own == left) {
                return Ok(());
            }
            left
        };
        // With an instance its subscriptions end.
        if self.host.server_name_and_state(at).is_none_or(|(_, state)| state == StateName::Stopped) {
            return Ok(());
        }
        self.host.unsubscribe(at, &own, self.follower).await
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        let followed = std::mem::take(&mut *locked(&self.by_uri));
        self.left.add(followed.into_values().map(|own| (own, self.follower)));
    }
}
