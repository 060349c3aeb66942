//! Tasks of 2025-11-25: calls that continue after their request was answered.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use mooring_mcp::{
    CallOptions, Client, ClientOptions, PendingRequest, QuestionContext, QuestionOrigin, RequestError,
    TaskStatus,
};
use mooring_testkit::eventually;
use mooring_testkit::http::{Gate, HttpReply, HttpScript, HttpServer, RawReply, serve};
use serde_json::{Value, json};

use crate::support::{
    Recorder, TestHost, call, connect_with, endpoint, opening, options, python_server, raw, requests, result,
    rpc_error, text,
};

const PATIENCE: Duration = Duration::from_secs(20);

fn capabilities() -> Value {
    json!({"tools": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}})
}

fn tools() -> HttpReply {
    let tool = |name: &str, support: Option<&str>| {
        let mut tool = json!({"name": name, "inputSchema": {}});
        if let Some(support) = support {
            tool["execution"] = json!({"taskSupport": support});
        }
        tool
    };
    result(&json!({"tools": [
        tool("required", Some("required")),
        tool("optional", Some("optional")),
        tool("forbidden", Some("forbidden")),
        tool("silent", None)
    ]}))
}

fn task(status: &str) -> Value {
    json!({
        "taskId": "t-1", "status": status, "statusMessage": format!("it is {status}"), "ttl": 60_000,
        "createdAt": "2025-11-25T10:30:00Z", "lastUpdatedAt": "2025-11-25T10:40:00Z", "pollInterval": 300
    })
}

fn created() -> HttpReply {
    result(&json!({"task": task("working")}))
}

fn outcome() -> Value {
    json!({"content": [{"type": "text", "text": "at last"}]})
}

fn script(capabilities: &Value) -> HttpScript {
    HttpScript::json()
        .without_session()
        .on("initialize", opening("2025-11-25", capabilities))
        .on("tools/list", tools())
        .on("tools/call", created())
        .on("tasks/get", result(&task("completed")))
        .on("tasks/result", result(&outcome()))
        .on("tasks/cancel", result(&task("cancelled")))
}

async fn connected(script: HttpScript, options: ClientOptions) -> (HttpServer, Client, Arc<Recorder>) {
    let server = serve(script).await;
    let (client, memory) = connect_with(endpoint(&server.url), options).await;
    let client = client.unwrap();
    client.list_tools().await.unwrap();
    (server, client, memory)
}

async fn call_result(client: &Client, tool: &str) -> Result<String, RequestError> {
    client.call_tool(tool, None, CallOptions::default()).await.map(|result| text(&result.raw))
}

// Requirements: TSKX-01, TSKX-03, TSKX-04, TSKX-05, TSKX-13.
#[tokio::test]
async fn a_call_that_becomes_a_task_still_brings_its_result() {
    let script = script(&capabilities())
        .once("tasks/get", result(&task("working")))
        .once("tasks/get", HttpReply::status(503, "busy"));
    let (server, client, _) = connected(script, options()).await;
    let begun = std::time::Instant::now();
    assert_eq!(call_result(&client, "required").await.unwrap(), "at last");
    assert!(begun.elapsed() >= Duration::from_millis(900), "three questions, each after its wait");
    let asked = server.wait_for_message("tools/call").await.json();
    assert_eq!(asked["params"]["name"], "required");
    assert!(asked["params"]["task"]["ttl"].as_u64().unwrap() >= 30_000);
    assert_eq!(requests(&server, "tasks/get").len(), 3);
    assert_eq!(server.wait_for_message("tasks/result").await.json()["params"], json!({"taskId": "t-1"}));
    let tasks = client.tasks();
    assert_eq!((tasks.len(), &*tasks[0].id, tasks[0].tool.as_str()), (1, "t-1", "required"));
    assert_eq!(
        (tasks[0].status, tasks[0].poll_interval),
        (TaskStatus::Completed, Some(Duration::from_millis(300)))
    );
    assert_eq!(tasks[0].status_message.as_deref(), Some("it is completed"));
}

