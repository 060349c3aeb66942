//! Which instance of a server an app's calls go to.

use std::path::Path;

use mooring_base::server_id::ServerId;
use mooring_instances::{InstanceId, InstanceRule};
use mooring_server_state::InstanceView;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{App, LIMIT, Scene};

const SERVER: &str = include_str!("rooms_server.py");

/// A scene with a server that keeps a page and asks for roots.
async fn scene(arguments: &[&str]) -> (Scene, ServerId) {
    let scene = Scene::open().await;
    let script = scene.home.path().join("rooms_server.py");
    std::fs::write(&script, SERVER).unwrap();
    let words: Vec<&str> = [script.to_str().unwrap()].into_iter().chain(arguments.iter().copied()).collect();
    let id = scene.add_program("s", Path::new("python3"), &words).await;
    scene.host.resources(id, false).await.unwrap();
    scene.approve(id).await;
    scene.allow_all().await;
    (scene, id)
}

/// An app with these roots.
async fn app(scene: &mut Scene, name: &str, roots: &[&str]) -> (App, Vec<String>) {
    let app = scene.initialized_with(name, Some("s"), json!({"roots": {"listChanged": true}})).await;
    (app, roots.iter().map(|root| format!("file:///{root}")).collect())
}

/// What a call returns about its instance. The app lists its roots when it is asked for them.
async fn call(app: &mut (App, Vec<String>), tool: &str, arguments: Value) -> Value {
    app.0.call(7, tool, arguments).await;
    loop {
        let message = app.0.receive().await;
        if message["method"] == "roots/list" {
            let roots: Vec<Value> = app.1.iter().map(|uri| json!({"uri": uri})).collect();
            app.0.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": roots}})).await;
        } else if message["id"] == 7 {
            let text =
                message["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{message}"));
            return serde_json::from_str(text).unwrap_or_else(|_| json!({"said": text}));
        }
    }
}

