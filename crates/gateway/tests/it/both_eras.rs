//! Servers that support both eras: each app uses its own era, and finds what it would find directly at the
//! server.

use std::fs;
use std::path::Path;

use mooring_base::server_id::ServerId;
use mooring_instances::InstanceId;
use mooring_policy::PinState;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{App, LIMIT, Scene};

/// A scene with the server, once it is known whether the server supports sessions.
async fn scene(arguments: &[&str], speaks: bool) -> (Scene, ServerId) {
    let scene = Scene::open().await;
    let id = add(&scene, "s", arguments, speaks).await;
    scene.approve(id).await;
    scene.allow_all().await;
    (scene, id)
}

async fn add(scene: &Scene, name: &str, arguments: &[&str], speaks: bool) -> ServerId {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/both_eras.py");
    let words: Vec<&str> = [script.to_str().unwrap()].into_iter().chain(arguments.iter().copied()).collect();
    let id = scene.add_program(name, Path::new("python3"), &words).await;
    until_tried(scene, id, speaks).await;
    id
}

async fn until_tried(scene: &Scene, id: ServerId, speaks: bool) {
    let mut events = scene.host.events();
    let tried = async {
        loop {
            let remembered = scene.host.remembered(id).await.unwrap();
            if !remembered.needs_session_trial() && remembered.speaks_session() == speaks {
                return;
            }
            let _lagged = events.recv().await;
        }
    };
    timeout(LIMIT, tried).await.expect("it was not tried in a session");
}

/// The text of a call's result, parsed if it is JSON.
fn output(answer: &Value) -> Value {
    let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}

