//! Resources, prompts, completion and subscriptions through the page's commands.

use std::path::Path;

use mooring_testkit::{offers, scripted_server_path};
use serde_json::{Value, json};

use crate::support::{TestApp, channel_argument};

const HOST: u32 = 1;
const CALL: u32 = 2;

/// Starts an application with a server that offers one of everything. Returns the server's id.
fn app_with_offers(home: &Path) -> (TestApp, i64) {
    let file = home.join("script.json");
    std::fs::write(&file, serde_json::to_vec(&offers::script()).unwrap()).unwrap();
    let running = TestApp::at(home);
    running.invoke("watch_host", json!({ "channel": channel_argument(HOST) })).unwrap();
    let server = json!({
        "name": "harbour", "transport": "stdio", "command": scripted_server_path(),
        "args": ["script", file], "env": {}, "cwd": null, "url": null, "headers": {},
        "timeoutMs": null, "era": "session", "secrets": [],
    });
    let added = running.invoke("add_server", json!({ "server": server })).unwrap();
    let id = added["id"].as_i64().unwrap();
    while view(&running, id)["promptCount"].is_null() || view(&running, id)["resourceCount"].is_null() {
        running.next(HOST);
    }
    (running, id)
}

fn view(running: &TestApp, id: i64) -> Value {
    let servers = running.invoke("list_servers", json!({})).unwrap();
    servers.as_array().unwrap().iter().find(|server| server["id"] == id).unwrap().clone()
}

#[test]
fn what_a_server_offers_is_listed_read_and_filled_in() {
    let home = tempfile::tempdir().unwrap();
    let (running, id) = app_with_offers(home.path());
    let list = running.invoke("list_resources", json!({ "id": id, "refresh": true })).unwrap();
    let first = &list["resources"][0];
    assert_eq!((&first["uri"], &first["size"]), (&json!("harbour://notice"), &json!(9)), "{list}");
    assert_eq!(first["annotations"], json!(r#"{"priority":0.5}"#));
    let second = &list["resources"][1];
    assert_eq!(second["name"], second["uri"], "one without a name goes by its address");
    assert_eq!(list["templates"][0]["variables"], json!(["city", "from", "to"]));
    let skill = &list["skills"][0];
    assert_eq!((&skill["name"], &skill["files"]), (&json!("mooring-lines"), &Value::Null), "{list}");
    let odd = |of: &Value| of["diagnostics"].as_array().unwrap().len();
    assert_eq!((odd(&list), odd(skill)), (2, 0), "{list}");
    let prompts = running.invoke("list_prompts", json!({ "id": id, "refresh": false })).unwrap();
    let argument = &prompts["prompts"][0]["arguments"][0];
    assert_eq!((&argument["name"], &argument["required"]), (&json!("to"), &json!(true)), "{prompts}");

    let read = json!({
        "id": id, "callId": "read", "uri": "harbour://notice", "channel": channel_argument(CALL),
    });
    let outcome = running.invoke("read_resource", read).unwrap();
    assert_eq!(outcome["status"], "ok", "{outcome}");
    assert!(outcome["result"].as_str().unwrap().starts_with(r#"{"contents":[{"#), "{outcome}");
    let prompt = |arguments: &str| {
        json!({
            "id": id, "callId": "prompt", "prompt": "plan", "arguments": arguments,
            "sealed": [], "channel": channel_argument(CALL),
        })
    };
    let outcome = running.invoke("get_prompt", prompt(r#"{"to":"青岛"}"#)).unwrap();
    assert_eq!(outcome["status"], "ok", "{outcome}");
    for wrong in ["", "[]", r#"{"to":7}"#] {
        let error = running.invoke("get_prompt", prompt(wrong)).unwrap_err();
        assert_eq!(error["code"], "invalid_arguments", "{error}");
    }
    let seen = view(&running, id);
    assert_eq!((&seen["resourceCount"], &seen["promptCount"]), (&json!(3), &json!(2)));
    assert_eq!((&seen["era"], &seen["negotiatedEra"]), (&json!("session"), &json!("session")));
    assert_eq!(seen["steps"][0]["request"], "initialize", "{seen}");
    assert_eq!(seen["limits"], json!([]));
    running.close();
}

#[test]
fn a_template_is_filled_in_and_values_are_proposed() {
    let home = tempfile::tempdir().unwrap();
    let (running, id) = app_with_offers(home.path());
    let expand = |template: &str| {
        let values = json!({ "city": "青岛", "to": "May 7" });
        running.invoke("expand_template", json!({ "uriTemplate": template, "values": values }))
    };
    let uri = expand("harbour://{city}/berths{?from,to}").unwrap();
    assert_eq!(uri, "harbour://%E9%9D%92%E5%B2%9B/berths?to=May%207");
    assert_eq!(expand("harbour://{city").unwrap_err()["code"], "invalid_template");
    let complete = |reference: Value| {
        let args = json!({ "id": id, "reference": reference, "argument": "to", "value": "Q", "context": {} });
        running.invoke("complete_argument", args).unwrap()
    };
    let proposed = json!({ "values": ["青岛", "Qinhuangdao"], "total": 2, "hasMore": false });
    assert_eq!(complete(json!({ "kind": "prompt", "name": "plan" })), proposed);
    assert_eq!(complete(json!({ "kind": "template", "uriTemplate": "a:{to}" })), proposed);
    running.close();
}

#[test]
fn changes_of_a_watched_resource_are_announced() {
    let home = tempfile::tempdir().unwrap();
    let (running, id) = app_with_offers(home.path());
    let args = || json!({ "id": id, "uri": "harbour://notice" });
    running.invoke("subscribe_resource", args()).unwrap();
    let notify =
        json!({ "method": "notifications/resources/updated", "params": { "uri": "harbour://notice" } });
    let call = json!({
        "id": id, "callId": "notify", "tool": "notify", "arguments": notify.to_string(), "sealed": [],
        "channel": channel_argument(CALL),
    });
    assert_eq!(running.invoke("call_tool", call).unwrap()["status"], "ok");
    let told = running.next_where(HOST, |event| event["kind"] == "resource_updated");
    assert_eq!(told, json!({ "kind": "resource_updated", "id": id, "uri": "harbour://notice" }));
    let watched = running.invoke("list_subscriptions", json!({ "id": id })).unwrap();
    assert_eq!((&watched[0]["uri"], &watched[0]["updates"]), (&json!("harbour://notice"), &json!(1)));
    assert!(watched[0]["since"].is_i64() && watched[0]["lastUpdate"].is_i64(), "{watched}");
    running.invoke("unsubscribe_resource", args()).unwrap();
    assert_eq!(running.invoke("list_subscriptions", json!({ "id": id })).unwrap(), json!([]));
    assert_eq!(running.invoke("list_tasks", json!({ "id": id })).unwrap(), json!([]));
    let error = running.invoke("cancel_task", json!({ "id": id, "taskId": "none" })).unwrap_err();
    assert_eq!(error["code"], "no_such_task");
    running.close();
}
