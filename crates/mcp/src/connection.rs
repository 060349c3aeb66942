//! One connection: its transport, its background tasks, and its start and end.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mooring_process::{ShutdownGrace, UnreadInput};
use mooring_words::say;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::call::notify_cancelled;
use crate::error::{CloseReason, ConnectError};
use crate::inbound::ClientHandler;
use crate::keepalive;
use crate::link::{MessageHandler, MessageLink};
use crate::model::handshake::Handshake;
use crate::options::{ClientOptions, ServerTarget};
use crate::peer::Peer;
use crate::questions;
use crate::request::{CallOptions, Request};
use crate::subscriptions;
use crate::tap::Tap;
use crate::transport::http::HttpTransport;
use crate::transport::stdio::{self, StderrTail};
use crate::transport::{Stop, sse};
use crate::wire::{RequestSender, TransportParts};

/// The most messages that wait to be written.
const OUTBOX: usize = 256;
/// How long the first request waits until the GET stream is open.
const FIRST_LISTEN: Duration = Duration::from_millis(250);
/// How long the first request waits until the server has the roots.
const FIRST_ROOTS: Duration = Duration::from_millis(300);
/// The deadline of a ping in the background.
const PING: Duration = Duration::from_secs(10);
/// The deadline for ending a connection, a little longer than a process's deadline.
const LONGEST_END: Duration = Duration::from_secs(12);
/// How long a server may process the roots before the first requests are sent anyway. Below: the number of
/// pings in that time, and the pause before each ping.
const ROOTS_PING_DEADLINE: Duration = Duration::from_secs(2);
const ROOTS_PINGS: u32 = 4;
const ROOTS_PING_PAUSE: Duration = Duration::from_millis(25);

/// One connection and its background tasks. Dropping it ends the tasks and the server's process tree.
pub(crate) struct Connection {
    pub(crate) wire: Arc<RequestSender>,
    stop: watch::Sender<Stop>,
    tasks: Mutex<JoinSet<()>>,
    keep_alive: Option<Duration>,
    awaits_roots: bool,
    grace: ShutdownGrace,
}

/// The transport of a server with a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UrlTransport {
    /// Streamable HTTP, of either era.
    Streamable,
    /// HTTP+SSE of 2024-11-05.
    Sse,
}

impl Connection {
    /// Starts the server or prepares its URL. Nothing is sent yet.
    pub(crate) fn open(
        target: ServerTarget,
        transport: UrlTransport,
        options: &ClientOptions,
        inbound: &Arc<dyn ClientHandler>,
        tap: &Arc<dyn Tap>,
    ) -> Result<Self, ConnectError> {
        // Boxed messages, because the channel allocates room for at least 32 as long as the connection lives.
        let (outbox, queue) = mpsc::channel(OUTBOX);
        let (asking, asked) = mpsc::channel((options.limits.questions * 2).max(1));
        let (inbound, tap) = (Arc::clone(inbound), Arc::clone(tap));
        let peer = Arc::new(Peer::new(Arc::clone(&inbound), asking));
        let handler: Arc<dyn MessageHandler> = Arc::<Peer>::clone(&peer);
        let link =
            Arc::new(MessageLink::new(options.limits.clone(), tap, Arc::clone(&inbound), outbox, handler));
        let stop = watch::Sender::new(Stop::No);
        let tail = Arc::new(StderrTail::default());
        let mut tasks = JoinSet::new();
        let idle = options.deadlines.idle;
        tasks.spawn(questions::answer_questions(
            Arc::clone(&link),
            Arc::clone(&peer),
            Arc::clone(&inbound),
            asked,
            idle,
        ));
        tasks.spawn(questions::answer_over_limit(Arc::clone(&link), Arc::clone(&peer)));
        let (mut http, mut server, mut pid) = (None, None, None);
        let mut unread = Arc::default();
        match target {
            ServerTarget::Stdio(spawn) => {
                let process = mooring_process::spawn(&spawn).map_err(|error| ConnectError::Spawn {
                    program: spawn.program.display().to_string(),
                    reason: error.sentence(),
                })?;
                pid = Some(process.control.pid());
                unread = Arc::new(UnreadInput::watch(&process.stdin));
                stdio::start_tasks(process, &link, queue, &unread, &stop, &tail, &mut tasks);
            }
            ServerTarget::Http { url, headers } => {
                let access = options.access.clone();
                let at_url =
                    HttpTransport::new(options.http.clone(), url, &headers, access).map_err(|name| {
                        let reason = say!("this header can’t be sent: {name}", name);
                        ConnectError::Unreachable { reason }
                    })?;
                let at_url = Arc::new(at_url);
                server = Some(Arc::clone(&at_url));
                let shared = Arc::clone(&link);
                match transport {
                    UrlTransport::Streamable => {
                        let run = Arc::clone(&at_url).send_messages(
                            shared,
                            queue,
                            stop.subscribe(),
                            options.deadlines.idle,
                        );
                        tasks.spawn(run);
                        http = Some(at_url);
                    }
                    UrlTransport::Sse => {
                        tasks.spawn(sse::run_connection(
                            at_url,
                            shared,
                            queue,
                            stop.subscribe(),
                            options.deadlines,
                        ));
                    }
                }
            }
        }
        let watched = Arc::clone(&link);
        tasks.spawn(async move {
            let mut closed = watched.closed();
            let cancel = |id, method| {
                watched.report_unfinished();
                notify_cancelled(&watched, id, method, None, "no answer in time");
            };
            tokio::select! {
                () = watched.table.watch_deadlines(cancel) => {}
                _ = closed.wait_for(Option::is_some) => {}
            }
        });
        let wire = RequestSender::new(
            link,
            peer,
            inbound,
            TransportParts { http, server, tail, pid, unread },
            options,
        );
        let ClientOptions { keep_alive, awaits_roots, grace, .. } = *options;
        Ok(Self { wire: Arc::new(wire), stop, tasks: Mutex::new(tasks), keep_alive, awaits_roots, grace })
    }

