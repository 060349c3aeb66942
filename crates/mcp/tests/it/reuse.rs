//! Cached results, and lists whose pages are read again.

use std::sync::Arc;

use mooring_mcp::{CallOptions, Client, EraChoice, RequestError};
use mooring_testkit::eventually;
use mooring_testkit::http::{BodyPiece, Gate, HttpReply, HttpScript, HttpServer, RawReply, serve};
use serde_json::{Value, json};

use crate::era::choosing;
use crate::support::{
    Recorder, TestHost, call, connect_with, discovered, endpoint, raw, requests, result, rpc_error,
};

async fn modern(server: &HttpServer) -> (Client, Arc<Recorder>) {
    let (client, memory) = connect_with(endpoint(&server.url), choosing(EraChoice::Auto)).await;
    (client.unwrap(), memory)
}

fn tools(ttl: i64, names: &[&str], cursor: Option<&str>) -> HttpReply {
    let tools: Vec<Value> = names.iter().map(|name| json!({"name": name, "inputSchema": {}})).collect();
    let mut page = json!({"resultType": "complete", "tools": tools, "ttlMs": ttl, "cacheScope": "private"});
    if let Some(cursor) = cursor {
        page["nextCursor"] = json!(cursor);
    }
    result(&page)
}

fn script() -> HttpScript {
    let offers = json!({"tools": {}, "resources": {}, "prompts": {}});
    HttpScript::json().without_session().on("server/discover", discovered(&offers))
}

// Requirements: CACHE-01, CACHE-02, CACHE-03, CACHE-05, CACHE-10.
#[tokio::test]
async fn fresh_list_is_requested_once_and_again_on_demand() {
    let server = serve(
        script()
            .on("tools/list", tools(600_000, &["a"], None))
            .on("prompts/list", result(&json!({"resultType": "complete", "prompts": [], "ttlMs": 0}))),
    )
    .await;
    let (client, _) = modern(&server).await;
    for _ in 0..3 {
        assert_eq!(client.list_tools().await.unwrap().items.len(), 1);
        client.list_prompts().await.unwrap();
    }
    assert_eq!(requests(&server, "tools/list").len(), 1);
    assert_eq!(requests(&server, "prompts/list").len(), 3);
    client.fresh().list_tools().await.unwrap();
    client.list_tools().await.unwrap();
    assert_eq!(requests(&server, "tools/list").len(), 2);
    client.sign_in_changed();
    client.list_tools().await.unwrap();
    assert_eq!(requests(&server, "tools/list").len(), 3);
}

// Requirements: CACHE-09.
#[tokio::test]
async fn a_list_that_changed_is_asked_for_anew_however_fresh_it_was() {
    let gate = Gate::new();
    let meta = r#""_meta":{"io.modelcontextprotocol/subscriptionId":$ID}"#;
    let stream = RawReply::stream()
        .text(&format!("data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{{{meta},\"notifications\":{{\"toolsListChanged\":true}}}}}}\n\n"))
        .piece(BodyPiece::Wait(gate.clone()))
        .text(&format!("data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{{{meta}}}}}\n\n"))
        .piece(BodyPiece::Hang);
    let script = HttpScript::json()
        .without_session()
        .on("server/discover", discovered(&json!({"tools": {"listChanged": true}})))
        .on("subscriptions/listen", stream.into())
        .on("tools/list", tools(600_000, &["a"], None));
    let server = serve(script).await;
    let (client, memory) = modern(&server).await;
    client.list_tools().await.unwrap();
    client.list_tools().await.unwrap();
    assert_eq!(requests(&server, "tools/list").len(), 1);
    gate.open();
    let patience = std::time::Duration::from_secs(20);
    eventually("the change arrived", patience, || !memory.notifications.lock().unwrap().is_empty()).await;
    client.list_tools().await.unwrap();
    assert_eq!(requests(&server, "tools/list").len(), 2);
    client.shutdown().await;
}

// Requirements: CACHE-04, CACHE-12, PAGE-01, PAGE-02, PAGE-03, PAGE-04.
#[tokio::test]
async fn each_page_is_fresh_for_a_time_of_its_own() {
    let script = script()
        .once("tools/list", tools(600_000, &["a"], Some("")))
        .once("tools/list", tools(0, &[], Some("\u{6f22} \"3\"")))
        .once("tools/list", tools(600_000, &["c"], None))
        .once("tools/list", tools(0, &["b"], Some("\u{6f22} \"3\"")));
    let server = serve(script).await;
    let (client, _) = modern(&server).await;
    let names = |listing: mooring_mcp::Listing<mooring_mcp::Tool>| {
        listing.items.into_iter().map(|tool| tool.name).collect::<Vec<_>>()
    };
    assert_eq!(names(client.list_tools().await.unwrap()), ["a", "c"]);
    assert_eq!(names(client.list_tools().await.unwrap()), ["a", "b", "c"]);
    let cursors: Vec<_> =
        requests(&server, "tools/list").iter().map(|page| page.json()["params"]["cursor"].clone()).collect();
    assert_eq!(cursors, [json!(null), json!(""), json!("\u{6f22} \"3\""), json!("")]);
}

