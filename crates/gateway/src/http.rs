//! Apps on this machine that use Streamable HTTP (basic/transports). Each app is known by its own token.

mod alone;
mod headers;
mod listener;
mod sessions;

use std::convert::Infallible;
use std::future::IntoFuture as _;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Path, Request, State};
use axum::http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, ORIGIN, WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures_util::{StreamExt as _, stream};
use mooring_approvals::AppIdentity;
use mooring_host::Host;
use mooring_jsonrpc::{Message, code, response_id};
use mooring_revisions::REVISIONS;
use mooring_shares::{BodyError, MESSAGE_TIMEOUT, Place, Share, read_body};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::oneshot;

use crate::MAX_MESSAGE;
use crate::catalogues::Catalogues;
use crate::dispatch::{self, ReadMessage, Received};
use crate::http::listener::{Admission, BoundedListener};
use crate::http::sessions::{HttpSession, Sessions};
use crate::message::{self, error_response};
use crate::outbox::{Keep, Outbox, Reader};
use crate::recorded::{AppLog, Outgoing};
use crate::view::owner_of;

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// How many bytes of sent messages a stream keeps for an app that loses its connection.
const REPLAY_BYTES: usize = 256 << 10;
/// An answer that is ready within this time is sent as JSON, a later one as a stream.
const JSON_ANSWER_LIMIT: Duration = Duration::from_secs(1);
/// How often to try to listen on a port that another program uses.
const BIND_RETRY: Duration = Duration::from_secs(5);
/// How often a silent stream sends a comment to keep the connection open.
const SSE_KEEP_ALIVE: Duration = Duration::from_secs(15);
/// The protocol version whose clients expect a stream to begin with an event without data (basic/transports).
const PRIMING_REVISION: &str = "2025-11-25";
/// The cost of a request without a token, in messages. All such requests are charged to one share.
const REFUSAL_COST: usize = 10;
/// The longest delay of an answer to a request without a token.
const LONGEST_REFUSAL: Duration = Duration::from_secs(1);

/// The state that all requests share.
struct Front {
    host: Host,
    sessions: Sessions,
    /// Set when apps are no longer served. Connections that are still open get no more answers.
    is_closed: AtomicBool,
}

/// The app that a token belongs to.
#[derive(Clone)]
struct TokenOwner {
    app: AppIdentity,
    /// The limits of the app.
    share: Arc<Share>,
}

/// When an app last used the endpoint.
#[derive(Default)]
pub(crate) struct HttpUse(Mutex<Weak<Front>>);

impl HttpUse {
    /// Whether an app used the endpoint within this time, or uses it now.
    pub(crate) fn was_used_within(&self, time: Duration) -> bool {
        let front = self.0.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        front.is_some_and(|front| front.sessions.is_used_within(time))
    }
}

/// Serves apps at the port in the settings, which may change. Returns when the host ends.
pub(crate) async fn serve_apps(host: Host, catalogues: Arc<Catalogues>, used: Arc<HttpUse>) {
    let mut events = host.events();
    loop {
        let address = host.settings().apps_address();
        let serving = async {
            let Some(address) = address else { return std::future::pending().await };
            match BoundedListener::bind(address).await {
                Ok(listener) => serve_listener(&host, &catalogues, &used, listener).await,
                Err(error) => tracing::warn!(%error, %address, "apps can’t connect over HTTP"),
            }
            // If another program uses the port, it may release it.
            tokio::time::sleep(BIND_RETRY).await;
        };
        let changed = async {
            while host.settings().apps_address() == address {
                match events.recv().await {
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return ControlFlow::Break(()),
                }
            }
            ControlFlow::Continue(())
        };
        tokio::select! {
            () = serving => {}
            next = changed => if next.is_break() { return },
        }
    }
}

