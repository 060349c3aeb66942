//! The contents of the log: everything, in order, without secrets.

use std::time::Duration;

use mooring_calls::{CallStatus, ToolCall};
use mooring_host::Host;
use mooring_log::{LogKind, LogQuery, LogRow, LogStatus};
use mooring_server_state::{HostEvent, StateName};
use serde_json::{Value, json};

use crate::support::{LIMIT, call, connect, ignore_events, open, scripted, until_state, window};

/// All rows, oldest first.
pub(crate) async fn rows(host: &Host) -> Vec<LogRow> {
    host.flush_log().await;
    let mut rows = host.log_page(&LogQuery { limit: 1_000, ..LogQuery::default() }).await.unwrap();
    rows.reverse();
    rows
}

/// The body of a row, exactly as logged.
pub(crate) async fn body(host: &Host, row: &LogRow) -> String {
    host.log_entry(row.id).await.unwrap().unwrap().text().into_owned()
}

// Requirements: SEC-02, TOOL-05, TOOL-10.
#[tokio::test]
async fn a_verdict_precedes_every_call_and_names_its_caller_and_rule() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("s", &["ok"])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    for text in ["one", "two", "three"] {
        let outcome =
            host.call_tool(id, call("echo", &json!({"text": text})), ignore_events()).await.unwrap();
        assert_eq!(outcome.status, CallStatus::Ok);
    }
    let rows = rows(&host).await;
    let mut open_verdicts = 0;
    let mut calls = 0;
    for row in rows.iter().filter(|row| row.method.as_deref() == Some("tools/call")) {
        assert_eq!(row.subject.as_deref(), Some("echo"));
        match (row.kind, row.direction) {
            (LogKind::Verdict, _) => {
                open_verdicts += 1;
                let verdict: Value = serde_json::from_str(&body(&host, row).await).unwrap();
                assert_eq!(verdict["decision"], "allow");
                assert_eq!(
                    (verdict["caller"].as_str(), verdict["rule"].as_str()),
                    (Some("workbench"), Some("gesture"))
                );
                assert_eq!(verdict["argumentsSha256"].as_str().unwrap().len(), 64);
            }
            (LogKind::Frame, mooring_log::Direction::Out) => {
                assert!(open_verdicts > 0, "a call without a verdict: {rows:?}");
                open_verdicts -= 1;
                calls += 1;
            }
            _ => {}
        }
    }
    assert_eq!((calls, open_verdicts), (3, 0));
    host.shutdown().await;
}

// Requirements: TOOL-10.
#[tokio::test]
async fn answers_carry_how_the_call_ended_and_how_long_it_took() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    let connection = connect(&host, &["ok"]).await.unwrap();
    for tool in ["sleep", "tool_error", "error"] {
        connection.call_tool(call(tool, &json!({"milliseconds": 30})), ignore_events()).await.unwrap();
    }
    let never = ToolCall { idle: Some(Duration::from_millis(50)), ..call("never", &json!({})) };
    connection.call_tool(never, ignore_events()).await.unwrap();
    let dropped = connection.call_tool(call("never", &json!({})), ignore_events());
    assert!(tokio::time::timeout(Duration::from_millis(50), dropped).await.is_err());
    connection.close().await;
    let ends: Vec<(String, LogStatus)> = rows(&host)
        .await
        .into_iter()
        .filter(|row| row.duration_us.is_some() && row.method.as_deref() == Some("tools/call"))
        .map(|row| {
            assert!(row.subject.as_deref() != Some("sleep") || row.duration_us.unwrap() >= 30_000);
            (row.subject.unwrap(), row.status)
        })
        .collect();
    let end = |tool: &str, status| (tool.to_owned(), status);
    assert_eq!(
        ends,
        [
            end("sleep", LogStatus::Ok),
            end("tool_error", LogStatus::Error),
            end("error", LogStatus::Error),
            end("never", LogStatus::TimedOut),
            end("never", LogStatus::Cancelled),
        ]
    );
    host.shutdown().await;
}

#[tokio::test]
async fn secrets_that_a_server_was_given_are_nowhere_in_the_database() {
    const CANARY: &str = "canary-b8f1d5c2e6";
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let mut server = scripted("s", &["ok"]);
    server.env.insert("SERVICE_API_KEY".to_owned(), CANARY.to_owned());
    let id = host.add_server(server).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    // The server returns its environment, and leaks the secret in other ways.
    let outcome = host.call_tool(id, call("surroundings", &json!({})), ignore_events()).await.unwrap();
    assert!(outcome.result.unwrap().get().contains(CANARY), "the caller gets what the server sent");
    let other = json!({"text": format!("x {CANARY} y"), "token": "another-canary-1", "nested": {"password": "another-canary-2"}});
    host.call_tool(id, call("echo", &other), ignore_events()).await.unwrap();
    let log = json!({"message": "Authorization: Bearer another-canary-3"});
    host.call_tool(id, call("log", &log), ignore_events()).await.unwrap();
    // A tool name, a method, an id and a diagnostic contain the secret.
    let _unknown_tool = host.call_tool(id, call(CANARY, &json!({})), ignore_events()).await.unwrap();
    let lines = [
        json!({"jsonrpc": "2.0", "method": format!("notifications/{CANARY}")}),
        json!({"jsonrpc": "2.0", "id": CANARY, "method": format!("x/{CANARY}")}),
        json!({"jsonrpc": "2.0", "id": CANARY, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}, "error": {CANARY: CANARY}}),
    ];
    let mut lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    lines.push(r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}"#.to_owned());
    host.call_tool(id, call("raw", &json!({"lines": lines})), ignore_events()).await.unwrap();
    let rows = rows(&host).await;
    let mut redacted = 0;
    for row in &rows {
        let text = body(&host, row).await;
        for secret in [CANARY, "another-canary"] {
            assert!(!text.contains(secret), "{text}");
            assert!(!format!("{row:?}").contains(secret), "{row:?}");
        }
        redacted += usize::from(text.contains("[redacted]"));
    }
    assert!(redacted >= 8, "{redacted} of {}", rows.len());
    let named = |name: Option<&str>| name.is_some_and(|name| name.contains("[redacted]"));
    assert!(rows.iter().any(|row| named(row.method.as_deref())), "{rows:?}");
    assert!(rows.iter().any(|row| named(row.rpc_id.as_deref())), "{rows:?}");
    assert!(rows.iter().any(|row| named(row.subject.as_deref())), "{rows:?}");
    let oddities = host.server(id).unwrap().connection.peer.unwrap().diagnostics;
    assert!(!oddities.is_empty() && !format!("{oddities:?}").contains(CANARY), "{oddities:?}");
    host.shutdown().await;
}

