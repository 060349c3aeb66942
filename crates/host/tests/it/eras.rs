//! Era negotiation: the person's choice, and the remembered era.

use std::path::Path;

use mooring_base::server_id::ServerId;
use mooring_definitions::{EraOverride, NewServer};
use mooring_errors::{FailureCode, HostError};
use mooring_host::Host;
use mooring_server_state::StateName;
use mooring_testkit::http::{HttpReply, HttpScript, serve};
use mooring_testkit::offers;
use serde_json::{Value, json};

use crate::support::{call, connect, http, ignore_events, open, scripted, until, until_state, window};

/// The methods that the server has received since it started.
async fn seen(host: &Host, id: ServerId) -> Vec<String> {
    let outcome = host.call_tool(id, call("seen", &json!({})), ignore_events()).await.unwrap();
    let result: Value = serde_json::from_str(outcome.result.unwrap().get()).unwrap();
    serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
}

fn asks(file: &Path, answers: &[(&str, Value)]) {
    let mut script = offers::script();
    for (method, line) in answers {
        script.insert((*method).to_owned(), json!([line]));
    }
    std::fs::write(file, serde_json::to_vec(&script).unwrap()).unwrap();
}

// Requirements: ERA-22, ERA-23.
#[tokio::test]
async fn a_server_whose_era_is_known_is_not_asked_for_it_again() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(scripted("s", &["ok"])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    assert_eq!(seen(&host, id).await.first().unwrap(), "server/discover");
    host.restart(id).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    assert_eq!(seen(&host, id).await.first().unwrap(), "initialize");
    host.shutdown().await;

    // Also after the application restarts.
    let host = window(home.path()).await;
    let view = until_state(&host, id, StateName::Ready).await;
    let peer = view.connection.peer.unwrap();
    assert_eq!(peer.era, "session");
    assert_eq!(peer.steps.iter().map(|step| step.request.as_str()).collect::<Vec<_>>(), ["initialize"]);
    assert!(peer.steps[0].elapsed.is_some());
    host.shutdown().await;
}

// Requirements: ERA-23.
#[tokio::test]
async fn a_server_that_changed_its_era_is_asked_anew_once() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("script.json");
    asks(&file, &[]);
    let host = window(home.path()).await;
    let id = host.add_server(scripted("s", &["script", file.to_str().unwrap()])).await.unwrap().id;
    until_state(&host, id, StateName::Ready).await;
    let discovered = offers::response_line(&json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
        "ttlMs": 0, "cacheScope": "private",
    }));
    let gone = offers::error_line(-32601, "method not found");
    asks(&file, &[("initialize", gone), ("server/discover", discovered)]);
    let restarted = async || {
        host.restart(id).await.unwrap();
        let view = until_state(&host, id, StateName::Ready).await;
        let peer = view.connection.peer.unwrap();
        let asked: Vec<String> = peer.steps.into_iter().map(|step| step.request).collect();
        (peer.era, asked)
    };
    let (era, asked) = restarted().await;
    assert_eq!((era.as_str(), asked.last().unwrap().as_str()), ("modern", "server/discover"));
    let (era, asked) = restarted().await;
    assert_eq!((era.as_str(), asked), ("modern", vec!["server/discover".to_owned()]));
    host.shutdown().await;
}

// Requirements: ERA-24.
#[tokio::test]
async fn an_era_that_the_person_chose_is_the_only_one_tried() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let pinned = NewServer { era: EraOverride::Modern, ..scripted("s", &["ok"]) };
    let id = host.add_server(pinned.clone()).await.unwrap().id;
    let view = until_state(&host, id, StateName::Failed).await;
    assert_eq!(view.config.era, EraOverride::Modern);
    let failure = view.connection.failure.unwrap();
    assert_eq!(failure.code, FailureCode::Handshake);
    assert!(format!("{failure:?}").contains("2026-07-28"), "{failure:?}");
    // Failures are not remembered, and changing the choice reconnects.
    host.update_server(id, NewServer { era: EraOverride::Auto, ..pinned.clone() }).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    assert_eq!(seen(&host, id).await.first().unwrap(), "server/discover");
    let session = NewServer { era: EraOverride::Session, ..pinned.clone() };
    host.update_server(id, session).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    assert_eq!(seen(&host, id).await.first().unwrap(), "initialize");
    let impossible = NewServer { era: EraOverride::Sse, name: "t".to_owned(), ..pinned };
    let error = host.add_server(impossible).await.unwrap_err();
    assert!(matches!(error, HostError::InvalidServer { field: "era", .. }), "{error}");
    host.shutdown().await;
}

