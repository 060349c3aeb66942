//! The stateless era, 2026-07-28, over both transports.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use mooring_mcp::{
    CallOptions, Client, ClientCapabilities, ClientHandler, Diagnostic, Era, EraChoice, NoTap, Notification,
    Question, Refusal, RequestError, ServerTarget,
};
use mooring_process::{SearchPath, SpawnOptions};
use mooring_testkit::http::{BodyPiece, HttpReply, HttpScript, RawReply, serve};
use serde_json::value::RawValue;

use crate::era::{DISCOVERED, choosing};
use crate::support::{Recorder, call, connect_with, endpoint, raw, text};

const ANSWER: &str = r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","content":[{"type":"text","text":"ok"}]}}"#;

fn script() -> HttpScript {
    HttpScript::json()
        .without_session()
        .on("server/discover", HttpReply::json_text(DISCOVERED))
        .on("tools/call", HttpReply::json_text(ANSWER))
}

async fn modern(target: ServerTarget) -> (Client, Arc<Recorder>) {
    let (client, memory) = connect_with(target, choosing(EraChoice::Auto)).await;
    let client = client.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(client.handshake().era, Era::Modern);
    (client, memory)
}

// Requirements: BASE-15, BASE-16, BASE-19, SHL-01, SHL-02, SHL-03, SHL-04, SHL-05, SHL-06, SHL-10, SHL-12, LOG-03, ERA-07, ERA-22.
#[tokio::test]
async fn every_request_identifies_itself_in_headers_and_meta() {
    let server = serve(script()).await;
    let (client, _) = modern(endpoint(&server.url)).await;
    client.set_log_level("warning").await.unwrap();
    assert_eq!(call(&client, "日本語", "{}").await, "ok");
    let probe = server.wait_for_message("server/discover").await;
    assert_eq!(probe.header("mcp-method"), Some("server/discover"));
    let request = server.wait_for_message("tools/call").await;
    assert_eq!(request.header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(request.header("mcp-method"), Some("tools/call"));
    assert_eq!(request.header("mcp-name"), Some("=?base64?5pel5pys6Kqe?="));
    assert_eq!(request.header("accept"), Some("application/json, text/event-stream"));
    assert_eq!(request.header("mcp-session-id"), None);
    let meta = &request.json()["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], serde_json::json!({}));
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "mooring-tests");
    assert_eq!(meta["io.modelcontextprotocol/logLevel"], "warning");
    client.shutdown().await;
    // Only requests: no initialize, no notification, no GET, no DELETE (SHL-10, SHL-12).
    assert_eq!(server.methods(), ["server/discover", "tools/call"]);
}

// Requirements: XMH-01, XMH-06, XMH-07.
#[tokio::test]
async fn arguments_are_mirrored_and_tools_with_bad_mirrors_are_hidden() {
    let tools = r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","tools":[
        {"name":"good","inputSchema":{"properties":{"region":{"type":"string","x-mcp-header":"Region"}}}},
        {"name":"bad","inputSchema":{"properties":{"region":{"type":"number","x-mcp-header":"Region"}}}}]}}"#;
    let server = serve(script().on("tools/list", HttpReply::json_text(tools))).await;
    let (client, _) = modern(endpoint(&server.url)).await;
    let listing = client.list_tools().await.unwrap();
    assert_eq!(listing.items.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["good"]);
    assert!(
        listing.diagnostics.iter().any(|odd| odd.path == "tools.bad.inputSchema"),
        "{:?}",
        listing.diagnostics
    );
    let listed: serde_json::Value = serde_json::from_str(listing.raw.get()).unwrap();
    assert_eq!(listed["tools"].as_array().unwrap().len(), 1);
    let refused = client.call_tool("bad", Some(&raw(r#"{"region":1}"#)), CallOptions::default()).await;
    assert!(matches!(refused, Err(RequestError::Unsendable { .. })), "{refused:?}");
    call(&client, "good", r#"{"region":" us-west1"}"#).await;
    let request = server.wait_for_message("tools/call").await;
    assert_eq!(request.header("mcp-param-region"), Some("=?base64?IHVzLXdlc3Qx?="));
    let wrong = client.call_tool("good", Some(&raw(r#"{"region":7}"#)), CallOptions::default()).await;
    assert!(matches!(wrong, Err(RequestError::Unsendable { .. })), "{wrong:?}");
}

// Requirements: SHL-11, SHL-12, CANC-06.
#[tokio::test]
async fn call_is_cancelled_by_closing_its_exchange() {
    let server = serve(
        script().once("tools/call", RawReply::stream().text(": wait\n\n").piece(BodyPiece::Hang).into()),
    )
    .await;
    let (client, _) = modern(endpoint(&server.url)).await;
    let waiting = client.call_tool("x", None, CallOptions::default());
    assert!(tokio::time::timeout(Duration::from_millis(100), waiting).await.is_err());
    assert_eq!(call(&client, "x", "{}").await, "ok");
    client.shutdown().await;
    assert_eq!(server.methods(), ["server/discover", "tools/call", "tools/call"]);
}

// Requirements: SHL-09, SHL-10.
#[tokio::test]
async fn broken_stream_is_not_resumed() {
    let broken = RawReply::stream().header("mcp-session-id", "s").text("id: 7\ndata:\n\n");
    let server = serve(script().once("tools/call", broken.into())).await;
    let (client, _) = modern(endpoint(&server.url)).await;
    let outcome = client.call_tool("x", None, CallOptions::default()).await;
    assert!(matches!(outcome, Err(RequestError::StreamEnded)), "{outcome:?}");
    call(&client, "x", "{}").await;
    assert!(
        server
            .requests()
            .iter()
            .all(|request| request.http_method == "POST" && request.header("mcp-session-id").is_none())
    );
}

// Requirements: BASE-22, BASE-23.
#[tokio::test]
async fn unknown_result_type_is_rejected_and_none_means_complete() {
    let server = serve(
        script()
            .once("tools/call", HttpReply::json_text(&ANSWER.replace("complete", "banana")))
            .once("tools/call", HttpReply::json_text(&ANSWER.replace("\"resultType\":\"complete\",", ""))),
    )
    .await;
    let (client, _) = modern(endpoint(&server.url)).await;
    let outcome = client.call_tool("x", None, CallOptions::default()).await;
    assert!(matches!(outcome, Err(RequestError::Malformed { .. })), "{outcome:?}");
    let result = client.call_tool("x", None, CallOptions::default()).await.unwrap();
    assert_eq!((text(&result.raw).as_str(), result.diagnostics[0].path.as_str()), ("ok", "resultType"));
}

/// A host that answers questions by a rule.
struct RuleHost {
    asked: Mutex<Vec<String>>,
    refuses: bool,
}

impl ClientHandler for RuleHost {
    fn notify(&self, _: Notification) {}

    fn diagnose(&self, _: Diagnostic) {}

    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities { forms: true, roots: true, ..ClientCapabilities::default() }
    }

    fn ask(&self, question: Question) -> BoxFuture<'static, Result<Box<RawValue>, Refusal>> {
        self.asked.lock().unwrap().push(format!("{:?} {}", question.origin, question.params.get()));
        let answer = if self.refuses {
            Err(Refusal { code: -1, message: "not today".to_owned() })
        } else {
            Ok(raw(&format!(r#"{{"to":"{}"}}"#, question.kind.method())))
        };
        Box::pin(std::future::ready(answer))
    }
}

async fn host(url: &str, refuses: bool) -> (Client, Arc<RuleHost>) {
    let host = Arc::new(RuleHost { asked: Mutex::default(), refuses });
    let inbound = Arc::clone(&host);
    let client =
        Client::connect(endpoint(url), choosing(EraChoice::Auto), inbound, Arc::new(NoTap)).await.unwrap();
    (client, host)
}

fn wants(requests: &str, state: &str) -> HttpReply {
    HttpReply::json_text(&format!(
        r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"resultType":"input_required","inputRequests":{requests}{state}}}}}"#
    ))
}

// Requirements: MRTR-01, MRTR-03, MRTR-05, MRTR-06, MRTR-07, MRTR-08, MRTR-10, ROOT-02.
#[tokio::test]
async fn input_requested_by_a_call_is_answered_in_the_next_round() {
    let both = r#"{"who":{"method":"elicitation/create","params":{"message":"Name?"}},"dirs":{"method":"roots/list"}}"#;
    let script = script()
        .once("tools/call", wants(both, r#","requestState":"a\u0062\u00e9 \" {}""#))
        .once("tools/call", wants(r#"{"again":{"method":"roots/list"}}"#, ""));
    let server = serve(script).await;
    let (client, host) = host(&server.url, false).await;
    let result = client.call_tool("x", Some(&raw(r#"{"n":1.0}"#)), CallOptions::default()).await.unwrap();
    assert_eq!(text(&result.raw), "ok");
    let calls: Vec<_> =
        server.requests().into_iter().filter(|request| request.rpc_method == "tools/call").collect();
    assert_eq!(calls.len(), 3);
    // New ids, the same parameters, only the answers of this round, and the exact state or none.
    let ids: Vec<_> = calls.iter().map(|call| call.json()["id"].to_string()).collect();
    assert_eq!(ids, ["2", "3", "4"]);
    assert!(calls.iter().all(|call| call.body.contains(r#""name":"x","arguments":{"n":1.0}"#)));
    let second = &calls[1];
    assert!(second.body.contains(r#""requestState":"a\u0062\u00e9 \" {}""#), "{}", second.body);
    let expected = serde_json::json!({"who": {"to": "elicitation/create"}, "dirs": {"to": "roots/list"}});
    assert_eq!(second.json()["params"]["inputResponses"], expected);
    let third = calls[2].json();
    assert_eq!(third["params"]["inputResponses"], serde_json::json!({"again": {"to": "roots/list"}}));
    assert_eq!(third["params"].get("requestState"), None);
    assert_eq!(host.asked.lock().unwrap().len(), 3);
}

// Requirements: MRTR-12, MRTR-14.
#[tokio::test]
async fn call_asking_for_undeclared_or_refused_input_is_abandoned() {
    let sampling = r#"{"s":{"method":"sampling/createMessage","params":{}}}"#;
    let server = serve(script().on("tools/call", wants(sampling, ""))).await;
    let (client, asked) = host(&server.url, false).await;
    let outcome = client.call_tool("x", None, CallOptions::default()).await;
    assert!(
        matches!(&outcome, Err(RequestError::Refused { what, .. }) if what == "sampling/createMessage"),
        "{outcome:?}"
    );
    assert!(asked.asked.lock().unwrap().is_empty());
    let server = serve(script().on("tools/call", wants(r#"{"r":{"method":"roots/list"}}"#, ""))).await;
    let (client, _) = host(&server.url, true).await;
    let outcome = client.call_tool("x", None, CallOptions::default()).await;
    assert!(
        matches!(&outcome, Err(RequestError::Refused { reason, .. }) if reason == "not today"),
        "{outcome:?}"
    );
    assert_eq!(server.methods().iter().filter(|method| *method == "tools/call").count(), 1);
}

// Requirements: MRTR-02, MRTR-15.
#[tokio::test]
async fn endless_rounds_end_and_input_without_a_question_is_rejected() {
    let server = serve(script().on("tools/call", wants(r#"{"r":{"method":"roots/list"}}"#, ""))).await;
    let (client, _) = host(&server.url, false).await;
    let outcome = client.call_tool("x", None, CallOptions::default()).await;
    assert!(matches!(outcome, Err(RequestError::Rounds { limit: 10 })), "{outcome:?}");
    let server = serve(
        script()
            .on("tools/call", wants("{}", ""))
            .on("tools/list", wants(r#"{"r":{"method":"roots/list"}}"#, "")),
    )
    .await;
    let (client, _) = host(&server.url, false).await;
    assert!(matches!(
        client.call_tool("x", None, CallOptions::default()).await,
        Err(RequestError::Malformed { .. })
    ));
    assert!(matches!(client.list_tools().await, Err(RequestError::Malformed { .. })));
}

/// A stdio server of the stateless era, in Python.
fn python(body: &str) -> ServerTarget {
    let program = format!(
        r#"
import json, sys
def say(message): print(json.dumps(message), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    method, id = message.get("method"), message.get("id")
    if method == "server/discover":
        say({{"jsonrpc": "2.0", "id": id, "result": {{"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {{}}, "ttlMs": 0, "cacheScope": "private", "_meta": {{}}}}}})
{body}
"#
    );
    let (search, cwd) = (SearchPath::from_environment(), std::env::temp_dir());
    let program_path = mooring_process::resolve("python3", &search, &cwd).unwrap();
    let args = vec!["-u".to_owned(), "-c".to_owned(), program];
    ServerTarget::Stdio(SpawnOptions { program: program_path, args, env: BTreeMap::new(), cwd, search })
}

// Requirements: BASE-14.
#[tokio::test]
async fn server_requests_but_ping_are_not_answered() {
    let body = r#"
    if method == "tools/call":
        call = id
        say({"jsonrpc": "2.0", "id": "p", "method": "ping"})
        say({"jsonrpc": "2.0", "id": "r", "method": "roots/list"})
    if method is None and "result" in message:
        say({"jsonrpc": "2.0", "id": call, "result": {"resultType": "complete", "content": [{"type": "text", "text": line.strip()}]}})
"#;
    let (client, memory) = modern(python(body)).await;
    assert_eq!(call(&client, "x", "{}").await, r#"{"jsonrpc":"2.0","id":"p","result":{}}"#);
    assert_eq!(memory.diagnostics().len(), 2, "{:?}", memory.diagnostics());
    assert!(!memory.log().contains(&"→ roots/list".to_owned()));
}

// Requirements: CANC-06, STD-14.
#[tokio::test]
async fn call_over_stdio_is_cancelled_by_notification() {
    let body = r#"
    if method == "notifications/cancelled":
        cancelled = message["params"]["requestId"]
    if method == "tools/call" and message["params"]["name"] == "seen":
        say({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete", "content": [{"type": "text", "text": str(cancelled)}]}})
"#;
    let (client, _) = modern(python(body)).await;
    let waiting = client.call_tool("never", None, CallOptions::default());
    assert!(tokio::time::timeout(Duration::from_millis(100), waiting).await.is_err());
    assert_eq!(call(&client, "seen", "{}").await, "2");
}
