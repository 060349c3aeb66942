//! Profiles: what apps see under them, and what switching does.

use std::path::{Path, PathBuf};

use mooring_base::server_id::ServerId;
use mooring_profiles::{HiddenItem, NewProfile, ProfileServer};
use mooring_server_state::StateName;
use mooring_testkit::{eventually, scripted_server_path};
use serde_json::{Value, json};

use crate::support::{App, LIMIT, Scene, program_server};

const TOOLS_CHANGED: &str = "notifications/tools/list_changed";

fn profile(name: &str, servers: &[ServerId]) -> NewProfile {
    let server = |id: &ServerId| ProfileServer { server: Some(*id), name: format!("number {}", id.0) };
    NewProfile {
        name: name.to_owned(),
        servers: servers.iter().map(server).collect(),
        hidden: Vec::new(),
        folders: None,
        project: None,
    }
}

/// A scene with the servers `a` and `b`, of which apps may call everything.
async fn scene() -> (Scene, ServerId, ServerId) {
    let (scene, a) = Scene::with_open_server("a").await;
    let b = scene.add("b").await;
    scene.approve(b).await;
    (scene, a, b)
}

async fn create(scene: &Scene, profile: NewProfile) -> i64 {
    scene.host.save_profile(None, profile).await.unwrap().id
}

async fn switch(scene: &Scene, id: Option<i64>) -> Option<i64> {
    scene.host.profiles().switch(id).await.unwrap()
}

/// The servers whose tools the app sees.
async fn seen(app: &mut App) -> Vec<String> {
    let mut servers: Vec<String> = app.tools().await.iter().map(|tool| tool[..1].to_owned()).collect();
    servers.dedup();
    servers
}

