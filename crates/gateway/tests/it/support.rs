//! A host with a gateway, and apps at their bridges.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mooring_app_key::AppKey;
use mooring_base::clock::Clock;
use mooring_base::server_id::ServerId;
use mooring_bridge::AppHello;
use mooring_definitions::{NewServer, Transport};
use mooring_gateway::Gateway;
use mooring_host::{Host, HostOptions};
use mooring_inbox::{InteractionAnswer, InteractionQuestion};
use mooring_log::{LogKind, LogQuery};
use mooring_policy::{Decision, NewRule, PinApproval, PinState};
use mooring_server_state::StateName;
use mooring_store::Store;
use mooring_testkit::{binary_path, offers, scripted_server_path};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Longer than anything in these tests takes on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// A host, its gateway and everything that runs with them.
pub(crate) struct Scene {
    pub(crate) host: Host,
    pub(crate) home: TempDir,
    /// The task of the gateway.
    pub(crate) tasks: JoinSet<()>,
    bridges: JoinSet<()>,
    /// How often a bridge asked to start a gateway.
    pub(crate) starts: Arc<AtomicUsize>,
    /// The keys of the apps, by name.
    keys: Arc<Mutex<HashMap<String, AppKey>>>,
}

/// One app, at its bridge.
pub(crate) struct App {
    pub(crate) to: WriteHalf<DuplexStream>,
    pub(crate) from: BufReader<ReadHalf<DuplexStream>>,
}

pub(crate) fn options(home: &Path) -> HostOptions {
    HostOptions {
        home: home.to_owned(),
        supervise: true,
        has_person: true,
        journal: true,
        demo_server: None,
        client_name: "mooring-test",
        client_version: "0",
        vault: mooring_vault::VaultOptions::default,
        browser: mooring_accounts::system_browser,
        clock: Clock::system(),
    }
}

impl Scene {
    pub(crate) async fn open() -> Self {
        let home = tempfile::tempdir().unwrap();
        let host = Host::open(options(home.path())).await.unwrap();
        let mut scene = Self {
            host,
            home,
            tasks: JoinSet::new(),
            bridges: JoinSet::new(),
            starts: Arc::default(),
            keys: Arc::default(),
        };
        scene.listen();
        scene
    }

    /// Starts a gateway.
    pub(crate) fn listen(&mut self) {
        let gateway = Gateway::listen(self.host.home()).unwrap();
        self.tasks.spawn(gateway.serve(self.host.clone()));
    }

    /// A scene with one server. Every app may call all of its approved tools.
    pub(crate) async fn with_open_server(name: &str) -> (Self, ServerId) {
        Self::with_open_server_like(name, &["ok"]).await
    }

    /// A scene like [`Self::with_open_server`], with the scripted server in the mode `mode`.
    pub(crate) async fn with_open_server_like(name: &str, mode: &[&str]) -> (Self, ServerId) {
        let scene = Self::open().await;
        let id = scene.add_like(name, mode).await;
        scene.approve(id).await;
        scene.allow_all().await;
        (scene, id)
    }

    /// Adds a rule that allows all calls.
    pub(crate) async fn allow_all(&self) {
        let rule = NewRule {
            effect: Decision::Allow,
            server: None,
            tool: None,
            caller: None,
            destructive_only: false,
            arguments: Vec::new(),
            expires_ms: None,
        };
        self.host.save_rule(None, rule).await.unwrap();
    }

    /// Adds a scripted server and waits until its tools are listed.
    pub(crate) async fn add(&self, name: &str) -> ServerId {
        self.add_like(name, &["ok"]).await
    }

    async fn add_like(&self, name: &str, mode: &[&str]) -> ServerId {
        self.add_program(name, &scripted_server_path(), mode).await
    }

    /// Adds the demo server, which supports stateless requests, and approves everything that it offers.
    pub(crate) async fn add_demo(&self, name: &str) -> ServerId {
        let program = binary_path("mooring-demo-server", "mooring-demo-server");
        let id = self.add_program(name, &program, &[]).await;
        self.approve(id).await;
        id
    }