async fn serve_listener(
    host: &Host,
    catalogues: &Arc<Catalogues>,
    used: &HttpUse,
    listener: BoundedListener,
) {
    let sessions = Sessions::new(host.clone(), Arc::clone(catalogues));
    let front = Arc::new(Front { host: host.clone(), sessions, is_closed: AtomicBool::new(false) });
    *used.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&front);
    let endpoint = post(handle_post).get(handle_get).delete(handle_delete);
    let router = Router::new()
        .route("/mcp", endpoint.clone())
        .route("/mcp/", endpoint.clone())
        .route("/mcp/{server}", endpoint.clone())
        .route("/mcp/{server}/", endpoint)
        .layer(middleware::from_fn_with_state(Arc::clone(&front), admit_request))
        .with_state(Arc::clone(&front));
    // Each connection is a separate task. Dropping `_open` with this future ends these tasks too.
    let (_open, closed) = oneshot::channel::<()>();
    let _cut = CutOnDrop(Arc::clone(&front));
    let stop = async {
        // Nothing is sent on this channel. It only closes.
        let _dropped = closed.await;
    };
    let service = router.into_make_service_with_connect_info::<Admission>();
    tokio::select! {
        served = axum::serve(listener, service).with_graceful_shutdown(stop).into_future() => {
            if let Err(error) = served {
                tracing::warn!(%error, "apps can no longer connect over HTTP");
            }
        }
        never = front.sessions.end_idle() => match never {},
        () = end_revoked_sessions(&front) => {}
    }
}

/// Ends every session when apps are no longer served.
struct CutOnDrop(Arc<Front>);

impl Drop for CutOnDrop {
    fn drop(&mut self) {
        self.0.is_closed.store(true, Ordering::Relaxed);
        self.0.sessions.cancel_all();
    }
}

