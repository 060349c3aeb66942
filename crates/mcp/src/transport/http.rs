//! Streamable HTTP of the session era (2025-03-26 to 2025-11-25): every message of ours is a POST, answered with
//! one JSON body or an event stream; what the server says of its own accord comes on a GET stream.

pub(crate) mod access;
pub(crate) mod body;
mod listen;
mod session;
mod stream;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use mooring_words::say;
use reqwest::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, RequestBuilder, Response, StatusCode, redirect};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use url::Url;

use crate::error::{CloseReason, RequestError, RpcError};
use crate::headers;
use crate::limits::Bound;
use crate::link::{Link, On};
use crate::message::{self, Body, Message};
use crate::model::diagnostic::{Code, Diagnostic};
use crate::revision::Revision;
use crate::transport::http::access::{Authorize, sign_in};
use crate::transport::http::body::{Kind, excerpt, media_type, next_chunk, read_body, read_start};
use crate::transport::http::session::Sessions;
use crate::transport::tap::{Direction, TapEvent, TapKind};
use crate::transport::{Outgoing, Stop, UNAWAITED, stopped};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const REVISION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The headers that the protocol sets itself, with a value for each message. Two of one name are no list but a fault
/// (RFC 9110 §5.3), and some servers go by the first.
const OURS: [HeaderName; 8] =
    [ACCEPT, CONTENT_TYPE, CONTENT_LENGTH, SESSION, REVISION, LAST_EVENT_ID, headers::METHOD, headers::NAME];

/// The methods whose requests name in a header what they are about.
const NAMED: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];
/// How much of the body of an error status is read, in bytes.
const ERROR_BODY: usize = 64 * 1024;
/// How long the farewell to a session may take.
const FAREWELL: Duration = Duration::from_secs(2);

/// The HTTP client for all MCP connections: pooled, TLS by the system's roots, no decompression, redirects only as
/// 307 or 308 to the same origin, at most three.
pub fn http_client(user_agent: &str) -> Result<reqwest::Client, reqwest::Error> {
    let same_origin = redirect::Policy::custom(|attempt| {
        let allowed = attempt.previous().len() <= 3
            && matches!(attempt.status().as_u16(), 307 | 308)
            && attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
        if allowed { attempt.follow() } else { attempt.stop() }
    });
    reqwest::Client::builder()
        .user_agent(user_agent)
        .redirect(same_origin)
        .connect_timeout(Duration::from_secs(10))
        .tcp_nodelay(true)
        .build()
}

/// One server behind a URL.
pub(crate) struct Http {
    client: reqwest::Client,
    url: Url,
    headers: HeaderMap,
    /// Headers of the person's that give way to the protocol's, by the name that they were given.
    left_out: Vec<String>,
    access: Option<Arc<dyn Authorize>>,
    sessions: Sessions,
    revision: OnceLock<Revision>,
    rests: Mutex<JoinSet<()>>,
}

