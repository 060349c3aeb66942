//! Apps built with the official SDKs and `FastMCP` use server-everything through the gateway, in both eras:
//! over stdio with `mooring bridge`, and over HTTP with a token. Their scripts are in `tests/servers/apps`.

mod accounts;
mod driven;
#[cfg(target_os = "linux")]
mod kills;
mod rust_sdk;
mod shared;
mod signed_out;

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_definitions::NewServer;
use mooring_gateway::Gateway;
use mooring_host::Host;
use mooring_models::SamplingPolicy;
use mooring_policy::{Decision, NewRule, PinApproval, PinState};
use mooring_server_state::StateName;
use mooring_settings::Settings;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::task::JoinSet;

use crate::command_line::{binary, npm, python, script, text};
use crate::window::{open, stdio, until_state};

/// A window's host with its gateway. Every app may call the tools of its servers.
struct Served {
    home: tempfile::TempDir,
    host: Host,
    gateway: JoinSet<()>,
    /// The key of the app "App".
    key: String,
}

impl Served {
    /// Opens a host without servers.
    async fn empty() -> Self {
        let home = tempfile::tempdir().unwrap();
        let host = open(home.path()).await;
        Self::over(home, host).await
    }

    /// Starts a gateway for this host.
    async fn over(home: tempfile::TempDir, host: Host) -> Self {
        let mut gateway = JoinSet::new();
        gateway.spawn(Gateway::listen(host.home()).unwrap().serve(host.clone()));
        let key = host.create_app_key("App").await.unwrap().to_text();
        Self { home, host, gateway, key }
    }

    /// Adds a server and lets every app call its tools.
    async fn add(&self, server: NewServer) -> ServerId {
        let id = self.host.add_server(server).await.unwrap().id;
        until_state(&self.host, id, StateName::Ready).await;
        let_apps_call(&self.host, id).await;
        id
    }

    /// Opens a host with server-everything.
    async fn new() -> Self {
        let served = Self::empty().await;
        let host = &served.host;
        let server = stdio("everything", &npm("mcp-server-everything"), &[]);
        let id = host.add_server(server).await.unwrap().id;
        until_state(host, id, StateName::Ready).await;
        // The server only learns of sampling if it may use a model. Its requests go to the app anyway.
        let policy = SamplingPolicy { enabled: true, ..SamplingPolicy::default() };
        host.set_sampling(id, policy).await.unwrap();
        host.restart(id).await.unwrap();
        until_state(host, id, StateName::Ready).await;
        let_apps_call(host, id).await;
        served
    }

    /// Lets apps connect over HTTP. Returns the URL.
    async fn open_http(&self) -> String {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let settings = Settings { apps_port: port.into(), ..self.host.settings() };
        self.host.set_settings(settings).await.unwrap();
        while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        format!("http://127.0.0.1:{port}/mcp")
    }

    /// The command line with which an app starts the bridge.
    fn bridge() -> [String; 5] {
        let mooring = text(&binary("mooring-cli", "mooring"));
        [mooring, "bridge".into(), "--app".into(), "App".into(), "--server=everything".into()]
    }

    /// Runs an app's script and returns its output. `era` is the variable that selects the app's era.
    async fn run(&self, program: &str, arguments: &[String], era: (&str, &str)) -> Value {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env("MOORING_HOME", self.home.path())
            .env("MOORING_APP_KEY", &self.key)
            .env("MCP_REMOTE_CONFIG_DIR", self.home.path())
            .env(era.0, era.1)
            .stdin(Stdio::null());
        command.current_dir(Path::new("/")).env_remove("RUST_LOG");
        let ran = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
        let (printed, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert!(ran.status.success(), "{printed}\n{errors}");
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}\n{errors}"))
    }

    async fn close(mut self) {
        self.gateway.shutdown().await;
        self.host.shutdown().await;
    }
}

/// Approves everything new or changed that a server offers.
async fn approve(host: &Host, id: ServerId) {
    // Definitions must be loaded before they can be approved.
    host.tools(id, false).await.unwrap();
    let _offers_none = (host.prompts(id, false).await, host.resources(id, false).await);
    let items = host.trust(id).await.unwrap().items;
    let open = items.into_iter().filter(|item| matches!(item.state, PinState::New | PinState::Changed));
    let approvals: Vec<PinApproval> =
        open.map(|item| PinApproval { kind: item.kind, name: item.name, hash: item.hash }).collect();
    host.approve_trust(id, &approvals).await.unwrap();
}

/// Approves everything that a server offers, and lets every app call its tools.
async fn let_apps_call(host: &Host, id: ServerId) {
    approve(host, id).await;
    let rule = NewRule {
        effect: Decision::Allow,
        server: Some(id),
        tool: None,
        caller: None,
        destructive_only: false,
        arguments: Vec::new(),
        expires_ms: None,
    };
    host.save_rule(None, rule).await.unwrap();
}

