//! Errors that require something: a URL to visit, other headers, or missing capabilities.

use std::sync::Arc;
use std::time::Duration;

use mooring_mcp::{CallOptions, Client, EraChoice, PendingRequest, QuestionOrigin, RequestError};
use mooring_testkit::http::{BodyPiece, HttpReply, HttpScript, HttpServer, RawReply, serve};
use serde_json::{Value, json};

use crate::era::choosing;
use crate::support::{
    TestHost, call, connect_with, discovered, endpoint, opening, options, raw, requests, result, rpc_error,
    text,
};

fn urls() -> Value {
    let one = |id: &str| json!({"mode": "url", "elicitationId": id, "url": "https://example.com/x", "message": "go"});
    json!({"elicitations": [one("e1"), one("e2")]})
}

pub(crate) fn required() -> HttpReply {
    rpc_error(200, -32042, &urls())
}

pub(crate) fn fine() -> HttpReply {
    result(&json!({"content": [{"type": "text", "text": "fine"}]}))
}

async fn session(
    script: HttpScript,
    revision: &str,
    action: &'static str,
) -> (HttpServer, Client, Arc<TestHost>) {
    let server =
        serve(script.without_session().on("initialize", opening(revision, &json!({"tools": {}})))).await;
    let host = TestHost::new(move |_| Ok(raw(&format!(r#"{{"action":"{action}"}}"#))));
    let client = host.connect(endpoint(&server.url), options()).await;
    (server, client, host)
}

// Requirements: ELIC-30.
#[tokio::test]
async fn required_urls_are_shown_and_the_call_is_repeated() {
    let script = HttpScript::json().once("tools/call", required()).on("tools/call", fine());
    let (server, client, host) = session(script, "2025-11-25", "accept").await;
    assert_eq!(call(&client, "x", r#"{"n":1}"#).await, "fine");
    let keys: Vec<_> = host.asked.lock().unwrap().iter().map(|question| question.origin.clone()).collect();
    let call = PendingRequest { method: "tools/call", subject: Some("x".into()), caller: None };
    let key = |key: &str| QuestionOrigin::UrlRequired { call: call.clone(), key: key.to_owned() };
    assert_eq!(keys, [key("e1"), key("e2")]);
    let calls = requests(&server, "tools/call");
    assert_eq!(calls.len(), 2);
    assert_ne!(calls[0].json()["id"], calls[1].json()["id"]);
    assert_eq!(calls[0].json()["params"], calls[1].json()["params"]);
}

// Requirements: ELIC-30, ELIC-31.
#[tokio::test]
async fn declined_url_and_endless_url_requirements_are_errors() {
    let (server, client, _) =
        session(HttpScript::json().on("tools/call", required()), "2025-11-25", "decline").await;
    let outcome = client.call_tool("x", None, CallOptions::default()).await;
    assert!(
        matches!(&outcome, Err(RequestError::Rpc(error)) if error.code == -32042 && error.data.is_some())
    );
    assert_eq!(requests(&server, "tools/call").len(), 1);
    let (server, client, host) =
        session(HttpScript::json().on("tools/call", required()), "2025-11-25", "accept").await;
    let outcome = client.call_tool("x", None, CallOptions::default()).await;
    assert!(matches!(outcome, Err(RequestError::Rpc(error)) if error.code == -32042));
    assert_eq!((requests(&server, "tools/call").len(), host.asked.lock().unwrap().len()), (2, 2));
}

// Requirements: ELIC-32, LIFE-08.
#[tokio::test]
async fn in_other_revisions_it_is_an_error_like_any_other() {
    let (_server, client, host) =
        session(HttpScript::json().on("tools/call", required()), "2025-06-18", "accept").await;
    assert!(client.call_tool("x", None, CallOptions::default()).await.is_err());
    assert!(host.asked.lock().unwrap().is_empty());
    let script = HttpScript::json()
        .without_session()
        .on("server/discover", discovered(&json!({"tools": {}})))
        .on("tools/call", required());
    let server = serve(script).await;
    let host = TestHost::new(|_| Ok(raw(r#"{"action":"accept"}"#)));
    let client = host.connect(endpoint(&server.url), choosing(EraChoice::Auto)).await;
    assert!(client.call_tool("x", None, CallOptions::default()).await.is_err());
    assert!(host.asked.lock().unwrap().is_empty());
    assert_eq!(requests(&server, "tools/call").len(), 1);
}

// Requirements: ELIC-28, ELIC-29, ELIC-30.
#[tokio::test]
async fn a_server_that_says_that_it_is_done_makes_the_call_go_on() {
    let complete = |id: &str| {
        format!(
            "data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/elicitation/complete\",\"params\":{{\"elicitationId\":\"{id}\"}}}}\n\n"
        )
    };
    let gate = mooring_testkit::http::Gate::new();
    let stream = RawReply::stream()
        .piece(BodyPiece::Wait(gate.clone()))
        .text(&complete("unknown"))
        .text(&complete("e1"))
        .text(&complete("e1"))
        .text(&complete("e2"))
        .piece(BodyPiece::Hang);
    let script = HttpScript::json()
        .without_session()
        .on("initialize", opening("2025-11-25", &json!({"tools": {}})))
        .on("GET", stream.into())
        .once("tools/call", required())
        .on("tools/call", fine());
    let server = serve(script).await;
    // The person never answers.
    let opened = gate.clone();
    let host = TestHost::waiting(move |_| {
        opened.open();
        Box::pin(std::future::pending())
    });
    let client = host.connect(endpoint(&server.url), options()).await;
    let answer = tokio::time::timeout(Duration::from_secs(20), call(&client, "x", "{}")).await;
    assert_eq!(answer.unwrap(), "fine");
    let heard = host.memory.notifications.lock().unwrap().clone();
    assert_eq!(heard.len(), 2, "{heard:?}");
    client.shutdown().await;
}

pub(crate) fn annotated(header: &str) -> HttpReply {
    result(&json!({"resultType": "complete", "tools": [{
        "name": "x",
        "inputSchema": {"properties": {"region": {"type": "string", "x-mcp-header": header}}}
    }]}))
}

// Requirements: XMH-13, XMH-14.
#[tokio::test]
async fn headers_that_no_longer_fit_are_made_anew_once() {
    let mismatch = || rpc_error(400, -32020, &json!(null));
    let script = HttpScript::json()
        .without_session()
        .on("server/discover", discovered(&json!({"tools": {}})))
        .once("tools/list", annotated("Old"))
        .on("tools/list", annotated("New"))
        .once("tools/call", mismatch())
        .once("tools/call", fine())
        .on("tools/call", mismatch());
    let server = serve(script).await;
    let (client, _) = connect_with(endpoint(&server.url), choosing(EraChoice::Auto)).await;
    let client = client.unwrap();
    client.list_tools().await.unwrap();
    let arguments = raw(r#"{"region":"eu"}"#);
    let result = client.call_tool("x", Some(&arguments), CallOptions::default()).await.unwrap();
    assert_eq!(text(&result.raw), "fine");
    let calls = requests(&server, "tools/call");
    assert_eq!(
        (calls[0].header("mcp-param-old"), calls[1].header("mcp-param-new")),
        (Some("eu"), Some("eu"))
    );
    assert_eq!(requests(&server, "tools/list").len(), 2);
    // A second mismatch goes to the caller.
    let outcome = client.call_tool("x", Some(&arguments), CallOptions::default()).await;
    assert!(matches!(outcome, Err(RequestError::Rpc(error)) if error.code == -32020));
    assert_eq!(requests(&server, "tools/call").len(), 4);
}

// Requirements: XMH-13.
#[tokio::test]
async fn without_a_list_of_tools_nothing_is_mirrored() {
    let script = HttpScript::json()
        .without_session()
        .on("server/discover", discovered(&json!({"tools": {}})))
        .on("tools/call", fine());
    let server = serve(script).await;
    let (client, _) = connect_with(endpoint(&server.url), choosing(EraChoice::Auto)).await;
    call(&client.unwrap(), "x", r#"{"region":"eu"}"#).await;
    let headers = requests(&server, "tools/call")[0].headers.clone();
    assert!(headers.iter().all(|(name, _)| !name.starts_with("mcp-param-")), "{headers:?}");
}

// Requirements: BASE-08, BASE-25, BASE-27, ERA-18, EXT-03.
#[tokio::test]
async fn missing_capability_and_versions_are_reported_without_retry() {
    let missing = json!({"requiredCapabilities": {"sampling": {}}});
    let versions = json!({"supported": ["2099-01-01"], "requested": "2026-07-28"});
    for (code, data) in
        [(-32021, missing), (-32022, versions), (-1, json!({"a": [1.0]})), (40001, json!("x"))]
    {
        let script = HttpScript::json()
            .without_session()
            .on("server/discover", discovered(&json!({"tools": {}})))
            .on("tools/call", rpc_error(400, code, &data));
        let server = serve(script).await;
        let (client, _) = connect_with(endpoint(&server.url), choosing(EraChoice::Auto)).await;
        let outcome = client.unwrap().call_tool("x", None, CallOptions::default()).await;
        let Err(RequestError::Rpc(error)) = outcome else { panic!("{outcome:?}") };
        assert_eq!((error.code, error.data.unwrap().get()), (code, data.to_string().as_str()));
        assert_eq!(requests(&server, "tools/call").len(), 1, "{code}");
    }
}
