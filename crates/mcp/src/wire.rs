//! The parts of one connection: its link, its transport and the tasks that carry it; how it begins and ends.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use mooring_process::{Grace, Unread};
use mooring_words::say;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::call::{CallOptions, Request, Success, cancelled};
use crate::client::{ClientOptions, Target};
use crate::diagnostic::{Code, Diagnostic};
use crate::error::{CloseReason, ConnectError, RequestError};
use crate::extension::Extension;
use crate::inbound::Inbound;
use crate::keepalive;
use crate::limits::Deadlines;
use crate::link::Link;
use crate::model::handshake::{Handshake, Offers, ServerFacts};
use crate::params::Params;
use crate::questions;
use crate::revision::Revision;
use crate::subscriptions;
use crate::subscriptions::filter::Filter;
use crate::transport::http::Http;
use crate::transport::stdio::{self, StderrTail};
use crate::transport::tap::Tap;
use crate::transport::{Outgoing, Stop, sse};

/// How many messages may wait to be written.
const OUTBOX: usize = 256;

/// How long the first request may wait for the GET stream.
const FIRST_LISTEN: Duration = Duration::from_millis(250);
/// How long the first request may wait until the server knows the folders.
const FIRST_ROOTS: Duration = Duration::from_millis(300);
/// How long a server that was told of them may look at the folders before the first requests leave all the same, how
/// often it is asked meanwhile whether it is there, and the pause before each time.
const TAKEN_IN: Duration = Duration::from_secs(2);
const LOOKS: u32 = 4;
const LOOK: Duration = Duration::from_millis(25);
/// How long a ping may take that nobody waits for.
const PING: Duration = Duration::from_secs(10);
/// How long the end of a connection may take: that of a process, with some to spare.
const LONGEST_END: Duration = Duration::from_secs(12);

/// What a request needs. The tasks of a connection may hold it: it does not keep the connection alive.
pub(crate) struct Wire {
    pub(crate) link: Arc<Link>,
    /// The Streamable HTTP transport, where it is that.
    pub(crate) http: Option<Arc<Http>>,
    /// The server behind the URL, over either transport.
    pub(crate) server: Option<Arc<Http>>,
    pub(crate) inbound: Arc<dyn Inbound>,
    pub(crate) in_flight: Semaphore,
    /// Exchanges that go on when nobody waits for them any more.
    pub(crate) outliving: Mutex<JoinSet<()>>,
    pub(crate) deadlines: Deadlines,
    pub(crate) tail: Arc<StderrTail>,
    pub(crate) pid: Option<u32>,
    /// Whether a stdio server has read what it was sent, for as long as that is of use.
    pub(crate) unread: Arc<Unread>,
    client_info: Params,
    extensions: Vec<Extension>,
    /// The tasks extension is among them.
    pub(crate) declares_tasks: bool,
    /// What was agreed, once it was.
    settled: OnceLock<(Revision, Offers)>,
    modern: AtomicBool,
    /// Held while a lost session is replaced.
    renewal: tokio::sync::Mutex<()>,
    /// How often one was replaced.
    renewals: AtomicU64,
    /// False as long as the first requests wait for the server to know the folders.
    knows_roots: watch::Sender<bool>,
    /// The revision that `initialize` offers.
    offer: Mutex<Revision>,
    log_level: Mutex<Option<String>>,
}

/// One connection and the tasks that carry it: dropped, they end, and with them the server's process tree.
pub(crate) struct Connection {
    pub(crate) wire: Arc<Wire>,
    stop: watch::Sender<Stop>,
    tasks: Mutex<JoinSet<()>>,
    keep_alive: Option<Duration>,
    grace: Grace,
}

/// The transport of a server behind a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UrlTransport {
    /// Streamable HTTP, of either era.
    Streamable,
    /// HTTP+SSE of 2024-11-05.
    Sse,
}

