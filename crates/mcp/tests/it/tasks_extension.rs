//! Tasks of the extension `io.modelcontextprotocol/tasks`.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mooring_mcp::{
    CallOptions, Client, ClientOptions, EraChoice, Extension, ListenState, PendingRequest, QuestionOrigin,
    Refusal, RequestError, TaskStatus,
};
use mooring_testkit::eventually;
use mooring_testkit::http::{BodyPiece, Gate, HttpReply, HttpScript, HttpServer, RawReply, serve};
use serde_json::{Value, json};

use crate::era::choosing;
use crate::limits::{many, patient};
use crate::support::{
    TestHost, call, discovered, endpoint, raw, requests, result, rpc_error, text, unanswered,
};

pub(crate) fn with_tasks() -> ClientOptions {
    ClientOptions { extensions: vec![Extension::tasks()], ..choosing(EraChoice::Auto) }
}

pub(crate) fn task(status: &str, more: &Value) -> HttpReply {
    let mut task = json!({
        "resultType": "complete", "taskId": "t/1 \u{e9}", "status": status, "ttlMs": 60_000, "pollIntervalMs": 250,
        "createdAt": "2026-07-28T10:30:00Z", "lastUpdatedAt": "2026-07-28T10:30:00Z"
    });
    if let (Some(task), Some(more)) = (task.as_object_mut(), more.as_object()) {
        task.extend(more.clone());
    }
    result(&task)
}

fn created() -> HttpReply {
    task("working", &json!({"resultType": "task"}))
}

fn completed() -> HttpReply {
    task("completed", &json!({"result": {"content": [{"type": "text", "text": "at last"}]}}))
}

pub(crate) fn script() -> HttpScript {
    let offers = json!({"tools": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}});
    let acknowledged = || result(&json!({"resultType": "complete"}));
    HttpScript::json()
        .without_session()
        .on("server/discover", discovered(&offers))
        .on("tools/call", created())
        .on("tasks/get", completed())
        .on("tasks/update", acknowledged())
        .on("tasks/cancel", acknowledged())
}

