//! The pool of instances, and their leases. The number of instances is limited, because each may be a
//! process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mooring_base::clock::now_ms;
use mooring_base::server_id::ServerId;
use mooring_roots::AppRoots;
use tokio::time::Instant;

/// The most instances of one server, in addition to the shared one.
const MAX_OF_SERVER: usize = 8;
/// The most instances of all servers, in addition to the shared ones.
const MAX_OF_ALL: usize = 24;
/// How long an instance without a lease is kept. An app that restarts in this time gets its instance again.
pub(crate) const KEEP_TIME: Duration = Duration::from_mins(5);
/// A leased instance without a call for this long may be closed to make room for another.
const QUIET_TIME: Duration = Duration::from_mins(10);

/// One instance of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstanceId {
    /// The server.
    pub server: ServerId,
    /// 0 for the instance that all apps share. Other numbers are not reused in a run.
    pub number: u64,
}

/// The instance that all apps share.
impl From<ServerId> for InstanceId {
    fn from(server: ServerId) -> Self {
        Self { server, number: 0 }
    }
}

/// What an instance is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceKey {
    /// The instance's server.
    pub server: ServerId,
    /// The app that the instance is for. `None` for all apps.
    pub app: Option<Arc<str>>,
    /// The folders that the server sees as roots. `None` for the folders that the person shared with the
    /// server.
    pub roots: Option<AppRoots>,
    /// Whether the instance uses a session, next to a shared connection of the stateless era.
    pub in_session: bool,
}

impl InstanceKey {
    /// Whether all apps of the instance's era share it.
    pub fn is_shared(&self) -> bool {
        self.app.is_none() && self.roots.is_none()
    }
}

/// The instances of all servers, except the shared ones with number 0. An instance that all apps of an era
/// share doesn't count for the limits, because there is at most one for each server.
#[derive(Debug)]
pub struct InstancePool<C> {
    keep_time: Duration,
    quiet_time: Duration,
    instances: Mutex<Instances<C>>,
}

#[derive(Debug)]
struct Instances<C> {
    last: u64,
    by_number: BTreeMap<u64, Instance<C>>,
}

#[derive(Debug)]
struct Instance<C> {
    key: InstanceKey,
    connection: C,
    /// The number of leases.
    holders: usize,
    /// The number of requests that are running on the instance.
    running: usize,
    /// The time of the last use.
    used: Instant,
    used_ms: i64,
}

impl<C> Instance<C> {
    /// How long the instance has not been used. `None` if a request is running.
    fn idle_time(&self) -> Option<Duration> {
        (self.running == 0).then(|| self.used.elapsed())
    }

    fn mark_used(&mut self) {
        (self.used, self.used_ms) = (Instant::now(), now_ms());
    }
}

/// All instances are in use. Contains the number of instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolFull(pub usize);

/// A lease of an instance, until this is dropped.
#[derive(Debug)]
pub struct Lease<C> {
    pool: Arc<InstancePool<C>>,
    /// The instance.
    pub id: InstanceId,
}

/// A new lease, and the instance that it replaced.
#[derive(Debug)]
pub struct Held<C> {
    /// The lease.
    pub lease: Lease<C>,
    /// The server and the connection of an instance that made room. The caller must close it.
    pub replaced: Option<(ServerId, C)>,
}

/// A running request on an instance, until this is dropped.
#[derive(Debug)]
pub struct InstanceUse<C> {
    pool: Arc<InstancePool<C>>,
    number: u64,
}

/// The use of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstanceUsage {
    /// The time of the last use, in milliseconds since the Unix epoch.
    pub used_ms: i64,
    /// Whether the instance is leased or a request is running on it.
    pub is_held: bool,
}

impl<C> Default for InstancePool<C> {
    fn default() -> Self {
        Self::with_times(KEEP_TIME, QUIET_TIME)
    }
}

impl<C> InstancePool<C> {
    fn with_times(keep_time: Duration, quiet_time: Duration) -> Self {
        let instances = Mutex::new(Instances { last: 0, by_number: BTreeMap::new() });
        Self { keep_time, quiet_time, instances }
    }

    fn lock_instances(&self) -> MutexGuard<'_, Instances<C>> {
        self.instances.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leases the instance for `key`. If there is none, `make` creates its connection. `make` gets the
    /// instance's number.
    pub fn hold(
        self: &Arc<Self>,
        key: &InstanceKey,
        make: impl FnOnce(u64) -> C,
    ) -> Result<Held<C>, PoolFull> {
        let mut all = self.lock_instances();
        let known =
            all.by_number.iter().find(|(_, instance)| instance.key == *key).map(|(number, _)| *number);
        let (number, replaced) = if let Some(number) = known {
            (number, None)
        } else {
            let replaced = if key.is_shared() { None } else { all.make_room(key.server, self.quiet_time)? };
            all.last += 1;
            let number = all.last;
            let instance = Instance {
                key: key.clone(),
                connection: make(number),
                holders: 0,
                running: 0,
                used: Instant::now(),
                used_ms: now_ms(),
            };
            all.by_number.insert(number, instance);
            (number, replaced)
        };
        if let Some(instance) = all.by_number.get_mut(&number) {
            instance.holders += 1;
        }
        let id = InstanceId { server: key.server, number };
        Ok(Held { lease: Lease { pool: Arc::clone(self), id }, replaced })
    }

