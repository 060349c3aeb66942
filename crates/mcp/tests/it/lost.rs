//! Lost sessions, closed connections and broken streams: what is repeated, and what isn't.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mooring_mcp::{CallOptions, EraChoice, RequestError};
use mooring_testkit::eventually;
use mooring_testkit::http::{BodyPiece, HttpReply, HttpScript, HttpServer, RawReply, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::era::choosing;
use crate::support::{TestHost, call, connect, connect_with, endpoint, python_server, raw, requests};

fn json(status: u16, text: &str) -> HttpReply {
    RawReply::new(status).header("content-type", "application/json").text(text).into()
}

fn error(id: &str, code: i64, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#)
}

fn count(server: &HttpServer, method: &str) -> usize {
    requests(server, method).len()
}

// Requirements: SHS-18.
#[tokio::test]
async fn a_lost_session_is_replaced_whatever_the_server_says() {
    let page = "<!doctype html><title>400</title><p>The session does not exist.</p>";
    let wrapped =
        r#"{"error":"Error POSTing to endpoint (HTTP 400): {\"message\":\"No valid session ID provided\"}"}"#;
    for refusal in [
        HttpReply::status(404, ""),
        HttpReply::status(400, "session expired"),
        HttpReply::status(401, "Unknown session"),
        HttpReply::status(410, "Session was terminated"),
        HttpReply::status(422, "SESSION_NOT_FOUND"),
        json(400, &error("null", -32000, "Bad Request: Server not initialized")),
        json(400, &error("$ID", -32600, "Invalid session")),
        json(400, r#"{"detail":"Could not find session"}"#),
        json(500, wrapped),
        RawReply::new(400).header("content-type", "text/html").text(page).into(),
        json(200, &error("null", -32001, "Session not found")),
        json(200, &error("$ID", -32001, "Session not found")),
        HttpReply::stream_text(&format!("data: {}\n\n", error("null", -32000, "Invalid session ID"))),
    ] {
        let server = serve(HttpScript::json().once("tools/call", refusal)).await;
        let (client, memory) = connect(endpoint(&server.url)).await;
        assert_eq!(call(&client, "echo", r#"{"text":"again"}"#).await, "again");
        assert_eq!((count(&server, "initialize"), count(&server, "tools/call")), (2, 2));
        assert!(memory.diagnostics().iter().any(|odd| odd.contains("a new one was opened")));
    }
}

// Requirements: SHS-18.
#[tokio::test]
async fn a_session_is_replaced_once_for_a_request() {
    let refusal = || HttpReply::status(400, "No valid session");
    let server = serve(HttpScript::json().on("tools/call", refusal())).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    let outcome = client.call_tool("echo", Some(&raw("{}")), CallOptions::default()).await;
    assert!(
        matches!(&outcome, Err(RequestError::Status { status: 400, excerpt, .. }) if excerpt == "No valid session"),
        "{outcome:?}"
    );
    assert_eq!((count(&server, "initialize"), count(&server, "tools/call")), (2, 2));
    // The connection continues.
    client.ping().await.unwrap();
}

// Requirements: SHS-18.
#[tokio::test]
async fn a_refusal_without_words_is_looked_into_with_a_ping() {
    // The whole session is refused, so nothing ran.
    let server = serve(
        HttpScript::json()
            .once("tools/call", HttpReply::status(400, ""))
            .once("ping", HttpReply::status(400, "")),
    )
    .await;
    let (client, _) = connect(endpoint(&server.url)).await;
    assert_eq!(call(&client, "echo", r#"{"text":"again"}"#).await, "again");
    assert_eq!(count(&server, "initialize"), 2);
    // A failing server may have started the call, so it isn't repeated. The next one gets a new session.
    let fails = || HttpReply::status(500, "oops");
    let server = serve(HttpScript::json().once("tools/call", fails()).once("ping", fails())).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    let outcome = client.call_tool("echo", Some(&raw("{}")), CallOptions::default()).await;
    assert!(matches!(outcome, Err(RequestError::Status { status: 500, .. })), "{outcome:?}");
    assert_eq!((count(&server, "initialize"), count(&server, "tools/call")), (2, 1));
    assert_eq!(call(&client, "echo", r#"{"text":"next"}"#).await, "next");
    // A session that answers a ping exists, and is kept.
    let server =
        serve(HttpScript::json().on("tools/call", HttpReply::status(400, "month must be 1 to 12"))).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    for _ in 0..3 {
        client.call_tool("echo", Some(&raw("{}")), CallOptions::default()).await.unwrap_err();
    }
    assert_eq!((count(&server, "initialize"), count(&server, "tools/call")), (1, 3));
}

/// Calls a tool that runs each time, with this response the first time. Returns how often it ran, and the
/// number of sessions.
async fn runs(script: HttpScript, what: &str) -> (usize, usize) {
    let server = serve(script).await;
    let (client, memory) = connect(endpoint(&server.url)).await;
    let outcome = client.call_tool("pay", Some(&raw("{}")), CallOptions::default()).await;
    assert!(outcome.is_err(), "{what}: {outcome:?}");
    let counts = (count(&server, "tools/call"), count(&server, "initialize"));
    let is_told = memory.diagnostics().iter().any(|odd| odd.contains("it may have run"));
    assert_eq!(is_told, counts.1 > 1, "{what}: {:?}", memory.diagnostics());
    // The next call works.
    assert_eq!(call(&client, "echo", r#"{"text":"next"}"#).await, "next", "{what}");
    counts
}

// Requirements: SHS-18.
#[tokio::test]
async fn a_call_that_may_have_run_is_not_made_again() {
    let rolled_back =
        "paid; then (sqlalchemy.exc.InvalidRequestError) This Session's transaction has been rolled back";
    let lost = r#"{"error":"upstream: database session was lost after commit"}"#;
    let calendar = "no such session in the calendar: invalid";
    // The session answers a ping, so it still exists.
    for (what, answer) in [
        ("500 that names it", json(500, &error("$ID", -32603, rolled_back))),
        ("502", json(502, lost)),
        ("500", json(500, lost)),
        ("200 that names it", json(200, &error("$ID", -32001, "database session not found"))),
        ("200 that names nothing", json(200, &error("null", -32001, "database session not found"))),
        ("400 that names it", json(400, &error("$ID", -32602, calendar))),
        ("400 of no protocol", HttpReply::status(400, calendar)),
        ("409 that names it", json(409, &error("$ID", -32000, "The session of the buyer has expired"))),
        ("500 without words", json(500, &error("$ID", -32603, "boom"))),
    ] {
        assert_eq!(runs(HttpScript::json().once("tools/call", answer), what).await, (1, 1), "{what}");
    }
    // These mean that the session is gone, and the next request gets a new one.
    for (what, answer) in [
        ("404 that names it", json(404, &error("$ID", -32004, "No such order"))),
        ("404 of wrong parameters", json(404, &error("$ID", -32602, "Session not found"))),
        ("500 that names it", json(500, &error("$ID", -32603, "Session not found"))),
        ("500", HttpReply::status(500, "Session not found")),
        ("503", json(503, r#"{"error":"The session has expired"}"#)),
        ("400 that names it", json(400, &error("$ID", -32602, "The session has expired"))),
        ("200 that names it", json(200, &error("$ID", -32001, "MCP error -32001: Session not found"))),
    ] {
        assert_eq!(runs(HttpScript::json().once("tools/call", answer), what).await, (1, 2), "{what}");
    }
    // The ping is refused in the same words, so the session is gone. The call may still have run before that.
    for (status, id) in [(500, "$ID"), (502, "null"), (400, "$ID"), (200, "$ID")] {
        let answer = || json(status, &error(id, -32001, "database session not found"));
        let script = HttpScript::json().once("tools/call", answer()).once("ping", answer());
        assert_eq!(runs(script, "the ping as well").await, (1, 2), "{status}");
    }
}

// Requirements: SHS-18.
#[tokio::test]
async fn what_does_no_harm_twice_is_asked_again_in_any_words() {
    for refusal in [
        json(500, &error("$ID", -32603, "the session was lost")),
        json(400, &error("$ID", -32600, "this session is gone")),
    ] {
        let server = serve(HttpScript::json().once("tools/list", refusal)).await;
        let (client, _) = connect(endpoint(&server.url)).await;
        client.list_tools().await.unwrap();
        assert_eq!((count(&server, "initialize"), count(&server, "tools/list")), (2, 2));
    }
}

// Requirements: SHS-18.
#[tokio::test]
async fn an_error_with_the_id_of_the_sdk_names_no_request() {
    // The Python SDK responds with this id before it has parsed the request.
    let text = error(r#""server-error""#, -32600, "Bad Request: The session has expired");
    let server = serve(HttpScript::json().once("tools/call", json(400, &text))).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    assert_eq!(call(&client, "echo", r#"{"text":"again"}"#).await, "again");
    assert_eq!((count(&server, "initialize"), count(&server, "tools/call")), (2, 2));
}

#[tokio::test]
async fn a_wait_and_a_redirect_are_told_with_the_status() {
    let busy = RawReply::new(429).header("retry-after", "7").header("content-type", "application/json");
    let busy = busy.text(r#"{"error":{"message":"Quota resets soon."}}"#);
    let moved = HttpReply::redirect(301, "https://user:pw@mcp.test/new/?key=secret");
    let server = serve(HttpScript::json().once("tools/call", busy.into()).once("tools/call", moved)).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    let ask = || async { client.call_tool("echo", None, CallOptions::default()).await.unwrap_err() };
    let error = ask().await;
    assert_eq!(error.to_string(), "HTTP status 429: too many requests; it asks to wait 7 s");
    assert!(matches!(&error, RequestError::Status { excerpt, hints, .. }
        if excerpt.contains("Quota") && hints.retry_after == Some(Duration::from_secs(7))));
    assert_eq!(ask().await.to_string(), "HTTP status 301: the URL has moved to https://mcp.test/new/");
    assert_eq!(count(&server, "tools/call"), 2);
}

/// A server that silently closes every connection when its second request arrives.
struct ClosingServer {
    url: String,
    calls: Arc<AtomicUsize>,
    _tasks: JoinSet<()>,
}

async fn closing() -> ClosingServer {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((socket, _)) = listener.accept().await {
            connections.spawn(one_answer(socket, Arc::clone(&counted)));
        }
    });
    ClosingServer { url, calls, _tasks: tasks }
}

async fn one_answer(mut socket: TcpStream, calls: Arc<AtomicUsize>) {
    for number in 0..2 {
        let mut text = String::new();
        let body = loop {
            let mut piece = [0; 4096];
            let read = socket.read(&mut piece).await.unwrap_or(0);
            if read == 0 {
                return;
            }
            text.push_str(&String::from_utf8_lossy(&piece[..read]));
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length = head
                .lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                break body.to_owned();
            }
        };
        calls.fetch_add(usize::from(body.contains("tools/call")), Ordering::Relaxed);
        if number == 1 {
            return;
        }
        let message: serde_json::Value = serde_json::from_str(&body).unwrap_or_default();
        let result = match message["method"].as_str() {
            Some("initialize") => {
                serde_json::json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "c", "version": "1"}})
            }
            Some("tools/list") => serde_json::json!({"tools": []}),
            _ => serde_json::json!({}),
        };
        let answer = match (message["id"].as_u64(), message["method"].as_str()) {
            (Some(_), Some("server/discover")) | (None, None) => {
                "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_owned()
            }
            (None, Some(_)) => "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n".to_owned(),
            (Some(id), _) => {
                let body = serde_json::json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
                format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                    body.len()
                )
            }
        };
        socket.write_all(answer.as_bytes()).await.unwrap();
    }
}

#[tokio::test]
async fn a_request_whose_old_connection_was_closed_is_sent_once_more() {
    let server = closing().await;
    let client = connect_with(endpoint(&server.url), choosing(EraChoice::Auto)).await.0.unwrap();
    for _ in 0..4 {
        client.list_tools().await.unwrap();
    }
    // A call may have started, so it is never sent twice.
    for made in 1..=4 {
        let outcome = client.call_tool("x", None, CallOptions::default()).await;
        assert_eq!(server.calls.load(Ordering::Relaxed), made, "{outcome:?}");
    }
}

/// Another connection to the same server, such as an attempt over HTTP+SSE, shares the pool with the earlier
/// one.
#[tokio::test]
async fn a_new_connection_outlives_the_closed_ones_of_the_pool() {
    let server = closing().await;
    let options = choosing(EraChoice::Auto);
    for _ in 0..4 {
        let client = connect_with(endpoint(&server.url), options.clone()).await.0.unwrap();
        client.list_tools().await.unwrap();
        drop(client);
    }
}

// Requirements: SHS-10, SHS-11.
#[tokio::test]
async fn a_broken_stream_is_resumed_though_the_first_try_is_refused() {
    let begun = RawReply::stream().text("id: e1\nretry: 100\ndata: \n\n");
    let answer = r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"kept"}]}}"#;
    let rest = RawReply::stream().text(&format!("id: e2\ndata: {answer}\n\n"));
    let script = HttpScript::json()
        .once("GET", HttpReply::status(405, ""))
        .once("GET", HttpReply::status(409, "there is a stream already"))
        .on("GET", rest.into())
        .on("tools/call", begun.into());
    let server = serve(script).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    assert_eq!(call(&client, "x", "{}").await, "kept");
    let ids: Vec<_> =
        requests(&server, "GET").iter().map(|get| get.header("last-event-id").map(str::to_owned)).collect();
    assert_eq!(ids, [None, Some("e1".to_owned()), Some("e1".to_owned())]);
}

// Requirements: LOG-06.
#[tokio::test]
async fn a_stream_of_comments_is_slowed_down_and_noted() {
    let flood = RawReply::stream().text(&": ping\n\n".repeat(3000)).piece(BodyPiece::Hang);
    let server = serve(HttpScript::json().on("GET", flood.into())).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    mooring_testkit::eventually("the limit is noted", Duration::from_secs(20), || {
        client.limits_reached().iter().any(|limit| limit.name == "unasked_messages")
    })
    .await;
    assert_eq!(call(&client, "echo", r#"{"text":"x"}"#).await, "x");
}

// Requirements: SHS-07, SHS-11.
#[tokio::test]
async fn a_stream_that_brings_no_message_is_not_opened_every_second() {
    // Only messages reset the delays: 1, 2 and 4 seconds instead of one each time.
    let script = HttpScript::json().on("GET", HttpReply::stream_text("retry: 0\ndata: x\n\n"));
    let server = serve(script).await;
    let started = Instant::now();
    let (client, _) = connect(endpoint(&server.url)).await;
    eventually("it was opened four times", Duration::from_mins(1), || count(&server, "GET") == 4).await;
    assert!(started.elapsed() >= Duration::from_secs(7), "{:?}", started.elapsed());
    client.shutdown().await;
}

// Requirements: SHS-10, SHS-11.
#[tokio::test]
async fn an_answer_is_not_resumed_for_ever_for_no_message() {
    let broken = || HttpReply::stream_text("id: 7\nretry: 0\ndata: x\n\n");
    let script = HttpScript::json()
        .once("GET", HttpReply::status(405, ""))
        .on("GET", broken())
        .on("tools/call", broken());
    let server = serve(script).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    let started = Instant::now();
    // The first request is the GET stream. The delays are 0.1, 1, 1, 1, 1.6 and 3.2 seconds.
    tokio::select! {
        outcome = client.call_tool("x", None, CallOptions::default()) => panic!("{outcome:?}"),
        () = eventually("it was resumed", Duration::from_mins(1), || count(&server, "GET") == 7) => {}
    }
    assert!(started.elapsed() >= Duration::from_secs(7), "{:?}", started.elapsed());
}

#[tokio::test]
async fn the_stream_of_another_transport_is_named_with_what_to_choose() {
    let other = RawReply::stream().text("event: endpoint\ndata: /message?sid=1\n\n").piece(BodyPiece::Hang);
    let server = serve(HttpScript::json().on("GET", other.into())).await;
    let (_client, memory) = connect(endpoint(&server.url)).await;
    mooring_testkit::eventually("it is told", Duration::from_secs(20), || {
        memory.diagnostics().iter().any(|odd| odd.contains("HTTP+SSE") && odd.contains("--era sse"))
    })
    .await;
    assert!(memory.diagnostics().iter().all(|odd| !odd.contains("not a JSON message")));
}

// Requirements: ROOT-02.
#[tokio::test]
async fn the_first_request_waits_until_the_server_knows_the_folders() {
    let target = python_server(
        r#"
    if method == "initialize": answer(id, {**SESSION, "capabilities": {"tools": {}}})
    elif method == "notifications/initialized": say({"id": "r", "method": "roots/list"})
    elif id == "r":
        told = len(message["result"]["roots"])
        # It looks at the folders by the way, and answers a ping meanwhile.
        import threading
        threading.Timer(0.04, lambda: kept.update(roots=told)).start()
    elif method == "tools/call": answer(id, text(str(kept.get("roots"))))
    else: answer(id, {})
"#,
    );
    let host = TestHost::new(|_| Ok(raw(r#"{"roots":[{"uri":"file:///berth"}]}"#)));
    let client = host.connect(target, choosing(EraChoice::Only(mooring_mcp::Era::Session))).await;
    assert_eq!(call(&client, "x", "{}").await, "1");
    assert_eq!(host.memory.log().iter().filter(|line| *line == "→ ping").count(), 4);
}

// Requirements: BASE-07.
#[tokio::test]
async fn an_error_without_an_id_ends_the_only_request_that_waits() {
    let target = python_server(
        r#"
    if method == "initialize": answer(id, {**SESSION, "capabilities": {"tools": {}}})
    elif method == "tools/call" and params["name"] == "own":
        say({"id": None, "error": {"code": -32600, "message": "of a notification"}})
        answer(id, text("own"))
    elif method == "tools/call": say({"id": None, "error": {"code": -32700, "message": "cannot read this"}})
    elif id is not None: answer(id, {})
"#,
    );
    let (client, _) = connect(target).await;
    let outcome = client.call_tool("x", None, CallOptions::default()).await;
    assert!(
        matches!(&outcome, Err(RequestError::Rpc(error)) if error.message == "cannot read this"),
        "{outcome:?}"
    );
    // A proper response counts, whatever came before.
    assert_eq!(call(&client, "own", "{}").await, "own");
}
