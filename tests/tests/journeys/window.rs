//! Saved servers in a supervising Host, as in the window: many at once, stopped, restarted, and reloaded.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mooring_base::server_id::ServerId;
use mooring_calls::{CallEvent, CallStatus, ToolCall};
use mooring_definitions::{NewServer, Transport};
use mooring_host::{Host, HostOptions};
use mooring_log::{LogKind, LogQuery};
use mooring_policy::Caller;
use mooring_server_state::{ConnectionView, StateName};
use serde_json::value::RawValue;

use crate::command_line::{demo, npm, python, scripted};

pub(crate) async fn open(home: &Path) -> Host {
    let options = HostOptions {
        home: home.to_owned(),
        supervise: true,
        has_person: true,
        journal: true,
        demo_server: Some(demo().into()),
        client_name: "journeys",
        client_version: "0",
        vault: mooring_vault::VaultOptions::default,
        browser: mooring_accounts::system_browser,
        clock: mooring_base::clock::Clock::system(),
    };
    Host::open(options).await.unwrap()
}

pub(crate) fn stdio(name: &str, command: &str, args: &[&str]) -> NewServer {
    NewServer {
        name: name.to_owned(),
        transport: Transport::Stdio,
        command: Some(command.to_owned()),
        args: args.iter().map(|word| (*word).to_owned()).collect(),
        env: BTreeMap::new(),
        cwd: None,
        url: None,
        headers: BTreeMap::new(),
        timeout: None,
        era: mooring_definitions::EraOverride::Auto,
        start: mooring_definitions::StartRule::WithMooring,
        secrets: Vec::new(),
    }
}

/// Waits until the server's view satisfies `good`.
pub(crate) async fn until(host: &Host, id: ServerId, what: &str, good: impl Fn(&ConnectionView) -> bool) {
    let mut events = host.events();
    let wait = async {
        while !good(&host.server(id).unwrap().connection) {
            // A lagging receiver checks again, which is all that is needed.
            let _ = events.recv().await;
        }
    };
    if tokio::time::timeout(Duration::from_secs(30), wait).await.is_err() {
        let view = host.server(id).unwrap();
        panic!("{} is not {what}: {:?}", view.config.name, view.connection);
    }
}

/// Waits until the server is in this state.
pub(crate) async fn until_state(host: &Host, id: ServerId, state: StateName) {
    until(host, id, state.as_str(), |connection| connection.state == state).await;
}

fn call(tool: &str, arguments: &str) -> ToolCall {
    ToolCall {
        request: None,
        tool: tool.to_owned(),
        arguments: Some(RawValue::from_string(arguments.to_owned()).unwrap()),
        caller: Caller::Workbench,
        idle: None,
        total: None,
    }
}

