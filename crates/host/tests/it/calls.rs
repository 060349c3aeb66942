//! Calls: how they run, what they report, and how they end.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_calls::{CallEvent, CallStatus, ToolCall};
use mooring_definitions::NewServer;
use mooring_errors::HostError;
use mooring_server_state::StateName;
use mooring_settings::Settings;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::support::{LIMIT, call, connect, ignore_events, open, scripted, until, until_state, window};

#[tokio::test]
async fn a_result_comes_back_to_the_byte_and_the_call_is_counted() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("s", &["ok"])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    let line = r#"{"jsonrpc":"2.0","id":$ID,"result":{ "content" : [], "x":1.0,"y":12345678901234567890 }}"#;
    let outcome = host.call_tool(id, call("raw", &json!({"lines": [line]})), ignore_events()).await.unwrap();
    assert_eq!(outcome.status, CallStatus::Ok);
    assert_eq!(
        outcome.result.as_ref().unwrap().get(),
        r#"{ "content" : [], "x":1.0,"y":12345678901234567890 }"#
    );
    assert_eq!(outcome.bytes, outcome.result.unwrap().get().len());
    let view = host.server(id).unwrap().connection;
    assert_eq!(view.calls, 1);
    assert_eq!(view.call_times, None, "one call is too few");
    host.shutdown().await;
}

#[tokio::test]
async fn progress_and_log_messages_reach_the_caller_in_order() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    let connection = connect(&host, &["ok"]).await.unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&heard);
    let listen = Arc::new(move |event| {
        let line = match event {
            CallEvent::Progress { progress, total, message } => {
                format!("{progress}/{total:?} {}", message.unwrap_or_default())
            }
            CallEvent::Log { level, logger, data } => {
                format!("{level} {} {}", logger.unwrap_or_default(), data.get())
            }
        };
        sink.lock().unwrap().push(line);
    });
    let steps = call("progress", &json!({"steps": 3, "milliseconds": 1}));
    assert_eq!(connection.call_tool(steps, Arc::clone(&listen) as _).await.unwrap().status, CallStatus::Ok);
    let log = call("log", &json!({"level": "warning", "message": "fog"}));
    connection.call_tool(log, listen).await.unwrap();
    assert_eq!(
        *heard.lock().unwrap(),
        [
            "1/Some(3.0) step 1 of 3",
            "2/Some(3.0) step 2 of 3",
            "3/Some(3.0) step 3 of 3",
            r#"warning scripted {"number":0,"data":"fog"}"#,
        ]
    );
    connection.close().await;
    host.shutdown().await;
}

#[tokio::test]
async fn errors_of_tools_and_of_servers_are_told_apart() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    let connection = connect(&host, &["ok"]).await.unwrap();
    let outcome = connection.call_tool(call("tool_error", &json!({})), ignore_events()).await.unwrap();
    assert_eq!(outcome.status, CallStatus::ToolError);
    assert!(outcome.result.is_some() && outcome.error.is_none());
    let refuse = call("error", &json!({"code": -32001, "message": "no", "data": [1.0]}));
    let outcome = connection.call_tool(refuse, ignore_events()).await.unwrap();
    assert_eq!(outcome.status, CallStatus::RpcError);
    let error = outcome.error.unwrap();
    assert_eq!((error.code.as_str(), error.message.as_str(), error.rpc_code), ("rpc", "no", Some(-32001)));
    assert_eq!(error.data.unwrap().get(), "[1.0]");
    connection.close().await;
    host.shutdown().await;
}

#[tokio::test]
async fn server_timeout_may_exceed_the_global_total_timeout() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let settings = Settings { request_idle_seconds: 1, request_total_seconds: 1, ..host.settings() };
    host.set_settings(settings).await.unwrap();
    let own = Some(LIMIT);
    let id = host.add_server(NewServer { timeout: own, ..scripted("slow", &["ok"]) }).await.unwrap().id;
    let other = host.add_server(scripted("other", &["ok"])).await.unwrap().id;
    for id in [id, other] {
        until_state(&host, id, StateName::Ready).await;
    }
    let sleep = || call("sleep", &json!({"milliseconds": 2_000}));
    let (outcome, late) = tokio::join!(
        host.call_tool(id, sleep(), ignore_events()),
        host.call_tool(other, sleep(), ignore_events())
    );
    assert_eq!((outcome.unwrap().status, late.unwrap().status), (CallStatus::Ok, CallStatus::TimedOut));
    // A call's own limit takes precedence.
    let brief = ToolCall { total: Some(Duration::from_millis(200)), ..sleep() };
    let outcome = host.call_tool(id, brief, ignore_events()).await.unwrap();
    assert_eq!(outcome.status, CallStatus::TimedOut);
    host.shutdown().await;
}

