//! What servers offer, and the results of using it.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{CALL, Recorder, demo as demo_server};
use crate::support::channel_argument;

/// Whether the host has counted everything that a server offers.
fn is_listed(server: &Value) -> bool {
    ["toolCount", "resourceCount", "promptCount"].iter().all(|count| server[count].is_number())
}

/// A server's view and everything that it offers.
fn offers(recorder: &Recorder, id: i64) -> Map<String, Value> {
    let server = recorder.until(id, |server| server["state"] == "ready" && is_listed(server));
    let list = |command: &str| recorder.ask(command, json!({ "id": id, "refresh": false }));
    let mut trust = recorder.ask("get_trust", json!({ "server": id }));
    // The hash depends on the program's path, and no test compares it.
    trust["definition"]["hash"] = json!("0".repeat(64));
    let parts = json!({
        "server": server, "tools": list("list_tools"), "resources": list("list_resources"),
        "prompts": list("list_prompts"), "trust": trust,
    });
    parts.as_object().unwrap().clone()
}

fn read(recorder: &Recorder, id: i64, uri: &str) -> Value {
    let args = json!({ "id": id, "callId": uri, "uri": uri, "channel": channel_argument(CALL) });
    json!({ "uri": uri, "outcome": recorder.ask("read_resource", args) })
}

fn get(recorder: &Recorder, id: i64, prompt: &str, arguments: &Value) -> Value {
    let asked = arguments.to_string();
    let args = json!({
        "id": id, "callId": prompt, "prompt": prompt, "arguments": asked, "sealed": [],
        "channel": channel_argument(CALL),
    });
    json!({ "prompt": prompt, "arguments": asked, "outcome": recorder.ask("get_prompt", args) })
}

#[test]
fn recorded_demo_server_is_what_the_host_says() {
    let home = tempfile::tempdir().unwrap();
    let recorder = Recorder::at(home.path());
    let id = recorder.add("demo", &demo_server("session"));
    let mut demo = offers(&recorder, id);
    let calls = [
        ("echo", json!({ "text": "Ahoy!" })),
        ("add", json!({ "a": 2, "b": 40 })),
        ("progress", json!({ "seconds": 1 })),
        ("fail", json!({})),
        ("fail", json!({ "kind": "protocol_error" })),
        ("log", json!({})),
        ("image", json!({ "width": 240 })),
        ("audio", json!({ "seconds": 0.2 })),
        ("structured", json!({})),
        ("link", json!({})),
        ("long_text", json!({})),
        ("book_berth", json!({ "ship": "Fair Wind", "arrival": "2026-05-17", "contact": { "name": "Ana" } })),
    ];
    demo.insert(
        "calls".to_owned(),
        calls.iter().map(|(tool, arguments)| recorder.call(id, tool, arguments)).collect(),
    );
    let uris = demo["resources"]["resources"].as_array().unwrap().clone();
    let reads = uris.iter().map(|resource| read(&recorder, id, resource["uri"].as_str().unwrap()));
    demo.insert("reads".to_owned(), reads.collect());
    let passage = json!({ "from": "Rotterdam", "to": "青岛" });
    let gets = [("explain_guide", json!({})), ("passage_plan", passage)];
    let gets = gets.iter().map(|(prompt, arguments)| get(&recorder, id, prompt, arguments));
    demo.insert("gets".to_owned(), gets.collect());
    let modern = recorder.add("demo-2", &demo_server("auto"));
    demo.insert(
        "modern".to_owned(),
        recorder.until(modern, |server| server["state"] == "ready" && is_listed(server)),
    );
    recorder.record("demo", Value::Object(demo));
    recorder.running.close();
}

/// Records a server scripted by `ui/dev/mock/servers`: results, or objects with an `error`, by method and
/// name.
fn record_script(name: &str) {
    let home = tempfile::tempdir().unwrap();
    let words = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../ui/dev/mock/servers/{name}.json"));
    let words: Map<String, Value> = serde_json::from_slice(&std::fs::read(words).unwrap()).unwrap();
    let line = |said: &Value| {
        let refusal = said.get("error").map(|error| format!(r#""error":{error}"#));
        let member = refusal.unwrap_or_else(|| format!(r#""result":{said}"#));
        format!(r#"{{"jsonrpc":"2.0","id":$ID,{member}}}"#)
    };
    let mut script: Map<_, _> =
        words.iter().map(|(about, said)| (about.clone(), json!([line(said)]))).collect();
    if let Some(lines) = script.get_mut("tools/call query").and_then(Value::as_array_mut) {
        let params = json!({ "level": "info", "data": "connection reused (pool 3/8)" });
        let message = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params });
        lines.insert(0, message.to_string().into());
    }
    let file = home.path().join("script.json");
    std::fs::write(&file, Value::Object(script).to_string()).unwrap();

    let recorder = Recorder::at(home.path());
    let id = recorder.add_scripted(name, &["script", file.to_str().unwrap()]);
    let mut said = offers(&recorder, id);
    let about = |method: &str| {
        let subjects = words.keys().filter_map(|about| about.strip_prefix(method)?.strip_prefix(' '));
        subjects.map(str::to_owned).collect::<Vec<_>>()
    };
    let calls = about("tools/call").iter().map(|tool| recorder.call(id, tool, &json!({}))).collect();
    let reads = about("resources/read").iter().map(|uri| read(&recorder, id, uri)).collect();
    let gets = about("prompts/get").iter().map(|prompt| get(&recorder, id, prompt, &json!({}))).collect();
    for (part, of) in [("calls", calls), ("reads", reads), ("gets", gets)] {
        said.insert(part.to_owned(), of);
    }
    recorder.record(name, Value::Object(said));
    recorder.running.close();
}

#[test]
fn recorded_harbour_is_what_the_host_says() {
    record_script("harbour");
}

#[test]
fn recorded_database_server_is_what_the_host_says() {
    record_script("postgres");
}
