//! What every request of a connection needs: its link, its transport, and the negotiation's result.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use mooring_jsonrpc::JsonObject;
use mooring_process::UnreadInput;
use mooring_words::say;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::additions::{merge_extensions, read_caller_meta};
use crate::client_capabilities::capabilities;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::error::{CloseReason, RequestError};
use crate::extension::{Extension, declared};
use crate::filter::SubscriptionFilter;
use crate::inbound::{CallerAdditions, ClientHandler, RequestCaller};
use crate::limits::Deadlines;
use crate::link::MessageLink;
use crate::model::handshake::{ServerCapabilities, ServerFacts};
use crate::options::ClientOptions;
use crate::outgoing::OutgoingMessage;
use crate::peer::Peer;
use crate::request::{CallOptions, Request, Success};
use crate::revision::Revision;
use crate::transport::http::HttpTransport;
use crate::transport::stdio::StderrTail;

/// The transport of a connection.
pub(crate) struct TransportParts {
    /// The transport, if it is Streamable HTTP.
    pub(crate) http: Option<Arc<HttpTransport>>,
    /// The server with a URL, over either transport.
    pub(crate) server: Option<Arc<HttpTransport>>,
    /// The last lines of stderr, over stdio.
    pub(crate) tail: Arc<StderrTail>,
    pub(crate) pid: Option<u32>,
    /// Whether a stdio server has read its input. Only tracked during the handshake.
    pub(crate) unread: Arc<UnreadInput>,
}

/// Sends a connection's requests. Background tasks can own it without keeping the connection alive.
pub(crate) struct RequestSender {
    pub(crate) link: Arc<MessageLink>,
    pub(crate) peer: Arc<Peer>,
    pub(crate) http: Option<Arc<HttpTransport>>,
    pub(crate) server: Option<Arc<HttpTransport>>,
    pub(crate) inbound: Arc<dyn ClientHandler>,
    pub(crate) in_flight: Semaphore,
    /// Exchanges that continue without their caller.
    pub(crate) detached_exchanges: Mutex<JoinSet<()>>,
    pub(crate) deadlines: Deadlines,
    pub(crate) tail: Arc<StderrTail>,
    pub(crate) pid: Option<u32>,
    pub(crate) unread: Arc<UnreadInput>,
    client_info: JsonObject,
    extensions: Vec<Extension>,
    /// Whether the extensions include tasks.
    pub(crate) declares_tasks: bool,
    /// The result of the negotiation.
    agreed: OnceLock<(Revision, ServerCapabilities)>,
    modern: AtomicBool,
    /// Held while a lost session is replaced.
    renewal: tokio::sync::Mutex<()>,
    /// How often a lost session was replaced.
    renewals: AtomicU64,
    /// False while the first requests wait until the server has the roots.
    pub(crate) roots_ready: watch::Sender<bool>,
    /// The revision that `initialize` offers.
    offer: Mutex<Revision>,
    log_level: Mutex<Option<String>>,
}

impl RequestSender {
    /// A sender before the negotiation.
    pub(crate) fn new(
        link: Arc<MessageLink>,
        peer: Arc<Peer>,
        inbound: Arc<dyn ClientHandler>,
        carrier: TransportParts,
        options: &ClientOptions,
    ) -> Self {
        let TransportParts { http, server, tail, pid, unread } = carrier;
        Self {
            link,
            peer,
            http,
            server,
            inbound,
            in_flight: Semaphore::new(options.limits.in_flight),
            detached_exchanges: Mutex::new(JoinSet::new()),
            deadlines: options.deadlines,
            tail,
            pid,
            unread,
            client_info: JsonObject::new().text("name", options.name).text("version", options.version),
            declares_tasks: options.extensions.iter().any(Extension::is_tasks),
            extensions: options.extensions.clone(),
            agreed: OnceLock::new(),
            modern: AtomicBool::new(false),
            renewal: tokio::sync::Mutex::new(()),
            renewals: AtomicU64::default(),
            roots_ready: watch::Sender::new(true),
            offer: Mutex::new(Revision::SESSION),
            log_level: Mutex::new(None),
        }
    }

    pub(crate) fn switch_to_modern(&self) {
        self.modern.store(true, Ordering::Relaxed);
        self.link.switch_to_modern(self.http.is_some());
    }

    /// Sets the result of the negotiation. Only the first call counts.
    pub(crate) fn set_agreed(&self, revision: Revision, offers: ServerCapabilities) {
        let _first = self.agreed.set((revision, offers));
    }

    /// The server's capabilities, as far as they are known.
    pub(crate) fn offers(&self) -> ServerCapabilities {
        self.agreed.get().map(|(_, offers)| *offers).unwrap_or_default()
    }

    /// The negotiated revision.
    pub(crate) fn revision(&self) -> Option<Revision> {
        self.agreed.get().map(|(revision, _)| *revision)
    }

    /// Whether the stateless era is used.
    pub(crate) fn is_modern(&self) -> bool {
        self.modern.load(Ordering::Relaxed)
    }

    /// Builds a stateless request's `_meta`: the caller's and every request's members (BASE-15, BASE-16).
    pub(crate) fn build_meta(
        &self,
        caller: Option<&RequestCaller>,
        additions: &CallerAdditions,
    ) -> JsonObject {
        let able = self.inbound.capabilities_during(caller);
        let extensions = merge_extensions(&self.extensions, additions);
        let capabilities = capabilities(able, Revision::MODERN, &declared(Revision::MODERN, &extensions));
        let meta = read_caller_meta(additions)
            .text("io.modelcontextprotocol/protocolVersion", Revision::MODERN.as_str())
            .object("io.modelcontextprotocol/clientInfo", &self.client_info)
            .object("io.modelcontextprotocol/clientCapabilities", &capabilities);
        match &*self.lock_log_level() {
            Some(level) => meta.text("io.modelcontextprotocol/logLevel", level),
            None => meta,
        }
    }

