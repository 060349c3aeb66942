//! Other apps through the page's commands: their cost and their tokens.

use std::path::Path;

use serde_json::{Value, json};

use crate::journeys::with_server;
use crate::support::TestApp;

/// Whether a file in the data folder contains this text.
fn is_in_data(home: &Path, text: &str) -> bool {
    let files =
        std::fs::read_dir(home).unwrap().map(|file| file.unwrap().path()).filter(|path| path.is_file());
    files.into_iter().any(|file| {
        let bytes = std::fs::read(&file).unwrap();
        bytes.windows(text.len()).any(|part| part == text.as_bytes())
    })
}

#[cfg(unix)]
#[test]
fn what_an_app_pays_follows_what_it_sees() {
    let home = tempfile::tempdir().unwrap();
    let (running, id) = with_server(home.path());
    running.invoke("list_tools", json!({ "id": id, "refresh": false })).unwrap();
    let cost = || running.invoke("app_cost", json!({ "id": "zed" })).unwrap();
    assert_eq!(cost()["tokens"], 0, "nothing is approved");
    let trust = running.invoke("get_trust", json!({ "server": id })).unwrap();
    let items = trust["items"].as_array().unwrap().iter();
    let approvals: Vec<Value> = items
        .map(|item| json!({ "kind": item["kind"], "name": item["name"], "hash": item["hash"] }))
        .collect();
    running.invoke("approve_trust", json!({ "server": id, "approvals": approvals })).unwrap();
    let all = cost();
    assert_eq!(all["tokenizer"], "o200k_base");
    let tools = all["servers"][0]["tools"].as_array().unwrap();
    let echo = tools.iter().find(|tool| tool["name"] == "echo").unwrap()["tokens"].as_u64().unwrap();
    assert!(echo > 10, "{all}");
    let off = json!({ "id": "zed", "off": [{ "server": id, "tool": "echo" }] });
    running.invoke("set_app_off", off).unwrap();
    assert_eq!(cost()["tokens"].as_u64().unwrap(), all["tokens"].as_u64().unwrap() - echo);
    running.close();
}

#[test]
fn a_token_is_made_once_renewed_and_revoked() {
    let home = tempfile::tempdir().unwrap();
    let running = TestApp::at(home.path());
    let saved = || running.invoke("get_app_token", json!({ "id": "quay" })).unwrap();
    assert_eq!(saved(), Value::Null);
    let create = || running.invoke("create_app_token", json!({ "id": "quay" })).unwrap();
    let first = create().as_str().unwrap().to_owned();
    assert!(first.starts_with("mooring_") && first.len() > 32, "{first}");
    assert!(saved()["createdAt"].as_i64().unwrap() > 0 && saved()["usedAt"].is_null(), "{}", saved());
    let listed = running.invoke("list_apps", json!({})).unwrap();
    assert!(listed.as_array().unwrap().iter().any(|app| app["id"] == "quay"), "it can be found again");
    assert_ne!(create(), json!(first));
    running.invoke("revoke_app_token", json!({ "id": "quay" })).unwrap();
    assert_eq!(saved(), Value::Null);
    let nameless = running.invoke("create_app_token", json!({ "id": " " })).unwrap_err();
    assert_eq!(nameless["code"], "invalid_setting", "{nameless}");
    let last = create().as_str().unwrap().to_owned();
    running.close();
    assert!(is_in_data(home.path(), "quay") && !is_in_data(home.path(), &last), "only its hash is saved");
}
