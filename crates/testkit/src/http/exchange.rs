//! One HTTP exchange: record it, check the session, find the reply, write it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::body::Body;
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::body::{BodyPiece, Gate, stream};
use super::script::{HttpReply, HttpScript, RawReply};
use crate::answers;

const SESSION: &str = "mcp-session-id";

/// One HTTP request as it arrived.
#[derive(Debug, Clone)]
pub struct RecordedRequest {
    /// `POST`, `GET` or `DELETE`.
    pub http_method: String,
    /// Path and query.
    pub path: String,
    /// Header names in lower case, with their values.
    pub headers: Vec<(String, String)>,
    /// The body as text.
    pub body: String,
    /// The JSON-RPC method, `response` for a response, or the HTTP method if there is no body.
    pub rpc_method: String,
}

impl RecordedRequest {
    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// The shared state of one server's exchanges.
pub(super) struct HttpServerState {
    script: Mutex<HttpScript>,
    requests: Mutex<Vec<RecordedRequest>>,
    sessions: Mutex<HashSet<String>>,
    counter: AtomicU64,
    pub(super) changed: watch::Sender<usize>,
    pub(super) closing: Gate,
}

impl HttpServerState {
    pub(super) fn new(script: HttpScript) -> Self {
        Self {
            script: Mutex::new(script),
            requests: Mutex::default(),
            sessions: Mutex::default(),
            counter: AtomicU64::new(1),
            changed: watch::Sender::new(0),
            closing: Gate::new(),
        }
    }

    pub(super) fn requests(&self) -> Vec<RecordedRequest> {
        lock(&self.requests).clone()
    }

    pub(super) fn forget_sessions(&self) {
        lock(&self.sessions).clear();
    }

    pub(super) fn close(&self) {
        self.closing.open();
    }

    fn record(&self, request: RecordedRequest) {
        lock(&self.requests).push(request);
        self.changed.send_modify(|count| *count += 1);
    }

    fn reply_for(&self, method: &str) -> HttpReply {
        let mut script = lock(&self.script);
        if let Some(reply) = script.next.get_mut(method).and_then(std::collections::VecDeque::pop_front) {
            return reply;
        }
        script.always.get(method).cloned().unwrap_or(HttpReply::Usual)
    }

    /// The problem with a message's headers according to the draft between the eras, if there is one.
    fn header_problem(&self, headers: &HeaderMap, message: &Value) -> Option<RawReply> {
        let method = message["method"].as_str().filter(|_| lock(&self.script).draft)?;
        let says = |name: &str, value: &str| headers.get(name).is_some_and(|header| header == value);
        let about = match method {
            "tools/call" | "prompts/get" => message["params"]["name"].as_str(),
            "resources/read" => message["params"]["uri"].as_str(),
            _ => None,
        };
        if says("mcp-method", method) && about.is_none_or(|about| says("mcp-name", about)) {
            return None;
        }
        let error = json!({"code": -32001, "message": "Header mismatch: a required header is missing"});
        let error = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
        Some(RawReply::new(400).header("content-type", "application/json").text(&error.to_string()))
    }

    /// The problem with a request's session, if there is one.
    fn session_problem(&self, headers: &HeaderMap) -> Option<RawReply> {
        if !lock(&self.script).session {
            return None;
        }
        let known = headers.get(SESSION).and_then(|value| value.to_str().ok());
        let (status, message) = match known {
            None => (400, "Bad Request: Mcp-Session-Id header is required"),
            Some(session) if !lock(&self.sessions).contains(session) => (404, "Session not found"),
            Some(_) => return None,
        };
        let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": message}});
        Some(RawReply::new(status).header("content-type", "application/json").text(&error.to_string()))
    }
}

/// Carries out one exchange.
pub(super) async fn handle(shared: &HttpServerState, request: Request) -> Response {
    let closes = lock(&shared.script).closes;
    let (raw, id) = exchange(shared, request).await;
    let raw = if closes { raw.header("connection", "close") } else { raw };
    write(raw, &id, &shared.closing)
}

/// The reply to one request, and the request's id.
async fn exchange(shared: &HttpServerState, request: Request) -> (RawReply, Value) {
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, usize::MAX).await else {
        return (RawReply::new(400), Value::Null);
    };
    let body = String::from_utf8_lossy(&body).into_owned();
    let message = serde_json::from_str::<Value>(&body).unwrap_or_default();
    let http_method = parts.method.as_str().to_owned();
    let rpc_method = match (message["method"].as_str(), body.is_empty()) {
        (Some(method), _) => method.to_owned(),
        (None, false) => "response".to_owned(),
        (None, true) => http_method.clone(),
    };
    shared.record(RecordedRequest {
        http_method: http_method.clone(),
        path: parts.uri.to_string(),
        headers: parts
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect(),
        body,
        rpc_method: rpc_method.clone(),
    });
    if let Some(problem) = shared.header_problem(&parts.headers, &message) {
        return (problem, message["id"].clone());
    }
    let mut reply = shared.reply_for(&rpc_method);
    while let HttpReply::After(gate, then) = reply {
        tokio::select! {
            () = gate.wait_until_open() => {}
            () = shared.closing.wait_until_open() => {}
        }
        reply = *then;
    }
    let id = message["id"].clone();
    let raw = match reply {
        HttpReply::Raw(raw) => raw,
        HttpReply::Hang => {
            shared.closing.wait_until_open().await;
            RawReply::new(503)
        }
        HttpReply::Result(result) => wrap_outcome(shared, &rpc_method, &message, Ok(result)),
        HttpReply::Error { code, message: text } => {
            wrap_outcome(shared, &rpc_method, &message, Err((code, text)))
        }
        HttpReply::Usual => default_reply(shared, &http_method, &rpc_method, &message, &parts.headers),
        HttpReply::After(..) => RawReply::new(500),
    };
    (raw, id)
}

