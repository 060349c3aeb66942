//! The resources of a connection that are subscribed to. They outlive a lost connection: the next one asks for them
//! again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mooring_mcp::is_resource_within;
use tokio::sync::broadcast;

use crate::resources::SubscriptionView;

/// Changes that somebody may be behind by. The oldest are left out.
const MAX_CHANGES: usize = 256;

/// Who is notified of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Follower {
    /// The person.
    Person,
    /// A connection of an app or a command, by its number.
    App(u64),
}

/// The URIs of resources that change. A receiver that is too slow misses some.
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

/// What came of wanting a resource watched.
#[derive(Debug, PartialEq, Eq)]
pub enum SubscribeOutcome {
    /// It is watched from now on, once the server agrees.
    New,
    /// It is watched by others.
    Shared,
    /// This one watches it already.
    Known,
    /// No more can be watched.
    Full,
}

impl Subscriptions {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Subscription>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches a resource, of which there are at most `most`. Entered before the server is asked, whose first word
    /// may overtake its answer.
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

    /// One watches it no longer; whether it was the last.
    pub fn leave(&self, uri: &str, follower: Follower) -> bool {
        let mut watched = self.lock();
        let Some(known) = watched.get_mut(uri) else { return false };
        let was_last = known.followers.remove(&follower) && known.followers.is_empty();
        if was_last {
            watched.remove(uri);
        }
        was_last
    }

    /// Nobody watches it any longer.
    pub fn remove(&self, uri: &str) {
        self.lock().remove(uri);
    }

    /// Whether it is watched.
    pub fn contains(&self, uri: &str) -> bool {
        self.lock().contains_key(uri)
    }

    /// What is watched.
    pub fn uris(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    /// The URIs of watched resources that change from now on.
    pub fn changes(&self) -> ResourceChanges {
        self.changes.subscribe()
    }

    /// Counts a change of the resource at `uri`, or of one below it; whether any of those is watched (SUB-13).
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
            // Nobody may be listening.
            let _unheard = self.changes.send(uri.into());
        }
        any
    }

    /// Those that the person watches, by URI.
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
        // Who has left already takes nobody's place.
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
        // Nothing is a part of the empty address.
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
