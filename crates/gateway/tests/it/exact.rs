//! Messages of servers reach an app byte by byte, and an app that doesn't read delays no other.

use std::path::Path;
use std::time::{Duration, Instant};

use mooring_app_key::Challenge;
use mooring_server_state::StateName;
use mooring_testkit::scripted_server_path;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::time::timeout;

use crate::support::{LIMIT, Scene, initialize};

/// Makes the server send exactly these members as the answer, and returns the line that the app receives.
async fn answered_with(scene: &mut Scene, members: &str) -> String {
    let mut app = scene.initialized("Editor", Some("s")).await;
    let line = format!(r#"{{"jsonrpc":"2.0","id":$ID,{members}}}"#);
    app.call(7, "raw", json!({ "lines": [line] })).await;
    loop {
        let line = app.line().await;
        if line.contains(r#""id":7"#) {
            return line;
        }
    }
}

#[tokio::test]
async fn results_and_errors_pass_to_the_byte() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    for members in [
        r#""result":{"content":[{"type":"text","text":"\u0041\/ä"}],"structuredContent":{"n":1.0e1,"big":12345678901234567890.123}}"#,
        r#""result":{"content":[{"type":"hologram","data":[1.50,-0]}],"_meta":{"com.example/x":null},"new":true}"#,
        r#""result":{"content":[],"isError":true}"#,
        r#""error":{"code":-32603,"message":"m","data":{"a":1.0}}"#,
        r#""error":{"code":7,"message":"ü"}"#,
    ] {
        let line = answered_with(&mut scene, members).await;
        assert_eq!(line.trim_end(), format!(r#"{{"jsonrpc":"2.0","id":7,{members}}}"#));
    }
    scene.close().await;
}

#[tokio::test]
async fn an_app_that_never_reads_is_disconnected_alone() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let socket = scene.home.path().join("gateway.sock");
    let mut deaf = BufReader::new(UnixStream::connect(socket).await.unwrap());
    let key = scene.add_app("Deaf").await;
    let hello = json!({"mooring": 1, "app": {"app": "Deaf", "server": "s", "key": key.public()}});
    deaf.write_all(format!("{hello}\n").as_bytes()).await.unwrap();
    let mut asked = String::new();
    deaf.read_line(&mut asked).await.unwrap();
    let asked: Value = serde_json::from_str(&asked).unwrap();
    let asked = Challenge { nonce: asked["challenge"].as_str().unwrap(), listener: std::process::id() };
    let mut say = json!({"mooring": 1, "signed": key.sign(asked)}).to_string() + "\n";
    let message = |id: u32, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n"
    };
    say += &message(0, "initialize", initialize("2025-11-25"));
    for id in 1..=12 {
        say += &message(id, "tools/call", json!({"name": "huge", "arguments": {"bytes": 1 << 20}}));
    }
    deaf.write_all(say.as_bytes()).await.unwrap();
    // Another app is served meanwhile.
    let mut app = scene.initialized("Editor", Some("s")).await;
    let closed = async {
        while deaf.write_all(b"\n").await.is_ok() {
            assert_eq!(app.request(1, "ping", json!({})).await["result"], json!({}));
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(LIMIT, closed).await.expect("it is still connected");
    let called = app.request(2, "tools/call", json!({"name": "echo", "arguments": {"text": "x"}})).await;
    assert_eq!(called["result"]["content"][0]["text"], "x", "{called}");
    scene.close().await;
}

#[tokio::test]
async fn tools_of_a_server_that_starts_are_listed_and_wait_for_it() {
    let (mut scene, id) = Scene::with_open_server_like("s", &["slow-start", "1000"]).await;
    let mut app = scene.initialized("Editor", None).await;
    let definition = async |app: &mut crate::support::App| {
        let listed = app.request(1, "tools/list", json!({})).await;
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        tools.into_iter().find(|tool| tool["name"] == "s__echo")
    };
    let connected = definition(&mut app).await.unwrap();
    scene.host.stop(id).await.unwrap();
    app.notification("notifications/tools/list_changed").await;
    assert_eq!(definition(&mut app).await, None, "the person has stopped it");
    scene.host.start(id).await.unwrap();
    let state = || scene.host.server(id).unwrap().connection.state;
    while state() == StateName::Stopped {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(state(), StateName::Starting);
    assert_eq!(definition(&mut app).await.as_ref(), Some(&connected));
    let called = app.request(2, "tools/call", json!({"name": "s__echo", "arguments": {"text": "x"}})).await;
    assert_eq!(called["result"]["content"][0]["text"], "x", "{called}");
    scene.close().await;
}

/// A server that is away stays in the lists of apps. A call reports what is wrong, and the first call after
/// it is back works.
#[tokio::test]
async fn a_server_that_is_away_stays_listed_and_returns_with_a_call() {
    let mut scene = Scene::open().await;
    let (there, script) = (scene.home.path().join("there"), scene.home.path().join("server.sh"));
    std::fs::write(&there, "").unwrap();
    let scripted = scripted_server_path();
    let lines = format!(
        "[ -e {there:?} ] || {{ echo 'Error: no tide' >&2; echo '    at sea' >&2; exit 3; }}\nexec {scripted:?} ok\n"
    );
    std::fs::write(&script, lines).unwrap();
    let id = scene.add_program("s", Path::new("/bin/sh"), &[script.to_str().unwrap()]).await;
    scene.approve(id).await;
    scene.allow_all().await;
    let mut app = scene.initialized("Editor", None).await;
    let listed = app.request(1, "tools/list", json!({})).await["result"]["tools"].clone();
    assert!(listed.as_array().is_some_and(|tools| !tools.is_empty()), "{listed}");

    std::fs::remove_file(&there).unwrap();
    app.request(2, "tools/call", json!({"name": "s__crash", "arguments": {}})).await;
    let call = json!({"name": "s__echo", "arguments": {"text": "x"}});
    for at in 0..3 {
        let asked = Instant::now();
        let called = app.request(10 + at, "tools/call", call.clone()).await;
        let words = called["result"]["content"][0]["text"].as_str().unwrap_or_default();
        assert!(words.contains("Error: no tide") && words.contains("server “s”"), "{called}");
        assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    }
    assert_eq!(app.request(20, "tools/list", json!({})).await["result"]["tools"], listed);
    // Failed attempts don't make a call wait longer for the next one.
    std::fs::write(&there, "").unwrap();
    let asked = Instant::now();
    let called = app.request(21, "tools/call", call).await;
    assert_eq!(called["result"]["content"][0]["text"], "x", "{called}");
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
    scene.close().await;
}

#[tokio::test]
async fn a_result_that_was_too_large_is_no_success() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.initialized("Editor", Some("s")).await;
    let called =
        app.request(1, "tools/call", json!({"name": "huge", "arguments": {"bytes": 17 << 20}})).await;
    assert_eq!(called["result"]["isError"], true, "{}", &called.to_string()[..200]);
    scene.close().await;
}
