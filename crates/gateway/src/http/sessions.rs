//! The sessions of apps over HTTP. Their number is limited, and idle ones end, because many apps never end
//! theirs.

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

/// The most sessions of all apps. Another one replaces the session that has been idle the longest.
const MAX_SESSIONS: usize = 64;
/// How long a session without a connection lasts.
const IDLE_TIMEOUT: Duration = Duration::from_mins(30);
/// How often to check for idle sessions.
const EXPIRY_INTERVAL: Duration = Duration::from_mins(1);
/// The most sessions of one app. Another one replaces the app's session that has been idle the longest.
const MAX_OF_APP: usize = 16;
/// The most streams of one session that are kept.
const MAX_STREAMS: usize = 128;
/// How long a finished stream is kept for an app that lost its connection.
const REPLAY_TIME: Duration = Duration::from_mins(1);
/// How many bytes of messages are kept for an app that has no open stream.
const GENERAL_STREAM_BYTES: usize = 64 << 10;

/// What a session is used for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SessionKind {
    /// A client began the session, and names it in every request.
    Named,
    /// Stateless requests of an app. No client knows this session.
    Alone {
        /// The only server that the requests can use. `None` for all servers.
        server: Option<String>,
    },
}

/// A session, and the streams that an app may resume.
pub(crate) struct HttpSession {
    pub(crate) id: String,
    /// The app, with the token that it began the session with.
    owner: AppIdentity,
    kind: SessionKind,
    pub(crate) session: Arc<Session>,
    /// By number. Stream 0 has the messages that belong to no request.
    streams: Mutex<BTreeMap<u64, HeldStream>>,
    /// The next number. Each is used once.
    next_stream: AtomicU64,
    used: Mutex<Instant>,
    /// How many users the session has now.
    readers: AtomicUsize,
    /// Notifies the app of changes.
    follows: Mutex<JoinSet<()>>,
    /// Marks the app as connected. `None` for stateless requests.
    _connected: Option<AppConnection>,
}

/// A stream that an app may resume.
struct HeldStream {
    stream: Arc<Stream>,
    /// When the end of the stream was first noticed.
    ended: Option<Instant>,
}

/// Keeps a session in use until this is dropped.
pub(crate) struct Reading(Arc<HttpSession>);

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::Relaxed);
        *locked(&self.0.used) = Instant::now();
    }
}

impl HttpSession {
    /// Keeps the stream of an answer, which an app may resume, and returns its number.
    pub(crate) fn add_stream(&self, stream: &Arc<Stream>) -> u64 {
        let number = self.next_stream.fetch_add(1, Ordering::Relaxed);
        self.forget_streams();
        let mut streams = locked(&self.streams);
        while streams.len() > MAX_STREAMS {
            // The first is stream 0, which stays.
            let Some(oldest) = streams.keys().nth(1).copied() else { break };
            streams.remove(&oldest);
        }
        streams.insert(number, HeldStream { stream: Arc::clone(stream), ended: None });
        number
    }

    /// Drops streams that ended long enough ago.
    fn forget_streams(&self) {
        let now = Instant::now();
        locked(&self.streams).retain(|number, held| {
            if held.stream.has_ended() {
                held.ended.get_or_insert(now);
            }
            *number == 0 || held.ended.is_none_or(|ended| now - ended < REPLAY_TIME)
        });
    }

    /// The stream with this number, if it is still kept.
    pub(crate) fn find_stream(&self, number: u64) -> Option<Arc<Stream>> {
        locked(&self.streams).get(&number).map(|held| Arc::clone(&held.stream))
    }

    pub(crate) fn begin_use(self: &Arc<Self>) -> Reading {
        self.readers.fetch_add(1, Ordering::Relaxed);
        Reading(Arc::clone(self))
    }

    /// When the session was last used. `None` while it is in use.
    fn idle_since(&self) -> Option<Instant> {
        // A call that waits for answers of the app keeps the session in use.
        let is_used = self.readers.load(Ordering::Relaxed) > 0 || self.session.stateless.has_held_calls();
        (!is_used).then(|| *locked(&self.used))
    }

    /// Cancels the requests of the session, and closes its streams.
    fn cancel_all(&self) {
        locked(&self.follows).abort_all();
        self.session.running.cancel_all();
        for held in locked(&self.streams).values() {
            held.stream.close();
        }
    }