    /// Adds a scripted server with resources to subscribe to, and approves everything that it offers.
    pub(crate) async fn add_harbour(&self, name: &str) -> ServerId {
        let script = self.home.path().join("harbour.json");
        std::fs::write(&script, serde_json::to_string(&offers::script()).unwrap()).unwrap();
        let id = self.add_like(name, &["script", script.to_str().unwrap()]).await;
        // Otherwise, an app that connects earlier would get a notification of a change later.
        self.host.resources(id, false).await.unwrap();
        self.host.prompts(id, false).await.unwrap();
        self.approve(id).await;
        id
    }

    /// Adds a server that runs this program, and waits until its tools are listed.
    pub(crate) async fn add_program(&self, name: &str, program: &Path, args: &[&str]) -> ServerId {
        let id = self.host.add_server(program_server(name, program, args)).await.unwrap().id;
        self.host.need_server(id);
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

    /// Approves everything that a server offers.
    pub(crate) async fn approve(&self, id: ServerId) {
        let trust = self.host.trust(id).await.unwrap();
        let open = trust.items.iter().filter(|item| item.state == PinState::New);
        let approvals: Vec<PinApproval> = open
            .map(|item| PinApproval { kind: item.kind, name: item.name.clone(), hash: item.hash.clone() })
            .collect();
        self.host.approve_trust(id, &approvals).await.unwrap();
    }

    /// Connects an app with a key to its bridge.
    pub(crate) fn connect(&mut self, name: &str, server: Option<&str>) -> App {
        let (host, keys, name) = (self.host.clone(), Arc::clone(&self.keys), name.to_owned());
        let server = server.map(str::to_owned);
        self.bridge(async move {
            let key = key_of(&host, &keys, &name).await;
            (AppHello { app: name, server, key: None }, Some(key))
        })
    }

    /// Creates the key of an app before it connects.
    pub(crate) async fn add_app(&self, name: &str) -> AppKey {
        key_of(&self.host, &self.keys, name).await
    }

    /// Connects an app to its bridge with this hello.
    pub(crate) fn bridge(
        &mut self,
        hello: impl Future<Output = (AppHello, Option<AppKey>)> + Send + 'static,
    ) -> App {
        let (app, bridge) = duplex(1 << 20);
        let home = self.home.path().to_owned();
        let starts = Arc::clone(&self.starts);
        self.bridges.spawn(async move {
            let (hello, key) = hello.await;
            let (from, to) = split(bridge);
            // The app sees how it ends.
            let start = || {
                starts.fetch_add(1, Ordering::Relaxed);
                Ok(())
            };
            let _ended = mooring_bridge::carry(&home, hello, key, from, to, start).await;
        });
        let (from, to) = split(app);
        App { to, from: BufReader::new(from) }
    }

    /// Connects and initializes an app.
    pub(crate) async fn initialized(&mut self, name: &str, server: Option<&str>) -> App {
        self.initialized_with(name, server, json!({})).await
    }

    /// Connects and initializes an app with these capabilities.
    pub(crate) async fn initialized_with(
        &mut self,
        name: &str,
        server: Option<&str>,
        capabilities: Value,
    ) -> App {
        let mut app = self.connect(name, server);
        let mut params = initialize("2025-11-25");
        params["capabilities"] = capabilities;
        let answer = app.request(0, "initialize", params).await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        app.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        app
    }

    /// The bodies of the log's rows.
    pub(crate) async fn log_bodies(&self, query: &LogQuery) -> Vec<String> {
        self.host.flush_log().await;
        let mut bodies = Vec::new();
        for row in self.host.log_page(query).await.unwrap() {
            let entry = self.host.log_entry(row.id).await.unwrap().unwrap();
            bodies.push(String::from_utf8_lossy(&entry.body).into_owned());
        }
        bodies
    }

    /// A member of every verdict in the log, oldest first.
    pub(crate) async fn verdicts(&self, member: &str) -> Vec<String> {
        let query = LogQuery { limit: 100, kinds: vec![LogKind::Verdict], ..LogQuery::default() };
        let bodies = self.log_bodies(&query).await;
        let read = |body: &String| {
            let body: Value = serde_json::from_str(body).unwrap();
            body[member].as_str().unwrap().to_owned()
        };
        bodies.iter().rev().map(read).collect()
    }

    pub(crate) async fn close(mut self) {
        self.end().await;
    }

    async fn end(&mut self) {
        self.bridges.shutdown().await;
        self.tasks.shutdown().await;
        self.host.shutdown().await;
    }

    /// Closes the scene and opens it again with the same data folder.
    pub(crate) async fn reopen(&mut self) {
        self.reopen_after("").await;
    }

    /// Reopens the scene without a window: no one can be asked.
    pub(crate) async fn reopen_without_a_person(&mut self) {
        self.end().await;
        let options = HostOptions { has_person: false, ..options(self.home.path()) };
        self.host = Host::open(options).await.unwrap();
        self.listen();
    }

    /// Reopens the scene after these SQL statements have changed the database.
    pub(crate) async fn reopen_after(&mut self, statements: &str) {
        self.end().await;
        let store = Store::open(self.home.path()).await.unwrap();
        store.tamper(statements.to_owned()).await.unwrap();
        store.close().await;
        self.host = Host::open(options(self.home.path())).await.unwrap();
        self.listen();
    }
}

impl App {
    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        self.to.write_all(format!("{text}\n").as_bytes()).await.unwrap();
    }

