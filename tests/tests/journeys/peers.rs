//! Servers built with the official SDKs, of both major versions where there are two, in each era that they speak,
//! over stdio and over HTTP. What they offer is in `tests/servers/peers`.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_mcp::{
    CallOptions, Client, ClientOptions, Diagnostic, Era, EraChoice, Inbound, NoTap, Notification,
    RequestError, Target, http_client,
};
use mooring_process::{SearchPath, Spawn, resolve};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::command_line::{python, servers};

/// One server in one of the ways it can be met.
struct Peer {
    program: String,
    script: String,
}

/// Keeps what is odd about a peer.
#[derive(Default)]
struct Remarks(Mutex<Vec<String>>);

impl Inbound for Remarks {
    fn notify(&self, _notification: Notification) {}

    fn diagnose(&self, diagnostic: Diagnostic) {
        self.0.lock().unwrap().push(diagnostic.to_string());
    }
}

/// A peer that listens, until this is dropped.
struct Listening {
    child: Child,
    url: String,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Peer {
    fn node(script: &str) -> Self {
        let search = SearchPath::from_environment();
        let program = resolve("node", &search, Path::new("/")).unwrap();
        Self { program: program.to_str().unwrap().to_owned(), script: script_at("npm", script) }
    }

    fn python(script: &str) -> Self {
        Self { program: python(), script: script_at("npm", script) }
    }

    fn stdio(&self) -> Target {
        Target::Stdio(Spawn {
            program: (&self.program).into(),
            args: vec![self.script.clone(), "stdio".to_owned()],
            env: BTreeMap::new(),
            cwd: std::env::temp_dir(),
            search: SearchPath::from_environment(),
        })
    }

    fn listen(&self) -> Listening {
        let mut child = Command::new(&self.program)
            .args([&self.script, "http"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut listening = Listening { child, url: String::new() };
        listening.url = lines
            .map_while(Result::ok)
            .find(|line| line.starts_with("http://"))
            .unwrap_or_else(|| panic!("the peer does not listen"));
        listening
    }

    /// Meets the peer in these eras over both transports; the first is the one that is found by asking.
    async fn meet(&self, name: &str, eras: &[Era]) {
        let listening = self.listen();
        let found = eras.first().unwrap();
        let choices = [EraChoice::Auto].into_iter().chain(eras.iter().map(|era| EraChoice::Only(*era)));
        for choice in choices {
            let expected = if let EraChoice::Only(era) = choice { era } else { *found };
            let http = Target::Http { url: listening.url.parse().unwrap(), headers: Vec::new() };
            for target in [self.stdio(), http] {
                let about = format!("{name} {choice:?} {target:?}");
                use_everything(target, choice, name, expected, &about).await;
            }
        }
    }
}

fn script_at(folder: &str, script: &str) -> String {
    let path = servers().join(folder).join(script);
    assert!(path.exists(), "{} does not exist: run `cargo xtask test`", path.display());
    path.to_str().unwrap().to_owned()
}

fn arguments(value: &Value) -> Box<RawValue> {
    to_raw_value(value).unwrap()
}

fn parsed(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap()
}

async fn use_everything(target: Target, choice: EraChoice, name: &str, era: Era, about: &str) {
    let http = http_client("mooring-tests/0").unwrap();
    let options = ClientOptions { era: choice, ..ClientOptions::new("mooring-tests", "0", http) };
    let remarks = Arc::new(Remarks::default());
    let client = Client::connect(target, options, remarks.clone(), Arc::new(NoTap))
        .await
        .unwrap_or_else(|error| panic!("{about}: {error}"));
    let handshake = client.handshake();
    assert_eq!((handshake.server_name.as_deref(), handshake.era), (Some(name), era), "{about}");

    let tools = client.list_tools().await.unwrap();
    let mut names: Vec<&str> = tools.items.iter().map(|tool| tool.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["add", "count", "echo", "fail", "wait"], "{about}");
    assert!(tools.diagnostics.is_empty(), "{about}: {:?}", tools.diagnostics);
    let call = async |tool: &str, given: Value, options: CallOptions| {
        client.call_tool(tool, Some(&arguments(&given)), options).await
    };
    let echo = call("echo", json!({"text": "青岛 🚢"}), CallOptions::default()).await.unwrap();
    assert_eq!(parsed(&echo.raw)["content"][0]["text"], "青岛 🚢", "{about}");
    let added = call("add", json!({"a": 2, "b": 40.5}), CallOptions::default()).await.unwrap();
    assert_eq!(parsed(&added.raw)["structuredContent"]["sum"], 42.5, "{about}");
    let failed = call("fail", json!({}), CallOptions::default()).await.unwrap();
    assert!(failed.is_error && failed.raw.get().contains("on purpose"), "{about}: {}", failed.raw);
    counts(&client, about).await;

    let resources = client.list_resources().await.unwrap();
    assert_eq!(
        resources.items.iter().map(|one| one.uri.as_str()).collect::<Vec<_>>(),
        ["peer://note"],
        "{about}"
    );
    let templates = client.list_templates().await.unwrap();
    assert_eq!(templates.items.len(), 1, "{about}");
    for (uri, text) in [("peer://note", "a note"), ("peer://notes/Ana", "a note for Ana")] {
        let read = client.read_resource(uri, CallOptions::default()).await.unwrap();
        assert_eq!(parsed(&read.raw)["contents"][0]["text"], text, "{about}");
    }
    let missing = client.read_resource("peer://nowhere", CallOptions::default()).await;
    assert!(matches!(missing, Err(RequestError::Rpc { .. })), "{about}: {missing:?}");
    let prompts = client.list_prompts().await.unwrap();
    assert_eq!(prompts.items.len(), 1, "{about}");
    let given = arguments(&json!({"name": "Ana"}));
    let greeting = client.get_prompt("greet", Some(&given), CallOptions::default()).await.unwrap();
    assert_eq!(parsed(&greeting.raw)["messages"][0]["content"]["text"], "Greet Ana.", "{about}");

    // A call that nobody waits for any more does not keep the next one waiting.
    let short = CallOptions { total: Some(Duration::from_millis(300)), ..CallOptions::default() };
    let endless = call("wait", json!({}), short).await;
    assert!(matches!(endless, Err(RequestError::Timeout { .. })), "{about}: {endless:?}");
    let again = call("echo", json!({"text": "again"}), CallOptions::default()).await.unwrap();
    assert_eq!(parsed(&again.raw)["content"][0]["text"], "again", "{about}");
    let pid = client.pid();
    client.shutdown().await;
    assert!(pid.is_none_or(|pid| !mooring_testkit::alive(pid)), "{about}");
    let remarks = remarks.0.lock().unwrap();
    assert!(remarks.is_empty(), "{about}: {remarks:?}");
}

/// Progress comes in order, and before the result.
async fn counts(client: &Client, about: &str) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let options = CallOptions {
        on_progress: Some(Arc::new(move |progress| {
            sink.lock().unwrap().push((progress.progress, progress.total));
        })),
        ..CallOptions::default()
    };
    let given = arguments(&json!({"to": 5}));
    let counted = client.call_tool("count", Some(&given), options).await.unwrap();
    assert_eq!(parsed(&counted.raw)["content"][0]["text"], "counted to 5", "{about}");
    let seen = seen.lock().unwrap();
    let expected: Vec<_> = (1..=5).map(|step| (f64::from(step), Some(5.0))).collect();
    assert_eq!(*seen, expected, "{about}");
}

// Requirements: LIFE-01, TOOL-01, PROG-01, RES-01, PROM-01.
#[tokio::test]
async fn a_server_of_the_typescript_sdk_v1_is_used_in_full() {
    Peer::node("sdk-v1.mjs").meet("peer-ts-v1", &[Era::Session]).await;
}

// Requirements: ERA-01, ERA-02, LIFE-01, TOOL-01, PROG-01, RES-01, PROM-01.
#[tokio::test]
async fn a_server_of_the_typescript_sdk_v2_is_used_in_full_in_both_eras() {
    Peer::node("sdk-v2.mjs").meet("peer-ts-v2", &[Era::Modern, Era::Session]).await;
}

// Requirements: ERA-01, ERA-02, LIFE-01, TOOL-01, PROG-01, RES-01, PROM-01.
#[tokio::test]
async fn a_server_of_the_python_sdk_is_used_in_full_in_both_eras() {
    Peer::python("python_sdk.py").meet("peer-python", &[Era::Modern, Era::Session]).await;
}
