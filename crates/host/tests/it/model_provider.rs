//! A provider of models on loopback: what it was asked is kept, and what it says comes in odd pieces.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use serde_json::Value;
use tokio::task::JoinSet;

/// What a provider answers.
#[derive(Clone)]
pub(crate) enum Says {
    /// A stream, a few bytes at a time.
    Stream(&'static str, Vec<u8>),
    /// So much of it, and then the connection breaks.
    Cut(&'static str, Vec<u8>),
    /// A stream that does not go on.
    Stuck(&'static str, Vec<u8>),
    Status(u16, &'static [(&'static str, &'static str)], String),
    /// A whole response as it stands in a file: status, headers, an empty line, the body.
    Replay(Vec<u8>),
}

pub(crate) const EVENTS: &str = "text/event-stream";
pub(crate) const LINES: &str = "application/x-ndjson";

/// What it was asked.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) address: String,
    pub(crate) headers: axum::http::HeaderMap,
    pub(crate) body: Value,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

struct Shared {
    says: Mutex<Vec<Says>>,
    asked: Mutex<Vec<Asked>>,
    /// Exchanges that were given up by us.
    gone: Arc<tokio::sync::Notify>,
}

/// A provider on loopback.
pub(crate) struct FakeProvider {
    pub(crate) url: String,
    shared: Arc<Shared>,
    _tasks: JoinSet<()>,
}

impl FakeProvider {
    /// Answers with these in turn, with the last for ever.
    pub(crate) async fn new(says: &[Says]) -> Self {
        let mut says = says.to_vec();
        says.reverse();
        let shared =
            Arc::new(Shared { says: Mutex::new(says), asked: Mutex::default(), gone: Arc::default() });
        let app = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let _ = axum::serve(listener, app).await;
        });
        Self { url, shared, _tasks: tasks }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().unwrap().clone()
    }

    pub(crate) fn last(&self) -> Asked {
        self.asked().pop().unwrap()
    }

    /// Answers with these from now on, and forgets what it was asked.
    pub(crate) fn says(&self, says: &[Says]) {
        let mut says = says.to_vec();
        says.reverse();
        *self.shared.says.lock().unwrap() = says;
        self.shared.asked.lock().unwrap().clear();
    }

    /// Waits until an exchange was given up.
    pub(crate) async fn given_up(&self) {
        tokio::time::timeout(Duration::from_secs(20), self.shared.gone.notified()).await.unwrap();
    }
}

struct Tell(Arc<tokio::sync::Notify>);

impl Drop for Tell {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 1 << 24).await.unwrap();
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let address = parts.uri.to_string();
    shared.asked.lock().unwrap().push(Asked { address, headers: parts.headers, body });
    let says = {
        let mut says = shared.says.lock().unwrap();
        if says.len() > 1 { says.pop().unwrap() } else { says[0].clone() }
    };
    let pieces = |bytes: Vec<u8>| {
        // Pieces of odd lengths, so that they break within characters and between the ends of lines.
        let mut pieces = Vec::new();
        let mut rest = bytes.as_slice();
        for length in [1, 7, 2, 13, 5, 31].into_iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at(length.min(rest.len()));
            pieces.push(Ok::<_, std::io::Error>(Bytes::copy_from_slice(piece)));
            rest = after;
        }
        pieces
    };
    let response = Response::builder();
    match says {
        Says::Stream(kind, bytes) => {
            let body = Body::from_stream(futures_util::stream::iter(pieces(bytes)));
            response.header("content-type", kind).body(body).unwrap()
        }
        Says::Cut(kind, bytes) => {
            let mut pieces = pieces(bytes);
            pieces.push(Err(std::io::Error::other("cut")));
            response
                .header("content-type", kind)
                .body(Body::from_stream(futures_util::stream::iter(pieces)))
                .unwrap()
        }
        Says::Stuck(kind, bytes) => {
            use futures_util::StreamExt as _;
            let tell = Tell(Arc::clone(&shared.gone));
            let stuck = futures_util::stream::once(async move {
                let _tell = tell;
                std::future::pending().await
            });
            let body = Body::from_stream(futures_util::stream::iter(pieces(bytes)).chain(stuck));
            response.header("content-type", kind).body(body).unwrap()
        }
        Says::Replay(bytes) => {
            let (head, body) = bytes.split_at(memchr::memmem::find(&bytes, b"\n\n").unwrap() + 1);
            let mut lines = std::str::from_utf8(head).unwrap().lines();
            let status: u16 = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
            let response = lines.fold(response.status(status), |all, line| {
                let (name, value) = line.split_once(": ").unwrap();
                all.header(name, value)
            });
            response.body(Body::from_stream(futures_util::stream::iter(pieces(body[1..].to_vec())))).unwrap()
        }
        Says::Status(status, headers, body) => {
            let response =
                headers.iter().fold(response.status(status), |all, (name, value)| all.header(*name, *value));
            response.body(Body::from(body)).unwrap()
        }
    }
}
