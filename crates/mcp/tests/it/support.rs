//! A recording host, and helpers for connecting.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use mooring_mcp::{
    Client, ClientCapabilities, ClientHandler, ClientOptions, ConnectError, Deadlines, Diagnostic, Direction,
    Era, EraChoice, Notification, Question, RawJson, Refusal, ServerTarget, Tap, TapEvent, TapKind,
    http_client,
};
use mooring_network::Network;
use mooring_process::{SearchPath, SpawnOptions};
use mooring_testkit::http::{Gate, HttpReply, HttpServer, RawReply, RecordedRequest};
use serde_json::value::RawValue;

/// Records everything that the host receives, in order.
#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) notifications: Mutex<Vec<String>>,
    pub(crate) diagnostics: Mutex<Vec<String>>,
    pub(crate) taped: Mutex<Vec<TapEvent>>,
}

impl ClientHandler for Recorder {
    fn notify(&self, notification: Notification) {
        let params = notification.params.as_deref().map_or("", RawValue::get);
        self.notifications.lock().unwrap().push(format!("{} {params}", notification.method));
    }

    fn diagnose(&self, diagnostic: Diagnostic) {
        self.diagnostics.lock().unwrap().push(diagnostic.to_string());
    }
}

impl Tap for Recorder {
    fn offer(&self, event: TapEvent) -> Result<(), Box<TapEvent>> {
        self.taped.lock().unwrap().push(event);
        Ok(())
    }

