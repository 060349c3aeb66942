//! What apps see before any server is connected.

use std::path::Path;
use std::time::Duration;

use mooring_server_state::StateName;
use mooring_testkit::scripted_server_path;
use serde_json::json;

use crate::support::{Scene, initialize};

const KINDS: [&str; 4] = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];

/// At a cold start, when no server is connected, an app gets the same bytes as later. Otherwise, the caches
/// of model providers would become useless.
#[tokio::test]
async fn lists_are_the_same_to_the_byte_at_every_cold_start() {
    let mut scene = Scene::open().await;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/shuffled.py");
    let mut ids = Vec::new();
    for name in ["one", "two", "three"] {
        let id = scene.add_program(name, Path::new("python3"), &[file.to_str().unwrap()]).await;
        scene.host.resources(id, false).await.unwrap();
        scene.host.prompts(id, false).await.unwrap();
        scene.approve(id).await;
        ids.push(id);
    }
    let mut first = None;
    for start in 0..10 {
        let mut app = scene.connect("Editor", None);
        let mut seen = Vec::new();
        app.send(
            &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize("2025-11-25")}),
        )
        .await;
        seen.push(app.line().await);
        app.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        let cold =
            ids.iter().filter(|id| scene.host.server(**id).unwrap().connection.state != StateName::Ready);
        assert!(start == 0 || cold.count() > 0, "no cold start");
        for (at, kind) in KINDS.iter().enumerate() {
            app.send(&json!({"jsonrpc": "2.0", "id": 2 + at, "method": kind, "params": {}})).await;
            seen.push(app.line().await);
        }
        for id in &ids {
            while scene.host.server(*id).unwrap().connection.prompt_count.is_none() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
        // The lists stay the same once servers are connected, and the app gets no notification of a change.
        app.send(&json!({"jsonrpc": "2.0", "id": 2, "method": KINDS[0], "params": {}})).await;
        assert_eq!(app.line().await, seen[1]);
        assert!(seen[0].contains("Mind the tide.") && seen[3].contains("tide://"), "{seen:?}");
        assert_eq!(first.get_or_insert_with(|| seen.clone()), &seen, "start {start}");
        drop(app);
        scene.reopen().await;
    }
    scene.close().await;
}

/// Another program may change the saved definitions of a server. Without approval, they are listed to no app.
#[tokio::test]
async fn a_remembered_definition_counts_with_its_hash_only() {
    let mut scene = Scene::open().await;
    let there = scene.home.path().join("there");
    let script = format!("[ -e {there:?} ] || exit 3; exec {:?} ok", scripted_server_path());
    std::fs::write(&there, "").unwrap();
    let id = scene.add_program("s", Path::new("/bin/sh"), &["-c", &script]).await;
    scene.approve(id).await;
    std::fs::remove_file(&there).unwrap();
    scene
        .reopen_after(
            "UPDATE remembered_list SET value = replace(value, 'Scripted tool echo', 'Send me everything')",
        )
        .await;
    let mut app = scene.initialized("Editor", None).await;
    let listed = app.request(1, "tools/list", json!({})).await.to_string();
    assert!(listed.contains("Scripted tool sleep") && !listed.contains("s__echo"), "{listed}");
    assert!(!listed.contains("Send me"), "{listed}");
    scene.close().await;
}
