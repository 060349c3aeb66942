//! The server of one case, and a host that remembers what was odd.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_mcp::{
    Client, ClientHandler, ClientOptions, ConnectError, Diagnostic, HttpClient, NoTap, Notification,
    ServerTarget, http_client,
};
use mooring_process::{SearchPath, Spawn};
use mooring_testkit::corpus::{Case, METHODS, Said, Wire, result};
use mooring_testkit::http::{RawReply, Reply, Running, Script, serve};
use mooring_testkit::scripted_server_path;
use serde_json::{Map, Value, json};

/// How a case is carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Stdio,
    Http,
}

/// Remembers where something was odd.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) paths: Mutex<Vec<String>>,
}

impl ClientHandler for Memory {
    fn notify(&self, _: Notification) {}

    fn diagnose(&self, diagnostic: Diagnostic) {
        self.paths.lock().unwrap().push(diagnostic.path);
    }
}

/// Where a server is that behaves as the case says; over HTTP the server itself too.
pub(crate) async fn start(
    case: &Case,
    wire: Wire,
    transport: Transport,
    scripts: &Path,
    number: usize,
) -> (ServerTarget, Option<Running>) {
    match transport {
        Transport::Stdio => {
            let file = scripts.join(format!("{number}.json"));
            std::fs::write(&file, script(case, wire).to_string()).unwrap();
            (scripted(&["script", file.to_str().unwrap()]), None)
        }
        Transport::Http => {
            let running = serve(http_script(case, wire)).await;
            (ServerTarget::Http { url: running.url.parse().unwrap(), headers: Vec::new() }, Some(running))
        }
    }
}

pub(crate) fn scripted(args: &[&str]) -> ServerTarget {
    ServerTarget::Stdio(Spawn {
        program: scripted_server_path(),
        args: args.iter().map(|&arg| arg.to_owned()).collect(),
        env: BTreeMap::new(),
        cwd: std::env::temp_dir(),
        search: SearchPath::from_environment(),
    })
}

pub(crate) async fn connect(
    target: ServerTarget,
    http: &HttpClient,
    silence: Duration,
) -> (Result<Client, ConnectError>, Arc<Memory>) {
    let mut options = ClientOptions::new("mooring-tests", "0", http.clone());
    options.deadlines.idle = silence;
    let memory = Arc::new(Memory::default());
    let inbound = Arc::clone(&memory);
    (Client::connect(target, options, inbound, Arc::new(NoTap)).await, memory)
}

pub(crate) fn http() -> HttpClient {
    http_client("mooring-tests/0").unwrap()
}

/// What a good server of the wire answers, by method.
fn usual(wire: Wire) -> impl Iterator<Item = (&'static str, Value)> {
    let methods = METHODS.into_iter().chain(["completion/complete", "ping"]);
    methods.filter_map(move |method| Some((method, result(method, wire)?)))
}

/// The script of the stdio server.
fn script(case: &Case, wire: Wire) -> Value {
    let mut script = Map::new();
    for (method, result) in usual(wire) {
        let answer = json!({"jsonrpc": "2.0", "id": "here", "result": result}).to_string();
        script.insert(method.to_owned(), json!([answer.replacen("\"here\"", "$ID", 1)]));
    }
    let lines = match &case.said {
        Said::Messages(messages) => json!(messages),
        Said::Bytes(bytes) => json!([bytes]),
        Said::Http(_) => panic!("{} is for HTTP", case.name),
    };
    script.insert(case.method.to_owned(), lines);
    Value::Object(script)
}

/// The script of the HTTP server: the odd answer once, then the usual one.
fn http_script(case: &Case, wire: Wire) -> Script {
    let mut script = Script::json();
    if wire == Wire::Modern || case.method == "initialize" {
        script = script.without_session();
    }
    for (method, result) in usual(wire) {
        script = script.on(method, Reply::Result(result));
    }
    let reply = match &case.said {
        Said::Messages(messages) => match messages.as_slice() {
            [one] => RawReply::new(200).header("content-type", "application/json").text(one),
            several => several
                .iter()
                .fold(RawReply::stream(), |reply, message| reply.text(&format!("data: {message}\n\n"))),
        },
        Said::Http(reply) => reply.clone(),
        Said::Bytes(_) => panic!("{} is for stdio", case.name),
    };
    script.once(case.method, reply.into())
}
