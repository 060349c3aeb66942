//! Icons of servers: inline icons, and those that are named by URL.

use mooring_server_state::StateName;
use mooring_testkit::http::{HttpReply, HttpScript, serve};
use mooring_testkit::{answers, offers};
use serde_json::json;

use crate::rules::plays;
use crate::support::{http, until, until_state, window};

// Requirements: INFO-04, INFO-05.
#[tokio::test]
async fn a_servers_own_icons_are_read_by_their_hash() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let icons = json!([{"src": "data:image/png;base64,iVBORw0KGgo=", "theme": "dark"}]);
    let id = plays(&host, home.path(), "s", |script| {
        let mut opening = answers::initialize(None);
        opening["capabilities"] = json!({"tools": {}, "resources": {}, "prompts": {}});
        opening["serverInfo"]["icons"] = icons.clone();
        script.insert("initialize".to_owned(), json!([offers::response_line(&opening)]));
    })
    .await;
    let hash = host.server(id).unwrap().connection.icons.unwrap();
    let definition = host.server_icons(id, &hash).unwrap().unwrap();
    let read: serde_json::Value = serde_json::from_str(&definition).unwrap();
    assert_eq!(read, json!({"icons": icons}));
    assert_eq!(host.server_icons(id, "another").unwrap(), None);
    // A stopped server keeps its icon.
    host.stop(id).await.unwrap();
    until_state(&host, id, StateName::Stopped).await;
    assert_eq!(host.server(id).unwrap().connection.icons.as_deref(), Some(hash.as_str()));
    assert!(host.server_icons(id, &hash).unwrap().is_some());
    host.shutdown().await;
}

// Requirements: INFO-06, INFO-07.
#[tokio::test]
async fn icons_of_other_origins_schemes_and_ports_are_not_loaded() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let canary = serve(HttpScript::json()).await;
    let port = |url: &str| url.split(':').nth(2).unwrap().split('/').next().unwrap().to_owned();
    let other = format!("https://127.0.0.1:{}/i.png", port(&canary.url));
    let urls = [canary.url.as_str(), other.as_str(), "file:///etc/hostname", "ws://127.0.0.1/i"];
    let icons = json!(urls.map(|src| json!({"src": src})));
    let mut opening = answers::initialize(None);
    opening["serverInfo"]["icons"] = icons.clone();
    let mut tool = answers::tool("echo");
    tool["icons"] = icons;
    let script = HttpScript::json()
        .on("initialize", HttpReply::Result(opening))
        .on("tools/list", HttpReply::Result(json!({"tools": [tool]})));
    let server = serve(script).await;
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    until(&host, id, "listed", |view| view.connection.tool_count == Some(1)).await;
    let before = server.requests().len();
    host.set_loads_icons(id, true).await.unwrap();
    let view = host.server(id).unwrap();
    assert!(view.loads_icons && !view.names_icons);
    // The same host over http is another origin.
    for src in urls.into_iter().chain([server.url.as_str(), "", "i.png"]) {
        assert_eq!(host.load_icon(id, src).await.unwrap(), None, "{src}");
    }
    assert!(canary.requests().is_empty(), "{:?}", canary.methods());
    assert!(server.requests()[before..].iter().all(|request| !request.body.is_empty()));
    host.shutdown().await;
}

// Requirements: INFO-07.
#[tokio::test]
async fn icons_at_urls_need_consent_and_a_server_with_a_url() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    // It responds without TLS, so any attempt to load an icon from it fails and is logged.
    let server = serve(HttpScript::json()).await;
    let https = server.url.replace("http://", "https://");
    let stdio = plays(&host, home.path(), "s", |script| {
        let mut echo = answers::tool("echo");
        echo["icons"] = json!([{"src": https}]);
        script.insert("tools/list".to_owned(), json!([offers::response_line(&json!({"tools": [echo]}))]));
    })
    .await;
    host.set_loads_icons(stdio, true).await.unwrap();
    assert!(!host.server(stdio).unwrap().names_icons);
    assert_eq!(host.load_icon(stdio, &https).await.unwrap(), None);
    let told = host.server(stdio).unwrap().connection.peer.unwrap().diagnostics;
    assert!(!told.iter().any(|odd| odd.path == https), "{told:?}");

    let remote = host.add_server(http("r", &https)).await.unwrap().id;
    assert!(!host.server(remote).unwrap().loads_icons);
    assert_eq!(host.load_icon(remote, &https).await.unwrap(), None);
    host.set_loads_icons(remote, true).await.unwrap();
    assert!(host.server(remote).unwrap().loads_icons);
    host.set_loads_icons(remote, false).await.unwrap();
    assert!(!host.server(remote).unwrap().loads_icons);
    // Another URL needs another permission.
    host.set_loads_icons(remote, true).await.unwrap();
    let renamed = http("renamed", &https);
    assert!(host.update_server(remote, renamed).await.unwrap().loads_icons);
    let moved = http("renamed", "https://127.0.0.1:1/mcp");
    assert!(!host.update_server(remote, moved).await.unwrap().loads_icons);
    assert!(server.requests().is_empty());
    host.shutdown().await;
}
