//! One app's connection in the session era (revisions 2024-11-05 to 2025-11-25): it is initialized, asks, cancels, and is
//! told what changes, until it closes its end.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use mooring_host::{Host, HostEvent};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::broadcast::error::RecvError;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep_until};
use tokio_util::codec::{FramedRead, LinesCodec, LinesCodecError};

use crate::catalogue::{Catalogue, OfferKind};
use crate::followed::Followed;
use crate::hello::Hello;
use crate::message::{self, Message, RequestId, code, error_response, notification, quoted, response};
use crate::outbox::Outbox;
use crate::requests::{self, Answer};

/// The largest message of an app, in bytes.
pub(crate) const MAX_MESSAGE: usize = 4 << 20;
/// The most requests of an app that run at once.
const MAX_RUNNING: usize = 64;
/// How long it is waited after a change: a server that connects changes many things.
const CHANGE_DEBOUNCE: Duration = Duration::from_millis(100);
/// The revisions with a session, oldest first.
const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// The only one with batches.
const BATCH_REVISION: &str = "2025-03-26";
/// The levels of log messages, the least important first (RFC 5424).
const LOG_LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// What the requests of one app share.
pub(crate) struct Session {
    pub(crate) host: Host,
    /// The app's name.
    pub(crate) app: Arc<str>,
    /// The server that the app sees, where it sees one only.
    only: Option<String>,
    pub(crate) out: Outbox,
    pub(crate) followed: Followed,
    state: Mutex<SessionState>,
}

/// Numbers of requests, of all apps.
static REQUESTS: AtomicU64 = AtomicU64::new(1);

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

