//! Apps over HTTP.

use std::net::TcpListener;
use std::time::Duration;

use mooring_log::{Direction, LogKind, LogQuery};
use mooring_settings::Settings;
use reqwest::header::HeaderMap;
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;

use crate::http_app::{Events, HttpApp, json_of};
use crate::support::{LIMIT, Scene, initialize};

#[tokio::test]
async fn a_session_over_http_does_what_one_at_the_socket_does() {
    let (scene, id) = Scene::with_open_server("s").await;
    let url = scene.open_http().await;
    let mut app = scene.http_app(&format!("{url}/s"), "Editor").await;
    app.begin(json!({"elicitation": {}})).await;
    let mut general = Events::new(app.get(None).await);

    let listed: Value = json_of(app.request(1, "tools/list", json!({})).await).await;
    assert!(listed["result"]["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "echo"));
    let called: Value = json_of(app.call(2, "echo", json!({"text": "x"})).await).await;
    assert_eq!(called["result"]["content"][0]["text"], "x", "{called}");

    // Progress comes before the answer, on the same stream.
    let mut events = Events::new(app.call(3, "progress", json!({"steps": 3})).await);
    for step in 1..=3 {
        let told = events.message().await;
        assert_eq!(
            (&told["params"]["progressToken"], &told["params"]["progress"]),
            (&json!(3), &json!(step))
        );
    }
    assert_eq!(events.message().await["id"], 3);
    assert_eq!(events.next().await, None);

    // A question comes on the stream of the call. The app answers it with a POST of its own.
    let form = json!({"message": "m", "requestedSchema": {"type": "object", "properties": {}}});
    let asking = app.call(4, "ask", json!({"method": "elicitation/create", "params": form})).await;
    let mut events = Events::new(asking);
    let asked = events.message().await;
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let reply = app.send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}})).await;
    assert_eq!(reply.status(), StatusCode::ACCEPTED);
    let answer = events.message().await;
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("decline"), "{answer}");

    scene.host.stop(id).await.unwrap();
    assert_eq!(general.message().await["method"], "notifications/tools/list_changed");
    let ended = app.headed(app.client.delete(&app.url)).send().await.unwrap();
    assert_eq!(ended.status(), StatusCode::NO_CONTENT);
    while general.next().await.is_some() {}
    assert_eq!(app.request(5, "ping", json!({})).await.status(), StatusCode::NOT_FOUND);
    scene.close().await;
}