    /// Begins a request on an instance. Returns the result of `of` for the instance's connection, and the
    /// use. `None` if the instance has ended.
    pub fn begin_use<T>(
        self: &Arc<Self>,
        number: u64,
        of: impl FnOnce(&C) -> T,
    ) -> Option<(T, InstanceUse<C>)> {
        let mut all = self.lock_instances();
        let instance = all.by_number.get_mut(&number)?;
        instance.running += 1;
        instance.mark_used();
        Some((of(&instance.connection), InstanceUse { pool: Arc::clone(self), number }))
    }

    /// Applies `of` to each instance of one server, or of all servers.
    pub fn map<T>(
        &self,
        server: Option<ServerId>,
        mut of: impl FnMut(u64, &InstanceKey, &C, InstanceUsage) -> T,
    ) -> Vec<T> {
        let all = self.lock_instances();
        let meant =
            all.by_number.iter().filter(|(_, one)| server.is_none_or(|server| server == one.key.server));
        meant
            .map(|(number, one)| {
                let is_held = one.holders + one.running > 0;
                let usage = InstanceUsage { used_ms: one.used_ms, is_held };
                of(*number, &one.key, &one.connection, usage)
            })
            .collect()
    }

    /// Applies `of` to an instance's connection without counting it as a use. `None` if the instance has
    /// ended.
    pub fn read<T>(&self, number: u64, of: impl FnOnce(&C) -> T) -> Option<T> {
        self.lock_instances().by_number.get(&number).map(|instance| of(&instance.connection))
    }

    /// Removes an instance and returns its connection to be closed.
    pub fn remove(&self, id: InstanceId) -> Option<C> {
        let mut all = self.lock_instances();
        let is_meant = all.by_number.get(&id.number).is_some_and(|one| one.key.server == id.server);
        if is_meant { all.by_number.remove(&id.number).map(|one| one.connection) } else { None }
    }

    /// Removes the instances without a lease that have not been used for a while, and returns them to be
    /// closed.
    pub fn remove_unheld(&self) -> Vec<(ServerId, C)> {
        self.remove_where(|one| {
            one.holders == 0 && one.idle_time().is_some_and(|quiet| quiet >= self.keep_time)
        })
    }

    /// Removes all instances of a server, or of all servers, and returns them to be closed.
    pub fn remove_all(&self, server: Option<ServerId>) -> Vec<(ServerId, C)> {
        self.remove_where(|one| server.is_none_or(|server| server == one.key.server))
    }

    /// Removes a server's sessions next to a shared connection of the stateless era, and returns them to be
    /// closed.
    pub fn remove_sessions(&self, server: ServerId) -> Vec<(ServerId, C)> {
        self.remove_where(|one| one.key.in_session && one.key.server == server)
    }

    fn remove_where(&self, is_meant: impl Fn(&Instance<C>) -> bool) -> Vec<(ServerId, C)> {
        let mut all = self.lock_instances();
        let gone = all.by_number.extract_if(.., |_, one| is_meant(one));
        gone.map(|(_, one)| (one.key.server, one.connection)).collect()
    }
}

impl<C> Instances<C> {
    /// Makes room for another instance of a server. If there is none, removes an instance and returns it to
    /// be closed. It takes one without a lease if possible, and of these the one that has not been used for
    /// longest.
    fn make_room(
        &mut self,
        server: ServerId,
        quiet_time: Duration,
    ) -> Result<Option<(ServerId, C)>, PoolFull> {
        let of_server = |one: &Instance<C>| one.key.server == server;
        let counted = self.by_number.iter().filter(|(_, one)| !one.key.is_shared());
        let of_all = counted.clone().count();
        let of_own = counted.clone().filter(|(_, one)| of_server(one)).count();
        let is_own_full = of_own >= MAX_OF_SERVER;
        if !is_own_full && of_all < MAX_OF_ALL {
            return Ok(None);
        }
        let may_go = counted.filter(|(_, one)| !is_own_full || of_server(one)).filter_map(|(number, one)| {
            let quiet = one.idle_time()?;
            (one.holders == 0 || quiet >= quiet_time).then_some((one.holders == 0, quiet, *number))
        });
        let full = PoolFull(if is_own_full { of_own } else { of_all });
        let (_, _, number) = may_go.max().ok_or(full)?;
        Ok(self.by_number.remove(&number).map(|one| (one.key.server, one.connection)))
    }
}

