//! A provider of models on loopback: what it was asked is kept, and what it says comes in odd pieces.

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

/// What a provider answers.
#[derive(Debug, Clone)]
pub enum Says {
    /// A stream of this type, a few bytes at a time.
    Stream(&'static str, Vec<u8>),
    /// So much of it, and then the connection breaks.
    Cut(&'static str, Vec<u8>),
    /// A stream that does not go on.
    Stuck(&'static str, Vec<u8>),
    /// A status with headers and a body.
    Status(u16, &'static [(&'static str, &'static str)], String),
    /// A whole response as it stands in a file: the line with the status, headers, an empty line, the body.
    Replay(Vec<u8>),
    /// Nothing until the gate opens, and then this.
    After(Gate, Box<Self>),
}

/// What it was asked.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Path and query.
    pub address: String,
    /// Every header.
    pub headers: HeaderMap,
    /// The body, where it is JSON.
    pub body: Value,
}

impl Asked {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

struct Shared {
    says: Mutex<Vec<Says>>,
    asked: Mutex<Vec<Asked>>,
    /// Exchanges that were given up by us.
    gone: Arc<Notify>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// See the module. It ends when it is dropped.
pub struct FakeProvider {
    /// Where it is.
    pub url: String,
    shared: Arc<Shared>,
    _tasks: JoinSet<()>,
}

impl FakeProvider {
    /// Answers with these in turn, with the last for ever.
    ///
    /// # Panics
    ///
    /// When there is no port to listen on.
    pub async fn new(says: &[Says]) -> Self {
        let shared =
            Arc::new(Shared { says: Mutex::default(), asked: Mutex::default(), gone: Arc::default() });
        let app = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let _ended = axum::serve(listener, app).await;
        });
        let provider = Self { url, shared, _tasks: tasks };
        provider.says(says);
        provider
    }

    /// Answers with these from now on, and forgets what it was asked.
    pub fn says(&self, says: &[Says]) {
        *lock(&self.shared.says) = says.iter().rev().cloned().collect();
        lock(&self.shared.asked).clear();
    }

    /// What it was asked.
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.shared.asked).clone()
    }

    /// What it was asked last.
    ///
    /// # Panics
    ///
    /// When it was asked nothing.
    pub fn last(&self) -> Asked {
        self.asked().pop().expect("nothing was asked")
    }

    /// Waits until an exchange was given up.
    ///
    /// # Panics
    ///
    /// When none is.
    pub async fn given_up(&self) {
        tokio::time::timeout(Duration::from_secs(20), self.shared.gone.notified())
            .await
            .expect("no exchange was given up");
    }
}

struct Tell(Arc<Notify>);

impl Drop for Tell {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// Pieces of odd lengths, so that they break within characters and between the ends of lines.
fn pieces(bytes: &[u8]) -> Vec<Bytes> {
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

fn whole(bytes: &[u8]) -> Body {
    Body::from_stream(iter(pieces(bytes).into_iter().map(Ok::<_, Infallible>)))
}

/// The start of a response as it stands in a file, and its body.
fn replayed(bytes: &[u8]) -> (Builder, &[u8]) {
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

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 1 << 24).await.unwrap_or_default();
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let address = parts.uri.to_string();
    lock(&shared.asked).push(Asked { address, headers: parts.headers, body });
    let says = {
        let mut says = lock(&shared.says);
        if says.len() > 1 { says.pop() } else { says.first().cloned() }.expect("nothing to say")
    };
    said(&shared, says).await
}

async fn said(shared: &Shared, says: Says) -> Response {
    let typed = |kind: &str| Response::builder().header("content-type", kind);
    let (response, body) = match says {
        Says::Stream(kind, bytes) => (typed(kind), whole(&bytes)),
        Says::Cut(kind, bytes) => {
            let mut pieces: Vec<_> = pieces(&bytes).into_iter().map(Ok).collect();
            pieces.push(Err(std::io::Error::other("cut")));
            (typed(kind), Body::from_stream(iter(pieces)))
        }
        Says::Stuck(kind, bytes) => {
            let tell = Tell(Arc::clone(&shared.gone));
            let stuck = once(async move {
                let _tell = tell;
                std::future::pending().await
            });
            let pieces = pieces(&bytes).into_iter().map(Ok::<_, Infallible>);
            (typed(kind), Body::from_stream(iter(pieces).chain(stuck)))
        }
        Says::Status(status, headers, body) => {
            let response = Response::builder().status(status);
            let response = headers.iter().fold(response, |all, (name, value)| all.header(*name, *value));
            (response, Body::from(body))
        }
        Says::After(gate, then) => {
            gate.passed().await;
            return Box::pin(said(shared, *then)).await;
        }
        Says::Replay(bytes) => {
            let (response, body) = replayed(&bytes);
            (response, whole(body))
        }
    };
    response.body(body).expect("headers that can be sent")
}