    /// Sends `server/discover` as a request of the stateless era, whatever is negotiated (ERA-01, ERA-07).
    pub(crate) async fn send_discover(&self, wait: Duration) -> Result<Success, RequestError> {
        let options = CallOptions { idle: Some(wait), total: Some(wait), ..CallOptions::default() };
        self.request_once(&Request { options, probe: true, ..Request::new("server/discover", None) }).await
    }

    /// Sends `initialize`, offering `revision`, and waits for the response (LIFE-02, LIFE-03).
    pub(crate) async fn send_initialize(&self, revision: Revision) -> Result<Success, RequestError> {
        *self.offer.lock().unwrap_or_else(PoisonError::into_inner) = revision;
        let wait = self.deadlines.connect;
        let extensions = declared(revision, &self.extensions);
        let capabilities = capabilities(self.inbound.capabilities(), revision, &extensions);
        let params = JsonObject::new()
            .text("protocolVersion", revision.as_str())
            .object("capabilities", &capabilities)
            .object("clientInfo", &self.client_info);
        let options = CallOptions { idle: Some(wait), total: Some(wait), ..CallOptions::default() };
        self.request_once(&Request { options, ..Request::new("initialize", Some(&params)) }).await
    }

    /// Sends the notification that ends the handshake, before any other message (LIFE-05).
    pub(crate) async fn notify_initialized(&self) {
        let outgoing = OutgoingMessage::notification("notifications/initialized", None);
        match &self.http {
            // Sent separately and awaited, because a server may refuse requests that overtake it.
            Some(http) => {
                let exchange = Box::pin(http.exchange(&self.link, outgoing, None));
                if let Ok(Err(error)) = tokio::time::timeout(self.deadlines.idle, exchange).await {
                    let message = say!("was rejected: {reason}", reason = error.sentence());
                    self.link.diagnose(Diagnostic::new(
                        DiagnosticCode::Http,
                        "notifications/initialized",
                        message,
                    ));
                }
            }
            None => drop(self.link.outbox().send(Box::new(outgoing)).await),
        }
    }

    /// Replaces the lost session of `generation` and restores its state (SHS-18, LIFE-14). Concurrent calls
    /// share one replacement.
    pub(crate) async fn renew_session(
        &self,
        http: &HttpTransport,
        generation: u64,
    ) -> Result<(), RequestError> {
        let _turn = self.renewal.lock().await;
        if !http.forget_session(generation) {
            return Ok(());
        }
        // If this is dropped before the new session is ready, there is no session: the connection is over.
        let mut unfinished = RenewalGuard { link: &self.link, armed: true };
        let renewed = async {
            let offer = *self.offer.lock().unwrap_or_else(PoisonError::into_inner);
            let answer = self.send_initialize(offer).await?;
            let facts = ServerFacts::from_initialize(answer.raw.get(), &self.link.limits);
            let named = facts.revision.as_deref().and_then(Revision::with_session);
            if named.is_none() || named != self.link.revision() {
                // A different revision requires a new connection (LIFE-08).
                return Err(RequestError::Closed(CloseReason::SessionLost));
            }
            self.notify_initialized().await;
            let level = self.lock_log_level().clone();
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
                self.link.diagnose(Diagnostic::new(DiagnosticCode::Http, "mcp-session-id", message));
                // Everything may be different in the new session, without any notification.
                let offers = self.offers();
                let everything = SubscriptionFilter {
                    tools: true,
                    prompts: offers.prompts,
                    resources: offers.resources,
                    uris: self.peer.subscriptions.uris().into_iter().collect(),
                    ..SubscriptionFilter::default()
                };
                self.peer.notify_all_changed(&self.link, &everything);
                self.renewals.fetch_add(1, Ordering::AcqRel);
            }
            Err(_) => self.link.close(&CloseReason::SessionLost),
        }
        outcome
    }

    pub(crate) fn renewals(&self) -> u64 {
        self.renewals.load(Ordering::Acquire)
    }

    /// Waits until the server has the roots or had time to request them. Many servers request the roots right
    /// after the handshake, and answer earlier requests with outdated roots.
    pub(crate) async fn wait_for_roots(&self) {
        drop(self.roots_ready.subscribe().wait_for(|knows| *knows).await);
    }

    /// Waits while a lost session is being replaced, so that no request is sent without a session.
    pub(crate) async fn wait_for_renewal(&self) {
        drop(self.renewal.lock().await);
    }

    /// Requests log messages of `level` and above, in this session and in later sessions. In the stateless
    /// era, each request has the level (LOG-01, LOG-03).
    pub(crate) async fn set_log_level(&self, level: &str) -> Result<(), RequestError> {
        if !self.is_modern() {
            let offers = self.offers();
            if offers.known && !offers.logging {
                return Err(RequestError::Unsendable {
                    reason: say!("the server doesn’t support log messages"),
                });
            }
            self.request(&Request::new("logging/setLevel", Some(&log_level_params(level)))).await?;
        }
        *self.lock_log_level() = Some(level.to_owned());
        self.peer.enable_logs();
        Ok(())
    }

    fn lock_log_level(&self) -> MutexGuard<'_, Option<String>> {
        self.log_level.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the connection if the renewal of its session is dropped before it is complete.
struct RenewalGuard<'a> {
    link: &'a MessageLink,
    armed: bool,
}

impl Drop for RenewalGuard<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.link.close(&CloseReason::SessionLost);
        }
    }
}

fn log_level_params(level: &str) -> JsonObject {
    JsonObject::new().text("level", level)
}
