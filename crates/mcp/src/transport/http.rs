//! Streamable HTTP. Each message of the client is a POST, whose response is one JSON body or an event stream.
//! In the session era (2025-03-26 to 2025-11-25), unprompted messages of the server come on a GET stream.

pub(crate) mod access;
pub(crate) mod body;
mod certificate;
mod client;
mod encoding;
mod listen;
pub(crate) mod refusal;
mod session;
pub(crate) mod session_loss;
mod stream;

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use mooring_words::say;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
};
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use url::Url;

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::error::{CloseReason, RequestError, RpcError};
use crate::headers;
use crate::limits::LimitKind;
use crate::outgoing::OutgoingMessage;
use crate::revision::Revision;
use crate::tap::{Direction, TapEvent, TapKind};
use crate::transport::http::access::Authorize;
use crate::transport::http::body::{BodyKind, body_excerpt, read_body, read_media_type, read_next_chunk};
pub use crate::transport::http::certificate::find_issuer;
pub use crate::transport::http::client::{HttpClient, http_client};
use crate::transport::http::refusal::SessionUse;
use crate::transport::http::session::{Session, SessionCell};
use crate::transport::http::session_loss::loss_by_error;
use crate::transport::sink::{FrameSink, FrameSource};
use crate::transport::{Stop, UNAWAITED, wait_for_stop};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const REVISION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Headers that the protocol sets, with one value for each message. A second header with the same name is an
/// error and not a list (RFC 9110 §5.3), and some servers use the first header.
const PROTOCOL_HEADERS: [HeaderName; 9] = [
    ACCEPT,
    ACCEPT_ENCODING,
    CONTENT_TYPE,
    CONTENT_LENGTH,
    SESSION,
    REVISION,
    LAST_EVENT_ID,
    headers::METHOD,
    headers::NAME,
];

/// The methods whose requests name their subject in a header.
const NAMED: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];
/// The deadline for deleting the session.
const SESSION_END_TIMEOUT: Duration = Duration::from_secs(2);

/// A server with a URL.
pub(crate) struct HttpTransport {
    client: HttpClient,
    url: Url,
    headers: HeaderMap,
    /// Configured headers that the protocol overrides, by their configured names.
    overridden_headers: Vec<String>,
    access: Option<Arc<dyn Authorize>>,
    sessions: SessionCell,
    revision: OnceLock<Revision>,
    /// Whether there was a response. An old connection may then be reused.
    has_answered: AtomicBool,
    stream_tails: Mutex<JoinSet<()>>,
}

