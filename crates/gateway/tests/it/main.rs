//! Apps at the gateway of a host with real servers.

mod levels;

use std::path::Path;
use std::time::Duration;

use mooring_gateway::Gateway;
use mooring_host::{
    Clock, Host, HostOptions, InteractionAnswer, InteractionQuestion, LogKind, LogQuery, NewServer,
    PinApproval, PinState, Remember, ServerId, StateName, Transport,
};
use mooring_testkit::scripted_server_path;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Longer than anything here takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(30);

/// A host, its gateway and everything that runs with them.
struct Scene {
    host: Host,
    home: TempDir,
    tasks: JoinSet<()>,
}

/// One app, at its bridge.
struct App {
    to: WriteHalf<DuplexStream>,
    from: BufReader<ReadHalf<DuplexStream>>,
}

fn options(home: &Path) -> HostOptions {
    HostOptions {
        home: home.to_owned(),
        supervise: true,
        journal: true,
        demo_server: None,
        client_name: "mooring-test",
        client_version: "0",
        vault: mooring_host::VaultOptions::default,
        browser: mooring_host::system_browser,
        clock: Clock::system(),
    }
}

impl Scene {
    async fn open() -> Self {
        let home = tempfile::tempdir().unwrap();
        let host = Host::open(options(home.path())).await.unwrap();
        let gateway = Gateway::listen(host.home()).unwrap();
        let mut tasks = JoinSet::new();
        tasks.spawn(gateway.serve(host.clone()));
        Self { host, home, tasks }
    }

    /// Adds a scripted server and waits until its tools are listed.
    async fn add(&self, name: &str) -> ServerId {
        let server = NewServer {
            command: Some(scripted_server_path().display().to_string()),
            args: vec!["ok".to_owned()],
            ..NewServer::new(name, Transport::Stdio)
        };
        let id = self.host.add_server(server).await.unwrap().id;
        let mut events = self.host.events();
        let ready = async {
            while self.host.server(id).unwrap().connection.state != StateName::Ready {
                let _lagged = events.recv().await;
            }
        };
        timeout(LIMIT, ready).await.unwrap();
        self.host.tools(id, false).await.unwrap();
        id
    }

    /// Approves all that a server has.
    async fn approve(&self, id: ServerId) {
        let trust = self.host.trust(id).await.unwrap();
        let open = trust.items.iter().filter(|item| item.state == PinState::New);
        let approvals: Vec<PinApproval> = open
            .map(|item| PinApproval { kind: item.kind, name: item.name.clone(), hash: item.hash.clone() })
            .collect();
        self.host.approve_trust(id, &approvals).await.unwrap();
    }

    /// An app at its bridge.
    fn connect(&mut self, name: &str, server: Option<&str>) -> App {
        let (app, bridge) = duplex(1 << 20);
        let (home, name, server) = (self.home.path().to_owned(), name.to_owned(), server.map(str::to_owned));
        self.tasks.spawn(async move {
            let (from, to) = split(bridge);
            // What it ends with is seen at the app.
            let _ended = mooring_gateway::bridge(&home, &name, server.as_deref(), from, to).await;
        });
        let (from, to) = split(app);
        App { to, from: BufReader::new(from) }
    }

    /// An app that has been initialized.
    async fn initialized(&mut self, name: &str, server: Option<&str>) -> App {
        let mut app = self.connect(name, server);
        let answer = app.request(0, "initialize", initialize("2025-11-25")).await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        app.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        app
    }

    async fn close(mut self) {
        self.tasks.shutdown().await;
        self.host.shutdown().await;
    }
}

