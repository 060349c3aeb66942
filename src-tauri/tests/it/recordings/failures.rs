//! Servers that don't start, and calls that fail.

use mooring_testkit::http::{HttpReply, HttpScript, refused_url, serve};
use serde_json::{Map, Value, json};
use tauri::async_runtime::block_on;

use super::Recorder;

#[test]
fn recorded_failures_are_what_the_host_says() {
    let home = tempfile::tempdir().unwrap();
    let recorder = Recorder::at(home.path());
    let mut settings = recorder.ask("get_settings", json!({}));
    settings["startTimeoutSeconds"] = json!(5);
    recorder.ask("set_settings", json!({ "settings": settings }));
    let web = |reply: HttpReply| {
        block_on(serve(HttpScript::json().on("initialize", reply.clone()).on("server/discover", reply)))
    };
    let broken = web(HttpReply::status(500, "the harbour is closed"));
    let page = web(HttpReply::html());
    let guarded = web(HttpReply::unauthorized(r#"Bearer realm="harbour""#));
    let nobody = block_on(refused_url());
    let notes = home.path().join("notes.txt");
    std::fs::write(&notes, "not a program").unwrap();
    let remote = |url: &str| json!({ "transport": "http", "url": url });
    let sealed = json!({
        "transport": "http", "url": page.url,
        "secrets": [{ "place": "header", "name": "X-Harbour-Key", "value": null, "entered": false }],
    });

    let mut said = Map::new();
    let mut record = |code: &str, id: i64| {
        let server = recorder.until(id, |server| server["failure"]["code"] == code);
        said.insert(code.to_owned(), server["failure"].clone());
        recorder.ask("stop_server", json!({ "id": id }));
    };
    let program = |command: &str| json!({ "command": command });
    record("command_not_found", recorder.add("missing", &program("/opt/harbour/server")));
    record("not_executable", recorder.add("notes", &program(notes.to_str().unwrap())));
    record("exited", recorder.add_scripted("exited", &["exit-at-once"]));
    record("handshake", recorder.add_scripted("refuses", &["refuse-initialize"]));
    record("timeout", recorder.add_scripted("hangs", &["hang"]));
    record("refused", recorder.add("nobody", &remote(&nobody)));
    record("http_status", recorder.add("broken", &remote(&broken.url)));
    record("not_mcp", recorder.add("page", &remote(&page.url)));
    record("sign_in", recorder.add("guarded", &remote(&guarded.url)));
    record("secret_missing", recorder.add("sealed", &sealed));
    recorder.record("failures", Value::Object(said));
    recorder.running.close();
}

#[test]
fn recorded_failed_calls_are_what_the_host_says() {
    let home = tempfile::tempdir().unwrap();
    let recorder = Recorder::at(home.path());
    let program = mooring_testkit::scripted_server_path();
    let id = recorder.add_scripted("scripted", &["ok"]);
    // Only the call that is never answered should time out. A large answer takes longer on a busy machine.
    let hasty = recorder.add("hasty", &json!({ "command": program, "args": ["ok"], "timeoutMs": 3_000 }));
    for id in [id, hasty] {
        recorder.until(id, |server| server["state"] == "ready");
    }
    let calls = [
        (
            "error",
            json!({ "code": -32_602, "message": "row_limit must be between 1 and 1000", "data": { "row_limit": 5_000 } }),
        ),
        ("tool_error", json!({})),
        ("never", json!({})),
        ("huge", json!({ "bytes": 17_825_792 })),
        ("crash", json!({})),
    ];
    let said = calls.iter().map(|(tool, arguments)| {
        let mut call = recorder.call(if *tool == "never" { hasty } else { id }, tool, arguments);
        if let Some(text) = call["outcome"]["result"].as_str() {
            // The beginning of a large result is enough.
            call["outcome"]["result"] = text.replace(&"h".repeat(1_000), "").into();
        }
        call
    });
    recorder.record("failed-calls", said.collect());
    recorder.running.close();
}
