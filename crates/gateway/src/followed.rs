//! The resources that apps subscribe to. The host counts the subscribers of each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;
use mooring_calls::Follower;
use mooring_errors::HostError;
use mooring_host::Host;
use mooring_instances::InstanceId;
use mooring_mcp::is_resource_within;
use mooring_server_state::StateName;
use tokio::time::{sleep, timeout};

use crate::left_resources::{LeftResources, Own};
use crate::locked::locked;
use crate::view::AppView;

/// The next number of a subscriber, over all apps.
static FOLLOWERS: AtomicU64 = AtomicU64::new(1);

/// How long subscribing at another instance may take.
const MOVE_TIMEOUT: Duration = Duration::from_secs(30);
/// How long to wait before trying again after a failure.
const MOVE_RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// The subscriptions of one app, by the URIs that it knows. Dropping this ends them.
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

    /// The URIs by which the app knows a resource. Empty unless the app subscribes to the resource or to a
    /// resource that contains it.
    pub(crate) fn exposed_uris(&self, view: &AppView, at: InstanceId, own: &str) -> Vec<String> {
        let followed = locked(&self.by_uri);
        let concerned = followed.iter().filter(|(_, (of, uri))| *of == at && is_resource_within(own, uri));
        let exposed = concerned.map(|(uri, (_, followed))| match followed {
            followed if followed == own => uri.clone(),
            _ if view.is_of_one() => own.to_owned(),
            _ => view.expose_uri(at.server, own),
        });
        exposed.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The URIs that the app subscribes to, except those of servers whose resources the app no longer sees.
    pub(crate) fn seen_uris(&self, view: &AppView) -> Vec<String> {
        let followed = locked(&self.by_uri);
        let profile = view.profile();
        let seen = followed.iter().filter(|(_, (at, _))| view.sees_resources(at.server, &profile));
        seen.map(|(uri, _)| uri.clone()).collect()
    }

    pub(crate) async fn subscribe(&self, at: InstanceId, own: &str, uri: &str) -> Result<(), HostError> {
        let now = (at, own.to_owned());
        // Add the subscription first, because an update may directly follow the server's answer.
        let before = locked(&self.by_uri).insert(uri.to_owned(), now.clone());
        let subscribed = self.host.subscribe(at, own, self.follower).await;
        let left = if subscribed.is_ok() {
            before
        } else {
            let mut followed = locked(&self.by_uri);
            if followed.get(uri) == Some(&now) {
                match before {
                    Some(before) => drop(followed.insert(uri.to_owned(), before)),
                    None => drop(followed.remove(uri)),
                }
            }
            None
        };
        if let Some(left) = left {
            self.unsubscribe_later(left);
        }
        subscribed
    }

    /// Moves the subscriptions whenever the app's requests move to another instance. Calls `tell` with the
    /// URI of each resource that moved, because its contents may differ there. Doesn't return while the
    /// connection is open.
    pub(crate) async fn move_subscriptions(&self, view: &AppView, tell: impl Fn(&str)) {
        let mut moves = view.instances.watch_moves();
        loop {
            let followed: Vec<_> =
                locked(&self.by_uri).iter().map(|(uri, own)| (uri.clone(), own.clone())).collect();
            let moving = followed.into_iter().filter_map(|(uri, own)| {
                let at = view.instances.latest_instance(own.0.server);
                let moves = at != own.0 && view.sees_resources(at.server, &view.profile());
                moves.then_some((at, own, uri))
            });
            let moved = join_all(moving.map(async |(at, own, uri)| {
                match timeout(MOVE_TIMEOUT, self.move_to(at, own, &uri)).await {
                    Ok(Ok(is_followed)) => {
                        if is_followed {
                            tell(&uri);
                        }
                        true
                    }
                    Ok(Err(error)) => {
                        tracing::debug!(%error, "a resource is not followed at another instance yet");
                        false
                    }
                    Err(_late) => false,
                }
            }));
            let are_all_moved = moved.await.into_iter().all(|is_moved| is_moved);
            tokio::select! {
                moved = moves.changed() => if moved.is_err() { return },
                () = sleep(MOVE_RETRY_INTERVAL), if !are_all_moved => {}
            }
        }
    }

    /// Returns false if the app has unsubscribed meanwhile.
    async fn move_to(&self, at: InstanceId, before: Own, uri: &str) -> Result<bool, HostError> {
        if at.number != 0 {
            self.host.wait_for_attempt(at).await;
        }
        self.host.subscribe(at, &before.1, self.follower).await?;
        let now = (at, before.1.clone());
        let (left, is_followed) = match locked(&self.by_uri).get_mut(uri).filter(|own| **own == before) {
            Some(own) => (std::mem::replace(own, now), true),
            None => (now, false),
        };
        self.unsubscribe_later(left);
        Ok(is_followed)
    }

    /// Ends a subscription, unless the app has the same one by another URI.
    fn unsubscribe_later(&self, left: Own) {
        let is_left = locked(&self.by_uri).values().all(|own| *own != left);
        self.left.add(is_left.then_some((left, self.follower)).into_iter());
    }

    pub(crate) async fn unsubscribe(&self, uri: &str) -> Result<(), HostError> {
        let (at, own) = {
            let mut followed = locked(&self.by_uri);
            let Some(left) = followed.remove(uri) else { return Ok(()) };
            // The app may have the same subscription by another URI.
            if followed.values().any(|own| *own == left) {
                return Ok(());
            }
            left
        };
        // A stopped instance has no subscriptions.
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
