//! Apps that send what no app should send. Each harms only itself.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use mooring_testkit::as_another_user;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::time::timeout;

use crate::http_app::{Events, json_of};
use crate::support::{LIMIT, Scene, initialize};

/// The first line of an app's connection to the socket.
pub(crate) const HELLO: &str = "{\"mooring\":1,\"app\":{\"app\":\"Raw\",\"server\":\"s\"}}\n";

/// A connection to the gateway's socket without a bridge.
pub(crate) async fn connect(scene: &Scene) -> UnixStream {
    UnixStream::connect(scene.home.path().join("gateway.sock")).await.unwrap()
}

pub(crate) fn message(id: u32, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n"
}

/// Reads until the gateway closes the connection.
pub(crate) async fn read_to_end(stream: &mut UnixStream) -> String {
    let mut all = String::new();
    timeout(LIMIT, stream.read_to_string(&mut all)).await.expect("it stays open").unwrap();
    all
}

#[tokio::test]
async fn ids_of_any_kind_come_back_as_they_were_sent() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.initialized("Editor", Some("s")).await;
    let long = format!("\"{}\"", "x".repeat(100_000));
    for id in [
        "0",
        "-1",
        "1.0",
        "1e2",
        "-0",
        "12345678901234567890123",
        "\"\"",
        "\"1\"",
        "\"\\u0061\\n\"",
        "\"é\"",
        &long,
    ] {
        for call in [
            r#""method":"ping""#,
            r#""method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}"#,
            r#""method":"no/such""#,
        ] {
            app.send_text(&format!(r#"{{"jsonrpc":"2.0","id":{id},{call}}}"#)).await;
            let line = app.line().await;
            assert!(line.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"#)), "{call}: {line:.200}");
        }
    }
    for id in ["null", "true", "{}", "[1]", r#"{"a":1}"#] {
        app.send_text(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)).await;
        let refused = app.receive().await;
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32600)), "{id}");
    }
    assert_eq!(app.request(1, "ping", json!({})).await["result"], json!({}));
    scene.close().await;
}