impl<C> Lease<C> {
    /// Whether the instance still exists and its connection is usable.
    pub fn is_valid(&self, is_usable: impl FnOnce(&C) -> bool) -> bool {
        self.pool.read(self.id.number, is_usable).unwrap_or(false)
    }
}

impl<C> Drop for Lease<C> {
    fn drop(&mut self) {
        if let Some(instance) = self.pool.lock_instances().by_number.get_mut(&self.id.number) {
            instance.holders -= 1;
            instance.mark_used();
        }
    }
}

impl<C> Drop for InstanceUse<C> {
    fn drop(&mut self) {
        if let Some(instance) = self.pool.lock_instances().by_number.get_mut(&self.number) {
            instance.running -= 1;
            instance.mark_used();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pool = Arc<InstancePool<String>>;

    fn key(server: i64, app: &str) -> InstanceKey {
        InstanceKey { server: ServerId(server), app: Some(app.into()), roots: None, in_session: false }
    }

    fn hold(pool: &Pool, server: i64, app: &str) -> Result<(Lease<String>, Option<String>), PoolFull> {
        let Held { lease, replaced } = pool.hold(&key(server, app), |_| app.to_owned())?;
        Ok((lease, replaced.map(|(_, connection)| connection)))
    }

    const NEVER: Duration = Duration::MAX;

    #[tokio::test]
    async fn an_instance_outlives_its_last_holder_for_a_while() {
        let kept = Pool::default();
        drop(hold(&kept, 1, "a").unwrap());
        assert!(kept.remove_unheld().is_empty());

        let pool = Arc::new(InstancePool::with_times(Duration::ZERO, NEVER));
        let (first, _) = hold(&pool, 1, "a").unwrap();
        let (again, _) = hold(&pool, 1, "a").unwrap();
        let (other, _) = hold(&pool, 1, "b").unwrap();
        assert!(first.id == again.id && first.id != other.id);
        drop(first);
        assert!(pool.remove_unheld().is_empty());
        // A request continues after the lease has ended.
        let (_, running) = pool.begin_use(1, Clone::clone).unwrap();
        drop(again);
        assert!(pool.remove_unheld().is_empty());
        drop(running);
        assert_eq!(pool.remove_unheld(), [(ServerId(1), "a".to_owned())]);
        assert!(other.is_valid(|_| true) && !other.is_valid(|_| false));
        assert!(pool.begin_use(1, Clone::clone).is_none());
        // Numbers are not reused, and an instance is only removed with its own server.
        assert_eq!(hold(&pool, 1, "a").unwrap().0.id.number, 3);
        assert_eq!(pool.remove(InstanceId { server: ServerId(2), number: other.id.number }), None);
        assert_eq!(pool.remove(other.id), Some("b".to_owned()));
        assert!(!other.is_valid(|_| true));
    }

    #[tokio::test]
    async fn a_full_server_gives_the_place_of_what_is_not_used() {
        let fill = |pool: &Pool| -> Vec<_> {
            (0..MAX_OF_SERVER).map(|number| hold(pool, 1, &number.to_string()).unwrap().0).collect()
        };
        let pool = Arc::new(InstancePool::with_times(NEVER, NEVER));
        let mut leases = fill(&pool);
        assert_eq!(hold(&pool, 1, "more").unwrap_err(), PoolFull(MAX_OF_SERVER));
        // Another server has its own limit.
        assert!(hold(&pool, 2, "more").unwrap().1.is_none());
        drop(leases.remove(3));
        assert_eq!(hold(&pool, 1, "x").unwrap().1.as_deref(), Some("3"));

        // Leased instances without a recent call may also be replaced. The one that has not been used for
        // longest goes first.
        let pool = Arc::new(InstancePool::with_times(NEVER, Duration::ZERO));
        let leases = fill(&pool);
        let (_, running) = pool.begin_use(1, Clone::clone).unwrap();
        drop(pool.begin_use(2, Clone::clone));
        assert_eq!(hold(&pool, 1, "y").unwrap().1.as_deref(), Some("2"));
        drop((running, leases));
    }

    #[tokio::test]
    async fn all_servers_together_have_so_many() {
        let pool = Pool::default();
        let leases: Vec<_> = (0..MAX_OF_ALL)
            .map(|number| hold(&pool, i64::try_from(number).unwrap(), "a").unwrap().0)
            .collect();
        assert_eq!(hold(&pool, 100, "a").unwrap_err(), PoolFull(MAX_OF_ALL));
        drop(leases);
        assert!(hold(&pool, 100, "a").unwrap().1.is_some());
        assert_eq!(pool.remove_all(None).len(), MAX_OF_ALL);
    }
}
