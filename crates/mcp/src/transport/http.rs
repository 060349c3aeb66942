//! Streamable HTTP of the session era (2025-03-26 to 2025-11-25): every message of ours is a POST, answered with
//! one JSON body or an event stream; what the server says of its own accord comes on a GET stream.

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
use crate::transport::http::body::{BodyKind, excerpt, media_type, next_chunk, read_body};
pub use crate::transport::http::client::{HttpClient, http_client};
use crate::transport::http::refusal::SessionUse;
use crate::transport::http::session::{Session, SessionCell};
use crate::transport::http::session_loss::loss_by_error;
use crate::transport::sink::{FrameSink, FrameSource};
use crate::transport::{Stop, UNAWAITED, wait_for_stop};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const REVISION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The headers that the protocol sets itself, with a value for each message. Two of one name are no list but a fault
/// (RFC 9110 §5.3), and some servers go by the first.
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

/// The methods whose requests name in a header what they are about.
const NAMED: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];
/// How long the farewell to a session may take.
const SESSION_END_TIMEOUT: Duration = Duration::from_secs(2);

/// One server behind a URL.
pub(crate) struct HttpTransport {
    client: HttpClient,
    url: Url,
    headers: HeaderMap,
    /// Headers of the person's that give way to the protocol's, by the name that they were given.
    overridden_headers: Vec<String>,
    access: Option<Arc<dyn Authorize>>,
    sessions: SessionCell,
    revision: OnceLock<Revision>,
    /// An answer came, so that a connection may be open that is used again.
    has_answered: AtomicBool,
    stream_tails: Mutex<JoinSet<()>>,
}

impl HttpTransport {
    /// A server at `url` to which every request carries `headers`, except those that the protocol sets itself, and what
    /// `access` gives. Fails with the name of a header that cannot be sent.
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

    /// Says which of the person's headers are not sent.
    pub(crate) fn report_overridden_headers(&self, sink: &impl FrameSink) {
        for header in &self.overridden_headers {
            let message = say!("the configured header {header} is left out: the protocol sets it", header);
            sink.diagnose(Diagnostic::new(DiagnosticCode::Http, "", message));
        }
    }

    /// From here on requests name the revision, where it has that header.
    pub(crate) fn set_revision(&self, revision: Revision) {
        self.revision.get_or_init(|| revision);
    }

    /// The number of the session now, to be named when it is found lost.
    pub(crate) fn generation(&self) -> u64 {
        self.sessions.current().generation
    }

    /// The session now.
    pub(crate) fn session(&self) -> Session {
        self.sessions.current()
    }

    /// Forgets the session of `generation`; false where another has taken its place already.
    pub(crate) fn forget(&self, generation: u64) -> bool {
        self.sessions.forget(generation)
    }