pub(crate) async fn text(host: &Host, id: ServerId, tool: &str, arguments: &str) -> String {
    let outcome = host.call_tool(id, call(tool, arguments), Arc::new(|_| {})).await.unwrap();
    assert_eq!(outcome.status, CallStatus::Ok, "{outcome:?}");
    let result = serde_json::from_str::<serde_json::Value>(outcome.result.unwrap().get()).unwrap();
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_servers_start_in_parallel_and_a_hanging_one_delays_none() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    let hangs = host.add_server(stdio("hangs", &scripted(), &["hang"])).await.unwrap().id;
    let mut good = Vec::new();
    for number in 0..5 {
        let name = format!("demo {number}");
        good.push(host.add_server(stdio(&name, &demo(), &[])).await.unwrap().id);
    }
    let real = [
        stdio("everything", &npm("mcp-server-everything"), &[]),
        stdio("files", &npm("mcp-server-filesystem"), &[home.path().to_str().unwrap()]),
        stdio("git", &python(), &["-m", "mcp_server_git"]),
        stdio("time", &python(), &["-m", "mcp_server_time", "--local-timezone", "UTC"]),
    ];
    for server in real {
        good.push(host.add_server(server).await.unwrap().id);
    }
    for id in &good {
        until_state(&host, *id, StateName::Ready).await;
        assert!(!host.tools(*id, false).await.unwrap().tools.is_empty());
    }
    assert_eq!(host.server(hangs).unwrap().connection.state, StateName::Starting);
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_and_log_messages_reach_the_caller_in_order() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    let id = host.add_demo_server().await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&heard);
    let on_event = Arc::new(move |event| {
        let word = match event {
            CallEvent::Progress { progress, total, .. } => {
                format!("{progress}/{}", total.unwrap_or_default())
            }
            CallEvent::Log { level, .. } => level,
        };
        listener.lock().unwrap().push(word);
    });
    let outcome = host.call_tool(id, call("progress", r#"{"seconds": 0.5}"#), on_event).await.unwrap();
    assert_eq!(outcome.status, CallStatus::Ok, "{outcome:?}");
    assert_eq!(*heard.lock().unwrap(), ["info", "0/2", "1/2", "2/2"]);
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_call_is_cancelled_at_the_server() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    let id = host.add_server(stdio("scripted", &scripted(), &[])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    let (said, mut started) = tokio::sync::mpsc::channel(8);
    let on_event = Arc::new(move |_| {
        let _ = said.try_send(());
    });
    let running = call("progress", r#"{"steps": 1000, "milliseconds": 50}"#);
    tokio::select! {
        outcome = host.call_tool(id, running, on_event) => panic!("it ended: {outcome:?}"),
        _ = started.recv() => {}
    }
    // The cancellation is sent before the next request.
    let cancelled = text(&host, id, "cancelled", "{}").await;
    assert_ne!(cancelled, "[]");
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_found_again_after_a_restart() {
    let home = tempfile::tempdir().unwrap();
    let first = open(home.path()).await;
    let runs = first.add_server(stdio("runs", &demo(), &[])).await.unwrap().id;
    let stopped = first.add_server(stdio("stopped", &demo(), &[])).await.unwrap().id;
    until_state(&first, runs, StateName::Ready).await;
    until_state(&first, stopped, StateName::Ready).await;
    first.stop(stopped).await.unwrap();
    assert_eq!(text(&first, runs, "echo", r#"{"text": "before the restart"}"#).await, "before the restart");
    first.shutdown().await;
    drop(first);

    let second = open(home.path()).await;
    until_state(&second, runs, StateName::Ready).await;
    assert_eq!(second.server(stopped).unwrap().connection.state, StateName::Stopped);
    let query = LogQuery { text: Some("before the restart".to_owned()), limit: 50, ..LogQuery::default() };
    let rows = second.log_page(&query).await.unwrap();
    assert!(rows.iter().any(|row| row.kind == LogKind::Frame), "{rows:?}");
    let query = LogQuery { kinds: vec![LogKind::Verdict], limit: 50, ..LogQuery::default() };
    let verdicts = second.log_page(&query).await.unwrap();
    assert!(verdicts.iter().any(|row| row.subject.as_deref() == Some("echo")), "{verdicts:?}");
    second.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_crashing_in_a_call_restarts_and_disturbs_no_other() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    let crashes = host.add_server(stdio("crashes", &scripted(), &[])).await.unwrap().id;
    let steady = host.add_server(stdio("steady", &demo(), &[])).await.unwrap().id;
    until_state(&host, crashes, StateName::Ready).await;
    until_state(&host, steady, StateName::Ready).await;
    let (start, first) = (Instant::now(), host.server(crashes).unwrap().connection.pid);
    let outcome = host.call_tool(crashes, call("crash", "{}"), Arc::new(|_| {})).await.unwrap();
    assert_eq!(outcome.status, CallStatus::Failed, "{outcome:?}");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(text(&host, steady, "add", r#"{"a": 2, "b": 40}"#).await, "42");
    let anew = |connection: &ConnectionView| connection.state == StateName::Ready && connection.pid != first;
    until(&host, crashes, "running anew", anew).await;
    assert_eq!(text(&host, crashes, "echo", r#"{"text": "back"}"#).await, "back");
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_server_is_left_when_the_host_has_gone() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    let id = host.add_server(stdio("family", &scripted(), &["family"])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    let pids = serde_json::from_str::<Vec<u32>>(&text(&host, id, "pids", "{}").await).unwrap();
    assert_eq!(pids.len(), 3, "{pids:?}");
    host.shutdown().await;
    let gone = || !pids.iter().any(|pid| mooring_testkit::is_alive(*pid));
    mooring_testkit::eventually("the family is gone", Duration::from_secs(10), gone).await;
}