async fn echo(app: &mut App, server: &str) -> Value {
    let params = json!({"name": format!("{server}__echo"), "arguments": {"text": "ahoy"}});
    app.request(50, "tools/call", params).await
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

fn state(scene: &Scene, id: ServerId) -> StateName {
    scene.host.server(id).unwrap().connection.state
}

#[tokio::test(flavor = "multi_thread")]
async fn a_switch_changes_lists_calls_and_what_runs() {
    let (mut scene, a, b) = scene().await;
    let work = create(&scene, profile("Work", &[a])).await;
    let mut app = scene.initialized("Editor", None).await;
    assert_eq!(seen(&mut app).await, ["a", "b"]);

    assert_eq!(switch(&scene, Some(work)).await, None);
    app.notification(TOOLS_CHANGED).await;
    assert_eq!(seen(&mut app).await, ["a"]);
    assert_eq!(text(&echo(&mut app, "a").await), "ahoy");
    let refused = echo(&mut app, "b").await;
    assert_eq!(refused["result"]["isError"], true);
    let why = "Mooring: “b__echo” isn’t part of the profile “Work”, which is in use.";
    assert!(text(&refused).starts_with(why), "{refused}");
    // A server that the profile leaves out is stopped, and runs again with the way back.
    eventually("b sleeps", LIMIT, || state(&scene, b) == StateName::Asleep).await;
    assert_eq!(state(&scene, a), StateName::Ready);

    assert_eq!(switch(&scene, None).await, Some(work));
    app.notification(TOOLS_CHANGED).await;
    assert_eq!(seen(&mut app).await, ["a", "b"]);
    assert_eq!(text(&echo(&mut app, "b").await), "ahoy");
    eventually("b runs", LIMIT, || state(&scene, b) == StateName::Ready).await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_profile_in_use_stays_over_a_restart() {
    let (mut scene, a, b) = scene().await;
    let work = create(&scene, profile("Work", &[a])).await;
    switch(&scene, Some(work)).await;
    scene.reopen().await;
    let mut app = scene.initialized("Editor", None).await;
    assert_eq!(seen(&mut app).await, ["a"]);
    assert_eq!(state(&scene, b), StateName::Asleep);
    // An app that connects under a profile without servers gets tools later.
    let nothing = create(&scene, profile("Nothing", &[])).await;
    switch(&scene, Some(nothing)).await;
    let mut other = scene.initialized("Other", None).await;
    assert_eq!(other.tools().await, Vec::<String>::new());
    switch(&scene, None).await;
    other.notification(TOOLS_CHANGED).await;
    assert_eq!(seen(&mut other).await, ["a", "b"]);
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_runs_goes_on_after_a_switch() {
    let (mut scene, a, _) = scene().await;
    let folder = scene.home.path().join("notes");
    std::fs::create_dir_all(&folder).unwrap();
    let script = folder.join("server.py");
    std::fs::write(&script, include_str!("sleepy_server.py")).unwrap();
    let words = [script.to_str().unwrap(), folder.to_str().unwrap()];
    let slow = scene.add_program("s", Path::new("python3"), &words).await;
    scene.approve(slow).await;
    let work = create(&scene, profile("Work", &[a])).await;
    let mut app = scene.initialized_with("Editor", None, json!({"elicitation": {}})).await;
    app.call(1, "s__ask", json!({})).await;
    let question = app.notification("elicitation/create").await;
    switch(&scene, Some(work)).await;
    app.notification(TOOLS_CHANGED).await;
    // Longer than a server that is left out stays awake without a use.
    tokio::time::sleep(std::time::Duration::from_secs(4)).await;
    assert_eq!(state(&scene, slow), StateName::Ready);
    let answer = json!({"action": "accept", "content": {"berth": "7"}});
    app.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer})).await;
    let answer = app.answer(1).await;
    assert!(answer["result"]["content"].is_array() && answer["result"]["isError"] != true, "{answer}");
    eventually("it sleeps", LIMIT, || state(&scene, slow) == StateName::Asleep).await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_call_is_decided_by_one_profile_while_two_switch() {
    let (mut scene, a, b) = scene().await;
    let one = create(&scene, profile("One", &[a])).await;
    let two = create(&scene, profile("Two", &[b])).await;
    let mut app = scene.initialized("Editor", None).await;
    let (profiles, others) = (scene.host.profiles().clone(), scene.host.profiles().clone());
    let back_and_forth = async move {
        for _ in 0..20 {
            let (first, second) = tokio::join!(profiles.switch(Some(one)), others.switch(Some(two)));
            first.unwrap();
            second.unwrap();
        }
    };
    let calls = async {
        for _ in 0..20 {
            for (server, other) in [("a", "Two"), ("b", "One")] {
                let answer = echo(&mut app, server).await;
                let said = text(&answer);
                let is_refused = said.contains(&format!("the profile “{other}”"));
                assert!(said == "ahoy" || is_refused, "{said}");
            }
        }
    };
    tokio::join!(back_and_forth, calls);
    let active = scene.host.profiles().in_force().active().map(|active| active.id);
    assert_eq!(active, scene.host.profiles().all().1);
    assert_eq!(seen(&mut app).await, [if active == Some(one) { "a" } else { "b" }]);
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_hidden_from_all_apps_or_from_one() {
    let (mut scene, a, b) = scene().await;
    let hidden = |app: Option<&str>, server, tool: Option<&str>| HiddenItem {
        app: app.map(str::to_owned),
        server,
        tool: tool.map(str::to_owned),
    };
    let items = vec![hidden(None, a, Some("echo")), hidden(Some("Editor"), b, None)];
    let work = create(&scene, NewProfile { hidden: items, ..profile("Work", &[a, b]) }).await;
    let (mut editor, mut other) =
        (scene.initialized("Editor", None).await, scene.initialized("Other", None).await);
    switch(&scene, Some(work)).await;
    assert_eq!(seen(&mut editor).await, ["a"]);
    assert_eq!(seen(&mut other).await, ["a", "b"]);
    for app in [&mut editor, &mut other] {
        assert!(!app.tools().await.contains(&"a__echo".to_owned()));
        assert!(text(&echo(app, "a").await).contains("the profile “Work”"));
    }
    assert!(text(&echo(&mut editor, "b").await).contains("the profile “Work”"));
    assert_eq!(text(&echo(&mut other, "b").await), "ahoy");
    scene.close().await;
}

/// Answers the app's next `roots/list` with these folders.
async fn answer_roots(app: &mut App, roots: &[PathBuf]) {
    let question = app.notification("roots/list").await;
    let roots: Vec<Value> =
        roots.iter().map(|root| json!({"uri": format!("file://{}", root.display())})).collect();
    app.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": roots}})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_project_folder_of_an_app_chooses_its_profile() {
    let (mut scene, a, b) = scene().await;
    let project = scene.home.path().canonicalize().unwrap().join("project");
    std::fs::create_dir_all(project.join("inner")).unwrap();
    let home = create(&scene, profile("Home", &[a])).await;
    let bound = NewProfile { project: Some(project.clone()), ..profile("Project", &[b]) };
    create(&scene, bound).await;
    switch(&scene, Some(home)).await;
    eventually("b sleeps", LIMIT, || state(&scene, b) == StateName::Asleep).await;

    let able = json!({"roots": {"listChanged": true}});
    let mut inside = scene.initialized_with("Inside", None, able).await;
    answer_roots(&mut inside, &[project.join("inner")]).await;
    inside.notification(TOOLS_CHANGED).await;
    assert_eq!(seen(&mut inside).await, ["b"]);
    assert!(text(&echo(&mut inside, "a").await).contains("the profile “Project”"));
    assert_eq!(text(&echo(&mut inside, "b").await), "ahoy");
    // The server of the bound profile runs while the app is there.
    eventually("b runs", LIMIT, || state(&scene, b) == StateName::Ready).await;
    // An app without roots sees the profile in use, and so does one that is only called alike.
    let mut without = scene.initialized("Without", None).await;
    assert_eq!(seen(&mut without).await, ["a"]);
    assert!(text(&echo(&mut without, "b").await).contains("the profile “Home”"));

    // The app leaves the folder.
    inside.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})).await;
    answer_roots(&mut inside, &[project.parent().unwrap().to_owned()]).await;
    inside.notification(TOOLS_CHANGED).await;
    assert_eq!(seen(&mut inside).await, ["a"]);
    eventually("b sleeps again", LIMIT, || state(&scene, b) == StateName::Asleep).await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_server_is_missing_and_its_name_grants_nothing() {
    let (mut scene, a, b) = scene().await;
    let work = create(&scene, profile("Work", &[a, b])).await;
    switch(&scene, Some(work)).await;
    let mut app = scene.initialized("Editor", None).await;
    assert_eq!(seen(&mut app).await, ["a", "b"]);
    scene.host.remove_server(b).await.unwrap();
    app.notification(TOOLS_CHANGED).await;
    assert_eq!(seen(&mut app).await, ["a"]);
    let view = scene.host.profile_views().remove(0);
    let missing: Vec<&str> = view.missing.iter().map(|server| server.name.as_str()).collect();
    assert_eq!((view.servers, missing), (vec![a], vec!["b"]));
    // Another server with that name is not part of the profile.
    let other =
        scene.host.add_server(program_server("b", &scripted_server_path(), &["ok"])).await.unwrap().id;
    eventually("it sleeps", LIMIT, || state(&scene, other) == StateName::Asleep).await;
    assert_eq!(seen(&mut app).await, ["a"]);
    assert_eq!(scene.host.profile_views().remove(0).servers, [a]);
    scene.close().await;
}
