//! One app's connection in the session era (revisions 2024-11-05 to 2025-11-25): it is initialized, asks, cancels, and is
//! told what changes, until it closes its end.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mooring_host::{AppRegistration, Host, HostError, HostEvent, ServerId};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep_until};

use crate::answer::{Answer, Failed, read};
use crate::asked::{AppCapabilities, AppQuestions, RequestResponder};
use crate::catalogue::{Catalogue, OfferKind};
use crate::catalogues::Catalogues;
use crate::followed::Followed;
use crate::hello::AppHello;
use crate::message::{self, RequestId, code, notification, quoted};
use crate::outbox::Outbox;

/// The largest message of an app, in bytes.
pub(crate) const MAX_MESSAGE: usize = 4 << 20;
/// The most requests of an app that run at once.
const MAX_RUNNING: usize = 64;
/// How long it is waited after a change: a server that connects changes many things.
const CHANGE_DEBOUNCE: Duration = Duration::from_millis(100);
/// The revisions with a session, oldest first.
pub(crate) const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// The only one with batches.
pub(crate) const BATCH_REVISION: &str = "2025-03-26";
/// The levels of log messages, the least important first (RFC 5424).
const LOG_LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// What the requests of one app share.
pub(crate) struct Session {
    pub(crate) host: Host,
    catalogues: Arc<Catalogues>,
    /// The app's name.
    pub(crate) app: Arc<str>,
    /// The server that the app sees, where it sees one only.
    only: Option<Arc<str>>,
    /// Where what belongs to no request goes.
    out: Outbox,
    pub(crate) followed: Followed,
    /// What servers ask because of the app.
    pub(crate) asked: Arc<AppQuestions>,
    /// No other connection has it.
    number: u64,
    state: Mutex<SessionState>,
    tasks: Mutex<JoinSet<()>>,
}

/// One message of an app that is being worked on.
#[derive(Clone)]
pub(crate) struct Exchange {
    pub(crate) session: Arc<Session>,
    /// Where the answers go, and what is told until then.
    pub(crate) out: Outbox,
}

/// Numbers of requests, of all apps.
static REQUESTS: AtomicU64 = AtomicU64::new(1);

/// Numbers of connections, of all apps.
static CONNECTIONS: AtomicU64 = AtomicU64::new(1);

/// When this program began to count its connections, so that an answer to a question of an earlier one is to nothing.
static PROCESS_STARTED_NS: LazyLock<u128> = LazyLock::new(|| {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    // With a clock before 1970 such an answer is only less surely to nothing.
    since.map_or(0, |since| since.as_nanos())
});

#[derive(Default)]
struct SessionState {
    /// The revision that was agreed on; none before `initialize`.
    revision: Option<&'static str>,
    /// What the app was last told that there is.
    told: Arc<Catalogue>,
    /// The least important level of log messages that the app gets, as its place in [`LOG_LEVELS`].
    log_level: usize,
    running: HashMap<RequestId, AbortHandle>,
}

impl Session {
    /// A session that has not begun. `out`: where what belongs to no request goes.
    pub(crate) fn new(host: &Host, catalogues: &Arc<Catalogues>, app: AppHello, out: Outbox) -> Arc<Self> {
        let number = CONNECTIONS.fetch_add(1, Ordering::Relaxed);
        Arc::new(Self {
            host: host.clone(),
            catalogues: Arc::clone(catalogues),
            app: app.app.into(),
            only: app.server.map(Arc::from),
            out,
            followed: Followed::new(host.clone(), Arc::clone(&catalogues.follow_counts)),
            asked: Arc::new(AppQuestions::new(format!("mooring:{}:{number}:", *PROCESS_STARTED_NS))),
            number,
            state: Mutex::default(),
            tasks: Mutex::default(),
        })
    }

