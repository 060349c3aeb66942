//! Servers that start on first use and sleep when they are not used.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_calls::ToolCall;
use mooring_definitions::{NewServer, StartRule};
use mooring_instances::InstanceRule;
use mooring_log::{LogKind, LogQuery};
use mooring_policy::{Caller, Decision, NewRule};
use mooring_server_state::StateName;
use mooring_settings::Settings;
use mooring_testkit::{eventually, is_alive};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{App, LIMIT, Scene, program_server};

const SERVER: &str = include_str!("sleepy_server.py");
/// Longer than a server that is not used stays awake in these tests.
const LONG: Duration = Duration::from_secs(3);

/// The folder of a server's notes, in which it also finds what to do.
struct Notes(PathBuf);

impl Notes {
    fn read(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.0.join(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    /// How many processes of the server are alive.
    fn count_alive(&self) -> usize {
        self.read("starts").iter().filter(|pid| is_alive(pid.parse().unwrap())).count()
    }
}

fn definition(scene: &Scene, name: &str) -> (NewServer, Notes) {
    let folder = scene.home.path().join(format!("notes-{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    let script = folder.join("server.py");
    std::fs::write(&script, SERVER).unwrap();
    let words = [script.to_str().unwrap(), folder.to_str().unwrap()];
    let server = program_server(name, Path::new("python3"), &words);
    (NewServer { start: StartRule::OnUse, ..server }, Notes(folder))
}

/// Adds a server that starts on first use, and waits until its lists were read.
async fn add(scene: &Scene, name: &str) -> (ServerId, Notes) {
    let (server, notes) = definition(scene, name);
    let id = scene.host.add_server(server).await.unwrap().id;
    scene.host.need_server(id);
    until_state(scene, id, StateName::Ready).await;
    scene.host.tools(id, false).await.unwrap();
    scene.host.resources(id, false).await.unwrap();
    scene.approve(id).await;
    (id, notes)
}

/// A scene with one server that starts on first use, and that sleeps after a second without use.
async fn scene() -> (Scene, ServerId, Notes) {
    let scene = Scene::open().await;
    set_sleep_after(&scene, 1).await;
    let (id, notes) = add(&scene, "s").await;
    scene.allow_all().await;
    (scene, id, notes)
}

async fn set_sleep_after(scene: &Scene, seconds: u32) {
    let settings = Settings { sleep_after_seconds: seconds, ..scene.host.settings() };
    scene.host.set_settings(settings).await.unwrap();
}

fn state(scene: &Scene, id: ServerId) -> StateName {
    scene.host.server(id).unwrap().connection.state
}

async fn until_state(scene: &Scene, id: ServerId, wanted: StateName) {
    eventually(wanted.as_str(), LIMIT, || state(scene, id) == wanted).await;
}

/// The process that answers a call.
fn answering(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

async fn call(app: &mut App, id: u32, tool: &str) -> Value {
    app.request(id, "tools/call", json!({"name": tool, "arguments": {"id": id}})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_wakes_a_server_that_sleeps_when_it_is_not_used() {
    let (mut scene, id, notes) = scene().await;
    // A server that was never connected is started once, so that its lists can be read.
    assert_eq!(notes.read("starts").len(), 1);
    until_state(&scene, id, StateName::Asleep).await;
    eventually("its process ends", LIMIT, || notes.count_alive() == 0).await;

    scene.reopen().await;
    let mut app = scene.initialized("Editor", None).await;
    assert_eq!(app.tools().await, ["s__where", "s__ask", "s__slow"]);
    assert_eq!((state(&scene, id), notes.read("starts").len()), (StateName::Asleep, 1));
    // What was listed before is still known.
    let view = scene.host.server(id).unwrap().connection;
    assert_eq!((view.tool_count, view.prompt_count), (Some(3), Some(0)));
    let answer = call(&mut app, 1, "s__where").await;
    assert_eq!(notes.read("starts").last().unwrap(), answering(&answer));
    assert_eq!((state(&scene, id), notes.read("starts").len()), (StateName::Ready, 2));
    assert_eq!(answering(&call(&mut app, 2, "s__where").await), answering(&answer));
    until_state(&scene, id, StateName::Asleep).await;
    eventually("its process ends", LIMIT, || notes.count_alive() == 0).await;
    // The app sees the same tools as before.
    assert_eq!(app.tools().await.len(), 3);
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_hears_that_its_call_waits_for_the_start() {
    let (mut scene, id, notes) = scene().await;
    until_state(&scene, id, StateName::Asleep).await;
    notes.write("delay", "2.5");
    let mut app = scene.initialized("Editor", None).await;
    let params = json!({"name": "s__where", "arguments": {}, "_meta": {"progressToken": "p"}});
    app.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})).await;
    let notice = app.notification("notifications/progress").await;
    assert_eq!(notice["params"]["progressToken"], "p");
    assert_eq!(notice["params"]["message"], "waits until Mooring has started the server");
    assert_eq!(state(&scene, id), StateName::Starting);
    answering(&app.answer(1).await);
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_race_with_falling_asleep_run_once() {
    let (mut scene, id, notes) = scene().await;
    let (mut one, mut two) = (scene.initialized("One", None).await, scene.initialized("Two", None).await);
    until_state(&scene, id, StateName::Asleep).await;
    let mut made = 0;
    // The pauses surround the moment at which the server falls asleep.
    for round in 0..12 {
        for app in [&mut one, &mut two] {
            app.call(100 + round, "s__where", json!({"id": made})).await;
            made += 1;
        }
        for app in [&mut one, &mut two] {
            answering(&app.answer(100 + round).await);
        }
        tokio::time::sleep(Duration::from_millis(990 + u64::from(round) * 3)).await;
    }
    let mut calls = notes.read("calls");
    assert_eq!(calls.len(), made);
    calls.sort();
    calls.dedup();
    assert_eq!(calls.len(), made, "a call ran twice");
    assert!(notes.read("starts").len() > 2, "it never fell asleep");
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn followed_resources_tasks_and_questions_keep_a_server() {
    let (mut scene, id, notes) = scene().await;
    let mut app = scene.initialized_with("Editor", Some("s"), json!({"elicitation": {}})).await;

    let followed = app.request(1, "resources/subscribe", json!({"uri": "tide://now"})).await;
    assert_eq!(followed["result"], json!({}), "{followed}");
    let first = notes.read("starts").len();
    tokio::time::sleep(LONG).await;
    assert_eq!((state(&scene, id), notes.read("starts").len()), (StateName::Ready, first));
    app.request(2, "resources/unsubscribe", json!({"uri": "tide://now"})).await;
    until_state(&scene, id, StateName::Asleep).await;

    app.call(3, "slow", json!({})).await;
    until_state(&scene, id, StateName::Ready).await;
    tokio::time::sleep(LONG).await;
    assert_eq!(state(&scene, id), StateName::Ready);
    notes.write("done", "yes");
    assert_eq!(answering(&app.answer(3).await), notes.read("starts").last().unwrap());
    until_state(&scene, id, StateName::Asleep).await;

    app.call(4, "ask", json!({})).await;
    let question = app.notification("elicitation/create").await;
    tokio::time::sleep(LONG).await;
    assert_ne!(state(&scene, id), StateName::Asleep);
    app.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}})).await;
    assert_eq!(answering(&app.answer(4).await), notes.read("starts").last().unwrap());
    until_state(&scene, id, StateName::Asleep).await;
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_definitions_are_blocked_when_a_server_wakes() {
    let (mut scene, id, notes) = scene().await;
    until_state(&scene, id, StateName::Asleep).await;
    notes.write("description", "sends everything to me");
    let mut app = scene.initialized("Editor", None).await;
    let refused = call(&mut app, 1, "s__where").await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert!(notes.read("calls").is_empty(), "{refused}");
    assert!(refused.to_string().contains("changed"), "{refused}");

    // What is known to have changed is denied without another start.
    until_state(&scene, id, StateName::Asleep).await;
    let starts = notes.read("starts");
    let refused = call(&mut app, 2, "s__where").await;
    assert!(refused.to_string().contains("changed"), "{refused}");
    assert_eq!((state(&scene, id), notes.read("starts")), (StateName::Asleep, starts.clone()));
    // Once it is listed as it was approved, it can be called again.
    notes.write("description", "says which process answers");
    scene.host.tools(id, true).await.unwrap();
    answering(&call(&mut app, 3, "s__where").await);
    until_state(&scene, id, StateName::Asleep).await;
    let starts = notes.read("starts");

    // Another program changes the server's own definition. A call does not start it.
    scene.reopen_after("UPDATE server SET definition = replace(definition, 'server.py', 'other.py')").await;
    notes.write("other.py", SERVER);
    let mut app = scene.initialized("Editor", None).await;
    let refused = call(&mut app, 1, "s__where").await;
    assert!(refused.to_string().contains("changed"), "{refused}");
    assert_eq!((state(&scene, id), notes.read("starts")), (StateName::Changed, starts));
    scene.close().await;
}

/// Adds a rule that denies a tool, or with `None` every tool that may destroy something.
async fn deny(scene: &Scene, tool: Option<&str>) {
    let rule = NewRule {
        effect: Decision::Deny,
        server: None,
        tool: tool.map(str::to_owned),
        caller: None,
        destructive_only: tool.is_none(),
        arguments: Vec::new(),
        expires_ms: None,
    };
    scene.host.save_rule(None, rule).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denied_call_does_not_wake_a_server() {
    let (mut scene, id, notes) = scene().await;
    scene.host.set_instance_rule(id, InstanceRule::PerApp).await.unwrap();
    deny(&scene, Some("where")).await;
    let (mut one, mut two) = (scene.initialized("One", None).await, scene.initialized("Two", None).await);
    until_state(&scene, id, StateName::Asleep).await;
    let starts = notes.read("starts");
    for app in [&mut one, &mut two] {
        let refused = call(app, 2, "s__where").await;
        assert_eq!(refused["result"]["isError"], true, "{refused}");
    }
    // A call that does not come through the gateway is denied as well.
    let denied = ToolCall {
        request: None,
        tool: "where".to_owned(),
        arguments: None,
        caller: Caller::CommandLine,
        idle: None,
        total: None,
    };
    let outcome = scene.host.call_tool(id, denied, Arc::new(|_| {})).await;
    assert_eq!(outcome.unwrap_err().code().as_str(), "denied");
    assert_eq!((state(&scene, id), notes.read("starts")), (StateName::Asleep, starts));
    assert!(notes.read("calls").is_empty());
    assert_eq!(scene.verdicts("decision").await, ["deny"; 3]);
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_of_a_sleeping_server_count_after_a_restart() {
    let (mut scene, id, notes) = scene().await;
    deny(&scene, None).await;
    until_state(&scene, id, StateName::Asleep).await;
    scene.reopen().await;
    let mut app = scene.initialized("Editor", None).await;
    let starts = notes.read("starts");
    let refused = call(&mut app, 1, "s__where").await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert_eq!((state(&scene, id), notes.read("starts")), (StateName::Asleep, starts));
    // This tool says that it only reads, so that the rule does not match.
    notes.write("done", "yes");
    assert_eq!(answering(&call(&mut app, 2, "s__slow").await), notes.read("starts").last().unwrap());
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_wake_says_why() {
    let (mut scene, id, notes) = scene().await;
    until_state(&scene, id, StateName::Asleep).await;
    notes.write("fails", "yes");
    let mut app = scene.initialized("Editor", None).await;
    let refused = call(&mut app, 1, "s__where").await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    let text = answering(&refused);
    assert!(text.contains("s isn’t connected") && text.contains("the tide is out"), "{text}");
    let view = scene.host.server(id).unwrap().connection;
    assert!(matches!(view.state, StateName::Reconnecting | StateName::Starting | StateName::Failed));
    std::fs::remove_file(notes.0.join("fails")).unwrap();
    let works = async { while call(&mut app, 2, "s__where").await["result"]["isError"] == true {} };
    timeout(LIMIT, works).await.expect("it never woke");
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_instance_of_a_server_falls_asleep() {
    let (mut scene, id, notes) = scene().await;
    scene.host.set_instance_rule(id, InstanceRule::PerApp).await.unwrap();
    let (mut one, mut two) = (scene.initialized("One", None).await, scene.initialized("Two", None).await);
    let pids = (call(&mut one, 1, "s__where").await, call(&mut two, 1, "s__where").await);
    assert_ne!(answering(&pids.0), answering(&pids.1));
    eventually("all instances sleep", LIMIT, || notes.count_alive() == 0).await;
    let instances = scene.host.server(id).unwrap().instances;
    assert!(instances.iter().all(|instance| instance.state == StateName::Asleep), "{instances:?}");
    let again = (call(&mut one, 2, "s__where").await, call(&mut two, 2, "s__where").await);
    assert_ne!(answering(&again.0), answering(&again.1));
    assert_ne!(answering(&again.0), answering(&pids.0));
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_servers_that_sleep_have_no_process() {
    let mut scene = Scene::open().await;
    set_sleep_after(&scene, 1).await;
    let mut servers = Vec::new();
    for number in 0..20 {
        servers.push(add(&scene, &format!("s{number}")).await);
    }
    let alive = || servers.iter().map(|(_, notes)| notes.count_alive()).sum::<usize>();
    eventually("all sleep", LIMIT, || alive() == 0).await;
    scene.reopen().await;
    let mut app = scene.initialized("Editor", None).await;
    assert_eq!(app.tools().await.len(), 60);
    tokio::time::sleep(LONG).await;
    assert_eq!(alive(), 0);
    scene.host.pause_servers().await.unwrap();
    scene.host.resume_servers().await.unwrap();
    for (id, _) in &servers {
        until_state(&scene, *id, StateName::Asleep).await;
    }
    let starts: usize = servers.iter().map(|(_, notes)| notes.read("starts").len()).sum();
    assert_eq!(starts, 20, "one was started without a use");
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_says_which_app_woke_a_server() {
    let (mut scene, id, _notes) = scene().await;
    let mut app = scene.initialized("Editor", None).await;
    until_state(&scene, id, StateName::Asleep).await;
    answering(&call(&mut app, 1, "s__where").await);
    until_state(&scene, id, StateName::Asleep).await;
    let person = ToolCall {
        request: None,
        tool: "where".to_owned(),
        arguments: None,
        caller: Caller::Workbench,
        idle: None,
        total: None,
    };
    scene.host.call_tool(id, person, Arc::new(|_| {})).await.unwrap();
    let query = LogQuery { limit: 100, kinds: vec![LogKind::State], ..LogQuery::default() };
    let woken = scene.log_bodies(&query).await.into_iter().filter_map(|body| {
        let body: Value = serde_json::from_str(&body).unwrap();
        assert!(body["state"] == "starting" || body["reason"].is_null(), "{body}");
        body["reason"].as_str().map(str::to_owned)
    });
    assert_eq!(woken.collect::<Vec<_>>(), ["you woke this server", "Editor woke this server"]);
    scene.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unused_server_sleeps_when_the_person_wants_it() {
    let (mut scene, id, notes) = scene().await;
    set_sleep_after(&scene, 3_600).await;
    let (one, mut two) = (scene.initialized("One", None).await, scene.initialized("Two", None).await);
    scene.host.set_instance_rule(id, InstanceRule::PerApp).await.unwrap();
    drop(one);
    answering(&call(&mut two, 1, "s__where").await);
    until_state(&scene, id, StateName::Ready).await;
    two.call(2, "s__slow", json!({})).await;
    eventually("the call runs", LIMIT, || !scene.host.let_sleep(id).unwrap()).await;
    notes.write("done", "yes");
    answering(&two.answer(2).await);
    eventually("it may sleep", LIMIT, || scene.host.let_sleep(id).unwrap()).await;
    until_state(&scene, id, StateName::Asleep).await;
    eventually("its processes end", LIMIT, || notes.count_alive() == 0).await;
    answering(&call(&mut two, 3, "s__where").await);

    // A server that starts with Mooring does not sleep.
    let other = scene.add("always").await;
    assert!(!scene.host.let_sleep(other).unwrap());
    assert_eq!(state(&scene, other), StateName::Ready);
    scene.close().await;
}
