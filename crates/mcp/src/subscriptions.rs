//! Being told of changes, in both eras: `subscriptions/listen` of 2026-07-28, `resources/subscribe` before it.
//!
//! In the stateless era one stream is kept open for the lists whose changes a server tells and for the resources that
//! are subscribed to. When those change, a stream with the new filter is opened before the old one ends, so that
//! nothing is missed (SUB-06).

mod listen;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use mooring_words::{Sentence, say};
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::error::{Deadline, RequestError};
use crate::filter::{Filter, RESOURCE_UPDATED, is_within, uri_of};
use crate::limits::Bound;
use crate::model::notification::Notification;
use crate::params::Params;
use crate::request::Request;
use crate::wire::Wire;

pub(crate) use listen::run;

/// How long the end of a stream may take when the connection ends.
const FAREWELL: Duration = Duration::from_millis(500);

/// A resource whose changes a server tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Its URI, as it was subscribed to.
    pub uri: String,
    /// Since when.
    pub since: SystemTime,
    /// How many changes were told.
    pub updates: u64,
    /// When the last one was told.
    pub last_update: Option<SystemTime>,
    /// Whether changes are being told now.
    pub live: bool,
}

/// The stream that tells of changes in the stateless era.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Listening {
    /// Nothing is listened to, or the server is of the session era, which has no such stream.
    #[default]
    Off,
    /// Asked for and not yet acknowledged.
    Connecting,
    /// Changes are told.
    Live,
    /// It ended and is opened again then.
    Waiting {
        /// When.
        until: SystemTime,
    },
    /// The server has no such stream.
    Unsupported,
    /// It was given up.
    Failed {
        /// Why, in words.
        reason: Sentence,
    },
}

/// What stands now.
#[derive(Debug, Clone, Default)]
pub(crate) struct Status {
    pub(crate) listening: Listening,
    /// What the stream of now, or the one that failed, asked for.
    pub(crate) asked: Filter,
    /// What is told.
    pub(crate) agreed: Filter,
}

#[derive(Debug)]
struct Known {
    since: SystemTime,
    updates: u64,
    last: Option<SystemTime>,
}

/// What one connection wants to be told, and is.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    pub(crate) wanted: watch::Sender<Filter>,
    pub(crate) status: watch::Sender<Status>,
    pub(crate) over: watch::Sender<bool>,
    pub(crate) ended: watch::Sender<bool>,
    runs: AtomicBool,
    /// The server does not tell of tasks.
    without_tasks: AtomicBool,
    known: Mutex<BTreeMap<String, Known>>,
}

/// A task that is watched until this is dropped.
pub(crate) struct WatchedTask<'a> {
    subscriptions: &'a Subscriptions,
    id: String,
}

impl Drop for WatchedTask<'_> {
    fn drop(&mut self) {
        self.subscriptions.wanted.send_if_modified(|wanted| wanted.tasks.remove(&self.id));
    }
}

impl Subscriptions {
    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The resources that are subscribed to.
    pub(crate) fn uris(&self) -> Vec<String> {
        self.known().keys().cloned().collect()
    }

    /// Marks that the stream is kept by a task from here on; false where it was already.
    pub(crate) fn starts(&self) -> bool {
        !self.runs.swap(true, Ordering::Relaxed)
    }

    /// Wants to be told how a task stands, unless the server has shown that it does not do that (TSKE-14).
    pub(crate) fn watch_task(&self, id: &str) -> Option<WatchedTask<'_>> {
        if self.without_tasks.load(Ordering::Relaxed) {
            return None;
        }
        self.wanted.send_if_modified(|wanted| wanted.tasks.insert(id.to_owned()));
        Some(WatchedTask { subscriptions: self, id: id.to_owned() })
    }

    /// Wants to be told of no task from here on.
    pub(crate) fn give_tasks_up(&self) {
        self.without_tasks.store(true, Ordering::Relaxed);
        self.wanted.send_if_modified(|wanted| !std::mem::take(&mut wanted.tasks).is_empty());
    }

    /// Ends the stream and waits until the server was told.
    pub(crate) async fn finish(&self) {
        self.over.send_replace(true);
        if self.runs.load(Ordering::Relaxed) {
            let mut ended = self.ended.subscribe();
            drop(tokio::time::timeout(FAREWELL, ended.wait_for(|ended| *ended)).await);
        }
    }

    /// Counts a change of a resource that is subscribed to.
    pub(crate) fn note(&self, notification: &Notification) {
        if notification.method != RESOURCE_UPDATED {
            return;
        }
        let Some(uri) = uri_of(notification.params.as_deref().map_or("{}", RawValue::get)) else { return };
        for (known, subscription) in self.known().iter_mut() {
            if is_within(&uri, known) {
                subscription.updates += 1;
                subscription.last = Some(SystemTime::now());
            }
        }
    }

    fn add(&self, uri: &str) {
        self.known().entry(uri.to_owned()).or_insert(Known {
            since: SystemTime::now(),
            updates: 0,
            last: None,
        });
    }

    /// What is subscribed to now.
    pub(crate) fn list(&self, is_modern: bool) -> Vec<Subscription> {
        let status = self.status.borrow().clone();
        let is_live = |uri: &str| {
            !is_modern || (status.listening == Listening::Live && status.agreed.uris.contains(uri))
        };
        let read = |(uri, known): (&String, &Known)| Subscription {
            uri: uri.clone(),
            since: known.since,
            updates: known.updates,
            last_update: known.last,
            live: is_live(uri),
        };
        self.known().iter().map(read).collect()
    }
}

