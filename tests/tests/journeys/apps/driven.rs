//! A third-party app that runs a test's instructions for as long as the test needs it.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::command_line::{binary, python, python_of_2025, script, text};

/// Longer than anything here takes on a busy machine.
const LIMIT: Duration = Duration::from_mins(1);

/// The protocol version of an app. Empty for the session era.
pub(crate) const SESSION: &str = "";
pub(crate) const STATELESS: &str = "2026-07-28";

/// The SDK that an app is built with.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sdk {
    TypeScript,
    Python,
    /// The Python SDK of 2025, which only supports sessions.
    Python2025,
    FastMcp,
}

impl Sdk {
    /// The command that runs the app, with its first arguments.
    fn command(self) -> Command {
        let in_python = |program: String, library: &str| {
            let mut command = Command::new(program);
            command.args([script("driven.py"), library.to_owned()]);
            command
        };
        match self {
            Self::TypeScript => {
                let mut command = Command::new("node");
                command.arg(script("driven.mjs"));
                command
            }
            Self::Python => in_python(python(), "sdk"),
            Self::Python2025 => in_python(python_of_2025(), "sdk-2025"),
            Self::FastMcp => in_python(python(), "fastmcp"),
        }
    }
}

/// Runs `driven.mjs` or `driven.py` of `tests/servers/apps`.
pub(crate) struct DrivenApp {
    child: Child,
    to: ChildStdin,
    from: Lines<BufReader<ChildStdout>>,
    /// Messages that arrived before they were awaited.
    earlier: Vec<Value>,
    next: u64,
}

/// How an app is started.
pub(crate) struct AppStart<'a> {
    pub(crate) home: &'a Path,
    pub(crate) name: &'a str,
    /// The only server that the app uses. `None` for all servers.
    pub(crate) server: Option<&'a str>,
    pub(crate) revision: &'a str,
    pub(crate) sdk: Sdk,
}

impl AppStart<'_> {
    /// Connects the app through the bridge, with its key. It has one root, named after the app.
    pub(crate) async fn open(self, key: &str) -> DrivenApp {
        let bridge =
            [text(&binary("mooring-cli", "mooring")), "bridge".into(), "--app".into(), self.name.into()];
        let server = self.server.map(|server| format!("--server={server}"));
        self.run(bridge.into_iter().chain(server), Some(key)).await
    }

    /// Connects the app over HTTP, with its token.
    pub(crate) async fn open_http(self, endpoint: &str, token: String) -> DrivenApp {
        let url = self.server.map_or(endpoint.to_owned(), |server| format!("{endpoint}/{server}"));
        self.run([url, token], None).await
    }

    async fn run(self, reached_by: impl IntoIterator<Item = String>, key: Option<&str>) -> DrivenApp {
        let mut command = self.sdk.command();
        command
            .args(reached_by)
            .env("MOORING_HOME", self.home)
            .envs(key.map(|key| ("MOORING_APP_KEY", key)))
            .env("APP_REVISION", self.revision)
            .env("APP_FOLDER", folder_of(self.name))
            .env_remove("RUST_LOG")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut app =
            DrivenApp { child, to, from: BufReader::new(from).lines(), earlier: Vec::new(), next: 0 };
        app.run("open", json!({})).await;
        app.run("listen", json!({"filter": {"toolsListChanged": true}})).await;
        app
    }
}

/// The root of an app.
pub(crate) fn folder_of(app: &str) -> String {
    format!("file:///folder-of-{app}")
}

/// The text in the result of a call.
pub(crate) fn said(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"))
}

impl DrivenApp {
    /// Starts an action and returns its number.
    pub(crate) async fn begin(&mut self, act: &str, mut members: Value) -> u64 {
        self.next += 1;
        members["id"] = json!(self.next);
        members["do"] = json!(act);
        self.to.write_all(format!("{members}\n").as_bytes()).await.unwrap();
        self.next
    }

    /// Starts a tool call and returns its number.
    pub(crate) async fn begin_call(&mut self, tool: &str, arguments: Value) -> u64 {
        self.begin("call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Waits for the result or the error of an action.
    pub(crate) async fn end(&mut self, number: u64) -> Result<Value, Value> {
        let ended = self.message(|message| message["id"] == number).await;
        if ended["error"].is_null() { Ok(ended["result"].clone()) } else { Err(ended["error"].clone()) }
    }

    /// Runs an action that must succeed.
    pub(crate) async fn run(&mut self, act: &str, members: Value) -> Value {
        let number = self.begin(act, members).await;
        self.end(number).await.unwrap_or_else(|error| panic!("{act}: {error}"))
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.run("call", json!({"name": tool, "arguments": arguments})).await
    }

    pub(crate) async fn tools(&mut self) -> Vec<String> {
        let tools = self.run("tools", json!({})).await;
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Waits for a matching message. Saves all others for later.
    pub(crate) async fn message(&mut self, is_meant: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.earlier.iter().position(&is_meant) {
            return self.earlier.remove(place);
        }
        loop {
            let line = timeout(LIMIT, self.from.next_line()).await;
            let line = line.unwrap_or_else(|_| panic!("the app is silent, after {:?}", self.earlier));
            let message: Value = serde_json::from_str(&line.unwrap().unwrap()).unwrap();
            if is_meant(&message) {
                return message;
            }
            self.earlier.push(message);
        }
    }

    /// The messages so far that were not awaited.
    pub(crate) fn left(&self, is_meant: impl Fn(&Value) -> bool) -> Vec<&Value> {
        self.earlier.iter().filter(|message| is_meant(message)).collect()
    }

    /// Ends the app by closing its input.
    pub(crate) async fn close(self) {
        let Self { mut child, to, .. } = self;
        drop(to);
        timeout(LIMIT, child.wait()).await.unwrap().unwrap();
    }
}
