//! Streamable HTTP on loopback, good and bad.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_mcp::{CallOptions, CloseReason, ConnectError, RequestError, ServerTarget};
use mooring_testkit::eventually;
use mooring_testkit::http::{BodyPiece, Gate, HttpReply, HttpScript, RawReply, refused_url, serve};

use crate::support::{Recorder, TestHost, call, connect, endpoint, options, raw, refused, requests, text};

// Requirements: SHS-01, SHS-05, SHS-12, SHS-15, SHS-17.
#[tokio::test]
async fn json_and_event_stream_answers_are_read_and_the_session_kept() {
    for script in [
        HttpScript::json(),
        HttpScript::sse(),
        HttpScript::sse().with_priming_event(),
        HttpScript::json().without_session(),
    ] {
        let server = serve(script).await;
        let (client, _) = connect(endpoint(&server.url)).await;
        assert!(client.list_tools().await.unwrap().items.iter().any(|tool| tool.name == "echo"));
        assert_eq!(call(&client, "echo", r#"{"text":"漢 🚢"}"#).await, "漢 🚢");
        let mut methods = server.methods();
        methods.retain(|method| method != "GET");
        assert_eq!(methods[..3], ["initialize", "notifications/initialized", "tools/list"]);
        client.shutdown().await;
    }
}

#[tokio::test]
async fn the_tap_sees_what_the_server_sent_to_the_byte() {
    let odd = r#"{ "jsonrpc":"2.0",  "id":$ID ,"result":{"content":[],"n":1.00,"\u0061":"\/"} }"#;
    for reply in [HttpReply::json_text(odd), HttpReply::stream_text(&format!(": x\nid: 1\ndata: {odd}\n\n"))]
    {
        let server = serve(HttpScript::json().on("tools/call", reply)).await;
        let (client, memory) = connect(endpoint(&server.url)).await;
        client.call_tool("x", None, CallOptions::default()).await.unwrap();
        let taped = memory.taped.lock().unwrap();
        let answer = taped.iter().rfind(|event| event.subject.as_deref() == Some("x")).unwrap();
        assert_eq!(answer.bytes, odd.replace("$ID", "2"));
    }
}

// Requirements: SHS-02, SHS-15, SHS-19, SHS-20, SHS-24, LIFE-15.
#[tokio::test]
async fn requests_carry_what_the_protocol_and_the_person_ask_for() {
    let server = serve(HttpScript::json()).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    call(&client, "echo", r#"{"text":"x"}"#).await;
    let opening = server.wait_for_message("initialize").await;
    assert_eq!(opening.header("mcp-session-id"), None);
    assert_eq!(opening.header("mcp-protocol-version"), None);
    for method in ["notifications/initialized", "tools/call"] {
        let request = server.wait_for_message(method).await;
        assert!(request.header("mcp-session-id").is_some(), "{method}");
        assert_eq!(request.header("mcp-protocol-version"), Some("2025-11-25"), "{method}");
        assert_eq!(request.header("accept"), Some("application/json, text/event-stream"));
        assert_eq!(request.header("content-type"), Some("application/json"));
        assert_eq!(request.header("x-berth"), Some("14"));
    }
    client.shutdown().await;
    for method in ["GET", "DELETE"] {
        let request = server.wait_for_message(method).await;
        assert!(request.header("mcp-session-id").is_some(), "{method}");
        assert_eq!(request.header("mcp-protocol-version"), Some("2025-11-25"), "{method}");
    }
    // We are not a web page.
    assert!(server.requests().iter().all(|request| request.header("origin").is_none()));
}

// Requirements: SHS-02, SHS-15, SHS-19.
#[tokio::test]
async fn headers_of_the_person_give_way_to_those_of_the_protocol() {
    let headers = [
        ("Accept", "application/json"),
        ("Content-Type", "text/plain"),
        ("MCP-Protocol-Version", "2024-11-05"),
        ("mcp-session-id", "canary"),
        ("Mcp-Method", "canary"),
        ("X-Berth", "14"),
        ("X-Berth", "15"),
    ];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let server = serve(HttpScript::json()).await;
    let target = ServerTarget::Http { url: server.url.parse().unwrap(), headers: headers.to_vec() };
    let (client, memory) = connect(target).await;
    assert_eq!(call(&client, "echo", r#"{"text":"x"}"#).await, "x");
    client.shutdown().await;
    for request in server.requests() {
        for name in ["accept", "content-type", "mcp-protocol-version", "mcp-session-id", "mcp-method"] {
            let values: Vec<_> = request.headers.iter().filter(|(known, _)| known == name).collect();
            assert!(values.len() <= 1, "{}: {values:?}", request.rpc_method);
        }
        assert!(request.headers.iter().all(|(_, value)| value != "canary"), "{request:?}");
        assert_eq!(request.headers.iter().filter(|(name, _)| name == "x-berth").count(), 2);
    }
    let told: Vec<_> = memory.diagnostics().into_iter().filter(|odd| odd.contains("is left out")).collect();
    assert_eq!(told.len(), 5, "{told:?}");
    assert_eq!(told[0], "the configured header Accept is left out: the protocol sets it");
}

// Requirements: SHS-24.
#[tokio::test]
async fn status_403_without_challenge_is_an_error_and_no_sign_in() {
    let refusal = || HttpReply::status(403, "Invalid Origin");
    let server = serve(HttpScript::json().on("initialize", refusal())).await;
    let refused = refused(endpoint(&server.url)).await;
    assert!(
        matches!(&refused, ConnectError::Status { status: 403, excerpt, .. } if excerpt == "Invalid Origin"),
        "{refused:?}"
    );
    let server = serve(HttpScript::json().once("tools/call", refusal())).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    let outcome = client.call_tool("x", None, CallOptions::default()).await;
    assert!(
        matches!(&outcome, Err(RequestError::Status { status: 403, excerpt, .. }) if excerpt == "Invalid Origin"),
        "{outcome:?}"
    );
    // It is not retried, and the session continues.
    assert_eq!(call(&client, "echo", r#"{"text":"x"}"#).await, "x");
    assert_eq!(server.methods().iter().filter(|method| *method == "tools/call").count(), 2);
}

// Requirements: PROG-01, PROG-02, SHS-06, LOG-02.
#[tokio::test]
async fn progress_and_logs_come_on_the_stream_of_their_call() {
    let stream = concat!(
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",",
        "\"params\":{\"progressToken\":$ID,\"progress\":1,\"total\":2}}\n\n",
        "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"fog\"}}\n\n",
        "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":$ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}}\n\n",
    );
    for text_of_stream in [stream.to_owned(), stream.replace('\n', "\r"), stream.replace('\n', "\r\n")] {
        let server = serve(HttpScript::sse().on("tools/call", HttpReply::stream_text(&text_of_stream))).await;
        let (client, memory) = connect(endpoint(&server.url)).await;
        let heard = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&heard);
        let on_progress =
            Some(Arc::new(move |progress: mooring_mcp::Progress| sink.lock().unwrap().push(progress)) as _);
        let result =
            client.call_tool("x", None, CallOptions { on_progress, ..CallOptions::default() }).await.unwrap();
        assert_eq!(text(&result.raw), "ok");
        assert_eq!(heard.lock().unwrap().len(), 1);
        assert_eq!(memory.notifications.lock().unwrap().len(), 1);
    }
}

// Requirements: LIFE-12.
#[tokio::test]
async fn non_mcp_server_is_told_from_an_unreachable_one() {
    let error = |reply| async {
        let server = serve(HttpScript::json().on("initialize", reply)).await;
        refused(endpoint(&server.url)).await
    };
    let page = error(HttpReply::html()).await;
    assert!(
        matches!(&page, ConnectError::NotMcp { what, excerpt } if what == "a web page" && excerpt.contains("Harbour"))
    );
    assert!(
        matches!(error(HttpReply::status(500, "broken")).await, ConnectError::Status { status: 500, excerpt, .. } if excerpt == "broken")
    );
    assert!(matches!(error(HttpReply::status(404, "")).await, ConnectError::Status { status: 404, .. }));
    assert!(matches!(error(HttpReply::accepted()).await, ConnectError::NotMcp { .. }));
    assert!(matches!(error(HttpReply::json_text("{\"hello\":1}")).await, ConnectError::NotMcp { .. }));
    let challenge = error(HttpReply::unauthorized("Bearer resource_metadata=\"x\"")).await;
    assert!(matches!(challenge, ConnectError::SignIn { status: 401, challenge: Some(_) }));
    let nobody = refused(endpoint(&refused_url().await)).await;
    assert!(
        matches!(&nobody, ConnectError::Unreachable { reason } if reason.contains("refused")),
        "{nobody}"
    );
}

// Requirements: BASE-07, SHS-04.
#[tokio::test]
async fn an_error_without_an_id_belongs_to_its_exchange() {
    let text = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#;
    for reply in [
        HttpReply::json_text(text),
        RawReply::new(400).header("content-type", "application/json").text(text).into(),
        HttpReply::stream_text(&format!("data: {text}\n\n")),
    ] {
        let server = serve(HttpScript::json().on("tools/call", reply)).await;
        let (client, _) = connect(endpoint(&server.url)).await;
        let outcome = client.call_tool("x", None, CallOptions::default()).await;
        assert!(matches!(&outcome, Err(RequestError::Rpc(error)) if error.code == -32600), "{outcome:?}");
        client.ping().await.unwrap();
    }
}

#[tokio::test]
async fn a_stream_that_ends_without_an_answer_ends_the_call() {
    let server = serve(HttpScript::sse().on("tools/call", HttpReply::stream_text(": nothing\n\n"))).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    let outcome = client.call_tool("x", None, CallOptions::default()).await;
    assert!(matches!(outcome, Err(RequestError::StreamEnded)), "{outcome:?}");
}

#[tokio::test]
async fn an_odd_content_type_is_read_with_a_diagnostic() {
    let answer = r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"ok"}]}}"#;
    let odd =
        [("text/plain", answer.to_owned()), ("application/octet-stream", format!("data: {answer}\n\n"))];
    for (kind, body) in odd {
        let reply = RawReply::new(200).header("content-type", kind).text(&body).into();
        let server = serve(HttpScript::json().on("tools/call", reply)).await;
        let (client, memory) = connect(endpoint(&server.url)).await;
        assert_eq!(call(&client, "x", "{}").await, "ok", "{kind}");
        assert!(memory.diagnostics().iter().any(|odd| odd.contains(kind)), "{:?}", memory.diagnostics());
    }
}

