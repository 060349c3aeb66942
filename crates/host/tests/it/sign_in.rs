//! Signing in: a server that requires it, refreshed tokens, and accounts that survive a restart.

use std::path::Path;

use mooring_accounts::SignInOptions;
use mooring_base::server_id::ServerId;
use mooring_connections::{ConnectOptions, Target};
use mooring_errors::HostError;
use mooring_host::{Host, HostOptions};
use mooring_log::LogQuery;
use mooring_oauth::StepObserver;
use mooring_server_state::StateName;
use mooring_testkit::oauth::{OAuthScript, OAuthServer, serve};
use serde_json::json;

use crate::people::{ConsentingBrowser, signing_in, with_another_keychain, with_keychain};
use crate::support::{call, http, ignore_events, options, until, until_state};

pub(crate) async fn sign_in(host: &Host, name: &str) -> Result<mooring_store::LoginRow, HostError> {
    let target = Target::Saved { name: name.to_owned() };
    host.sign_in(target, &SignInOptions::default(), &ConsentingBrowser, StepObserver::new(|_| {})).await
}

/// Opens a window with one server that requires a sign-in, and signs in to it.
async fn signed_in(home: &Path, server: &OAuthServer) -> (Host, ServerId) {
    let host = signing_in(home).await;
    let id = host.add_server(http("berth", &server.resource())).await.unwrap().id;
    until_state(&host, id, StateName::SignInNeeded).await;
    assert!(server.requests_to("/authorize").is_empty(), "a browser was opened by itself");
    sign_in(&host, "berth").await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    (host, id)
}

async fn echo(host: &Host, id: ServerId) -> String {
    let outcome =
        host.call_tool(id, call("echo", &json!({"text": "moored"})), ignore_events()).await.unwrap();
    outcome.error.map_or("moored".to_owned(), |error| error.sentence().to_string())
}

// Requirements: AUTH-02, AUTH-38, AUTH-39, AUTH-43.
#[tokio::test]
async fn sign_in_allows_calls_renews_tokens_and_sign_out_revokes_them() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript { rotates: true, ..OAuthScript::default() }).await;
    let (host, id) = signed_in(home.path(), &server).await;
    assert_eq!(echo(&host, id).await, "moored");

    server.expire_access_tokens();
    assert_eq!(echo(&host, id).await, "moored");
    assert_eq!((server.refresh_count(), server.reused_count()), (1, 0));

    let [account] = &host.accounts().await.unwrap()[..] else { panic!("not one login") };
    assert_eq!((account.login.login.issuer.as_str(), &account.ended), (server.issuer().as_str(), &None));
    let servers: Vec<_> = account.servers.iter().map(|server| (server.id, server.chosen)).collect();
    assert_eq!(servers, [(id, true)]);
    let signed_out = host.sign_out(account.login.id).await.unwrap();
    assert_eq!((signed_out.revoked, signed_out.problem), (true, None));
    assert!(!server.revoked_tokens().is_empty());
    assert!(host.accounts().await.unwrap().is_empty());
    until_state(&host, id, StateName::SignInNeeded).await;
    host.shutdown().await;
}

// Requirements: AUTH-41.
#[tokio::test]
async fn login_is_not_sent_to_a_new_origin_of_its_server() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript::default()).await;
    let other = mooring_testkit::http::serve(mooring_testkit::http::HttpScript::json()).await;
    let (host, id) = signed_in(home.path(), &server).await;
    let login = host.accounts().await.unwrap()[0].login.id;
    host.update_server(id, http("berth", &other.url)).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    // It can't even be chosen, because it is for another origin.
    let before = other.requests().len();
    host.choose_account(id, Some(login)).await.unwrap();
    until(&host, id, "ready anew", |view| {
        view.connection.state == StateName::Ready && other.requests().len() > before
    })
    .await;
    for request in other.requests() {
        assert_eq!(request.header("authorization"), None);
    }
    // The account still exists for its own URL.
    host.update_server(id, http("berth", &server.resource())).await.unwrap();
    until_state(&host, id, StateName::SignInNeeded).await;
    host.choose_account(id, Some(login)).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    assert_eq!(echo(&host, id).await, "moored");
    assert_eq!(server.requests_to("/authorize").len(), 1);
    host.shutdown().await;
}