/// Checks what every app must get.
fn check(report: &Value, elicited: &str) {
    let tools = report["tools"].as_array().unwrap();
    for tool in ["echo", "get-sum", "trigger-elicitation-request"] {
        assert!(tools.contains(&json!(tool)), "{tool}: {report:#}");
    }
    assert_eq!(report["echo"], "Echo: hello");
    assert!(report["long"].as_str().unwrap().contains("completed"), "{report:#}");
    assert_eq!(report["steps"], 5, "{report:#}");
    assert!(report["prompt"].as_str().unwrap().contains("Paris"), "{report:#}");
    assert_eq!(report["resource"], "text/markdown");
    assert!(report["elicited"].as_str().unwrap().contains(elicited), "{report:#}");
    assert_eq!(report["asked"], 1, "{report:#}");
}

fn check_typescript(report: &Value) {
    check(report, "Ada");
    assert_eq!(report["server"], "mooring");
    assert!(report["structured"]["temperature"].is_number(), "{report:#}");
    assert!(report["image"].as_str().unwrap().contains("image"), "{report:#}");
    assert_eq!(report["fromTemplate"], "demo://resource/dynamic/text/1");
    assert_eq!(report["completed"], json!(["Engineering"]));
    assert_ne!(report["cancelled"], "it ended", "{report:#}");
    assert!(report["sampled"].as_str().unwrap().contains("answered by the app"), "{report:#}");
    assert_eq!(report["unknown"], -32602, "{report:#}");
}

/// The eras of the apps, as values of the variables that select them.
const MODES: [(&str, &str); 2] = [("APP_MODE", "legacy"), ("APP_MODE", "2026-07-28")];
const REVISIONS: [(&str, &str); 2] = [("APP_REVISION", ""), ("APP_REVISION", "2026-07-28")];

#[tokio::test(flavor = "multi_thread")]
async fn an_app_of_the_typescript_sdk_uses_all_of_a_server() {
    let served = Served::new().await;
    let by_bridge: Vec<String> = [script("app.mjs")].into_iter().chain(Served::bridge()).collect();
    for revision in REVISIONS {
        check_typescript(&served.run("node", &by_bridge, revision).await);
    }
    let token = served.host.create_app_token("App").await.unwrap();
    let url = format!("{}/everything", served.open_http().await);
    let over_http = [script("app.mjs"), url, token];
    for revision in REVISIONS {
        check_typescript(&served.run("node", &over_http, revision).await);
    }
    // An app that only supports stdio, and uses `mcp-remote` to reach the endpoint.
    let [app, url, token] = over_http;
    let header = format!("Authorization: Bearer {token}");
    let remote =
        [app, npm("mcp-remote"), url, "--header".into(), header, "--transport".into(), "http-only".into()];
    check_typescript(&served.run("node", &remote, REVISIONS[0]).await);
    served.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn apps_in_python_use_all_of_a_server() {
    let served = Served::new().await;
    for app in ["app.py", "fastmcp_app.py"] {
        let arguments: Vec<String> = [script(app)].into_iter().chain(Served::bridge()).collect();
        for mode in MODES {
            check(&served.run(&python(), &arguments, mode).await, "decline");
        }
    }
    served.close().await;
}

/// An app from when the protocol was new. It only supports the first protocol version.
#[tokio::test(flavor = "multi_thread")]
async fn an_app_of_the_first_revision_uses_a_server() {
    let served = Served::new().await;
    let [program, arguments @ ..] = Served::bridge();
    let mut bridge = tokio::process::Command::new(program);
    bridge
        .args(arguments)
        .env("MOORING_HOME", served.home.path())
        .env("MOORING_APP_KEY", &served.key)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut bridge = bridge.spawn().unwrap();
    let mut to = bridge.stdin.take().unwrap();
    let mut from = BufReader::new(bridge.stdout.take().unwrap()).lines();
    let mut request = async |id: u32, method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        to.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        loop {
            let answer: Value = serde_json::from_str(&from.next_line().await.unwrap().unwrap()).unwrap();
            if answer["id"] == id {
                return answer["result"].clone();
            }
        }
    };
    let client = json!({"name": "old", "version": "0.1"});
    let opened = request(
        1,
        "initialize",
        json!({"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": client}),
    );
    assert_eq!(opened.await["protocolVersion"], "2024-11-05");
    let listed = request(2, "tools/list", json!({})).await;
    assert!(listed["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "echo"), "{listed}");
    let called = request(3, "tools/call", json!({"name": "echo", "arguments": {"message": "hello"}})).await;
    assert_eq!(called["content"], json!([{"type": "text", "text": "Echo: hello"}]));
    let read = json!({"uri": "demo://resource/static/document/features.md"});
    assert_eq!(request(4, "resources/read", read).await["contents"][0]["mimeType"], "text/markdown");
    drop(to);
    bridge.wait().await.unwrap();
    served.close().await;
}