async fn connected(script: HttpScript, options: ClientOptions) -> (HttpServer, Client, Arc<TestHost>) {
    let server = serve(script).await;
    let host = TestHost::new(|question| Ok(raw(&format!(r#"{{"to":"{}"}}"#, question.kind.method()))));
    let client = host.connect(endpoint(&server.url), options).await;
    (server, client, host)
}

// Requirements: TSKE-01, TSKE-03, TSKE-05, TSKE-06, TSKE-08, TSKE-11, TSKE-17, SHL-06.
#[tokio::test]
async fn call_turned_into_a_task_still_returns_its_result() {
    let script = script()
        .once(
            "tools/call",
            result(&json!({"resultType": "complete", "content": [{"type": "text", "text": "at once"}]})),
        )
        .once("tasks/get", task("working", &json!({"resultType": "task"})));
    let (server, client, _) = connected(script, with_tasks()).await;
    assert_eq!(call(&client, "x", "{}").await, "at once");
    assert_eq!(call(&client, "x", "{}").await, "at last");
    let asked = &requests(&server, "tools/call")[1].json()["params"];
    assert_eq!(asked.get("task"), None);
    let declared = &asked["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"];
    assert_eq!(*declared, json!({"io.modelcontextprotocol/tasks": {}}));
    let gets = requests(&server, "tasks/get");
    assert_eq!(gets.len(), 2);
    assert!(
        gets.iter().all(|get| get.header("mcp-name") == Some("=?base64?dC8xIMOp?=")),
        "{:?}",
        gets[0].headers
    );
    assert_eq!(gets[0].json()["params"]["taskId"], "t/1 \u{e9}");
    let known = client.tasks();
    assert_eq!(
        (known.len(), known[0].status, known[0].ttl),
        (1, TaskStatus::Completed, Some(Duration::from_mins(1)))
    );
    for method in ["tasks/result", "tasks/list", "tasks/cancel"] {
        assert!(requests(&server, method).is_empty(), "{method}");
    }
    client.refresh_tasks().await.unwrap();
    assert!(requests(&server, "tasks/list").is_empty());
}

// Requirements: BASE-24, TSKE-01, TSKE-02, TSKE-04, EXT-02, EXT-04.
#[tokio::test]
async fn a_task_that_nobody_asked_for_is_not_an_answer() {
    let (server, client, _) = connected(script(), choosing(EraChoice::Auto)).await;
    let outcome = client.call_tool("x", None, CallOptions::default()).await;
    assert!(matches!(outcome, Err(RequestError::Malformed { .. })), "{outcome:?}");
    let declared = &requests(&server, "tools/call")[0].json()["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(declared.get("extensions"), None);
    let (_server, client, _) = connected(script().on("prompts/get", created()), with_tasks()).await;
    let outcome = client.get_prompt("x", None, CallOptions::default()).await;
    assert!(matches!(outcome, Err(RequestError::Malformed { .. })), "{outcome:?}");
    let nested = result(&json!({"resultType": "task", "task": {"taskId": "t", "status": "working"}}));
    let (_server, client, _) = connected(script().on("tools/call", nested), with_tasks()).await;
    let outcome = client.call_tool("x", None, CallOptions::default()).await;
    assert!(matches!(outcome, Err(RequestError::Malformed { .. })), "{outcome:?}");
    // In a session, the extension is not declared.
    let server = serve(HttpScript::json()).await;
    let host = TestHost::new(|_| Ok(raw("{}")));
    let options = ClientOptions { extensions: vec![Extension::tasks()], ..crate::support::options() };
    host.connect(endpoint(&server.url), options).await;
    assert_eq!(
        server.wait_for_message("initialize").await.json()["params"]["capabilities"].get("extensions"),
        None
    );
}

// Requirements: TSKE-09, TSKE-10, TSKE-12, TSKE-13, MRTR-11.
#[tokio::test]
async fn repeated_input_request_of_a_task_is_answered_once() {
    let name = json!({"method": "elicitation/create", "params": {"message": "Name?"}});
    let roots = json!({"method": "roots/list"});
    let wants = |requests: &Value| task("input_required", &json!({"inputRequests": requests}));
    let script = script()
        .once(
            "tools/call",
            result(&json!({"resultType": "input_required", "inputRequests": {"name": roots}})),
        )
        .once("tasks/get", wants(&json!({"name": name})))
        .once("tasks/get", wants(&json!({"name": name, "dirs": roots})))
        .once("tasks/get", wants(&json!({"name": name, "dirs": roots})))
        .once("tasks/get", task("working", &json!({})));
    let (server, client, host) = connected(script, with_tasks()).await;
    assert_eq!(call(&client, "x", "{}").await, "at last");
    let origins: Vec<_> = host.asked.lock().unwrap().iter().map(|question| question.origin.clone()).collect();
    let made_by =
        |tool: &str| PendingRequest { method: "tools/call", subject: Some(tool.into()), caller: None };
    let of_task =
        |key: &str| QuestionOrigin::Task { id: "t/1 \u{e9}".into(), call: made_by("x"), key: key.to_owned() };
    let round = QuestionOrigin::InputRequired { call: made_by("x"), key: "name".to_owned() };
    assert_eq!(origins, [round, of_task("name"), of_task("dirs")]);
    let updates: Vec<_> = requests(&server, "tasks/update")
        .iter()
        .map(|update| update.json()["params"]["inputResponses"].clone())
        .collect();
    assert_eq!(
        updates,
        [json!({"name": {"to": "elicitation/create"}}), json!({"dirs": {"to": "roots/list"}})]
    );
    assert!(requests(&server, "tasks/update").iter().all(|update| update.header("mcp-name").is_some()));
}

// Requirements: MRTR-12, TSKE-09, SAMP-15.
#[tokio::test]
async fn task_allows_256_questions_eight_at_once_and_257_end_it() {
    for (count, ends) in [(256, false), (257, true)] {
        let wants = task("input_required", &json!({"inputRequests": many(count)}));
        let server = serve(script().on("tasks/get", wants)).await;
        let most = Arc::default();
        let host = patient(&most);
        let client = host.connect(endpoint(&server.url), with_tasks()).await;
        let calling = client.call_tool("x", None, CallOptions::default());
        if ends {
            let error = calling.await.unwrap_err().to_string();
            assert!(error.contains("it sent 257 questions at once"), "{error}");
            assert!(host.asked.lock().unwrap().is_empty());
            continue;
        }
        let all_asked =
            eventually("all are asked", Duration::from_secs(20), || host.asked.lock().unwrap().len() == 256);
        tokio::select! {
            outcome = calling => panic!("{outcome:?}"),
            () = all_asked => {}
        }
        assert_eq!(most.load(Ordering::Relaxed), 8);
    }
}

// Requirements: TSKE-11, TSKE-15.
#[tokio::test]
async fn failed_cancelled_or_lost_task_ends_the_call_with_a_reason() {
    let ended = |reply: HttpReply| async move {
        let (_server, client, _) = connected(script().on("tasks/get", reply), with_tasks()).await;
        client.call_tool("x", None, CallOptions::default()).await
    };
    let failed = ended(task("failed", &json!({"error": {"code": -32603, "message": "fog"}}))).await;
    assert!(
        matches!(&failed, Err(RequestError::Rpc(error)) if error.code == -32603 && error.message == "fog")
    );
    let cancelled = ended(task("cancelled", &json!({"statusMessage": "by hand"}))).await;
    assert!(
        matches!(&cancelled, Err(RequestError::TaskCancelled { message: Some(text) }) if text == "by hand")
    );
    let forgotten = ended(rpc_error(200, -32602, &json!(null))).await;
    assert!(matches!(&forgotten, Err(RequestError::Rpc(error)) if error.code == -32602));
    let reports =
        ended(task("completed", &json!({"result": {"content": [], "isError": true}}))).await.unwrap();
    assert!(reports.is_error);
    let empty = ended(task("completed", &json!({}))).await;
    assert!(matches!(empty, Err(RequestError::Malformed { .. })), "{empty:?}");
}

// Requirements: CANC-08, TSKE-08, TSKE-12.
#[tokio::test]
async fn task_is_cancelled_with_its_call_or_by_id_and_may_complete() {
    let (server, client, _) =
        connected(script().on("tasks/get", task("working", &json!({}))), with_tasks()).await;
    let caller = client.clone();
    tokio::select! {
        outcome = caller.call_tool("x", None, CallOptions::default()) => panic!("{outcome:?}"),
        _ = server.wait_for_message("tasks/get") => {}
    }
    let cancel = server.wait_for_message("tasks/cancel").await;
    assert_eq!(
        (cancel.header("mcp-name"), cancel.header("mcp-method")),
        (Some("=?base64?dC8xIMOp?="), Some("tasks/cancel"))
    );
    assert!(cancel.json()["params"]["_meta"].get("io.modelcontextprotocol/protocolVersion").is_some());

    let working = || task("working", &json!({}));
    let script =
        script().once("tasks/get", working()).once("tasks/get", working()).once("tasks/get", working());
    let (server, client, _) = connected(script, with_tasks()).await;
    let caller = client.clone();
    let cancelling = async {
        server.wait_for_message("tasks/get").await;
        client.cancel_task("t/1 \u{e9}").await
    };
    let (outcome, cancelled) = tokio::join!(call(&caller, "x", "{}"), cancelling);
    cancelled.unwrap();
    assert_eq!(outcome, "at last");
    assert_eq!(requests(&server, "tasks/cancel").len(), 1);
}

// Requirements: MRTR-12, MRTR-14, TSKE-09.
#[tokio::test]
async fn refused_question_ends_the_task_a_dropped_one_is_withdrawn() {
    let sampling = json!({"s": {"method": "sampling/createMessage", "params": {"messages": []}}});
    let wants = || task("input_required", &json!({"inputRequests": sampling}));
    let server = serve(script().on("tasks/get", wants())).await;
    let host = TestHost::new(|_| Err(Refusal { code: -1, message: "not today".to_owned() }));
    let client = host.connect(endpoint(&server.url), with_tasks()).await;
    let outcome = client.call_tool("x", None, CallOptions::default()).await;
    assert!(
        matches!(&outcome, Err(RequestError::Refused { reason, .. }) if reason == "not today"),
        "{outcome:?}"
    );
    server.wait_for_message("tasks/cancel").await;

    let server =
        serve(script().once("tasks/get", wants()).once("tasks/get", task("working", &json!({})))).await;
    let withdrawn = Gate::new();
    let gate = withdrawn.clone();
    let host = TestHost::waiting(move |_| unanswered(&gate));
    let client = host.connect(endpoint(&server.url), with_tasks()).await;
    let result = client.call_tool("x", None, CallOptions::default()).await.unwrap();
    assert_eq!(text(&result.raw), "at last");
    tokio::time::timeout(Duration::from_secs(20), withdrawn.wait_until_open()).await.unwrap();
    assert!(requests(&server, "tasks/update").is_empty());
}

// Requirements: TSKE-07, TSKE-08.
#[tokio::test]
async fn task_of_an_earlier_connection_is_awaited_by_the_next() {
    let script = script().once("tasks/get", task("working", &json!({})));
    let (server, client, _) = connected(script, with_tasks()).await;
    let resumed = client.resume_task("t/1 \u{e9}", "x", CallOptions::default()).await.unwrap();
    assert_eq!(text(&resumed.raw), "at last");
    assert!(requests(&server, "tools/call").is_empty());
    let gets = requests(&server, "tasks/get");
    assert!(gets.len() == 2 && gets.iter().all(|get| get.header("mcp-name") == Some("=?base64?dC8xIMOp?=")));
    assert_eq!((client.tasks().len(), client.tasks()[0].tool.as_str()), (1, "x"));
}

// Requirements: TSKX-16.
#[tokio::test]
async fn tasks_are_forgotten_with_their_owner_and_ids_stay_hidden() {
    let script = script().on("tasks/get", task("working", &json!({})));
    let (server, client, host) = connected(script, with_tasks()).await;
    let caller = client.clone();
    let switch = async {
        server.wait_for_message("tasks/get").await;
        let shown = format!("{:?}", client.tasks());
        assert!(shown.contains("Working") && !shown.contains("t/1"), "{shown}");
        client.sign_in_changed();
    };
    let (outcome, ()) = tokio::join!(caller.call_tool("x", None, CallOptions::default()), switch);
    assert!(matches!(outcome, Err(RequestError::TaskCancelled { .. })), "{outcome:?}");
    assert!(client.tasks().is_empty());
    assert!(host.task_changes.load(Ordering::Relaxed) > 0);
    // The next person sends nothing about it, not even a cancellation.
    assert!(requests(&server, "tasks/cancel").is_empty());
}

/// An event of the subscription stream that the request opened.
fn told(method: &str, mut params: Value) -> String {
    params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": "$ID"});
    let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
    format!("data: {message}\n\n").replace("\"$ID\"", "$ID")
}

// Requirements: TSKE-14.
#[tokio::test]
async fn server_status_notification_triggers_an_immediate_poll() {
    let stands = |id: &str| json!({"taskId": id, "status": "completed", "createdAt": "", "lastUpdatedAt": "", "ttlMs": null});
    let changes = RawReply::stream()
        .text(&told(
            "notifications/subscriptions/acknowledged",
            json!({"notifications": {"taskIds": ["t/1 \u{e9}"]}}),
        ))
        .text(&told("notifications/tasks", stands("another")))
        .text(&told("notifications/tasks", stands("t/1 \u{e9}")))
        .piece(BodyPiece::Hang);
    // The server wants to be polled once a minute.
    let slowly = task("working", &json!({"pollIntervalMs": 60_000}));
    let script = script().once("tasks/get", slowly).on("subscriptions/listen", changes.into());
    let (server, client, host) = connected(script, with_tasks()).await;
    let waited = tokio::time::timeout(Duration::from_secs(20), call(&client, "x", "{}"));
    assert_eq!(waited.await.unwrap(), "at last");
    let streams = requests(&server, "subscriptions/listen");
    assert_eq!(streams[0].json()["params"]["notifications"], json!({"taskIds": ["t/1 \u{e9}"]}));
    assert_eq!(requests(&server, "tasks/get").len(), 2);
    let odd = host.memory.diagnostics();
    assert!(odd.len() == 1 && odd[0].contains("isn’t part of its subscription"), "{odd:?}");
    // No subscription is left.
    let off = || client.listening() == ListenState::Off;
    eventually("the stream ended", Duration::from_secs(20), off).await;
    client.shutdown().await;
}

// Requirements: TSKE-14, TSKE-06.
#[tokio::test]
async fn server_without_task_notifications_is_polled() {
    let offers = json!({"tools": {"listChanged": true}, "extensions": {"io.modelcontextprotocol/tasks": {}}});
    let acknowledged = told(
        "notifications/subscriptions/acknowledged",
        json!({"notifications": {"toolsListChanged": true}}),
    );
    let live: HttpReply = RawReply::stream().text(&acknowledged).piece(BodyPiece::Hang).into();
    let working = || task("working", &json!({}));
    let gate = Gate::new();
    let script = script()
        .on("server/discover", discovered(&offers))
        .once("subscriptions/listen", live.clone())
        .once("subscriptions/listen", rpc_error(400, -32602, &json!(null)))
        .on("subscriptions/listen", live)
        .once("tasks/get", working())
        .once("tasks/get", HttpReply::After(gate.clone(), Box::new(completed())))
        .once("tasks/get", working());
    let (server, client, host) = connected(script, with_tasks()).await;
    let is_live = || client.listening() == ListenState::Live;
    eventually("changes are told", Duration::from_secs(20), is_live).await;
    let streams = || {
        let streams = requests(&server, "subscriptions/listen");
        streams.iter().map(|stream| stream.json()["params"]["notifications"].clone()).collect::<Vec<_>>()
    };
    let settled = async {
        let is_back = || streams().len() == 3 && is_live();
        eventually("the plain one is back", Duration::from_secs(20), is_back).await;
        gate.open();
    };
    let (first, ()) = tokio::join!(call(&client, "x", "{}"), settled);
    // The next task doesn't try it again.
    let second = call(&client, "x", "{}").await;
    assert_eq!((first.as_str(), second.as_str()), ("at last", "at last"));
    let plain = json!({"toolsListChanged": true});
    let with_task = json!({"toolsListChanged": true, "taskIds": ["t/1 \u{e9}"]});
    assert_eq!(streams(), [plain.clone(), with_task, plain]);
    assert!(host.memory.diagnostics().is_empty(), "{:?}", host.memory.diagnostics());
    client.shutdown().await;
}

// Requirements: TSKE-16.
#[tokio::test]
async fn missing_task_declaration_error_is_not_retried_forever() {
    let missing = json!({"requiredCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}});
    let script = script().on("tasks/get", rpc_error(400, -32021, &missing));
    let (server, client, _) = connected(script, with_tasks()).await;
    let outcome = client.call_tool("x", None, CallOptions::default()).await;
    let Err(RequestError::Rpc(error)) = outcome else { panic!("{outcome:?}") };
    assert_eq!((error.code, error.data.unwrap().get()), (-32021, missing.to_string().as_str()));
    // It was declared in every request, so a retry would change nothing.
    let asked = requests(&server, "tasks/get");
    assert_eq!(asked.len(), 1);
    let declared = &asked[0].json()["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(declared["extensions"], json!({"io.modelcontextprotocol/tasks": {}}));
    assert_eq!(client.tasks()[0].status, TaskStatus::Failed);
}
