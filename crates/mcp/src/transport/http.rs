//! Streamable HTTP of the session era (2025-03-26 to 2025-11-25): every message of ours is a POST, answered with
//! one JSON body or an event stream.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{Method, RequestBuilder, Response, StatusCode, redirect};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use url::Url;

use crate::error::{CloseReason, RequestError, RpcError};
use crate::link::Link;
use crate::message::{self, Body, Message};
use crate::model::cut;
use crate::model::diagnostic::{Code, Diagnostic};
use crate::revision::Revision;
use crate::transport::Outgoing;
use crate::transport::event_stream::{Event, EventStream};
use crate::transport::stdio::stopped;
use crate::transport::tap::{Direction, TapEvent, TapKind};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const REVISION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// How much of a body that is not MCP an error quotes, in bytes.
const EXCERPT: usize = 400;
/// How much of the body of an error status is read, in bytes.
const ERROR_BODY: usize = 64 * 1024;
/// How long the rest of a stream may take after its answer came, so that the connection can be used again.
const REST: Duration = Duration::from_secs(1);
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
    session: Mutex<Option<HeaderValue>>,
    revision: OnceLock<Revision>,
    rests: Mutex<JoinSet<()>>,
}

impl Http {
    /// A server at `url` to which every request carries `headers`. Fails with the name of a header that cannot be
    /// sent.
    pub(crate) fn new(
        client: reqwest::Client,
        url: Url,
        headers: &[(String, String)],
    ) -> Result<Self, String> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| name.clone())?;
            let mut value = HeaderValue::from_str(value).map_err(|_| name.clone())?;
            value.set_sensitive(true);
            map.append(key, value);
        }
        Ok(Self {
            client,
            url,
            headers: map,
            session: Mutex::new(None),
            revision: OnceLock::new(),
            rests: Mutex::new(JoinSet::new()),
        })
    }

    /// From here on requests name the revision, where it has that header.
    pub(crate) fn agree(&self, revision: Revision) {
        self.revision.get_or_init(|| revision);
    }

    fn session(&self) -> Option<HeaderValue> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn request(&self, method: Method) -> RequestBuilder {
        let mut request = self.client.request(method, self.url.clone()).headers(self.headers.clone());
        if let Some(session) = self.session() {
            request = request.header(SESSION, session);
        }
        match self.revision.get() {
            Some(revision) if revision.has_version_header() => request.header(REVISION, revision.as_str()),
            _ => request,
        }
    }

    /// Sends one message and takes in everything that comes back on its exchange. `id` is the request's, or `None`
    /// for a message that nobody answers.
    pub(crate) async fn exchange(
        &self,
        link: &Arc<Link>,
        outgoing: Outgoing,
        id: Option<u64>,
    ) -> Result<(), RequestError> {
        link.record(outgoing.event()).await;
        let had_session = self.session().is_some();
        let request = self
            .request(Method::POST)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .body(outgoing.bytes);
        let response = request.send().await.map_err(|error| unreachable(&error))?;
        let status = response.status();
        if !status.is_success() {
            return Err(self.refusal(link, response, had_session).await);
        }
        if let Some(session) = response.headers().get(SESSION) {
            self.session
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert_with(|| session.clone());
        }
        let Some(id) = id else { return Ok(()) };
        if status == StatusCode::ACCEPTED {
            let what = "HTTP status 202 (accepted) to a request, which wants an answer".to_owned();
            return Err(RequestError::NotMcp { what, excerpt: String::new() });
        }
        self.answer(link, response, id).await
    }

    async fn answer(&self, link: &Arc<Link>, mut response: Response, id: u64) -> Result<(), RequestError> {
        let declared = media_type(response.headers());
        let first = match declared.as_deref() {
            Some("application/json" | "text/event-stream") => Bytes::new(),
            _ => next_chunk(&mut response).await?.unwrap_or_default(),
        };
        let kind = match declared.as_deref() {
            Some("text/event-stream") => Kind::Events,
            Some("application/json") => Kind::Json,
            _ => {
                let kind = sniff(&first);
                if kind != Kind::Unknown {
                    let found = declared.as_deref().unwrap_or("none");
                    link.diagnose(Diagnostic::new(Code::Http, "content-type", format!("is {found}")));
                }
                kind
            }
        };
        match kind {
            Kind::Events => self.events(link, response, first, id).await,
            Kind::Json => {
                let body = read_body(response, first, link.limits.message_bytes).await?;
                take_json(link, body, id).await
            }
            Kind::Unknown => {
                let what = match declared.as_deref() {
                    Some("text/html") => "a web page".to_owned(),
                    Some(other) => format!("content of type {other}"),
                    None => "content without a type".to_owned(),
                };
                let excerpt = excerpt(&first);
                link.record(TapEvent::new(Direction::In, TapKind::Noise, first)).await;
                Err(RequestError::NotMcp { what, excerpt })
            }
        }
    }

    async fn events(
        &self,
        link: &Arc<Link>,
        mut response: Response,
        first: Bytes,
        id: u64,
    ) -> Result<(), RequestError> {
        let mut stream = EventStream::new(link.limits.message_bytes);
        let mut events = Vec::new();
        let mut piece = first;
        let mut answered = false;
        loop {
            let fed = stream.feed(&piece, &mut events);
            for event in events.drain(..) {
                answered |= take_event(link, event, id).await?;
            }
            if fed.is_err() {
                return Err(RequestError::TooLarge { limit: link.limits.message_bytes });
            }
            if answered {
                self.read_rest(link, response, stream);
                return Ok(());
            }
            match next_chunk(&mut response).await? {
                Some(next) => piece = next,
                None => return Err(RequestError::StreamEnded),
            }
        }
    }

    /// Reads what follows the answer, for a moment, so that nothing is lost and the connection can be used again.
    fn read_rest(&self, link: &Arc<Link>, mut response: Response, mut stream: EventStream) {
        let link = Arc::clone(link);
        let mut rests = self.rests.lock().unwrap_or_else(PoisonError::into_inner);
        while rests.try_join_next().is_some() {}
        rests.spawn(async move {
            let rest = async {
                let mut events = Vec::new();
                while let Ok(Some(piece)) = response.chunk().await {
                    if stream.feed(&piece, &mut events).is_err() {
                        return;
                    }
                    for event in events.drain(..) {
                        if !event.data.is_empty() {
                            link.receive(event.data).await;
                        }
                    }
                }
            };
            drop(tokio::time::timeout(REST, rest).await);
        });
    }

    async fn refusal(&self, link: &Arc<Link>, response: Response, had_session: bool) -> RequestError {
        let status = response.status().as_u16();
        let challenge = response
            .headers()
            .get(WWW_AUTHENTICATE)
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        if status == 401 || (status == 403 && challenge.is_some()) {
            return RequestError::SignIn { status, challenge };
        }
        if status == 404 && had_session {
            link.close(&CloseReason::SessionLost);
            return RequestError::Closed(CloseReason::SessionLost);
        }
        let body = match read_start(response, ERROR_BODY).await {
            Ok(body) => body,
            Err(error) => return error,
        };
        if let Some(error) = rpc_error(&body, link) {
            link.record(TapEvent::new(Direction::In, TapKind::Frame, body)).await;
            return RequestError::Rpc(error);
        }
        let excerpt = excerpt(&body);
        link.record(TapEvent::new(Direction::In, TapKind::Noise, body)).await;
        RequestError::Status { status, excerpt }
    }

    /// Says goodbye to the session, if there is one; a server may refuse that.
    async fn end_session(&self) {
        if self.session().is_some() {
            let farewell = self.request(Method::DELETE).send();
            drop(tokio::time::timeout(FAREWELL, farewell).await);
        }
    }

    /// Sends what nobody waits for, in order, until the connection stops; then ends the session.
    pub(crate) async fn run(
        self: Arc<Self>,
        link: Arc<Link>,
        mut outbox: mpsc::Receiver<Outgoing>,
        mut stop: watch::Receiver<bool>,
    ) {
        let mut closed = link.closed();
        loop {
            let outgoing = tokio::select! {
                biased;
                () = stopped(&mut stop) => break,
                _ = closed.wait_for(Option::is_some) => return,
                outgoing = outbox.recv() => match outgoing {
                    Some(outgoing) => outgoing,
                    None => break,
                },
            };
            let name = outgoing.method.clone().unwrap_or_default();
            if let Err(error) = self.exchange(&link, outgoing, None).await {
                link.diagnose(Diagnostic::new(Code::Http, name, error.to_string()));
            }
        }
        link.close(&CloseReason::Stopped);
        self.end_session().await;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Json,
    Events,
    Unknown,
}

