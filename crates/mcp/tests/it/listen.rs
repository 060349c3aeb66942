//! Subscriptions: `subscriptions/listen` of the stateless era, and `resources/subscribe` before.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mooring_mcp::{CallOptions, Client, EraChoice, ListenState, RequestError};
use mooring_testkit::eventually;
use mooring_testkit::http::{BodyPiece, Gate, HttpReply, HttpScript, RawReply, serve};
use serde_json::{Value, json};

use crate::era::choosing;
use crate::support::{
    Recorder, call, connect, connect_with, discovered, endpoint, python_server, requests, result, rpc_error,
};

const PATIENCE: Duration = Duration::from_secs(20);

fn event(method: &str, params: &Value) -> String {
    format!("data: {{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}\n\n")
}

/// An event of the stream that the request opened.
fn told(method: &str, members: &Value) -> String {
    let mut params = members.clone();
    params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": "$ID"});
    // The id is a number, which the script inserts unquoted.
    event(method, &params).replace("\"$ID\"", "$ID")
}

fn acknowledged(filter: &Value) -> String {
    told("notifications/subscriptions/acknowledged", &json!({"notifications": filter}))
}

fn open_stream(filter: &Value) -> RawReply {
    RawReply::stream().text(&acknowledged(filter))
}

fn script(capabilities: &Value) -> HttpScript {
    HttpScript::json().without_session().on("server/discover", discovered(capabilities))
}

async fn modern(url: &str) -> (Client, Arc<Recorder>) {
    let (client, memory) = connect_with(endpoint(url), choosing(EraChoice::Auto)).await;
    (client.unwrap(), memory)
}

async fn live(client: &Client) {
    eventually("the stream is live", PATIENCE, || client.listening() == ListenState::Live).await;
}

