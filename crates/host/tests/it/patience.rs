//! A person who takes longer than a call's time limit. The server's questions don't count against the limit,
//! whichever way it asks, and the call succeeds.

use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_calls::{CallStatus, ToolCall};
use mooring_host::Host;
use mooring_server_state::StateName;
use mooring_store::InteractionOutcome;
use mooring_testkit::http::{HttpReply, HttpScript, serve};
use serde_json::{Value, json};

use crate::asker::{armed, asks, attended, first, until_inbox, yes};
use crate::support::{call, http, ignore_events, stdio, until_state};

/// The time limit of a call.
const SHORT: Duration = Duration::from_millis(1_500);

fn short(tool: &str, arguments: &Value) -> ToolCall {
    ToolCall { idle: Some(SHORT), total: Some(SHORT), ..call(tool, arguments) }
}

/// Makes a call with the short time limit, and answers its question only after twice that time, each time it
/// is shown. Returns the tool's result.
async fn asked_late(host: &Host, id: ServerId, tool: &str, arguments: &Value) -> String {
    let person = async {
        let asked = first(host).await.id;
        tokio::time::sleep(SHORT * 2).await;
        while let Some(shown) = host.inbox().waiting.into_iter().find(|shown| shown.id == asked) {
            let nonce = armed(host, shown.id);
            host.answer_interaction(shown.id, &nonce, yes(None)).await.unwrap();
        }
    };
    let (outcome, ()) = tokio::join!(host.call_tool(id, short(tool, arguments), ignore_events()), person);
    let outcome = outcome.unwrap();
    assert_eq!(outcome.status, CallStatus::Ok, "{outcome:?}");
    assert!(outcome.elapsed < SHORT * 2, "{outcome:?}");
    until_inbox(host, "empty", |inbox| inbox.waiting.is_empty()).await;
    let decided = host.decisions(1).await.unwrap().remove(0);
    assert_eq!((decided.server, decided.outcome), (Some(id), InteractionOutcome::Accepted));
    let result: Value = serde_json::from_str(outcome.result.unwrap().get()).unwrap();
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

// Requirements: BASE-31, ELIC-30.
#[tokio::test]
async fn url_required_by_an_error_costs_the_call_no_time() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = asks(&host, "s").await;
    let address =
        json!({ "mode": "url", "url": "https://example.com/late", "elicitationId": "l", "message": "" });
    assert_eq!(asked_late(&host, id, "required", &address).await, "visited");
    // The call's own time still counts.
    let late = host.call_tool(id, short("hold", &json!({})), ignore_events()).await.unwrap();
    assert_eq!(late.status, CallStatus::TimedOut, "{late:?}");
    host.shutdown().await;
}

/// A task of 2025-11-25 that needs a form before its result.
const TASK: &str = r#"
import json, sys
def say(message): sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n"); sys.stdout.flush()
def answer(id, result): say({"id": id, "result": result})
task = {"taskId": "t", "status": "working", "ttl": None, "createdAt": "", "lastUpdatedAt": "", "pollInterval": 0}
for line in sys.stdin:
    message = json.loads(line)
    method, id = message.get("method"), message.get("id")
    if method == "initialize": answer(id, {"protocolVersion": "2025-11-25", "serverInfo": {"name": "task", "version": "1"}, "capabilities": {"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}}})
    elif method == "tools/list": answer(id, {"tools": [{"name": "ask", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}}]})
    elif method == "tools/call": answer(id, {"task": task})
    elif method == "tasks/get": answer(id, {**task, "status": "input_required"})
    elif method == "tasks/result":
        waiting = id
        say({"id": "q", "method": "elicitation/create", "params": {"message": "Name?", "requestedSchema": {"type": "object", "properties": {}}, "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "t"}}}})
    elif method is None and id == "q": answer(waiting, {"content": [{"type": "text", "text": message["result"]["action"]}]})
    elif id is not None: answer(id, {})
"#;

// Requirements: BASE-31, TSKX-06.
#[tokio::test]
async fn a_form_that_a_task_of_a_session_wants_costs_the_call_no_time() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = host.add_server(stdio("s", "python3", &["-u", "-c", TASK])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    // The tool list says which calls become tasks.
    host.tools(id, true).await.unwrap();
    assert_eq!(asked_late(&host, id, "ask", &json!({})).await, "accept");
    host.shutdown().await;
}

fn result(result: &Value) -> HttpReply {
    HttpReply::json_text(&format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#))
}

// Requirements: BASE-31, MRTR-16.
#[tokio::test]
async fn a_form_that_a_result_wants_costs_the_call_no_time() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let discovered = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
        "ttlMs": 0, "cacheScope": "private",
    });
    let params = json!({ "message": "Name?", "requestedSchema": { "type": "object", "properties": {} } });
    let wants = json!({
        "resultType": "input_required",
        "inputRequests": { "name": { "method": "elicitation/create", "params": params } },
    });
    let done = json!({ "resultType": "complete", "content": [{ "type": "text", "text": "done" }] });
    let script = HttpScript::json()
        .without_session()
        .on("server/discover", result(&discovered))
        .once("tools/call", result(&wants))
        .on("tools/call", result(&done));
    let server = serve(script).await;
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    assert_eq!(asked_late(&host, id, "x", &json!({})).await, "done");
    let calls: Vec<_> =
        server.requests().into_iter().filter(|request| request.rpc_method == "tools/call").collect();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[1].json()["params"]["inputResponses"]["name"]["action"], "accept");
    host.shutdown().await;
}

/// A task of the stateless era that asks for a form until it is answered.
const MODERN_TASK: &str = r#"
import json, sys
def answer(id, result): sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete", **result}}) + "\n"); sys.stdout.flush()
task = {"taskId": "t", "ttlMs": 60000, "pollIntervalMs": 250, "createdAt": "2026-07-28T10:30:00Z", "lastUpdatedAt": "2026-07-28T10:30:00Z"}
name = {"method": "elicitation/create", "params": {"message": "Name?", "requestedSchema": {"type": "object", "properties": {}}}}
gets, said = 0, None
for line in sys.stdin:
    message = json.loads(line)
    method, id, params = message.get("method"), message.get("id"), message.get("params", {})
    if method == "server/discover": answer(id, {"supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private", "capabilities": {"tools": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}})
    elif method == "tools/list": answer(id, {"tools": [{"name": "ask", "inputSchema": {"type": "object"}}], "ttlMs": 0, "cacheScope": "private"})
    elif method == "tools/call": answer(id, {**task, "resultType": "task", "status": "working"})
    elif method == "tasks/get" and said is None:
        gets += 1
        answer(id, {**task, "status": "input_required", "inputRequests": {"name": name}})
    elif method == "tasks/get": answer(id, {**task, "status": "completed", "result": {"content": [{"type": "text", "text": said}]}})
    elif method == "tasks/update":
        said = "%s after %s" % (params["inputResponses"]["name"]["action"], "several" if gets > 3 else "few")
        answer(id, {})
    elif id is not None: sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "Method not found"}}) + "\n"); sys.stdout.flush()
"#;

// Requirements: BASE-31, TSKE-09, TSKE-10, TSKE-12.
#[tokio::test]
async fn form_of_a_stateless_task_costs_the_call_no_time() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    let id = host.add_server(stdio("s", "python3", &["-u", "-c", MODERN_TASK])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    assert_eq!(asked_late(&host, id, "ask", &json!({})).await, "accept after several");
    host.shutdown().await;
}