impl App {
    async fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string()).await;
    }

    async fn send_text(&mut self, text: &str) {
        self.to.write_all(format!("{text}\n").as_bytes()).await.unwrap();
    }

    async fn line(&mut self) -> String {
        let mut line = String::new();
        timeout(LIMIT, self.from.read_line(&mut line)).await.expect("the gateway is silent").unwrap();
        line
    }

    async fn receive(&mut self) -> Value {
        let line = self.line().await;
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Sends a request and gives its answer; notifications before it are passed over.
    async fn request(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        self.answer(id).await
    }

    async fn answer(&mut self, id: u32) -> Value {
        loop {
            let message = self.receive().await;
            if message["id"] == id {
                return message;
            }
            assert!(message["method"].is_string(), "{message}");
        }
    }

    /// The next notification of this method.
    async fn notification(&mut self, method: &str) -> Value {
        loop {
            let message = self.receive().await;
            if message["method"] == method {
                return message;
            }
        }
    }

    async fn tools(&mut self) -> Vec<String> {
        let answer = self.request(900, "tools/list", json!({})).await;
        let tools = answer["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }
}

fn initialize(revision: &str) -> Value {
    json!({
        "protocolVersion": revision,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    })
}

/// A member of every verdict in the log, the oldest first.
async fn verdicts(host: &Host, member: &str) -> Vec<String> {
    host.flush_log().await;
    let query = LogQuery { limit: 100, kinds: vec![LogKind::Verdict], ..LogQuery::default() };
    let mut members = Vec::new();
    for row in host.log_page(&query).await.unwrap().into_iter().rev() {
        let entry = host.log_entry(row.id).await.unwrap().unwrap();
        let body: Value = serde_json::from_slice(&entry.body).unwrap();
        members.push(body[member].as_str().unwrap().to_owned());
    }
    members
}

/// Answers the question that waits, once that counts.
async fn answer(host: &Host, answer: InteractionAnswer) -> InteractionQuestion {
    let mut events = host.events();
    let waiting = async {
        loop {
            if let Some(waiting) = host.inbox().waiting.into_iter().next() {
                return waiting;
            }
            let _lagged = events.recv().await;
        }
    };
    let waiting = timeout(LIMIT, waiting).await.unwrap();
    let opening = host.open_interaction(waiting.id).unwrap();
    tokio::time::sleep(opening.armed_in).await;
    host.answer_interaction(waiting.id, &opening.nonce, answer).await.unwrap();
    waiting.question
}

#[tokio::test]
async fn an_app_calls_what_is_approved_once_the_person_agrees() {
    let mut scene = Scene::open().await;
    let id = scene.add("s").await;
    let mut app = scene.initialized("Editor", None).await;
    // What nobody has reviewed is not there, and comes with a notification.
    assert_eq!(app.tools().await, [""; 0]);
    let unknown = app.request(1, "tools/call", json!({"name": "s__echo", "arguments": {"text": "x"}})).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    scene.approve(id).await;
    app.notification("notifications/tools/list_changed").await;
    assert!(app.tools().await.contains(&"s__echo".to_owned()));

    app.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "s__echo", "arguments": {"text": "x"}}}))
        .await;
    let asked = answer(&scene.host, InteractionAnswer::Accept { content: None, remember: Remember::Always }).await;
    assert!(matches!(&asked, InteractionQuestion::Tool { tool, .. } if tool == "echo"), "{asked:?}");
    let called = app.answer(2).await;
    assert_eq!(called["result"]["content"][0]["text"], "x", "{called}");
    // The answer is remembered for this app alone.
    let again = app.request(3, "tools/call", json!({"name": "s__echo", "arguments": {"text": "y"}})).await;
    assert_eq!(again["result"]["content"][0]["text"], "y", "{again}");
    assert_eq!(scene.host.rules()[0].rule.rule.caller.as_ref().unwrap().as_str(), "app:Editor");
    let mut other = scene.initialized("Other", None).await;
    other
        .send(&json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call",
            "params": {"name": "s__echo", "arguments": {"text": "z"}}}))
        .await;
    answer(&scene.host, InteractionAnswer::Decline { remember: Remember::Once }).await;
    let declined = other.answer(4).await;
    assert_eq!(declined["result"]["isError"], true, "{declined}");

    // Each verdict names the app.
    let mut callers = verdicts(&scene.host, "caller").await;
    callers.sort();
    callers.dedup();
    assert_eq!(callers, ["app:Editor", "app:Other"]);
    scene.close().await;
}