#[tokio::test]
async fn an_answer_that_was_lost_is_read_on() {
    let (scene, _) = Scene::with_open_server("s").await;
    let url = scene.open_http().await;
    let mut app = scene.http_app(&format!("{url}/s"), "Editor").await;
    app.begin(json!({})).await;
    let arguments = json!({"steps": 20, "milliseconds": 20});
    let mut events = Events::new(app.call(1, "progress", arguments).await);
    let (last, first) = events.next().await.unwrap();
    assert_eq!(first["params"]["progress"], 1);
    drop(events);
    let mut events = Events::new(app.get(Some(&last)).await);
    for step in 2..=20 {
        assert_eq!(events.message().await["params"]["progress"], step);
    }
    assert_eq!(events.message().await["result"]["content"][0]["text"], "done");
    assert_eq!(events.next().await, None);
    // An unknown stream has nothing left, and a malformed id is refused.
    assert_eq!(app.get(Some("99-1")).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(app.get(Some("x")).await.status(), StatusCode::BAD_REQUEST);
    scene.close().await;
}

#[tokio::test]
async fn a_call_that_its_app_cancels_ends_no_session() {
    let (scene, _) = Scene::with_open_server("s").await;
    let url = scene.open_http().await;
    let mut app = scene.http_app(&format!("{url}/s"), "Editor").await;
    app.begin(json!({})).await;
    let calls = LogQuery {
        method: Some("tools/call".to_owned()),
        direction: Some(Direction::Out),
        limit: 1,
        ..LogQuery::default()
    };
    let cancel = async {
        while scene.log_bodies(&calls).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let cancelled =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
        app.send(cancelled).await
    };
    // The cancellation comes before the answer to the call begins.
    let (called, cancelled) = tokio::join!(app.call(1, "never", json!({})), cancel);
    assert_eq!((called.status(), cancelled.status()), (StatusCode::OK, StatusCode::ACCEPTED));
    assert_eq!(Events::new(called).next().await, None);
    let echoed = json_of(app.call(2, "echo", json!({"text": "x"})).await).await;
    assert_eq!(echoed["result"]["content"][0]["text"], "x", "{echoed}");
    scene.close().await;
}

#[tokio::test]
async fn only_programs_with_a_token_are_let_in() {
    let scene = Scene::open().await;
    let url = scene.open_http().await;
    let mut app = scene.http_app(&url, "Editor").await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    for (name, value) in [
        ("host", "example.com"),
        ("host", "127.0.0.1.example.com:80"),
        ("host", "localhost.example.com"),
        ("origin", "https://example.com"),
        ("origin", "http://localhost.example.com"),
        ("origin", "localhost"),
        ("origin", "null"),
    ] {
        let refused = app.post(ping.as_str()).header(name, value).send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::FORBIDDEN, "{name}: {value}");
    }
    // A page that this machine serves needs the token too.
    let local = app.post(ping.as_str()).header("origin", "http://localhost:3000");
    assert_eq!(local.send().await.unwrap().status(), StatusCode::BAD_REQUEST, "there is no session");
    let token = std::mem::replace(&mut app.token, "mooring_wrong".to_owned());
    let unknown = app.post(ping.as_str()).send().await.unwrap();
    assert_eq!(unknown.status(), StatusCode::UNAUTHORIZED);
    // The response doesn't tell the app to sign in somewhere.
    assert_eq!(unknown.headers()["www-authenticate"], "Bearer");
    let bare = app.client.post(&url).body(ping.clone()).send().await.unwrap();
    assert_eq!(bare.status(), StatusCode::UNAUTHORIZED);
    app.token = token;
    app.begin(json!({})).await;
    let mut general = Events::new(app.get(None).await);

    // An app can't use another app's session.
    let mut other = scene.http_app(&url, "Other").await;
    other.session.clone_from(&app.session);
    assert_eq!(other.request(1, "ping", json!({})).await.status(), StatusCode::NOT_FOUND);

    assert!(scene.host.revoke_app_token("Editor").await.unwrap());
    while general.next().await.is_some() {}
    assert_eq!(app.request(1, "ping", json!({})).await.status(), StatusCode::UNAUTHORIZED);
    assert!(!scene.host.revoke_app_token("Editor").await.unwrap());
    scene.close().await;
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_said() {
    let scene = Scene::open().await;
    let url = scene.open_http().await;
    let mut app = scene.http_app(&url, "Editor").await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let sent = async |request: RequestBuilder| request.send().await.unwrap().status().as_u16();
    assert_eq!(sent(app.post(ping.as_str())).await, 400, "no session");
    app.begin(json!({})).await;
    let with = |name: &'static str, value: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        app.post(ping.as_str()).headers(headers)
    };
    assert_eq!(sent(with("accept", "text/html")).await, 406);
    for accepted in ["*/*", "application/json", "text/event-stream", "application/*;q=0.5"] {
        assert_eq!(sent(with("accept", accepted)).await, 200, "{accepted}");
    }
    assert_eq!(sent(with("content-type", "text/plain")).await, 415);
    assert_eq!(sent(with("content-type", "application/json; charset=utf-8")).await, 200);
    assert_eq!(sent(with("mcp-protocol-version", "1999-01-01")).await, 400);
    assert_eq!(sent(with("mcp-protocol-version", "2025-06-18")).await, 200);
    assert_eq!(sent(with("mcp-session-id", "gone")).await, 404);
    assert_eq!(sent(app.post("{\"jsonrpc\":")).await, 400);
    // Longer than usual, and longer than allowed.
    let long = format!("{ping}{}", " ".repeat(5 << 20));
    assert_eq!(sent(app.post(long)).await, 200);
    assert_eq!(sent(app.post("x".repeat(17 << 20))).await, 413);
    assert_eq!(sent(app.client.put(&url).bearer_auth(&app.token)).await, 405);
    let nobody = HttpApp { url: format!("{url}/nobody"), session: None, client: Client::new(), ..app };
    let refused = nobody.request(0, "initialize", initialize("2025-11-25")).await;
    assert_eq!(refused.status(), StatusCode::NOT_FOUND);
    assert!(refused.text().await.unwrap().contains("no server named nobody"));
    scene.close().await;
}