    /// A POST with the headers of the message's era. A request of the stateless era says in headers what it is
    /// (SHL-03 to SHL-05), one of the session era names its session.
    fn post_request(&self, outgoing: &OutgoingMessage) -> Result<RequestBuilder, RequestError> {
        let Some(modern) = &outgoing.modern else { return self.session_request(outgoing) };
        let mut request = self
            .plain(Method::POST, self.url.clone())?
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

    /// A POST of the session era. It says in headers what it is as well: servers of the time between the eras ask for
    /// that, others pass over it (ERA-27).
    fn session_request(&self, outgoing: &OutgoingMessage) -> Result<RequestBuilder, RequestError> {
        let mut request = self.request(Method::POST)?;
        let Some(method) = outgoing.method.as_deref().filter(|_| outgoing.outcome.is_none()) else {
            return Ok(request);
        };
        request = request.header(headers::METHOD, method);
        let name = outgoing.subject.as_deref().filter(|_| NAMED.contains(&method));
        if let Some(Ok(name)) = name.map(headers::header_value) {
            request = request.header(headers::NAME, name);
        }
        Ok(request)
    }

    /// The server's URL.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// A POST to another address of the same server, for the HTTP+SSE transport.
    pub(crate) async fn post_to(
        &self,
        url: &Url,
        body: Bytes,
        may_repeat: bool,
    ) -> Result<Response, RequestError> {
        let mut request = self.plain(Method::POST, url.clone())?;
        if let Some(revision) = self.revision.get().filter(|revision| revision.has_version_header()) {
            request = request.header(REVISION, revision.as_str());
        }
        let request = request.header(CONTENT_TYPE, "application/json").body(body);
        self.send(request, may_repeat).await
    }

    /// A request with the person's headers. Answers are asked for as they are: what small servers and gateways compress
    /// unasked is unpacked as well, but costs both sides more than it saves on most messages.
    fn plain(&self, method: Method, url: Url) -> Result<RequestBuilder, RequestError> {
        let request = self.client.request(method, url)?;
        Ok(request.headers(self.headers.clone()).header(ACCEPT_ENCODING, "identity"))
    }

    fn request(&self, method: Method) -> Result<RequestBuilder, RequestError> {
        let mut request = self.plain(method, self.url.clone())?;
        if let Some(session) = self.sessions.current().id {
            request = request.header(SESSION, session);
        }
        Ok(match self.revision.get() {
            Some(revision) if revision.has_version_header() => request.header(REVISION, revision.as_str()),
            _ => request,
        })
    }

    /// Sends one message and takes in everything that comes back on its exchange. `id` is the request's, or `None`
    /// for a message that nobody answers. A session that the server has forgotten is reported as
    /// [`RequestError::SessionLost`], which says whether the request may have been carried out.
    pub(crate) async fn exchange(
        &self,
        sink: &Arc<impl FrameSink>,
        outgoing: OutgoingMessage,
        id: Option<u64>,
    ) -> Result<(), RequestError> {
        sink.record(outgoing.event()).await;
        let modern = outgoing.modern.is_some();
        let in_session =
            !modern && self.revision.get().is_some() && outgoing.method.as_deref() != Some("initialize");
        let names_session = !modern && self.sessions.current().id.is_some();
        let may_repeat = outgoing.may_repeat();
        let used = SessionUse { names_session, in_session, acts: !may_repeat, id };
        let request = self
            .post_request(&outgoing)?
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .body(outgoing.bytes);
        let response = self.send(request, may_repeat).await?;
        let status = response.status();
        if !status.is_success() {
            return Err(self.refusal(sink, response, id, used).await);
        }
        // A session that a server of the stateless era names is ignored (SHL-10).
        if !modern && let Some(session) = response.headers().get(SESSION) {
            let accepted = self.sessions.set_id(session);
            accepted.map_err(|reason| RequestError::Malformed { reason })?;
        }
        let Some(id) = id else { return Ok(()) };
        if status == StatusCode::ACCEPTED {
            let what = say!("HTTP status 202 (accepted) for a request that needs an answer");
            return Err(RequestError::NotMcp { what, excerpt: String::new() });
        }
        match self.answer(sink, response, id, modern).await {
            // It came on the request's exchange, and names no request.
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

    async fn answer(
        &self,
        sink: &Arc<impl FrameSink>,
        mut response: Response,
        id: u64,
        modern: bool,
    ) -> Result<(), RequestError> {
        let declared = media_type(response.headers());
        let mut kind = BodyKind::from_media_type(declared.as_deref());
        let mut first = Bytes::new();
        if kind == BodyKind::Unknown {
            first = next_chunk(&mut response).await?.unwrap_or_default();
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
            BodyKind::Events => self.events(sink, response, &first, id, !modern).await,
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
                let excerpt = excerpt(&first);
                sink.record(TapEvent::new(Direction::In, TapKind::Noise, first)).await;
                Err(RequestError::NotMcp { what, excerpt })
            }
        };
        if matches!(answered, Err(RequestError::TooLarge { .. })) {
            sink.on_limit(LimitKind::Message);
        }
        answered
    }

    /// Says goodbye to the session, if there is one; a server may refuse that.
    async fn end_session(&self) {
        if self.sessions.current().id.is_some()
            && let Ok(request) = self.request(Method::DELETE)
        {
            let farewell = self.send(request, true);
            drop(tokio::time::timeout(SESSION_END_TIMEOUT, farewell).await);
        }
    }

    /// Sends what nobody waits for until the connection stops; then ends the session. Notifications leave one after the
    /// other, answers to the server at once: one that it does not take keeps no person's answer from it. No message may
    /// take longer than `patience`.
    pub(crate) async fn run(
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

    /// Sends one message that nobody waits for. Whether others waited for their turn after it.
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
    let excerpt = excerpt(&body);
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
