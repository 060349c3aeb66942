//! The resource subscriptions of a connection. They survive a lost connection: the next one subscribes again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mooring_mcp::is_resource_within;
use tokio::sync::broadcast;

use crate::resources::SubscriptionView;

/// Maximum number of changes that a receiver can be behind by. Older ones are dropped.
const MAX_CHANGES: usize = 256;

/// Who follows a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Follower {
    /// The person.
    Person,
    /// A connection of an app or a command, by its number.
    App(u64),
}

/// The URIs of resources that change. A slow receiver misses some.
pub type ResourceChanges = broadcast::Receiver<Arc<str>>;

/// The resource subscriptions of a server, by URI.
#[derive(Debug)]
pub struct Subscriptions {
    watched: Mutex<BTreeMap<String, Subscription>>,
    changes: broadcast::Sender<Arc<str>>,
}

impl Default for Subscriptions {
    fn default() -> Self {
        Self { watched: Mutex::default(), changes: broadcast::Sender::new(MAX_CHANGES) }
    }
}

#[derive(Debug, Clone)]
struct Subscription {
    /// Never empty.
    followers: BTreeSet<Follower>,
    since_ms: i64,
    updates: u64,
    last_update_ms: Option<i64>,
}

/// Result of adding a follower.
#[derive(Debug, PartialEq, Eq)]
pub enum SubscribeOutcome {
    /// The resource was not subscribed to. The server has to be asked.
    New,
    /// Others already follow the resource.
    Shared,
    /// This follower already follows it.
    Known,
    /// There are too many subscriptions.
    Full,
}

impl Subscriptions {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Subscription>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a follower of a resource; at most `most` resources can be followed. Call this before asking the
    /// server, because its first update may arrive before its response.
    pub fn add(&self, uri: &str, follower: Follower, most: usize, now_ms: i64) -> SubscribeOutcome {
        let mut watched = self.lock();
        if let Some(known) = watched.get_mut(uri) {
            let is_new = known.followers.insert(follower);
            return if is_new { SubscribeOutcome::Shared } else { SubscribeOutcome::Known };
        }
        if watched.len() >= most {
            return SubscribeOutcome::Full;
        }
        let followers = [follower].into();
        watched.insert(
            uri.to_owned(),
            Subscription { followers, since_ms: now_ms, updates: 0, last_update_ms: None },
        );
        SubscribeOutcome::New
    }

    /// Removes a follower. True if it was the resource's last one.
    pub fn leave(&self, uri: &str, follower: Follower) -> bool {
        let mut watched = self.lock();
        let Some(known) = watched.get_mut(uri) else { return false };
        let was_last = known.followers.remove(&follower) && known.followers.is_empty();
        if was_last {
            watched.remove(uri);
        }
        was_last
    }

    /// Removes a resource with all of its followers.
    pub fn remove(&self, uri: &str) {
        self.lock().remove(uri);
    }

    /// Whether the resource has followers.
    pub fn contains(&self, uri: &str) -> bool {
        self.lock().contains_key(uri)
    }

    /// The URIs of all followed resources.
    pub fn uris(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    /// Receives the URIs of followed resources that change from now on.
    pub fn changes(&self) -> ResourceChanges {
        self.changes.subscribe()
    }

    /// Counts an update of the resource at `uri` for it and for those that contain it. True if any is
    /// followed (SUB-13).
    pub fn record_update(&self, uri: &str, now_ms: i64) -> bool {
        let mut any = false;
        for (watched, entry) in self.lock().iter_mut() {
            if is_resource_within(uri, watched) {
                entry.updates += 1;
                entry.last_update_ms = Some(now_ms);
                any = true;
            }
        }
        if any {
            // There may be no receiver.
            let _unheard = self.changes.send(uri.into());
        }
        any
    }

    /// The resources that the person follows, ordered by URI.
    pub fn views(&self) -> Vec<SubscriptionView> {
        let watched = self.lock();
        let view = |(uri, entry): (&String, &Subscription)| SubscriptionView {
            uri: uri.clone(),
            since_ms: entry.since_ms,
            updates: entry.updates,
            last_update_ms: entry.last_update_ms,
        };
        let by_person = watched.iter().filter(|(_, entry)| entry.followers.contains(&Follower::Person));
        by_person.map(view).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERSON: Follower = Follower::Person;

    #[test]
    fn a_resource_is_watched_until_its_last_follower_leaves() {
        let subscriptions = Subscriptions::default();
        let (one, two) = (Follower::App(1), Follower::App(2));
        assert_eq!(subscriptions.add("a:b", one, 9, 0), SubscribeOutcome::New);
        assert_eq!(subscriptions.add("a:b", two, 9, 0), SubscribeOutcome::Shared);
        assert_eq!(subscriptions.add("a:b", PERSON, 9, 0), SubscribeOutcome::Shared);
        assert!(!subscriptions.leave("a:b", one));
        // A follower that has already left does not remove another one.
        assert!(!subscriptions.leave("a:b", one));
        assert_eq!(subscriptions.views().len(), 1);
        assert!(!subscriptions.leave("a:b", PERSON));
        assert!(subscriptions.views().is_empty(), "it is no longer the person’s");
        assert!(subscriptions.leave("a:b", two));
        assert!(!subscriptions.contains("a:b"));
    }

    // Requirements: SUB-13.
    #[test]
    fn a_change_counts_for_the_resource_and_for_the_folder_it_is_in() {
        let subscriptions = Subscriptions::default();
        assert_eq!(subscriptions.add("file:///a/", PERSON, 9, 1), SubscribeOutcome::New);
        assert_eq!(subscriptions.add("file:///b", PERSON, 9, 2), SubscribeOutcome::New);
        assert_eq!(subscriptions.add("file:///b", PERSON, 9, 3), SubscribeOutcome::Known);
        for (uri, is_watched) in [
            ("file:///a/x", true),
            ("file:///b", true),
            ("file:///b/y", true),
            ("file:///b?x", true),
            ("file:///b#x", true),
            ("file:///bc", false),
            ("file:///", false),
        ] {
            assert_eq!(subscriptions.record_update(uri, 9), is_watched, "{uri}");
        }
        let counts: Vec<_> = subscriptions.views().into_iter().map(|view| (view.uri, view.updates)).collect();
        assert_eq!(counts, [("file:///a/".to_owned(), 1), ("file:///b".to_owned(), 4)]);
        assert!(subscriptions.leave("file:///b", PERSON));
        assert!(!subscriptions.leave("file:///b", PERSON));
        assert!(!subscriptions.record_update("file:///b", 9));
        // The empty URI contains no other.
        assert_eq!(subscriptions.add("", PERSON, 9, 4), SubscribeOutcome::New);
        assert!(subscriptions.record_update("", 9) && !subscriptions.record_update("/x", 9));
    }

    #[test]
    fn no_more_are_watched_than_there_is_room_for() {
        let subscriptions = Subscriptions::default();
        for number in 0..3 {
            assert_eq!(subscriptions.add(&number.to_string(), PERSON, 3, 0), SubscribeOutcome::New);
        }
        assert_eq!(subscriptions.add("one more", PERSON, 3, 0), SubscribeOutcome::Full);
        assert_eq!(subscriptions.add("2", PERSON, 3, 0), SubscribeOutcome::Known);
    }
}
