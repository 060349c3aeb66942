//! This client's subscriptions at a server, and the updates.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use mooring_words::Sentence;
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::filter::{RESOURCE_UPDATED, SubscriptionFilter, is_resource_within, read_uri};
use crate::model::notification::Notification;

/// The deadline for closing the stream when the connection ends.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

/// A resource subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// The URI of the resource.
    pub uri: String,
    /// The time of the subscription.
    pub since: SystemTime,
    /// The number of updates.
    pub updates: u64,
    /// When the last update arrived.
    pub last_update: Option<SystemTime>,
    /// Whether updates arrive at the moment.
    pub live: bool,
}

/// The state of the stream of change notifications (stateless era).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ListenState {
    /// There are no subscriptions, or the server is of the session era, which has no such stream.
    #[default]
    Off,
    /// The stream is requested and not yet acknowledged.
    Connecting,
    /// Notifications arrive.
    Live,
    /// The stream ended and will be opened again.
    Waiting {
        /// When the stream will be opened.
        until: SystemTime,
    },
    /// The server has no such stream.
    Unsupported,
    /// The stream failed and will not be opened again.
    Failed {
        /// Why the stream failed.
        reason: Sentence,
    },
}

/// The current state of the subscriptions.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListenStatus {
    pub(crate) listening: ListenState,
    /// What the current or the failed stream requested.
    pub(crate) requested: SubscriptionFilter,
    /// What the server acknowledged.
    pub(crate) acknowledged: SubscriptionFilter,
}

#[derive(Debug)]
pub(crate) struct ResourceUpdates {
    since: SystemTime,
    updates: u64,
    last: Option<SystemTime>,
}

/// The subscriptions of one connection, and their state.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    pub(crate) wanted: watch::Sender<SubscriptionFilter>,
    pub(crate) status: watch::Sender<ListenStatus>,
    pub(crate) stopping: watch::Sender<bool>,
    pub(crate) ended: watch::Sender<bool>,
    runs: AtomicBool,
    /// Set if the server does not report tasks.
    tasks_unsupported: AtomicBool,
    known: Mutex<BTreeMap<String, ResourceUpdates>>,
}

/// Subscribes to a task's status until it is dropped.
pub(crate) struct TaskWatch<'a> {
    subscriptions: &'a Subscriptions,
    id: String,
}

impl Drop for TaskWatch<'_> {
    fn drop(&mut self) {
        self.subscriptions.wanted.send_if_modified(|wanted| wanted.tasks.remove(&self.id));
    }
}

impl Subscriptions {
    pub(crate) fn lock_known(&self) -> MutexGuard<'_, BTreeMap<String, ResourceUpdates>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The resources that are subscribed to.
    pub(crate) fn uris(&self) -> Vec<String> {
        self.lock_known().keys().cloned().collect()
    }

    /// Marks that a background task maintains the stream from now on. False if that is already marked.
    pub(crate) fn mark_started(&self) -> bool {
        !self.runs.swap(true, Ordering::Relaxed)
    }

    /// Subscribes to a task's status, unless the server has shown that it doesn't report tasks (TSKE-14).
    pub(crate) fn watch_task(&self, id: &str) -> Option<TaskWatch<'_>> {
        if self.tasks_unsupported.load(Ordering::Relaxed) {
            return None;
        }
        self.wanted.send_if_modified(|wanted| wanted.tasks.insert(id.to_owned()));
        Some(TaskWatch { subscriptions: self, id: id.to_owned() })
    }

    /// Ends all subscriptions to tasks, and prevents new subscriptions to tasks.
    pub(crate) fn stop_watching_tasks(&self) {
        self.tasks_unsupported.store(true, Ordering::Relaxed);
        self.wanted.send_if_modified(|wanted| !std::mem::take(&mut wanted.tasks).is_empty());
    }

    /// Ends the stream and waits until the server is notified.
    pub(crate) async fn finish(&self) {
        self.stopping.send_replace(true);
        if self.runs.load(Ordering::Relaxed) {
            let mut ended = self.ended.subscribe();
            drop(tokio::time::timeout(CLOSE_TIMEOUT, ended.wait_for(|ended| *ended)).await);
        }
    }

    pub(crate) fn count_update(&self, notification: &Notification) {
        if notification.method != RESOURCE_UPDATED {
            return;
        }
        let Some(uri) = read_uri(notification.params.as_deref().map_or("{}", RawValue::get)) else { return };
        for (known, subscription) in self.lock_known().iter_mut() {
            if is_resource_within(&uri, known) {
                subscription.updates += 1;
                subscription.last = Some(SystemTime::now());
            }
        }
    }

    pub(crate) fn add(&self, uri: &str) {
        self.lock_known().entry(uri.to_owned()).or_insert(ResourceUpdates {
            since: SystemTime::now(),
            updates: 0,
            last: None,
        });
    }

    /// The current subscriptions.
    pub(crate) fn list(&self, is_modern: bool) -> Vec<Subscription> {
        let status = self.status.borrow().clone();
        let is_live = |uri: &str| {
            !is_modern || (status.listening == ListenState::Live && status.acknowledged.uris.contains(uri))
        };
        let read = |(uri, known): (&String, &ResourceUpdates)| Subscription {
            uri: uri.clone(),
            since: known.since,
            updates: known.updates,
            last_update: known.last,
            live: is_live(uri),
        };
        self.lock_known().iter().map(read).collect()
    }
}