#[tokio::test]
async fn an_id_in_use_is_refused_and_a_cancelled_one_is_free() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.initialized("Editor", Some("s")).await;
    app.call(7, "never", json!({})).await;
    // The first call has reached the server when a later one is answered.
    app.call(6, "echo", json!({"text": "x"})).await;
    app.answer(6).await;
    app.call(7, "echo", json!({"text": "x"})).await;
    let refused = app.answer(7).await;
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    // Ids that were cancelled already or never used have no effect.
    for id in [json!(7), json!(7), json!(8), json!("7"), json!(null), json!({}), json!([7])] {
        let params = json!({"requestId": id, "reason": "no longer"});
        app.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
    }
    app.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled"})).await;
    app.call(7, "echo", json!({"text": "again"})).await;
    assert_eq!(app.answer(7).await["result"]["content"][0]["text"], "again");
    let params = json!({"requestId": 7});
    app.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
    let cancelled = app.request(9, "tools/call", json!({"name": "cancelled", "arguments": {}})).await;
    let told: Value =
        serde_json::from_str(cancelled["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(told.as_array().map(Vec::len), Some(1), "the server heard of more: {told}");
    scene.close().await;
}

#[tokio::test]
async fn a_batch_is_answered_in_its_revision_and_refused_elsewhere() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let echo = r#"{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}"#;
    let ping = r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#;
    let batch = format!(r#"[{ping},{echo},{{"jsonrpc":"2.0","method":"notifications/other"}},7,[{ping}]]"#);
    let mut newer = scene.initialized("Newer", Some("s")).await;
    newer.send_text(&batch).await;
    assert_eq!(newer.receive().await["error"]["code"], -32600);

    let mut app = scene.connect("Editor", Some("s"));
    let begun = app.request(0, "initialize", initialize("2025-03-26")).await;
    assert_eq!(begun["result"]["protocolVersion"], "2025-03-26");
    app.send_text(&batch).await;
    let mut answers = Vec::new();
    for _ in 0..4 {
        answers.push(app.receive().await);
    }
    let of = |id: Value| answers.iter().filter(|answer| answer["id"] == id).collect::<Vec<_>>();
    assert_eq!(of(json!("a"))[0]["result"], json!({}));
    assert_eq!(of(json!("b"))[0]["result"]["content"][0]["text"], "x");
    assert!(of(Value::Null).iter().all(|refused| refused["error"]["code"] == -32600), "{answers:?}");
    // An empty batch is an invalid request (JSON-RPC, section 6).
    app.send_text("[]").await;
    assert_eq!(app.receive().await["error"]["code"], -32600);

    // Over HTTP, the answers come as a stream.
    let url = scene.open_http().await;
    let mut app = scene.http_app(&format!("{url}/s"), "Editor").await;
    let response = app.request(0, "initialize", initialize("2025-03-26")).await;
    app.session = Some(response.headers()["mcp-session-id"].to_str().unwrap().to_owned());
    assert_eq!(json_of(response).await["result"]["protocolVersion"], "2025-03-26");
    let mut events = Events::new(app.post(format!("[{ping},{echo}]")).send().await.unwrap());
    let mut ids = vec![events.message().await["id"].clone(), events.message().await["id"].clone()];
    ids.sort_by_key(Value::to_string);
    assert_eq!((ids, events.next().await), (vec![json!("a"), json!("b")], None));
    scene.close().await;
}

#[tokio::test]
async fn an_app_that_floods_is_slowed_down_alone() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.initialized("Editor", Some("s")).await;
    // Requests above the limit are refused. Those that run are not affected.
    let mut greedy = scene.initialized("Greedy", Some("s")).await;
    for id in 1..=200 {
        greedy.call(id, "never", json!({})).await;
    }
    for _ in 0..200 - 64 {
        let refused = greedy.receive().await;
        assert_eq!(refused["error"]["code"], -32000, "{refused}");
    }
    assert_eq!(app.request(1, "ping", json!({})).await["result"], json!({}));
    drop(greedy);

    // The usual time of a call, without a flood.
    let mut usual = Duration::from_millis(100);
    for id in 100..130 {
        let began = Instant::now();
        app.request(id, "tools/call", json!({"name": "echo", "arguments": {"text": "x"}})).await;
        usual = usual.max(began.elapsed());
    }

    // This app sends without end, and reads everything that it gets in return.
    let (mut from, mut to) = connect(&scene).await.into_split();
    to.write_all(format!("{HELLO}{}", message(0, "initialize", &initialize("2025-11-25"))).as_bytes())
        .await
        .unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(async move { tokio::io::copy(&mut from, &mut tokio::io::sink()).await.map(drop) });
    tasks.spawn(async move {
        let line = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\nnonsense\n[]\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";
        let lines = line.repeat(1_000);
        loop {
            to.write_all(lines.as_bytes()).await?;
        }
    });
    let mut slowest = Duration::ZERO;
    for id in 2..=30 {
        let began = Instant::now();
        let called = app.request(id, "tools/call", json!({"name": "echo", "arguments": {"text": "x"}})).await;
        assert_eq!(called["result"]["content"][0]["text"], "x", "{called}");
        slowest = slowest.max(began.elapsed());
    }
    assert!(tasks.try_join_next().is_none(), "the flood has ended by itself");
    assert!(slowest < usual * 50, "{slowest:?} beside {usual:?} without the flood");
    scene.close().await;
}