    fn spawn_task(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).spawn(task);
    }

    /// Starts the operation phase after the handshake. Without an open GET stream, many servers lose
    /// unprompted messages, such as a question in the first call, so the first request waits a moment for it.
    pub(crate) async fn start_session(&self) {
        if self.awaits_roots && self.wire.inbound.capabilities().roots {
            self.wire.roots_ready.send_replace(false);
            self.spawn_task(hold_requests_for_roots(Arc::clone(&self.wire)));
        }
        self.wire.unread.close();
        self.wire.notify_initialized().await;
        if let Some(http) = &self.wire.http {
            let (asked, answered) = oneshot::channel();
            self.spawn_task(Arc::clone(http).listen(
                Arc::clone(&self.wire.link),
                self.stop.subscribe(),
                asked,
            ));
            // The stream is optional, and some servers only respond once they have a message to send.
            let _late = tokio::time::timeout(FIRST_LISTEN, answered).await;
        }
        if let Some(quiet) = self.keep_alive {
            self.spawn_task(keepalive::keep_alive(Arc::clone(&self.wire), quiet));
        }
    }

    pub(crate) fn switch_to_modern(&self) {
        self.wire.unread.close();
        self.wire.switch_to_modern();
    }

    /// Applies the result of the negotiation. Starts to listen for changes (SUB-02).
    pub(crate) fn apply_handshake(&self, handshake: &Handshake) {
        let offers = handshake.offers;
        self.wire.set_agreed(handshake.revision, offers);
        if !self.wire.is_modern() {
            return;
        }
        let subscriptions = &self.wire.peer.subscriptions;
        subscriptions.wanted.send_modify(|wanted| {
            wanted.tools = offers.tool_changes;
            wanted.prompts = offers.prompt_changes;
            wanted.resources = offers.resource_changes;
        });
        if subscriptions.mark_started() {
            self.spawn_task(subscriptions::keep_listening(Arc::clone(&self.wire)));
        }
    }

    /// Ends the connection gracefully. Subscriptions are cancelled first, while the server still reads.
    pub(crate) async fn shutdown(&self) {
        self.wire.peer.subscriptions.finish().await;
        self.end_connection(Stop::Gently(self.grace)).await;
    }

    /// Ends a connection whose handshake failed. The process gets little time to end.
    pub(crate) async fn abandon(&self) {
        self.end_connection(Stop::Soon).await;
    }

    async fn end_connection(&self, stop: Stop) {
        self.stop.send_replace(stop);
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        let ended = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(LONGEST_END, ended).await.is_err() {
            tracing::warn!("a connection did not end in time; what is left of it is cut off");
        }
        self.wire.link.close(&CloseReason::Stopped);
    }
}

/// Holds requests back until the server has the roots and had time to process them. That takes several turns
/// of its event loop, so it has to answer several pings. Gives up if it requests no roots in time.
async fn hold_requests_for_roots(wire: Arc<RequestSender>) {
    let mut roots_sent = wire.peer.roots_sent.subscribe();
    let asks = tokio::time::timeout(FIRST_ROOTS, roots_sent.wait_for(|count| *count > 0));
    if asks.await.is_ok_and(|sent| sent.is_ok()) {
        let until = Instant::now() + ROOTS_PING_DEADLINE;
        for _ in 0..ROOTS_PINGS {
            tokio::time::sleep(ROOTS_PING_PAUSE).await;
            let wait = wire.deadlines.idle.min(PING);
            let options = CallOptions { idle: Some(wait), total: Some(wait), ..CallOptions::default() };
            let ping = Request { options, ..Request::new("ping", None) };
            let mut answered = Box::pin(wire.request_once(&ping));
            // Any outcome is fine: a result, an error or a timeout.
            if tokio::time::timeout_at(until, &mut answered).await.is_err() {
                wire.roots_ready.send_replace(true);
                // Dropping the ping would cancel it, which sends more to the server than the ping itself.
                let _any = answered.await;
                return;
            }
        }
    }
    wire.roots_ready.send_replace(true);
}