impl Connection {
    /// Starts the server or prepares its address. Nothing is sent yet.
    pub(crate) fn open(
        target: Target,
        transport: UrlTransport,
        options: &ClientOptions,
        inbound: &Arc<dyn Inbound>,
        tap: &Arc<dyn Tap>,
    ) -> Result<Self, ConnectError> {
        // Boxed: a queue keeps room for 32 at least, for as long as the connection lives.
        let (outbox, queue) = mpsc::channel(OUTBOX);
        let (asking, asked) = mpsc::channel((options.limits.questions * 2).max(1));
        let (inbound, tap) = (Arc::clone(inbound), Arc::clone(tap));
        let link = Arc::new(Link::new(options.limits.clone(), tap, Arc::clone(&inbound), outbox, asking));
        let stop = watch::Sender::new(Stop::No);
        let tail = Arc::new(StderrTail::default());
        let mut tasks = JoinSet::new();
        let idle = options.deadlines.idle;
        tasks.spawn(questions::run(Arc::clone(&link), Arc::clone(&inbound), asked, idle));
        tasks.spawn(questions::answer_beyond(Arc::clone(&link)));
        let (mut http, mut at_url, mut pid) = (None, None, None);
        let mut unread = Arc::default();
        match target {
            Target::Stdio(spawn) => {
                let process = mooring_process::spawn(&spawn).map_err(|error| ConnectError::Spawn {
                    program: spawn.program.display().to_string(),
                    reason: error.sentence(),
                })?;
                pid = Some(process.control.pid());
                unread = Arc::new(Unread::of(&process.stdin));
                stdio::run(process, &link, queue, &unread, &stop, &tail, &mut tasks);
            }
            Target::Http { url, headers } => {
                let access = options.access.clone();
                let server = Http::new(options.http.clone(), url, &headers, access).map_err(|name| {
                    let reason = say!("this header cannot be sent: {name}", name);
                    ConnectError::Unreachable { reason }
                })?;
                let server = Arc::new(server);
                at_url = Some(Arc::clone(&server));
                let shared = Arc::clone(&link);
                match transport {
                    UrlTransport::Streamable => {
                        let run =
                            Arc::clone(&server).run(shared, queue, stop.subscribe(), options.deadlines.idle);
                        tasks.spawn(run);
                        http = Some(server);
                    }
                    UrlTransport::Sse => {
                        tasks.spawn(sse::run(server, shared, queue, stop.subscribe(), options.deadlines));
                    }
                }
            }
        }
        let watched = Arc::clone(&link);
        tasks.spawn(async move {
            let mut closed = watched.closed();
            let cancel = |id, method| {
                watched.tell_unfinished();
                cancelled(&watched, id, method, "no answer in time");
            };
            tokio::select! {
                () = watched.table.watch_deadlines(cancel) => {}
                _ = closed.wait_for(Option::is_some) => {}
            }
        });
        let wire = Wire {
            link,
            http,
            server: at_url,
            inbound,
            in_flight: Semaphore::new(options.limits.in_flight),
            outliving: Mutex::new(JoinSet::new()),
            deadlines: options.deadlines,
            tail,
            pid,
            unread,
            client_info: Params::new().text("name", options.name).text("version", options.version),
            declares_tasks: options.extensions.iter().any(Extension::is_tasks),
            extensions: options.extensions.clone(),
            settled: OnceLock::new(),
            modern: AtomicBool::new(false),
            renewal: tokio::sync::Mutex::new(()),
            renewals: AtomicU64::default(),
            knows_roots: watch::Sender::new(true),
            offer: Mutex::new(Revision::SESSION),
            log_level: Mutex::new(None),
        };
        let (keep_alive, grace) = (options.keep_alive, options.grace);
        Ok(Self { wire: Arc::new(wire), stop, tasks: Mutex::new(tasks), keep_alive, grace })
    }

    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).spawn(task);
    }

    /// Begins the normal life of a session after its handshake. What a server says of its own accord while nobody
    /// listens is lost with many servers, a question in answer to the first call among it: so the GET stream is waited
    /// for, a little, before that call can be made.
    pub(crate) async fn begin(&self) {
        if self.wire.inbound.abilities().roots {
            self.wire.knows_roots.send_replace(false);
            self.spawn(settle_roots(Arc::clone(&self.wire)));
        }
        self.wire.unread.close();
        self.wire.notify_initialized().await;
        if let Some(http) = &self.wire.http {
            let (asked, answered) = oneshot::channel();
            self.spawn(Arc::clone(http).listen(Arc::clone(&self.wire.link), self.stop.subscribe(), asked));
            // Late or never: the stream is optional, and some servers answer only when they have something to say.
            let _late = tokio::time::timeout(FIRST_LISTEN, answered).await;
        }
        if let Some(quiet) = self.keep_alive {
            self.spawn(keepalive::run(Arc::clone(&self.wire), quiet));
        }
    }

    /// From here on each request stands alone.
    pub(crate) fn turn_modern(&self) {
        self.wire.unread.close();
        self.wire.modern.store(true, Ordering::Relaxed);
        self.wire.link.turn_modern(self.wire.http.is_some());
    }

    /// Acts on what was agreed: listens for the changes that the server tells (SUB-02).
    pub(crate) fn settle(&self, handshake: &Handshake) {
        let offers = handshake.offers;
        let _first = self.wire.settled.set((handshake.revision, offers));
        if !self.wire.is_modern() {
            return;
        }
        let subscriptions = &self.wire.link.subscriptions;
        subscriptions.wanted.send_modify(|wanted| {
            wanted.tools = offers.tool_changes;
            wanted.prompts = offers.prompt_changes;
            wanted.resources = offers.resource_changes;
        });
        if subscriptions.starts() {
            self.spawn(subscriptions::run(Arc::clone(&self.wire)));
        }
    }

    /// Ends the connection gently: what is listened to is cancelled first, as long as the server still listens.
    pub(crate) async fn shutdown(&self) {
        self.wire.link.subscriptions.finish().await;
        self.end(Stop::Gently(self.grace)).await;
    }

    /// Ends a connection that came to nothing: its process gets little time.
    pub(crate) async fn abandon(&self) {
        self.end(Stop::Soon).await;
    }

    async fn end(&self, stop: Stop) {
        self.stop.send_replace(stop);
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        let ended = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(LONGEST_END, ended).await.is_err() {
            tracing::warn!("a connection did not end in time; what is left of it is cut off");
        }
        self.wire.link.close(&CloseReason::Stopped);
    }
}