// Requirements: TSKX-01, TSKX-02, TSKE-02.
#[tokio::test]
async fn only_what_may_be_a_task_is_asked_for_as_one() {
    let plain = || result(&outcome());
    let has_task = |server: &HttpServer| -> Vec<bool> {
        requests(server, "tools/call")
            .iter()
            .map(|call| call.json()["params"].get("task").is_some())
            .collect()
    };
    let names = ["required", "optional", "forbidden", "silent", "unlisted"];
    for (prefers, expected) in
        [(false, [true, false, false, false, false]), (true, [true, true, false, false, false])]
    {
        let options = ClientOptions { prefer_tasks: prefers, ..options() };
        let (server, client, _) = connected(script(&capabilities()).on("tools/call", plain()), options).await;
        for name in names {
            // A server may also respond with the result.
            assert_eq!(call_result(&client, name).await.unwrap(), "at last");
        }
        assert_eq!(has_task(&server), expected);
    }
    // Without the capability, or with only the extension's capability, no task is requested.
    for capabilities in [json!({"tools": {}}), json!({"extensions": {"io.modelcontextprotocol/tasks": {}}})] {
        let (server, client, _) = connected(script(&capabilities).on("tools/call", plain()), options()).await;
        call_result(&client, "required").await.unwrap();
        assert_eq!(has_task(&server), [false]);
    }
}

// Requirements: TSKX-05, TSKX-13, TSKX-14.
#[tokio::test]
async fn failed_cancelled_or_lost_task_ends_the_call_with_a_reason() {
    let failing = script(&capabilities())
        .on("tasks/get", result(&task("failed")))
        .on("tasks/result", rpc_error(200, -32000, &json!({"why": "fog"})));
    let (_server, client, _) = connected(failing, options()).await;
    let error = call_result(&client, "required").await.unwrap_err();
    assert!(
        matches!(&error, RequestError::Rpc(error) if error.code == -32000 && error.data.is_some()),
        "{error:?}"
    );
    assert_eq!(client.tasks()[0].status, TaskStatus::Failed);

    let reports = script(&capabilities()).on("tasks/get", result(&task("failed"))).on(
        "tasks/result",
        result(&json!({"content": [{"type": "text", "text": "no fuel"}], "isError": true})),
    );
    let (_server, client, _) = connected(reports, options()).await;
    let answer = client.call_tool("required", None, CallOptions::default()).await.unwrap();
    assert!(answer.is_error && text(&answer.raw) == "no fuel");

    let cancelled = script(&capabilities()).on("tasks/get", result(&task("cancelled")));
    let (server, client, _) = connected(cancelled, options()).await;
    let error = call_result(&client, "required").await.unwrap_err();
    assert!(
        matches!(&error, RequestError::TaskCancelled { message } if message.as_deref() == Some("it is cancelled"))
    );
    assert!(requests(&server, "tasks/cancel").is_empty() && requests(&server, "tasks/result").is_empty());

    let forgotten = script(&capabilities()).on("tasks/get", rpc_error(200, -32602, &json!(null)));
    let (_server, client, _) = connected(forgotten, options()).await;
    let error = call_result(&client, "required").await.unwrap_err();
    assert!(matches!(&error, RequestError::Rpc(error) if error.code == -32602));
    assert_eq!(client.tasks()[0].status, TaskStatus::Failed);
}

// Requirements: CANC-08, TSKX-11.
#[tokio::test]
async fn abandoned_call_cancels_its_task_without_a_notification() {
    let script = script(&capabilities()).on("tasks/get", result(&task("working")));
    let (server, client, _) = connected(script, options()).await;
    tokio::select! {
        outcome = call_result(&client, "required") => panic!("{outcome:?}"),
        _ = server.wait_for_message("tasks/get") => {}
    }
    let cancel = server.wait_for_message("tasks/cancel").await;
    assert_eq!(cancel.json()["params"], json!({"taskId": "t-1"}));
    assert_eq!(client.tasks()[0].status, TaskStatus::Cancelled);
    // A poll may be cancelled, but not the call.
    let called = server.wait_for_message("tools/call").await.json()["id"].clone();
    let cancelled = requests(&server, "notifications/cancelled");
    assert!(cancelled.iter().all(|cancelled| cancelled.json()["params"]["requestId"] != called));
}