    fn wait_for_room(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

impl Recorder {
    /// The messages that were sent, in order.
    pub(crate) fn sent(&self) -> Vec<serde_json::Value> {
        let taped = self.taped.lock().unwrap();
        let sent =
            taped.iter().filter(|event| event.kind == TapKind::Frame && event.direction == Direction::Out);
        sent.map(|event| serde_json::from_slice(&event.bytes).unwrap()).collect()
    }

    /// The messages of the connection: `→ method` if sent, `← method` if received.
    pub(crate) fn log(&self) -> Vec<String> {
        let taped = self.taped.lock().unwrap();
        let frames = taped.iter().filter(|event| event.kind == TapKind::Frame);
        frames
            .map(|event| {
                let arrow = if event.direction == Direction::Out { "→" } else { "←" };
                format!("{arrow} {}", event.method.as_deref().unwrap_or("?"))
            })
            .collect()
    }

    pub(crate) fn diagnostics(&self) -> Vec<String> {
        self.diagnostics.lock().unwrap().clone()
    }
}

type AnswerFuture = BoxFuture<'static, Result<Box<RawValue>, Refusal>>;

/// An answer that never comes. Withdrawing the question opens the gate.
pub(crate) fn unanswered(withdrawn: &Gate) -> AnswerFuture {
    struct OpenOnDrop(Gate);
    impl Drop for OpenOnDrop {
        fn drop(&mut self) {
            self.0.open();
        }
    }
    let dropped = OpenOnDrop(withdrawn.clone());
    Box::pin(async move {
        let _dropped = dropped;
        std::future::pending().await
    })
}

/// A host that answers questions by a rule and records them.
pub(crate) struct TestHost {
    pub(crate) abilities: ClientCapabilities,
    pub(crate) answer: Box<dyn Fn(&Question) -> AnswerFuture + Send + Sync>,
    pub(crate) asked: Mutex<Vec<Question>>,
    pub(crate) memory: Arc<Recorder>,
    pub(crate) task_changes: AtomicU64,
}

impl TestHost {
    /// A host with every capability that answers immediately.
    pub(crate) fn new(
        answer: impl Fn(&Question) -> Result<Box<RawValue>, Refusal> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Self::waiting(move |question| Box::pin(std::future::ready(answer(question))))
    }

    /// A host with every capability whose answers may take time.
    pub(crate) fn waiting(answer: impl Fn(&Question) -> AnswerFuture + Send + Sync + 'static) -> Arc<Self> {
        let abilities = ClientCapabilities {
            forms: true,
            urls: true,
            sampling: true,
            sampling_tools: true,
            roots: true,
            ..ClientCapabilities::default()
        };
        Arc::new(Self {
            abilities,
            answer: Box::new(answer),
            asked: Mutex::default(),
            memory: Arc::default(),
            task_changes: AtomicU64::new(0),
        })
    }

    /// Connects with this host.
    pub(crate) async fn connect(self: &Arc<Self>, target: ServerTarget, options: ClientOptions) -> Client {
        let inbound = Arc::clone(self);
        let tap = Arc::clone(&self.memory);
        Client::connect(target, options, inbound, tap).await.unwrap_or_else(|error| panic!("{error}"))
    }
}

impl ClientHandler for TestHost {
    fn notify(&self, notification: Notification) {
        self.memory.notify(notification);
    }

    fn diagnose(&self, diagnostic: Diagnostic) {
        self.memory.diagnose(diagnostic);
    }

    fn tasks_changed(&self) {
        self.task_changes.fetch_add(1, Ordering::Relaxed);
    }

    fn capabilities(&self) -> ClientCapabilities {
        self.abilities
    }

    fn ask(&self, question: Question) -> BoxFuture<'static, Result<Box<RawValue>, Refusal>> {
        let answer = (self.answer)(&question);
        self.asked.lock().unwrap().push(question);
        answer
    }
}

/// A Python program as a server.
pub(crate) fn python(program: &str) -> ServerTarget {
    let search = SearchPath::from_environment();
    let cwd = std::env::temp_dir();
    ServerTarget::Stdio(SpawnOptions {
        program: mooring_process::resolve("python3", &search, &cwd).unwrap(),
        args: vec!["-u".to_owned(), "-c".to_owned(), program.to_owned()],
        env: BTreeMap::new(),
        cwd,
        search,
    })
}

/// A stdio server in Python. `body` gets each `message` with its `method` and `id`, and can call `say`.
/// Requests without a response get `{}`.
pub(crate) fn python_server(body: &str) -> ServerTarget {
    python(&format!(
        r#"
import json, sys
def say(message): print(json.dumps({{"jsonrpc": "2.0", **message}}), flush=True)
def answer(id, result): say({{"id": id, "result": result}})
def tell(method, params): say({{"method": method, "params": params}})
def text(words, **more): return {{"resultType": "complete", "content": [{{"type": "text", "text": words}}], **more}}
DISCOVERED = {{"resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private"}}
SESSION = {{"protocolVersion": "2025-11-25", "serverInfo": {{"name": "py", "version": "1"}}}}
kept = {{}}
for line in sys.stdin:
    message = json.loads(line)
    method, id, params = message.get("method"), message.get("id"), message.get("params", {{}})
{body}
"#
    ))
}

/// The result of a request, as JSON over HTTP.
pub(crate) fn result(result: &serde_json::Value) -> HttpReply {
    HttpReply::json_text(&format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#))
}

/// The error of a request, as JSON over HTTP.
pub(crate) fn rpc_error(status: u16, code: i64, data: &serde_json::Value) -> HttpReply {
    let error = serde_json::json!({"code": code, "message": "no", "data": data});
    let text = format!(r#"{{"jsonrpc":"2.0","id":$ID,"error":{error}}}"#);
    RawReply::new(status).header("content-type", "application/json").text(&text).into()
}

/// The discovery result of a server of the stateless era with these capabilities.
pub(crate) fn discovered(capabilities: &serde_json::Value) -> HttpReply {
    result(&serde_json::json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": capabilities,
        "ttlMs": 0,
        "cacheScope": "private"
    }))
}

/// The response of a server of `revision` with these capabilities to `initialize`.
pub(crate) fn opening(revision: &str, capabilities: &serde_json::Value) -> HttpReply {
    result(&serde_json::json!({
        "protocolVersion": revision,
        "capabilities": capabilities,
        "serverInfo": {"name": "x", "version": "1"}
    }))
}

/// The requests with a method that a server received, in order.
pub(crate) fn requests(server: &HttpServer, method: &str) -> Vec<RecordedRequest> {
    server.requests().into_iter().filter(|request| request.rpc_method == method).collect()
}

/// Options for a session, with short deadlines that a test can change.
pub(crate) fn options() -> ClientOptions {
    ClientOptions {
        deadlines: Deadlines {
            connect: Duration::from_secs(20),
            idle: Duration::from_secs(20),
            total: Duration::from_secs(30),
        },
        era: EraChoice::Only(Era::Session),
        ..ClientOptions::new("mooring-tests", "0", http_client("mooring-tests/0", &Network::direct()))
    }
}

/// The scripted server in a mode, as a target.
pub(crate) fn scripted(args: &[&str]) -> ServerTarget {
    ServerTarget::Stdio(SpawnOptions {
        program: mooring_testkit::scripted_server_path(),
        args: args.iter().map(|&arg| arg.to_owned()).collect(),
        env: BTreeMap::new(),
        cwd: std::env::temp_dir(),
        search: SearchPath::from_environment(),
    })
}

/// The HTTP endpoint at `url`.
pub(crate) fn endpoint(url: &str) -> ServerTarget {
    ServerTarget::Http { url: url.parse().unwrap(), headers: vec![("X-Berth".to_owned(), "14".to_owned())] }
}

/// Connects with a recorder.
pub(crate) async fn connect_with(
    target: ServerTarget,
    options: ClientOptions,
) -> (Result<Client, ConnectError>, Arc<Recorder>) {
    let memory = Arc::new(Recorder::default());
    let inbound = Arc::clone(&memory);
    let tap = Arc::clone(&memory);
    (Client::connect(target, options, inbound, tap).await, memory)
}

/// Connects with a recorder. Panics if that fails.
pub(crate) async fn connect(target: ServerTarget) -> (Client, Arc<Recorder>) {
    let (client, memory) = connect_with(target, options()).await;
    (client.unwrap_or_else(|error| panic!("{error}")), memory)
}

/// The error of a connection that must fail.
pub(crate) async fn refused(target: ServerTarget) -> ConnectError {
    match connect_with(target, options()).await.0 {
        Ok(_) => panic!("it connected"),
        Err(error) => error,
    }
}

/// Raw JSON.
pub(crate) fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// Calls a tool and returns the text of its first content block.
pub(crate) async fn call(client: &Client, tool: &str, arguments: &str) -> String {
    let result =
        client.call_tool(tool, Some(&raw(arguments)), mooring_mcp::CallOptions::default()).await.unwrap();
    text(&result.raw)
}

/// The text of the first content block of a result.
pub(crate) fn text(result: &RawJson) -> String {
    let value: serde_json::Value = serde_json::from_str(result.get()).unwrap();
    value["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}