impl Wire {
    /// What the server offers, as far as is known.
    pub(crate) fn offers(&self) -> Offers {
        self.settled.get().map(|(_, offers)| *offers).unwrap_or_default()
    }

    /// The revision that was agreed on.
    pub(crate) fn revision(&self) -> Option<Revision> {
        self.settled.get().map(|(revision, _)| *revision)
    }

    /// Whether the stateless era was agreed on.
    pub(crate) fn is_modern(&self) -> bool {
        self.modern.load(Ordering::Relaxed)
    }

    /// The members of `_meta` that every request of the stateless era carries (BASE-15, BASE-16).
    pub(crate) fn meta(&self) -> Params {
        let capabilities =
            questions::capabilities(self.inbound.abilities(), Revision::MODERN, &self.extensions);
        let meta = Params::new()
            .text("io.modelcontextprotocol/protocolVersion", Revision::MODERN.as_str())
            .object("io.modelcontextprotocol/clientInfo", &self.client_info)
            .object("io.modelcontextprotocol/clientCapabilities", &capabilities);
        match &*self.log_level() {
            Some(level) => meta.text("io.modelcontextprotocol/logLevel", level),
            None => meta,
        }
    }

    /// Sends `server/discover` as a request of the stateless era, whatever was agreed on (ERA-01, ERA-07).
    pub(crate) async fn discover(&self, wait: Duration) -> Result<Success, RequestError> {
        let options = CallOptions { idle: Some(wait), total: Some(wait), ..CallOptions::default() };
        self.request_once(&Request { options, probe: true, ..Request::new("server/discover", None) }).await
    }

    /// Sends `initialize`, offering `revision`, and waits for the answer (LIFE-02, LIFE-03).
    pub(crate) async fn initialize(&self, revision: Revision) -> Result<Success, RequestError> {
        *self.offer.lock().unwrap_or_else(PoisonError::into_inner) = revision;
        let wait = self.deadlines.connect;
        let capabilities = questions::capabilities(self.inbound.abilities(), revision, &self.extensions);
        let params = Params::new()
            .text("protocolVersion", revision.as_str())
            .object("capabilities", &capabilities)
            .object("clientInfo", &self.client_info);
        let options = CallOptions { idle: Some(wait), total: Some(wait), ..CallOptions::default() };
        self.request_once(&Request { options, ..Request::new("initialize", Some(&params)) }).await
    }

    /// Tells the server that the handshake is done, before anything else leaves (LIFE-05).
    async fn notify_initialized(&self) {
        let outgoing = Outgoing::notification("notifications/initialized", None);
        match &self.http {
            // In its own right and awaited, because a server may refuse requests that overtake it.
            Some(http) => {
                let exchange = Box::pin(http.exchange(&self.link, outgoing, None));
                if let Ok(Err(error)) = tokio::time::timeout(self.deadlines.idle, exchange).await {
                    let message = say!("was refused: {reason}", reason = error.sentence());
                    self.link.diagnose(Diagnostic::new(Code::Http, "notifications/initialized", message));
                }
            }
            None => drop(self.link.outbox().send(Box::new(outgoing)).await),
        }
    }