#[tokio::test]
async fn frames_stderr_and_state_changes_are_logged_and_followed() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let mut newest = host.log_follow().await.unwrap();
    let id = host.add_server(scripted("s", &["stderr-flood", "300"])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    let followed = async {
        let mut last = 0;
        loop {
            newest.changed().await.unwrap();
            let until = *newest.borrow_and_update();
            assert!(until > last);
            let (after, before) = (Some(last), Some(until + 1));
            let query = LogQuery { after, before, limit: 1_000, ..LogQuery::default() };
            let page = host.log_page(&query).await.unwrap();
            assert_eq!(page[0].id, until);
            last = until;
            let is_list =
                |row: &LogRow| row.method.as_deref() == Some("tools/list") && row.status == LogStatus::Ok;
            if page.iter().any(is_list) {
                return;
            }
        }
    };
    tokio::time::timeout(LIMIT, followed).await.unwrap();
    let rows = rows(&host).await;
    let has = |kind: LogKind, subject: Option<&str>| {
        rows.iter().any(|row| row.kind == kind && (subject.is_none() || row.subject.as_deref() == subject))
    };
    assert!(has(LogKind::State, Some("starting")) && has(LogKind::State, Some("ready")));
    assert!(has(LogKind::Stderr, None));
    for method in ["initialize", "notifications/initialized", "tools/list"] {
        assert!(rows.iter().any(|row| row.method.as_deref() == Some(method)), "{method}");
    }
    assert!(rows.iter().all(|row| &*row.source == "s" && row.server_id == Some(id.0)));
    let facets = host.log_facets().await.unwrap();
    assert_eq!(facets.sources, ["s"]);
    assert!(facets.methods.contains(&"initialize".to_owned()));
    assert_eq!(facets.total, rows.len() as u64);
    host.shutdown().await;
}

#[tokio::test]
async fn front_ends_are_told_how_large_the_log_is_whoever_writes_it() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let mut events = host.events();
    let mut told = async |rows: u64| {
        let told = async {
            loop {
                if let HostEvent::LogChanged { rows: now, bytes } = events.recv().await.unwrap() {
                    assert!(bytes > 0);
                    if now == rows {
                        return;
                    }
                }
            }
        };
        tokio::time::timeout(LIMIT, told).await.unwrap();
    };
    let id = host.add_server(scripted("s", &["ok"])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    host.stop(id).await.unwrap();
    let own = rows(&host).await.len() as u64;
    told(own).await;
    let command = open(home.path(), false).await;
    connect(&command, &["ok"]).await.unwrap().close().await;
    command.shutdown().await;
    let all = rows(&host).await.len() as u64;
    assert!(all > own);
    told(all).await;
    host.clear_log().await.unwrap();
    told(1).await;
    host.shutdown().await;
}

#[tokio::test]
async fn closing_during_a_call_ends_it_and_loses_no_row() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("s", &["ok"])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    let (outcome, ()) = tokio::join!(host.call_tool(id, call("never", &json!({})), ignore_events()), async {
        let frame = async {
            let mut newest = host.log_follow().await.unwrap();
            loop {
                let page = rows(&host).await;
                if page
                    .iter()
                    .any(|row| row.kind == LogKind::Frame && row.subject.as_deref() == Some("never"))
                {
                    return;
                }
                newest.changed().await.unwrap();
            }
        };
        tokio::time::timeout(LIMIT, frame).await.unwrap();
        host.shutdown().await;
    });
    assert_eq!(outcome.unwrap().error.unwrap().code.as_str(), "closed");
    let host = open(home.path(), false).await;
    let rows = rows(&host).await;
    assert!(rows.iter().any(|row| row.kind == LogKind::Verdict && row.subject.as_deref() == Some("never")));
    assert!(rows.iter().any(|row| row.kind == LogKind::State && row.subject.as_deref() == Some("stopped")));
    host.shutdown().await;
}

#[tokio::test]
async fn without_a_journal_calls_work_and_nothing_is_written() {
    let home = tempfile::tempdir().unwrap();
    let host = Host::open(mooring_host::HostOptions {
        home: home.path().to_owned(),
        supervise: false,
        has_person: false,
        journal: false,
        demo_server: None,
        client_name: "t",
        client_version: "0",
        vault: mooring_vault::VaultOptions::default,
        browser: mooring_accounts::system_browser,
        clock: crate::clock::test_clock(),
    })
    .await
    .unwrap();
    let connection = connect(&host, &["ok"]).await.unwrap();
    let outcome = connection.call_tool(call("echo", &json!({"text": "x"})), ignore_events()).await.unwrap();
    assert_eq!(outcome.status, CallStatus::Ok);
    connection.close().await;
    assert_eq!(host.log_facets().await.unwrap().total, 0);
    assert!(host.log_follow().await.is_err());
    host.shutdown().await;
}
