//! Records the host's answers in `ui/dev/mock/recordings` for the mock backend. The answers are about
//! `mooring-demo-server` and servers scripted by `ui/dev/mock/servers`.

mod failures;
mod fixed;
mod questions;
mod servers;

use std::path::{Path, PathBuf};

use mooring_testkit::{binary_path, scripted_server_path};
use serde_json::{Value, json};

use crate::support::{TestApp, channel_argument};
use fixed::with_fixed_values;

const HOST: u32 = 1;
const CALL: u32 = 2;

/// If this variable is set, the recordings are written instead of compared.
const WRITES: &str = "MOORING_WRITE_RECORDINGS";

/// The application, and the folder whose paths are replaced in recordings.
struct Recorder {
    running: TestApp,
    home: PathBuf,
}

impl Recorder {
    fn at(home: &Path) -> Self {
        let running = TestApp::at(home);
        running.invoke("watch_host", json!({ "channel": channel_argument(HOST) })).unwrap();
        Self { running, home: home.to_owned() }
    }

    fn ask(&self, command: &str, args: Value) -> Value {
        self.running.invoke(command, args).map_err(|error| format!("{command}: {error}")).unwrap()
    }

    /// Adds and starts a server with these fields. Returns its id.
    fn add(&self, name: &str, fields: &Value) -> i64 {
        let mut server = json!({
            "name": name, "transport": "stdio", "command": null, "args": [], "env": {}, "cwd": null, "url": null,
            "headers": {}, "timeoutMs": null, "era": "auto", "secrets": [],
        });
        server.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.ask("add_server", json!({ "server": server }))["id"].as_i64().unwrap()
    }

    /// Adds the testkit's scripted server in this mode.
    fn add_scripted(&self, name: &str, mode: &[&str]) -> i64 {
        self.add(name, &json!({ "command": scripted_server_path(), "args": mode }))
    }

    /// The server's view, as soon as `is_so` accepts it.
    fn until(&self, id: i64, is_so: impl Fn(&Value) -> bool) -> Value {
        loop {
            let server = self.ask("get_server", json!({ "id": id }));
            if is_so(&server) {
                return server;
            }
            self.running.next(HOST);
        }
    }

    /// Calls a tool. Returns the events during the call and its outcome.
    fn call(&self, id: i64, tool: &str, arguments: &Value) -> Value {
        let asked = arguments.to_string();
        let args = json!({
            "id": id, "callId": tool, "tool": tool, "arguments": asked, "sealed": [],
            "channel": channel_argument(CALL),
        });
        let outcome = self.ask("call_tool", args);
        let messages = self.running.every_message().into_iter();
        let events: Vec<Value> =
            messages.filter(|(channel, _)| *channel == CALL).map(|(_, event)| event).collect();
        json!({ "tool": tool, "arguments": asked, "events": events, "outcome": outcome })
    }

    /// Compares a value with the committed recording, or writes it.
    fn record(&self, name: &str, said: Value) {
        let said = with_fixed_values(said, &self.home);
        let file =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../ui/dev/mock/recordings/{name}.json"));
        let text = format!("{}\n", serde_json::to_string_pretty(&said).unwrap());
        if std::env::var_os(WRITES).is_some() {
            std::fs::write(&file, text).unwrap();
            return;
        }
        let committed = std::fs::read_to_string(&file).unwrap_or_default();
        let before = serde_json::from_str(&committed).unwrap_or_default();
        let differing = (committed != text).then(|| difference(String::new(), &before, &said));
        assert!(
            differing.is_none(),
            "ui/dev/mock/recordings/{name}.json is not what the host says, run `cargo xtask recordings`; \
             where it differs, what was there and what is: {differing:?}"
        );
    }
}

/// The fields of `mooring-demo-server`, in this era.
fn demo(era: &str) -> Value {
    json!({ "command": binary_path("mooring-demo-server", "mooring-demo-server"), "era": era })
}

/// The first place where two values differ, and both values there.
fn difference(place: String, before: &Value, now: &Value) -> (String, Value, Value) {
    let inner = match (before, now) {
        (Value::Object(old), Value::Object(new)) if old.keys().eq(new.keys()) => old
            .iter()
            .zip(new.values())
            .find(|((_, old), new)| old != new)
            .map(|((key, old), new)| (key.clone(), old, new)),
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            let differing = old.iter().zip(new).enumerate().find(|(_, (old, new))| old != new);
            differing.map(|(index, (old, new))| (index.to_string(), old, new))
        }
        _ => None,
    };
    match inner {
        Some((key, old, new)) => difference(format!("{place}/{key}"), old, new),
        None => (place, before.clone(), now.clone()),
    }
}
