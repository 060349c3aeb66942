//! A fake model provider on loopback. It records requests and sends its replies in oddly split pieces.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::response::Builder;
use axum::response::Response;
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::{iter, once};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::http::Gate;

/// The type of a stream of events.
pub const EVENTS: &str = "text/event-stream";
/// The type of a stream of lines.
pub const LINES: &str = "application/x-ndjson";

/// The reply of a provider.
#[derive(Debug, Clone)]
pub enum ProviderReply {
    /// A stream of this type, a few bytes at a time.
    Stream(&'static str, Vec<u8>),
    /// This much of a stream, and then the connection breaks.
    Cut(&'static str, Vec<u8>),
    /// A stream that stops in the middle.
    Stuck(&'static str, Vec<u8>),
    /// A status with headers and a body.
    Status(u16, &'static [(&'static str, &'static str)], String),
    /// A whole response from a file: the line with the status, headers, an empty line, the body.
    Replay(Vec<u8>),
    /// Waits until the gate opens, then sends this reply.
    After(Gate, Box<Self>),
}

/// A request to the provider.
#[derive(Debug, Clone)]
pub struct ProviderRequest {
    /// Path and query.
    pub path: String,
    /// Every header.
    pub headers: HeaderMap,
    /// The body, if it is JSON.
    pub body: Value,
}

impl ProviderRequest {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

struct ProviderState {
    replies: Mutex<Vec<ProviderReply>>,
    requests: Mutex<Vec<ProviderRequest>>,
    /// Notified when the client aborts an exchange.
    aborted: Arc<Notify>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A fake model provider. It stops when it is dropped.
pub struct FakeProvider {
    /// The provider's URL.
    pub url: String,
    shared: Arc<ProviderState>,
    _tasks: JoinSet<()>,
}

impl FakeProvider {
    /// Starts a provider that sends these replies in turn, the last one forever.
    ///
    /// # Panics
    ///
    /// When there is no port to listen on.
    pub async fn new(says: &[ProviderReply]) -> Self {
        let shared = Arc::new(ProviderState {
            replies: Mutex::default(),
            requests: Mutex::default(),
            aborted: Arc::default(),
        });
        let app = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let _ended = axum::serve(listener, app).await;
        });
        let provider = Self { url, shared, _tasks: tasks };
        provider.set_replies(says);
        provider
    }

    /// Replaces the replies and forgets the recorded requests.
    pub fn set_replies(&self, says: &[ProviderReply]) {
        *lock(&self.shared.replies) = says.iter().rev().cloned().collect();
        lock(&self.shared.requests).clear();
    }

    /// The requests received so far, in order.
    pub fn requests(&self) -> Vec<ProviderRequest> {
        lock(&self.shared.requests).clone()
    }

    /// The last request.
    ///
    /// # Panics
    ///
    /// When it was asked nothing.
    pub fn last_request(&self) -> ProviderRequest {
        self.requests().pop().expect("nothing was asked")
    }

    /// Waits until the client has aborted an exchange.
    ///
    /// # Panics
    ///
    /// When none is.
    pub async fn wait_for_abort(&self) {
        tokio::time::timeout(Duration::from_secs(20), self.shared.aborted.notified())
            .await
            .expect("no exchange was given up");
    }
}

struct NotifyOnDrop(Arc<Notify>);

impl Drop for NotifyOnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// Pieces of odd lengths, so that they break within characters and between the ends of lines.
fn split_oddly(bytes: &[u8]) -> Vec<Bytes> {
    let mut pieces = Vec::new();
    let mut rest = bytes;
    for length in [1, 7, 2, 13, 5, 31].into_iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at(length.min(rest.len()));
        pieces.push(Bytes::copy_from_slice(piece));
        rest = after;
    }
    pieces
}

fn body_in_pieces(bytes: &[u8]) -> Body {
    Body::from_stream(iter(split_oddly(bytes).into_iter().map(Ok::<_, Infallible>)))
}

/// Splits a response from a file into its head and its body.
fn parse_response(bytes: &[u8]) -> (Builder, &[u8]) {
    let end = bytes.windows(2).position(|pair| pair == b"\n\n").expect("an empty line behind the headers");
    let head = std::str::from_utf8(&bytes[..end]).expect("a head of text");
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).expect("a status");
    let response = lines.fold(Response::builder().status(status), |response, line| {
        let (name, value) = line.split_once(": ").expect("a header");
        response.header(name, value)
    });
    (response, &bytes[end + 2..])
}

async fn answer(State(shared): State<Arc<ProviderState>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 1 << 24).await.unwrap_or_default();
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let address = parts.uri.to_string();
    lock(&shared.requests).push(ProviderRequest { path: address, headers: parts.headers, body });
    let says = {
        let mut says = lock(&shared.replies);
        if says.len() > 1 { says.pop() } else { says.first().cloned() }.expect("nothing to say")
    };
    respond(&shared, says).await
}

async fn respond(shared: &ProviderState, says: ProviderReply) -> Response {
    let typed = |kind: &str| Response::builder().header("content-type", kind);
    let (response, body) = match says {
        ProviderReply::Stream(kind, bytes) => (typed(kind), body_in_pieces(&bytes)),
        ProviderReply::Cut(kind, bytes) => {
            let mut pieces: Vec<_> = split_oddly(&bytes).into_iter().map(Ok).collect();
            pieces.push(Err(std::io::Error::other("cut")));
            (typed(kind), Body::from_stream(iter(pieces)))
        }
        ProviderReply::Stuck(kind, bytes) => {
            let tell = NotifyOnDrop(Arc::clone(&shared.aborted));
            let stuck = once(async move {
                let _tell = tell;
                std::future::pending().await
            });
            let pieces = split_oddly(&bytes).into_iter().map(Ok::<_, Infallible>);
            (typed(kind), Body::from_stream(iter(pieces).chain(stuck)))
        }
        ProviderReply::Status(status, headers, body) => {
            let response = Response::builder().status(status);
            let response = headers.iter().fold(response, |all, (name, value)| all.header(*name, *value));
            (response, Body::from(body))
        }
        ProviderReply::After(gate, then) => {
            gate.wait_until_open().await;
            return Box::pin(respond(shared, *then)).await;
        }
        ProviderReply::Replay(bytes) => {
            let (response, body) = parse_response(&bytes);
            (response, body_in_pieces(body))
        }
    };
    response.body(body).expect("headers that can be sent")
}
