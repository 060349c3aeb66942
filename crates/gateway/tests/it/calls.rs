//! Calls of apps, and messages that aren't calls.

use mooring_inbox::{InteractionAnswer, InteractionQuestion, Remember};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;

use crate::support::{LIMIT, Scene, answer, initialize};

#[tokio::test]
async fn an_app_calls_what_is_approved_once_the_person_agrees() {
    let mut scene = Scene::open().await;
    let id = scene.add("s").await;
    let mut app = scene.initialized("Editor", None).await;
    // A tool that wasn't reviewed isn't listed. Once it is approved, the app gets a notification.
    assert_eq!(app.tools().await, [""; 0]);
    let unknown = app.request(1, "tools/call", json!({"name": "s__echo", "arguments": {"text": "x"}})).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    scene.approve(id).await;
    app.notification("notifications/tools/list_changed").await;
    assert!(app.tools().await.contains(&"s__echo".to_owned()));

    app.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "s__echo", "arguments": {"text": "x"}}}))
        .await;
    let asked =
        answer(&scene.host, InteractionAnswer::Accept { content: None, remember: Remember::Always }).await;
    assert!(matches!(&asked, InteractionQuestion::Tool { tool, .. } if tool == "echo"), "{asked:?}");
    let called = app.answer(2).await;
    assert_eq!(called["result"]["content"][0]["text"], "x", "{called}");
    // The answer is remembered for this app only.
    let again = app.request(3, "tools/call", json!({"name": "s__echo", "arguments": {"text": "y"}})).await;
    assert_eq!(again["result"]["content"][0]["text"], "y", "{again}");
    assert_eq!(scene.host.rules()[0].rule.rule.caller.as_ref().unwrap().as_str(), "app:Editor");
    let mut other = scene.initialized("Other", None).await;
    other
        .send(&json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call",
            "params": {"name": "s__echo", "arguments": {"text": "z"}}}))
        .await;
    answer(&scene.host, InteractionAnswer::Decline { remember: Remember::Once }).await;
    let declined = other.answer(4).await;
    assert_eq!(declined["result"]["isError"], true, "{declined}");

    // Each verdict names the app.
    let mut callers = scene.verdicts("caller").await;
    callers.sort();
    callers.dedup();
    assert_eq!(callers, ["app:Editor", "app:Other"]);
    scene.close().await;
}

#[tokio::test]
async fn one_server_alone_keeps_its_own_names() {
    let mut scene = Scene::open().await;
    for name in ["one", "two"] {
        let id = scene.add(name).await;
        scene.approve(id).await;
    }
    let mut all = scene.initialized("All", None).await;
    let names = all.tools().await;
    assert!(names.contains(&"one__echo".to_owned()) && names.contains(&"two__echo".to_owned()), "{names:?}");
    let mut alone = scene.initialized("One", Some("two")).await;
    assert!(alone.tools().await.contains(&"echo".to_owned()));
    // The first request for an unknown server gets an error.
    let mut lost = scene.connect("Lost", Some("three"));
    let refused = lost.request(0, "initialize", initialize("2025-11-25")).await;
    assert!(refused["error"]["message"].as_str().unwrap().contains("no server named three"), "{refused}");
    scene.close().await;
}

/// Apps put a prefix in front of a name, and then drop, cut or refuse names that are too long.
#[tokio::test]
async fn names_are_as_long_as_the_app_takes() {
    let mut scene = Scene::open().await;
    let name = "a-server-whose-name-leaves-little-room-for-its-tools";
    let id = scene.add(name).await;
    scene.approve(id).await;
    scene.allow_all().await;
    let mut others = Vec::new();
    for (app, longest, limit) in [("opencode", None, 56), ("pier-bot", None, 49), ("pier-bot", Some(32), 32)]
    {
        scene.host.set_app_longest_name(app, longest).await.unwrap();
        let mut app = scene.initialized(app, None).await;
        let names = app.tools().await;
        assert_eq!(names.iter().map(String::len).max(), Some(limit), "{names:?}");
        let echo = names.iter().find(|name| name.ends_with("echo")).unwrap();
        app.call(1, echo, json!({"text": "hello"})).await;
        let answer = app.answer(1).await;
        assert!(answer.get("error").is_none(), "{answer}");
        // Stay connected: apps with different limits must not share a catalogue.
        others.push(app);
    }
    for wrong in [0, 31, 65] {
        let refused = scene.host.set_app_longest_name("pier-bot", Some(wrong)).await.unwrap_err();
        assert!(refused.to_string().contains("isn’t a number from 32 to 64"), "{refused}");
    }
    scene.close().await;
}

#[tokio::test]
async fn what_is_no_request_is_answered_and_harms_nobody() {
    let mut scene = Scene::open().await;
    let mut app = scene.connect("Odd", None);
    let early = app.request(1, "tools/list", json!({})).await;
    assert_eq!(early["error"]["code"], -32600, "{early}");
    assert_eq!(app.request(2, "ping", json!({})).await["result"], json!({}));
    let newer = app.request(3, "initialize", initialize("2099-01-01")).await;
    assert_eq!(newer["result"]["protocolVersion"], "2025-11-25", "{newer}");
    for (text, code) in [
        ("{", -32700),
        ("[]", -32600),
        ("7", -32600),
        (r#"{"jsonrpc":"2.0","id":null}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":4,"method":"no/such"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":[]}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"x://y"}}"#, -32002),
        (r#"{"jsonrpc":"2.0","id":4,"method":"initialize","params":{}}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":4,"method":"initialize","params":[]}"#, -32602),
    ] {
        app.send_text(text).await;
        let answer = app.receive().await;
        assert_eq!(answer["error"]["code"], code, "{text}: {answer}");
    }
    // Messages about requests that don't run get no answer.
    app.send_text("").await;
    app.send_text(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#).await;
    app.send_text(r#"{"jsonrpc":"2.0","id":5,"result":{}}"#).await;
    app.send_text(&format!(r#"{{"jsonrpc":"2.0","method":"{}"}}"#, "x".repeat(17 << 20))).await;
    let large = app.receive().await;
    assert!(large["error"]["message"].as_str().unwrap().contains("16777216"), "{large}");
    assert_eq!(app.request(6, "ping", json!({})).await["result"], json!({}));
    scene.close().await;
}

#[tokio::test]
async fn what_an_app_gives_up_is_withdrawn_without_an_answer() {
    let mut scene = Scene::open().await;
    let id = scene.add("s").await;
    scene.approve(id).await;
    let mut app = scene.initialized("Editor", None).await;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "s__echo", "arguments": {"text": "x"}}});
    for gives_up in ["cancels", "leaves"] {
        app.send(&call).await;
        let mut events = scene.host.events();
        while scene.host.inbox().waiting.is_empty() {
            let _lagged = events.recv().await;
        }
        if gives_up == "cancels" {
            app.send(
                &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
            )
            .await;
        } else {
            app.to.shutdown().await.unwrap();
        }
        let withdrawn = async {
            while !scene.host.inbox().waiting.is_empty() {
                let _lagged = events.recv().await;
            }
        };
        tokio::time::timeout(LIMIT, withdrawn)
            .await
            .unwrap_or_else(|_| panic!("{gives_up}: the question stays"));
        if gives_up == "cancels" {
            assert_eq!(app.request(2, "ping", json!({})).await["result"], json!({}));
        }
    }
    scene.close().await;
}
