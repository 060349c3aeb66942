//! Programs that Mooring itself started can't use Mooring.

use std::path::Path;

use mooring_log::LogQuery;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::support::{Scene, initialize};

const SERVER: &str = include_str!("own_server.py");

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_mooring_runs_are_refused_as_apps() {
    let mut scene = Scene::open().await;
    let url = scene.open_http().await;
    let beside = scene.http_app(&url, "editor").await;
    let script = scene.home.path().join("own_server.py");
    std::fs::write(&script, SERVER).unwrap();
    let words = [script.to_str().unwrap(), &url, &beside.token];
    let id = scene.add_program("own", Path::new("python3"), &words).await;
    scene.approve(id).await;
    scene.allow_all().await;

    let mut app = scene.initialized("Editor", Some("own")).await;
    let answer = app.request(1, "tools/call", json!({"name": "reach", "arguments": {}})).await;
    let heard = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    let heard: Value = serde_json::from_str(heard).unwrap();
    let heard = heard.as_object().unwrap();
    assert_eq!(heard.len(), 12, "{heard:#?}");
    let is_refusal = |said: &str| {
        let is_first = said.contains("own servers can’t use Mooring");
        (is_first || said.contains("can’t tell which program")) && !said.contains("\"result\"")
    };
    for (way, said) in heard {
        assert!(is_refusal(said.as_str().unwrap()), "{way}: {heard:#?}");
    }

    // Other apps are served, at the socket and over HTTP.
    assert_eq!(app.request(2, "ping", json!({})).await["result"], json!({}));
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize("2025-11-25")});
    assert_eq!(beside.send(body).await.status(), StatusCode::OK);
    let sent = scene.log_bodies(&LogQuery { limit: 100, ..LogQuery::default() }).await;
    assert!(!sent.iter().any(|body| body.contains("claude-code")), "one was taken for an app");
    scene.close().await;
}