    pub(crate) async fn line(&mut self) -> String {
        let mut line = String::new();
        timeout(LIMIT, self.from.read_line(&mut line)).await.expect("the gateway is silent").unwrap();
        line
    }

    pub(crate) async fn receive(&mut self) -> Value {
        let line = self.line().await;
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Sends a request and returns its answer. Skips notifications before it.
    pub(crate) async fn request(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        self.answer(id).await
    }

    /// Calls a tool without waiting for the answer.
    pub(crate) async fn call(&mut self, id: u32, tool: &str, arguments: Value) {
        let params = json!({"name": tool, "arguments": arguments});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
    }

    /// Sends a stateless request with these capabilities, and returns its answer.
    pub(crate) async fn alone(&mut self, id: u32, method: &str, params: Value, able: &Value) -> Value {
        self.request(id, method, standing_alone(params, able)).await
    }

    pub(crate) async fn answer(&mut self, id: u32) -> Value {
        loop {
            let message = self.receive().await;
            if message["id"] == id {
                return message;
            }
            assert!(message["method"].is_string(), "{message}");
        }
    }

    /// The next notification or request of this method.
    pub(crate) async fn notification(&mut self, method: &str) -> Value {
        loop {
            let message = self.receive().await;
            if message["method"] == method {
                return message;
            }
        }
    }

    pub(crate) async fn tools(&mut self) -> Vec<String> {
        let answer = self.request(900, "tools/list", json!({})).await;
        let tools = answer["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }
}

/// The key of an app, which is created when it is first needed.
async fn key_of(host: &Host, keys: &Mutex<HashMap<String, AppKey>>, name: &str) -> AppKey {
    let mut keys = keys.lock().await;
    if !keys.contains_key(name) {
        keys.insert(name.to_owned(), host.create_app_key(name).await.unwrap());
    }
    keys[name].clone()
}

/// A server that runs this program.
pub(crate) fn program_server(name: &str, program: &Path, args: &[&str]) -> NewServer {
    NewServer {
        command: Some(program.display().to_string()),
        args: args.iter().map(|word| (*word).to_owned()).collect(),
        ..NewServer::new(name, Transport::Stdio)
    }
}

/// The parameters of a stateless request.
pub(crate) fn standing_alone(mut params: Value, able: &Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = able.clone();
    params
}

pub(crate) fn initialize(revision: &str) -> Value {
    json!({
        "protocolVersion": revision,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    })
}

/// Answers the question that waits, as soon as an answer is accepted.
pub(crate) async fn answer(host: &Host, answer: InteractionAnswer) -> InteractionQuestion {
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
