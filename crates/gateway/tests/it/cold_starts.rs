//! What apps see before anything is connected.

use std::path::Path;
use std::time::Duration;

use mooring_host::StateName;
use serde_json::json;

use crate::support::{Scene, initialize};

const KINDS: [&str; 4] = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];

/// What an app gets at a cold start, where nothing is connected yet, is what it gets later: to the byte, so that what a
/// model's provider has cached of a conversation stays good.
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
        // Warm it is the same, and nobody was told of a change.
        app.send(&json!({"jsonrpc": "2.0", "id": 2, "method": KINDS[0], "params": {}})).await;
        assert_eq!(app.line().await, seen[1]);
        assert!(seen[0].contains("Mind the tide.") && seen[3].contains("tide://"), "{seen:?}");
        assert_eq!(first.get_or_insert_with(|| seen.clone()), &seen, "start {start}");
        drop(app);
        scene.reopen().await;
    }
    scene.close().await;
}