    /// Opens a new session in the place of the lost one of `generation`, once however many requests ask for it, and
    /// restores what it held (SHS-18, LIFE-14).
    pub(crate) async fn renew(&self, http: &Http, generation: u64) -> Result<(), RequestError> {
        let _turn = self.renewal.lock().await;
        if !http.forget(generation) {
            return Ok(());
        }
        // A renewal that is dropped half-way leaves no session behind: then the connection is over.
        let mut unfinished = Unfinished { link: &self.link, armed: true };
        let renewed = async {
            let offer = *self.offer.lock().unwrap_or_else(PoisonError::into_inner);
            let answer = self.initialize(offer).await?;
            let facts = ServerFacts::initialized(answer.raw.get(), &self.link.limits);
            let named = facts.revision.as_deref().and_then(Revision::with_session);
            if named.is_none() || named != self.link.revision() {
                // Another revision is another connection (LIFE-08).
                return Err(RequestError::Closed(CloseReason::SessionLost));
            }
            self.notify_initialized().await;
            let level = self.log_level().clone();
            if let Some(level) = level {
                let params = log_level_params(&level);
                self.request_once(&Request::new("logging/setLevel", Some(&params))).await?;
            }
            self.subscribe_again().await
        };
        let outcome: Result<(), RequestError> = renewed.await;
        unfinished.armed = false;
        match &outcome {
            Ok(()) => {
                let message = say!("the server had forgotten the session; a new one was opened");
                self.link.diagnose(Diagnostic::new(Code::Http, "mcp-session-id", message));
                // In another session everything may be another, and nobody told of it.
                let offers = self.offers();
                let everything = Filter {
                    tools: true,
                    prompts: offers.prompts,
                    resources: offers.resources,
                    uris: self.link.subscriptions.uris().into_iter().collect(),
                    ..Filter::default()
                };
                self.link.tell_of_all(&everything);
                self.renewals.fetch_add(1, Ordering::AcqRel);
            }
            Err(_) => self.link.close(&CloseReason::SessionLost),
        }
        outcome
    }

    /// How often a lost session was replaced.
    pub(crate) fn renewals(&self) -> u64 {
        self.renewals.load(Ordering::Acquire)
    }

    /// Waits until the server knows the folders, or had the time to ask for them: many ask as soon as they are initialized,
    /// and answer the first requests by the folders that they had before.
    pub(crate) async fn roots_settled(&self) {
        drop(self.knows_roots.subscribe().wait_for(|knows| *knows).await);
    }

    /// Waits while a lost session is being replaced, so that no request leaves without one.
    pub(crate) async fn settled(&self) {
        drop(self.renewal.lock().await);
    }

    /// Asks for log messages of `level` and above, in this session and in those that follow it; in the stateless era
    /// with each request (LOG-01, LOG-03).
    pub(crate) async fn set_log_level(&self, level: &str) -> Result<(), RequestError> {
        if !self.is_modern() {
            let offers = self.offers();
            if offers.known && !offers.logging {
                return Err(RequestError::Unsendable { reason: say!("the server has no log messages") });
            }
            self.request(&Request::new("logging/setLevel", Some(&log_level_params(level)))).await?;
        }
        *self.log_level() = Some(level.to_owned());
        self.link.want_logs();
        Ok(())
    }

    fn log_level(&self) -> MutexGuard<'_, Option<String>> {
        self.log_level.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets requests leave once the server was told of the folders and had the time to look at them, which takes it several
/// turns: it answers a ping in between. Or after a while, whether it asks or not.
async fn settle_roots(wire: Arc<Wire>) {
    let mut told = wire.link.roots_told.subscribe();
    let asks = tokio::time::timeout(FIRST_ROOTS, told.wait_for(|told| *told > 0));
    if asks.await.is_ok_and(|told| told.is_ok()) {
        let until = Instant::now() + TAKEN_IN;
        for _ in 0..LOOKS {
            tokio::time::sleep(LOOK).await;
            let wait = wire.deadlines.idle.min(PING);
            let options = CallOptions { idle: Some(wait), total: Some(wait), ..CallOptions::default() };
            let ping = Request { options, ..Request::new("ping", None) };
            let mut answered = Box::pin(wire.request_once(&ping));
            // Any answer will do, and so will none.
            if tokio::time::timeout_at(until, &mut answered).await.is_err() {
                wire.knows_roots.send_replace(true);
                // Given up, it would have to be cancelled, which says more than the ping does.
                let _any = answered.await;
                return;
            }
        }
    }
    wire.knows_roots.send_replace(true);
}

/// Ends the connection when a renewal of its session is given up half-way.
struct Unfinished<'a> {
    link: &'a Link,
    armed: bool,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.link.close(&CloseReason::SessionLost);
        }
    }
}

fn log_level_params(level: &str) -> Params {
    Params::new().text("level", level)
}
