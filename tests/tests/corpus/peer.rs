//! The server of a case, and a client handler that records diagnostics.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_mcp::{
    Client, ClientHandler, ClientOptions, ConnectError, Diagnostic, HttpClient, NoTap, Notification,
    ServerTarget, http_client,
};
use mooring_network::Network;
use mooring_process::{SearchPath, SpawnOptions};
use mooring_testkit::corpus::{Case, METHODS, ServerEra, ServerOutput, result};
use mooring_testkit::http::{HttpReply, HttpScript, HttpServer, RawReply, serve};
use mooring_testkit::scripted_server_path;
use serde_json::{Map, Value, json};

/// The transport of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Stdio,
    Http,
}

/// Records the paths of diagnostics.
#[derive(Default)]
pub(crate) struct DiagnosticRecorder {
    pub(crate) paths: Mutex<Vec<String>>,
}

impl ClientHandler for DiagnosticRecorder {
    fn notify(&self, _: Notification) {}

    fn diagnose(&self, diagnostic: Diagnostic) {
        self.paths.lock().unwrap().push(diagnostic.path);
    }
}

/// Starts the case's server over HTTP, or returns how to start it over stdio.
pub(crate) async fn start(
    case: &Case,
    wire: ServerEra,
    transport: Transport,
    scripts: &Path,
    number: usize,
) -> (ServerTarget, Option<HttpServer>) {
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
    ServerTarget::Stdio(SpawnOptions {
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
) -> (Result<Client, ConnectError>, Arc<DiagnosticRecorder>) {
    let mut options = ClientOptions::new("mooring-tests", "0", http.clone());
    options.deadlines.idle = silence;
    let memory = Arc::new(DiagnosticRecorder::default());
    let inbound = Arc::clone(&memory);
    (Client::connect(target, options, inbound, Arc::new(NoTap)).await, memory)
}

pub(crate) fn http() -> HttpClient {
    http_client("mooring-tests/0", &Network::direct())
}

/// The answers of a healthy server of this era, by method.
fn default_results(wire: ServerEra) -> impl Iterator<Item = (&'static str, Value)> {
    let methods = METHODS.into_iter().chain(["completion/complete", "ping"]);
    methods.filter_map(move |method| Some((method, result(method, wire)?)))
}

/// The script of the stdio server.
fn script(case: &Case, wire: ServerEra) -> Value {
    let mut script = Map::new();
    for (method, result) in default_results(wire) {
        let answer = json!({"jsonrpc": "2.0", "id": "here", "result": result}).to_string();
        script.insert(method.to_owned(), json!([answer.replacen("\"here\"", "$ID", 1)]));
    }
    let lines = match &case.output {
        ServerOutput::Messages(messages) => json!(messages),
        ServerOutput::Bytes(bytes) => json!([bytes]),
        ServerOutput::Http(_) => panic!("{} is for HTTP", case.name),
    };
    script.insert(case.method.to_owned(), lines);
    Value::Object(script)
}

/// The script of the HTTP server: the defective answer once, then the healthy one.
fn http_script(case: &Case, wire: ServerEra) -> HttpScript {
    let mut script = HttpScript::json();
    if wire == ServerEra::Modern || case.method == "initialize" {
        script = script.without_session();
    }
    for (method, result) in default_results(wire) {
        script = script.on(method, HttpReply::Result(result));
    }
    let reply = match &case.output {
        ServerOutput::Messages(messages) => match messages.as_slice() {
            [one] => RawReply::new(200).header("content-type", "application/json").text(one),
            several => several
                .iter()
                .fold(RawReply::stream(), |reply, message| reply.text(&format!("data: {message}\n\n"))),
        },
        ServerOutput::Http(reply) => reply.clone(),
        ServerOutput::Bytes(_) => panic!("{} is for stdio", case.name),
    };
    script.once(case.method, reply.into())
}
