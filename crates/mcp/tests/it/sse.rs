//! HTTP+SSE of 2024-11-05: one stream carries all responses, and POSTs are only acknowledged.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use mooring_mcp::{
    CallOptions, Client, ClientOptions, CloseReason, ConnectError, Era, EraChoice, RequestError,
};
use mooring_testkit::eventually;
use mooring_testkit::http::{self, BodyPiece, Gate, HttpReply, HttpScript, RawReply};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;

use crate::era::choosing;
use crate::support::{Recorder, call, connect_with, endpoint};

const PATIENCE: Duration = Duration::from_secs(20);

/// A server of 2024-11-05. It ends its stream when the tool `end` is called, never acknowledges a call of
/// `hold`, and forgets its session when `forget` is called.
struct LegacyServer {
    url: String,
    /// Opens when the client gives up that call.
    let_go: Gate,
    _tasks: JoinSet<()>,
}

struct LegacyState {
    endpoint: String,
    revision: &'static str,
    stream: Mutex<Option<mpsc::Sender<String>>>,
    let_go: Gate,
}

async fn serve(endpoint: &str) -> LegacyServer {
    serve_revision(endpoint, "2024-11-05").await
}

/// A server that negotiates `revision`, and accepts no other one in the header, if it has one.
async fn serve_revision(endpoint: &str, revision: &'static str) -> LegacyServer {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/sse", listener.local_addr().unwrap());
    let let_go = Gate::new();
    let shared = LegacyState {
        endpoint: endpoint.to_owned(),
        revision,
        stream: Mutex::default(),
        let_go: let_go.clone(),
    };
    let shared = Arc::new(shared);
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut exchanges = JoinSet::new();
        while let Ok((socket, _)) = listener.accept().await {
            exchanges.spawn(exchange(socket, Arc::clone(&shared)));
        }
    });
    LegacyServer { url, let_go, _tasks: tasks }
}

async fn exchange(socket: TcpStream, shared: Arc<LegacyState>) {
    let mut socket = BufReader::new(socket);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if socket.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        if line == "\r\n" {
            break;
        }
        head.push(line.trim().to_ascii_lowercase());
    }
    let length =
        head.iter().find_map(|line| line.strip_prefix("content-length: ")).map_or(0, |n| n.parse().unwrap());
    let mut body = vec![0; length];
    socket.read_exact(&mut body).await.unwrap();
    let mut socket = socket.into_inner();
    if head[0].starts_with("get /sse") {
        let (sender, mut events) = mpsc::channel(16);
        *shared.stream.lock().await = Some(sender);
        let start = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        let start = format!("{start}: hello\n\nevent: endpoint\ndata: {}\n\n", shared.endpoint);
        socket.write_all(start.as_bytes()).await.unwrap();
        while let Some(event) = events.recv().await {
            socket.write_all(format!("event: message\ndata: {event}\n\n").as_bytes()).await.unwrap();
        }
        return;
    }
    let named = head.iter().find_map(|line| line.strip_prefix("mcp-protocol-version: "));
    let says = |word: &str| String::from_utf8_lossy(&body).contains(word);
    if says("\"hold\"") {
        // In whichever way the client closes the connection.
        let _ended = socket.read(&mut [0]).await;
        shared.let_go.open();
        return;
    }
    if says("\"forget\"") {
        let answer =
            "HTTP/1.1 404 Not Found\r\ncontent-length: 22\r\nconnection: close\r\n\r\nCould not find session";
        socket.write_all(answer.as_bytes()).await.unwrap();
        return;
    }
    let is_opening = says("\"initialize\"");
    let expected = (shared.revision >= "2025-06-18" && !is_opening).then_some(shared.revision);
    let is_endpoint = head[0].starts_with(&format!("post {} ", shared.endpoint)) && named == expected;
    let status = if is_endpoint { "202 Accepted" } else { "405 Method Not Allowed" };
    let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    socket.write_all(answer.as_bytes()).await.unwrap();
    if is_endpoint {
        answer_on_stream(&shared, &serde_json::from_slice(&body).unwrap()).await;
    }
}

async fn answer_on_stream(shared: &LegacyState, message: &Value) {
    let mut stream = shared.stream.lock().await;
    let result = match message["method"].as_str() {
        Some("initialize") => {
            json!({"protocolVersion": shared.revision, "capabilities": {"tools": {}}, "serverInfo": {"name": "old", "version": "1"}})
        }
        Some("tools/call") if message["params"]["name"] == "end" => {
            *stream = None;
            return;
        }
        Some("tools/call") => json!({"content": [{"type": "text", "text": "from the stream"}]}),
        _ => return,
    };
    let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
    if let Some(stream) = &*stream {
        stream.send(answer.to_string()).await.unwrap();
    }
}

