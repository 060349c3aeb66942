//! Places for connections: a few for connections that have not identified their app yet, and a share for each
//! app. If there are too many connections, the owner with the most of them loses the one that has been idle
//! for longest.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::{Owner, lock};

/// Limits on the number of connections.
#[derive(Debug, Clone, Copy)]
pub struct PlaceLimits {
    /// The most unidentified connections.
    pub unnamed: usize,
    /// The most connections of one app.
    pub of_app: usize,
    /// The most connections of all apps.
    pub of_all: usize,
    /// Whether an app at its limit gets a new connection in place of an idle connection of its own. This
    /// doesn't help if the replaced connection would reconnect at once.
    pub replaces_own: bool,
}

/// All connections of one kind.
#[derive(Debug)]
pub struct Places {
    limits: PlaceLimits,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    next: u64,
    by_number: BTreeMap<u64, Connection>,
}

#[derive(Debug)]
struct Connection {
    owner: Option<Owner>,
    /// The process at the other end, if it is known.
    peer: Option<i32>,
    /// The number of current uses. See [`PlaceUse`].
    uses: usize,
    idle_since: Instant,
    /// Never sent. When this is dropped, the receiver ends, and the connection closes.
    _open: oneshot::Sender<()>,
}

/// The place of one connection, until this is dropped.
#[derive(Debug)]
pub struct Place {
    places: Arc<Places>,
    number: u64,
}

/// A use of a connection, until this is dropped. A connection in use is not replaced.
#[derive(Debug)]
pub struct PlaceUse(Arc<Place>);

impl Places {
    /// Creates places that are all free.
    pub fn new(limits: PlaceLimits) -> Arc<Self> {
        Arc::new(Self { limits, taken: Mutex::default() })
    }

    /// Gives an unidentified connection a place. The returned receiver ends when the place is given to
    /// another connection. This connection must then be closed.
    pub fn take(self: &Arc<Self>, peer: Option<i32>) -> (Arc<Place>, oneshot::Receiver<()>) {
        let mut taken = lock(&self.taken);
        if taken.count_connections(|connection| connection.owner.is_none()) >= self.limits.unnamed {
            let of_most = taken.find_longest_idle(|one| one.owner.is_none().then_some(one.peer));
            // If all connections are in use, none is idle. The oldest one is then replaced.
            let first = || taken.by_number.iter().find(|(_, one)| one.owner.is_none()).map(|(it, _)| *it);
            if let Some(number) = of_most.map(|(_, number)| number).or_else(first) {
                taken.by_number.remove(&number);
            }
        }
        let (open, closed) = oneshot::channel();
        let number = taken.next;
        taken.next += 1;
        let connection = Connection { owner: None, peer, uses: 0, idle_since: Instant::now(), _open: open };
        taken.by_number.insert(number, connection);
        drop(taken);
        (Arc::new(Place { places: Arc::clone(self), number }), closed)
    }

    /// The connection that is replaced by another one of `owner`. `None` if there is room. The error is a
    /// message for the app.
    fn find_replaced(&self, taken: &Taken, owner: &Owner, peer: Option<i32>) -> Result<Option<u64>, String> {
        let own = taken.count_connections(|one| one.owner.as_ref() == Some(owner));
        if own >= self.limits.of_app {
            let idle = || taken.find_longest_idle(|one| (one.owner.as_ref() == Some(owner)).then_some(()));
            let replaced = if self.limits.replaces_own { idle() } else { None };
            return match replaced {
                Some((_, number)) => Ok(Some(number)),
                None => {
                    Err(format!("{} has {own} connections already, as many as an app may have", owner.app))
                }
            };
        }
        let named = taken.count_connections(|one| one.owner.is_some());
        if named < self.limits.of_all {
            return Ok(None);
        }
        let of_peer = taken.count_connections(|one| one.owner.is_some() && one.peer == peer);
        let of_app = taken.find_longest_idle(|one| one.owner.clone()).filter(|(count, _)| *count > own + 1);
        let of_other_peer = || {
            let most = taken.find_longest_idle(|one| one.owner.as_ref().and(one.peer));
            most.filter(|(count, _)| *count > of_peer + 1)
        };
        let unproven = || {
            let is_meant = |one: &Connection| one.owner.as_ref().is_some_and(|other| !other.is_proven);
            taken.find_longest_idle(|one| is_meant(one).then_some(())).filter(|_| owner.is_proven)
        };
        match of_app.or_else(of_other_peer).or_else(unproven) {
            Some((_, number)) => Ok(Some(number)),
            None => Err(format!("{named} connections of apps are open already, as many as there may be")),
        }
    }
}

