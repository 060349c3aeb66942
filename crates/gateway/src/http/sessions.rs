//! The sessions of apps at HTTP: bounded, and ended when an app has not been heard of for long. Many never say goodbye.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mooring_host::{Host, random_id};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::catalogues::Catalogues;
use crate::hello::AppHello;
use crate::outbox::{Keep, Outbox, Stream};
use crate::session::Session;

/// The most sessions of all apps. Another one takes the place of the one that was idle the longest.
const MAX_SESSIONS: usize = 64;
/// How long a session without a connection lasts.
const IDLE: Duration = Duration::from_mins(30);
/// How often it is looked for such sessions.
const LOOK: Duration = Duration::from_mins(1);
/// How long the answer to a request that an app has lost is held.
const LOST: Duration = Duration::from_mins(1);
/// What is held for an app that does not listen, in bytes.
const UNHEARD: usize = 64 << 10;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One session, and the streams that an app may come back for.
pub(crate) struct HttpSession {
    pub(crate) id: String,
    owner: Arc<str>,
    pub(crate) session: Arc<Session>,
    /// Number 0 is of what belongs to no request.
    streams: Mutex<BTreeMap<u64, (Arc<Stream>, Instant)>>,
    used: Mutex<Instant>,
    /// How many streams are being read.
    readers: AtomicUsize,
    /// Tells the app what changes.
    follows: Mutex<JoinSet<()>>,
}

/// A stream is being read until this is dropped.
pub(crate) struct Reading(Arc<HttpSession>);

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::Relaxed);
        *locked(&self.0.used) = Instant::now();
    }
}

impl HttpSession {
    /// Holds the stream of the answer to a message, and gives it a number.
    pub(crate) fn add_stream(&self, stream: &Arc<Stream>) -> u64 {
        let mut streams = locked(&self.streams);
        streams
            .retain(|number, (stream, since)| *number == 0 || !stream.has_ended() || since.elapsed() < LOST);
        let number = streams.last_key_value().map_or(1, |(last, _)| last + 1);
        streams.insert(number, (Arc::clone(stream), Instant::now()));
        number
    }

    /// The stream of this number, if it is still held.
    pub(crate) fn stream(&self, number: u64) -> Option<Arc<Stream>> {
        locked(&self.streams).get(&number).map(|(stream, _)| Arc::clone(stream))
    }

    pub(crate) fn read(self: &Arc<Self>) -> Reading {
        self.readers.fetch_add(1, Ordering::Relaxed);
        Reading(Arc::clone(self))
    }

    /// Since when nobody uses it; none: somebody does.
    fn idle_since(&self) -> Option<Instant> {
        (self.readers.load(Ordering::Relaxed) == 0).then(|| *locked(&self.used))
    }

    /// Cancels what runs, and ends what is being read.
    fn cut(&self) {
        locked(&self.follows).abort_all();
        self.session.cancel_all();
        for (stream, _) in locked(&self.streams).values() {
            stream.close();
        }
    }

    async fn end(&self) {
        self.cut();
        self.session.end().await;
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

    /// Begins one. The error is for the app.
    pub(crate) async fn begin(&self, app: AppHello) -> Result<Arc<HttpSession>, String> {
        let id = random_id().map_err(|error| error.to_string())?;
        let owner: Arc<str> = app.app.as_str().into();
        let (out, general) = Outbox::new(Keep::Newest(UNHEARD));
        let session = Session::new(&self.host, &self.catalogues, app, out);
        let following = Arc::clone(&session);
        let mut follows = JoinSet::new();
        follows.spawn(async move { following.follow().await });
        let now = Instant::now();
        let session = Arc::new(HttpSession {
            id: id.clone(),
            owner,
            session,
            streams: Mutex::new(BTreeMap::from([(0, (general, now))])),
            used: Mutex::new(now),
            readers: AtomicUsize::new(0),
            follows: Mutex::new(follows),
        });
        let replaced = {
            let mut by_id = locked(&self.by_id);
            let idle = by_id.values().filter_map(|session| Some((session.idle_since()?, session.id.clone())));
            let longest = idle.min().map(|(_, id)| id);
            let replaced = match longest {
                _ if by_id.len() < MAX_SESSIONS => None,
                Some(longest) => by_id.remove(&longest),
                None => return Err(format!("{MAX_SESSIONS} sessions are in use")),
            };
            by_id.insert(id, Arc::clone(&session));
            replaced
        };
        if let Some(replaced) = replaced {
            replaced.end().await;
        }
        Ok(session)
    }

    /// The session of this id, if it is this app's.
    pub(crate) fn get(&self, id: &str, owner: &str) -> Option<Arc<HttpSession>> {
        let session =
            locked(&self.by_id).get(id).filter(|session| *session.owner == *owner).map(Arc::clone)?;
        *locked(&session.used) = Instant::now();
        Some(session)
    }

    pub(crate) async fn end(&self, id: &str) {
        let ended = locked(&self.by_id).remove(id);
        if let Some(session) = ended {
            session.end().await;
        }
    }

    /// Ends the sessions of these apps.
    pub(crate) async fn end_where(&self, is_meant: impl Fn(&str) -> bool) {
        self.end_some(|session| is_meant(&session.owner)).await;
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
            tokio::time::sleep(LOOK).await;
            self.end_some(|session| session.idle_since().is_some_and(|since| since.elapsed() > IDLE)).await;
        }
    }

    async fn end_some(&self, is_meant: impl Fn(&HttpSession) -> bool) {
        let meant: Vec<_> = locked(&self.by_id).extract_if(|_, session| is_meant(session)).collect();
        for (_, session) in meant {
            session.end().await;
        }
    }
}