#[tokio::test]
async fn a_body_over_the_limit_fails_its_own_call_only() {
    let big = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"a":"{}"}}}}"#, "x".repeat(17 * 1024 * 1024));
    for reply in [HttpReply::json_text(&big), HttpReply::stream_text(&format!("data: {big}\n\n"))] {
        let server = serve(HttpScript::json().once("tools/call", reply)).await;
        let (client, _) = connect(endpoint(&server.url)).await;
        let outcome = client.call_tool("x", None, CallOptions::default()).await;
        let Err(RequestError::TooLarge { limit: 16_777_216, size, beginning, .. }) = outcome else {
            panic!("{outcome:?}")
        };
        assert!(size > 16_777_216, "{size}");
        assert!(beginning.unwrap().get().starts_with(r#"{"a":"xxx"#));
        let reached: Vec<_> = client.limits_reached().iter().map(|limit| limit.name).collect();
        assert_eq!(reached, ["message"]);
        assert_eq!(call(&client, "echo", r#"{"text":"after"}"#).await, "after");
    }
}

// Requirements: SHS-11.
#[tokio::test]
async fn oversized_event_ends_only_the_get_stream() {
    let big = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{{"a":"{}"}}}}"#,
        "x".repeat(17 * 1024 * 1024)
    );
    let message =
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"still here"}}"#;
    let stream =
        format!("retry: 100\nid: 7\ndata: {big}\n\nid: 8\ndata: {message}\n\nid: 9\ndata: {big}\n\n");
    let server =
        serve(HttpScript::json().once("GET", HttpReply::stream_text(&stream)).on("GET", HttpReply::Hang))
            .await;
    let (client, memory) = connect(endpoint(&server.url)).await;
    let gets = || requests(&server, "GET");
    eventually("it is opened again", Duration::from_secs(20), || gets().len() == 2).await;
    assert_eq!(gets()[1].header("last-event-id"), Some("9"));
    let log = memory.log();
    let heard = log.iter().filter(|line| line.contains("notifications/message")).count();
    assert_eq!(heard, 1, "{log:?}");
    // Skipped data is read no faster than unsolicited messages, so that limit may be reached, too.
    let reached: Vec<_> = client.limits_reached().iter().map(|limit| (limit.name, limit.times)).collect();
    assert_eq!(reached[0], ("message", 2));
    assert!(reached[1..].iter().all(|(name, _)| *name == "unasked_bytes"), "{reached:?}");
}