#[tokio::test]
async fn login_outlives_the_host_and_survives_another_keychain() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript::default()).await;
    let (host, id) = signed_in(home.path(), &server).await;
    host.shutdown().await;

    let host = signing_in(home.path()).await;
    until_state(&host, id, StateName::Ready).await;
    assert_eq!(echo(&host, id).await, "moored");
    assert_eq!(server.requests_to("/authorize").len(), 1);
    host.shutdown().await;

    let options = HostOptions { vault: with_another_keychain, ..options(home.path(), true) };
    let host = Host::open(options).await.unwrap();
    let view = until_state(&host, id, StateName::Locked).await;
    let why = view.connection.failure.unwrap().message.to_string();
    assert!(why.contains("key"), "{why}");
    assert_eq!(host.accounts().await.unwrap().len(), 1);
    host.shutdown().await;

    let host = signing_in(home.path()).await;
    until_state(&host, id, StateName::Ready).await;
    host.shutdown().await;
}

// Requirements: AUTH-38, AUTH-39.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn login_survives_a_concurrent_renewal_by_another_host() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript { rotates: true, ..OAuthScript::default() }).await;
    let (host, id) = signed_in(home.path(), &server).await;
    let command = HostOptions { vault: with_keychain, ..options(home.path(), false) };
    let command = Host::open(command).await.unwrap();
    let target = Target::Saved { name: "berth".to_owned() };
    let connection = command.connect(target, ConnectOptions::default()).await.unwrap();
    let echo_there = async || {
        let outcome =
            connection.call_tool(call("echo", &json!({"text": "moored"})), ignore_events()).await.unwrap();
        outcome.error.map_or("moored".to_owned(), |error| error.sentence().to_string())
    };
    let rounds = 15;
    for round in 0..rounds {
        server.expire_access_tokens();
        let here = futures_util::future::join_all((0..8).map(|_| echo(&host, id)));
        let there = futures_util::future::join_all((0..8).map(|_| echo_there()));
        let (here, there) = tokio::join!(here, there);
        for said in here.into_iter().chain(there) {
            assert_eq!(said, "moored", "in round {round}");
        }
    }
    assert_eq!((server.refresh_count(), server.reused_count()), (rounds, 0));
    connection.close().await;
    command.shutdown().await;
    host.shutdown().await;
}

// Requirements: AUTH-42.
#[tokio::test]
async fn no_token_is_in_the_log_or_in_any_file_of_the_profile() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript { rotates: true, ..OAuthScript::default() }).await;
    let (host, id) = signed_in(home.path(), &server).await;
    echo(&host, id).await;
    server.expire_access_tokens();
    echo(&host, id).await;
    host.flush_log().await;
    assert!(!host.log_page(&LogQuery { limit: 100, ..LogQuery::default() }).await.unwrap().is_empty());
    host.shutdown().await;

    let mut secrets: Vec<String> = Vec::new();
    for request in server.requests_to("/token") {
        let kept = ["code", "code_verifier", "refresh_token"];
        secrets.extend(kept.iter().filter_map(|name| request.parameter(name).map(str::to_owned)));
    }
    for request in server.requests_to("/mcp") {
        let token = request.header("authorization").and_then(|value| value.split_once(' '));
        secrets.extend(token.map(|(_, token)| token.to_owned()));
    }
    assert!(secrets.len() >= 5, "{}", secrets.len());
    let mut files = vec![home.path().to_owned()];
    let mut looked_at = 0;
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        looked_at += 1;
        for secret in &secrets {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "a secret in {}", path.display());
        }
        // Verify that the search works for data that is there.
        if path.ends_with("mooring.db") {
            let issuer = server.issuer();
            assert!(bytes.windows(issuer.len()).any(|window| window == issuer.as_bytes()));
        }
    }
    assert!(looked_at >= 2);
}

#[tokio::test]
async fn only_a_server_behind_an_address_can_be_signed_in_to() {
    let home = tempfile::tempdir().unwrap();
    let host = signing_in(home.path()).await;
    host.add_server(crate::support::scripted("local", &["good"])).await.unwrap();
    let error = sign_in(&host, "local").await.unwrap_err();
    assert!(matches!(&error, HostError::InvalidServer { field: "url", .. }), "{error}");
    host.shutdown().await;
}
