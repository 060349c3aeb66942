//! Gateways that stop and start while apps stay.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mooring_gateway::{Gateway, ServiceEnd, take_over};
use mooring_host::{Host, HostOptions};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::support::{LIMIT, Scene, options, standing_alone};

#[tokio::test]
async fn an_app_outlives_the_gateway() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.initialized("Editor", Some("s")).await;
    app.call(1, "never", json!({})).await;
    assert!(app.tools().await.contains(&"never".to_owned()));
    scene.tasks.shutdown().await;
    // A call that may have run isn't repeated. Requests that arrive meanwhile wait.
    let interrupted = app.answer(1).await;
    assert!(
        interrupted["error"]["message"].as_str().unwrap().contains("may have been done"),
        "{interrupted}"
    );
    app.call(2, "echo", json!({"text": "later"})).await;
    scene.listen();
    app.notification("notifications/tools/list_changed").await;
    let later = app.answer(2).await;
    assert_eq!(later["result"]["content"][0]["text"], "later", "{later}");
    // For the app, it is still the same session.
    let again = app.request(3, "initialize", crate::support::initialize("2025-11-25")).await;
    assert!(again["error"]["message"].as_str().unwrap().contains("initialized already"), "{again}");
    assert_eq!(scene.starts.load(Ordering::Relaxed), 0);
    scene.close().await;
}

#[tokio::test]
async fn a_stream_of_changes_ends_with_its_gateway() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.connect("Editor", Some("s"));
    let params = standing_alone(json!({"notifications": {"toolsListChanged": true}}), &json!({}));
    app.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "subscriptions/listen", "params": params})).await;
    app.notification("notifications/subscriptions/acknowledged").await;
    scene.tasks.shutdown().await;
    // The app knows that it has to listen again, and to read its lists again.
    let ended = app.answer(7).await;
    let subscription = &ended["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!((&ended["result"]["resultType"], subscription), (&json!("complete"), &json!(7)));
    scene.listen();
    let listed = app.alone(8, "tools/list", json!({}), &json!({})).await;
    assert!(listed["result"]["tools"].is_array(), "{listed}");
    scene.close().await;
}

#[tokio::test]
async fn a_gateway_is_started_where_none_is() {
    let mut scene = Scene::open().await;
    scene.tasks.shutdown().await;
    let mut app = scene.connect("Editor", None);
    app.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).await;
    let started = async {
        while scene.starts.load(Ordering::Relaxed) == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LIMIT, started).await.unwrap();
    scene.listen();
    assert_eq!(app.answer(1).await["result"], json!({}));
    scene.close().await;
}

/// More requests than a bridge holds.
const FLOOD: u32 = 5_000;

#[tokio::test]
async fn an_app_that_floods_waits_for_the_gateway_that_is_missing() {
    let mut scene = Scene::open().await;
    scene.tasks.shutdown().await;
    let app = scene.connect("Editor", None);
    let (mut to, mut from) = (app.to, app.from);
    let mut flooding = JoinSet::new();
    flooding.spawn(async move {
        for id in 1..=FLOOD {
            let params = json!({"padding": "x".repeat(1_000)});
            let ping = json!({"jsonrpc": "2.0", "id": id, "method": "ping", "params": params});
            to.write_all(format!("{ping}\n").as_bytes()).await.unwrap();
        }
        to
    });
    assert!(timeout(Duration::from_millis(500), flooding.join_next()).await.is_err(), "all of it is held");
    scene.listen();
    for _ in 1..=FLOOD {
        let mut line = String::new();
        timeout(LIMIT, from.read_line(&mut line)).await.expect("an answer is missing").unwrap();
        assert!(line.contains("\"result\":{}"), "{line}");
    }
    scene.close().await;
}

fn without_person(scene: &Scene) -> HostOptions {
    HostOptions { has_person: false, ..options(scene.home.path()) }
}