// Requirements: ERA-16, SSE-01, SSE-02, SSE-04, SSE-08, SSE-09.
#[tokio::test]
async fn one_url_finds_an_sse_server_and_its_stream_brings_answers() {
    let server = serve("/messages?sid=1").await;
    for era in [EraChoice::Auto, EraChoice::Only(Era::LegacySse), EraChoice::Remembered(Era::LegacySse)] {
        let (client, _) = connect_with(endpoint(&server.url), choosing(era)).await;
        let client = client.unwrap();
        let handshake = client.handshake();
        assert_eq!((handshake.era, handshake.revision.as_str()), (Era::LegacySse, "2024-11-05"));
        assert!(handshake.reason.contains("HTTP+SSE, which is deprecated"), "{}", handshake.reason);
        assert_eq!(call(&client, "x", "{}").await, "from the stream");
        client.shutdown().await;
    }
}

// Requirements: ERA-16, SSE-01.
#[tokio::test]
async fn a_stream_that_answers_a_post_with_an_endpoint_is_http_sse() {
    let opened =
        || RawReply::stream().text("event: endpoint\ndata: /message?sid=1\n\n").piece(BodyPiece::Hang);
    let stream = opened().text("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n");
    let script = |asked: &str| {
        HttpScript::json().without_session().on(asked, opened().into()).on("GET", stream.clone().into())
    };
    for (asked, era) in
        [("server/discover", EraChoice::Auto), ("initialize", EraChoice::Remembered(Era::Session))]
    {
        let server = http::serve(script(asked)).await;
        let mut options = choosing(era);
        options.deadlines.connect = Duration::from_secs(2);
        // The stream never carries a response here. The test only checks that it was opened.
        drop(connect_with(endpoint(&server.url), options).await);
        let methods = server.methods();
        assert_eq!(methods[..2], [asked.to_owned(), "GET".to_owned()], "{methods:?}");
        assert!(methods[2..].iter().any(|method| method == "initialize"), "{methods:?}");
    }
    let server = http::serve(script("initialize")).await;
    let chosen = connect_with(endpoint(&server.url), choosing(EraChoice::Only(Era::Session))).await.0.err();
    assert!(matches!(chosen, Some(ConnectError::OldTransport)), "{chosen:?}");
}

// Requirements: SSE-03.
#[tokio::test]
async fn a_refusal_tells_what_the_older_transport_met() {
    let missing = || HttpReply::status(404, "no such thing");
    let script =
        HttpScript::json().without_session().on("server/discover", missing()).on("initialize", missing());
    let stream = RawReply::stream().text("event: endpoint\ndata: http://0.0.0.0:3001/message?sid=secret\n\n");
    let server = http::serve(script.on("GET", stream.piece(BodyPiece::Hang).into())).await;
    let error = connect_with(endpoint(&server.url), choosing(EraChoice::Auto)).await.0.err().unwrap();
    let said = error.to_string();
    for part in ["HTTP status 404", "http://0.0.0.0:3001/message,", server.url.as_str(), "proxy", "base URL"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("secret"), "{said}");
}

