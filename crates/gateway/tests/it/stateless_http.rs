//! Stateless requests (protocol version 2026-07-28), over HTTP.

use std::time::Duration;

use mooring_log::{Direction, LogQuery};
use reqwest::{RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::http_app::{Events, HttpApp, json_of};
use crate::support::{LIMIT, Scene, standing_alone};

/// A stateless request with its headers.
fn alone(app: &HttpApp, method: &str, params: Value) -> RequestBuilder {
    let name = params["name"].as_str().or(params["uri"].as_str()).map(str::to_owned);
    let params = standing_alone(params, &json!({"elicitation": {}}));
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let request = app
        .post(body.to_string())
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method.to_owned());
    match name {
        Some(name) => request.header("mcp-name", name),
        None => request,
    }
}

async fn sent(request: RequestBuilder) -> (u16, Value) {
    let response = request.send().await.unwrap();
    (response.status().as_u16(), json_of(response).await)
}

#[tokio::test]
async fn requests_over_http_stand_alone() {
    let (scene, _) = Scene::with_open_server("s").await;
    let url = scene.open_http().await;
    let app = scene.http_app(&format!("{url}/s"), "Editor").await;
    let (status, found) = sent(alone(&app, "server/discover", json!({}))).await;
    assert_eq!((status, &found["result"]["supportedVersions"][0]), (200, &json!("2026-07-28")));
    let echo = json!({"name": "echo", "arguments": {"text": "x"}});
    let (status, called) = sent(alone(&app, "tools/call", echo)).await;
    assert_eq!((status, &called["result"]["content"][0]["text"]), (200, &json!("x")));
    for method in ["initialize", "ping", "resources/subscribe", "unknown/method"] {
        let (status, refused) = sent(alone(&app, method, json!({}))).await;
        assert_eq!((status, &refused["error"]["code"]), (404, &json!(-32601)), "{method}");
        assert_eq!(refused["id"], 1);
    }
    // Progress comes first. Events have no ids, because the stream can't be resumed.
    let call = json!({"name": "progress", "arguments": {"steps": 2}, "_meta": {"progressToken": 7}});
    let streamed = alone(&app, "tools/call", call).send().await.unwrap();
    assert_eq!(streamed.headers()["content-type"], "text/event-stream");
    assert_eq!(streamed.headers().get("mcp-session-id"), None);
    let text = timeout(LIMIT, streamed.text()).await.unwrap().unwrap();
    assert_eq!(text.matches("notifications/progress").count(), 2, "{text}");
    assert!(text.contains(r#""resultType":"complete""#) && !text.contains("\nid:"), "{text}");

    // A round: the result has the question, and the next request has the answer.
    let form = json!({"message": "m", "requestedSchema": {"type": "object", "properties": {}}});
    let call = json!({"name": "ask", "arguments": {"method": "elicitation/create", "params": form}});
    let (_, asked) = sent(alone(&app, "tools/call", call.clone())).await;
    let key = asked["result"]["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let mut next = call;
    next["requestState"] = asked["result"]["requestState"].clone();
    next["inputResponses"] = json!({key: {"action": "decline"}});
    let (_, called) = sent(alone(&app, "tools/call", next)).await;
    assert!(called["result"]["content"][0]["text"].as_str().unwrap().contains("decline"), "{called}");

    // A notification is accepted and has no effect. A response that no one asked for is refused.
    let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}).to_string();
    let noted = app.post(note).header("mcp-protocol-version", "2026-07-28").send().await.unwrap();
    assert_eq!(noted.status(), StatusCode::ACCEPTED);
    let response = json!({"jsonrpc": "2.0", "id": 1, "result": {}}).to_string();
    let refused = app.post(response).header("mcp-protocol-version", "2026-07-28").send().await.unwrap();
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    scene.close().await;
}

#[tokio::test]
async fn headers_have_to_say_what_the_body_says() {
    let (scene, _) = Scene::with_open_server("s").await;
    let url = scene.open_http().await;
    let app = scene.http_app(&format!("{url}/s"), "Editor").await;
    let params = standing_alone(json!({"name": "echo", "arguments": {"text": "x"}}), &json!({}));
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let good = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "echo")];
    let with = |headers: &[(&str, &str)]| {
        let request = app.post(body.as_str());
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))
    };
    assert_eq!(sent(with(&good)).await.0, 200);
    for (place, (name, _)) in good.iter().enumerate() {
        let mut missing = good.to_vec();
        missing.remove(place);
        let mut wrong = good;
        wrong[place].1 = "2025-11-25";
        for headers in [missing.as_slice(), &wrong] {
            let (status, refused) = sent(with(headers)).await;
            assert_eq!((status, &refused["error"]["code"]), (400, &json!(-32020)), "{name}: {refused}");
            assert_eq!(refused["id"], 1);
        }
    }
    let [version, method, _] = good;
    assert_eq!(sent(with(&[version, method, ("mcp-name", "=?base64?ZWNobw==?=")])).await.0, 200);
    for name in ["=?base64?ZWNobw?=", "=?base64?!?=", "Echo", "éecho"] {
        assert_eq!(sent(with(&[version, method, ("mcp-name", name)])).await.1["error"]["code"], -32020);
    }

    // Only the member that the header mirrors counts.
    let beside = json!({"name": "echo", "uri": 1, "arguments": {"text": "x"}});
    let beside = standing_alone(beside, &json!({}));
    let beside = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": beside}).to_string();
    let request = app.post(beside).header("mcp-protocol-version", "2026-07-28");
    let request = request.header("mcp-method", "tools/call").header("mcp-name", "other");
    assert_eq!(sent(request).await.1["error"]["code"], -32020);

    // If the body lacks something, the error is about the body.
    let bare = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).to_string();
    for (version, code) in [("2026-07-28", -32602), ("1999-01-01", -32022)] {
        let request = app.post(bare.clone()).header("mcp-protocol-version", version);
        let (status, refused) = sent(request.header("mcp-method", "tools/list")).await;
        assert_eq!((status, &refused["error"]["code"]), (400, &json!(code)), "{refused}");
    }
    scene.close().await;
}