// Requirements: SUB-01, SUB-02, SUB-03, SUB-05, BASE-15, SHL-13.
#[tokio::test]
async fn what_a_server_tells_of_is_listened_to_from_the_start() {
    let gate = Gate::new();
    let stream = open_stream(&json!({"toolsListChanged": true}))
        .text(": keepalive\n\n")
        .piece(BodyPiece::Wait(gate.clone()))
        .text(&told("notifications/tools/list_changed", &json!({})))
        .piece(BodyPiece::Hang);
    let offers = json!({"tools": {"listChanged": true}, "prompts": {}, "resources": {"subscribe": true}});
    let server = serve(script(&offers).on("subscriptions/listen", stream.into())).await;
    let (client, memory) = modern(&server.url).await;
    live(&client).await;
    let request = server.wait_for_message("subscriptions/listen").await;
    // Only what the server supports, and nothing else.
    assert_eq!(request.json()["params"]["notifications"], json!({"toolsListChanged": true}));
    assert_eq!(request.json()["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert_eq!(request.header("mcp-method"), Some("subscriptions/listen"));
    gate.open();
    eventually("the change arrived", PATIENCE, || memory.notifications.lock().unwrap().len() == 1).await;
    assert!(memory.notifications.lock().unwrap()[0].starts_with("notifications/tools/list_changed"));
    assert!(memory.diagnostics().is_empty(), "{:?}", memory.diagnostics());
    client.shutdown().await;
}

// Requirements: SUB-01, SUB-02.
#[tokio::test]
async fn a_server_that_tells_of_nothing_is_not_listened_to() {
    let server = serve(script(&json!({"tools": {}, "resources": {"subscribe": true}}))).await;
    let (client, _) = modern(&server.url).await;
    client.list_tools().await.unwrap();
    assert_eq!(client.listening(), ListenState::Off);
    assert!(!server.methods().contains(&"subscriptions/listen".to_owned()));
}

// Requirements: SUB-04, SUB-05, SUB-12.
#[tokio::test]
async fn what_is_not_part_of_a_stream_is_not_heeded() {
    let changed = "notifications/tools/list_changed";
    let wrong = RawReply::stream()
        .text(&told(changed, &json!({"early": 1})))
        .text(&acknowledged(&json!({"toolsListChanged": true})))
        .text(&event(changed, &json!({})))
        .text(&event(changed, &json!({"_meta": {"io.modelcontextprotocol/subscriptionId": "2"}})))
        .text(&event(changed, &json!({"_meta": {"io.modelcontextprotocol/subscriptionId": 999}})))
        .text(&told("notifications/prompts/list_changed", &json!({})))
        .text(&told("notifications/resources/updated", &json!({"uri": "a:1"})))
        .text(&told(changed, &json!({"good": 1})))
        .piece(BodyPiece::Hang);
    let offers = json!({"tools": {"listChanged": true}, "prompts": {"listChanged": true}});
    let server = serve(script(&offers).on("subscriptions/listen", wrong.into())).await;
    let (client, memory) = modern(&server.url).await;
    eventually("the good one arrived", PATIENCE, || !memory.notifications.lock().unwrap().is_empty()).await;
    let heard = memory.notifications.lock().unwrap().clone();
    assert!(heard.len() == 1 && heard[0].contains("good"), "{heard:?}");
    let odd = memory.diagnostics();
    assert_eq!(odd.iter().filter(|odd| odd.starts_with("notifications/")).count(), 6, "{odd:?}");
    // The server acknowledged less than was requested.
    assert!(odd.iter().any(|odd| odd.contains("no change notifications for: promptsListChanged")), "{odd:?}");
    client.shutdown().await;
}

// Requirements: SUB-06, SUB-13, SUB-15.
#[tokio::test]
async fn resubscribing_opens_the_new_stream_before_the_old_one_ends() {
    let gate = Gate::new();
    let both = json!({"toolsListChanged": true, "resourceSubscriptions": ["file:///a"]});
    let first = open_stream(&json!({"toolsListChanged": true})).piece(BodyPiece::Hang);
    let second = open_stream(&both)
        .piece(BodyPiece::Wait(gate.clone()))
        .text(&told("notifications/resources/updated", &json!({"uri": "file:///a/b"})))
        .piece(BodyPiece::Hang);
    let offers = json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}});
    let script = script(&offers)
        .once("subscriptions/listen", first.clone().into())
        .once("subscriptions/listen", second.into())
        .on("subscriptions/listen", first.into());
    let server = serve(script).await;
    let (client, memory) = modern(&server.url).await;
    live(&client).await;
    client.subscribe_resource("file:///a").await.unwrap();
    client.subscribe_resource("file:///a").await.unwrap();
    let streams = requests(&server, "subscriptions/listen");
    assert_eq!(streams.len(), 2);
    assert_eq!(streams[1].json()["params"]["notifications"], both);
    let known = client.subscriptions();
    assert_eq!(
        (known.len(), known[0].uri.as_str(), known[0].live, known[0].updates),
        (1, "file:///a", true, 0)
    );
    gate.open();
    eventually("the update was counted", PATIENCE, || client.subscriptions()[0].updates == 1).await;
    assert!(client.subscriptions()[0].last_update.is_some());
    eventually("the host heard", PATIENCE, || memory.notifications.lock().unwrap().len() == 1).await;
    client.unsubscribe_resource("file:///a").await.unwrap();
    assert!(client.subscriptions().is_empty());
    eventually("the third stream", PATIENCE, || requests(&server, "subscriptions/listen").len() == 3).await;
    client.shutdown().await;
}

// Requirements: SUB-04, SUB-14, LIFE-10.
#[tokio::test]
async fn server_without_change_notifications_is_usable() {
    let no_stream = script(&json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}}))
        .on("tools/list", result(&json!({"resultType": "complete", "tools": []})))
        .on("subscriptions/listen", rpc_error(404, -32601, &json!(null)));
    let server = serve(no_stream).await;
    let (client, _) = modern(&server.url).await;
    eventually("it is known", PATIENCE, || client.listening() == ListenState::Unsupported).await;
    let refused = client.subscribe_resource("a:1").await;
    assert!(matches!(refused, Err(RequestError::Unsendable { .. })), "{refused:?}");
    assert!(client.subscriptions().is_empty());
    client.list_tools().await.unwrap();
    // A server that does not support it gets no request.
    let server = serve(script(&json!({"resources": {}}))).await;
    let (client, _) = modern(&server.url).await;
    assert!(client.subscribe_resource("a:1").await.is_err());
    assert_eq!(server.methods(), ["server/discover"]);
    // A server that acknowledges everything but this.
    let server = serve(
        script(&json!({"resources": {"subscribe": true}}))
            .on("subscriptions/listen", open_stream(&json!({})).piece(BodyPiece::Hang).into()),
    )
    .await;
    let (client, _) = modern(&server.url).await;
    let refused = client.subscribe_resource("a:1").await.unwrap_err();
    assert!(refused.to_string().contains("sends no updates for this resource"), "{refused}");
}

