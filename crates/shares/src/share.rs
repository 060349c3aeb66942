//! The share of an app, for all its connections together: messages and bytes per second, concurrent requests,
//! and memory for incomplete messages. An app that exceeds its share has to wait, without affecting others.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_base::rate::{Rate, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep};

use crate::{Owner, lock};

/// Incomplete messages up to this size in bytes don't count, on any connection.
pub const SMALL_MESSAGE: usize = 64 << 10;
/// How long a message longer than [`SMALL_MESSAGE`] may take from its first to its last byte.
pub const MESSAGE_TIMEOUT: Duration = Duration::from_secs(30);
/// The total size of one app's incomplete messages, in KiB. Small messages don't count.
const UNFINISHED_OF_APP: usize = 8 << 10;
/// The total size of the incomplete messages of all proven apps, and of all other apps, in KiB.
const UNFINISHED_OF_PROVEN: usize = 24 << 10;
const UNFINISHED_OF_OTHERS: usize = 16 << 10;
/// A message up to this size in bytes only counts by its size. Of longer messages, an app may have one at a
/// time, and all apps together a few.
pub const LONG_MESSAGE: usize = 4 << 20;
/// The most messages longer than [`LONG_MESSAGE`] of all proven apps, and of all other apps.
const LONGER_OF_PROVEN: usize = 2;
const LONGER_OF_OTHERS: usize = 1;
/// The parts of the log's queue for one app and for all apps, in KiB. The rest is for decisions about calls.
const LOG_OF_APP: usize = 2 << 10;
const LOG_OF_ALL: usize = 8 << 10;
/// The most requests of one app that run at once, over all its connections.
pub const REQUESTS_OF_APP: usize = 256;
/// How long an app counts as active after its last message. People and models pause between calls.
const ACTIVE_TIME: Duration = Duration::from_secs(10);
/// The cost of the start of a session, in messages.
pub const SESSION_COST: usize = 20;

/// The shares of all apps.
#[derive(Debug)]
pub struct Shares {
    by_owner: Mutex<HashMap<Owner, Arc<Share>>>,
    of_proven: Unfinished,
    of_others: Unfinished,
    log_of_all: Arc<Semaphore>,
    latest: Arc<LatestApps>,
    /// The share of requests from unknown apps.
    pub of_nobody: Share,
}

/// Limits on incomplete messages, for one app or for many.
#[derive(Debug, Clone)]
struct Unfinished {
    /// Room in KiB.
    all: Arc<Semaphore>,
    /// Number of messages longer than [`LONG_MESSAGE`].
    longer: Arc<Semaphore>,
}

impl Unfinished {
    fn new(all: usize, longer: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(all)), longer: Arc::new(Semaphore::new(longer)) }
    }
}

/// The last two apps that sent a message or got a response, with the times. For any app, one of the two is
/// another app.
#[derive(Debug, Default)]
struct LatestApps {
    latest: Mutex<[Option<(u64, Instant)>; 2]>,
    /// The number of awaited requests that are running, of all proven apps.
    running: AtomicUsize,
}

/// One app's share.
#[derive(Debug)]
pub struct Share {
    number: u64,
    is_proven: bool,
    latest: Arc<LatestApps>,
    requests: Arc<Semaphore>,
    limiter: Mutex<RateLimiter>,
    unfinished: Unfinished,
    unfinished_of_all: Unfinished,
    log: Arc<Semaphore>,
    log_of_all: Arc<Semaphore>,
}

