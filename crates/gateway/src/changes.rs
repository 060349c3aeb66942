//! Notifies an app of changed lists, and of updates to the resources that it subscribes to.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_catalogue::Catalogue;
use mooring_instances::InstanceId;
use mooring_revisions::OfferKind;
use mooring_server_state::HostEvent;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};
use tokio::time::{Instant, sleep_until};

use crate::followed::Followed;
use crate::locked::locked;
use crate::view::AppView;

const RESOURCE_UPDATED: &str = "notifications/resources/updated";
/// How long changes are collected before the app is notified. A server that connects changes many things.
const CHANGE_DEBOUNCE: Duration = Duration::from_millis(100);

/// The changes that one app is notified of.
pub(crate) struct Changes<'a> {
    view: &'a AppView,
    followed: &'a Followed,
    told: &'a Mutex<Option<Arc<Catalogue>>>,
    kinds: &'a [OfferKind],
    events: broadcast::Receiver<HostEvent>,
    catalogues: watch::Receiver<u64>,
    place: watch::Receiver<u64>,
}

impl<'a> Changes<'a> {
    /// Collects all changes from now on, and compares them with the catalogue that the app knows. The app
    /// knows none before its first request. `kinds` are the lists whose changes the app is notified of.
    pub(crate) fn new(
        view: &'a AppView,
        followed: &'a Followed,
        told: &'a Mutex<Option<Arc<Catalogue>>>,
        kinds: &'a [OfferKind],
    ) -> Self {
        let (events, catalogues) = (view.host.events(), view.catalogues.watch_changes());
        let place = view.place.watch_moves();
        Self { view, followed, told, kinds, events, catalogues, place }
    }

    /// Calls `tell` with the method and the URI, if any, of each notification. Returns when the host ends.
    pub(crate) async fn notify_app(self, tell: impl Fn(&str, Option<&str>)) {
        let (view, followed) = (self.view, self.followed);
        tokio::select! {
            () = self.follow_host_events(&tell) => {}
            () = followed.move_subscriptions(view, |uri| tell(RESOURCE_UPDATED, Some(uri))) => {}
        }
    }

    async fn follow_host_events(mut self, tell: &impl Fn(&str, Option<&str>)) {
        let mut changed: Option<Instant> = None;
        loop {
            let due = async {
                match changed {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                           event = self.events.recv() => match event {
                               // Resources were switched off for the app after it subscribed.
                               Ok(HostEvent::ResourceUpdated { id, .. }) if !self.view.sees_resources(id, &self.view.profile()) => {}
                               Ok(HostEvent::ResourceUpdated { id, instance, uri }) => {
                                   let at = InstanceId { server: id, number: instance };
                                   for exposed in self.followed.exposed_uris(self.view, at, &uri) {
                                       tell(RESOURCE_UPDATED, Some(&exposed));
                                   }
                               }
                               Ok(HostEvent::ProfilesChanged) => self.view.may_have_moved.notify_one(),
                               Ok(_) => {}
                               // The lost events may have updated any resource that the app subscribes to.
                               Err(RecvError::Lagged(_)) => {
                                   let uris = self.followed.seen_uris(self.view);
                                   for uri in &uris {
            tell(RESOURCE_UPDATED, Some(uri));
            }
                               }
                               Err(RecvError::Closed) => return,
                           },
                           Ok(()) = self.catalogues.changed(), if !self.kinds.is_empty() => {
                               changed.get_or_insert(Instant::now() + CHANGE_DEBOUNCE);
                           }
                           Ok(()) = self.place.changed(), if !self.kinds.is_empty() => {
                               changed.get_or_insert(Instant::now() + CHANGE_DEBOUNCE);
                           }
                           () = due => {
                               changed = None;
                               self.notify_of_lists(tell).await;
                           }
                       }
        }
    }

    /// Notifies the app of the lists that have changed since it was last notified.
    async fn notify_of_lists(&self, tell: &impl Fn(&str, Option<&str>)) {
        let Some(told) = locked(self.told).clone() else { return };
        let now = match self.view.catalogue(&self.view.profile()).await {
            Ok(catalogue) => catalogue,
            Err(error) => return tracing::warn!(%error, "what apps see could not be read"),
        };
        let changed = self.kinds.iter().filter(|kind| now.differs(&told, **kind));
        let mut methods: Vec<&str> = changed.map(|kind| kind.list_changed()).collect();
        methods.dedup();
        for method in methods {
            tell(method, None);
        }
        *locked(self.told) = Some(now);
    }
}
