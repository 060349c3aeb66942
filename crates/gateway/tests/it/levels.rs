//! What an app may do at its level, and what it doesn't see.

use std::time::Duration;

use mooring_approvals::AppOff;
use mooring_inbox::{InteractionAnswer, Remember};
use mooring_policy::AppLevel;
use serde_json::json;

use crate::support::{LIMIT, Scene, answer};

#[tokio::test]
async fn level_decides_whether_a_call_of_an_app_runs() {
    let mut scene = Scene::open().await;
    let id = scene.add("s").await;
    scene.approve(id).await;
    // This app is known to ask its own user.
    let mut app = scene.initialized("claude-code", None).await;
    let echo = json!({"name": "s__echo", "arguments": {"text": "x"}});
    let called = app.request(1, "tools/call", echo.clone()).await;
    assert_eq!(called["result"]["content"][0]["text"], "x", "{called}");
    scene.host.set_app_level("claude-code", Some(AppLevel::ReadOnly)).await.unwrap();
    let refused = app.request(2, "tools/call", echo).await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    let said = refused["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("read-only"), "{said}");
    assert_eq!(scene.verdicts("rule").await, ["app_asks", "not_read_only"]);
    assert!(scene.host.app_access("claude-code").used_at_us.is_some());
    scene.close().await;
}

#[tokio::test]
async fn what_is_off_for_an_app_is_absent_and_refused() {
    let mut scene = Scene::open().await;
    let (one, two) = (scene.add("one").await, scene.add("two").await);
    scene.approve(one).await;
    scene.approve(two).await;
    let mut app = scene.initialized("claude-code", None).await;
    let mut other = scene.initialized("other", None).await;
    let off = [AppOff { server: one, tool: Some("echo".to_owned()) }, AppOff { server: two, tool: None }];
    scene.host.set_app_off("claude-code", off.into()).await.unwrap();
    app.notification("notifications/tools/list_changed").await;
    let tools = app.tools().await;
    assert!(!tools.is_empty() && !tools.contains(&"one__echo".to_owned()), "{tools:?}");
    assert!(tools.iter().all(|tool| tool.starts_with("one__")), "{tools:?}");
    let refused =
        app.request(1, "tools/call", json!({"name": "one__echo", "arguments": {"text": "x"}})).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let all = other.tools().await;
    assert!(all.contains(&"one__echo".to_owned()) && all.contains(&"two__echo".to_owned()), "{all:?}");
    scene.close().await;
}

#[tokio::test]
async fn a_server_that_is_off_is_off_alone_as_well() {
    let mut scene = Scene::open().await;
    let id = scene.add_harbour("harbour").await;
    let mut app = scene.initialized("Editor", Some("harbour")).await;
    let notice = json!({"uri": "harbour://notice"});
    let unlisted = json!({"uri": "harbour://elsewhere"});
    for (request, wanted) in [(1, &notice), (2, &unlisted)] {
        let read = app.request(request, "resources/read", wanted.clone()).await;
        assert!(read["result"]["contents"].is_array(), "{read}");
    }
    assert_eq!(app.request(3, "resources/subscribe", notice.clone()).await["result"], json!({}));
    let off = [AppOff { server: id, tool: None }];
    scene.host.set_app_off("Editor", off.into()).await.unwrap();
    app.notification("notifications/resources/list_changed").await;
    for (request, method, wanted) in [
        (4, "resources/read", &notice),
        (5, "resources/read", &unlisted),
        (6, "resources/subscribe", &notice),
    ] {
        let refused = app.request(request, method, wanted.clone()).await;
        assert_eq!(refused["error"]["code"], -32002, "{method}: {refused}");
    }
    scene.close().await;
}

#[tokio::test]
async fn prompts_and_resources_that_are_off_are_refused() {
    let mut scene = Scene::open().await;
    scene.add_harbour("harbour").await;
    let mut app = scene.initialized("Editor", Some("harbour")).await;
    let count = |listed: &serde_json::Value, member: &str| listed["result"][member].as_array().unwrap().len();
    let lists = [
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ];
    for (method, member) in lists {
        let listed = async {
            while count(&app.request(1, method, json!({})).await, member) == 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(LIMIT, listed).await.unwrap_or_else(|_| panic!("nothing in {method}"));
    }
    let prompts = app.request(2, "prompts/list", json!({})).await;
    let prompt = prompts["result"]["prompts"][0]["name"].clone();
    scene.host.set_app_offers("Editor", false, true).await.unwrap();
    app.notification("notifications/prompts/list_changed").await;
    let refused = app.request(3, "prompts/get", json!({"name": prompt})).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert!(count(&app.request(4, "resources/list", json!({})).await, "resources") > 0);
    scene.host.set_app_offers("Editor", false, false).await.unwrap();
    app.notification("notifications/resources/list_changed").await;
    // Resources that are in no list are refused too.
    for uri in ["harbour://notice", "harbour://elsewhere"] {
        for method in ["resources/read", "resources/subscribe"] {
            let refused = app.request(5, method, json!({"uri": uri})).await;
            assert_eq!(refused["error"]["code"], -32002, "{method}: {refused}");
        }
    }
    for (method, member) in lists {
        assert_eq!(count(&app.request(6, method, json!({})).await, member), 0, "{method}");
    }
    // The level and the tools don't change. A new level keeps what is off.
    scene.host.set_app_level("Editor", Some(AppLevel::ReadOnly)).await.unwrap();
    let access = scene.host.app_access("Editor");
    assert!(access.prompts_off && access.resources_off && access.level == AppLevel::ReadOnly);
    scene.close().await;
}

#[tokio::test]
async fn an_app_whose_calls_are_dismissed_is_muted_alone() {
    let mut scene = Scene::open().await;
    let id = scene.add("s").await;
    scene.approve(id).await;
    let (mut editor, mut other) =
        (scene.initialized("Editor", Some("s")).await, scene.initialized("Other", Some("s")).await);
    let yes = || InteractionAnswer::Accept { content: None, remember: Remember::Once };
    // More calls than a server's questions per minute, and each is answered.
    for call in 1..=7 {
        editor.call(call, "echo", json!({"text": "x"})).await;
        answer(&scene.host, yes()).await;
        assert_eq!(editor.answer(call).await["result"]["content"][0]["text"], "x");
    }
    for call in 1..=3 {
        other.call(call, "echo", json!({"text": "x"})).await;
        answer(&scene.host, InteractionAnswer::Cancel).await;
        assert_eq!(other.answer(call).await["result"]["isError"], true);
    }
    let refused =
        other.request(4, "tools/call", json!({"name": "echo", "arguments": {"text": "x"}})).await.to_string();
    assert!(refused.contains("3 of the app’s calls in a row were dismissed"), "{refused}");
    let silenced = scene.host.inbox().silenced;
    assert_eq!(silenced.iter().map(|one| one.app.as_deref()).collect::<Vec<_>>(), [Some("Other")]);
    editor.call(8, "echo", json!({"text": "x"})).await;
    answer(&scene.host, yes()).await;
    assert_eq!(editor.answer(8).await["result"]["content"][0]["text"], "x");
    // The app can ask again once the user allows it.
    scene.host.lift_app_silence("Other");
    assert!(scene.host.inbox().silenced.is_empty());
    other.call(5, "echo", json!({"text": "x"})).await;
    answer(&scene.host, yes()).await;
    assert_eq!(other.answer(5).await["result"]["content"][0]["text"], "x");
    scene.close().await;
}
