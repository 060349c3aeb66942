//! The sessions of apps at HTTP: bounded, and ended when an app has not been heard of for long. Many never say goodbye.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_app_access::AppConnection;
use mooring_approvals::AppIdentity;
use mooring_host::Host;
use mooring_shares::Shares;
use mooring_vault::random_id;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::catalogues::Catalogues;
use crate::locked::locked;
use crate::outbox::{Keep, Outbox, Stream};
use crate::session::Session;
use crate::view::AppView;

/// The most sessions of all apps. Another one takes the place of the one that was idle the longest.
const MAX_SESSIONS: usize = 64;
/// How long a session without a connection lasts.
const IDLE_TIMEOUT: Duration = Duration::from_mins(30);
/// How often it is looked for such sessions.
const EXPIRY_INTERVAL: Duration = Duration::from_mins(1);
/// The most sessions of one app. Another one takes the place of its own that was idle the longest.
const MAX_OF_APP: usize = 16;
/// The most streams of one session that are held.
const MAX_STREAMS: usize = 128;
/// How long the answer to a request that an app has lost is held.
const REPLAY_TIME: Duration = Duration::from_mins(1);
/// What is held for an app that does not listen, in bytes.
const GENERAL_STREAM_BYTES: usize = 64 << 10;

/// What a session is for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SessionKind {
    /// A client began it, and names it in every request.
    Named,
    /// The requests of an app that stand alone: no client knows it.
    Alone {
        /// The server that they are for, where that is one alone.
        server: Option<String>,
    },
}

/// One session, and the streams that an app may come back for.
pub(crate) struct HttpSession {
    pub(crate) id: String,
    /// With the token that it began with.
    owner: AppIdentity,
    kind: SessionKind,
    pub(crate) session: Arc<Session>,
    /// Number 0 is of what belongs to no request.
    streams: Mutex<BTreeMap<u64, HeldStream>>,
    /// The number of the next: none is given twice.
    next_stream: AtomicU64,
    used: Mutex<Instant>,
    /// How many streams are being read.
    readers: AtomicUsize,
    /// Tells the app what changes.
    follows: Mutex<JoinSet<()>>,
    /// An app that began a session is connected.
    _connected: Option<AppConnection>,
}

/// A stream that an app may come back for.
struct HeldStream {
    stream: Arc<Stream>,
    /// Since when it has ended, as far as that was seen.
    ended: Option<Instant>,
}

/// Somebody uses a session until this is dropped.
pub(crate) struct Reading(Arc<HttpSession>);

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::Relaxed);
        *locked(&self.0.used) = Instant::now();
    }
}

impl HttpSession {
    /// Holds the stream of the answer to a message, which an app may lose, and gives it a number.
    pub(crate) fn add_stream(&self, stream: &Arc<Stream>) -> u64 {
        let number = self.next_stream.fetch_add(1, Ordering::Relaxed);
        self.forget_streams();
        let mut streams = locked(&self.streams);
        while streams.len() > MAX_STREAMS {
            // The first is of what belongs to no request.
            let Some(oldest) = streams.keys().nth(1).copied() else { break };
            streams.remove(&oldest);
        }
        streams.insert(number, HeldStream { stream: Arc::clone(stream), ended: None });
        number
    }

    /// Forgets streams that have ended long enough ago.
    fn forget_streams(&self) {
        let now = Instant::now();
        locked(&self.streams).retain(|number, held| {
            if held.stream.has_ended() {
                held.ended.get_or_insert(now);
            }
            *number == 0 || held.ended.is_none_or(|ended| now - ended < REPLAY_TIME)
        });
    }

    /// The stream of this number, if it is still held.
    pub(crate) fn stream(&self, number: u64) -> Option<Arc<Stream>> {
        locked(&self.streams).get(&number).map(|held| Arc::clone(&held.stream))
    }

    pub(crate) fn read(self: &Arc<Self>) -> Reading {
        self.readers.fetch_add(1, Ordering::Relaxed);
        Reading(Arc::clone(self))
    }

    /// Since when nobody uses it; none: somebody does.
    fn idle_since(&self) -> Option<Instant> {
        // A call that waits for the app's answers is in use.
        let is_used = self.readers.load(Ordering::Relaxed) > 0 || self.session.stateless.holds_calls();
        (!is_used).then(|| *locked(&self.used))
    }

    /// Cancels what runs, and ends what is being read.
    fn cut(&self) {
        locked(&self.follows).abort_all();
        self.session.running.cancel_all();
        for held in locked(&self.streams).values() {
            held.stream.close();
        }
    }

    async fn end(&self) {
        self.cut();
        self.session.running.end().await;
    }
}

/// All sessions.
pub(crate) struct Sessions {
    host: Host,
    catalogues: Arc<Catalogues>,
    by_id: Mutex<HashMap<String, Arc<HttpSession>>>,
}

impl Sessions {
    pub(crate) fn new(host: Host, catalogues: Arc<Catalogues>) -> Self {
        Self { host, catalogues, by_id: Mutex::default() }
    }

    /// What each app may use.
    pub(crate) fn shares(&self) -> &Shares {
        &self.catalogues.shares
    }

    /// Begins one. The error is for the app.
    pub(crate) async fn begin(
        &self,
        app: &AppIdentity,
        only: Option<String>,
    ) -> Result<Arc<HttpSession>, String> {
        let session = self.make(app, only, SessionKind::Named)?;
        let replaced = self.place(&session)?;
        if let Some(replaced) = replaced {
            replaced.end().await;
        }
        Ok(session)
    }