// Requirements: CACHE-13, PAGE-06.
#[tokio::test]
async fn a_cursor_that_is_no_longer_good_begins_the_list_anew_once() {
    let script = script()
        .once("tools/list", tools(600_000, &["a"], Some("2")))
        .once("tools/list", rpc_error(200, -32602, &json!(null)))
        .once("tools/list", tools(0, &["x"], None))
        .once("tools/list", tools(0, &["a"], Some("2")))
        .on("tools/list", rpc_error(200, -32602, &json!(null)));
    let server = serve(script).await;
    let (client, _) = modern(&server).await;
    let listing = client.list_tools().await.unwrap();
    assert_eq!(listing.items[0].name, "x");
    assert!(listing.diagnostics.iter().any(|odd| odd.message.contains("again from the start")));
    let outcome = client.fresh().list_tools().await;
    assert!(matches!(outcome, Err(RequestError::Rpc(error)) if error.code == -32602));
    assert_eq!(requests(&server, "tools/list").len(), 6);
}

// Requirements: CACHE-08, MRTR-01.
#[tokio::test]
async fn what_was_read_after_a_question_is_not_used_again() {
    let wants = result(
        &json!({"resultType": "input_required", "inputRequests": {"r": {"method": "roots/list"}}, "ttlMs": 600_000}),
    );
    let read =
        result(&json!({"resultType": "complete", "contents": [], "ttlMs": 600_000, "cacheScope": "public"}));
    let script = script().once("resources/read", wants).on("resources/read", read);
    let server = serve(script).await;
    let host = TestHost::new(|_| Ok(raw(r#"{"roots":[]}"#)));
    let client = host.connect(endpoint(&server.url), choosing(EraChoice::Auto)).await;
    let read = || client.read_resource("a:1", CallOptions::default());
    read().await.unwrap();
    assert_eq!(requests(&server, "resources/read").len(), 2);
    read().await.unwrap();
    assert_eq!(requests(&server, "resources/read").len(), 3);
    // The previous read asked no question.
    read().await.unwrap();
    assert_eq!(requests(&server, "resources/read").len(), 3);
}

// Requirements: CACHE-11, TOOL-12.
#[tokio::test]
async fn a_tool_that_is_gone_makes_its_list_stale() {
    let script = script()
        .on("tools/list", tools(600_000, &["a"], None))
        .once("tools/call", rpc_error(200, -32602, &json!(null)));
    let server = serve(script).await;
    let (client, _) = modern(&server).await;
    client.list_tools().await.unwrap();
    client.call_tool("a", None, CallOptions::default()).await.unwrap_err();
    client.list_tools().await.unwrap();
    assert_eq!(requests(&server, "tools/list").len(), 2);
}

// Requirements: CACHE-14, CACHE-02.
#[tokio::test]
async fn a_session_keeps_nothing() {
    let server = serve(HttpScript::json().on("tools/list", tools(600_000, &["echo"], None))).await;
    let (client, _) = crate::support::connect(endpoint(&server.url)).await;
    client.list_tools().await.unwrap();
    client.list_tools().await.unwrap();
    assert_eq!(requests(&server, "tools/list").len(), 2);
    assert_eq!(call(&client, "echo", r#"{"text":"x"}"#).await, "x");
}

// Requirements: BASE-28, RES-01, PROM-01, COMP-02.
#[tokio::test]
async fn a_server_is_not_asked_for_what_it_does_not_offer() {
    let server =
        serve(HttpScript::json().without_session().on("server/discover", discovered(&json!({"tools": {}}))))
            .await;
    let (client, _) = modern(&server).await;
    assert!(client.list_resources().await.unwrap().items.is_empty());
    assert!(client.list_templates().await.unwrap().items.is_empty());
    assert!(client.list_prompts().await.unwrap().items.is_empty());
    let none = client.complete(&mooring_mcp::CompletionRef::Prompt("p"), "a", "", None).await.unwrap();
    assert_eq!(none.raw.get(), r#"{"completion":{"values":[]}}"#);
    assert_eq!(server.methods(), ["server/discover"]);
    // A server that didn't declare its capabilities gets the request, and may not support it.
    let missing = || rpc_error(404, -32601, &json!(null));
    let script = HttpScript::json()
        .without_session()
        .on("server/discover", rpc_error(400, -32020, &json!({})))
        .on("prompts/list", missing())
        .on("completion/complete", missing());
    let server = serve(script).await;
    let (client, _) = modern(&server).await;
    let prompts = client.list_prompts().await.unwrap();
    assert!(prompts.items.is_empty() && prompts.diagnostics.is_empty());
    for _ in 0..3 {
        client.complete(&mooring_mcp::CompletionRef::Prompt("p"), "a", "", None).await.unwrap();
    }
    assert_eq!(requests(&server, "completion/complete").len(), 1);
}
