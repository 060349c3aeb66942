//! Apps that use as much as they can: the shares of other apps stay free.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

use crate::bad_input::{HELLO, connect, message, read_to_end};
use crate::support::{LIMIT, Scene, initialize};

/// The first line of an app with this name.
fn hello(app: &str) -> String {
    HELLO.replace("Raw", app).replace("\"s\"", "null")
}

/// A connection of an app, and the gateway's answer to its first line.
async fn connect_as(scene: &Scene, app: &str) -> (BufReader<UnixStream>, String) {
    let mut stream = BufReader::new(connect(scene).await);
    stream.write_all(hello(app).as_bytes()).await.unwrap();
    let mut answer = String::new();
    timeout(LIMIT, stream.read_line(&mut answer)).await.expect("no answer").unwrap();
    (stream, answer)
}

#[tokio::test]
async fn silent_connections_make_room_for_who_speaks() {
    let mut scene = Scene::open().await;
    let mut silent = Vec::new();
    for number in 0..300 {
        let mut stream = connect(&scene).await;
        // Some send part of a line, which fails if the connection is closed already.
        let _closed = stream.write_all(&HELLO.as_bytes()[..number % 20]).await;
        silent.push(stream);
    }
    let mut app = scene.initialized("Editor", None).await;
    assert_eq!(app.request(1, "ping", json!({})).await["result"], json!({}));
    // The oldest are closed at once, and all of them in time.
    for stream in &mut silent {
        let mut all = Vec::new();
        let _reset = timeout(LIMIT, stream.read_to_end(&mut all)).await.expect("it stays open");
        assert!(all.is_empty());
    }
    assert_eq!(app.request(2, "ping", json!({})).await["result"], json!({}));
    scene.close().await;
}

