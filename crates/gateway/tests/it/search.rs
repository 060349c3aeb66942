//! Apps that find tools by a search.

use std::time::Duration;

use mooring_approvals::{AppToolList, PinnedTool};
use mooring_catalogue::CostMeter;
use mooring_inbox::{InteractionAnswer, InteractionQuestion, Remember};
use serde_json::{Value, json};

use crate::support::{Scene, answer};

fn text(called: &Value) -> &str {
    called["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{called}"))
}

#[tokio::test]
async fn an_app_that_searches_gets_three_tools_and_finds_all() {
    let mut scene = Scene::open().await;
    for name in ["one", "two"] {
        let id = scene.add(name).await;
        scene.approve(id).await;
    }
    let mut app = scene.initialized("Editor", None).await;
    assert!(app.tools().await.contains(&"one__echo".to_owned()));
    scene.host.set_app_tool_list("Editor", AppToolList::Search).await.unwrap();
    app.notification("notifications/tools/list_changed").await;
    assert_eq!(app.tools().await, ["search_tools", "describe_tools", "call_tool"]);
    let cost = CostMeter::default().app_cost(&scene.host, "Editor").await.unwrap();
    let of_servers = cost.servers.iter().map(|server| server.tokens).sum();
    assert!(cost.without_search == Some(of_servers) && cost.tokens < of_servers, "{cost:?}");

    let search = json!({"name": "search_tools", "arguments": {"query": "echo text", "limit": 2}});
    let found = app.request(1, "tools/call", search).await;
    let found_tools = found["result"]["structuredContent"]["tools"].as_array().unwrap();
    let names: Vec<_> = found_tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["one__echo", "two__echo"], "{found}");
    let nothing = json!({"name": "search_tools", "arguments": {"query": "xyzzy"}});
    assert_eq!(
        text(&app.request(2, "tools/call", nothing).await),
        "No tool fits. The servers are: one, two."
    );
    let describe = json!({"name": "describe_tools", "arguments": {"names": ["two__echo", "three__echo"]}});
    let described = app.request(3, "tools/call", describe).await;
    let (definition, unknown) = text(&described).split_once('\n').unwrap();
    let definition: Value = serde_json::from_str(definition).unwrap();
    assert!(definition["name"] == "two__echo" && definition["inputSchema"].is_object(), "{described}");
    assert!(unknown.contains("no tool three__echo"), "{unknown}");

    // The user is asked about the tool itself, and the log has the tool's own name.
    let call = json!({"name": "call_tool", "arguments": {"name": "two__echo", "arguments": {"text": "x"}}});
    app.send(&json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": call})).await;
    let once = InteractionAnswer::Accept { content: None, remember: Remember::Once };
    let asked = answer(&scene.host, once).await;
    assert!(matches!(&asked, InteractionQuestion::Tool { tool, .. } if tool == "echo"), "{asked:?}");
    assert_eq!(text(&app.answer(4).await), "x");
    let mut tools = scene.verdicts("tool").await;
    tools.dedup();
    assert_eq!(tools, ["echo"]);
    for wrong in [
        json!({"name": "call_tool", "arguments": {"name": "search_tools"}}),
        json!({"name": "call_tool", "arguments": {}}),
        json!({"name": "describe_tools", "arguments": {"names": "echo"}}),
    ] {
        assert_eq!(app.request(5, "tools/call", wrong).await["error"]["code"], -32602);
    }

    // A single server's tools are listed unchanged. With few tools, the automatic setting uses no search.
    let mut alone = scene.initialized("Editor", Some("one")).await;
    assert!(alone.tools().await.contains(&"echo".to_owned()));
    scene.host.set_app_tool_list("Editor", AppToolList::Auto).await.unwrap();
    let whole = async {
        while !app.tools().await.contains(&"one__echo".to_owned()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(crate::support::LIMIT, whole).await.unwrap();
    scene.close().await;
}

#[tokio::test]
async fn pinned_tools_stand_beside_the_search() {
    let mut scene = Scene::open().await;
    let id = scene.add("one").await;
    scene.approve(id).await;
    scene.host.set_app_tool_list("Editor", AppToolList::Search).await.unwrap();
    let mut app = scene.initialized("Editor", None).await;
    let search = ["search_tools", "describe_tools", "call_tool"];
    assert_eq!(app.tools().await, search);
    let cost = async || CostMeter::default().app_cost(&scene.host, "Editor").await.unwrap();
    let without = cost().await;
    let pinned = |tool: &str| PinnedTool { server: id, tool: tool.to_owned() };
    let pins = [pinned("echo"), pinned("that is not there")];
    scene.host.set_app_pinned("Editor", pins.into()).await.unwrap();
    app.notification("notifications/tools/list_changed").await;
    assert_eq!(app.tools().await, [&search[..], &["one__echo"]].concat());
    let echo = without.servers[0].tools.iter().find(|tool| tool.name == "echo").unwrap();
    assert_eq!(cost().await.tokens, without.tokens + echo.tokens);
    // A tool that is off is not listed, even if it is pinned.
    let off = mooring_approvals::AppOff { server: id, tool: Some("echo".to_owned()) };
    scene.host.set_app_off("Editor", [off].into()).await.unwrap();
    app.notification("notifications/tools/list_changed").await;
    assert_eq!(app.tools().await, search);
    assert_eq!(scene.host.app_access("Editor").pinned.len(), 2);
    scene.close().await;
}
