//! What apps and servers send besides requests and results: `_meta`, extensions and capabilities.

use std::path::Path;

use mooring_mcp::Diagnostic;
use serde_json::{Value, json};

use crate::support::{Scene, initialize};

const UI: &str = "io.modelcontextprotocol/ui";

async fn scene(era: &str) -> Scene {
    let scene = Scene::open().await;
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/additions.py");
    let id = scene.add_program("s", Path::new("python3"), &[server.to_str().unwrap(), era]).await;
    scene.approve(id).await;
    scene.allow_all().await;
    scene
}

fn shown(answer: &Value) -> Value {
    let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn meta_of_an_app_reaches_servers_of_both_eras() {
    for era in ["session", "stateless"] {
        let mut scene = scene(era).await;
        let meta = json!({
            "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "com.example/user": {"id": 7, "long": "x".repeat(1 << 20)},
            "progressToken": "mine",
        });
        let params = json!({"name": "shown", "arguments": {}, "_meta": meta});
        let mut app = scene.initialized("Editor", Some("s")).await;
        let called = app.request(1, "tools/call", params.clone()).await;
        // Only answers to stateless requests have the server's info.
        assert_eq!(called["result"]["_meta"], Value::Null);
        let of_session = shown(&called)["meta"].clone();
        let mut alone = scene.connect("Other", Some("s"));
        let of_alone = shown(&alone.alone(1, "tools/call", params, &json!({})).await)["meta"].clone();
        for seen in [of_session, of_alone] {
            assert_eq!(seen["traceparent"], meta["traceparent"], "{era}");
            assert_eq!(seen["com.example/user"], meta["com.example/user"], "{era}");
            assert_ne!(seen["progressToken"], "mine", "{era}");
            let info = &seen["io.modelcontextprotocol/clientInfo"];
            assert_eq!(info.is_null(), era == "session", "{seen}");
            assert_ne!(info["name"], "test");
        }
        scene.close().await;
    }
}

#[tokio::test]
async fn extensions_pass_in_both_directions() {
    // Apps share a connection with a session, which declares support for pages on behalf of all of them.
    let mut scene_of_session = scene("session").await;
    let mut app = scene_of_session.initialized("Editor", Some("s")).await;
    let called = app.request(1, "tools/call", json!({"name": "shown"})).await;
    assert_eq!(
        shown(&called)["declared"]["extensions"][UI]["mimeTypes"],
        json!(["text/html;profile=mcp-app"])
    );
    // An app receives the extensions that it can use. An older app receives none, because it doesn't know
    // any.
    for (revision, extensions) in [("2025-11-25", json!({UI: {"own": 1}})), ("2025-06-18", Value::Null)] {
        let mut app = scene_of_session.connect("Other", None);
        let begun = app.request(0, "initialize", initialize(revision)).await;
        assert_eq!(begun["result"]["capabilities"]["extensions"], extensions, "{begun}");
    }
    scene_of_session.close().await;
    // A stateless request declares the capabilities of its own app.
    let mut scene = scene("stateless").await;
    let declared = json!({"extensions": {UI: {"app": 2}, "com.example/other": {"x": [1]}, "bare": {}}});
    let mut app = scene.connect("Editor", Some("s"));
    let found = shown(&app.alone(1, "tools/call", json!({"name": "shown"}), &declared).await);
    let extensions = &found["declared"]["extensions"];
    assert_eq!((&extensions["com.example/other"], &extensions["bare"]), (&json!({"x": [1]}), &Value::Null));
    assert_eq!(extensions[UI], json!({"app": 2}));
    let found = shown(&app.alone(2, "tools/call", json!({"name": "shown"}), &json!({})).await);
    assert_eq!(found["declared"]["extensions"][UI], Value::Null, "{found}");
    let mut app = scene.initialized_with("Other", Some("s"), declared).await;
    let called = app.request(1, "tools/call", json!({"name": "shown"})).await;
    assert_eq!(shown(&called)["declared"]["extensions"]["com.example/other"], json!({"x": [1]}));
    scene.close().await;
}

#[tokio::test]
async fn what_no_server_has_is_not_offered() {
    let mut scene = scene("session").await;
    let mut app = scene.connect("Editor", Some("s"));
    let begun = app.request(0, "initialize", initialize("2025-11-25")).await;
    let offered = json!({"tools": {"listChanged": true}, "extensions": {UI: {"own": 1}}});
    assert_eq!(begun["result"]["capabilities"], offered);
    app.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    for (at, (method, params)) in [
        ("prompts/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/subscribe", json!({"uri": "a:b"})),
        ("logging/setLevel", json!({"level": "info"})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}}),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let refused = app.request(10 + u32::try_from(at).unwrap(), method, params).await;
        assert_eq!(refused["error"]["code"], -32601, "{method}: {refused}");
    }
    // An app that sees all servers may ask for any list, because a server with one may still connect.
    let mut all = scene.initialized("All", None).await;
    assert_eq!(all.request(1, "prompts/list", json!({})).await["result"]["prompts"], json!([]));
    let refused = all.request(2, "resources/subscribe", json!({"uri": "a:b"})).await;
    assert_eq!(refused["error"]["code"], -32601, "{refused}");
    scene.close().await;
}

/// Clients that read a list as a whole would lose the tools of all servers because of one bad definition.
#[tokio::test]
async fn one_definition_takes_no_other_tool_along() {
    let mut scene = scene("session").await;
    let mut app = scene.initialized("Editor", None).await;
    let listed = app.request(1, "tools/list", json!({})).await["result"]["tools"].clone();
    let named: Vec<_> =
        listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(named, ["s__shown", "s__bare"]);
    let meant = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    assert_eq!(listed[1]["inputSchema"], meant);
    let refused = app.request(2, "tools/call", json!({"name": "s__odd", "arguments": {}})).await;
    let why = refused["error"]["message"].as_str().unwrap();
    assert!(why.contains("leaves s__odd out") && why.contains("JSON Schema"), "{refused}");
    // The user sees this among the tools to approve, and among the server's diagnostics, which Activity
    // shows.
    let server = scene.host.servers().remove(0);
    let items = scene.host.trust(server.id).await.unwrap().items;
    let of = |name: &str| items.iter().find(|item| item.name == name).unwrap().for_apps.clone();
    assert_eq!(of("shown"), None);
    assert!(!of("bare").unwrap().left_out && of("odd").unwrap().left_out);
    let oddities = server.connection.peer.unwrap().diagnostics;
    for (path, words) in [("tools.bare", "inputSchema corrected"), ("tools.odd", "apps don’t get it")] {
        let is_it = |odd: &&Diagnostic| odd.path == path && odd.message.to_string().contains(words);
        assert_eq!(oddities.iter().filter(is_it).count(), 1, "{oddities:?}");
    }
    scene.close().await;
}