impl Taken {
    fn count_connections(&self, is_meant: impl Fn(&Connection) -> bool) -> usize {
        self.by_number.values().filter(|connection| is_meant(connection)).count()
    }

    /// Of the owners that have an idle connection, takes the one with the most connections. Returns the
    /// number of its connections, and its connection that has been idle for longest. `whose` returns the
    /// owner of a connection.
    fn find_longest_idle<K: Hash + Eq>(
        &self,
        whose: impl Fn(&Connection) -> Option<K>,
    ) -> Option<(usize, u64)> {
        let mut by_whose: HashMap<K, (usize, Option<(Instant, u64)>)> = HashMap::new();
        for (number, connection) in &self.by_number {
            let Some(whose) = whose(connection) else { continue };
            let (count, longest) = by_whose.entry(whose).or_default();
            *count += 1;
            let idle = (connection.idle_since, *number);
            if connection.uses == 0 && longest.is_none_or(|longest| idle < longest) {
                *longest = Some(idle);
            }
        }
        let idle = by_whose.into_values().filter_map(|(count, longest)| Some((count, Reverse(longest?))));
        idle.max().map(|(count, Reverse((_, number)))| (count, number))
    }
}

impl Place {
    /// Sets the connection's owner. An error means that the connection must be closed. It is a message for
    /// the app with the reason.
    pub fn name(&self, owner: &Owner) -> Result<(), String> {
        let mut taken = lock(&self.places.taken);
        let Some(own) = taken.by_number.get(&self.number) else {
            return Err("another connection needed the place of this one".to_owned());
        };
        if own.owner.as_ref() == Some(owner) {
            return Ok(());
        }
        let replaced = self.places.find_replaced(&taken, owner, own.peer)?;
        if let Some(replaced) = replaced {
            taken.by_number.remove(&replaced);
        }
        if let Some(own) = taken.by_number.get_mut(&self.number) {
            own.owner = Some(owner.clone());
        }
        Ok(())
    }

    /// Whether the connection's owner is known.
    pub fn is_named(&self) -> bool {
        lock(&self.places.taken).by_number.get(&self.number).is_some_and(|own| own.owner.is_some())
    }

    /// Begins a use of the connection. Until it ends, the connection is not replaced.
    pub fn begin_use(self: &Arc<Self>) -> PlaceUse {
        if let Some(own) = lock(&self.places.taken).by_number.get_mut(&self.number) {
            own.uses += 1;
        }
        PlaceUse(Arc::clone(self))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.places.taken).by_number.remove(&self.number);
    }
}