// Requirements: ERA-14, ERA-16, AUTH-02.
#[tokio::test]
async fn sse_server_guarding_stream_or_messages_asks_for_sign_in() {
    const CHALLENGE: &str = r#"Bearer resource_metadata="https://example.com/m""#;
    let unknown = || {
        let missing = || HttpReply::status(404, "no such thing");
        HttpScript::json().without_session().on("server/discover", missing()).on("initialize", missing())
    };
    let stream = || RawReply::stream().text("event: endpoint\ndata: /messages\n\n").piece(BodyPiece::Hang);
    let guarded = || HttpReply::unauthorized(CHALLENGE);
    let chosen = EraChoice::Only(Era::LegacySse);
    let messages = HttpScript::json().on("GET", stream().into()).on("initialize", guarded());
    let cases = [
        (EraChoice::Auto, unknown().on("GET", guarded()), &["server/discover", "initialize", "GET"][..]),
        (EraChoice::Remembered(Era::Session), unknown().on("GET", guarded()), &["initialize", "GET"]),
        (EraChoice::Remembered(Era::LegacySse), unknown().on("GET", guarded()), &["GET"]),
        (chosen, unknown().on("GET", guarded()), &["GET"]),
        (chosen, messages, &["GET", "initialize"]),
    ];
    for (era, script, asked) in cases {
        let server = http::serve(script).await;
        let error = connect_with(endpoint(&server.url), choosing(era)).await.0.err().unwrap();
        assert!(
            matches!(&error, ConnectError::SignIn { status: 401, challenge: Some(said) } if said == CHALLENGE),
            "{era:?}: {error:?}"
        );
        assert_eq!(server.methods(), asked, "{era:?}");
    }
    // If the stream requires no sign-in, the first error is reported.
    let server = http::serve(unknown().on("GET", HttpReply::status(403, "no"))).await;
    let error = connect_with(endpoint(&server.url), choosing(EraChoice::Auto)).await.0.err().unwrap();
    let ConnectError::AlsoOverSse { error, sse } = error else { panic!("{error:?}") };
    assert!(matches!(*error, ConnectError::Status { status: 404, .. }), "{error:?}");
    assert!(sse.contains("HTTP status 403"), "{sse}");
    // If there is no such stream, its error is not reported.
    for status in [404, 405] {
        let server = http::serve(unknown().on("GET", HttpReply::status(status, "no"))).await;
        let error = connect_with(endpoint(&server.url), choosing(EraChoice::Auto)).await.0.err().unwrap();
        assert!(matches!(error, ConnectError::Status { status: 404, .. }), "{error:?}");
    }
}

// Requirements: SSE-05.
#[tokio::test]
async fn end_of_the_stream_ends_the_connection_and_its_calls() {
    let server = serve("/messages?sid=1").await;
    let (client, _) = connect_with(endpoint(&server.url), choosing(EraChoice::Auto)).await;
    let client = client.unwrap();
    let outcome = client.call_tool("end", None, CallOptions::default()).await;
    assert!(matches!(outcome, Err(RequestError::Closed(CloseReason::StreamLost { .. }))), "{outcome:?}");
    assert!(client.closed().borrow().is_some());
}

// A restarted server behind a proxy that keeps the stream open.
#[tokio::test]
async fn a_post_without_a_session_ends_the_connection() {
    let server = serve("/messages").await;
    let (client, _) = connect_with(endpoint(&server.url), choosing(EraChoice::Auto)).await;
    let client = client.unwrap();
    let refused = client.call_tool("forget", None, CallOptions::default()).await.unwrap_err();
    let RequestError::Status { status: 404, excerpt, .. } = &refused else { panic!("{refused:?}") };
    assert_eq!(excerpt, "Could not find session");
    let mut closed = client.closed();
    let reason = closed.wait_for(Option::is_some).await.unwrap().clone();
    let Some(CloseReason::StreamLost { reason }) = reason else { panic!("{reason:?}") };
    assert!(reason.to_string().contains("no longer knows the session"), "{reason}");
}

