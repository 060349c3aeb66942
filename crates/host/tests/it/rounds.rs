//! Rounds of a call in the stateless era: their verdicts and their log.

use mooring_calls::CallStatus;
use mooring_server_state::StateName;
use mooring_testkit::http::{HttpReply, HttpScript, serve};
use serde_json::{Value, json};

use crate::asker::{answer_first, attended, yes};
use crate::support::{call, http, ignore_events, until_state};

fn result(result: &Value) -> HttpReply {
    HttpReply::json_text(&format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#))
}

// Requirements: MRTR-05, MRTR-13, SEC-15.
#[tokio::test]
async fn round_after_a_64_kib_answer_keeps_the_verdict_of_its_call() {
    let home = tempfile::tempdir().unwrap();
    let host = attended(home.path()).await;
    // Longer than the preview in a log row. In the second round, the question comes after it.
    let state = "s/".repeat(50_000);
    let params = json!({ "message": "Name?", "requestedSchema": { "type": "object", "properties": {} } });
    let requests = json!({ "name": { "method": "elicitation/create", "params": params } });
    let discovered = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
        "ttlMs": 0, "cacheScope": "private",
    });
    let text = |members: &str| {
        HttpReply::json_text(&format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{{members}}}}}"#))
    };
    let first =
        format!(r#""resultType":"input_required","inputRequests":{requests},"requestState":"{state}""#);
    let second =
        format!(r#""requestState":"{state}","inputRequests":{requests},"resultType":"input_required""#);
    let done = json!({ "resultType": "complete", "content": [{ "type": "text", "text": "done" }] });
    let script = HttpScript::json()
        .without_session()
        .on("server/discover", result(&discovered))
        .once("tools/call", text(&first))
        .once("tools/call", text(&second))
        .on("tools/call", result(&done));
    let server = serve(script).await;
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    let person = async {
        for _ in 0..2 {
            answer_first(&host, yes(None)).await;
        }
    };
    let (outcome, ()) = tokio::join!(host.call_tool(id, call("x", &json!({})), ignore_events()), person);
    let outcome = outcome.unwrap();
    assert_eq!(outcome.status, CallStatus::Ok, "{outcome:?}");
    let calls: Vec<Value> = server
        .requests()
        .into_iter()
        .filter(|request| request.rpc_method == "tools/call")
        .map(|request| request.json()["params"].clone())
        .collect();
    assert_eq!(calls.len(), 3);
    for round in &calls[1..] {
        assert_eq!(round["requestState"], state.as_str());
        assert_eq!(round["inputResponses"]["name"]["action"], "accept");
    }
    // Shutdown also checks the calls of the run, and panics if one has no verdict.
    host.shutdown().await;
    let store = mooring_store::Store::open(home.path()).await.unwrap();
    let audit = store.log().audit_verdicts(0..i64::MAX).await.unwrap();
    assert_eq!((audit.without_verdict, audit.unknown), (vec![], vec![]));
    store.close().await;
}
