//! A person's tasks through the page's commands, with real servers and a real data folder.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use mooring_testkit::{is_alive, scripted_server_path};
use serde_json::{Value, json};

use crate::support::{TestApp, channel_argument, invoke};

pub(crate) const HOST: u32 = 1;
pub(crate) const CALL: u32 = 2;
const TAIL: u32 = 3;

/// A scripted server as the form sends it.
fn scripted(name: &str, mode: &[&str]) -> Value {
    json!({
        "name": name,
        "transport": "stdio",
        "command": scripted_server_path(),
        "args": mode,
        "env": {},
        "cwd": null,
        "url": null,
        "headers": {},
        "timeoutMs": null,
        "era": "auto",
        "secrets": [],
    })
}

/// A filter that matches any row.
fn any_row_filter() -> Value {
    json!({ "source": null, "direction": null, "method": null, "kinds": [], "statuses": [], "text": null })
}

/// Starts an application with a ready scripted server. Returns the server's id.
pub(crate) fn with_server(home: &Path) -> (TestApp, i64) {
    let running = TestApp::at(home);
    running.invoke("watch_host", json!({ "channel": channel_argument(HOST) })).unwrap();
    let added = running.invoke("add_server", json!({ "server": scripted("scripted", &["ok"]) })).unwrap();
    let id = added["id"].as_i64().unwrap();
    until_ready(&running, id);
    (running, id)
}

fn server(running: &TestApp, id: i64) -> Value {
    let servers = running.invoke("list_servers", json!({})).unwrap();
    servers.as_array().unwrap().iter().find(|server| server["id"] == id).unwrap().clone()
}

/// Waits as the page does: checks again after each change that the host announces.
fn until_ready(running: &TestApp, id: i64) {
    while server(running, id)["state"] != "ready" {
        running.next(HOST);
    }
}

fn rows(running: &TestApp) -> Vec<Value> {
    let page = running
        .invoke(
            "log_page",
            json!({ "filter": any_row_filter(), "before": null, "after": null, "limit": 500 }),
        )
        .unwrap();
    page["rows"].as_array().unwrap().clone()
}

