//! Servers that close an idle connection at the moment at which a request arrives on it.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mooring_mcp::{CallOptions, Client, Era, EraChoice, RequestError};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::era::choosing;
use crate::support::{connect_with, endpoint, raw};

/// A server that cuts a connection when a request arrives on it that was idle for longer than this. It takes
/// no byte of that request, as a server whose time limit has just ended.
struct Closing {
    url: String,
    /// The methods of the requests that were taken.
    taken: Arc<Mutex<Vec<String>>>,
    /// How many requests were lost.
    lost: Arc<Mutex<usize>>,
    _serving: JoinSet<()>,
}

impl Closing {
    async fn after(limit: Duration, header: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let (taken, lost) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<Mutex<usize>>::default());
        let (takes, loses) = (Arc::clone(&taken), Arc::clone(&lost));
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let (taken, lost) = (Arc::clone(&takes), Arc::clone(&loses));
                connections.spawn(async move {
                    let mut idle_since = None::<Instant>;
                    while matches!(stream.peek(&mut [0]).await, Ok(1)) {
                        if idle_since.is_some_and(|since| since.elapsed() > limit) {
                            *lost.lock().unwrap() += 1;
                            // Bytes that were not read make the system reset the connection.
                            return;
                        }
                        let Some(message) = read_request(&mut stream).await else { return };
                        taken.lock().unwrap().extend(message["method"].as_str().map(str::to_owned));
                        stream.write_all(answer(&message, header).as_bytes()).await.unwrap();
                        idle_since = Some(Instant::now());
                    }
                });
            }
        });
        Self { url, taken, lost, _serving: serving }
    }

    async fn client(&self) -> Client {
        connect_with(endpoint(&self.url), choosing(EraChoice::Only(Era::Session))).await.0.unwrap()
    }

    fn count(&self, method: &str) -> usize {
        self.taken.lock().unwrap().iter().filter(|taken| *taken == method).count()
    }

    fn lost(&self) -> usize {
        *self.lost.lock().unwrap()
    }
}

/// The message of a request. `Null` if it has none.
async fn read_request(stream: &mut TcpStream) -> Option<Value> {
    let mut bytes = Vec::new();
    let head = loop {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).to_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
    while bytes.len() < head + length {
        stream.read_buf(&mut bytes).await.ok().filter(|read| *read > 0)?;
    }
    Some(serde_json::from_slice(&bytes[head..]).unwrap_or_default())
}

fn answer(message: &Value, header: &str) -> String {
    let result = match message["method"].as_str() {
        None => return format!("HTTP/1.1 405 Method Not Allowed\r\n{header}content-length: 0\r\n\r\n"),
        Some("initialize") => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "s", "version": "1"},
        }),
        Some("tools/list") => json!({"tools": []}),
        Some("tools/call") => json!({"content": []}),
        Some(_) => json!({}),
    };
    if message["id"].is_null() {
        return format!("HTTP/1.1 202 Accepted\r\n{header}content-length: 0\r\n\r\n");
    }
    let body = json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string();
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\n{header}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

async fn call(client: &Client) -> Result<(), RequestError> {
    client.call_tool("x", Some(&raw("{}")), CallOptions::default()).await.map(drop)
}

/// Servers of Node and uvicorn close a connection after 5 s.
#[tokio::test]
async fn connection_that_was_idle_for_seconds_is_not_used_again() {
    let server = Closing::after(Duration::from_millis(4_900), "").await;
    let client = server.client().await;
    call(&client).await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    call(&client).await.unwrap();
    assert_eq!((server.count("tools/call"), server.lost()), (2, 0));
}

#[tokio::test]
async fn announced_time_of_an_idle_connection_is_kept() {
    let server = Closing::after(Duration::from_millis(1_900), "Keep-Alive: timeout=2\r\n").await;
    let client = server.client().await;
    call(&client).await.unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    call(&client).await.unwrap();
    assert_eq!((server.count("tools/call"), server.lost()), (2, 0));
}

/// It is unknown whether the server has taken the call.
#[tokio::test]
async fn call_on_a_connection_that_is_cut_is_never_repeated() {
    let server = Closing::after(Duration::ZERO, "").await;
    let client = server.client().await;
    // A list can be read again on a new connection. That one is cut at the call.
    client.list_tools().await.unwrap();
    let before = (server.count("tools/call"), server.lost());
    let mut cut = 0;
    for _ in 0..4 {
        match call(&client).await {
            Ok(()) => {}
            Err(RequestError::Unreachable { reason }) => {
                cut += 1;
                assert_eq!(reason.as_str(), "the connection was cut");
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(cut > 0, "no call was cut");
    let (taken, lost) = (server.count("tools/call") - before.0, server.lost() - before.1);
    assert_eq!((taken, lost), (4 - cut, cut));
}