/// Calls until the server has the roots of the app, because it asks for them beside the call.
async fn place(app: &mut (App, Vec<String>)) -> Value {
    let told = async {
        loop {
            let place = call(app, "where", json!({})).await;
            if place["roots"] != Value::Null {
                return place;
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(LIMIT, told).await.expect("it was told of no folders")
}

fn instances(scene: &Scene, id: ServerId) -> Vec<InstanceView> {
    scene.host.server(id).unwrap().instances
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_asks_for_roots_has_an_instance_for_each_set() {
    let (mut scene, id) = scene(&[]).await;
    let mut one = app(&mut scene, "One", &["a", "b"]).await;
    let mut same = app(&mut scene, "Same", &["b", "a"]).await;
    let mut other = app(&mut scene, "Other", &["c"]).await;
    let (at_one, at_same, at_other) =
        (place(&mut one).await, place(&mut same).await, place(&mut other).await);
    assert_eq!(at_one["roots"], json!(["file:///a", "file:///b"]));
    assert_eq!(at_one, at_same);
    assert_eq!(at_other["roots"], json!(["file:///c"]));
    assert_ne!(at_other["pid"], at_one["pid"]);
    // An app without roots uses the shared instance.
    let mut none = (scene.initialized("None", Some("s")).await, Vec::new());
    let shared = call(&mut none, "where", json!({})).await;
    assert_eq!(shared["pid"], scene.host.server(id).unwrap().connection.pid.unwrap());
    let shown = instances(&scene, id);
    let roots: Vec<_> = shown.iter().map(|one| one.roots.clone().unwrap().join(" ")).collect();
    assert_eq!(roots, ["file:///a file:///b", "file:///c"]);
    assert!(shown.iter().all(|one| one.app.is_none() && one.is_held && one.calls > 0 && one.pid.is_some()));
    // When an app's roots change, it moves to another instance, and nothing of it reaches other apps.
    other.1 = vec!["file:///d".to_owned()];
    other.0.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})).await;
    assert_eq!(place(&mut other).await["roots"], json!(["file:///d"]));
    assert_eq!(place(&mut one).await, at_one);
    // With *Shared*, all apps use one instance.
    scene.host.set_instance_rule(id, InstanceRule::Shared).await.unwrap();
    assert_eq!(call(&mut one, "where", json!({})).await["pid"], shared["pid"]);
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_asks_later_is_apart_from_then_on() {
    let (mut scene, id) = scene(&["later"]).await;
    let mut one = app(&mut scene, "One", &["a"]).await;
    let shared = call(&mut one, "open", json!({"page": "x"})).await;
    assert_eq!((&shared["roots"], instances(&scene, id).len()), (&Value::Null, 0));
    call(&mut one, "ask", json!({})).await;
    let apart = async {
        while instances(&scene, id).is_empty() {
            call(&mut one, "where", json!({})).await;
        }
    };
    timeout(LIMIT, apart).await.expect("it is shared still");
    call(&mut one, "ask", json!({})).await;
    assert_eq!(place(&mut one).await["roots"], json!(["file:///a"]));
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_app_opened_no_other_finds() {
    let (mut scene, id) = scene(&["later"]).await;
    let (mut one, mut other) = (app(&mut scene, "One", &[]).await, app(&mut scene, "Other", &[]).await);
    call(&mut one, "open", json!({"page": "mine"})).await;
    assert_eq!(call(&mut other, "where", json!({})).await["page"], "mine");
    scene.host.set_instance_rule(id, InstanceRule::PerApp).await.unwrap();
    call(&mut one, "open", json!({"page": "mine"})).await;
    let found = call(&mut other, "where", json!({})).await;
    assert!(found["pid"].is_number() && found["page"].is_null(), "{found}");
    // Another connection of the same app finds it.
    let mut again = app(&mut scene, "One", &[]).await;
    assert_eq!(call(&mut again, "where", json!({})).await["page"], "mine");
    // Resources and notifications are separate too.
    let uri = json!({"uri": "page://now"});
    let read = one.0.request(8, "resources/read", uri.clone()).await;
    assert_eq!(read["result"]["contents"][0]["text"], "mine", "{read}");
    for app in [&mut one, &mut other] {
        assert_eq!(app.0.request(9, "resources/subscribe", uri.clone()).await["result"], json!({}));
    }
    other.0.call(10, "note", json!({})).await;
    other.0.notification("notifications/resources/updated").await;
    // One app isn't notified of the other's page.
    one.0.send(&json!({"jsonrpc": "2.0", "id": 10, "method": "ping"})).await;
    assert_eq!(one.0.receive().await["id"], 10);
    one.0.call(11, "note", json!({})).await;
    one.0.notification("notifications/resources/updated").await;
    // An instance that ends is started again by the next call. The other app's instance stays.
    let first = instances(&scene, id)[0].number;
    assert!(scene.host.end_instance(InstanceId { server: id, number: first }));
    assert!(!scene.host.end_instance(InstanceId { server: id, number: first }));
    // The subscriptions of the app move to the new instance, and it is notified of that first. This also
    // works if the app cancels the first call to that instance.
    one.0.call(15, "where", json!({})).await;
    one.0
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 15}}))
        .await;
    for (number, tool) in [(12, "where"), (13, "note")] {
        one.0.call(number, tool, json!({})).await;
        let (mut answer, mut is_told) = (None, false);
        while answer.is_none() || !is_told {
            let message = one.0.receive().await;
            is_told |= message["method"] == "notifications/resources/updated";
            if message["id"] == number {
                answer = Some(message);
            }
        }
        let answer = answer.unwrap();
        if tool == "where" {
            let place = answer["result"]["content"][0]["text"].as_str().unwrap();
            assert!(place.contains(r#""page": null"#), "{answer}");
        }
    }
    call(&mut one, "crash", json!({})).await;
    assert_eq!(call(&mut one, "where", json!({})).await["page"], Value::Null);
    assert_eq!(call(&mut other, "where", json!({})).await["pid"], found["pid"]);
    // All instances end with the server.
    scene.host.stop(id).await.unwrap();
    assert!(instances(&scene, id).is_empty());
    let refused = one.0.request(14, "tools/call", json!({"name": "where"})).await;
    assert!(refused["error"]["message"].is_string(), "{refused}");
    assert!(instances(&scene, id).is_empty());
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn more_apps_than_instances_are_told_so() {
    let (mut scene, id) = scene(&["later"]).await;
    scene.host.set_instance_rule(id, InstanceRule::PerApp).await.unwrap();
    let mut apps = Vec::new();
    for number in 0..8 {
        let mut one = app(&mut scene, &format!("n{number}"), &[]).await;
        call(&mut one, "open", json!({"page": number})).await;
        apps.push(one);
    }
    let mut more = app(&mut scene, "More", &[]).await;
    let refused = call(&mut more, "where", json!({})).await;
    assert!(refused["said"].as_str().unwrap().contains("8 instances are in use"), "{refused}");
    // An app that disconnects makes room.
    drop(apps.remove(2));
    let served = async { while call(&mut more, "where", json!({})).await["pid"].is_null() {} };
    timeout(LIMIT, served).await.expect("nobody made room");
    for (one, page) in apps.iter_mut().zip([0, 1, 3, 4, 5, 6, 7]) {
        assert_eq!(call(one, "where", json!({})).await["page"], page);
    }
    assert_eq!(instances(&scene, id).len(), 8);
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_that_does_not_say_its_folders_shares() {
    let (mut scene, id) = scene(&[]).await;
    let mut one = app(&mut scene, "One", &[]).await;
    one.0.call(7, "where", json!({})).await;
    let question = one.0.notification("roots/list").await;
    let error = json!({"code": -32603, "message": "no"});
    one.0.send(&json!({"jsonrpc": "2.0", "id": question["id"], "error": error})).await;
    assert!(one.0.answer(7).await["result"]["content"][0]["text"].as_str().unwrap().contains("pid"));
    // The app isn't asked again until its roots change.
    assert_eq!(call(&mut one, "where", json!({})).await["roots"], json!([]));
    assert!(instances(&scene, id).is_empty());
    scene.close().await;
}