// Requirements: SUB-08, SUB-10.
#[tokio::test]
async fn closed_listen_stream_is_reopened_with_backoff() {
    let ended = concat!(
        "data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"resultType\":\"complete\",",
        "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":$ID}}}\n\n"
    );
    let closed = open_stream(&json!({"toolsListChanged": true})).text(ended);
    let torn = open_stream(&json!({"toolsListChanged": true}));
    let script = script(&json!({"tools": {"listChanged": true}}))
        .once("subscriptions/listen", closed.into())
        .on("subscriptions/listen", torn.into());
    let server = serve(script).await;
    let begun = Instant::now();
    let (client, memory) = modern(&server.url).await;
    let count = || requests(&server, "subscriptions/listen").len();
    eventually("the third stream", PATIENCE, || count() >= 3).await;
    // At least one second before the second stream and two before the third: no storm.
    assert!(begun.elapsed() >= Duration::from_secs(3), "{:?}", begun.elapsed());
    // The engine itself reports changes that may have happened in between.
    let told = memory.notifications.lock().unwrap().clone();
    assert!(
        !told.is_empty() && told.iter().all(|told| told.starts_with("notifications/tools/list_changed")),
        "{told:?}"
    );
    client.shutdown().await;
}

// Requirements: SUB-03.
#[tokio::test]
async fn a_stream_that_is_never_acknowledged_has_failed() {
    let script = script(&json!({"tools": {"listChanged": true}}))
        .on("subscriptions/listen", RawReply::stream().text(": hello\n\n").piece(BodyPiece::Hang).into());
    let server = serve(script).await;
    let mut options = choosing(EraChoice::Auto);
    options.deadlines.idle = Duration::from_secs(1);
    let (client, _) = connect_with(endpoint(&server.url), options).await;
    let client = client.unwrap();
    eventually("it is given up", PATIENCE, || matches!(client.listening(), ListenState::Failed { .. })).await;
    client.shutdown().await;
}

#[tokio::test]
async fn temporarily_unavailable_stream_is_not_refused_for_good() {
    let script = script(&json!({"resources": {"subscribe": true}}))
        .on("subscriptions/listen", RawReply::new(503).text("on my way up").into());
    let server = serve(script).await;
    let mut options = choosing(EraChoice::Auto);
    options.deadlines.idle = Duration::from_secs(1);
    let (client, _) = connect_with(endpoint(&server.url), options).await;
    let client = client.unwrap();
    let missed = client.subscribe_resource("a:1").await;
    assert!(matches!(missed, Err(RequestError::Timeout { .. })), "{missed:?}");
    assert!(client.subscriptions().is_empty());
    client.shutdown().await;
}

/// A stdio server of the stateless era that acknowledges every stream and writes what it saw to stderr.
const STDIO: &str = r#"
    if method == "server/discover": answer(id, {**DISCOVERED, "capabilities": {"tools": {"listChanged": True}, "resources": {"subscribe": True}}})
    if method == "subscriptions/listen":
        kept["listen"] = id
        tell("notifications/subscriptions/acknowledged", {"_meta": {"io.modelcontextprotocol/subscriptionId": id}, "notifications": params["notifications"]})
    if method == "notifications/cancelled":
        print("cancelled", params["requestId"], file=sys.stderr, flush=True)
    if method == "tools/call":
        tell("notifications/cancelled", {"requestId": id})
        tell("notifications/cancelled", {"requestId": str(kept["listen"])})
        if params["name"] == "end": tell("notifications/cancelled", {"requestId": kept["listen"]})
        answer(id, text("still here"))
"#;

// Requirements: SUB-05, SUB-06, SUB-07, CANC-06.
#[tokio::test]
async fn stdio_listen_stream_is_cancelled_when_replaced_or_closed() {
    let (client, memory) = connect_with(python_server(STDIO), choosing(EraChoice::Auto)).await;
    let client = client.unwrap();
    live(&client).await;
    client.subscribe_resource("a:1").await.unwrap();
    eventually("the first stream is cancelled", PATIENCE, || !client.stderr_tail(9).is_empty()).await;
    client.shutdown().await;
    assert_eq!(client.stderr_tail(9), ["cancelled 2", "cancelled 3"]);
    assert!(memory.diagnostics().is_empty(), "{:?}", memory.diagnostics());
}