#[tokio::test]
async fn what_is_remembered_holds_for_commands_too() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    let mut asked = Vec::new();
    for _ in 0..2 {
        let connection = connect(&host, &["ok"]).await.unwrap();
        let peer = connection.view().peer.unwrap();
        asked.push(peer.steps.into_iter().map(|step| step.request).collect::<Vec<_>>());
        connection.close().await;
    }
    assert_eq!(asked, [vec!["server/discover", "initialize"], vec!["initialize"]]);
    host.shutdown().await;
}

/// Responses that don't reveal the server's era.
fn say_nothing() -> [HttpReply; 4] {
    [
        HttpReply::status(503, "busy"),
        HttpReply::status(502, "broken"),
        HttpReply::unauthorized("Bearer"),
        HttpReply::status(403, "not from here"),
    ]
}

/// Restarts a saved server after a response stopped it. Returns its era and the requests that it received.
async fn started_again(host: &Host, id: ServerId) -> (String, Vec<String>) {
    host.restart(id).await.unwrap();
    let view = until_state(host, id, StateName::Ready).await;
    let peer = view.connection.peer.unwrap();
    (peer.era, peer.steps.into_iter().map(|step| step.request).collect())
}

async fn until_at_rest(host: &Host, id: ServerId) {
    let rests = [StateName::Failed, StateName::Reconnecting, StateName::SignInNeeded];
    until(host, id, "at rest", |view| rests.contains(&view.connection.state)).await;
}

// Requirements: ERA-14, ERA-15.
#[tokio::test]
async fn auth_or_overload_during_era_detection_is_not_cached_as_era() {
    let discovered = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
        "ttlMs": 0, "cacheScope": "private",
    });
    for reply in say_nothing() {
        let script = HttpScript::json().without_session().once("server/discover", reply);
        let server = serve(script.on("server/discover", HttpReply::Result(discovered.clone()))).await;
        let home = tempfile::tempdir().unwrap();
        let host = window(home.path()).await;
        let id = host.add_server(http("s", &server.url)).await.unwrap().id;
        until_at_rest(&host, id).await;
        assert_eq!(server.methods(), ["server/discover"], "nothing else was tried");
        // If a session were remembered, `initialize` would be the first request.
        let found = started_again(&host, id).await;
        assert_eq!(found, ("modern".to_owned(), vec!["server/discover".to_owned()]));
        assert!(!server.methods().contains(&"initialize".to_owned()), "{:?}", server.methods());
        host.shutdown().await;
    }
}

// Requirements: ERA-14, ERA-16.
#[tokio::test]
async fn old_server_guarding_only_its_stream_asks_for_sign_in() {
    let missing = || HttpReply::status(404, "no such thing");
    let script = HttpScript::json()
        .without_session()
        .on("server/discover", missing())
        .on("initialize", missing())
        .on("GET", HttpReply::unauthorized("Bearer"));
    let server = serve(script).await;
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(http("s", &server.url)).await.unwrap().id;
    until_at_rest(&host, id).await;
    until_state(&host, id, StateName::SignInNeeded).await;
    host.shutdown().await;
}

// Requirements: ERA-14, ERA-15, ERA-23.
#[tokio::test]
async fn a_login_or_an_overload_takes_nothing_from_what_is_remembered() {
    for reply in say_nothing() {
        let script = HttpScript::json().once("initialize", HttpReply::Usual).once("initialize", reply);
        let server = serve(script).await;
        let home = tempfile::tempdir().unwrap();
        let host = window(home.path()).await;
        let id = host.add_server(http("s", &server.url)).await.unwrap().id;
        until_state(&host, id, StateName::Ready).await;
        host.restart(id).await.unwrap();
        until_at_rest(&host, id).await;
        let found = started_again(&host, id).await;
        assert_eq!(found, ("session".to_owned(), vec!["initialize".to_owned()]));
        let asked = server.methods().iter().filter(|method| *method == "server/discover").count();
        assert_eq!(asked, 1, "{:?}", server.methods());
        host.shutdown().await;
    }
}