impl Wire {
    fn subscriptions(&self) -> &Subscriptions {
        &self.link.subscriptions
    }

    /// Asks to be told when a resource changes.
    pub(crate) async fn subscribe(&self, uri: &str) -> Result<(), RequestError> {
        let unsendable = |reason: Sentence| Err(RequestError::Unsendable { reason });
        let offers = self.offers();
        if offers.known && !offers.subscribe {
            return unsendable(say!("the server does not tell of changes of its resources"));
        }
        if self.subscriptions().known().contains_key(uri) {
            return Ok(());
        }
        let limit = self.link.limits.subscriptions;
        if self.subscriptions().known().len() >= limit {
            self.link.reached(Bound::Subscriptions);
            return unsendable(say!("{limit} resources are subscribed to already", limit));
        }
        if self.is_modern() {
            return self.subscribe_by_stream(uri).await;
        }
        self.session_request("resources/subscribe", uri).await?;
        self.subscriptions().add(uri);
        Ok(())
    }

    /// Takes that back.
    pub(crate) async fn unsubscribe(&self, uri: &str) -> Result<(), RequestError> {
        if self.subscriptions().known().remove(uri).is_none() {
            return Ok(());
        }
        if self.is_modern() {
            self.subscriptions().wanted.send_if_modified(|wanted| wanted.uris.remove(uri));
            return Ok(());
        }
        self.session_request("resources/unsubscribe", uri).await
    }

    /// Subscribes again to everything, in a session that took the place of a lost one (LIFE-14).
    pub(crate) async fn subscribe_again(&self) -> Result<(), RequestError> {
        for uri in self.subscriptions().uris() {
            let params = Params::new().text("uri", &uri);
            let request =
                Request { subject: Some(uri.into()), ..Request::new("resources/subscribe", Some(&params)) };
            Box::pin(self.request_once(&request)).await?;
        }
        Ok(())
    }

    async fn session_request(&self, method: &'static str, uri: &str) -> Result<(), RequestError> {
        let params = Params::new().text("uri", uri);
        let request = Request { subject: Some(uri.into()), ..Request::new(method, Some(&params)) };
        Box::pin(self.request(&request)).await?;
        Ok(())
    }

    /// Waits until a stream that covers `uri` is acknowledged, or none can be had.
    async fn subscribe_by_stream(&self, uri: &str) -> Result<(), RequestError> {
        let subscriptions = self.subscriptions();
        let mut status = subscriptions.status.subscribe();
        subscriptions.add(uri);
        // What failed for it earlier does not count.
        subscriptions.status.send_if_modified(|status| status.asked.uris.remove(uri));
        subscriptions.wanted.send_if_modified(|wanted| wanted.uris.insert(uri.to_owned()));
        let settled = status.wait_for(|status| {
            let is_over = !matches!(
                status.listening,
                Listening::Off | Listening::Connecting | Listening::Waiting { .. }
            );
            status.asked.uris.contains(uri) && is_over
        });
        // As long as a stream may take to be acknowledged, and a moment for it to be opened.
        let patience = self.deadlines.idle + Duration::from_secs(1);
        let unsendable = |reason: Sentence| RequestError::Unsendable { reason };
        let error = match tokio::time::timeout(patience, settled).await {
            Ok(Ok(status)) => match &status.listening {
                Listening::Live if status.agreed.uris.contains(uri) => return Ok(()),
                Listening::Live => unsendable(say!("the server does not tell of changes of this resource")),
                Listening::Failed { reason } => unsendable(reason.clone()),
                _ => unsendable(say!("the server has no stream that tells of changes")),
            },
            // No stream can be had now, which says nothing of later.
            Ok(Err(_)) | Err(_) => RequestError::Timeout { deadline: Deadline::Idle, after: patience },
        };
        self.unsubscribe(uri).await?;
        Err(error)
    }
}