    async fn end(&self) {
        self.cancel_all();
        self.session.running.end_all().await;
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

    /// The limits of all apps.
    pub(crate) fn shares(&self) -> &Shares {
        &self.catalogues.shares
    }

    /// Begins a session that a client names. The error is a message for the app.
    pub(crate) async fn begin_session(
        &self,
        app: &AppIdentity,
        only: Option<String>,
    ) -> Result<Arc<HttpSession>, String> {
        let session = self.create_session(app, only, SessionKind::Named)?;
        let replaced = self.add_session(&session)?;
        if let Some(replaced) = replaced {
            replaced.end().await;
        }
        Ok(session)
    }

    /// The session for an app's stateless requests, marked as in use. An app has at most one for each server
    /// and one for all servers, and no other session replaces it.
    pub(crate) fn stateless_session(
        &self,
        app: &AppIdentity,
        only: Option<String>,
    ) -> Result<(Arc<HttpSession>, Reading), String> {
        let kind = SessionKind::Alone { server: only.clone() };
        let find = |by_id: &HashMap<String, Arc<HttpSession>>| {
            let is_it = |session: &&Arc<HttpSession>| session.owner == *app && session.kind == kind;
            by_id.values().find(is_it).map(|session| (Arc::clone(session), session.begin_use()))
        };
        if let Some(found) = find(&locked(&self.by_id)) {
            return Ok(found);
        }
        let made = self.create_session(app, only, kind.clone())?;
        let mut by_id = locked(&self.by_id);
        // Another request may have added it meanwhile.
        Ok(find(&by_id).unwrap_or_else(|| {
            by_id.insert(made.id.clone(), Arc::clone(&made));
            let reading = made.begin_use();
            (made, reading)
        }))
    }

    fn create_session(
        &self,
        app: &AppIdentity,
        only: Option<String>,
        kind: SessionKind,
    ) -> Result<Arc<HttpSession>, String> {
        let id = random_id().map_err(|error| error.to_string())?;
        let view = AppView::new(&self.host, &self.catalogues, app.clone(), only);
        let (out, general) = Outbox::new_recorded(Keep::Newest(GENERAL_STREAM_BYTES), &view.log);
        let connected = (kind == SessionKind::Named).then(|| self.host.app_connected(&view.app));
        let session = Session::new(view, out);
        let following = Arc::clone(&session);
        let mut follows = JoinSet::new();
        if kind == SessionKind::Named {
            follows.spawn(async move { following.notify_app().await });
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

    /// Adds a session that a client names. Returns the session that it replaces, if there are too many.
    fn add_session(&self, session: &Arc<HttpSession>) -> Result<Option<Arc<HttpSession>>, String> {
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

    /// The session with this id, if it belongs to this app.
    pub(crate) fn get(&self, id: &str, owner: &AppIdentity) -> Option<Arc<HttpSession>> {
        let session = locked(&self.by_id)
            .get(id)
            .filter(|session| session.owner == *owner && session.kind == SessionKind::Named)
            .map(Arc::clone)?;
        *locked(&session.used) = Instant::now();
        Some(session)
    }

    pub(crate) async fn end_session(&self, id: &str) {
        let ended = locked(&self.by_id).remove(id);
        if let Some(session) = ended {
            session.end().await;
        }
    }

    /// Ends the sessions that were begun with a revoked token.
    pub(crate) async fn end_revoked(&self, is_revoked: impl Fn(&AppIdentity) -> bool) {
        self.end_matching(|session| is_revoked(&session.owner)).await;
    }

    /// Whether an app used a session within this time, or uses one now.
    pub(crate) fn is_used_within(&self, time: Duration) -> bool {
        let by_id = locked(&self.by_id);
        by_id.values().any(|session| session.idle_since().is_none_or(|since| since.elapsed() < time))
    }

    /// Ends all sessions at once, because apps are no longer served.
    pub(crate) fn cancel_all(&self) {
        for (_, session) in locked(&self.by_id).drain() {
            session.cancel_all();
        }
    }

    /// Ends sessions that have been idle for too long.
    pub(crate) async fn end_idle(&self) -> Infallible {
        loop {
            tokio::time::sleep(EXPIRY_INTERVAL).await;
            for session in locked(&self.by_id).values() {
                session.forget_streams();
            }
            self.end_matching(|session| {
                session.idle_since().is_some_and(|since| since.elapsed() > IDLE_TIMEOUT)
            })
            .await;
        }
    }

    async fn end_matching(&self, is_meant: impl Fn(&HttpSession) -> bool) {
        let meant: Vec<_> = locked(&self.by_id).extract_if(|_, session| is_meant(session)).collect();
        for (_, session) in meant {
            session.end().await;
        }
    }
}