// Requirements: SHS-18, LIFE-14, LOG-01.
#[tokio::test]
async fn a_lost_session_is_replaced_once_and_the_calls_are_made_again() {
    let server = serve(HttpScript::json()).await;
    let (client, memory) = connect(endpoint(&server.url)).await;
    client.set_log_level("info").await.unwrap();
    server.forget_sessions();
    let echo = |text: &'static str| {
        let client = client.clone();
        async move { call(&client, "echo", &format!(r#"{{"text":"{text}"}}"#)).await }
    };
    assert_eq!(tokio::join!(echo("a"), echo("b"), echo("c")), ("a".into(), "b".into(), "c".into()));
    let methods = server.methods();
    assert_eq!(methods.iter().filter(|method| *method == "initialize").count(), 2, "{methods:?}");
    assert_eq!(methods.iter().filter(|method| *method == "logging/setLevel").count(), 2, "{methods:?}");
    assert!(memory.diagnostics().iter().any(|odd| odd.contains("a new one was opened")));
    let opening = server.requests().into_iter().rfind(|request| request.rpc_method == "initialize").unwrap();
    assert_eq!(opening.header("mcp-session-id"), None);
}

// Requirements: SHS-18.
#[tokio::test]
async fn a_session_refused_with_400_is_replaced_too_l() {
    let text = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}"#;
    let refusal = RawReply::new(400).header("content-type", "application/json").text(text);
    let server = serve(HttpScript::json().once("tools/call", refusal.into())).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    assert_eq!(call(&client, "echo", r#"{"text":"again"}"#).await, "again");
}

#[tokio::test]
async fn a_session_that_cannot_be_replaced_ends_the_connection() {
    let server = serve(
        HttpScript::json()
            .once("initialize", HttpReply::Usual)
            .on("initialize", HttpReply::status(500, "no")),
    )
    .await;
    let (client, _) = connect(endpoint(&server.url)).await;
    server.forget_sessions();
    let outcome = client.call_tool("echo", Some(&raw("{}")), CallOptions::default()).await;
    assert!(matches!(outcome, Err(RequestError::Status { status: 500, .. })), "{outcome:?}");
    assert_eq!(*client.closed().borrow(), Some(CloseReason::SessionLost));
}

// Requirements: SHS-07, SHS-10, PING-01, SUB-16.
#[tokio::test]
async fn what_a_server_says_of_its_own_accord_comes_on_the_get_stream() {
    let changed = "id: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n";
    let ping = "id: 2\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n\n";
    let first = RawReply::stream().text("retry: 100\n").text(changed);
    let second = RawReply::stream().text(ping).piece(BodyPiece::Hang);
    let server = serve(HttpScript::json().once("GET", first.into()).on("GET", second.into())).await;
    let (client, memory) = connect(endpoint(&server.url)).await;
    let answer = server.wait_for_message("response").await;
    assert_eq!(answer.json(), serde_json::json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
    assert_eq!(memory.notifications.lock().unwrap().len(), 1);
    let gets: Vec<_> = server.requests().into_iter().filter(|request| request.http_method == "GET").collect();
    assert_eq!(gets[0].header("last-event-id"), None);
    assert_eq!(gets[1].header("last-event-id"), Some("1"));
    assert!(gets[0].header("mcp-session-id").is_some());
    assert_eq!(gets[0].header("accept"), Some("text/event-stream"));
    client.shutdown().await;
}

// Requirements: SHS-09, SHS-10, SHS-11, SHS-12, SHS-13.
#[tokio::test]
async fn stream_broken_before_its_answer_is_resumed() {
    let answer = "id: 9\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"late\"}]}}\n\n";
    for broken in [
        RawReply::stream().text("id: 7\nretry: 150\ndata:\n\n"),
        RawReply::stream().text("id: 7\nretry: 150\ndata:\n\nid: 8\nda"),
    ] {
        let script = HttpScript::sse()
            .once("GET", HttpReply::status(405, ""))
            .once("GET", RawReply::stream().piece(BodyPiece::Abort).into())
            .on("GET", RawReply::stream().text(answer).into())
            .on("tools/call", broken.into());
        let server = serve(script).await;
        let (client, _) = connect(endpoint(&server.url)).await;
        let started = std::time::Instant::now();
        assert_eq!(call(&client, "x", "{}").await, "late");
        assert!(started.elapsed() >= Duration::from_millis(150));
        let gets: Vec<_> =
            server.requests().into_iter().filter(|request| request.http_method == "GET").collect();
        assert_eq!(gets.len(), 3);
        assert!(gets[1..].iter().all(|get| get.header("last-event-id") == Some("7")));
    }
}

// Requirements: SHS-07, SHS-10.
#[tokio::test]
async fn temporary_gateway_error_does_not_end_the_get_stream() {
    let changed = "id: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n";
    let ping = "data: {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n\n";
    let script = HttpScript::json()
        .once("GET", RawReply::stream().text("retry: 100\n").text(changed).into())
        .once("GET", HttpReply::status(503, "starting"))
        .once("GET", RawReply::stream().text("retry: 100\n").text(ping).into())
        .on("GET", HttpReply::status(405, ""));
    let server = serve(script).await;
    let (client, memory) = connect(endpoint(&server.url)).await;
    server.wait_for_message("response").await;
    let gets: Vec<_> = server.requests().into_iter().filter(|request| request.http_method == "GET").collect();
    assert_eq!(gets[2].header("last-event-id"), Some("1"));
    // The end of a stream that was once offered is reported.
    let told = || memory.diagnostics().iter().filter(|odd| odd.contains("HTTP status 405")).count();
    eventually("its end is told", Duration::from_secs(20), || told() == 1).await;
    client.shutdown().await;
}

/// A GET stream with a distinctive change notification.
fn telling() -> HttpReply {
    let change = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"by":"stream"}}"#;
    RawReply::stream().text(&format!("data: {change}\n\n")).piece(BodyPiece::Hang).into()
}

/// Waits until that notification arrives.
async fn is_told(memory: &Recorder) {
    let told = || memory.notifications.lock().unwrap().iter().any(|told| told.contains("stream"));
    eventually("the stream is heard", Duration::from_secs(20), told).await;
}

// Requirements: SHS-07, SHS-18.
#[tokio::test]
async fn get_stream_rejected_with_400_is_opened_in_the_next_session() {
    let script = HttpScript::json()
        .once("GET", HttpReply::stream_text("retry: 100\nid: 7\ndata:\n\n"))
        .once("GET", HttpReply::status(400, "Invalid or missing session ID"))
        .on("GET", telling());
    let server = serve(script).await;
    let (client, memory) = connect(endpoint(&server.url)).await;
    eventually("it is refused", Duration::from_secs(20), || requests(&server, "GET").len() == 2).await;
    server.forget_sessions();
    assert_eq!(call(&client, "echo", r#"{"text":"on"}"#).await, "on");
    is_told(&memory).await;
    let gets = requests(&server, "GET");
    assert_eq!(gets[1].header("last-event-id"), Some("7"));
    // Event ids of the lost session are meaningless in the next one.
    assert_eq!(gets[2].header("last-event-id"), None);
    assert_ne!(gets[2].header("mcp-session-id"), gets[1].header("mcp-session-id"));
    client.shutdown().await;
}

// Requirements: SHS-07, SHS-18.
#[tokio::test]
async fn get_stream_rejected_during_session_loss_opens_in_the_next() {
    // The GET was sent before the call noticed the loss, or after that and without a session.
    for leaves_first in [true, false] {
        let [ends, refused, opens] = [Gate::new(), Gate::new(), Gate::new()];
        let first = RawReply::stream().text("retry: 100\ndata:\n\n").piece(BodyPiece::Wait(ends.clone()));
        let script = HttpScript::json()
            .once("initialize", HttpReply::Usual)
            .on("initialize", HttpReply::After(opens.clone(), Box::new(HttpReply::Usual)))
            .once("GET", first.into())
            .once("GET", HttpReply::After(refused.clone(), Box::new(HttpReply::Usual)))
            .on("GET", telling());
        let server = serve(script).await;
        let (client, memory) = connect(endpoint(&server.url)).await;
        let second = || {
            ends.open();
            eventually("it is asked for again", Duration::from_secs(20), || {
                requests(&server, "GET").len() == 2
            })
        };
        if leaves_first {
            second().await;
        }
        server.forget_sessions();
        let meanwhile = async {
            let opening = || requests(&server, "initialize").len() == 2;
            eventually("the call found out", Duration::from_secs(20), opening).await;
            if !leaves_first {
                second().await;
            }
            refused.open();
            // Lets the refusal arrive first.
            for _ in 0..32 {
                tokio::task::yield_now().await;
            }
            opens.open();
        };
        let (text, ()) = tokio::join!(call(&client, "echo", r#"{"text":"on"}"#), meanwhile);
        assert_eq!(text, "on");
        is_told(&memory).await;
        let refused = &requests(&server, "GET")[1];
        assert_eq!(refused.header("mcp-session-id").is_some(), leaves_first);
        client.shutdown().await;
    }
}

// Requirements: SHS-10, SHS-13.
#[tokio::test]
async fn a_server_that_has_too_much_to_do_for_a_moment_ends_no_call() {
    let answer = "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"late\"}]}}\n\n";
    let script = HttpScript::sse()
        .once("GET", HttpReply::status(405, ""))
        .once("GET", HttpReply::status(429, "slower"))
        .on("GET", RawReply::stream().text(answer).into())
        .on("tools/call", RawReply::stream().text("id: 7\nretry: 100\ndata:\n\n").into());
    let server = serve(script).await;
    let (client, memory) = connect(endpoint(&server.url)).await;
    assert_eq!(call(&client, "x", "{}").await, "late");
    // A stream that never worked is not reported as lost.
    assert!(memory.diagnostics().is_empty(), "{:?}", memory.diagnostics());
}

// Requirements: SHS-16.
#[tokio::test]
async fn a_session_id_that_no_header_should_carry_is_refused() {
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}"#;
    let reply = RawReply::new(200)
        .header("content-type", "application/json")
        .header("mcp-session-id", "a b")
        .text(answer);
    let server = serve(HttpScript::json().on("initialize", reply.into())).await;
    assert!(matches!(refused(endpoint(&server.url)).await, ConnectError::Handshake { .. }));
}

// Requirements: CANC-06, SHS-09.
#[tokio::test]
async fn dropping_a_call_cancels_it_at_the_server() {
    let server = serve(HttpScript::json().on("tools/call", HttpReply::Hang)).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    let waiting = client.call_tool("x", None, CallOptions::default());
    let gave_up = tokio::time::timeout(Duration::from_millis(100), waiting).await;
    assert!(gave_up.is_err());
    let cancelled = server.wait_for_message("notifications/cancelled").await;
    assert_eq!(cancelled.json()["params"]["requestId"], 2);
}

#[tokio::test]
async fn unaccepted_notification_does_not_block_closing() {
    let script =
        HttpScript::json().on("tools/call", HttpReply::Hang).on("notifications/cancelled", HttpReply::Hang);
    let server = serve(script).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    let waiting = client.call_tool("x", None, CallOptions::default());
    assert!(tokio::time::timeout(Duration::from_millis(100), waiting).await.is_err());
    server.wait_for_message("notifications/cancelled").await;
    tokio::time::timeout(Duration::from_secs(5), client.shutdown()).await.unwrap();
}

/// A question as an event.
const ASKS: &str = "data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"roots/list\"}\n\n";

// Requirements: CANC-06, ROOT-02.
#[tokio::test]
async fn unaccepted_notification_delays_no_answer() {
    let script = HttpScript::sse()
        .once("tools/call", HttpReply::Hang)
        .on("tools/call", RawReply::stream().text(ASKS).piece(BodyPiece::Hang).into())
        .on("notifications/cancelled", HttpReply::Hang)
        .on("response", HttpReply::accepted());
    let server = serve(script).await;
    let host = TestHost::new(|_| Ok(raw(r#"{"roots":[]}"#)));
    let client = host.connect(endpoint(&server.url), options()).await;
    // Each call is dropped once the question has arrived.
    let call_until = async |method: &str| {
        tokio::select! {
            outcome = client.call_tool("x", None, CallOptions::default()) => panic!("{outcome:?}"),
            received = tokio::time::timeout(Duration::from_secs(5), server.wait_for_message(method)) => received.unwrap(),
        }
    };
    call_until("tools/call").await;
    server.wait_for_message("notifications/cancelled").await;
    let answer = call_until("response").await;
    assert_eq!(answer.json()["result"], serde_json::json!({"roots": []}));
    // Notifications keep their order, so the second one waits.
    client.ping().await.unwrap();
    assert_eq!(requests(&server, "notifications/cancelled").len(), 1);
    client.shutdown().await;
}

// Requirements: PING-01, SHS-07.
#[tokio::test]
async fn at_most_64_answers_are_in_flight_to_an_unresponsive_server() {
    let ping = |n: usize| format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{n},\"method\":\"ping\"}}\n\n");
    let pings: String = (0..200).map(ping).collect();
    let script = HttpScript::json()
        .on("GET", RawReply::stream().text(&pings).piece(BodyPiece::Hang).into())
        .on("response", HttpReply::Hang);
    let server = serve(script).await;
    let (client, memory) = connect(endpoint(&server.url)).await;
    let read = || memory.log().iter().filter(|line| *line == "← ping").count() == 200;
    eventually("all are read", Duration::from_secs(20), read).await;
    eventually("answers left", Duration::from_secs(20), || requests(&server, "response").len() >= 64).await;
    // Calls still work, and meanwhile everything else that can be sent is sent.
    for _ in 0..32 {
        assert_eq!(call(&client, "echo", r#"{"text":"on"}"#).await, "on");
    }
    assert_eq!(requests(&server, "response").len(), 64);
    client.shutdown().await;
}

#[tokio::test]
async fn abandoned_session_renewal_ends_the_connection() {
    let server =
        serve(HttpScript::json().once("initialize", HttpReply::Usual).on("initialize", HttpReply::Hang))
            .await;
    let (client, _) = connect(endpoint(&server.url)).await;
    server.forget_sessions();
    let waiting = client.call_tool("echo", None, CallOptions::default());
    assert!(tokio::time::timeout(Duration::from_millis(300), waiting).await.is_err());
    assert_eq!(*client.closed().borrow(), Some(CloseReason::SessionLost));
}

// Requirements: SHS-21.
#[tokio::test]
async fn status_400_naming_its_request_keeps_session_and_message() {
    let text = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32602,"message":"session_name is missing"}}"#;
    let refusal = RawReply::new(400).header("content-type", "application/json").text(text);
    let server = serve(HttpScript::json().once("tools/call", refusal.into())).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    let outcome = client.call_tool("x", None, CallOptions::default()).await;
    assert!(matches!(&outcome, Err(RequestError::Rpc(error)) if error.code == -32602), "{outcome:?}");
    assert_eq!(server.methods().iter().filter(|method| *method == "initialize").count(), 1);
}

// Requirements: SEC-13.
#[tokio::test]
async fn redirects_are_followed_to_the_same_origin_only() {
    let elsewhere = serve(HttpScript::json()).await;
    let server = serve(HttpScript::json().once("initialize", HttpReply::redirect(307, "/other"))).await;
    connect(endpoint(&server.url)).await;
    let server = serve(HttpScript::json().on("initialize", HttpReply::redirect(307, &elsewhere.url))).await;
    assert!(matches!(refused(endpoint(&server.url)).await, ConnectError::Status { status: 307, .. }));
    assert!(elsewhere.requests().is_empty());
    let server = serve(HttpScript::json().on("initialize", HttpReply::redirect(302, "/other"))).await;
    assert!(matches!(refused(endpoint(&server.url)).await, ConnectError::Status { status: 302, .. }));
}