// Requirements: SUB-09, CANC-05.
#[tokio::test]
async fn a_server_may_cancel_a_stream_and_nothing_else() {
    let (client, _) = connect_with(python_server(STDIO), choosing(EraChoice::Auto)).await;
    let client = client.unwrap();
    live(&client).await;
    assert_eq!(call(&client, "x", "{}").await, "still here");
    assert_eq!(client.listening(), ListenState::Live);
    assert_eq!(call(&client, "end", "{}").await, "still here");
    eventually("it waits", PATIENCE, || matches!(client.listening(), ListenState::Waiting { .. })).await;
    client.shutdown().await;
}

// Requirements: SUB-15, SUB-16, LIFE-10, LIFE-14.
#[tokio::test]
async fn subscriptions_are_renewed_in_the_next_session() {
    let updated = event("notifications/resources/updated", &json!({"uri": "a:1"}));
    let script = HttpScript::json()
        .once("initialize", HttpReply::Usual)
        .on("resources/subscribe", result(&json!({})))
        .on("tools/call", HttpReply::stream_text(&format!(
            "{updated}data: {{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"ok\"}}]}}}}\n\n"
        )));
    // A server without subscriptions gets no request for one.
    let server = serve(script).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    assert!(client.subscribe_resource("a:1").await.is_err());
    assert!(requests(&server, "resources/subscribe").is_empty());
    let session = |name: &str| -> HttpReply {
        let opening = json!({"protocolVersion": "2025-11-25", "capabilities": {"resources": {"subscribe": true}}, "serverInfo": {"name": "x", "version": "1"}});
        RawReply::new(200)
            .header("content-type", "application/json")
            .header("mcp-session-id", name)
            .text(&format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{opening}}}"#))
            .into()
    };
    let lost = RawReply::new(404).text("gone").into();
    let script = HttpScript::json()
        .once("initialize", session("one"))
        .once("initialize", session("two"))
        .on("notifications/initialized", HttpReply::accepted())
        .on("GET", HttpReply::status(405, ""))
        .on("resources/subscribe", result(&json!({})))
        .once("tools/call", lost)
        .on("tools/call", HttpReply::stream_text(&format!(
            "{updated}data: {{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"ok\"}}]}}}}\n\n"
        )));
    let server = serve(script).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    client.subscribe_resource("a:1").await.unwrap();
    assert!(client.subscriptions()[0].live);
    assert_eq!(call(&client, "x", "{}").await, "ok");
    let subscribed = requests(&server, "resources/subscribe");
    assert_eq!(subscribed.len(), 2);
    assert_eq!(subscribed[1].header("mcp-session-id"), Some("two"));
    assert_eq!(client.subscriptions()[0].updates, 1);
}

// Requirements: SHL-13.
#[tokio::test]
async fn a_stream_of_changes_may_be_silent_for_longer_than_any_call() {
    let gate = Gate::new();
    let stream = open_stream(&json!({"toolsListChanged": true}))
        .text(":\r\n")
        .piece(BodyPiece::Wait(gate.clone()))
        .text(&told("notifications/tools/list_changed", &json!({})))
        .piece(BodyPiece::Hang);
    let script = script(&json!({"tools": {"listChanged": true}}))
        .on("subscriptions/listen", stream.into())
        .on("tools/call", HttpReply::Hang);
    let server = serve(script).await;
    let mut options = choosing(EraChoice::Auto);
    (options.deadlines.idle, options.deadlines.total) = (Duration::from_secs(1), Duration::from_secs(1));
    let (client, memory) = connect_with(endpoint(&server.url), options).await;
    let client = client.unwrap();
    live(&client).await;
    // Two consecutive calls exceed both deadlines.
    for _ in 0..2 {
        let silent = client.call_tool("x", None, CallOptions::default()).await;
        assert!(matches!(silent, Err(RequestError::Timeout { .. })), "{silent:?}");
    }
    assert_eq!(client.listening(), ListenState::Live);
    gate.open();
    eventually("the change arrived", PATIENCE, || memory.notifications.lock().unwrap().len() == 1).await;
    assert_eq!(requests(&server, "subscriptions/listen").len(), 1);
    client.shutdown().await;
}