/// The response of a server of 2024-11-05 to `initialize`.
fn opening() -> Value {
    json!({"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {"name": "old", "version": "1"}})
}

/// The response to a request, as an event of the stream.
fn answer(id: u64, result: &Value) -> String {
    format!("data: {}\n\n", json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

/// A server of 2024-11-05. Its responses to `initialize` and to one call come on its stream, each through its
/// gate.
fn gated(answered: [&Gate; 2]) -> HttpScript {
    let results = [opening(), json!({"content": [{"type": "text", "text": "at last"}]})];
    let mut stream = RawReply::stream().text("event: endpoint\ndata: /messages\n\n");
    for (id, (gate, result)) in (1..).zip(answered.into_iter().zip(results)) {
        stream = stream.piece(BodyPiece::Wait(gate.clone())).text(&answer(id, &result));
    }
    ["initialize", "tools/call"]
        .into_iter()
        .fold(HttpScript::json().without_session(), |script, method| script.on(method, HttpReply::accepted()))
        .on("GET", stream.piece(BodyPiece::Hang).into())
}

/// Connects to such a server.
async fn connected(
    server: &http::HttpServer,
    opened: &Gate,
    options: ClientOptions,
) -> (Client, Arc<Recorder>) {
    let opens = async {
        server.wait_for_message("initialize").await;
        opened.open();
    };
    let ((client, memory), ()) = tokio::join!(connect_with(endpoint(&server.url), options), opens);
    (client.unwrap(), memory)
}

// Requirements: LIFE-05.
#[tokio::test]
async fn nothing_overtakes_the_word_that_a_session_has_begun() {
    let [opened, taken, answered] = [Gate::new(), Gate::new(), Gate::new()];
    let late = HttpReply::After(taken.clone(), Box::new(HttpReply::accepted()));
    let server = http::serve(gated([&opened, &answered]).on("notifications/initialized", late)).await;
    let (client, memory) = connected(&server, &opened, choosing(EraChoice::Only(Era::LegacySse))).await;
    server.wait_for_message("notifications/initialized").await;
    let mut asked = std::pin::pin!(call(&client, "x", "{}"));
    assert!((&mut asked).now_or_never().is_none());
    // Lets everything be sent that can be sent now.
    for _ in 0..32 {
        tokio::task::yield_now().await;
    }
    assert!(!memory.log().contains(&"→ tools/call".to_owned()), "{:?}", memory.log());
    taken.open();
    let answers = async {
        server.wait_for_message("tools/call").await;
        answered.open();
    };
    let (words, ()) = tokio::join!(asked, answers);
    assert_eq!(words, "at last");
    client.shutdown().await;
}

// Requirements: BASE-31.
#[tokio::test]
async fn unacknowledged_message_blocks_no_other_and_no_socket() {
    let [opened, answered] = [Gate::new(), Gate::new()];
    let script = gated([&opened, &answered]).on("notifications/initialized", HttpReply::Hang);
    let server = http::serve(script).await;
    let mut options = choosing(EraChoice::Only(Era::LegacySse));
    options.deadlines.idle = Duration::from_millis(200);
    let (client, memory) = connected(&server, &opened, options.clone()).await;
    let answers = async {
        server.wait_for_message("tools/call").await;
        answered.open();
    };
    let patient = CallOptions { idle: Some(PATIENCE), ..CallOptions::default() };
    let (outcome, ()) = tokio::join!(client.call_tool("x", None, patient), answers);
    outcome.unwrap();
    assert_eq!(memory.diagnostics(), ["notifications/initialized: wasn’t taken in time"]);
    client.shutdown().await;

    let server = serve("/messages?sid=1").await;
    let (client, _) = connect_with(endpoint(&server.url), options).await;
    let client = client.unwrap();
    let outcome = client.call_tool("hold", None, CallOptions::default()).await;
    assert!(matches!(outcome, Err(RequestError::Timeout { .. })), "{outcome:?}");
    tokio::time::timeout(PATIENCE, server.let_go.wait_until_open()).await.unwrap();
    client.shutdown().await;
}

// Requirements: PING-01.
#[tokio::test]
async fn endless_pings_without_acknowledgement_cost_few_sockets() {
    const PINGS: usize = 3000;
    let [opened, answered, pinged] = [Gate::new(), Gate::new(), Gate::new()];
    let ping = |n: usize| format!("data: {{\"jsonrpc\":\"2.0\",\"id\":\"p{n}\",\"method\":\"ping\"}}\n\n");
    let pings: String = (0..PINGS).map(ping).collect();
    let opening = RawReply::stream()
        .text("event: endpoint\ndata: /messages\n\n")
        .piece(BodyPiece::Wait(opened.clone()))
        .text(&answer(1, &opening()))
        .piece(BodyPiece::Wait(pinged.clone()))
        .text(&pings)
        .piece(BodyPiece::Wait(answered.clone()))
        .text(&answer(2, &json!({"content": [{"type": "text", "text": "at last"}]})));
    let script = ["initialize", "notifications/initialized", "tools/call"]
        .into_iter()
        .fold(HttpScript::json().without_session(), |script, method| script.on(method, HttpReply::accepted()))
        .on("response", HttpReply::Hang)
        .on("GET", opening.piece(BodyPiece::Hang).into());
    let server = http::serve(script).await;
    let (client, memory) = connected(&server, &opened, choosing(EraChoice::Only(Era::LegacySse))).await;
    pinged.open();
    let read = || memory.log().iter().filter(|line| *line == "← ping").count() == PINGS;
    eventually("all are read", PATIENCE, read).await;
    let answers = async {
        server.wait_for_message("tools/call").await;
        answered.open();
    };
    let (words, ()) = tokio::join!(call(&client, "x", "{}"), answers);
    assert_eq!(words, "at last");
    // None of them was acknowledged, so each one has a socket.
    let unacknowledged = server.methods().iter().filter(|method| *method == "response").count();
    assert!((1..=64).contains(&unacknowledged), "{unacknowledged}");
    client.shutdown().await;
}

// Requirements: SSE-04.
#[tokio::test]
async fn an_answer_over_the_limit_fails_its_own_call_and_no_other() {
    let [opened, answered] = [Gate::new(), Gate::new()];
    let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    let stream = RawReply::stream()
        .text("event: endpoint\ndata: /messages\n\n")
        .piece(BodyPiece::Wait(opened.clone()))
        .text(&answer(1, &opening()))
        .piece(BodyPiece::Wait(answered.clone()))
        .text(&answer(2, &text(&"x".repeat(17 * 1024 * 1024))))
        .text(&answer(3, &text("small")));
    let script = ["initialize", "tools/call"]
        .into_iter()
        .fold(HttpScript::json().without_session(), |script, method| script.on(method, HttpReply::accepted()))
        .on("GET", stream.piece(BodyPiece::Hang).into());
    let server = http::serve(script).await;
    let (client, _) = connected(&server, &opened, choosing(EraChoice::Only(Era::LegacySse))).await;
    let answers = async {
        let calls = || server.methods().iter().filter(|method| *method == "tools/call").count();
        eventually("both are asked", PATIENCE, || calls() == 2).await;
        answered.open();
    };
    let call = || client.call_tool("x", None, CallOptions::default());
    let (large, small, ()) = tokio::join!(call(), call(), answers);
    assert!(matches!(large, Err(RequestError::TooLarge { limit: 16_777_216, .. })), "{large:?}");
    small.unwrap();
    // Skipped data is read no faster than unsolicited messages, so that limit may be reached, too.
    let reached: Vec<_> = client.limits_reached().iter().map(|limit| (limit.name, limit.times)).collect();
    assert_eq!(reached[0], ("message", 1));
    assert!(reached[1..].iter().all(|(name, _)| *name == "unasked_bytes"), "{reached:?}");
    client.shutdown().await;
}

// Requirements: SSE-03.
#[tokio::test]
async fn endpoint_on_another_origin_is_refused() {
    let server = serve("http://169.254.169.254/messages").await;
    let (client, _) = connect_with(endpoint(&server.url), choosing(EraChoice::Only(Era::LegacySse))).await;
    let error = client.err().unwrap();
    assert!(
        matches!(&error, ConnectError::Unreachable { reason } if reason.contains("another origin")),
        "{error}"
    );
}

// Requirements: SSE-07, LIFE-08.
#[tokio::test]
async fn a_newer_revision_is_named_in_the_header_here_too() {
    let server = serve_revision("/messages?sid=1", "2025-06-18").await;
    let (client, _) = connect_with(endpoint(&server.url), choosing(EraChoice::Only(Era::LegacySse))).await;
    let client = client.unwrap();
    assert_eq!(client.handshake().revision.as_str(), "2025-06-18");
    assert_eq!(call(&client, "x", "{}").await, "from the stream");
    client.shutdown().await;
}

// Requirements: SSE-06.
#[tokio::test]
async fn what_the_address_for_messages_holds_shows_nowhere() {
    const CANARY: &str = "canary-5e0c1d";
    let server = serve(&format!("/messages?session={CANARY}&token={CANARY}")).await;
    let (client, memory) = connect_with(endpoint(&server.url), choosing(EraChoice::Auto)).await;
    let client = client.unwrap();
    assert_eq!(call(&client, "x", "{}").await, "from the stream");
    let failed = client.call_tool("end", None, CallOptions::default()).await.unwrap_err();
    let shown = format!("{:?} {failed} {failed:?} {:?}", client.handshake(), memory.diagnostics());
    assert!(!shown.contains(CANARY), "{shown}");
    // On another origin, it is refused with an error that doesn't contain the secret.
    let elsewhere = serve(&format!("http://127.0.0.1:1/messages?session={CANARY}")).await;
    let (refused, other) =
        connect_with(endpoint(&elsewhere.url), choosing(EraChoice::Only(Era::LegacySse))).await;
    let refused = refused.err().unwrap();
    let shown = format!("{refused} {refused:?} {:?}", other.diagnostics());
    assert!(shown.contains("another origin") && !shown.contains(CANARY), "{shown}");
    for memory in [memory, other] {
        let taped = memory.taped.lock().unwrap();
        assert!(taped.iter().all(|event| !String::from_utf8_lossy(&event.bytes).contains(CANARY)));
    }
}
