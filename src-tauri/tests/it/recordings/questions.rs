//! Servers' questions in the Inbox.

use std::thread;

use serde_json::{Map, Value, json};

use super::{CALL, HOST, Recorder, demo};
use crate::support::{channel_argument, invoke};

/// The questions by their names in the recording: the method and its params.
const WORDS: &str = include_str!("../../../../ui/dev/mock/servers/questions.json");

impl Recorder {
    /// Calls a tool that waits for the person. Returns the question, as soon as it is in the Inbox.
    fn question_during(&self, id: i64, tool: &str, arguments: &Value) -> Value {
        let window = self.running.window.clone();
        let args = json!({
            "id": id, "callId": id.to_string(), "tool": tool, "arguments": arguments.to_string(), "sealed": [],
            "channel": channel_argument(CALL),
        });
        // The call ends with the application.
        thread::spawn(move || invoke(&window, "call_tool", args));
        loop {
            let inbox = self.ask("list_inbox", json!({}));
            let mut waiting = inbox["waiting"].as_array().unwrap().iter();
            if let Some(question) = waiting.find(|question| question["server"] == id) {
                return question.clone();
            }
            self.running.next(HOST);
        }
    }
}

#[test]
fn recorded_questions_are_what_the_host_says() {
    let home = tempfile::tempdir().unwrap();
    let recorder = Recorder::at(home.path());
    let ready = |id: i64| recorder.until(id, |server| server["state"] == "ready");
    let folder = home.path().join("charts");
    std::fs::create_dir(&folder).unwrap();
    recorder.ask("add_root", json!({ "server": null, "path": folder, "name": "charts", "wide": false }));

    let words: Map<String, Value> = serde_json::from_str(WORDS).unwrap();
    let mut said = Map::new();
    for (name, question) in words {
        let id = recorder.add_scripted(&name, &["ok"]);
        let policy = json!({
            "server": id, "enabled": true, "requestsPerMinute": 10, "tokensPerDay": 200_000, "costPerDay": null,
        });
        ready(id);
        recorder.ask("set_sampling", json!({ "policy": policy }));
        // A server announces its capabilities again in a new connection.
        recorder.ask("restart_server", json!({ "id": id }));
        ready(id);
        said.insert(name, recorder.question_during(id, "ask", &question));
    }
    let id = recorder.add("demo", &demo("session"));
    ready(id);
    let rule = json!({
        "effect": "ask", "server": id, "tool": null, "caller": null, "destructiveOnly": false, "arguments": [],
        "expiresAt": null,
    });
    recorder.ask("save_rule", json!({ "id": null, "rule": rule }));
    said.insert("tool".to_owned(), recorder.question_during(id, "echo", &json!({ "text": "Ahoy!" })));
    recorder.record("questions", Value::Object(said));
    recorder.running.close();
}