impl HttpTransport {
    /// A server at `url`. Every request has the headers of `access`, and `headers` except those that the
    /// protocol sets. Fails with the name of an invalid header.
    pub(crate) fn new(
        client: HttpClient,
        url: Url,
        headers: &[(String, String)],
        access: Option<Arc<dyn Authorize>>,
    ) -> Result<Self, String> {
        let mut map = HeaderMap::new();
        let mut left_out = Vec::new();
        for (name, value) in headers {
            let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| name.clone())?;
            let mut value = HeaderValue::from_str(value).map_err(|_| name.clone())?;
            value.set_sensitive(true);
            if PROTOCOL_HEADERS.contains(&key) {
                left_out.push(name.clone());
            } else {
                map.append(key, value);
            }
        }
        Ok(Self {
            client,
            url,
            headers: map,
            overridden_headers: left_out,
            access,
            sessions: SessionCell::new(),
            revision: OnceLock::new(),
            has_answered: AtomicBool::new(false),
            stream_tails: Mutex::new(JoinSet::new()),
        })
    }

    /// Reports the configured headers that are not sent.
    pub(crate) fn report_overridden_headers(&self, sink: &impl FrameSink) {
        for header in &self.overridden_headers {
            let message = say!("the configured header {header} is left out: the protocol sets it", header);
            sink.diagnose(Diagnostic::new(DiagnosticCode::Http, "", message));
        }
    }

    /// Sets the revision. From now on, requests have `MCP-Protocol-Version`, if the revision has that header.
    pub(crate) fn set_revision(&self, revision: Revision) {
        self.revision.get_or_init(|| revision);
    }

    /// The current session's generation, for reporting the session as lost.
    pub(crate) fn generation(&self) -> u64 {
        self.sessions.current().generation
    }

    pub(crate) fn session(&self) -> Session {
        self.sessions.current()
    }

    /// Forgets the session of `generation`. Returns false if the session was already replaced.
    pub(crate) fn forget_session(&self, generation: u64) -> bool {
        self.sessions.forget_session(generation)
    }

    /// Builds a POST with the headers of the message's era. In the stateless era, the headers describe the
    /// request (SHL-03 to SHL-05). In the session era, they also name the session.
    fn build_post_request(&self, outgoing: &OutgoingMessage) -> Result<RequestBuilder, RequestError> {
        let Some(modern) = &outgoing.modern else { return self.build_session_request(outgoing) };
        let mut request = self
            .plain_request(Method::POST, self.url.clone())?
            .header(REVISION, Revision::MODERN.as_str())
            .header(headers::METHOD, outgoing.method.as_deref().unwrap_or_default());
        if let Some(name) = &modern.name {
            request = request.header(headers::NAME, name);
        }
        for (name, value) in &modern.mirrored {
            request = request.header(name, value);
        }
        Ok(request)
    }

    /// Builds a POST of the session era. Its headers also describe the request, because servers between the
    /// eras require that, and others ignore it (ERA-27).
    fn build_session_request(&self, outgoing: &OutgoingMessage) -> Result<RequestBuilder, RequestError> {
        let mut request = self.build_request(Method::POST)?;
        let Some(method) = outgoing.method.as_deref().filter(|_| outgoing.outcome.is_none()) else {
            return Ok(request);
        };
        request = request.header(headers::METHOD, method);
        let name = outgoing.subject.as_deref().filter(|_| NAMED.contains(&method));
        if let Some(Ok(name)) = name.map(headers::encode_header_value) {
            request = request.header(headers::NAME, name);
        }
        Ok(request)
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Sends a POST to another URL of the same server, for the HTTP+SSE transport.
    pub(crate) async fn post_to(
        &self,
        url: &Url,
        body: Bytes,
        may_repeat: bool,
    ) -> Result<Response, RequestError> {
        let mut request = self.plain_request(Method::POST, url.clone())?;
        if let Some(revision) = self.revision.get().filter(|revision| revision.has_version_header()) {
            request = request.header(REVISION, revision.as_str());
        }
        let request = request.header(CONTENT_TYPE, "application/json").body(body);
        self.send(request, may_repeat).await
    }

    /// Builds a request with the configured headers. It asks for uncompressed responses, because compression
    /// costs small servers and gateways more than it saves. Compressed responses are decoded anyway.
    fn plain_request(&self, method: Method, url: Url) -> Result<RequestBuilder, RequestError> {
        let request = self.client.request(method, url)?;
        Ok(request.headers(self.headers.clone()).header(ACCEPT_ENCODING, "identity"))
    }

    fn build_request(&self, method: Method) -> Result<RequestBuilder, RequestError> {
        let mut request = self.plain_request(method, self.url.clone())?;
        if let Some(session) = self.sessions.current().id {
            request = request.header(SESSION, session);
        }
        Ok(match self.revision.get() {
            Some(revision) if revision.has_version_header() => request.header(REVISION, revision.as_str()),
            _ => request,
        })
    }

    /// Sends one message and handles everything on its exchange. `id` is the request's id, or `None` for a
    /// message without a response. A lost session is reported as [`RequestError::SessionLost`], which says
    /// whether the request may have run.
    pub(crate) async fn exchange(
        &self,
        sink: &Arc<impl FrameSink>,
        outgoing: OutgoingMessage,
        id: Option<u64>,
    ) -> Result<(), RequestError> {
        sink.record(outgoing.to_event()).await;
        let modern = outgoing.modern.is_some();
        let in_session =
            !modern && self.revision.get().is_some() && outgoing.method.as_deref() != Some("initialize");
        let names_session = !modern && self.sessions.current().id.is_some();
        let may_repeat = outgoing.can_repeat();
        let used = SessionUse { names_session, in_session, acts: !may_repeat, id };
        let request = self
            .build_post_request(&outgoing)?
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .body(outgoing.bytes);
        let response = self.send(request, may_repeat).await?;
        let status = response.status();
        if !status.is_success() {
            return Err(self.to_refusal_error(sink, response, id, used).await);
        }
        // A session id from a server of the stateless era is ignored (SHL-10).
        if !modern && let Some(session) = response.headers().get(SESSION) {
            let accepted = self.sessions.set_id(session);
            accepted.map_err(|reason| RequestError::Malformed { reason })?;
        }
        let Some(id) = id else { return Ok(()) };
        if status == StatusCode::ACCEPTED {
            let what = say!("HTTP status 202 (accepted) for a request that needs an answer");
            return Err(RequestError::NotMcp { what, excerpt: String::new() });
        }
        match self.handle_response(sink, response, id, modern).await {
            // The error came on the request's exchange, but names no request.
            Err(RequestError::Rpc(error)) if used.names_session => {
                let loss = loss_by_error(&error, false, used.acts);
                Err(match (loss, RequestError::Rpc(error)) {
                    (Some(loss), error) => loss.error(error),
                    (None, error) => error,
                })
            }
            outcome => outcome,
        }
    }

    async fn handle_response(
        &self,
        sink: &Arc<impl FrameSink>,
        mut response: Response,
        id: u64,
        modern: bool,
    ) -> Result<(), RequestError> {
        let declared = read_media_type(response.headers());
        let mut kind = BodyKind::from_media_type(declared.as_deref());
        let mut first = Bytes::new();
        if kind == BodyKind::Unknown {
            first = read_next_chunk(&mut response).await?.unwrap_or_default();
            kind = BodyKind::from_content(&first);
            if kind != BodyKind::Unknown {
                let found = declared.as_deref().unwrap_or("none");
                sink.diagnose(Diagnostic::new(
                    DiagnosticCode::Http,
                    "content-type",
                    say!("is {found}", found),
                ));
            }
        }
        let answered = match kind {
            BodyKind::Events => self.read_events(sink, response, &first, id, !modern).await,
            BodyKind::Json => match read_body(response, first, sink.limits().message_bytes).await {
                Ok(body) => take_json(sink, body, id).await,
                Err(error) => Err(error),
            },
            BodyKind::Unknown => {
                let what = match declared.as_deref() {
                    Some("text/html") => say!("a web page"),
                    Some(other) => say!("content of type {kind}", kind = other),
                    None => say!("content without a type"),
                };
                let excerpt = body_excerpt(&first);
                sink.record(TapEvent::new(Direction::In, TapKind::Noise, first)).await;
                Err(RequestError::NotMcp { what, excerpt })
            }
        };
        if matches!(answered, Err(RequestError::TooLarge { .. })) {
            sink.on_limit(LimitKind::Message);
        }
        answered
    }

    /// Deletes the session, if there is one. The server may refuse that.
    async fn end_session(&self) {
        if self.sessions.current().id.is_some()
            && let Ok(request) = self.build_request(Method::DELETE)
        {
            let farewell = self.send(request, true);
            drop(tokio::time::timeout(SESSION_END_TIMEOUT, farewell).await);
        }
    }

    /// Sends unawaited messages until the connection stops, and then ends the session. Notifications are sent
    /// one after another. Responses are sent at once, so that a response that the server doesn't accept
    /// doesn't block the next response. No message may take longer than `patience`.
    pub(crate) async fn send_messages(
        self: Arc<Self>,
        sink: Arc<impl FrameSink>,
        mut outbox: mpsc::Receiver<Box<OutgoingMessage>>,
        mut stop: watch::Receiver<Stop>,
        patience: Duration,
    ) {
        self.report_overridden_headers(&*sink);
        let mut closed = sink.closed();
        let mut sent = FuturesUnordered::new();
        let mut line = VecDeque::new();
        let mut is_next = true;
        loop {
            tokio::select! {
                biased;
                _ = wait_for_stop(&mut stop) => break,
                _ = closed.wait_for(Option::is_some) => return,
                Some(was_next) = sent.next() => is_next |= was_next,
                outgoing = outbox.recv(), if sent.len() < UNAWAITED && line.len() < UNAWAITED => match outgoing {
                    Some(outgoing) if outgoing.outcome.is_some() => sent.push(self.send_unawaited(&sink, outgoing, patience)),
                    Some(outgoing) => line.push_back(outgoing),
                    None => break,
                },
            }
            if is_next && let Some(outgoing) = line.pop_front() {
                is_next = false;
                sent.push(self.send_unawaited(&sink, outgoing, patience));
            }
        }
        sink.close(&CloseReason::Stopped);
        self.end_session().await;
    }

    /// Sends one unawaited message. Returns whether it was a notification, so that the next one follows.
    async fn send_unawaited(
        &self,
        sink: &Arc<impl FrameSink>,
        outgoing: Box<OutgoingMessage>,
        patience: Duration,
    ) -> bool {
        let has_turn = outgoing.outcome.is_none();
        let name = outgoing.method.clone().unwrap_or_default();
        match tokio::time::timeout(patience, self.exchange(sink, *outgoing, None)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => sink.diagnose(Diagnostic::new(DiagnosticCode::Http, name, error.sentence())),
            Err(_) => {
                sink.diagnose(Diagnostic::new(DiagnosticCode::Http, name, say!("wasn’t taken in time")));
            }
        }
        has_turn
    }

    fn stream_tails(&self) -> std::sync::MutexGuard<'_, JoinSet<()>> {
        self.stream_tails.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn take_json(sink: &Arc<impl FrameSink>, body: Bytes, id: u64) -> Result<(), RequestError> {
    let excerpt = body_excerpt(&body);
    let received = sink.receive_on(FrameSource::Exchange(id), body).await;
    if received.answered == Some(id) {
        return Ok(());
    }
    if let Some(error) = received.orphan {
        return Err(RequestError::Rpc(RpcError::read(&String::from_utf8_lossy(&error))));
    }
    let what = match received.noise {
        Some(error) => error.sentence(),
        None => say!("a message that doesn’t answer the request"),
    };
    Err(RequestError::NotMcp { what, excerpt })
}