impl Http {
    /// A server at `url` to which every request carries `headers`, except those that the protocol sets itself, and what
    /// `access` gives. Fails with the name of a header that cannot be sent.
    pub(crate) fn new(
        client: reqwest::Client,
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
            if OURS.contains(&key) {
                left_out.push(name.clone());
            } else {
                map.append(key, value);
            }
        }
        Ok(Self {
            client,
            url,
            headers: map,
            left_out,
            access,
            sessions: Sessions::new(),
            revision: OnceLock::new(),
            rests: Mutex::new(JoinSet::new()),
        })
    }

    /// Says which of the person's headers are not sent.
    pub(crate) fn tell_what_is_left_out(&self, link: &Link) {
        for header in &self.left_out {
            let message = say!("the configured header {header} is left out: the protocol sets it", header);
            link.diagnose(Diagnostic::new(Code::Http, "", message));
        }
    }

    /// From here on requests name the revision, where it has that header.
    pub(crate) fn agree(&self, revision: Revision) {
        self.revision.get_or_init(|| revision);
    }

    /// The number of the session now, to be named when it is found lost.
    pub(crate) fn generation(&self) -> u64 {
        self.sessions.now().generation
    }

    /// Forgets the session of `generation`; false where another has taken its place already.
    pub(crate) fn forget(&self, generation: u64) -> bool {
        self.sessions.forget(generation)
    }

    /// A POST with the headers of the message's era. A request of the stateless era says in headers what it is
    /// (SHL-03 to SHL-05), one of the session era names its session.
    fn post_request(&self, outgoing: &Outgoing) -> RequestBuilder {
        let Some(modern) = &outgoing.modern else { return self.session_request(outgoing) };
        let mut request = self
            .client
            .request(Method::POST, self.url.clone())
            .headers(self.headers.clone())
            .header(REVISION, Revision::MODERN.as_str())
            .header(headers::METHOD, outgoing.method.as_deref().unwrap_or_default());
        if let Some(name) = &modern.name {
            request = request.header(headers::NAME, name);
        }
        for (name, value) in &modern.mirrored {
            request = request.header(name, value);
        }
        request
    }

    /// A POST of the session era. It says in headers what it is as well: servers of the time between the eras ask for
    /// that, others pass over it (ERA-27).
    fn session_request(&self, outgoing: &Outgoing) -> RequestBuilder {
        let mut request = self.request(Method::POST);
        let Some(method) = outgoing.method.as_deref().filter(|_| outgoing.outcome.is_none()) else {
            return request;
        };
        request = request.header(headers::METHOD, method);
        let name = outgoing.subject.as_deref().filter(|_| NAMED.contains(&method));
        if let Some(Ok(name)) = name.map(headers::header_value) {
            request = request.header(headers::NAME, name);
        }
        request
    }

    /// The address.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// A POST to another address of the same server, for the HTTP+SSE transport.
    pub(crate) async fn post_to(&self, url: &Url, body: Bytes) -> Result<Response, RequestError> {
        let mut request = self.client.post(url.clone()).headers(self.headers.clone());
        if let Some(revision) = self.revision.get().filter(|revision| revision.has_version_header()) {
            request = request.header(REVISION, revision.as_str());
        }
        let request = request.header(CONTENT_TYPE, "application/json").body(body);
        self.send(request).await
    }

    fn request(&self, method: Method) -> RequestBuilder {
        let mut request = self.client.request(method, self.url.clone()).headers(self.headers.clone());
        if let Some(session) = self.sessions.now().id {
            request = request.header(SESSION, session);
        }
        match self.revision.get() {
            Some(revision) if revision.has_version_header() => request.header(REVISION, revision.as_str()),
            _ => request,
        }
    }

    /// Sends one message and takes in everything that comes back on its exchange. `id` is the request's, or `None`
    /// for a message that nobody answers. A session that the server has forgotten is reported as
    /// [`CloseReason::SessionLost`]; the request was not carried out then.
    pub(crate) async fn exchange(
        &self,
        link: &Arc<Link>,
        outgoing: Outgoing,
        id: Option<u64>,
    ) -> Result<(), RequestError> {
        link.record(outgoing.event()).await;
        let modern = outgoing.modern.is_some();
        let had_session = !modern && self.sessions.now().id.is_some();
        let request = self
            .post_request(&outgoing)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .body(outgoing.bytes);
        let response = self.send(request).await?;
        let status = response.status();
        if !status.is_success() {
            return Err(refusal(link, response, had_session).await);
        }
        // A session that a server of the stateless era names is ignored (SHL-10).
        if !modern && let Some(session) = response.headers().get(SESSION) {
            let kept = self.sessions.keep(session);
            kept.map_err(|reason| RequestError::Malformed { reason })?;
        }
        let Some(id) = id else { return Ok(()) };
        if status == StatusCode::ACCEPTED {
            let what = say!("HTTP status 202 (accepted) to a request, which wants an answer");
            return Err(RequestError::NotMcp { what, excerpt: String::new() });
        }
        self.answer(link, response, id, modern).await
    }

    async fn answer(
        &self,
        link: &Arc<Link>,
        mut response: Response,
        id: u64,
        modern: bool,
    ) -> Result<(), RequestError> {
        let declared = media_type(response.headers());
        let mut kind = Kind::declared(declared.as_deref());
        let mut first = Bytes::new();
        if kind == Kind::Unknown {
            first = next_chunk(&mut response).await?.unwrap_or_default();
            kind = Kind::sniffed(&first);
            if kind != Kind::Unknown {
                let found = declared.as_deref().unwrap_or("none");
                link.diagnose(Diagnostic::new(Code::Http, "content-type", say!("is {found}", found)));
            }
        }
        let answered = match kind {
            Kind::Events => self.events(link, response, &first, id, !modern).await,
            Kind::Json => match read_body(response, first, link.limits.message_bytes).await {
                Ok(body) => take_json(link, body, id).await,
                Err(error) => Err(error),
            },
            Kind::Unknown => {
                let what = match declared.as_deref() {
                    Some("text/html") => say!("a web page"),
                    Some(other) => say!("content of type {kind}", kind = other),
                    None => say!("content without a type"),
                };
                let excerpt = excerpt(&first);
                link.record(TapEvent::new(Direction::In, TapKind::Noise, first)).await;
                Err(RequestError::NotMcp { what, excerpt })
            }
        };
        if matches!(answered, Err(RequestError::TooLarge { .. })) {
            link.reached(Bound::Message);
        }
        answered
    }

    /// Says goodbye to the session, if there is one; a server may refuse that.
    async fn end_session(&self) {
        if self.sessions.now().id.is_some() {
            let farewell = self.send(self.request(Method::DELETE));
            drop(tokio::time::timeout(FAREWELL, farewell).await);
        }
    }

    /// Sends what nobody waits for until the connection stops; then ends the session. Notifications leave one after the
    /// other, answers to the server at once: one that it does not take keeps no person's answer from it. No message may
    /// take longer than `patience`.
    pub(crate) async fn run(
        self: Arc<Self>,
        link: Arc<Link>,
        mut outbox: mpsc::Receiver<Box<Outgoing>>,
        mut stop: watch::Receiver<Stop>,
        patience: Duration,
    ) {
        self.tell_what_is_left_out(&link);
        let mut closed = link.closed();
        let mut sent = FuturesUnordered::new();
        let mut line = VecDeque::new();
        let mut is_next = true;
        loop {
            tokio::select! {
                biased;
                _ = stopped(&mut stop) => break,
                _ = closed.wait_for(Option::is_some) => return,
                Some(was_next) = sent.next() => is_next |= was_next,
                outgoing = outbox.recv(), if sent.len() < UNAWAITED && line.len() < UNAWAITED => match outgoing {
                    Some(outgoing) if outgoing.outcome.is_some() => sent.push(self.tell(&link, outgoing, patience)),
                    Some(outgoing) => line.push_back(outgoing),
                    None => break,
                },
            }
            if is_next && let Some(outgoing) = line.pop_front() {
                is_next = false;
                sent.push(self.tell(&link, outgoing, patience));
            }
        }
        link.close(&CloseReason::Stopped);
        self.end_session().await;
    }

    /// Sends one message that nobody waits for. Whether others waited for their turn after it.
    async fn tell(&self, link: &Arc<Link>, outgoing: Box<Outgoing>, patience: Duration) -> bool {
        let has_turn = outgoing.outcome.is_none();
        let name = outgoing.method.clone().unwrap_or_default();
        match tokio::time::timeout(patience, self.exchange(link, *outgoing, None)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => link.diagnose(Diagnostic::new(Code::Http, name, error.sentence())),
            Err(_) => link.diagnose(Diagnostic::new(Code::Http, name, say!("was not taken in time"))),
        }
        has_turn
    }

    fn rests(&self) -> std::sync::MutexGuard<'_, JoinSet<()>> {
        self.rests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What an answer outside 2xx means.