/// Ends the sessions of apps whose token was revoked or replaced, also by another process. Returns when the
/// host ends.
async fn end_revoked_sessions(front: &Front) {
    let mut events = front.host.events();
    loop {
        front.sessions.end_revoked(|app| front.host.is_app_revoked(app)).await;
        match events.recv().await {
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

/// Accepts a request only if it has an app's token and a local host name. A request of a page in a browser
/// must also have a local origin. This prevents DNS rebinding: a page keeps its origin even if its own domain
/// name resolves to this machine.
async fn admit_request(State(front): State<Arc<Front>>, mut request: Request, next: Next) -> Response {
    if front.is_closed.load(Ordering::Relaxed) {
        return refuse_request(StatusCode::SERVICE_UNAVAILABLE, "Mooring no longer serves apps here")
            .into_response();
    }
    let place = request.extensions().get::<ConnectInfo<Admission>>().map(|of| Arc::clone(&of.0.place));
    let using = place.as_ref().map(Place::begin_use);
    let headers = request.headers();
    if !headers.get(HOST).is_some_and(is_local_host) {
        return refuse_request(StatusCode::FORBIDDEN, "the host has to be 127.0.0.1 or localhost")
            .into_response();
    }
    if !headers.get_all(ORIGIN).iter().all(is_local_origin) {
        return refuse_request(StatusCode::FORBIDDEN, "pages of other machines may not use Mooring")
            .into_response();
    }
    let token = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(bearer_token);
    let owner = match token {
        Some(token) => front.host.identify_app_token(token).await,
        None => None,
    };
    let Some(app) = owner else {
        // All requests without a token share one budget, which slows down guessing.
        if let Some(wait) = front.sessions.shares().of_nobody.charge(REFUSAL_COST, 0) {
            tokio::time::sleep(wait.min(LONGEST_REFUSAL)).await;
        }
        let reason = "a token of this app is needed: Mooring shows it under Apps";
        let mut response = refuse_request(StatusCode::UNAUTHORIZED, reason).into_response();
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return response;
    };
    // Finding the process takes time. Name the connection first, so that connections without a token can't
    // displace it.
    let owned_by = owner_of(&front.host, &app);
    if let Some(Err(full)) = place.map(|place| place.name(&owned_by)) {
        return refuse_request(StatusCode::SERVICE_UNAVAILABLE, &full).into_response();
    }
    if let Some(ConnectInfo(admission)) = request.extensions().get::<ConnectInfo<Admission>>()
        && let Some(reason) = admission.peer.find_refusal(&front.host).await
    {
        return refuse_request(StatusCode::FORBIDDEN, reason).into_response();
    }
    let share = front.sessions.shares().of(&owned_by);
    share.charge(1, 0);
    share.until_paid().await;
    request.extensions_mut().insert(TokenOwner { app, share });
    let response = next.run(request).await;
    let media = response.headers().get(CONTENT_TYPE).and_then(|media| media.to_str().ok());
    if !media.is_some_and(|media| media.starts_with("text/event-stream")) {
        return response;
    }
    // The connection is in use while a stream is open.
    let (parts, body) = response.into_parts();
    let chunks = body.into_data_stream().map(move |chunk| {
        let _using = &using;
        chunk
    });
    Response::from_parts(parts, Body::from_stream(chunks))
}

/// The token in an `Authorization` header (RFC 6750 section 2.1).
fn bearer_token(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn is_local_host(value: &HeaderValue) -> bool {
    value.to_str().is_ok_and(is_local)
}

/// Whether an origin is a page that this machine serves.
fn is_local_origin(value: &HeaderValue) -> bool {
    let host = value.to_str().ok().and_then(|origin| origin.split_once("://"));
    host.is_some_and(|(scheme, host)| matches!(scheme, "http" | "https") && is_local(host))
}

/// Whether a host name, with or without a port, is this machine.
fn is_local(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|local| name.eq_ignore_ascii_case(local))
}

/// A refused request, answered with a JSON-RPC error.
struct Refused {
    status: StatusCode,
    answer: Outgoing,
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        json_response(self.status, self.answer.line)
    }
}

/// Refuses a request with an error that has no id.
fn refuse_request(status: StatusCode, reason: &str) -> Refused {
    Refused { status, answer: error_response(None, code::INVALID_REQUEST, reason, None) }
}

fn json_response(status: StatusCode, body: String) -> Response {
    (status, [(CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
}

/// The forms of an answer that a client accepts.
#[derive(Debug, Clone, Copy)]
struct AcceptedForms {
    /// One JSON response.
    json: bool,
    /// A stream of events.
    stream: bool,
}

impl AcceptedForms {
    /// Reads the `Accept` header. One of the forms is enough, although clients should accept both
    /// (basic/transports).
    fn of(headers: &HeaderMap) -> Result<Self, Refused> {
        let (json, stream) = (
            accepts_media_type(headers, "application/json"),
            accepts_media_type(headers, "text/event-stream"),
        );
        let reason = "Not Acceptable: the answer may be application/json or text/event-stream";
        let is_any = json || stream;
        is_any
            .then_some(Self { json, stream })
            .ok_or_else(|| refuse_request(StatusCode::NOT_ACCEPTABLE, reason))
    }

    /// How long to wait for an answer before it becomes a stream.
    fn wait_time(self) -> Duration {
        if self.stream { JSON_ANSWER_LIMIT } else { Duration::MAX }
    }
}

/// Reads the first message of an answer. For a client that accepts only JSON, this is the response, because
/// such a client reads no earlier message.
async fn read_first_message(reader: &mut Reader, forms: AcceptedForms) -> Option<(u64, String)> {
    loop {
        let message = reader.next().await?;
        if forms.stream || response_id(&message.1).is_some() {
            return Some(message);
        }
    }
}

/// Whether the `Accept` header includes a media type. Without the header, all are accepted.
fn accepts_media_type(headers: &HeaderMap, wanted: &str) -> bool {
    let mut accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).peekable();
    let (family, _) = wanted.split_once('/').unwrap_or((wanted, ""));
    accepted.peek().is_none()
        || accepted.flat_map(|value| value.split(',')).any(|part| {
            let media = part.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            media == wanted || media == "*/*" || media == format!("{family}/*")
        })
}

/// The session that a request names, if it exists and belongs to the app.
fn find_session(front: &Front, owner: &TokenOwner, headers: &HeaderMap) -> Option<Arc<HttpSession>> {
    let id = headers.get(SESSION_ID)?.to_str().ok()?;
    front.sessions.get(id, &owner.app)
}

/// The session of a request that has to name its session.
fn require_session(
    front: &Front,
    owner: &TokenOwner,
    headers: &HeaderMap,
) -> Result<Arc<HttpSession>, Refused> {
    if let Some(version) = headers.get(PROTOCOL_VERSION)
        && !version.to_str().is_ok_and(|version| REVISIONS.contains(&version))
    {
        let known = REVISIONS.join(", ");
        let reason = format!("Bad Request: Unsupported protocol version (supported versions: {known})");
        return Err(refuse_request(StatusCode::BAD_REQUEST, &reason));
    }
    if !headers.contains_key(SESSION_ID) {
        return Err(refuse_request(
            StatusCode::BAD_REQUEST,
            "Bad Request: Mcp-Session-Id header is required",
        ));
    }
    find_session(front, owner, headers).ok_or_else(|| {
        let answer = error_response(None, code::NO_SESSION, "Session not found", None);
        Refused { status: StatusCode::NOT_FOUND, answer }
    })
}

impl Front {
    /// Refuses a request for a single server if there is no such server.
    fn refuse_unknown_server(&self, only: Option<&String>) -> Option<Refused> {
        let server = only?;
        let is_known = self.host.servers().iter().any(|known| known.config.name == *server);
        (!is_known)
            .then(|| refuse_request(StatusCode::NOT_FOUND, &format!("there is no server named {server}")))
    }
}

/// POST: a message from the app.
async fn handle_post(
    State(front): State<Arc<Front>>,
    axum::Extension(owner): axum::Extension<TokenOwner>,
    only: Option<Path<String>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    let body = match read_body(&owner.share, (length, MAX_MESSAGE), body.into_data_stream()).await {
        Ok(body) => body,
        Err(BodyError::TooLong) => {
            let log = AppLog::new(&front.host, &owner.app.name, &owner.share);
            log.record_too_long(Bytes::new(), length.unwrap_or(0)).await;
            let reason = format!("Invalid Request: longer than {MAX_MESSAGE} bytes");
            return refuse_request(StatusCode::PAYLOAD_TOO_LARGE, &reason).into_response();
        }
        Err(BodyError::Late) => {
            let seconds = MESSAGE_TIMEOUT.as_secs();
            let reason = format!(
                "the body did not come whole within {seconds} s, or had to wait for others of the app"
            );
            return refuse_request(StatusCode::REQUEST_TIMEOUT, &reason).into_response();
        }
        Err(BodyError::Lost) => return StatusCode::BAD_REQUEST.into_response(),
    };
    match answer_message(&front, &owner, only, &headers, &body).await {
        Ok(response) => response,
        Err(refused) => {
            let log = AppLog::new(&front.host, &owner.app.name, &owner.share);
            match dispatch::parse_text(&body, mooring_jsonrpc::parse).await {
                Some(Ok(message)) => log.record_received(body, message::note_of(&message)).await,
                Some(Err(unreadable)) => {
                    log.record_unreadable(body, unreadable.code == code::PARSE_ERROR).await;
                }
                None => log.record_unreadable(body, true).await,
            }
            log.record_sent(&refused.answer).await;
            refused.into_response()
        }
    }
}

/// Answers a message from an app. A message that is refused here has been neither logged nor dispatched.
async fn answer_message(
    front: &Front,
    owner: &TokenOwner,
    only: Option<Path<String>>,
    headers: &HeaderMap,
    body: &Bytes,
) -> Result<Response, Refused> {
    let forms = AcceptedForms::of(headers)?;
    let media = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !media.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        return Err(refuse_request(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the message has to be application/json",
        ));
    }
    let Some(received) = dispatch::parse_text(body, Received::parse).await else {
        let answer = error_response(None, code::PARSE_ERROR, "Parse error: not UTF-8", None);
        return Err(Refused { status: StatusCode::BAD_REQUEST, answer });
    };
    let one = received.as_message();
    if alone::is_stateless(headers, one) {
        let only = only.map(|Path(server)| server);
        let message = match received {
            Received::One(message) => message,
            // The answer is the error for a batch.
            Received::Batch(_) => ReadMessage::unexpected_batch(),
        };
        return alone::answer_stateless(front, owner, only, (headers, forms), message, body).await;
    }
    let is_request = one.is_some_and(|one| matches!(one.message, Ok(Message::Request { .. })));
    let begins = one.is_some_and(
        |one| matches!(&one.message, Ok(Message::Request { method, .. }) if method == "initialize"),
    );
    // Some clients send the id of an earlier session, which ended when Mooring closed.
    let session = if begins && find_session(front, owner, headers).is_none() {
        let only = only.map(|Path(server)| server);
        if let Some(refused) = front.refuse_unknown_server(only.as_ref()) {
            return Err(refused);
        }
        match front.sessions.begin_session(&owner.app, only).await {
            Ok(session) => session,
            Err(reason) => return Err(refuse_request(StatusCode::SERVICE_UNAVAILABLE, &reason)),
        }
    } else {
        if let Some(ReadMessage { message: Err(unreadable), .. }) = one {
            let answer = error_response(None, unreadable.code, &unreadable.message, None);
            return Err(Refused { status: StatusCode::BAD_REQUEST, answer });
        }
        require_session(front, owner, headers)?
    };
    let reading = session.begin_use();
    let (out, answers) = Outbox::new_recorded(Keep::AlsoRead(REPLAY_BYTES), &session.session.view.log);
    let out = if forms.stream { out } else { out.without_questions() };
    dispatch::receive_all(&session.session, received, body.clone(), &out).await;
    drop(out);
    let mut reader = answers.replace_reader(None);
    // Notifications and responses get no answer.
    let first = match tokio::time::timeout(forms.wait_time(), read_first_message(&mut reader, forms)).await {
        Ok(None) if is_request => {
            // The app has cancelled the request: its stream ends without an answer.
            if front.sessions.get(&session.id, &owner.app).is_some() {
                let nothing = stream::empty::<Result<Event, Infallible>>();
                return Ok(Sse::new(nothing).into_response());
            }
            // The session has ended meanwhile.
            let answer = error_response(None, code::NO_SESSION, "Session not found", None);
            session.session.view.log.record_sent(&answer).await;
            return Ok(Refused { status: StatusCode::NOT_FOUND, answer }.into_response());
        }
        Ok(None) => return Ok(StatusCode::ACCEPTED.into_response()),
        Ok(first) => first,
        Err(_) => None,
    };
    let mut response = match first {
        Some((_, answer)) if is_request && forms.json && response_id(&answer).is_some() => {
            json_response(StatusCode::OK, answer)
        }
        first => {
            let is_primed = session.session.revision() == Some(PRIMING_REVISION);
            let number = Some(session.add_stream(&answers));
            send_events(reading, number, first, reader, is_primed)
        }
    };
    if begins && session.session.revision().is_none() {
        // `initialize` was refused, so there is no session.
        front.sessions.end_session(&session.id).await;
    } else if begins && let Ok(id) = HeaderValue::from_str(&session.id) {
        response.headers_mut().insert(SESSION_ID, id);
    }
    Ok(response)
}

/// GET: messages that belong to no request, or the rest of a stream that was interrupted.
async fn handle_get(
    State(front): State<Arc<Front>>,
    axum::Extension(owner): axum::Extension<TokenOwner>,
    headers: HeaderMap,
) -> Response {
    if !accepts_media_type(&headers, "text/event-stream") {
        let reason = "Not Acceptable: the answer is text/event-stream";
        return refuse_request(StatusCode::NOT_ACCEPTABLE, reason).into_response();
    }
    let session = match require_session(&front, &owner, &headers) {
        Ok(session) => session,
        Err(refused) => return refused.into_response(),
    };
    let last = headers.get(LAST_EVENT_ID).and_then(|id| id.to_str().ok());
    let (number, after) = match last.map(read_event_id) {
        None => (0, None),
        Some(Some((number, after))) => (number, Some(after)),
        Some(None) => {
            return refuse_request(StatusCode::BAD_REQUEST, "Bad Request: unknown Last-Event-ID")
                .into_response();
        }
    };
    // The stream ended long ago, and nothing is left of it.
    let Some(stream) = session.find_stream(number) else { return StatusCode::NO_CONTENT.into_response() };
    send_events(session.begin_use(), Some(number), None, stream.replace_reader(after), false)
}

/// DELETE: the app ends the session.
async fn handle_delete(
    State(front): State<Arc<Front>>,
    axum::Extension(owner): axum::Extension<TokenOwner>,
    headers: HeaderMap,
) -> Response {
    match require_session(&front, &owner, &headers) {
        Ok(session) => {
            front.sessions.end_session(&session.id).await;
            StatusCode::NO_CONTENT.into_response()
        }
        Err(refused) => refused.into_response(),
    }
}

/// Parses an event id: the numbers of the stream and of the last message that the app has read.
fn read_event_id(id: &str) -> Option<(u64, u64)> {
    let (stream, message) = id.split_once('-')?;
    Some((stream.parse().ok()?, message.parse().ok()?))
}

/// Sends messages as server-sent events. `held` is dropped when the connection ends. With a stream `number`,
/// events have ids, and the app can read the rest over another connection.
fn send_events(
    held: impl Send + 'static,
    number: Option<u64>,
    first: Option<(u64, String)>,
    reader: Reader,
    is_primed: bool,
) -> Response {
    let identified = move |event: Event, at: u64| match number {
        Some(number) => event.id(format!("{number}-{at}")),
        None => event,
    };
    let events = stream::unfold(
        (first, reader, is_primed, held),
        move |(first, mut reader, primed, held): (_, Reader, bool, _)| async move {
            if primed {
                let event = identified(Event::default(), 0).data("");
                return Some((Ok::<_, Infallible>(event), (first, reader, false, held)));
            }
            let (at, line) = match first {
                Some(first) => first,
                None => reader.next().await?,
            };
            let event = identified(Event::default(), at).event("message").data(line);
            Some((Ok(event), (None, reader, false, held)))
        },
    );
    let mut response = Sse::new(events).keep_alive(KeepAlive::new().interval(SSE_KEEP_ALIVE)).into_response();
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    let (parts, body) = response.into_parts();
    Response::from_parts(parts, Body::new(body))
}
