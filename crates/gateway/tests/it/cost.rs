//! The cost of an app is what it receives.

use mooring_approvals::AppOff;
use mooring_base::server_id::ServerId;
use mooring_catalogue::{CostMeter, ServerCost};
use serde_json::{Value, json};

use crate::support::Scene;

/// How many tokens a text has.
fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

fn of_server(servers: &[ServerCost], id: ServerId) -> &ServerCost {
    servers.iter().find(|cost| cost.server == id).unwrap()
}

#[tokio::test]
async fn an_app_pays_for_exactly_what_it_is_sent() {
    let mut scene = Scene::open().await;
    let (one, two) = (scene.add("one").await, scene.add("two").await);
    scene.approve(one).await;
    let meter = CostMeter::default();
    let cost = meter.app_cost(&scene.host, "Editor").await.unwrap();
    assert_eq!(cost.servers.len(), 1, "nothing of the other one is approved: {cost:?}");
    scene.approve(two).await;

    let mut app = scene.connect("Editor", None);
    let hello = app.request(0, "initialize", crate::support::initialize("2025-11-25")).await;
    app.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    let listed = app.request(1, "tools/list", json!({})).await;
    let sent: Vec<&Value> = listed["result"]["tools"].as_array().unwrap().iter().collect();
    let cost = meter.app_cost(&scene.host, "Editor").await.unwrap();
    let counted: Vec<_> = cost.servers.iter().flat_map(|server| &server.tools).collect();
    assert_eq!(counted.len(), sent.len());
    for (tool, definition) in counted.iter().zip(&sent) {
        assert_eq!(definition["name"], tool.exposed.as_str());
        assert_eq!(tool.tokens, tokens(&definition.to_string()), "{definition}");
        assert!(tool.seen && tool.exposed.ends_with(&tool.name), "{tool:?}");
    }
    let instructions: usize = cost.servers.iter().map(|server| server.instructions).sum();
    let whole = tokens(hello["result"]["instructions"].as_str().unwrap());
    assert!(instructions > 0 && instructions.abs_diff(whole) <= 1, "{instructions}, {whole}");
    let of_tools: usize = counted.iter().map(|tool| tool.tokens).sum();
    assert_eq!(cost.tokens, of_tools + instructions);

    let off = [AppOff { server: one, tool: Some("echo".to_owned()) }, AppOff { server: two, tool: None }];
    scene.host.set_app_off("Editor", off.into()).await.unwrap();
    let less = meter.app_cost(&scene.host, "Editor").await.unwrap();
    let (before, now) = (of_server(&cost.servers, one), of_server(&less.servers, one));
    let echo = now.tools.iter().find(|tool| tool.name == "echo").unwrap();
    assert!(!echo.seen && echo.tokens > 10, "what is off can be weighed: {echo:?}");
    assert_eq!(now.tokens, before.tokens - echo.tokens);
    let hidden = of_server(&less.servers, two);
    assert_eq!((hidden.tokens, hidden.instructions), (0, 0));
    assert_eq!(less.tokens, now.tokens);
    scene.close().await;
}

#[tokio::test]
async fn what_is_saved_is_counted_without_a_running_server() {
    let scene = Scene::open().await;
    let (on, stopped) = (scene.add("on").await, scene.add("stopped").await);
    for id in [on, stopped] {
        scene.approve(id).await;
    }
    scene.host.stop(stopped).await.unwrap();
    let meter = CostMeter::default();
    let running = meter.app_cost(&scene.host, "Editor").await.unwrap();
    let saved = meter.saved_app_cost(&scene.host, "Editor").await.unwrap();
    for cost in [&running, &saved] {
        assert!(cost.servers.iter().all(|server| server.server == on), "{cost:?}");
    }
    let names = |server: &ServerCost| {
        let mut names: Vec<String> = server.tools.iter().map(|tool| tool.exposed.clone()).collect();
        names.sort();
        names
    };
    let (running, saved) = (of_server(&running.servers, on), of_server(&saved.servers, on));
    assert_eq!(names(running), names(saved));
    assert_eq!(running.instructions, saved.instructions);
    // The order of members differs, which changes a few tokens.
    assert!(running.tokens.abs_diff(saved.tokens) * 20 < running.tokens, "{running:?}, {saved:?}");
    scene.close().await;
}