    /// The one of an app's requests that stand alone, in use. There are no more of them than servers, and no other
    /// takes their places.
    pub(crate) fn alone(
        &self,
        app: &AppIdentity,
        only: Option<String>,
    ) -> Result<(Arc<HttpSession>, Reading), String> {
        let kind = SessionKind::Alone { server: only.clone() };
        let find = |by_id: &HashMap<String, Arc<HttpSession>>| {
            let is_it = |session: &&Arc<HttpSession>| session.owner == *app && session.kind == kind;
            by_id.values().find(is_it).map(|session| (Arc::clone(session), session.read()))
        };
        if let Some(found) = find(&locked(&self.by_id)) {
            return Ok(found);
        }
        let made = self.make(app, only, kind.clone())?;
        let mut by_id = locked(&self.by_id);
        // Another request may have been faster.
        Ok(find(&by_id).unwrap_or_else(|| {
            by_id.insert(made.id.clone(), Arc::clone(&made));
            let reading = made.read();
            (made, reading)
        }))
    }

    fn make(
        &self,
        app: &AppIdentity,
        only: Option<String>,
        kind: SessionKind,
    ) -> Result<Arc<HttpSession>, String> {
        let id = random_id().map_err(|error| error.to_string())?;
        let view = AppView::new(&self.host, &self.catalogues, app.clone(), only);
        let (out, general) = Outbox::recorded(Keep::Newest(GENERAL_STREAM_BYTES), &view.log);
        let connected = (kind == SessionKind::Named).then(|| self.host.app_connected(&view.app));
        let session = Session::new(view, out);
        let following = Arc::clone(&session);
        let mut follows = JoinSet::new();
        if kind == SessionKind::Named {
            follows.spawn(async move { following.follow().await });
        }
        let now = Instant::now();
        Ok(Arc::new(HttpSession {
            id,
            owner: app.clone(),
            kind,
            session,
            streams: Mutex::new(BTreeMap::from([(0, HeldStream { stream: general, ended: None })])),
            next_stream: AtomicU64::new(1),
            used: Mutex::new(now),
            readers: AtomicUsize::new(0),
            follows: Mutex::new(follows),
            _connected: connected,
        }))
    }

    /// Gives a session that a client names its place; gives the one that had it.
    fn place(&self, session: &Arc<HttpSession>) -> Result<Option<Arc<HttpSession>>, String> {
        let mut by_id = locked(&self.by_id);
        let named = || by_id.values().filter(|other| other.kind == SessionKind::Named);
        let is_own = |other: &&Arc<HttpSession>| other.owner.name == session.owner.name;
        let longest_idle = |of_app: bool| {
            let meant = named().filter(|other| !of_app || is_own(other));
            meant.filter_map(|other| Some((other.idle_since()?, other.id.clone()))).min().map(|(_, id)| id)
        };
        let replaced = if named().filter(is_own).count() >= MAX_OF_APP {
            Some(longest_idle(true))
        } else if named().count() >= MAX_SESSIONS {
            Some(longest_idle(false))
        } else {
            None
        };
        let replaced = match replaced {
            None => None,
            Some(Some(longest)) => by_id.remove(&longest),
            Some(None) => return Err("all sessions are in use".to_owned()),
        };
        by_id.insert(session.id.clone(), Arc::clone(session));
        Ok(replaced)
    }

    /// The session of this id, if it is this app's.
    pub(crate) fn get(&self, id: &str, owner: &AppIdentity) -> Option<Arc<HttpSession>> {
        let session = locked(&self.by_id)
            .get(id)
            .filter(|session| session.owner == *owner && session.kind == SessionKind::Named)
            .map(Arc::clone)?;
        *locked(&session.used) = Instant::now();
        Some(session)
    }

    pub(crate) async fn end(&self, id: &str) {
        let ended = locked(&self.by_id).remove(id);
        if let Some(session) = ended {
            session.end().await;
        }
    }

    /// Ends the sessions of apps that have no longer the token that they began with.
    pub(crate) async fn end_revoked(&self, is_revoked: impl Fn(&AppIdentity) -> bool) {
        self.end_some(|session| is_revoked(&session.owner)).await;
    }

    /// Whether an app used one within this time, or does now.
    pub(crate) fn is_used_within(&self, time: Duration) -> bool {
        let by_id = locked(&self.by_id);
        by_id.values().any(|session| session.idle_since().is_none_or(|since| since.elapsed() < time))
    }

    /// Ends all at once: nobody is served any more.
    pub(crate) fn cut_all(&self) {
        for (_, session) in locked(&self.by_id).drain() {
            session.cut();
        }
    }

    /// Ends the sessions of apps that have not been heard of for long.
    pub(crate) async fn expire(&self) -> Infallible {
        loop {
            tokio::time::sleep(EXPIRY_INTERVAL).await;
            for session in locked(&self.by_id).values() {
                session.forget_streams();
            }
            self.end_some(|session| session.idle_since().is_some_and(|since| since.elapsed() > IDLE_TIMEOUT))
                .await;
        }
    }

    async fn end_some(&self, is_meant: impl Fn(&HttpSession) -> bool) {
        let meant: Vec<_> = locked(&self.by_id).extract_if(|_, session| is_meant(session)).collect();
        for (_, session) in meant {
            session.end().await;
        }
    }
}