/// Room for an incomplete message or in the log's queue, until this is dropped.
#[derive(Debug)]
pub struct Room {
    _own: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

/// A running request of an app, until this is dropped.
#[derive(Debug)]
pub struct RunningRequest {
    share: Arc<Share>,
    /// Whether the app is proven and waits for the response.
    is_awaited: bool,
    _permit: OwnedSemaphorePermit,
}

impl Default for Shares {
    fn default() -> Self {
        let of_others = Unfinished::new(UNFINISHED_OF_OTHERS, LONGER_OF_OTHERS);
        let log_of_all = Arc::new(Semaphore::new(LOG_OF_ALL));
        let latest = Arc::default();
        Self {
            by_owner: Mutex::default(),
            of_proven: Unfinished::new(UNFINISHED_OF_PROVEN, LONGER_OF_PROVEN),
            // With a `LatestApps` of its own, it doesn't count as an active app.
            of_nobody: Share::new(false, &of_others, &log_of_all, &Arc::default()),
            of_others,
            log_of_all,
            latest,
        }
    }
}

impl Shares {
    /// The share of an app's connections. The app has one share for all of them.
    pub fn of(&self, owner: &Owner) -> Arc<Share> {
        let mut by_owner = lock(&self.by_owner);
        if let Some(share) = by_owner.get(owner) {
            return Arc::clone(share);
        }
        // An unused share is removed once a new one would allow the same.
        by_owner.retain(|_, share| Arc::strong_count(share) > 1 || !share.is_untouched());
        let of_all = if owner.is_proven { &self.of_proven } else { &self.of_others };
        let share = Arc::new(Share::new(owner.is_proven, of_all, &self.log_of_all, &self.latest));
        by_owner.insert(owner.clone(), Arc::clone(&share));
        share
    }
}

impl Share {
    fn new(
        is_proven: bool,
        unfinished_of_all: &Unfinished,
        log_of_all: &Arc<Semaphore>,
        latest: &Arc<LatestApps>,
    ) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            is_proven,
            latest: Arc::clone(latest),
            requests: Arc::new(Semaphore::new(REQUESTS_OF_APP)),
            limiter: Mutex::default(),
            unfinished: Unfinished::new(UNFINISHED_OF_APP, 1),
            unfinished_of_all: unfinished_of_all.clone(),
            log: Arc::new(Semaphore::new(LOG_OF_APP)),
            log_of_all: Arc::clone(log_of_all),
        }
    }

    fn is_untouched(&self) -> bool {
        lock(&self.limiter).is_full(&Rate::default(), Instant::now().into_std())
    }

    /// Charges received messages. Returns how long the app must wait if it sent too much. See
    /// [`Self::until_paid`].
    pub fn charge(&self, messages: usize, bytes: usize) -> Option<Duration> {
        let now = Instant::now();
        if messages > 0 {
            self.latest.note_activity(self.number, now);
        }
        let taken = lock(&self.limiter).take(messages, bytes, &Rate::default(), now.into_std());
        taken.map(|(wait, _)| wait)
    }

    /// Begins a request. `None` if [`REQUESTS_OF_APP`] requests are running. `is_awaited` is whether the app
    /// waits for the response and receives nothing else meanwhile.
    pub fn begin_request(self: &Arc<Self>, is_awaited: bool) -> Option<RunningRequest> {
        let permit = Arc::clone(&self.requests).try_acquire_owned().ok()?;
        // An app without proof doesn't count, because any process can use its name and let requests run
        // forever.
        let is_awaited = is_awaited && self.is_proven;
        if is_awaited {
            self.latest.running.fetch_add(1, Ordering::Relaxed);
        }
        Some(RunningRequest { share: Arc::clone(self), is_awaited, _permit: permit })
    }

    /// Waits until the app may send more messages.
    pub async fn until_paid(&self) {
        while let Some(wait) = self.charge(0, 0) {
            sleep(wait).await;
        }
    }

    /// Waits until there is room for an incomplete message of `bytes` bytes. Room is given in the order of
    /// the calls.
    pub async fn room_for(&self, bytes: usize) -> Option<Room> {
        Room::of([&self.unfinished.all, &self.unfinished_of_all.all], bytes.div_ceil(1 << 10)).await
    }

    /// Waits until a message that already has room may exceed [`LONG_MESSAGE`]. An app has one such message
    /// at a time.
    pub async fn room_for_longer(&self) -> Option<Room> {
        Room::of([&self.unfinished.longer, &self.unfinished_of_all.longer], 1).await
    }

    /// Waits until there is room for `bytes` bytes in the queue of the log's writer. A message that needs
    /// more than the app's share gets all of the share.
    pub async fn room_in_log(&self, bytes: usize) -> Option<Room> {
        Room::of([&self.log, &self.log_of_all], bytes.div_ceil(1 << 10).min(LOG_OF_APP)).await
    }
}

impl LatestApps {
    fn note_activity(&self, number: u64, now: Instant) {
        let mut latest = lock(&self.latest);
        let [newest, other] = &mut *latest;
        if newest.is_some_and(|(of, _)| of != number) {
            *other = *newest;
        }
        *newest = Some((number, now));
    }