// Requirements: CANC-08, TSKX-11.
#[tokio::test]
async fn task_created_after_the_deadline_is_cancelled_not_its_call() {
    let body = r#"
    if method == "initialize": answer(id, {**SESSION, "capabilities": {"tools": {}, "tasks": {"cancel": {}, "requests": {"tools": {"call": {}}}}}})
    if method == "tools/list": answer(id, {"tools": [{"name": "slow", "inputSchema": {}, "execution": {"taskSupport": "required"}}]})
    if method == "tools/call" and params["name"] == "slow": kept[id] = {"taskId": "t" + str(len(kept)), "status": "working", "ttl": None, "createdAt": "", "lastUpdatedAt": ""}
    if method == "tools/call" and params["name"] == "now":
        for call, task in kept.items(): answer(call, {"task": task})
        answer(id, text("now"))
"#;
    let (client, memory) = connect_with(python_server(body), options()).await;
    let client = client.unwrap();
    client.list_tools().await.unwrap();
    let short = || CallOptions { idle: Some(Duration::from_millis(50)), ..CallOptions::default() };
    let outcome = client.call_tool("slow", None, short()).await;
    assert!(matches!(outcome, Err(RequestError::Timeout { .. })), "{outcome:?}");
    // The caller of the first call leaves. Its deadline passes together with that of the second call.
    let mut given_up = Box::pin(client.call_tool("slow", None, short()));
    assert!((&mut given_up).now_or_never().is_none());
    drop(given_up);
    let outcome = client.call_tool("slow", None, short()).await;
    assert!(matches!(outcome, Err(RequestError::Timeout { .. })), "{outcome:?}");
    assert_eq!(call(&client, "now", "{}").await, "now");
    let sent = |method: &str| memory.log().iter().filter(|line| **line == format!("→ {method}")).count();
    eventually("all three are cancelled", PATIENCE, || sent("tasks/cancel") == 3).await;
    client.shutdown().await;
    assert_eq!(sent("notifications/cancelled"), 0);
}

// Requirements: CANC-08.
#[tokio::test]
async fn http_task_is_cancelled_when_abandoned_before_its_id_is_known() {
    let gate = Gate::new();
    let script =
        script(&capabilities()).on("tools/call", HttpReply::After(gate.clone(), Box::new(created())));
    let (server, client, memory) = connected(script, options()).await;
    tokio::select! {
        outcome = call_result(&client, "required") => panic!("{outcome:?}"),
        _ = server.wait_for_message("tools/call") => {}
    }
    let short = CallOptions { idle: Some(Duration::from_millis(50)), ..CallOptions::default() };
    let outcome = client.call_tool("required", None, short).await;
    assert!(matches!(outcome, Err(RequestError::Timeout { .. })), "{outcome:?}");
    gate.open();
    eventually("both are cancelled", PATIENCE, || requests(&server, "tasks/cancel").len() == 2).await;
    assert!(!memory.log().iter().any(|line| line == "→ notifications/cancelled"));
}

