//! What is sent again for a call, or as an answer to its task: only if the caller wants that.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_mcp::{
    CallOptions, CallResult, Client, EraChoice, Outcome, RequestError, ResendCheck, ResendReason, TapEvent,
};
use mooring_testkit::eventually;
use mooring_testkit::http::{Gate, HttpReply, HttpScript, RawReply, serve};
use mooring_words::Sentence;
use serde_json::json;

use crate::era::choosing;
use crate::required::{annotated, fine, required};
use crate::support::{
    TestHost, call, connect, discovered, endpoint, opening, raw, requests, result, rpc_error,
};
use crate::tasks_extension::{self, task, with_tasks};

/// Calls a tool for a caller that refuses any resend. Returns the reasons that it was asked about, and the
/// outcome.
async fn called_once(client: &Client) -> (Vec<ResendReason>, Result<CallResult, RequestError>) {
    let heard: Arc<Mutex<Vec<ResendReason>>> = Arc::default();
    let hears = Arc::clone(&heard);
    let again: ResendCheck = Arc::new(move |resend| {
        hears.lock().unwrap().push(resend);
        Box::pin(std::future::ready(Err(Sentence::quoted("it changed".to_owned()))))
    });
    let options = CallOptions { check_resend: Some(again), ..CallOptions::default() };
    let outcome = client.call_tool("x", Some(&raw("{}")), options).await;
    let heard = heard.lock().unwrap().clone();
    (heard, outcome)
}

fn is_not_resent(outcome: &Result<CallResult, RequestError>) -> bool {
    matches!(outcome, Err(RequestError::NotResent { reason }) if reason.as_str() == "it changed")
}

// Requirements: ELIC-30, MRTR-08, XMH-14.
#[tokio::test]
async fn what_its_maker_no_longer_wants_is_not_sent_once_more() {
    let modern = || {
        let discovered = discovered(&json!({"tools": {}}));
        HttpScript::json()
            .without_session()
            .on("server/discover", discovered)
            .on("tools/list", annotated("Old"))
    };
    let wants = json!({"resultType": "input_required", "requestState": "s"});
    for (script, expected) in [
        (modern().once("tools/call", rpc_error(400, -32020, &json!(null))), ResendReason::HeaderMismatch),
        (modern().once("tools/call", result(&wants)), ResendReason::InputProvided),
        (
            HttpScript::json()
                .without_session()
                .on("initialize", opening("2025-11-25", &json!({"tools": {}})))
                .once("tools/call", required()),
            ResendReason::InputProvided,
        ),
    ] {
        let server = serve(script.on("tools/call", fine())).await;
        let host = TestHost::new(|_| Ok(raw(r#"{"action":"accept"}"#)));
        let client = host.connect(endpoint(&server.url), choosing(EraChoice::Auto)).await;
        let (heard, outcome) = called_once(&client).await;
        assert!(is_not_resent(&outcome), "{expected:?}: {outcome:?}");
        assert_eq!(heard, [expected]);
        assert_eq!(requests(&server, "tools/call").len(), 1, "{expected:?}");
        client.shutdown().await;
    }
}

/// SDKs check the headers before they parse the message, and then can't name the request.
// Requirements: XMH-14.
#[tokio::test]
async fn an_error_that_names_no_request_is_taped_with_its_request() {
    let error = json!({"jsonrpc": "2.0", "error": {"code": -32603, "message": "no"}}).to_string();
    for status in [200, 400] {
        let reply = RawReply::new(status).header("content-type", "application/json").text(&error);
        let script = HttpScript::json()
            .without_session()
            .on("server/discover", discovered(&json!({"tools": {}})))
            .on("tools/call", reply.into());
        let server = serve(script).await;
        let host = TestHost::new(|_| Ok(raw("{}")));
        let client = host.connect(endpoint(&server.url), choosing(EraChoice::Auto)).await;
        let (_, outcome) = called_once(&client).await;
        assert!(matches!(outcome, Err(RequestError::Rpc(error)) if error.code == -32603), "{status}");
        client.shutdown().await;
        let taped = host.memory.taped.lock().unwrap();
        let of_call = |event: &&TapEvent| event.method.as_deref() == Some("tools/call");
        let [asked, answered] = &taped.iter().filter(of_call).collect::<Vec<_>>()[..] else {
            panic!("{status}: {taped:#?}")
        };
        assert_eq!((&asked.id, &asked.subject), (&answered.id, &answered.subject), "{status}");
        assert_eq!(answered.outcome, Some(Outcome::Error), "{status}");
    }
}

// Requirements: SHS-18.
#[tokio::test]
async fn call_lost_with_its_session_is_not_repeated_without_consent() {
    let server = serve(HttpScript::json()).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    server.forget_sessions();
    let (heard, outcome) = called_once(&client).await;
    assert!(is_not_resent(&outcome), "{outcome:?}");
    assert_eq!(heard, [ResendReason::NewSession]);
    assert_eq!(requests(&server, "tools/call").len(), 1);
    // The session continues for later calls.
    assert_eq!(call(&client, "echo", r#"{"text":"on"}"#).await, "on");
}

// Requirements: SHS-18.
#[tokio::test]
async fn call_waiting_for_a_new_session_is_not_resent_unasked() {
    let gate = Gate::new();
    let slow = HttpReply::After(gate.clone(), Box::new(HttpReply::Usual));
    let server = serve(HttpScript::json().once("initialize", HttpReply::Usual).on("initialize", slow)).await;
    let (client, memory) = connect(endpoint(&server.url)).await;
    server.forget_sessions();
    let is_opening = || {
        eventually("a new session", Duration::from_secs(20), || requests(&server, "initialize").len() == 2)
    };
    let opens = async {
        is_opening().await;
        // By now the call waits for the session that the ping lost.
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(memory.notifications.lock().unwrap().is_empty());
        gate.open();
    };
    let calls = async {
        is_opening().await;
        called_once(&client).await
    };
    let (ping, (heard, outcome), ()) = tokio::join!(client.ping(), calls, opens);
    ping.unwrap();
    assert!(is_not_resent(&outcome), "{outcome:?}");
    assert_eq!(heard, [ResendReason::NewSession]);
    assert!(requests(&server, "tools/call").is_empty());
    let told = memory.notifications.lock().unwrap().clone();
    assert!(told.iter().any(|told| told.starts_with("notifications/tools/list_changed")), "{told:?}");
    assert_eq!(call(&client, "echo", r#"{"text":"on"}"#).await, "on");
}

// Requirements: TSKE-12.
#[tokio::test]
async fn unwanted_answer_does_not_reach_the_task_that_asked() {
    let asks = json!({"inputRequests": {"dirs": {"method": "roots/list"}}});
    let script = tasks_extension::script().on("tasks/get", task("input_required", &asks));
    let server = serve(script).await;
    let host = TestHost::new(|_| Ok(raw(r#"{"roots":[]}"#)));
    let client = host.connect(endpoint(&server.url), with_tasks()).await;
    let (heard, outcome) = called_once(&client).await;
    assert!(is_not_resent(&outcome), "{outcome:?}");
    assert_eq!(heard, [ResendReason::InputProvided]);
    server.wait_for_message("tasks/cancel").await;
    assert!(requests(&server, "tasks/update").is_empty());
}