fn default_reply(
    shared: &HttpServerState,
    http_method: &str,
    rpc_method: &str,
    message: &Value,
    headers: &HeaderMap,
) -> RawReply {
    if rpc_method != "initialize"
        && let Some(problem) = shared.session_problem(headers)
    {
        return problem;
    }
    match http_method {
        "GET" => return RawReply::new(405).header("allow", "POST, DELETE"),
        "DELETE" => {
            if let Some(session) = headers.get(SESSION).and_then(|value| value.to_str().ok()) {
                lock(&shared.sessions).remove(session);
            }
            return RawReply::new(200);
        }
        "POST" => {}
        _ => return RawReply::new(405).header("allow", "POST, DELETE"),
    }
    let accept = headers.get("accept").and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !(accept.contains("application/json") && accept.contains("text/event-stream")) {
        return RawReply::new(406).text("Accept must list application/json and text/event-stream");
    }
    if message.is_null() {
        let error = answers::response(&Value::Null, Err((-32700, "parse error".to_owned())));
        return RawReply::new(400).header("content-type", "application/json").text(&error.to_string());
    }
    if message.get("id").is_none() || message.get("method").is_none() {
        return RawReply::new(202);
    }
    let params = &message["params"];
    let outcome = match params["name"].as_str() {
        Some("progress") if rpc_method == "tools/call" => Ok(answers::text("done")),
        _ => answers::answer(rpc_method, params),
    };
    wrap_outcome(shared, rpc_method, message, outcome)
}

/// The outcome in the script's usual dress: a document or a stream, with a session if it is due.
fn wrap_outcome(
    shared: &HttpServerState,
    rpc_method: &str,
    message: &Value,
    outcome: Result<Value, (i64, String)>,
) -> RawReply {
    let (streams, session, primed) = {
        let script = lock(&shared.script);
        (script.streams, script.session, script.primed)
    };
    let answer = answers::response(&message["id"], outcome);
    let mut raw = RawReply::new(200);
    if session && rpc_method == "initialize" {
        let name = format!("session-{}", shared.counter.fetch_add(1, Ordering::Relaxed));
        raw = raw.header(SESSION, &name);
        lock(&shared.sessions).insert(name);
    }
    if !streams {
        return raw.header("content-type", "application/json").piece(bytes(&answer.to_string()));
    }
    raw = raw.header("content-type", "text/event-stream").header("cache-control", "no-cache");
    if primed {
        raw = raw.text("id: 0\ndata:\n\n");
    }
    let token = &message["params"]["_meta"]["progressToken"];
    if message["params"]["name"] == "progress" && !token.is_null() {
        for step in 1..=3 {
            let params =
                json!({"progressToken": token, "progress": step, "total": 3, "message": "on the way"});
            raw = raw.piece(event(&answers::notification("notifications/progress", &params)));
        }
        let params = json!({"level": "info", "logger": "scripted", "data": "half way"});
        raw = raw.piece(event(&answers::notification("notifications/message", &params)));
    }
    raw.piece(event(&answer))
}

fn event(message: &Value) -> BodyPiece {
    bytes(&format!("event: message\ndata: {message}\n\n"))
}

fn bytes(text: &str) -> BodyPiece {
    BodyPiece::Bytes(bytes::Bytes::copy_from_slice(text.as_bytes()))
}

fn write(raw: RawReply, id: &Value, closing: &Gate) -> Response {
    let mut response = Response::builder().status(raw.status);
    for (name, value) in &raw.headers {
        response = response.header(name, value);
    }
    let body = if raw.pieces.is_empty() {
        Body::empty()
    } else {
        Body::from_stream(stream(raw.pieces, id.to_string(), closing.clone()))
    };
    response.body(body).expect("the script's status and headers are valid")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