/// The id of the committed row with the answer to a call of [`echo`], once it exists.
fn row_of_answer_to(running: &TestApp, text: &str) -> i64 {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let rows = rows(running);
        let answer = rows.iter().find(|row| {
            row["direction"] == "in" && row["preview"].as_str().is_some_and(|preview| preview.contains(text))
        });
        if let Some(answer) = answer {
            return answer["id"].as_i64().unwrap();
        }
        assert!(Instant::now() < deadline, "no answer with {text} in {rows:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn what_the_person_sets_is_in_force_after_a_restart() {
    let home = tempfile::tempdir().unwrap();
    let running = TestApp::at(home.path());
    let mut settings = running.invoke("get_settings", json!({})).unwrap();
    settings["theme"] = json!("dark");
    settings["language"] = json!("zh-CN");
    settings["maxMessageMiB"] = json!(32);
    assert_eq!(running.invoke("set_settings", json!({ "settings": settings })).unwrap(), settings);
    let mut wrong = settings.clone();
    wrong["maxMessageMiB"] = json!(65);
    let error = running.invoke("set_settings", json!({ "settings": wrong })).unwrap_err();
    assert_eq!(error["code"], "invalid_setting");
    assert_eq!(error["details"]["field"], "maxMessageMiB");
    running.close();
    let again = TestApp::at(home.path());
    assert_eq!(again.invoke("get_settings", json!({})).unwrap(), settings);
    again.close();
}

#[test]
fn added_server_runs_a_tool_with_progress_and_is_logged() {
    let home = tempfile::tempdir().unwrap();
    let (running, id) = with_server(home.path());
    let tools = running.invoke("list_tools", json!({ "id": id, "refresh": false })).unwrap();
    assert!(tools["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "progress"), "{tools}");
    let outcome = running
        .invoke(
            "call_tool",
            json!({
                "id": id,
                "callId": "first",
                "tool": "progress",
                "arguments": r#"{"steps":3,"milliseconds":1}"#,
                "sealed": [],
                "channel": channel_argument(CALL),
            }),
        )
        .unwrap();
    assert_eq!(outcome["status"], "ok", "{outcome}");
    assert!(outcome["result"].as_str().unwrap().starts_with('{'), "{outcome}");
    let progress = running.next(CALL);
    assert_eq!(progress["kind"], "progress", "{progress}");
    let name = server(&running, id)["serverName"].clone();
    assert!(name.is_string(), "{name}");
    running.close();

    let again = TestApp::at(home.path());
    assert_eq!(server(&again, id)["name"], "scripted");
    let found = rows(&again);
    let call = found.iter().find(|row| row["kind"] == "verdict").unwrap();
    assert_eq!(call["subject"], "progress", "{call}");
    let entry = again.invoke("log_entry", json!({ "id": call["id"] })).unwrap();
    assert!(entry["body"].as_str().unwrap().contains("workbench"), "{entry}");
    again.close();
}

#[test]
fn last_output_of_a_chatty_server_arrives_before_the_result() {
    let home = tempfile::tempdir().unwrap();
    let (running, id) = with_server(home.path());
    let outcome = running
        .invoke(
            "call_tool",
            json!({
                "id": id,
                "callId": "flood",
                "tool": "flood",
                "arguments": r#"{"count":1000,"bytes":100}"#,
                "sealed": [],
                "channel": channel_argument(CALL),
            }),
        )
        .unwrap();
    assert_eq!(outcome["status"], "ok");
    let last = |event: &Value| event["data"].as_str().unwrap().contains(r#""number":999"#);
    running.next_where(CALL, last);
    running.close();
}

#[test]
fn arguments_that_are_no_json_object_do_not_reach_the_server() {
    let home = tempfile::tempdir().unwrap();
    let (running, id) = with_server(home.path());
    for arguments in ["", "{", "[1]", "7", "{} {}"] {
        let error = running
            .invoke(
                "call_tool",
                json!({
                    "id": id,
                    "callId": "bad",
                    "tool": "echo",
                    "arguments": arguments,
                    "sealed": [],
                    "channel": channel_argument(CALL),
                }),
            )
            .unwrap_err();
        assert_eq!(error["code"], "invalid_arguments", "{arguments}: {error}");
    }
    assert!(rows(&running).iter().all(|row| row["method"] != "tools/call"));
    running.close();
}

#[test]
fn call_is_cancelled_by_name_and_the_server_keeps_running() {
    let home = tempfile::tempdir().unwrap();
    let (running, id) = with_server(home.path());
    let outcome = endless(&running, id, "endless");
    let args = || json!({ "callId": "endless" });
    assert_eq!(running.invoke("cancel_call", args()).unwrap(), true);
    assert_eq!(outcome.join().unwrap()["status"], "cancelled");
    assert_eq!(running.invoke("cancel_call", args()).unwrap(), false);
    assert_eq!(server(&running, id)["state"], "ready");
    running.close();
}

#[test]
fn closing_the_window_ends_call_and_server_and_keeps_the_log() {
    let home = tempfile::tempdir().unwrap();
    let (running, id) = with_server(home.path());
    let pid = server(&running, id)["pid"].as_u64().unwrap();
    let outcome = endless(&running, id, "endless");
    running.close();
    assert_eq!(outcome.join().unwrap()["status"], "cancelled");
    assert!(!is_alive(u32::try_from(pid).unwrap()));
    let again = TestApp::at(home.path());
    let found = rows(&again);
    let has = |key: &str, value: &str| found.iter().any(|row| row["subject"] == "never" && row[key] == value);
    assert!(has("kind", "verdict") && has("direction", "out") && has("status", "cancelled"), "{found:?}");
    let request = found.iter().find(|row| row["subject"] == "never" && row["direction"] == "out").unwrap();
    let told = found.iter().filter(|row| row["method"] == "notifications/cancelled").find(|row| {
        let entry = again.invoke("log_entry", json!({ "id": row["id"] })).unwrap();
        let message: Value = serde_json::from_str(entry["body"].as_str().unwrap()).unwrap();
        let id: Value = serde_json::from_str(request["rpcId"].as_str().unwrap()).unwrap();
        message["params"]["requestId"] == id
    });
    assert_eq!(told.unwrap_or_else(|| panic!("{found:?}"))["direction"], "out");
    again.close();
}

/// Starts a call that never ends, and waits until its request is in the log.
fn endless(running: &TestApp, id: i64, call: &str) -> thread::JoinHandle<Value> {
    follow(running, &any_row_filter());
    let window = running.window.clone();
    let args = json!({
        "id": id,
        "callId": call,
        "tool": "never",
        "arguments": "{}",
        "sealed": [],
        "channel": channel_argument(CALL),
    });
    let outcome = thread::spawn(move || invoke(&window, "call_tool", args).unwrap());
    running.next_where(TAIL, |batch| {
        running.invoke("ack_log", json!({ "followId": "tail" })).unwrap();
        batch["rows"].as_array().unwrap().iter().any(|row| row["method"] == "tools/call")
    });
    running.invoke("stop_follow", json!({ "followId": "tail" })).unwrap();
    outcome
}

fn follow(running: &TestApp, filter: &Value) {
    let args = json!({ "filter": filter, "followId": "tail", "channel": channel_argument(TAIL) });
    running.invoke("follow_log", args).unwrap();
}

fn echo(running: &TestApp, id: i64, text: &str) {
    let args = json!({
        "id": id,
        "callId": text,
        "tool": "echo",
        "arguments": json!({ "text": text }).to_string(),
        "sealed": [],
        "channel": channel_argument(CALL),
    });
    assert_eq!(running.invoke("call_tool", args).unwrap()["status"], "ok");
}

#[test]
fn live_tail_sends_the_next_batch_only_when_acknowledged() {
    let home = tempfile::tempdir().unwrap();
    let (running, id) = with_server(home.path());
    // The tail begins after the last committed row, and a ready server doesn't mean that there are any yet.
    echo(&running, id, "before");
    let newest = row_of_answer_to(&running, "before");
    let mut filter = any_row_filter();
    filter["text"] = json!("needle");
    follow(&running, &filter);
    echo(&running, id, "hay");
    echo(&running, id, "a needle in it");
    let mut seen: Vec<Value> = Vec::new();
    // The request, the verdict and the answer may be committed together or one after the other.
    while !seen.iter().any(|row| row["direction"] == "in") {
        let batch = running.next(TAIL);
        assert_eq!(batch["skipped"], 0);
        seen.extend(batch["rows"].as_array().unwrap().iter().cloned());
        running.invoke("ack_log", json!({ "followId": "tail" })).unwrap();
    }
    let ids: Vec<_> = seen.iter().map(|row| row["id"].as_i64().unwrap()).collect();
    assert!(ids.first().is_some_and(|id| *id > newest) && ids.is_sorted(), "{ids:?}");
    assert!(seen.iter().all(|row| row["preview"].as_str().unwrap().contains("needle")), "{seen:?}");

    echo(&running, id, "needle two");
    running.next(TAIL);
    echo(&running, id, "needle three");
    // The host may send events meanwhile, but the tail may not: its last batch was not acknowledged.
    let meanwhile = running.until_silent_for(Duration::from_millis(300));
    assert!(!meanwhile.contains(&TAIL));
    running.invoke("ack_log", json!({ "followId": "tail" })).unwrap();
    let batch = running.next_where(TAIL, |batch| batch.to_string().contains("needle three"));
    assert!(!batch["rows"].as_array().unwrap().is_empty());
    running.close();
}

#[test]
fn data_folder_without_a_valid_database_is_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let database = home.path().join("mooring.db");
    let text = "this is not a database\n".repeat(400);
    std::fs::write(&database, &text).unwrap();
    let running = TestApp::at(home.path());
    let error = running.invoke("app_info", json!({})).unwrap_err();
    assert_eq!(error["code"], "not_a_database", "{error}");
    assert_eq!(std::fs::read_to_string(&database).unwrap(), text);
    std::fs::remove_file(&database).unwrap();
    running.invoke("app_info", json!({})).unwrap();
    running.close();
}