    /// Tells the app what changes, until the host ends.
    pub(crate) async fn follow(&self) {
        let (mut events, mut changes) = (self.host.events(), self.catalogues.changes());
        let mut changed: Option<Instant> = None;
        loop {
            let due = async {
                match changed {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                event = events.recv() => match event {
                    Ok(HostEvent::ResourceUpdated { id, uri }) => {
                        for exposed in self.followed.exposed(id, &uri) {
                            let params = format!(r#"{{"uri":{}}}"#, quoted(&exposed));
                            self.out.send(notification("notifications/resources/updated", Some(&params)));
                        }
                    }
                    // Of a resource that changed twice once is enough, and one that is read anew is new.
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
                Ok(()) = changes.changed() => {
                    changed.get_or_insert(Instant::now() + CHANGE_DEBOUNCE);
                }
                () = due => {
                    changed = None;
                    self.tell_changes().await;
                }
            }
        }
    }

    /// Cancels what runs. Each request holds the session, so nothing else would.
    pub(crate) fn cancel_all(&self) {
        self.tasks().abort_all();
    }

    /// Cancels what runs, and follows nothing any more.
    pub(crate) async fn end(&self) {
        let mut tasks = std::mem::take(&mut *self.tasks());
        tasks.shutdown().await;
        self.followed.end().await;
    }

    /// The revision that was agreed on.
    pub(crate) fn revision(&self) -> Option<&'static str> {
        self.state().revision
    }

    /// Runs the work on a request, unless so many are running, or one with this id. One that is cancelled has no answer.
    pub(crate) fn run(
        self: &Arc<Self>,
        id: &RequestId,
        work: impl Future<Output = Answer> + Send + 'static,
        answered: impl FnOnce(Answer) + Send + 'static,
    ) -> Result<(), Failed> {
        let mut state = self.state();
        if state.running.contains_key(id) {
            return Err(Failed::new(
                code::INVALID_REQUEST,
                "Invalid Request: a request with this id is running",
            ));
        }
        if state.running.len() >= MAX_RUNNING {
            let refused = format!("{MAX_RUNNING} requests of this app are running: wait for one of them");
            return Err(Failed::new(code::TOO_MANY, refused));
        }
        let (session, of) = (Arc::clone(self), id.clone());
        let mut tasks = self.tasks();
        // Those that have ended.
        while tasks.try_join_next().is_some() {}
        let task = tasks.spawn(async move {
            let answer = work.await;
            if session.state().running.remove(&of).is_some() {
                answered(answer);
            }
        });
        state.running.insert(id.clone(), task);
        Ok(())
    }

    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the app sees now.
    pub(crate) async fn catalogue(&self) -> Result<Arc<Catalogue>, HostError> {
        self.catalogues.of(&self.app, self.only.as_ref()).await
    }

    /// The server that the app sees, where it sees one alone.
    pub(crate) fn only_server(&self) -> Option<ServerId> {
        let only = self.only.as_deref()?;
        self.host.servers().into_iter().find(|server| server.config.name == only).map(|server| server.id)
    }

    /// A name for a request, by which the questions that it leads to are found.
    pub(crate) fn name_request(&self) -> Arc<str> {
        format!("{}#{}", self.app, REQUESTS.fetch_add(1, Ordering::Relaxed)).into()
    }

    /// The app wants the answer to a request no longer.
    pub(crate) fn cancel(&self, params: Option<&RawValue>) {
        // One that has ended, or never was, is none of the app's concern any more.
        if let Some(running) = message::cancelled(params).and_then(|id| self.state().running.remove(&id)) {
            running.abort();
        }
    }

    pub(crate) async fn initialize(&self, params: Option<&RawValue>) -> Answer {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct InitializeParams {
            protocol_version: String,
            capabilities: Option<Box<RawValue>>,
        }
        let params: InitializeParams = read(params)?;
        let newest = REVISIONS[REVISIONS.len() - 1];
        let revision =
            REVISIONS.into_iter().find(|known| *known == params.protocol_version).unwrap_or(newest);
        let catalogue = self.catalogue().await?;
        let instructions = catalogue.instructions.as_deref().map(quoted);
        {
            let mut state = self.state();
            if state.revision.is_some() {
                return Err(Failed::new(code::INVALID_REQUEST, "Invalid Request: initialized already"));
            }
            state.revision = Some(revision);
            state.told = catalogue;
        }
        if let Some(capabilities) = &params.capabilities {
            self.asked.set_capabilities(AppCapabilities::read(capabilities));
        }
        let instructions = instructions.map(|text| format!(r#","instructions":{text}"#)).unwrap_or_default();
        let version = quoted(env!("CARGO_PKG_VERSION"));
        Ok(format!(
            r#"{{"protocolVersion":"{revision}","capabilities":{{"tools":{{"listChanged":true}},"prompts":{{"listChanged":true}},"resources":{{"listChanged":true,"subscribe":true}},"completions":{{}},"logging":{{}}}},"serverInfo":{{"name":"mooring","title":"Mooring","version":{version}}}{instructions}}}"#
        ))
    }

    pub(crate) fn set_log_level(&self, params: Option<&RawValue>) -> Answer {
        #[derive(Deserialize)]
        struct LogLevelParams {
            level: String,
        }
        let params: LogLevelParams = read(params)?;
        let level = LOG_LEVELS.iter().position(|level| *level == params.level);
        let unknown = || Failed::new(code::INVALID_PARAMS, "Invalid params: no such level");
        self.state().log_level = level.ok_or_else(unknown)?;
        Ok("{}".to_owned())
    }

    /// Whether the app wants log messages of this level. One that nobody knows is not left out.
    pub(crate) fn wants_log(&self, level: &str) -> bool {
        let wanted = self.state().log_level;
        LOG_LEVELS.iter().position(|known| *known == level).is_none_or(|level| level >= wanted)
    }

    /// Tells the app which lists have changed since it was told last.
    async fn tell_changes(&self) {
        let told = {
            let state = self.state();
            if state.revision.is_none() {
                return;
            }
            Arc::clone(&state.told)
        };
        let now = match self.catalogue().await {
            Ok(catalogue) => catalogue,
            Err(error) => return tracing::warn!(%error, "what apps see could not be read"),
        };
        let changed = OfferKind::ALL.into_iter().filter(|kind| now.differs(&told, *kind));
        let mut methods: Vec<&str> = changed.map(OfferKind::list_changed).collect();
        methods.dedup();
        for method in methods {
            self.out.send(notification(method, None));
        }
        self.state().told = now;
    }
}

impl Exchange {
    /// Has the app asked what servers ask because of this request, for as long as the registration is held.
    pub(crate) fn answers(&self, request: &Arc<str>) -> AppRegistration {
        let asked = RequestResponder { asked: Arc::clone(&self.session.asked), out: self.out.clone() };
        self.session.host.register_app(Arc::clone(request), self.session.number, Arc::new(asked))
    }
}
