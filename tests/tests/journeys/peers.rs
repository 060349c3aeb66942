//! Servers built with the official SDKs, in both major versions if there are two, in each era that they
//! support, over stdio and HTTP. They are in `tests/servers/peers`. The Rust one is `mooring-rmcp-peer`.

mod everything;
mod handler;

use std::collections::BTreeMap;
use std::path::Path;

use mooring_mcp::{Era, EraChoice, ServerTarget};
use mooring_process::{SearchPath, SpawnOptions, resolve};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use self::everything::use_everything;
use crate::command_line::{self, ListeningServer, binary, python};

/// A server that runs over several transports.
struct Peer {
    program: String,
    /// The program's first argument, before the name of the transport.
    script: Option<String>,
}

impl Peer {
    fn node(script: &str) -> Self {
        let search = SearchPath::from_environment();
        let program = resolve("node", &search, Path::new("/")).unwrap();
        Self { program: program.to_str().unwrap().to_owned(), script: Some(command_line::script(script)) }
    }

    fn python(script: &str) -> Self {
        Self { program: python(), script: Some(command_line::script(script)) }
    }

    /// The peer in this workspace.
    fn rust() -> Self {
        let program = binary("mooring-tests", "mooring-rmcp-peer");
        Self { program: program.to_str().unwrap().to_owned(), script: None }
    }

    fn arguments(&self, transport: &str) -> Vec<String> {
        self.script.iter().cloned().chain([transport.to_owned()]).collect()
    }

    fn stdio(&self) -> ServerTarget {
        ServerTarget::Stdio(SpawnOptions {
            program: (&self.program).into(),
            args: self.arguments("stdio"),
            env: BTreeMap::new(),
            cwd: std::env::temp_dir(),
            search: SearchPath::from_environment(),
        })
    }

    /// Uses the peer in these eras over both transports. The first era is the one that negotiation finds.
    async fn meet(&self, name: &str, eras: &[Era]) {
        let arguments = self.arguments("http");
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let listening = ListeningServer::start(&self.program, &arguments);
        let found = eras.first().unwrap();
        let choices = [EraChoice::Auto].into_iter().chain(eras.iter().map(|era| EraChoice::Only(*era)));
        for choice in choices {
            let expected = if let EraChoice::Only(era) = choice { era } else { *found };
            let http = ServerTarget::Http { url: listening.url.parse().unwrap(), headers: Vec::new() };
            for target in [self.stdio(), http] {
                let about = format!("{name} {choice:?} {target:?}");
                use_everything(target, choice, name, expected, &about).await;
            }
        }
    }
}

fn arguments(value: &Value) -> Box<RawValue> {
    to_raw_value(value).unwrap()
}

fn parsed(raw: &(impl Serialize + ?Sized)) -> Value {
    serde_json::to_value(raw).unwrap()
}

// Requirements: LIFE-01, TOOL-01, PROG-01, RES-01, PROM-01, COMP-01, LOG-01, ELIC-08, SAMP-01, ROOT-02.
#[tokio::test]
async fn a_server_of_the_typescript_sdk_v1_is_used_in_full() {
    Peer::node("sdk-v1.mjs").meet("peer-ts-v1", &[Era::Session]).await;
}

// Requirements: ERA-01, ERA-02, LIFE-01, TOOL-01, PROG-01, RES-01, PROM-01, COMP-01, LOG-01, LOG-03, ELIC-08, SAMP-01, ROOT-02, MRTR-01, MRTR-03, MRTR-05.
#[tokio::test]
async fn typescript_sdk_v2_server_works_fully_in_both_eras() {
    Peer::node("sdk-v2.mjs").meet("peer-ts-v2", &[Era::Modern, Era::Session]).await;
}

// Requirements: ERA-01, ERA-02, LIFE-01, TOOL-01, PROG-01, RES-01, PROM-01, COMP-01, LOG-01, LOG-03, ELIC-08, SAMP-01, ROOT-02, MRTR-01, MRTR-03, MRTR-05.
#[tokio::test]
async fn a_server_of_the_python_sdk_is_used_in_full_in_both_eras() {
    Peer::python("python_sdk.py").meet("peer-python", &[Era::Modern, Era::Session]).await;
}

// Requirements: ERA-01, ERA-02, LIFE-01, TOOL-01, PROG-01, RES-01, PROM-01, COMP-01, LOG-01, LOG-03, ELIC-08, SAMP-01, ROOT-02, MRTR-01, MRTR-03, MRTR-05.
#[tokio::test]
async fn a_server_of_fastmcp_is_used_in_full_in_both_eras() {
    Peer::python("fastmcp_server.py").meet("peer-fastmcp", &[Era::Modern, Era::Session]).await;
}

// Requirements: ERA-01, ERA-02, LIFE-01, TOOL-01, PROG-01, RES-01, PROM-01, COMP-01, LOG-01, LOG-03, ELIC-08, SAMP-01, ROOT-02, MRTR-01, MRTR-03, MRTR-05.
#[tokio::test]
async fn a_server_of_the_rust_sdk_is_used_in_full_in_both_eras() {
    Peer::rust().meet("peer-rmcp", &[Era::Modern, Era::Session]).await;
}