fn sniff(body: &[u8]) -> Kind {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    let is_event =
        [&b"data:"[..], b"event:", b"id:", b"retry:", b":"].iter().any(|field| body.starts_with(field));
    match body.first() {
        Some(b'{' | b'[') => Kind::Json,
        _ if is_event => Kind::Events,
        _ => Kind::Unknown,
    }
}

fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// Why a request did not reach its server, with the innermost cause, which says most.
fn unreachable(error: &reqwest::Error) -> RequestError {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let reason = if error.is_timeout() && error.is_connect() {
        "no connection within 10 s".to_owned()
    } else {
        cause.to_string()
    };
    RequestError::Unreachable { reason }
}

async fn next_chunk(response: &mut Response) -> Result<Option<Bytes>, RequestError> {
    response.chunk().await.map_err(|error| unreachable(&error))
}

async fn read_body(mut response: Response, first: Bytes, limit: usize) -> Result<Bytes, RequestError> {
    let expected = response.content_length().and_then(|length| usize::try_from(length).ok());
    if expected.is_some_and(|length| length > limit) {
        return Err(RequestError::TooLarge { limit });
    }
    let mut only = first;
    if only.is_empty() {
        only = next_chunk(&mut response).await?.unwrap_or_default();
    }
    let mut body: Option<BytesMut> = None;
    while let Some(chunk) = next_chunk(&mut response).await? {
        let body = body.get_or_insert_with(|| {
            let mut body = BytesMut::with_capacity(expected.unwrap_or(only.len() + chunk.len()));
            body.extend_from_slice(&only);
            body
        });
        if body.len() + chunk.len() > limit {
            return Err(RequestError::TooLarge { limit });
        }
        body.extend_from_slice(&chunk);
    }
    let body = body.map_or(only, BytesMut::freeze);
    if body.len() > limit { Err(RequestError::TooLarge { limit }) } else { Ok(body) }
}