/// Apps that don't quite follow the specification.
#[tokio::test]
async fn apps_are_served_as_they_come() {
    let (scene, _) = Scene::with_open_server("s").await;
    let url = scene.open_http().await;
    let mut app = scene.http_app(&format!("{url}/s"), "Editor").await;
    // The id of an old session, also in the request for a new one. No protocol version, or one that isn't a
    // string.
    app.session = Some("gone".to_owned());
    assert_eq!(app.request(1, "ping", json!({})).await.status(), StatusCode::NOT_FOUND);
    for version in [json!({}), json!({"protocolVersion": 7}), json!({"protocolVersion": "1999-01-01"})] {
        let begun = app.request(0, "initialize", version).await;
        let session = begun.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        let begun = json_of(begun).await;
        assert_eq!(begun["result"]["protocolVersion"], "2025-11-25", "{begun}");
        app.session = Some(session);
        assert_eq!(app.request(1, "ping", json!({})).await.status(), StatusCode::OK);
        app.session = Some("gone".to_owned());
    }
    app.session = None;
    app.begin(json!({})).await;
    // A call of more than a second with progress, for an app that accepts no streams.
    let params = json!({"name": "progress", "arguments": {"steps": 3, "milliseconds": 500}, "_meta": {"progressToken": 1}});
    let call = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params}).to_string();
    let mut headers = HeaderMap::new();
    headers.insert("accept", "application/json".parse().unwrap());
    let called = app.post(call.as_str()).headers(headers).send().await.unwrap();
    assert_eq!(called.headers()["content-type"], "application/json");
    let called = json_of(called).await;
    assert_eq!((&called["id"], &called["result"]["content"][0]["text"]), (&json!(5), &json!("done")));
    // This app would never read a question: it is refused, or waits for the user.
    let mut able = scene.http_app(&format!("{url}/s"), "Able").await;
    able.begin(json!({"elicitation": {}})).await;
    let asks = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "ask", "arguments": {}}});
    let mut headers = HeaderMap::new();
    headers.insert("accept", "application/json".parse().unwrap());
    let asked = able.post(asks.to_string()).headers(headers).send().await.unwrap();
    assert_eq!(json_of(asked).await["id"], 7);
    let mut headers = HeaderMap::new();
    headers.insert("accept", "text/event-stream".parse().unwrap());
    let ping = json!({"jsonrpc": "2.0", "id": 6, "method": "ping"}).to_string();
    let pinged = app.post(ping.as_str()).headers(headers).send().await.unwrap();
    assert_eq!(Events::new(pinged).message().await["id"], 6);
    // All names of this machine work.
    for name in ["localhost", "[::1]"] {
        if name == "[::1]" && TcpListener::bind("[::1]:0").is_err() {
            continue;
        }
        app.url = format!("{url}/s").replace("127.0.0.1", name);
        assert_eq!(app.request(1, "ping", json!({})).await.status(), StatusCode::OK, "{name}");
    }
    scene.close().await;
}

