//! A host that remembers, and shorthands for connecting.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use mooring_mcp::{
    Client, ClientOptions, ConnectError, Deadlines, Diagnostic, Direction, Era, EraChoice, Inbound,
    Notification, Tap, TapEvent, TapKind, Target, http_client,
};
use mooring_process::{SearchPath, Spawn};
use serde_json::value::RawValue;

/// Remembers everything that it is told, in order.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) notifications: Mutex<Vec<String>>,
    pub(crate) diagnostics: Mutex<Vec<String>>,
    pub(crate) taped: Mutex<Vec<TapEvent>>,
}

impl Inbound for Memory {
    fn notify(&self, notification: Notification) {
        let params = notification.params.as_deref().map_or("", RawValue::get);
        self.notifications.lock().unwrap().push(format!("{} {params}", notification.method));
    }

    fn diagnose(&self, diagnostic: Diagnostic) {
        self.diagnostics.lock().unwrap().push(diagnostic.to_string());
    }
}

impl Tap for Memory {
    fn offer(&self, event: TapEvent) -> Result<(), Box<TapEvent>> {
        self.taped.lock().unwrap().push(event);
        Ok(())
    }

    fn ready(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

impl Memory {
    /// What crossed the connection: `→ method` out, `← method` in.
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

/// Options for a session, with short deadlines that a test may change.
pub(crate) fn options() -> ClientOptions {
    ClientOptions {
        deadlines: Deadlines {
            connect: Duration::from_secs(20),
            idle: Duration::from_secs(20),
            total: Duration::from_secs(30),
        },
        era: EraChoice::Only(Era::Session),
        ..ClientOptions::new("mooring-tests", "0", http_client("mooring-tests/0").unwrap())
    }
}

/// The scripted server in a mode, as a target.
pub(crate) fn scripted(args: &[&str]) -> Target {
    Target::Stdio(Spawn {
        program: mooring_testkit::scripted_server_path(),
        args: args.iter().map(|&arg| arg.to_owned()).collect(),
        env: BTreeMap::new(),
        cwd: std::env::temp_dir(),
        search: SearchPath::from_environment(),
    })
}

/// The HTTP endpoint at `url`.
pub(crate) fn endpoint(url: &str) -> Target {
    Target::Http { url: url.parse().unwrap(), headers: vec![("X-Berth".to_owned(), "14".to_owned())] }
}

/// Connects with a memory.
pub(crate) async fn connect_with(
    target: Target,
    options: ClientOptions,
) -> (Result<Client, ConnectError>, Arc<Memory>) {
    let memory = Arc::new(Memory::default());
    let inbound = Arc::clone(&memory);
    let tap = Arc::clone(&memory);
    (Client::connect(target, options, inbound, tap).await, memory)
}

/// Connects with a memory, and must.
pub(crate) async fn connect(target: Target) -> (Client, Arc<Memory>) {
    let (client, memory) = connect_with(target, options()).await;
    (client.unwrap_or_else(|error| panic!("{error}")), memory)
}

/// Must not connect; the error.
pub(crate) async fn refused(target: Target) -> ConnectError {
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
pub(crate) fn text(result: &RawValue) -> String {
    let value: serde_json::Value = serde_json::from_str(result.get()).unwrap();
    value["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}
