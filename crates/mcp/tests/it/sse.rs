//! HTTP+SSE of 2024-11-05: a stream brings everything, a POST is only acknowledged.

use std::sync::Arc;

use mooring_mcp::{CloseReason, ConnectError, Era, EraChoice, RequestError};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;

use crate::era::choosing;
use crate::support::{call, connect_with, endpoint};

/// A server of 2024-11-05. Ends its stream when the tool `end` is called.
struct Old {
    url: String,
    _tasks: JoinSet<()>,
}

struct Shared {
    endpoint: String,
    revision: &'static str,
    stream: Mutex<Option<mpsc::Sender<String>>>,
}

async fn serve(endpoint: &str) -> Old {
    serve_revision(endpoint, "2024-11-05").await
}

/// A server that agrees on `revision`, and takes nothing but that in the header of those that have one.
async fn serve_revision(endpoint: &str, revision: &'static str) -> Old {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/sse", listener.local_addr().unwrap());
    let shared = Arc::new(Shared { endpoint: endpoint.to_owned(), revision, stream: Mutex::default() });
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut exchanges = JoinSet::new();
        while let Ok((socket, _)) = listener.accept().await {
            exchanges.spawn(exchange(socket, Arc::clone(&shared)));
        }
    });
    Old { url, _tasks: tasks }
}

async fn exchange(socket: TcpStream, shared: Arc<Shared>) {
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
    let is_opening = String::from_utf8_lossy(&body).contains("\"initialize\"");
    let expected = (shared.revision >= "2025-06-18" && !is_opening).then_some(shared.revision);
    let is_endpoint = head[0].starts_with(&format!("post {} ", shared.endpoint)) && named == expected;
    let status = if is_endpoint { "202 Accepted" } else { "405 Method Not Allowed" };
    let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    socket.write_all(answer.as_bytes()).await.unwrap();
    if is_endpoint {
        answer_on_stream(&shared, &serde_json::from_slice(&body).unwrap()).await;
    }
}

async fn answer_on_stream(shared: &Shared, message: &Value) {
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
async fn one_url_finds_an_old_server_and_its_stream_brings_the_answers_era_16_sse_01_sse_04() {
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

// Requirements: SSE-05.
#[tokio::test]
async fn the_end_of_the_stream_ends_the_connection_and_its_calls_sse_05() {
    let server = serve("/messages?sid=1").await;
    let (client, _) = connect_with(endpoint(&server.url), choosing(EraChoice::Auto)).await;
    let client = client.unwrap();
    let outcome = client.call_tool("end", None, mooring_mcp::CallOptions::default()).await;
    assert!(matches!(outcome, Err(RequestError::Closed(CloseReason::StreamLost { .. }))), "{outcome:?}");
    assert!(client.closed().borrow().is_some());
}

// Requirements: SSE-03.
#[tokio::test]
async fn an_endpoint_on_another_origin_is_refused_sse_03() {
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
    let failed = client.call_tool("end", None, mooring_mcp::CallOptions::default()).await.unwrap_err();
    let shown = format!("{:?} {failed} {failed:?} {:?}", client.handshake(), memory.diagnostics());
    assert!(!shown.contains(CANARY), "{shown}");
    // Elsewhere, it is refused in words that do not repeat it.
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
