//! Keepalive: our pings while nothing else is requested, and our progress reports while an answer takes long.

use std::time::Duration;

use mooring_mcp::{CallOptions, Client, ClientOptions, CloseReason};
use mooring_testkit::eventually;
use mooring_testkit::http::{Gate, HttpReply, HttpScript, serve};
use serde_json::{Value, json};

use crate::support::{Recorder, TestHost, call, connect_with, endpoint, options, python_server, raw};

const PATIENCE: Duration = Duration::from_secs(20);
const SOON: Duration = Duration::from_millis(200);

/// Pings early, and with short deadlines.
fn watchful() -> ClientOptions {
    let mut options = ClientOptions { keep_alive: Some(SOON), ..options() };
    options.deadlines.idle = Duration::from_secs(2);
    options
}

fn pings(memory: &Recorder) -> usize {
    memory.log().iter().filter(|line| *line == "→ ping").count()
}

async fn closed(client: &Client) -> CloseReason {
    let mut closed = client.closed();
    let reason = tokio::time::timeout(PATIENCE, closed.wait_for(Option::is_some)).await.unwrap().unwrap();
    reason.clone().unwrap()
}

/// A session that answers the given number of pings.
fn session(pings: u32) -> mooring_mcp::ServerTarget {
    python_server(&format!(
        r#"
    if method == "initialize": answer(id, {{**SESSION, "capabilities": {{"tools": {{}}}}}})
    if method == "ping":
        kept["pings"] = kept.get("pings", 0) + 1
        if kept["pings"] <= {pings}: answer(id, {{}})
    if method == "tools/call" and params["name"] == "pings": answer(id, text(str(kept.get("pings", 0))))
"#
    ))
}

// Requirements: PING-02.
#[tokio::test]
async fn idle_server_is_pinged_and_a_busy_one_is_not() {
    let (client, memory) = connect_with(session(999), watchful()).await;
    let client = client.unwrap();
    eventually("three pings", PATIENCE, || pings(&memory) >= 3).await;
    let count = async || call(&client, "pings", "{}").await.parse::<u32>().unwrap();
    let before = count().await;
    // No ping is needed while a call waits, and a working server may not respond to it.
    let patient = CallOptions { idle: Some(Duration::from_secs(2)), ..CallOptions::default() };
    assert!(client.call_tool("never", None, patient).await.is_err());
    // One ping may be sent right before or after the call, but not nine in between.
    assert!(count().await <= before + 2, "{:?}", memory.log());
    client.shutdown().await;
    let (client, memory) = connect_with(session(999), ClientOptions { keep_alive: None, ..watchful() }).await;
    let patient = CallOptions { idle: Some(Duration::from_secs(1)), ..CallOptions::default() };
    assert!(client.as_ref().unwrap().call_tool("never", None, patient).await.is_err());
    assert_eq!(pings(&memory), 0);
    client.unwrap().shutdown().await;
}

// Requirements: PING-02, PING-03.
#[tokio::test]
async fn silent_server_loses_its_connection_after_three_pings() {
    let (client, memory) = connect_with(session(2), watchful()).await;
    let client = client.unwrap();
    assert_eq!(closed(&client).await, CloseReason::Unresponsive { pings: 3 });
    assert_eq!(pings(&memory), 5);
    let odd = memory.diagnostics();
    assert_eq!(odd.iter().filter(|odd| odd.starts_with("ping: no answer within")).count(), 3, "{odd:?}");
    // Over HTTP, a server that is gone.
    let mut server = serve(HttpScript::json()).await;
    let (client, _) = connect_with(endpoint(&server.url), watchful()).await;
    let client = client.unwrap();
    server.wait_for_message("ping").await;
    eventually("it answered", PATIENCE, || {
        server.methods().iter().filter(|name| *name == "ping").count() >= 2
    })
    .await;
    server.stop().await;
    assert_eq!(closed(&client).await, CloseReason::Unresponsive { pings: 3 });
}

// Requirements: PING-02.
#[tokio::test]
async fn a_server_that_never_answers_a_ping_is_left_alone() {
    let (client, memory) = connect_with(session(0), watchful()).await;
    let client = client.unwrap();
    let noted = || memory.diagnostics().iter().any(|odd| odd.starts_with("ping: it stopped answering"));
    eventually("it was noted", PATIENCE, noted).await;
    let patient = CallOptions { idle: Some(Duration::from_secs(1)), ..CallOptions::default() };
    assert!(client.call_tool("never", None, patient).await.is_err());
    assert_eq!(call(&client, "pings", "{}").await, "1");
    client.shutdown().await;
    // A server that doesn't know `ping` is alive, too.
    let refuses = HttpReply::Error { code: -32601, message: "what?".to_owned() };
    let server = serve(HttpScript::json().on("ping", refuses)).await;
    let (client, _) = connect_with(endpoint(&server.url), watchful()).await;
    let client = client.unwrap();
    let count = || server.methods().iter().filter(|method| *method == "ping").count();
    eventually("it was pinged again", PATIENCE, || count() >= 4).await;
    assert_eq!(*client.closed().borrow(), None);
    client.shutdown().await;
}

// Requirements: PROG-06.
#[tokio::test]
async fn server_gets_progress_while_its_question_is_pending() {
    let body = r#"
    if method == "initialize": answer(id, {**SESSION, "capabilities": {"tools": {}}})
    if method == "tools/call" and params["name"] == "ask":
        kept["call"] = id
        say({"id": "q", "method": "roots/list", "params": {"_meta": {"progressToken": "p-1"}}})
        say({"id": "r", "method": "roots/list", "params": {"_meta": {"progressToken": {}}}})
    if method == "notifications/progress": kept.setdefault("progress", []).append(params)
    if method is None:
        kept["answered"] = kept.get("answered", 0) + 1
        if kept["answered"] == 2: answer(kept["call"], text(json.dumps(kept["progress"])))
    if method == "tools/call" and params["name"] == "progress": answer(id, text(json.dumps(kept["progress"])))
"#;
    let gate = Gate::new();
    let opened = gate.clone();
    let host = TestHost::waiting(move |_| {
        let gate = opened.clone();
        Box::pin(async move {
            gate.wait_until_open().await;
            Ok(raw(r#"{"roots":[]}"#))
        })
    });
    let mut options = options();
    options.deadlines.idle = Duration::from_secs(4);
    let client = host.connect(python_server(body), options).await;
    let told = || host.memory.log().iter().filter(|line| *line == "→ notifications/progress").count();
    let release = async {
        eventually("it was told twice", PATIENCE, || told() >= 2).await;
        gate.open();
    };
    let patient = CallOptions { idle: Some(PATIENCE), ..CallOptions::default() };
    let (answer, ()) = tokio::join!(client.call_tool("ask", None, patient), release);
    let heard: Vec<Value> = serde_json::from_str(&crate::support::text(&answer.unwrap().raw)).unwrap();
    let expected: Vec<Value> =
        (1..=heard.len()).map(|count| json!({"progressToken": "p-1", "progress": count})).collect();
    assert!(heard.len() >= 2 && heard == expected, "{heard:?}");
    // There are no reports after the answer.
    let again: Vec<Value> = serde_json::from_str(&call(&client, "progress", "{}").await).unwrap();
    assert_eq!(again, heard);
    client.shutdown().await;
}