fn names(answer: &Value) -> Vec<String> {
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

async fn alone(app: &mut App, id: u32, tool: &str) -> Value {
    app.alone(id, "tools/call", json!({"name": tool, "arguments": {}}), &json!({})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn each_app_is_spoken_to_in_its_own_era() {
    let (mut scene, id) = scene(&[], true).await;
    let mut session = scene.initialized_with("Session", Some("s"), json!({"elicitation": {}})).await;
    let mut stateless = scene.connect("Alone", Some("s"));
    assert_eq!(session.tools().await, ["same", "asks", "in_session"]);
    let listed = stateless.alone(1, "tools/list", json!({}), &json!({})).await;
    assert_eq!(names(&listed), ["same", "asks", "by_itself"]);
    let found = stateless.alone(2, "server/discover", json!({}), &json!({})).await;
    assert_eq!(found["result"]["capabilities"]["logging"], Value::Null, "{found}");

    session.call(3, "in_session", json!({})).await;
    let own = output(&session.answer(3).await);
    assert_eq!(own["era"], "session");
    let other = output(&alone(&mut stateless, 3, "by_itself").await);
    assert_eq!(other["era"], "alone");
    assert_ne!(own["pid"], other["pid"]);
    // A tool of the other era is unknown.
    session.call(4, "by_itself", json!({})).await;
    assert_eq!(session.answer(4).await["error"]["code"], -32602);
    let unknown = alone(&mut stateless, 4, "in_session").await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");

    // One connection can use both eras, and all apps of the session era share one session.
    let mut both = scene.initialized("Both", None).await;
    assert_eq!(both.tools().await, ["s__same", "s__asks", "s__in_session"]);
    let listed = both.alone(5, "tools/list", json!({}), &json!({})).await;
    assert_eq!(names(&listed), ["s__same", "s__asks", "s__by_itself"]);
    both.call(6, "s__same", json!({})).await;
    assert_eq!(output(&both.answer(6).await)["pid"], own["pid"]);
    let instances = scene.host.server(id).unwrap().instances;
    assert!(matches!(&instances[..], [one] if one.in_session && one.app.is_none()), "{instances:?}");

    // During calls of both apps, a question reaches the app whose call it belongs to.
    session.call(7, "asks", json!({})).await;
    let question = session.notification("elicitation/create").await;
    assert_eq!(output(&alone(&mut stateless, 7, "same").await)["pid"], other["pid"]);
    let ship = json!({"action": "accept", "content": {"name": "Fair Wind"}});
    session.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": ship})).await;
    assert_eq!(output(&session.answer(7).await), ship);
    scene.close().await;
}

/// Two apps of different eras call at the same time, before any call has shown how the server behaves.
#[tokio::test(flavor = "multi_thread")]
async fn a_question_in_one_era_holds_up_no_call_in_the_other() {
    let (mut scene, _) = scene(&[], true).await;
    let mut session = scene.initialized_with("Session", Some("s"), json!({"elicitation": {}})).await;
    let mut stateless = scene.connect("Alone", Some("s"));
    session.call(1, "asks", json!({})).await;
    let question = session.notification("elicitation/create").await;
    assert_eq!(output(&alone(&mut stateless, 1, "by_itself").await)["era"], "alone");
    let ship = json!({"action": "accept", "content": {"name": "Fair Wind"}});
    session.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": ship})).await;
    assert_eq!(output(&session.answer(1).await), ship);
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_one_era_is_tried_in_the_other_once() {
    let (mut scene, id) = scene(&["alone"], false).await;
    let mut app = scene.initialized("Session", Some("s")).await;
    assert_eq!(app.tools().await, ["same", "asks", "by_itself"]);
    app.call(1, "same", json!({})).await;
    assert_eq!(output(&app.answer(1).await)["era"], "alone");
    assert!(scene.host.server(id).unwrap().instances.is_empty());
    drop(app);
    scene.reopen().await;
    let mut app = scene.initialized("Session", Some("s")).await;
    assert_eq!(app.tools().await, ["same", "asks", "by_itself"]);
    app.call(1, "same", json!({})).await;
    assert_eq!(output(&app.answer(1).await)["era"], "alone");
    assert!(!scene.host.remembered(id).await.unwrap().needs_session_trial());
    scene.close().await;
}

/// The eras that a server supports may change.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_comes_back_in_another_era_is_still_used() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("era");
    fs::write(&file, "both").unwrap();
    let (mut scene, id) = scene(&[&format!("era={}", file.display())], true).await;
    let mut app = scene.initialized("Session", Some("s")).await;
    let mut era_of = async |id: u32| {
        app.call(id, "same", json!({})).await;
        output(&app.answer(id).await)["era"].clone()
    };
    assert_eq!(era_of(1).await, "session");
    fs::write(&file, "alone").unwrap();
    scene.host.restart(id).await.unwrap();
    for instance in scene.host.server(id).unwrap().instances {
        scene.host.end_instance(InstanceId { server: id, number: instance.number });
    }
    assert_eq!(era_of(2).await, "alone");
    fs::write(&file, "both").unwrap();
    scene.host.restart(id).await.unwrap();
    assert_eq!(era_of(3).await, "session");
    scene.close().await;
}

/// Both eras are approved together, because the definitions of one may differ from those of the other.
#[tokio::test(flavor = "multi_thread")]
async fn both_eras_are_approved_together() {
    let scene = Scene::open().await;
    let described = scene.home.path().join("described");
    std::fs::write(&described, "As it was").unwrap();
    let id = add(&scene, "s", &[described.to_str().unwrap()], true).await;
    let items = scene.host.trust(id).await.unwrap().items;
    let named: Vec<&str> = items.iter().map(|item| &*item.name).collect();
    assert_eq!(named, ["asks", "by_itself", "in_session", "same"]);
    let asks = &items[0].now;
    assert!(asks.contains("as of session") && asks.contains("as of alone"), "{asks}");
    scene.approve(id).await;
    scene.allow_all().await;
    let mut scene = scene;
    let mut app = scene.initialized("Session", Some("s")).await;
    assert_eq!(app.tools().await, ["same", "asks", "in_session"]);
    drop(app);

    // A change is compared in both eras before it is approved, and approved once.
    std::fs::write(&described, "As it is").unwrap();
    scene.host.restart(id).await.unwrap();
    scene.host.need_server(id);
    let mut events = scene.host.events();
    let is_new = async {
        loop {
            let items = scene.host.trust(id).await.unwrap().items;
            let same = items.iter().find(|item| item.name == "same").unwrap();
            if same.state == PinState::Changed && !same.now.contains("As it was") {
                return same.clone();
            }
            let _lagged = events.recv().await;
        }
    };
    let same = timeout(LIMIT, is_new).await.expect("it was not looked at again");
    let approval = mooring_policy::PinApproval { kind: same.kind, name: same.name, hash: same.hash };
    scene.host.approve_trust(id, &[approval]).await.unwrap();
    let mut app = scene.initialized("Session", Some("s")).await;
    app.call(1, "same", json!({})).await;
    assert_eq!(output(&app.answer(1).await)["era"], "session");
    let called = alone(&mut app, 2, "same").await;
    assert_eq!(output(&called)["era"], "alone");
    scene.close().await;
}