    /// Whether no other app uses servers: none has a running request or was active recently.
    fn is_alone(&self, number: u64, own_requests: usize, now: Instant) -> bool {
        let sends = |(of, at): &(u64, Instant)| *of != number && now.duration_since(*at) < ACTIVE_TIME;
        self.running.load(Ordering::Relaxed) <= own_requests
            && !lock(&self.latest).iter().flatten().any(sends)
    }
}

impl Drop for RunningRequest {
    /// Refunds the request's message to a proven app if no other app uses servers. An app that waits for responses then pays
    /// nothing, because it can't send more messages than are answered.
    fn drop(&mut self) {
        let (share, now) = (&self.share, Instant::now());
        let own_requests = REQUESTS_OF_APP - share.requests.available_permits();
        if share.is_proven && share.latest.is_alone(share.number, own_requests, now) {
            lock(&share.limiter).put_back(1, &Rate::default());
        }
        if self.is_awaited {
            // An app with a long call used servers until now.
            share.latest.note_activity(share.number, now);
            share.latest.running.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Room {
    async fn of([own, of_all]: [&Arc<Semaphore>; 2], parts: usize) -> Option<Self> {
        let parts = u32::try_from(parts).ok()?;
        // The semaphores are never closed.
        let own = Arc::clone(own).acquire_many_owned(parts).await.ok()?;
        let of_all = Arc::clone(of_all).acquire_many_owned(parts).await.ok()?;
        Some(Self { _own: own, _of_all: of_all })
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn owner(app: &str, is_proven: bool) -> Owner {
        Owner { app: app.into(), is_proven }
    }

    /// The output of a future that is ready at once. `None` if it waits.
    fn at_once<T>(future: impl Future<Output = Option<T>>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => value,
            Poll::Pending => None,
        }
    }

    #[tokio::test]
    async fn an_app_that_sends_too_much_waits_and_no_other_does() {
        let shares = Shares::default();
        let flooding = shares.of(&owner("a", false));
        let wait = flooding.charge(32_000, 0);
        assert!(wait.is_some_and(|wait| wait > Duration::from_secs(29)), "{wait:?}");
        // All its connections count together. An app with the same name that has proven it is another app.
        assert!(shares.of(&owner("a", false)).charge(0, 0).is_some());
        for other in [owner("b", false), owner("a", true)] {
            shares.of(&other).until_paid().await;
        }
        let began = Instant::now();
        let slow = shares.of(&owner("c", false));
        slow.charge(2_100, 0);
        slow.until_paid().await;
        assert!(began.elapsed() >= Duration::from_millis(90), "{:?}", began.elapsed());
    }

    #[test]
    fn answered_requests_cost_an_app_nothing_while_no_other_sends() {
        let waits = |is_proven, has_other| {
            // The apps of one case don't affect the apps of another case.
            let shares = Shares::default();
            let [app, other] =
                [("app", is_proven), ("other", true)].map(|(it, proven)| shares.of(&owner(it, proven)));
            for _ in 0..10_000 {
                if has_other {
                    other.charge(1, 0);
                }
                app.charge(1, 0);
                drop(app.begin_request(true).unwrap());
            }
            app.charge(0, 0).is_some()
        };
        assert!(!waits(true, false));
        assert!(waits(false, false), "anybody can say a name");
        assert!(waits(true, true));
    }

    #[test]
    fn one_that_pauses_or_waits_for_an_answer_is_there_still() {
        let (latest, began) = (LatestApps::default(), Instant::now());
        let after = |seconds| began + Duration::from_secs(seconds);
        assert!(latest.is_alone(1, 0, began));
        latest.note_activity(1, after(60));
        assert!(latest.is_alone(1, 0, after(60)) && !latest.is_alone(2, 0, after(69)));
        latest.note_activity(2, after(61));
        latest.note_activity(1, after(69));
        assert!(!latest.is_alone(1, 0, after(70)) && latest.is_alone(1, 0, after(71)));
        // Two requests of the app, and one of another app.
        latest.running.store(3, Ordering::Relaxed);
        assert!(!latest.is_alone(1, 2, after(600)) && latest.is_alone(1, 3, after(600)));
    }

    #[test]
    fn what_others_do_makes_an_app_busy_or_not() {
        let slows_down = |other: &dyn Fn(&Shares) -> Option<RunningRequest>| {
            let shares = Shares::default();
            let app = shares.of(&owner("app", true));
            let _held = other(&shares);
            for _ in 0..10_000 {
                app.charge(1, 0);
                drop(app.begin_request(true).unwrap());
            }
            app.charge(0, 0).is_some()
        };
        let begin = |shares: &Shares, is_proven, is_awaited| {
            shares.of(&owner("other", is_proven)).begin_request(is_awaited)
        };
        assert!(slows_down(&|shares| begin(shares, true, true)));
        // An app whose request has just ended.
        assert!(slows_down(&|shares| begin(shares, true, true).and(None)));
        // An app whose request is not awaited, an app without proof, and requests from unknown apps.
        assert!(!slows_down(&|shares| begin(shares, true, false)));
        assert!(!slows_down(&|shares| begin(shares, false, true)));
        assert!(!slows_down(&|shares| {
            shares.of_nobody.charge(1, 0);
            None
        }));
    }

    #[test]
    fn so_many_requests_of_an_app_run_at_once() {
        let shares = Shares::default();
        let app = shares.of(&owner("a", true));
        let mut running: Vec<_> = (0..REQUESTS_OF_APP).map(|_| app.begin_request(true).unwrap()).collect();
        assert!(shares.of(&owner("a", true)).begin_request(true).is_none());
        assert!(shares.of(&owner("b", true)).begin_request(true).is_some());
        running.pop();
        assert!(app.begin_request(true).is_some());
    }

    #[test]
    fn an_app_that_comes_again_has_not_paid_by_that() {
        let shares = Shares::default();
        shares.of(&owner("a", false)).charge(32_000, 0);
        // Names cost nothing, and their shares are removed.
        for number in 0..1_000 {
            shares.of(&owner(&format!("n{number}"), false));
        }
        let held = lock(&shares.by_owner).len();
        assert!(held <= 2, "{held}");
        assert!(shares.of(&owner("a", false)).charge(0, 0).is_some());
    }

    #[test]
    fn what_has_not_come_whole_is_bounded_by_app_and_in_all() {
        let shares = Shares::default();
        let longest = |share: &Share| at_once(share.room_for(4 << 20));
        let one = shares.of(&owner("a", false));
        let mut held = vec![longest(&one).unwrap(), longest(&one).unwrap()];
        assert!(longest(&one).is_none(), "one app has all that it may have");
        let other = shares.of(&owner("b", false));
        held.extend([longest(&other).unwrap(), longest(&other).unwrap()]);
        assert!(longest(&shares.of(&owner("c", false))).is_none(), "all names have it together");
        // Messages of apps without proof take no room from a proven app.
        assert!(longest(&shares.of(&owner("a", true))).is_some());
        held.clear();
        assert!(longest(&one).is_some());
    }

    #[test]
    fn the_longest_messages_come_one_at_a_time() {
        let shares = Shares::default();
        let longer = |share: &Share| at_once(share.room_for_longer());
        let (one, other) = (shares.of(&owner("a", true)), shares.of(&owner("b", true)));
        let held = longer(&one).unwrap();
        assert!(longer(&one).is_none(), "one app has one");
        let of_other = longer(&other).unwrap();
        assert!(longer(&shares.of(&owner("c", true))).is_none(), "all have two");
        // All apps without proof may have one such message together. It doesn't count for proven apps.
        let of_name = longer(&shares.of(&owner("a", false))).unwrap();
        assert!(longer(&shares.of(&owner("b", false))).is_none());
        drop((held, of_other, of_name));
        assert!(longer(&one).is_some());
    }

    #[test]
    fn no_app_has_the_whole_queue_of_the_log() {
        let shares = Shares::default();
        let in_queue = |share: &Share, bytes| at_once(share.room_in_log(bytes));
        let one = shares.of(&owner("a", false));
        let longest = in_queue(&one, 4 << 20).unwrap();
        assert!(in_queue(&one, 1).is_none(), "one app has its part");
        // Another app doesn't wait for it.
        assert!(in_queue(&shares.of(&owner("b", false)), 2 << 20).is_some());
        drop(longest);
        assert!(in_queue(&one, 1).is_some());
    }
}
