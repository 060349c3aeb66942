//! Tells an app what changes: lists, and resources that it follows.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_catalogue::Catalogue;
use mooring_host::HostEvent;
use mooring_instances::InstanceId;
use mooring_revisions::OfferKind;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};
use tokio::time::{Instant, sleep_until};

use crate::followed::Followed;
use crate::locked::locked;
use crate::view::AppView;

const RESOURCE_UPDATED: &str = "notifications/resources/updated";
/// How long it is waited after a change: a server that connects changes many things.
const CHANGE_DEBOUNCE: Duration = Duration::from_millis(100);

/// What one app is told of.
pub(crate) struct Changes<'a> {
    view: &'a AppView,
    followed: &'a Followed,
    told: &'a Mutex<Option<Arc<Catalogue>>>,
    kinds: &'a [OfferKind],
    events: broadcast::Receiver<HostEvent>,
    catalogues: watch::Receiver<u64>,
}

impl<'a> Changes<'a> {
    /// Everything from now on counts. `told`: what the app was last told that there is; none while it has asked for
    /// nothing yet. `kinds`: the lists whose changes it is told.
    pub(crate) fn new(
        view: &'a AppView,
        followed: &'a Followed,
        told: &'a Mutex<Option<Arc<Catalogue>>>,
        kinds: &'a [OfferKind],
    ) -> Self {
        let (events, catalogues) = (view.host.events(), view.catalogues.changes());
        Self { view, followed, told, kinds, events, catalogues }
    }

    /// Calls `tell` with the method of each notification and, where it has one, its URI, until the host ends.
    pub(crate) async fn follow(self, tell: impl Fn(&str, Option<&str>)) {
        let (view, followed) = (self.view, self.followed);
        tokio::select! {
            () = self.follow_events(&tell) => {}
            () = followed.follow_moves(view, |uri| tell(RESOURCE_UPDATED, Some(uri))) => {}
        }
    }

    async fn follow_events(mut self, tell: &impl Fn(&str, Option<&str>)) {
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
                    // What it followed before it was switched off for the app is not told any more.
                    Ok(HostEvent::ResourceUpdated { id, .. }) if !self.view.sees_resources(id) => {}
                    Ok(HostEvent::ResourceUpdated { id, instance, uri }) => {
                        let at = InstanceId { server: id, number: instance };
                        for exposed in self.followed.exposed(self.view, at, &uri) {
                            tell(RESOURCE_UPDATED, Some(&exposed));
                        }
                    }
                    // Of a resource that changed twice once is enough, and one that is read anew is new.
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
                Ok(()) = self.catalogues.changed(), if !self.kinds.is_empty() => {
                    changed.get_or_insert(Instant::now() + CHANGE_DEBOUNCE);
                }
                () = due => {
                    changed = None;
                    self.tell_lists(tell).await;
                }
            }
        }
    }

    /// Tells which lists have changed since the app was told last.
    async fn tell_lists(&self, tell: &impl Fn(&str, Option<&str>)) {
        let Some(told) = locked(self.told).clone() else { return };
        let now = match self.view.catalogue().await {
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