#[tokio::test]
async fn one_server_alone_keeps_its_own_names() {
    let mut scene = Scene::open().await;
    for name in ["one", "two"] {
        let id = scene.add(name).await;
        scene.approve(id).await;
    }
    let mut all = scene.initialized("All", None).await;
    let names = all.tools().await;
    assert!(names.contains(&"one__echo".to_owned()) && names.contains(&"two__echo".to_owned()), "{names:?}");
    let mut alone = scene.initialized("One", Some("two")).await;
    assert!(alone.tools().await.contains(&"echo".to_owned()));
    // Of a server that is not there the first request says so.
    let mut lost = scene.connect("Lost", Some("three"));
    let refused = lost.request(0, "initialize", initialize("2025-11-25")).await;
    assert!(refused["error"]["message"].as_str().unwrap().contains("no server named three"), "{refused}");
    scene.close().await;
}

#[tokio::test]
async fn what_is_no_request_is_answered_and_harms_nobody() {
    let mut scene = Scene::open().await;
    let mut app = scene.connect("Odd", None);
    let early = app.request(1, "tools/list", json!({})).await;
    assert_eq!(early["error"]["code"], -32600, "{early}");
    assert_eq!(app.request(2, "ping", json!({})).await["result"], json!({}));
    let newer = app.request(3, "initialize", initialize("2099-01-01")).await;
    assert_eq!(newer["result"]["protocolVersion"], "2025-11-25", "{newer}");
    for (text, code) in [
        ("{", -32700),
        ("[]", -32600),
        ("7", -32600),
        (r#"{"jsonrpc":"2.0","id":null}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":4,"method":"no/such"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":[]}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"x://y"}}"#, -32002),
        (r#"{"jsonrpc":"2.0","id":4,"method":"initialize","params":{}}"#, -32602),
    ] {
        app.send_text(text).await;
        let answer = app.receive().await;
        assert_eq!(answer["error"]["code"], code, "{text}: {answer}");
    }
    // What is about nothing that runs has no answer.
    app.send_text("").await;
    app.send_text(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#).await;
    app.send_text(r#"{"jsonrpc":"2.0","id":5,"result":{}}"#).await;
    app.send_text(&format!(r#"{{"jsonrpc":"2.0","method":"{}"}}"#, "x".repeat(5 << 20))).await;
    let large = app.receive().await;
    assert!(large["error"]["message"].as_str().unwrap().contains("4194304"), "{large}");
    assert_eq!(app.request(6, "ping", json!({})).await["result"], json!({}));
    scene.close().await;
}

#[tokio::test]
async fn what_an_app_gives_up_is_withdrawn_without_an_answer() {
    let mut scene = Scene::open().await;
    let id = scene.add("s").await;
    scene.approve(id).await;
    let mut app = scene.initialized("Editor", None).await;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "s__echo", "arguments": {"text": "x"}}});
    for gives_up in ["cancels", "leaves"] {
        app.send(&call).await;
        let mut events = scene.host.events();
        while scene.host.inbox().waiting.is_empty() {
            let _lagged = events.recv().await;
        }
        if gives_up == "cancels" {
            app.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
                .await;
        } else {
            app.to.shutdown().await.unwrap();
        }
        let withdrawn = async {
            while !scene.host.inbox().waiting.is_empty() {
                let _lagged = events.recv().await;
            }
        };
        timeout(LIMIT, withdrawn).await.unwrap_or_else(|_| panic!("{gives_up}: the question stays"));
        if gives_up == "cancels" {
            assert_eq!(app.request(2, "ping", json!({})).await["result"], json!({}));
        }
    }
    scene.close().await;
}
