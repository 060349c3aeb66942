//! The scripted HTTP server.

use mooring_testkit::http::{
    BodyPiece, Gate, HttpReply, HttpScript, HttpServer, RawReply, refused_url, serve, serve_bytes,
};
use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};

fn post(server: &HttpServer, session: Option<&str>, message: &Value) -> RequestBuilder {
    let request = Client::new()
        .post(&server.url)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(message.to_string());
    match session {
        Some(session) => request.header("mcp-session-id", session),
        None => request,
    }
}

async fn initialize(server: &HttpServer) -> (Option<String>, Response) {
    let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}}});
    let response = post(server, None, &message).send().await.unwrap();
    let session = response.headers().get("mcp-session-id").map(|id| id.to_str().unwrap().to_owned());
    (session, response)
}

fn call(name: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
        "params": {"name": name, "arguments": {"text": "ahoy"}, "_meta": {"progressToken": "p"}}})
}

#[tokio::test]
async fn a_session_is_issued_and_insisted_on_until_it_is_deleted() {
    let server = serve(HttpScript::json()).await;
    let (session, response) = initialize(&server).await;
    assert_eq!(response.headers()["content-type"], "application/json");
    assert_eq!(post(&server, None, &call("echo")).send().await.unwrap().status(), 400);
    assert_eq!(post(&server, Some("other"), &call("echo")).send().await.unwrap().status(), 404);
    let good = post(&server, session.as_deref(), &call("echo")).send().await.unwrap();
    assert!(good.text().await.unwrap().contains("ahoy"));
    let deleted =
        Client::new().delete(&server.url).header("mcp-session-id", session.clone().unwrap()).send().await;
    assert_eq!(deleted.unwrap().status(), 200);
    assert_eq!(post(&server, session.as_deref(), &call("echo")).send().await.unwrap().status(), 404);
}

#[tokio::test]
async fn a_stream_reports_progress_before_the_answer() {
    let server = serve(HttpScript::sse().without_session().with_priming_event()).await;
    let (session, response) = initialize(&server).await;
    assert_eq!(session, None);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let text = post(&server, None, &call("progress")).send().await.unwrap().text().await.unwrap();
    assert!(text.starts_with("id: 0\ndata:\n\n"), "{text}");
    assert_eq!(text.matches("notifications/progress").count(), 3);
    assert!(text.rfind("\"result\"") > text.rfind("notifications/message"), "{text}");
}

#[tokio::test]
async fn notifications_get_202_and_everything_is_recorded() {
    let server = serve(HttpScript::json().without_session()).await;
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(&server, None, &note).send().await.unwrap().status(), 202);
    let recorded = server.wait_for_message("notifications/initialized").await;
    assert_eq!((recorded.path.as_str(), recorded.http_method.as_str()), ("/mcp", "POST"));
    assert_eq!(recorded.header("content-type"), Some("application/json"));
    assert_eq!(recorded.json(), note);
}

#[tokio::test]
async fn a_reply_can_be_given_once_and_then_be_the_usual_one_again() {
    let script = HttpScript::json().without_session().once("tools/call", HttpReply::status(500, "boom"));
    let server = serve(script).await;
    let first = post(&server, None, &call("echo")).send().await.unwrap();
    assert_eq!((first.status().as_u16(), first.text().await.unwrap().as_str()), (500, "boom"));
    assert_eq!(post(&server, None, &call("echo")).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_body_can_wait_for_a_gate_and_then_break() {
    let gate = Gate::new();
    let raw =
        RawReply::stream().text("data: $ID\r\r").piece(BodyPiece::Wait(gate.clone())).piece(BodyPiece::Abort);
    let server = serve(HttpScript::sse().without_session().on("tools/call", raw.into())).await;
    let mut response = post(&server, None, &call("echo")).send().await.unwrap();
    assert_eq!(response.chunk().await.unwrap().unwrap(), "data: 7\r\r");
    gate.open();
    assert!(response.chunk().await.is_err());
}

#[tokio::test]
async fn lost_sessions_are_answered_with_404() {
    let server = serve(HttpScript::json()).await;
    let (session, _) = initialize(&server).await;
    server.forget_sessions();
    assert_eq!(post(&server, session.as_deref(), &call("echo")).send().await.unwrap().status(), 404);
}

#[tokio::test]
async fn a_server_that_hangs_breaks_the_exchange_when_it_is_stopped() {
    let mut server = serve(HttpScript::json().on("initialize", HttpReply::Hang)).await;
    let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize"});
    let pending = post(&server, None, &message).send();
    let (response, ()) = tokio::join!(pending, async {
        server.wait_for_message("initialize").await;
        server.stop().await;
    });
    assert!(response.is_err() || response.is_ok_and(|response| response.status() == 503));
}

#[tokio::test]
async fn an_address_can_refuse_or_speak_no_http() {
    assert!(Client::new().get(refused_url().await).send().await.unwrap_err().is_connect());
    let server = serve_bytes(vec![BodyPiece::text("220 harbour ESMTP ready\r\n")]).await;
    assert!(Client::new().get(&server.url).send().await.is_err());
}
