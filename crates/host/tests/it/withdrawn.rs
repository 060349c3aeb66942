//! Withdrawn questions: by the server that asked, or because the person cancels the call.

use std::path::Path;

use mooring_base::server_id::ServerId;
use mooring_host::Host;
use mooring_inbox::InteractionQuestion;
use mooring_models::{Budget, SamplingPolicy};
use mooring_roots::RootBreadth;
use mooring_server_state::StateName;
use mooring_store::InteractionOutcome;
use mooring_testkit::http::{HttpReply, HttpScript, serve};
use serde_json::{Value, json};

use crate::asker::{asker, attended, first, tool, until_inbox};
use crate::support::{LIMIT, call, http, ignore_events, until, until_state};

/// The kinds of questions, with their parameters.
fn kinds() -> Vec<(&'static str, Value)> {
    let form = json!({ "message": "?", "requestedSchema": { "type": "object", "properties": {} } });
    let url = json!({ "mode": "url", "url": "https://example.com/w", "elicitationId": "w", "message": "" });
    let message = json!({ "role": "user", "content": { "type": "text", "text": "?" } });
    vec![
        ("form", json!({ "method": "elicitation/create", "params": form })),
        ("url", json!({ "method": "elicitation/create", "params": url })),
        (
            "sampling",
            json!({ "method": "sampling/createMessage", "params": { "messages": [message], "maxTokens": 9 } }),
        ),
        ("roots", json!({ "method": "roots/list", "params": {} })),
    ]
}

fn kind(question: &InteractionQuestion) -> &'static str {
    match question {
        InteractionQuestion::Form { .. } => "form",
        InteractionQuestion::Url { .. } => "url",
        InteractionQuestion::Sampling(_) => "sampling",
        InteractionQuestion::Roots { .. } => "roots",
        other => panic!("{other:?}"),
    }
}

/// Allows a server to ask everything, including models and folders that it does not see yet.
async fn allowed(host: &Host, id: ServerId, folder: &Path) {
    let policy = SamplingPolicy { enabled: true, budget: Budget::default() };
    host.set_sampling(id, policy).await.unwrap();
    host.folders().grant(None, &folder.display().to_string(), None, RootBreadth::Narrow).await.unwrap();
}

/// Waits until the last questions are withdrawn. Withdrawing does not wait for the disk.
async fn until_withdrawn(host: &Host, count: usize) {
    let wait = async {
        loop {
            let decided = host.decisions(100).await.unwrap();
            if decided.len() == count {
                let outcomes: Vec<_> = decided.iter().map(|decision| decision.outcome).collect();
                return assert_eq!(outcomes, vec![InteractionOutcome::Withdrawn; count]);
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LIMIT, wait).await.unwrap();
}

// Requirements: CANC-04, ELIC-10, SEC-26.
#[tokio::test]
async fn question_is_withdrawn_when_it_or_its_call_is_cancelled() {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = attended(home.path()).await;
    let id = host.add_server(asker("s")).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    let before = host.server(id).unwrap().connection.pid;
    allowed(&host, id, folder.path()).await;
    // The server restarts to learn that it may use models.
    until(&host, id, "started anew", |view| {
        let pid = view.connection.pid;
        view.connection.state == StateName::Ready && pid.is_some() && pid != before
    })
    .await;
    let mut count = 0;
    for (name, arguments) in kinds() {
        host.lift_silence(id).await.unwrap();
        // The server withdraws it, and its call continues.
        {
            let running = host.call_tool(id, call("ask", &arguments), ignore_events());
            tokio::pin!(running);
            let cancelled = async {
                let asked = first(&host).await;
                assert_eq!(kind(&asked.question), name);
                assert_eq!(tool(&host, id, "take_back", &json!({})).await, "told");
                until_inbox(&host, "withdrawn", |inbox| inbox.waiting.is_empty()).await;
                asked.id
            };
            let asked = tokio::select! {
                outcome = &mut running => panic!("{name}: the call ended: {outcome:?}"),
                asked = cancelled => asked,
            };
            assert_eq!(host.open_interaction(asked).unwrap_err().code().as_str(), "not_waiting");
            count += 1;
            until_withdrawn(&host, count).await;
        }
        // The person cancels the call.
        tokio::select! {
            outcome = host.call_tool(id, call("ask", &arguments), ignore_events()) => panic!("{name}: {outcome:?}"),
            asked = first(&host) => assert_eq!(kind(&asked.question), name),
        }
        until_inbox(&host, "withdrawn", |inbox| inbox.waiting.is_empty()).await;
        count += 1;
        until_withdrawn(&host, count).await;
    }
    host.shutdown().await;
}

fn result(result: &Value) -> HttpReply {
    HttpReply::json_text(&format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#))
}

// Requirements: MRTR-11, ELIC-10, SEC-26.
#[tokio::test]
async fn input_request_of_a_result_is_withdrawn_with_its_call() {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = attended(home.path()).await;
    let discovered = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
        "ttlMs": 0, "cacheScope": "private",
    });
    let script = HttpScript::json().without_session().on("server/discover", result(&discovered));
    let script = kinds().into_iter().fold(script, |script, (name, request)| {
        let wants = json!({ "resultType": "input_required", "inputRequests": { name: request } });
        script.once("tools/call", result(&wants))
    });
    let server = serve(script).await;
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    allowed(&host, id, folder.path()).await;
    until_state(&host, id, StateName::Ready).await;
    for (number, (name, _)) in kinds().into_iter().enumerate() {
        tokio::select! {
            outcome = host.call_tool(id, call("ask", &json!({})), ignore_events()) => panic!("{name}: {outcome:?}"),
            asked = first(&host) => assert_eq!(kind(&asked.question), name),
        }
        until_inbox(&host, "withdrawn", |inbox| inbox.waiting.is_empty()).await;
        until_withdrawn(&host, number + 1).await;
    }
    let calls = server.requests().into_iter().filter(|request| request.rpc_method == "tools/call");
    assert_eq!(calls.count(), 4, "nothing was sent after what the person gave up");
    host.shutdown().await;
}