#[tokio::test]
async fn closing_the_connection_cancels_the_call() {
    let (scene, _) = Scene::with_open_server("s").await;
    let url = scene.open_http().await;
    let app = scene.http_app(&format!("{url}/s"), "Editor").await;
    // Waits until the server has received this many messages of the method.
    let sent = async |method: &str, count: usize| {
        let direction = Some(Direction::Out);
        let query = LogQuery { limit: 1_000, direction, ..LogQuery::default() };
        let member = format!(r#""method":"{method}""#);
        let is_meant = |body: &&String| body.contains(&member);
        let reached = async {
            while scene.log_bodies(&query).await.iter().filter(is_meant).count() != count {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(LIMIT, reached).await.unwrap_or_else(|_| panic!("the server does not hear of {method}"));
    };
    let never = json!({"name": "never", "arguments": {}});
    // First without any answer, then while the answer is a stream.
    for (count, more) in [(1, Duration::ZERO), (2, Duration::from_millis(1_500))] {
        let request = alone(&app, "tools/call", never.clone()).send();
        let answered = async {
            let response = request.await.unwrap();
            Events::new(response).next().await
        };
        let has_begun = async {
            sent("tools/call", count).await;
            tokio::time::sleep(more).await;
        };
        tokio::select! {
            answer = answered => panic!("{answer:?}"),
            () = has_begun => {}
        }
        sent("notifications/cancelled", count).await;
    }
    // When the token is revoked, the subscription ends.
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let mut events = alone(&app, "subscriptions/listen", filter).send().await.unwrap();
    let first = timeout(LIMIT, events.chunk()).await.unwrap().unwrap().unwrap();
    assert!(std::str::from_utf8(&first).unwrap().contains("acknowledged"));
    assert!(scene.host.revoke_app_token("Editor").await.unwrap());
    let ended = async { while matches!(events.chunk().await, Ok(Some(_))) {} };
    timeout(LIMIT, ended).await.expect("it still listens");
    scene.close().await;
}