#[tokio::test]
async fn half_a_message_is_none_and_holds_up_nobody() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let file = scene.home.path().join("ran");
    let call = message(1, "tools/call", &json!({"name": "append", "arguments": {"file": file, "text": "x"}}));
    let begun = format!("{HELLO}{}", message(0, "initialize", &initialize("2025-11-25")));
    // This one stays connected and sends nothing more.
    let mut silent = connect(&scene).await;
    silent.write_all(format!("{begun}{}", &call[..call.len() / 2]).as_bytes()).await.unwrap();
    for said in [
        String::new(),
        HELLO[..20].to_owned(),
        format!("{begun}{}", call.trim_end()),
        format!("{begun}{}", &call[..call.len() / 2]),
    ] {
        let mut app = connect(&scene).await;
        app.write_all(said.as_bytes()).await.unwrap();
        app.shutdown().await.unwrap();
        let answered = read_to_end(&mut app).await;
        assert!(!answered.contains("\"id\":1"), "{said}: {answered}");
    }
    // A first line that isn't a hello gets an error.
    let mut other = connect(&scene).await;
    other.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    assert!(read_to_end(&mut other).await.contains("gateway"));

    // Half a body over HTTP.
    let url = scene.open_http().await;
    let app = scene.http_app(&url, "Editor").await;
    let port = url.rsplit(':').next().unwrap().split('/').next().unwrap().parse::<u16>().unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{{\"jsonrpc\"",
        app.token
    );
    let mut hanging = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    hanging.write_all(head.as_bytes()).await.unwrap();
    let mut ended = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    ended.write_all(head.as_bytes()).await.unwrap();
    ended.shutdown().await.unwrap();
    assert_eq!(app.request(0, "initialize", initialize("2025-11-25")).await.status(), 200);

    let mut app = scene.initialized("Editor", Some("s")).await;
    assert_eq!(app.request(1, "ping", json!({})).await["result"], json!({}));
    assert!(!file.exists(), "half a call has run");
    drop((silent, hanging));
    scene.close().await;
}

/// What a process of another user reads from a socket. `None` if the test can't start such a process.
async fn heard_by_another_user(socket: &Path) -> Option<std::io::Result<String>> {
    let socket = socket.to_owned();
    let say = move || {
        let mut stream = std::os::unix::net::UnixStream::connect(socket)?;
        // The gateway may have closed the connection already.
        let _refused = stream.write_all(HELLO.replace("\"s\"", "null").as_bytes());
        let mut answer = String::new();
        let _reset = stream.read_to_string(&mut answer);
        Ok(answer)
    };
    let heard = tokio::task::spawn_blocking(move || as_another_user(say));
    timeout(LIMIT, heard).await.expect("it stays open").unwrap()
}

#[tokio::test]
async fn a_process_of_another_user_is_not_served() {
    let mut scene = Scene::open().await;
    let socket = scene.home.path().join("gateway.sock");
    let Some(kept_out) = heard_by_another_user(&socket).await else { return scene.close().await };
    assert_eq!(kept_out.unwrap_err().kind(), std::io::ErrorKind::PermissionDenied, "the folder is open");
    for path in [scene.home.path(), &socket] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
    }
    assert_eq!(heard_by_another_user(&socket).await.unwrap().unwrap(), "", "it was answered");
    let mut app = scene.initialized("Editor", None).await;
    assert_eq!(app.request(1, "ping", json!({})).await["result"], json!({}));
    scene.close().await;
}

#[tokio::test]
async fn an_app_says_nothing_to_a_socket_of_another_user() {
    let mut scene = Scene::open().await;
    scene.tasks.shutdown().await;
    let folder = scene.home.path().to_owned();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    let (heard, hears) = std::sync::mpsc::sync_channel(1);
    let listening = tokio::task::spawn_blocking(move || {
        as_another_user(move || {
            let listener = std::os::unix::net::UnixListener::bind(folder.join("gateway.sock")).unwrap();
            heard.send(String::new()).unwrap();
            let mut said = String::new();
            listener.accept().unwrap().0.read_to_string(&mut said).unwrap();
            said
        })
    });
    let has_begun = tokio::task::spawn_blocking(move || hears.recv());
    if has_begun.await.unwrap().is_ok() {
        let mut app = scene.connect("Editor", None);
        let refused = app.request(1, "ping", json!({})).await;
        assert!(refused["error"]["message"].as_str().unwrap().contains("another user"), "{refused}");
        assert_eq!(listening.await.unwrap().unwrap(), "", "the app said something");
    }
    scene.close().await;
}