#[tokio::test]
async fn sessions_that_nobody_ends_do_not_pile_up() {
    let scene = Scene::open().await;
    let url = scene.open_http().await;
    let mut other = scene.http_app(&url, "Other").await;
    other.begin(json!({})).await;
    let mut app = scene.http_app(&url, "Editor").await;
    let mut opened = Vec::new();
    for _ in 0..40 {
        app.session = None;
        app.begin(json!({})).await;
        opened.push(app.session.clone());
    }
    let mut alive = 0;
    for session in opened {
        app.session = session;
        alive += u32::from(app.request(1, "ping", json!({})).await.status() == StatusCode::OK);
    }
    assert_eq!(alive, 16);
    // This doesn't affect other apps.
    assert_eq!(other.request(1, "ping", json!({})).await.status(), StatusCode::OK);
    // When HTTP is switched off, no app is served, not even on open connections.
    let off = Settings { apps_port: 0, ..scene.host.settings() };
    scene.host.set_settings(off).await.unwrap();
    let closed = async {
        while app.post("{}").send().await.is_ok_and(|response| response.status() != 503) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LIMIT, closed).await.expect("it still answers");
    // A port that another program uses is refused and not saved.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let settings = Settings { apps_port: port.into(), ..scene.host.settings() };
    let refused = scene.host.set_settings(settings).await.unwrap_err().to_string();
    assert!(refused.contains(&port.to_string()), "{refused}");
    scene.close().await;
}

#[tokio::test]
async fn an_app_over_http_that_never_reads_holds_up_nobody() {
    let (scene, _) = Scene::with_open_server("s").await;
    let url = scene.open_http().await;
    let mut deaf = scene.http_app(&format!("{url}/s"), "Deaf").await;
    deaf.begin(json!({})).await;
    // The answer is larger than what may wait for an app.
    let mut unread = deaf.call(1, "flood", json!({"count": 16_000, "bytes": 1_000})).await;
    let steady = scene.add("steady").await;
    scene.approve(steady).await;
    let mut app = scene.http_app(&format!("{url}/steady"), "Editor").await;
    app.begin(json!({})).await;
    for id in 1..=20 {
        // The answer is JSON, or a stream if the machine is slow.
        let called = app.call(id, "echo", json!({"text": "x"})).await.text().await.unwrap();
        assert!(called.contains(r#""text":"x""#), "{called}");
    }
    // When the server has sent everything, the app can read only a part of it.
    let frames = LogQuery { limit: 1, kinds: vec![LogKind::Frame], ..LogQuery::default() };
    let has_come = async {
        while scene.host.log_count(&frames).await.unwrap() < 16_000 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(LIMIT, has_come).await.expect("the flood does not end");
    let mut bytes = 0;
    while let Ok(Some(chunk)) = timeout(LIMIT, unread.chunk()).await.expect("it goes on for ever") {
        bytes += chunk.len();
    }
    assert!(bytes < 16_000_000, "{bytes} bytes were held");
    // Closing the endpoint ends its sessions.
    let settings = scene.host.settings();
    scene.host.set_settings(Settings { apps_port: 0, ..settings.clone() }).await.unwrap();
    let url = scene.open_http().await;
    app.url = format!("{url}/steady");
    assert_eq!(app.request(30, "ping", json!({})).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(app.get(None).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(app.headed(app.client.delete(&app.url)).send().await.unwrap().status(), StatusCode::NOT_FOUND);
    scene.close().await;
}

/// The most connections that there may be.
const PLACES: usize = 256;

#[tokio::test]
async fn silent_connections_keep_no_app_out_for_long() {
    let (scene, _) = Scene::with_open_server("s").await;
    let url = scene.open_http().await;
    let address = url.trim_start_matches("http://").split('/').next().unwrap().to_owned();
    let mut silent = Vec::new();
    // Some send nothing, some send a part, and some send a request without a token.
    let beginnings = ["", "G", "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n"];
    for beginning in (0..PLACES).map(|at| beginnings[at % beginnings.len()]) {
        let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
        stream.write_all(beginning.as_bytes()).await.unwrap();
        silent.push(stream);
    }
    let mut app = scene.http_app(&format!("{url}/s"), "Editor").await;
    timeout(LIMIT, app.begin(json!({}))).await.expect("the app waits for those that say nothing");
    drop(silent);
    scene.close().await;
}