// Requirements: CANC-08, TSKX-11, TSKX-14.
#[tokio::test]
async fn a_task_is_cancelled_by_its_id_where_the_server_lets_it() {
    let never_ends = || script(&capabilities()).on("tasks/get", result(&task("working")));
    let (server, client, _) = connected(never_ends(), options()).await;
    let caller = client.clone();
    let cancel = async {
        server.wait_for_message("tasks/get").await;
        client.cancel_task("t-1").await
    };
    let (outcome, cancelled) = tokio::join!(call_result(&caller, "required"), cancel);
    assert!(matches!(outcome, Err(RequestError::TaskCancelled { .. })), "{outcome:?}");
    cancelled.unwrap();
    // It is no failure that the task has already ended.
    let too_late = never_ends()
        .on("tasks/get", result(&task("completed")))
        .on("tasks/cancel", rpc_error(200, -32602, &json!(null)));
    let (_server, client, _) = connected(too_late, options()).await;
    call_result(&client, "required").await.unwrap();
    client.cancel_task("t-1").await.unwrap();
    assert!(client.cancel_task("unknown").await.is_err());
    let without = json!({"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}});
    let (server, client, _) = connected(script(&without), options()).await;
    assert!(matches!(client.cancel_task("t-1").await, Err(RequestError::Unsendable { .. })));
    client.refresh_tasks().await.unwrap();
    assert!(requests(&server, "tasks/cancel").is_empty() && requests(&server, "tasks/list").is_empty());
}

// Requirements: TSKX-10, PAGE-02.
#[tokio::test]
async fn the_tasks_of_a_server_are_listed_over_all_pages() {
    let other =
        json!({"taskId": "t-2", "status": "working", "ttl": null, "createdAt": "x", "lastUpdatedAt": "y"});
    let script = script(&capabilities())
        .once("tasks/list", result(&json!({"tasks": [task("working"), 7], "nextCursor": "2"})))
        .once("tasks/list", result(&json!({"tasks": [other]})));
    let (server, client, memory) = connected(script, options()).await;
    client.refresh_tasks().await.unwrap();
    let mut ids: Vec<_> = client.tasks().iter().map(|task| task.id.to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["t-1", "t-2"]);
    assert_eq!(requests(&server, "tasks/list")[1].json()["params"], json!({"cursor": "2"}));
    assert_eq!(memory.diagnostics().len(), 1, "{:?}", memory.diagnostics());
}

// Requirements: TSKX-09, TSKX-12.
#[tokio::test]
async fn status_notifications_are_handled_and_progress_continues() {
    let body = r#"
    if method == "initialize": answer(id, {**SESSION, "capabilities": {"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}}})
    if method == "tools/list": answer(id, {"tools": [{"name": "slow", "inputSchema": {}, "execution": {"taskSupport": "required"}}]})
    task = {"taskId": "t", "status": "working", "ttl": None, "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:10Z", "pollInterval": 600000}
    if method == "tools/call":
        token = params["_meta"]["progressToken"]
        answer(id, {"task": task})
        tell("notifications/progress", {"progressToken": token, "progress": 1})
        tell("notifications/tasks/status", {**task, "taskId": "unknown", "status": "completed"})
        tell("notifications/tasks/status", {**task, "status": "failed", "lastUpdatedAt": "2026-01-01T00:00:05Z"})
        tell("notifications/tasks/status", {**task, "status": "completed", "lastUpdatedAt": "2026-01-01T00:00:20Z"})
    if method == "tasks/result":
        tell("notifications/progress", {"progressToken": token, "progress": 2})
        answer(id, text("done"))
        tell("notifications/progress", {"progressToken": token, "progress": 3})
        answer("none", {})
"#;
    let (client, memory) = connect_with(python_server(body), options()).await;
    let client = client.unwrap();
    client.list_tools().await.unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&heard);
    let on_progress =
        Some(Arc::new(move |progress: mooring_mcp::Progress| sink.lock().unwrap().push(progress.progress))
            as _);
    // The server wants to be polled every ten minutes. Its notification ends the wait.
    let asked = client.call_tool("slow", None, CallOptions { on_progress, ..CallOptions::default() });
    let result = tokio::time::timeout(PATIENCE, asked).await.unwrap().unwrap();
    assert_eq!(text(&result.raw), "done");
    assert_eq!(client.tasks().len(), 1);
    eventually("all was read", PATIENCE, || {
        memory.diagnostics().iter().any(|odd| odd.contains("doesn’t answer any"))
    })
    .await;
    let heard = heard.lock().unwrap().clone();
    assert!(heard.starts_with(&[1.0, 2.0]), "{heard:?}");
}

// Requirements: TSKX-06, TSKX-07, TSKX-08, ELIC-03.
#[tokio::test]
async fn task_gets_input_while_its_result_is_awaited() {
    let body = r#"
    if method == "initialize": answer(id, {**SESSION, "capabilities": {"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}}})
    if method == "tools/list": answer(id, {"tools": [{"name": "ask", "inputSchema": {}, "execution": {"taskSupport": "required"}}]})
    task = {"taskId": "t", "status": "working", "ttl": None, "createdAt": "", "lastUpdatedAt": "", "pollInterval": 0}
    if method == "tools/call": answer(id, {"task": task})
    if method == "tasks/get": answer(id, {**task, "status": "input_required"})
    if method == "tasks/result":
        waiting = id
        say({"id": "q", "method": "elicitation/create", "params": {"message": "Name?", "requestedSchema": {"type": "object", "properties": {}}, "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "t"}}}})
    if method is None and id == "q": answer(waiting, text(json.dumps(message["result"])))
"#;
    let host = TestHost::new(|_| Ok(raw(r#"{"action":"accept","content":{}}"#)));
    let client = host.connect(python_server(body), options()).await;
    client.list_tools().await.unwrap();
    let answer: Value = serde_json::from_str(&call(&client, "ask", "{}").await).unwrap();
    assert_eq!(answer["action"], "accept");
    assert_eq!(answer["_meta"]["io.modelcontextprotocol/related-task"], json!({"taskId": "t"}));
    let origin = host.asked.lock().unwrap()[0].origin.clone();
    let occasion = QuestionContext::Request(PendingRequest {
        method: "tools/call",
        subject: Some("ask".into()),
        caller: None,
    });
    let expected = QuestionOrigin::Request { id: "\"q\"".into(), task: Some("t".into()), occasion };
    assert_eq!(origin, expected);
    assert!(host.task_changes.load(Ordering::Relaxed) >= 2);
}

// Requirements: TSKX-06.
#[tokio::test]
async fn a_result_that_is_torn_off_is_asked_for_again() {
    let script = script(&capabilities())
        .once("tasks/get", result(&task("input_required")))
        .once("tasks/result", RawReply::stream().text(": nothing yet\n\n").into());
    let (server, client, _) = connected(script, options()).await;
    assert_eq!(call_result(&client, "required").await.unwrap(), "at last");
    assert_eq!(requests(&server, "tasks/result").len(), 2);
}

// Requirements: TSKX-06.
#[tokio::test]
async fn torn_result_is_requested_no_more_often_than_the_status() {
    let script = script(&capabilities())
        .once("tasks/get", result(&task("input_required")))
        .once("tasks/get", result(&task("input_required")))
        .on("tasks/result", RawReply::stream().text(": nothing\n\n").into());
    let (server, client, _) = connected(script, options()).await;
    let outcome = tokio::time::timeout(PATIENCE, call_result(&client, "required")).await.unwrap();
    assert!(matches!(outcome, Err(RequestError::StreamEnded)), "{outcome:?}");
    // Once per status: twice for input, once for the end.
    assert_eq!((requests(&server, "tasks/get").len(), requests(&server, "tasks/result").len()), (3, 3));
}

// Requirements: TSKX-05.
#[tokio::test]
async fn a_task_that_was_begun_earlier_is_waited_for() {
    let script = script(&capabilities()).once("tasks/get", result(&task("working")));
    let (server, client, _) = connected(script, options()).await;
    let result = client.resume_task("t-1", "required", CallOptions::default()).await.unwrap();
    assert_eq!(text(&result.raw), "at last");
    assert!(requests(&server, "tools/call").is_empty());
    assert_eq!(client.tasks()[0].tool, "required");
}

// Requirements: ELIC-30, ELIC-31, TSKX-05.
#[tokio::test]
async fn task_requiring_a_url_is_called_again_when_visited() {
    let url = json!({"mode": "url", "elicitationId": "e", "url": "https://example.com/x", "message": "go"});
    let required = || rpc_error(200, -32042, &json!({ "elicitations": [url] }));
    let again = || {
        let mut other = task("working");
        other["taskId"] = json!("t-2");
        result(&json!({ "task": other }))
    };
    for (action, times, calls, ends) in
        [("accept", 1, 2, true), ("accept", 2, 2, false), ("decline", 1, 1, false)]
    {
        let mut script = script(&capabilities()).once("tools/call", created()).once("tools/call", again());
        for _ in 0..times {
            script = script.once("tasks/result", required());
        }
        let second = json!({"taskId": "t-2", "status": "completed", "createdAt": "", "lastUpdatedAt": ""});
        script = script.once("tasks/get", result(&task("completed"))).on("tasks/get", result(&second));
        let server = serve(script).await;
        let host = TestHost::new(move |_| Ok(raw(&format!(r#"{{"action":"{action}"}}"#))));
        let client = host.connect(endpoint(&server.url), options()).await;
        client.list_tools().await.unwrap();
        let outcome = call_result(&client, "required").await;
        match (ends, outcome) {
            (true, Ok(text)) => assert_eq!(text, "at last"),
            (false, Err(RequestError::Rpc(error))) => assert_eq!(error.code, -32042),
            (_, outcome) => panic!("{action} {times}: {outcome:?}"),
        }
        let made = requests(&server, "tools/call");
        assert_eq!(made.len(), calls, "{action} {times}");
        assert!(made.iter().all(|call| call.json()["params"] == made[0].json()["params"]));
        let asked = host.asked.lock().unwrap();
        assert!(
            matches!(&asked[..], [question] if matches!(&question.origin, QuestionOrigin::UrlRequired { key, .. } if key == "e"))
        );
    }
}