async fn refusal(link: &Arc<Link>, response: Response, had_session: bool) -> RequestError {
    if let Some(error) = sign_in(&response) {
        return error;
    }
    let status = response.status().as_u16();
    let body = match read_start(response, ERROR_BODY).await {
        Ok(body) => body,
        Err(error) => return error,
    };
    let (error, names_request) = rpc_error(&body, status, link).unzip();
    let names_request = names_request.unwrap_or_default();
    let kind = if error.is_some() { TapKind::Frame } else { TapKind::Noise };
    let quoted = excerpt(&body);
    link.record(TapEvent::new(Direction::In, kind, body)).await;
    // Some servers say 400 where the specification wants 404.
    let names_session = |error: &RpcError| error.message.to_ascii_lowercase().contains("session");
    let is_400 = status == 400 && !names_request && error.as_ref().is_some_and(names_session);
    if had_session && (status == 404 || is_400) {
        return RequestError::Closed(CloseReason::SessionLost);
    }
    match error {
        Some(error) => RequestError::Rpc(error),
        None => RequestError::Status { status, excerpt: quoted },
    }
}

/// The JSON-RPC error that a body is, whatever its id: it belongs to the exchange it came on (BASE-07). Also whether it
/// names a request.
fn rpc_error(body: &Bytes, status: u16, link: &Link) -> Option<(RpcError, bool)> {
    let mut parsed = message::parse(body, &link.limits).ok()?;
    match parsed.messages.pop()?.message {
        Message::Answer { id, body: Body::Error(error) } => {
            let read = RpcError::read(&String::from_utf8_lossy(&error));
            Some((RpcError { status: Some(status), ..read }, id.is_some()))
        }
        _ => None,
    }
}

async fn take_json(link: &Arc<Link>, body: Bytes, id: u64) -> Result<(), RequestError> {
    let excerpt = excerpt(&body);
    let received = link.receive_on(On::Exchange(id), body).await;
    if received.answered == Some(id) {
        return Ok(());
    }
    if let Some(error) = received.orphan {
        return Err(RequestError::Rpc(RpcError::read(&String::from_utf8_lossy(&error))));
    }
    let what = match received.noise {
        Some(error) => error.sentence(),
        None => say!("a message that does not answer the request"),
    };
    Err(RequestError::NotMcp { what, excerpt })
}