#[tokio::test]
async fn a_window_takes_over_from_a_gateway_without_one() {
    let mut scene = Scene::open().await;
    let id = scene.add("s").await;
    scene.approve(id).await;
    scene.add_app("Editor").await;
    // A window doesn't release its data folder.
    assert!(!take_over(scene.home.path()).await);
    scene.tasks.shutdown().await;
    scene.host.shutdown().await;

    let service = Host::open(without_person(&scene)).await.unwrap();
    let gateway = Gateway::listen(service.home()).unwrap();
    let mut serving = JoinSet::new();
    serving.spawn({
        let service = service.clone();
        async move {
            let ended = gateway.serve_until_idle(service.clone(), Some(LIMIT)).await;
            service.shutdown().await;
            ended
        }
    });
    let mut app = scene.initialized("Editor", Some("s")).await;
    let listed = async {
        while !app.tools().await.contains(&"echo".to_owned()) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(LIMIT, listed).await.unwrap();
    // No one is there to approve the call, and the model receives that reason.
    app.call(1, "echo", json!({"text": "x"})).await;
    let refused = app.answer(1).await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert!(take_over(scene.home.path()).await);
    scene.host = Host::open(options(scene.home.path())).await.unwrap();
    assert_eq!(serving.join_next().await.unwrap().unwrap(), ServiceEnd::HandedOver);
    scene.listen();
    app.notification("notifications/tools/list_changed").await;
    assert_eq!(app.request(2, "ping", json!({})).await["result"], json!({}));
    scene.close().await;
}

#[tokio::test]
async fn a_gateway_without_a_window_ends_when_nobody_needs_it() {
    let mut scene = Scene::open().await;
    scene.tasks.shutdown().await;
    let gateway = Gateway::listen(scene.host.home()).unwrap();
    let idle = Duration::from_millis(300);
    let mut serving = JoinSet::new();
    serving.spawn(gateway.serve_until_idle(scene.host.clone(), Some(idle)));
    let mut app = scene.initialized("Editor", None).await;
    tokio::time::sleep(2 * idle).await;
    assert_eq!(app.request(1, "ping", json!({})).await["result"], json!({}), "it has an app");
    drop(app);
    assert_eq!(timeout(LIMIT, serving.join_next()).await.unwrap().unwrap().unwrap(), ServiceEnd::Idle);
    scene.close().await;
}

/// More calls than fit into the buffers on the way. Each answer is as large as its arguments.
const LARGE_CALLS: u32 = 40;

#[tokio::test]
async fn large_calls_and_large_answers_pass_each_other() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let app = scene.initialized("Editor", Some("s")).await;
    let (mut to, mut from) = (app.to, app.from);
    let text = "x".repeat(300_000);
    let mut calling = JoinSet::new();
    calling.spawn(async move {
        for id in 1..=LARGE_CALLS {
            let params = json!({"name": "echo", "arguments": {"text": text}});
            let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
            to.write_all(format!("{call}\n").as_bytes()).await.unwrap();
        }
        to
    });
    for answered in 1..=LARGE_CALLS {
        let mut line = String::new();
        let read = timeout(LIMIT, from.read_line(&mut line)).await;
        read.unwrap_or_else(|_| panic!("nothing moves after {} answers", answered - 1)).unwrap();
        assert!(line.contains("\"result\":"), "{}", line.get(..300).unwrap_or(&line));
    }
    scene.close().await;
}

/// The limit for arguments equals the one for results.
#[tokio::test]
async fn arguments_are_as_large_as_results() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.initialized("Editor", Some("s")).await;
    let mut other = scene.initialized("Other", Some("s")).await;
    let text = "x".repeat(15 << 20);
    app.call(1, "echo", json!({"text": text})).await;
    // It doesn't delay another app.
    other.call(1, "echo", json!({"text": "y"})).await;
    assert!(other.answer(1).await.to_string().contains('y'));
    let answer = app.answer(1).await.to_string();
    assert!(answer.contains(&text), "{}", answer.get(..300).unwrap_or(&answer));
    app.call(2, "echo", json!({"text": "x".repeat(17 << 20)})).await;
    let refused = app.answer(2).await;
    assert!(
        refused["error"]["message"].as_str().unwrap().contains("longer than 16777216 bytes"),
        "{refused}"
    );
    app.call(3, "echo", json!({"text": "z"})).await;
    assert!(app.answer(3).await.to_string().contains('z'));
    scene.close().await;
}

#[tokio::test]
async fn a_batch_that_is_refused_is_not_made_later() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.initialized("Editor", Some("s")).await;
    let call = |id: u32| {
        let params = json!({"name": "echo", "arguments": {"text": "x"}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    app.send(&json!([call(1), call(2)])).await;
    let refused = app.receive().await;
    assert!(refused["error"]["message"].as_str().unwrap().contains("batches"), "{refused}");
    scene.tasks.shutdown().await;
    scene.listen();
    // Answers to the two calls would come before this one.
    app.send(&json!({"jsonrpc": "2.0", "id": 3, "method": "ping"})).await;
    loop {
        let next = app.receive().await;
        if next.get("method").is_none() {
            assert_eq!(next, json!({"jsonrpc": "2.0", "id": 3, "result": {}}));
            break;
        }
    }
    assert!(scene.verdicts("decision").await.is_empty());
    scene.close().await;
}

#[tokio::test]
async fn a_question_of_a_gateway_that_is_gone_is_taken_back() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.initialized_with("Editor", Some("s"), json!({"elicitation": {}})).await;
    let form = json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}});
    app.call(1, "ask", json!({"method": "elicitation/create", "params": form})).await;
    let asked = app.notification("elicitation/create").await;
    scene.tasks.shutdown().await;
    let taken_back = app.notification("notifications/cancelled").await;
    assert_eq!(taken_back["params"]["requestId"], asked["id"], "{taken_back}");
    scene.close().await;
}

#[tokio::test]
async fn what_an_app_follows_is_read_anew_after_its_gateway() {
    let mut scene = Scene::open().await;
    scene.add_harbour("harbour").await;
    let mut app = scene.initialized("Editor", Some("harbour")).await;
    let notice = json!({"uri": "harbour://notice"});
    assert_eq!(app.request(1, "resources/subscribe", notice.clone()).await["result"], json!({}));
    scene.tasks.shutdown().await;
    scene.listen();
    assert_eq!(app.notification("notifications/resources/updated").await["params"], notice);
    scene.close().await;
}

#[tokio::test]
async fn an_app_that_missed_events_is_notified_of_all_it_follows() {
    let mut scene = Scene::open().await;
    scene.add_harbour("harbour").await;
    let mut app = scene.initialized("Editor", Some("harbour")).await;
    let notice = json!({"uri": "harbour://notice"});
    assert_eq!(app.request(1, "resources/subscribe", notice.clone()).await["result"], json!({}));
    // Nothing else runs meanwhile, so that more events wait than a receiver may be behind.
    let name = Arc::from("Other");
    for _ in 0..300 {
        drop(scene.host.app_connected(&name));
    }
    assert_eq!(app.notification("notifications/resources/updated").await["params"], notice);
    scene.close().await;
}