impl Drop for PlaceUse {
    fn drop(&mut self) {
        if let Some(own) = lock(&self.0.places.taken).by_number.get_mut(&self.0.number) {
            own.uses -= 1;
            own.idle_since = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: PlaceLimits = PlaceLimits { unnamed: 3, of_app: 3, of_all: 6, replaces_own: false };

    type Open = (Arc<Place>, oneshot::Receiver<()>);

    fn owner(app: &str, is_proven: bool) -> Owner {
        Owner { app: app.into(), is_proven }
    }

    fn is_open(open: &mut Open) -> bool {
        open.1.try_recv() == Err(oneshot::error::TryRecvError::Empty)
    }

    /// Opens a connection of an app.
    fn connect(places: &Arc<Places>, app: &str, is_proven: bool, peer: i32) -> Result<Open, String> {
        let open = places.take(Some(peer));
        open.0.name(&owner(app, is_proven)).map(|()| open)
    }

    #[tokio::test]
    async fn the_oldest_that_says_nothing_makes_room() {
        let places = Places::new(LIMITS);
        let mut silent: Vec<Open> = (0..3).map(|_| places.take(Some(1))).collect();
        let mut other = places.take(Some(2));
        let open: Vec<bool> = silent.iter_mut().map(is_open).collect();
        assert_eq!(open, [false, true, true]);
        // A process with many connections makes room before another process with one connection.
        let _many: Vec<Open> = (0..100).map(|_| places.take(Some(1))).collect();
        assert!(is_open(&mut other));
        other.0.name(&owner("a", false)).unwrap();
        assert_eq!(places.taken.lock().unwrap().by_number.len(), 3);
    }

    #[tokio::test]
    async fn one_that_is_being_looked_at_stays_while_others_do_not() {
        let places = Places::new(LIMITS);
        let mut first = places.take(None);
        let using = first.0.begin_use();
        let _others: Vec<Open> = (0..10).map(|_| places.take(None)).collect();
        assert!(is_open(&mut first));
        drop(using);
        let _others: Vec<Open> = (0..10).map(|_| places.take(None)).collect();
        assert!(!is_open(&mut first) && first.0.name(&owner("a", false)).is_err());
    }

    #[tokio::test]
    async fn an_app_has_its_share_and_is_told_of_it() {
        let places = Places::new(LIMITS);
        let mut of_a: Vec<Open> = (0..3).map(|_| connect(&places, "a", false, 1).unwrap()).collect();
        let refused = connect(&places, "a", false, 1).unwrap_err();
        assert_eq!(refused, "a has 3 connections already, as many as an app may have");
        // An app with the same name that has proven it is another app.
        let _proven = connect(&places, "a", true, 1).unwrap();
        assert!(of_a.iter_mut().all(is_open));
        // If connections don't come back by themselves, the app's own that has been idle for longest is
        // replaced.
        let places = Places::new(PlaceLimits { replaces_own: true, ..LIMITS });
        let mut of_a: Vec<Open> = (0..3).map(|_| connect(&places, "a", false, 1).unwrap()).collect();
        let using = of_a[0].0.begin_use();
        let _another = connect(&places, "a", false, 1).unwrap();
        assert_eq!(of_a.iter_mut().map(is_open).collect::<Vec<_>>(), [true, false, true]);
        drop(using);
    }

    #[tokio::test]
    async fn where_all_is_taken_whoever_has_most_makes_room() {
        let places = Places::new(LIMITS);
        let mut of_a: Vec<Open> = (0..3).map(|_| connect(&places, "a", false, 1).unwrap()).collect();
        let mut of_b: Vec<Open> = (0..3).map(|_| connect(&places, "b", false, 1).unwrap()).collect();
        drop(of_a[0].0.begin_use());
        drop(of_b[0].0.begin_use());
        let mut of_c = connect(&places, "c", false, 1).unwrap();
        assert_eq!(of_a.iter_mut().map(is_open).collect::<Vec<_>>(), [true, false, true]);
        let other_of_c = connect(&places, "c", false, 1).unwrap();
        assert_eq!(of_b.iter_mut().map(is_open).collect::<Vec<_>>(), [true, false, true]);
        // All owners have equally many connections now. None is replaced, or two apps that reconnect would
        // replace each other forever.
        let refused = connect(&places, "a", false, 1).unwrap_err();
        assert_eq!(refused, "6 connections of apps are open already, as many as there may be");
        assert!(is_open(&mut of_c));
        // Connections in use are not replaced.
        let all = of_a.iter().chain(&of_b).chain([&of_c, &other_of_c]);
        let _in_use: Vec<PlaceUse> = all.map(|open| open.0.begin_use()).collect();
        assert!(connect(&places, "d", false, 1).is_err());
    }

    #[tokio::test]
    async fn names_of_one_process_and_names_without_proof_make_room() {
        let places = Places::new(LIMITS);
        let mut names: Vec<Open> =
            (0..6).map(|number| connect(&places, &format!("n{number}"), false, 1).unwrap()).collect();
        let _other = connect(&places, "editor", false, 2).unwrap();
        assert!(!is_open(&mut names[0]) && is_open(&mut names[1]));
        // Each name is from another process.
        let places = Places::new(LIMITS);
        let mut names: Vec<Open> =
            (0..6).map(|number| connect(&places, &format!("n{number}"), false, number).unwrap()).collect();
        assert!(connect(&places, "editor", false, 9).is_err());
        let _proven = connect(&places, "editor", true, 9).unwrap();
        assert!(!is_open(&mut names[0]) && is_open(&mut names[1]));
    }

    #[tokio::test]
    async fn a_connection_that_ends_gives_its_place_back() {
        let places = Places::new(LIMITS);
        for _ in 0..10 {
            let (place, _closed) = connect(&places, "a", false, 1).unwrap();
            let using = place.begin_use();
            drop(place);
            drop(using);
        }
        assert!(places.taken.lock().unwrap().by_number.is_empty());
    }
}