/// Serves one app until it goes. What it asked for and has no answer yet is cancelled then.
pub(crate) async fn serve(
    host: Host,
    hello: Hello,
    mut lines: FramedRead<impl AsyncRead + Unpin, LinesCodec>,
    to: impl AsyncWrite + Send + Unpin + 'static,
) {
    let (out, writer) = Outbox::new();
    let mut events = host.events();
    let session = Arc::new(Session {
        followed: Followed::new(host.clone()),
        host,
        app: hello.app.into(),
        only: hello.server,
        out,
        state: Mutex::default(),
    });
    let mut tasks = JoinSet::new();
    let mut writing = tokio::spawn(writer.run(to));
    let mut changed: Option<Instant> = None;
    loop {
        let due = async {
            match changed {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            line = lines.next() => match line {
                Some(Ok(line)) => session.receive(&line, &mut tasks).await,
                Some(Err(LinesCodecError::MaxLineLengthExceeded)) => session.refuse_large(),
                // It is gone, or what it sends is no text.
                Some(Err(LinesCodecError::Io(_))) | None => break,
            },
            event = events.recv() => match event {
                Ok(HostEvent::ResourceUpdated { id, uri }) => {
                    for exposed in session.followed.exposed(id, &uri) {
                        let params = format!(r#"{{"uri":{}}}"#, quoted(&exposed));
                        session.out.send(notification("notifications/resources/updated", Some(&params)));
                    }
                }
                Ok(event) if changes_lists(&event) => {
                    changed.get_or_insert(Instant::now() + CHANGE_DEBOUNCE);
                }
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => { changed.get_or_insert(Instant::now()); }
                Err(RecvError::Closed) => break,
            },
            () = due => {
                changed = None;
                session.tell_changes().await;
            }
            Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
            _ = &mut writing => break,
        }
        if session.out.is_full() {
            tracing::warn!(app = %session.app, "an app does not read what it is sent, and is disconnected");
            writing.abort();
            break;
        }
    }
    tasks.shutdown().await;
    session.followed.end().await;
    // With it the last sender goes: what is queued is written, as far as the app takes it.
    drop(session);
    let _written = tokio::time::timeout(Duration::from_secs(2), writing).await;
}

/// Whether what apps see may have changed.
fn changes_lists(event: &HostEvent) -> bool {
    matches!(
        event,
        HostEvent::ServersChanged
            | HostEvent::ServerAddedElsewhere { .. }
            | HostEvent::ServerChanged { .. }
            | HostEvent::ToolsChanged { .. }
            | HostEvent::ResourcesChanged { .. }
            | HostEvent::PromptsChanged { .. }
            | HostEvent::TrustChanged { .. }
            | HostEvent::AppsChanged
    )
}

impl Session {
    fn state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the app sees now.
    pub(crate) async fn catalogue(&self) -> Result<Catalogue, mooring_host::HostError> {
        Catalogue::read(&self.host, &self.app, self.only.as_deref()).await
    }

    /// A name for a request, by which the questions that it leads to are found.
    pub(crate) fn name_request(&self) -> Arc<str> {
        format!("{}#{}", self.app, REQUESTS.fetch_add(1, Ordering::Relaxed)).into()
    }

    async fn receive(self: &Arc<Self>, line: &str, tasks: &mut JoinSet<()>) {
        if line.trim().is_empty() {
            return;
        }
        let revision = self.state().revision;
        match message::batch(line) {
            Some(batch) if revision == Some(BATCH_REVISION) => {
                for element in batch {
                    self.receive_one(element.get(), tasks).await;
                }
            }
            Some(_) => {
                let refused = "Invalid Request: batches are part of revision 2025-03-26 only";
                self.out.send(error_response(None, code::INVALID_REQUEST, refused, None));
            }
            None => self.receive_one(line, tasks).await,
        }
    }

    async fn receive_one(self: &Arc<Self>, text: &str, tasks: &mut JoinSet<()>) {
        match message::parse(text) {
            Ok(Message::Request { id, method, params }) => self.begin(id, method, params, tasks).await,
            Ok(Message::Notification { method, params }) if method == "notifications/cancelled" => {
                self.cancel(params.as_deref());
            }
            // There is nothing to do about any other, and nothing is asked of an app yet.
            Ok(Message::Notification { .. } | Message::Response) => {}
            Err(unreadable) => {
                self.out.send(error_response(None, unreadable.code, &unreadable.message, None));
            }
        }
    }

    fn refuse_large(&self) {
        let refused = format!("Invalid Request: longer than {MAX_MESSAGE} bytes");
        self.out.send(error_response(None, code::INVALID_REQUEST, &refused, None));
    }

    /// Answers a request, or begins to.
    async fn begin(
        self: &Arc<Self>,
        id: RequestId,
        method: String,
        params: Option<Box<RawValue>>,
        tasks: &mut JoinSet<()>,
    ) {
        match method.as_str() {
            "ping" => return self.out.send(response(&id, "{}")),
            "initialize" => {
                let answer = self.initialize(params.as_deref()).await;
                return self.answer(&id, answer);
            }
            _ if self.state().revision.is_none() => {
                let refused = "Invalid Request: initialize comes first";
                return self.out.send(error_response(Some(&id), code::INVALID_REQUEST, refused, None));
            }
            "logging/setLevel" => return self.answer(&id, self.set_log_level(params.as_deref())),
            _ => {}
        }
        let mut state = self.state();
        if state.running.contains_key(&id) {
            let refused = "Invalid Request: a request with this id is running";
            return self.out.send(error_response(Some(&id), code::INVALID_REQUEST, refused, None));
        }
        if state.running.len() >= MAX_RUNNING {
            let refused = format!("{MAX_RUNNING} requests of this app are running: wait for one of them");
            return self.out.send(error_response(Some(&id), code::TOO_MANY, &refused, None));
        }
        let (session, of) = (Arc::clone(self), id.clone());
        let task = tasks.spawn(async move {
            let answer = requests::run(&session, &method, params.as_deref()).await;
            // One that was cancelled meanwhile gets no answer.
            if session.state().running.remove(&of).is_some() {
                session.answer(&of, answer);
            }
        });
        state.running.insert(id, task);
    }

    fn answer(&self, id: &RequestId, answer: Answer) {
        self.out.send(match answer {
            Ok(result) => response(id, &result),
            Err(error) => error_response(Some(id), error.code, &error.message, error.data.as_deref()),
        });
    }

    /// The app wants the answer to a request no longer.
    fn cancel(&self, params: Option<&RawValue>) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params {
            request_id: Box<RawValue>,
        }
        let params = params.and_then(|params| serde_json::from_str::<Params>(params.get()).ok());
        let id = params.and_then(|params| RequestId::new(&params.request_id));
        // One that has ended, or never was, is none of the app's concern any more.
        if let Some(running) = id.and_then(|id| self.state().running.remove(&id)) {
            running.abort();
        }
    }

    async fn initialize(&self, params: Option<&RawValue>) -> Answer {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params {
            protocol_version: String,
        }
        let params: Params = requests::read(params)?;
        let newest = REVISIONS[REVISIONS.len() - 1];
        let revision = REVISIONS.into_iter().find(|known| *known == params.protocol_version).unwrap_or(newest);
        let catalogue = Arc::new(self.catalogue().await?);
        let instructions = catalogue.instructions.as_deref().map(quoted);
        {
            let mut state = self.state();
            if state.revision.is_some() {
                return Err(requests::Failed::new(code::INVALID_REQUEST, "Invalid Request: initialized already"));
            }
            state.revision = Some(revision);
            state.told = catalogue;
        }
        let instructions = instructions.map(|text| format!(r#","instructions":{text}"#)).unwrap_or_default();
        let version = quoted(env!("CARGO_PKG_VERSION"));
        Ok(format!(
            r#"{{"protocolVersion":"{revision}","capabilities":{{"tools":{{"listChanged":true}},"prompts":{{"listChanged":true}},"resources":{{"listChanged":true,"subscribe":true}},"completions":{{}},"logging":{{}}}},"serverInfo":{{"name":"mooring","title":"Mooring","version":{version}}}{instructions}}}"#
        ))
    }

    fn set_log_level(&self, params: Option<&RawValue>) -> Answer {
        #[derive(Deserialize)]
        struct Params {
            level: String,
        }
        let params: Params = requests::read(params)?;
        let level = LOG_LEVELS.iter().position(|level| *level == params.level);
        let unknown = || requests::Failed::new(code::INVALID_PARAMS, "Invalid params: no such level");
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
            Ok(catalogue) => Arc::new(catalogue),
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