#[tokio::test]
async fn an_app_with_all_its_connections_is_told_so() {
    let mut scene = Scene::open().await;
    let mut greedy = Vec::new();
    for _ in 0..64 {
        let (stream, answer) = connect_as(&scene, "Greedy").await;
        assert!(answer.contains("\"refused\":null"), "{answer}");
        greedy.push(stream);
    }
    let (_, refused) = connect_as(&scene, "Greedy").await;
    assert!(refused.contains("Greedy has 64 connections already, as many as an app may have"), "{refused}");
    let mut app = scene.initialized("Editor", None).await;
    assert_eq!(app.request(1, "ping", json!({})).await["result"], json!({}));
    // More names don't help: the app with the most connections makes room.
    let mut of_names = Vec::new();
    for number in 0..250 {
        of_names.push(connect_as(&scene, &format!("n{number}")).await);
    }
    let mut other = scene.initialized("Other", None).await;
    assert_eq!(other.request(1, "ping", json!({})).await["result"], json!({}));
    // A connection that ends frees its place.
    drop((greedy, of_names));
    let again = async {
        while !connect_as(&scene, "Greedy").await.1.contains("\"refused\":null") {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LIMIT, again).await.unwrap();
    scene.close().await;
}

#[tokio::test]
async fn a_peer_that_dies_in_its_first_line_leaves_its_place() {
    let mut scene = Scene::open().await;
    for length in 0..HELLO.len() {
        let mut stream = connect(&scene).await;
        let _closed = stream.write_all(&HELLO.as_bytes()[..length]).await;
    }
    // An endless first line keeps no place either.
    let mut endless = connect(&scene).await;
    let _closed = endless.write_all(&vec![b'x'; 1 << 20]).await;
    assert_eq!(read_to_end(&mut endless).await, "");
    let mut app = scene.initialized("Editor", None).await;
    assert_eq!(app.request(1, "ping", json!({})).await["result"], json!({}));
    scene.close().await;
}

/// How long it takes until a ping is answered that follows this flood.
async fn time_of(scene: &Scene, app: &str, revision: &str, flood: String) -> Duration {
    let (stream, _) = connect_as(scene, app).await;
    let (from, mut to) = stream.into_inner().into_split();
    let began = Instant::now();
    let begin = message(0, "initialize", &initialize(revision));
    let ping = message(7, "ping", &json!({}));
    let (written, ()) = tokio::join!(
        async move {
            to.write_all(format!("{begin}{flood}{ping}").as_bytes()).await?;
            Ok::<_, std::io::Error>(to)
        },
        async {
            let mut lines = BufReader::new(from).lines();
            let answered = async {
                while let Some(line) = lines.next_line().await.unwrap() {
                    if line.contains("\"id\":7") {
                        return;
                    }
                }
                panic!("{app} was disconnected");
            };
            timeout(LIMIT * 4, answered).await.unwrap_or_else(|_| panic!("{app} has no answer"));
        }
    );
    written.unwrap();
    began.elapsed()
}

#[tokio::test]
async fn whatever_an_app_sends_counts() {
    let mut scene = Scene::open().await;
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;
    let response = r#"{"jsonrpc":"2.0","id":"x","result":{}}"#;
    let batch = format!("[{}]\n", vec![notification; 3_000].join(","));
    let floods = [
        ("garbage", "nonsense\n".repeat(3_000)),
        ("blank", "\n".repeat(3_000)),
        ("notifications", format!("{notification}\n").repeat(3_000)),
        ("responses", format!("{response}\n").repeat(3_000)),
        ("refused", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}\n".repeat(3_000)),
        ("batch", batch),
        ("bytes", format!("{}\n", " ".repeat(4 << 20)).repeat(8)),
    ];
    for (name, flood) in floods {
        // The first 2,000 messages are free, then 1,000 a second; for bytes, it is 16 MiB and 16 MiB a
        // second.
        let took = time_of(&scene, name, "2025-03-26", flood).await;
        assert!(took >= Duration::from_millis(900), "{name}: {took:?}");
    }
    // This doesn't affect another app.
    let mut app = scene.initialized("Editor", None).await;
    assert_eq!(app.request(1, "ping", json!({})).await["result"], json!({}));
    scene.close().await;
}

/// A connection over HTTP that has sent this text.
async fn sent(url: &str, text: &str) -> TcpStream {
    let address = url.trim_start_matches("http://").split('/').next().unwrap().to_owned();
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

/// The first part of the answer.
async fn answer(stream: &mut TcpStream) -> String {
    let mut answer = vec![0; 4_096];
    let read = timeout(LIMIT, stream.read(&mut answer)).await.expect("no answer");
    String::from_utf8_lossy(&answer[..read.unwrap_or(0)]).into_owned()
}

fn post(token: &str, length: usize, body: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

#[tokio::test]
async fn idle_connections_over_http_make_room() {
    let scene = Scene::open().await;
    let url = scene.open_http().await;
    let greedy = scene.http_app(&url, "Greedy").await;
    let mut idle = Vec::new();
    for _ in 0..256 {
        let mut stream = sent(&url, &post(&greedy.token, 2, "{}")).await;
        assert!(answer(&mut stream).await.starts_with("HTTP/1.1 400"));
        idle.push(stream);
    }
    let mut app = scene.http_app(&url, "Editor").await;
    timeout(LIMIT, app.begin(json!({}))).await.expect("the app waits for those that are idle");
    // Those that were idle the longest are closed. At most as many as an app may have stay open.
    let mut open = 0;
    for stream in &mut idle {
        let mut one = [0];
        let read = timeout(Duration::from_millis(1), stream.read(&mut one)).await;
        open += usize::from(read.is_err());
    }
    assert!((1..=64).contains(&open), "{open}");
    scene.close().await;
}

#[tokio::test]
async fn half_bodies_hold_up_no_other_app() {
    let scene = Scene::open().await;
    let url = scene.open_http().await;
    let greedy = scene.http_app(&url, "Greedy").await;
    let half = post(&greedy.token, 3_900_000, &"x".repeat(50_000));
    let mut hanging = tokio::task::JoinSet::new();
    for _ in 0..70 {
        let mut stream = sent(&url, &half).await;
        hanging.spawn(async move { answer(&mut stream).await });
    }
    // Connections above the limit are refused with a reason.
    for _ in 0..6 {
        let refused = hanging.join_next().await.unwrap().unwrap();
        let full = "Greedy has 64 connections already, as many as an app may have";
        assert!(refused.starts_with("HTTP/1.1 503") && refused.contains(full), "{refused}");
    }
    let mut app = scene.http_app(&url, "Editor").await;
    timeout(LIMIT, app.begin(json!({}))).await.expect("the app waits for half bodies");
    // Bodies that don't arrive in time are refused with a reason.
    let late = hanging.join_next().await.unwrap().unwrap();
    assert!(late.starts_with("HTTP/1.1 408") && late.contains("did not come whole"), "{late}");
    scene.close().await;
}

#[tokio::test]
async fn a_refusal_reaches_an_app_that_is_still_sending() {
    let scene = Scene::open().await;
    let url = scene.open_http().await;
    for _ in 0..5 {
        let body = " ".repeat(3_900_000);
        let mut stream = sent(&url, &post("wrong", body.len(), &body)).await;
        assert!(answer(&mut stream).await.starts_with("HTTP/1.1 401"));
    }
    scene.close().await;
}

#[tokio::test]
async fn connections_without_a_token_make_room() {
    let scene = Scene::open().await;
    let url = scene.open_http().await;
    let mut half = Vec::new();
    for _ in 0..400 {
        half.push(sent(&url, "POST /mcp HTTP/1.1\r\nhost: localhost\r\n").await);
    }
    let mut app = scene.http_app(&url, "Editor").await;
    timeout(LIMIT, app.begin(json!({}))).await.expect("the app waits for those without a token");
    let mut all = String::new();
    let _reset = timeout(LIMIT, half[0].read_to_string(&mut all)).await.expect("the oldest stays");
    drop(half);
    scene.close().await;
}

#[tokio::test]
async fn names_that_nobody_allowed_leave_nothing() {
    let (scene, _) = Scene::with_open_server("s").await;
    for number in 0..80 {
        let (mut stream, _) = connect_as(&scene, &format!("n{number}")).await;
        stream.write_all(message(0, "initialize", &initialize("2025-11-25")).as_bytes()).await.unwrap();
        let mut line = String::new();
        timeout(LIMIT, stream.read_line(&mut line)).await.expect("no answer").unwrap();
    }
    // Names without permission leave no traces.
    assert!((0..80).all(|at| scene.host.app_access(&format!("n{at}")).used_at_us.is_none()));
    scene.close().await;
}