async fn read_start(mut response: Response, limit: usize) -> Result<Bytes, RequestError> {
    let mut body = BytesMut::new();
    while body.len() < limit
        && let Some(chunk) = next_chunk(&mut response).await?
    {
        body.extend_from_slice(&chunk);
    }
    body.truncate(limit);
    Ok(body.freeze())
}

fn excerpt(body: &[u8]) -> String {
    cut(&String::from_utf8_lossy(body.get(..EXCERPT.min(body.len())).unwrap_or_default()), EXCERPT).to_owned()
}

/// The JSON-RPC error that a body is, whatever its id: it belongs to the exchange it came on.
fn rpc_error(body: &Bytes, link: &Link) -> Option<RpcError> {
    let mut messages = message::parse(body, &link.limits).ok()?;
    match messages.pop()?.message {
        Message::Answer { body: Body::Error(error), .. } => {
            Some(RpcError::read(&String::from_utf8_lossy(&error)))
        }
        _ => None,
    }
}

async fn take_json(link: &Arc<Link>, body: Bytes, id: u64) -> Result<(), RequestError> {
    let excerpt = excerpt(&body);
    let received = link.receive(body).await;
    if received.answered == Some(id) {
        return Ok(());
    }
    if let Some(error) = received.orphan {
        return Err(RequestError::Rpc(RpcError::read(&String::from_utf8_lossy(&error))));
    }
    let what = match received.noise {
        Some(error) => error.to_string(),
        None => "a message that does not answer the request".to_owned(),
    };
    Err(RequestError::NotMcp { what, excerpt })
}

/// Takes one event; true where it answered the request `id`.
async fn take_event(link: &Arc<Link>, event: Event, id: u64) -> Result<bool, RequestError> {
    if event.data.is_empty() {
        return Ok(false);
    }
    if !matches!(event.name.as_str(), "" | "message") {
        let message = format!("an event named {:?}", cut(&event.name, 80));
        link.diagnose(Diagnostic::new(Code::Http, "event", message));
    }
    let received = link.receive(event.data).await;
    match received.orphan {
        Some(error) => Err(RequestError::Rpc(RpcError::read(&String::from_utf8_lossy(&error)))),
        None => Ok(received.answered == Some(id)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_without_a_useful_type_is_told_by_its_beginning() {
        assert_eq!(sniff(b" \n{\"a\":1}"), Kind::Json);
        assert_eq!(sniff(b"event: message\n"), Kind::Events);
        assert_eq!(sniff(b": ping\n"), Kind::Events);
        assert_eq!(sniff(b"<!doctype html>"), Kind::Unknown);
        assert_eq!(sniff(b""), Kind::Unknown);
    }
}
