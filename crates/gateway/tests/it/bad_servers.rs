//! Servers that die, hang, or send unexpected messages, while apps keep using Mooring.

use std::path::Path;

use mooring_host::Host;
use mooring_testkit::scripted_server_path;
use serde_json::{Value, json};

use crate::support::{App, Scene, options, program_server};

async fn echo(app: &mut App, id: u32, tool: &str) -> Value {
    app.request(id, "tools/call", json!({"name": tool, "arguments": {"text": "x"}})).await["result"].clone()
}

fn is_echo(result: &Value) -> bool {
    result["content"][0]["text"] == "x"
}

#[tokio::test]
async fn a_server_that_dies_ends_its_calls_in_words_and_no_other() {
    let (mut scene, id) = Scene::with_open_server("mortal").await;
    let steady = scene.add("steady").await;
    scene.approve(steady).await;
    let mut app = scene.initialized("Editor", None).await;
    let mut other = scene.initialized("Other", None).await;
    for (round, crash) in ["crash", "crash_half"].into_iter().enumerate() {
        let number = 10 * u32::try_from(round).unwrap();
        // One call waits at this server and one at the other. Then this server dies.
        app.call(number + 1, "mortal__never", json!({})).await;
        other.call(number + 2, "steady__never", json!({})).await;
        assert!(is_echo(&echo(&mut app, number + 3, "mortal__echo").await));
        other.call(number + 4, &format!("mortal__{crash}"), json!({})).await;
        for answer in [app.answer(number + 1).await, other.answer(number + 4).await] {
            assert_eq!(answer["result"]["isError"], true, "{answer}");
            let said = answer["result"]["content"][0]["text"].as_str().unwrap();
            assert!(said.contains("mortal"), "{said}");
        }
        assert!(is_echo(&echo(&mut other, number + 5, "steady__echo").await));
        // The server restarts by itself, and a call waits for it.
        assert!(is_echo(&echo(&mut app, number + 6, "mortal__echo").await));
        let params = json!({"requestId": number + 2});
        other.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
    }
    // The error names a server that the user stopped.
    scene.host.stop(id).await.unwrap();
    let gone =
        app.request(90, "tools/call", json!({"name": "mortal__echo", "arguments": {"text": "x"}})).await;
    assert!(gone["error"]["message"].as_str().unwrap().contains("mortal__echo"), "{gone}");
    scene.close().await;
}

#[tokio::test]
async fn what_a_server_says_to_nobody_reaches_nobody() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let mut app = scene.initialized("Editor", Some("s")).await;
    let mut other = scene.initialized("Other", Some("s")).await;
    other.call(7, "never", json!({})).await;
    assert!(is_echo(&echo(&mut other, 8, "echo").await));
    let result = r#"{"content":[{"type":"text","text":"mine"}]}"#;
    let own = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#);
    let lines = [
        // Answers to unknown requests, progress of unknown calls, and the answer twice.
        r#"{"jsonrpc":"2.0","id":123456,"result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":"7","result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"nobody's"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://never-followed"}}"#,
        &own,
        &own,
    ];
    app.call(7, "raw", json!({ "lines": lines })).await;
    let answer = app.receive().await;
    assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!(7), &json!("mine")));
    // Neither app receives anything else.
    for app in [&mut app, &mut other] {
        app.send(&json!({"jsonrpc": "2.0", "id": 20, "method": "ping"})).await;
        let next = app.receive().await;
        assert_eq!((&next["id"], &next["result"]), (&json!(20), &json!({})), "{next}");
    }
    scene.close().await;
}

#[tokio::test]
async fn a_server_that_hangs_delays_no_list_and_no_other_call() {
    let (mut scene, _) = Scene::with_open_server("s").await;
    let hanging = program_server("hangs", &scripted_server_path(), &["hang"]);
    let hanging = scene.host.add_server(hanging).await.unwrap();
    let mut app = scene.initialized("Editor", None).await;
    let began = std::time::Instant::now();
    assert!(app.tools().await.contains(&"s__echo".to_owned()));
    assert!(is_echo(&echo(&mut app, 1, "s__echo").await));
    // Far less than the time limit for a server that starts.
    assert!(began.elapsed() < std::time::Duration::from_secs(5), "{:?}", began.elapsed());
    assert!(scene.host.server(hanging.id).unwrap().connection.tool_count.is_none());
    scene.close().await;
}

#[tokio::test]
async fn a_call_is_behind_no_other_server_that_starts() {
    /// At eight starts a second, these take eight seconds.
    const OTHERS: usize = 64;
    let mut scene = Scene::open().await;
    let started = scene.home.path().join("started");
    let starts = format!("echo >> '{}'; exec sleep 600", started.display());
    for number in 0..OTHERS {
        let name = format!("silent{number}");
        let server = program_server(&name, Path::new("sh"), &["-c", &starts]);
        scene.host.add_server(server).await.unwrap();
    }
    let id = scene.add("s").await;
    scene.approve(id).await;
    scene.allow_all().await;
    scene.host.shutdown().await;
    std::fs::write(&started, "").unwrap();

    scene.host = Host::open(options(scene.home.path())).await.unwrap();
    scene.listen();
    let mut app = scene.initialized("Editor", None).await;
    assert!(is_echo(&echo(&mut app, 1, "s__echo").await));
    let started = std::fs::read_to_string(&started).unwrap().lines().count();
    assert!(started > 0 && started < OTHERS, "{started} others were started before");
    scene.close().await;
}