// Requirements: TOOL-10.
#[tokio::test]
async fn unanswered_call_times_out_and_the_connection_stays() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    let connection = connect(&host, &["ok"]).await.unwrap();
    let never = ToolCall { idle: Some(Duration::from_millis(200)), ..call("never", &json!({})) };
    let outcome = connection.call_tool(never, ignore_events()).await.unwrap();
    assert_eq!(outcome.status, CallStatus::TimedOut);
    assert_eq!(outcome.error.unwrap().code.as_str(), "timeout");
    let outcome =
        connection.call_tool(call("echo", &json!({"text": "still here"})), ignore_events()).await.unwrap();
    assert_eq!(outcome.status, CallStatus::Ok);
    connection.close().await;
    host.shutdown().await;
}

#[tokio::test]
async fn dropping_a_call_tells_the_server() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    let connection = connect(&host, &["ok"]).await.unwrap();
    let never = connection.call_tool(call("never", &json!({})), ignore_events());
    assert!(tokio::time::timeout(Duration::from_millis(300), never).await.is_err());
    let told = async {
        loop {
            let outcome = connection.call_tool(call("cancelled", &json!({})), ignore_events()).await.unwrap();
            let result: Value = serde_json::from_str(outcome.result.unwrap().get()).unwrap();
            if result["content"][0]["text"] != "[]" {
                return;
            }
        }
    };
    tokio::time::timeout(LIMIT, told).await.unwrap();
    assert!(connection.view().calls >= 2, "a cancelled call has ended too");
    connection.close().await;
    host.shutdown().await;
}

// Requirements: TOOL-09.
#[tokio::test]
async fn a_result_of_50_megabytes_fails_its_own_call_and_nothing_else() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("big", &["ok"])).await.unwrap().id;
    let pid = until_state(&host, id, StateName::Ready).await.connection.pid;
    let huge = host.call_tool(id, call("huge", &json!({"bytes": 50 << 20})), ignore_events());
    let small = host.call_tool(id, call("echo", &json!({"text": "small"})), ignore_events());
    let (huge, small) = tokio::join!(huge, small);
    let error = huge.unwrap().error.unwrap();
    assert_eq!(error.code.as_str(), "too_large");
    assert!(error.message.contains("16 MiB: it has 50 MiB"), "{}", error.message);
    assert_eq!(small.unwrap().status, CallStatus::Ok);
    let view = host.server(id).unwrap().connection;
    assert_eq!((view.state, view.pid), (StateName::Ready, pid));
    host.shutdown().await;
}

#[tokio::test]
async fn arguments_must_be_an_object() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    let connection = connect(&host, &["ok"]).await.unwrap();
    let list = RawValue::from_string("[1]".to_owned()).unwrap();
    let wrong = ToolCall { arguments: Some(list), ..call("echo", &json!({})) };
    let error = connection.call_tool(wrong, ignore_events()).await.unwrap_err();
    assert!(matches!(error, HostError::InvalidArguments(_)), "{error}");
    connection.close().await;
    host.shutdown().await;
}

// Requirements: TOOL-24.
#[tokio::test]
async fn a_changed_list_of_tools_is_read_again() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("s", &["ok"])).await.unwrap().id;
    until(&host, id, "listed", |view| view.connection.tool_count.is_some()).await;
    let before = host.tools(id, false).await.unwrap();
    assert!(Arc::ptr_eq(&before, &host.tools(id, false).await.unwrap()));
    host.call_tool(id, call("list_changed", &json!({})), ignore_events()).await.unwrap();
    let again = async {
        while Arc::ptr_eq(&before, &host.tools(id, false).await.unwrap()) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, again).await.unwrap();
    host.shutdown().await;
}

#[tokio::test]
async fn one_bad_tool_does_not_hide_the_others() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    let connection = connect(&host, &["bad-tools"]).await.unwrap();
    let tools = connection.tools(false).await.unwrap();
    assert!(tools.tools.len() >= 2);
    let oddities = tools.tools.iter().flat_map(|tool| &tool.diagnostics).chain(&tools.diagnostics);
    assert!(oddities.count() > 3);
    connection.close().await;
    host.shutdown().await;
}

#[tokio::test]
async fn a_run_of_calls_has_one_verdict_and_no_more_calls_than_that() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    let connection = connect(&host, &["ok"]).await.unwrap();
    let permit = connection.permit(call("echo", &json!({"text": "x"})), 2).await.unwrap();
    assert_eq!(permit.call_without_progress().await.unwrap().status, CallStatus::Ok);
    assert_eq!(permit.call(ignore_events()).await.unwrap().status, CallStatus::Ok);
    assert!(matches!(permit.call_without_progress().await, Err(HostError::Denied { .. })));
    connection.close().await;
    host.shutdown().await;
}
