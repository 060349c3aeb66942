//! Our OAuth clients: registrations that the server forgets, clients that the person enters for one issuer,
//! and keys that another process changes in the meantime.

use std::path::Path;

use mooring_accounts::SignInOptions;
use mooring_base::server_id::ServerId;
use mooring_connections::Target;
use mooring_errors::HostError;
use mooring_host::{Host, HostOptions};
use mooring_log::{LogKind, LogQuery};
use mooring_oauth::StepObserver;
use mooring_server_state::StateName;
use mooring_testkit::eventually;
use mooring_testkit::oauth::{OAuthReply, OAuthScript, OAuthServer, serve};
use mooring_vault::KeyPlacement as VaultChoice;
use serde_json::json;

use crate::people::{ConsentingBrowser, IdleBrowser, opened_at, signing_in, with_keychain};
use crate::support::{LIMIT, http, options, until_state};

const METADATA: &str = "/.well-known/oauth-authorization-server";
const RESOURCE_METADATA: &str = "/.well-known/oauth-protected-resource";

/// A window with one server that requires a sign-in.
async fn asked(home: &Path, url: &str) -> (Host, ServerId) {
    let host = signing_in(home).await;
    let id = host.add_server(http("berth", url)).await.unwrap().id;
    until_state(&host, id, StateName::SignInNeeded).await;
    (host, id)
}

async fn sign_in(host: &Host, wanted: SignInOptions) -> Result<i64, HostError> {
    let target = Target::Saved { name: "berth".to_owned() };
    Ok(host.sign_in(target, &wanted, &ConsentingBrowser, StepObserver::new(|_| {})).await?.id)
}

fn registered(server: &OAuthServer) -> usize {
    server.requests_to("/register").len()
}

// Requirements: AUTH-18, AUTH-20.
#[tokio::test]
async fn registration_is_reused_until_a_sign_in_with_it_fails() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript::default()).await;
    let (host, _) = asked(home.path(), &server.resource()).await;
    for _ in 0..3 {
        sign_in(&host, SignInOptions::default()).await.unwrap();
    }
    assert_eq!(registered(&server), 1);

    // The authorization server has forgotten the client, and reports that in the token response.
    server.reply_once("/token", OAuthReply::json(401, r#"{"error":"invalid_client"}"#));
    let refused = sign_in(&host, SignInOptions::default()).await.unwrap_err();
    assert!(refused.sentence().to_string().contains("invalid_client"), "{refused}");
    sign_in(&host, SignInOptions::default()).await.unwrap();
    sign_in(&host, SignInOptions::default()).await.unwrap();
    assert_eq!(registered(&server), 2);

    // Or it only shows that in the browser, and the person gives up.
    let target = Target::Saved { name: "berth".to_owned() };
    let opened = opened_at(server.origin()).len();
    let wanted = SignInOptions::default();
    tokio::select! {
        ended = host.sign_in(target, &wanted, &IdleBrowser, StepObserver::new(|_| {})) => panic!("{ended:?}"),
        () = eventually("the browser is there", LIMIT, || opened_at(server.origin()).len() > opened) => {}
    }
    sign_in(&host, SignInOptions::default()).await.unwrap();
    assert_eq!(registered(&server), 3);
    assert_eq!(host.accounts().await.unwrap().len(), 1);
    host.shutdown().await;
}

// Requirements: AUTH-20, AUTH-21.
#[tokio::test]
async fn entered_client_is_used_only_for_the_issuer_that_asked() {
    let home = tempfile::tempdir().unwrap();
    let (server, other) = (serve(OAuthScript::default()).await, serve(OAuthScript::default()).await);
    let (host, _) = asked(home.path(), &server.resource()).await;
    for server in [&server, &other] {
        let mut metadata = server.metadata();
        metadata.as_object_mut().unwrap().remove("registration_endpoint");
        server.reply_always(METADATA, 200, &[("content-type", "application/json")], &metadata.to_string());
    }
    let needed = |error: HostError, issuer: &str| {
        assert!(
            matches!(&error, HostError::SignIn(problem) if problem.code.as_str() == "client_needed"),
            "{error:?}"
        );
        assert!(error.sentence().to_string().contains(issuer), "{error}");
    };
    needed(sign_in(&host, SignInOptions::default()).await.unwrap_err(), &server.issuer());

    // While the person registers a client there, the server names another authorization server.
    let described = json!({ "resource": server.resource(), "authorization_servers": [other.issuer()] });
    let kind = ("content-type", "application/json");
    server.reply_always(RESOURCE_METADATA, 200, &[kind], &described.to_string());
    let client =
        || SignInOptions::default().with_client("the-client", Some("its secret".to_owned()), None).unwrap();
    needed(sign_in(&host, client()).await.unwrap_err(), &other.issuer());
    for request in other.requests() {
        assert!(!format!("{request:?}").contains("the-client"), "{request:?}");
    }

    // The error names the new issuer, and the person enters a client for it.
    sign_in(&host, client()).await.unwrap();
    assert_eq!(other.requests_to("/authorize")[0].parameter("client_id"), Some("the-client"));
    assert!(server.requests_to("/authorize").is_empty());
    host.shutdown().await;
}

/// Whether the last request to each path included the server's URL.
fn named(server: &OAuthServer) -> [bool; 2] {
    ["/authorize", "/token"]
        .map(|path| server.requests_to(path).last().unwrap().parameter("resource").is_some())
}

// Requirements: AUTH-26.
#[tokio::test]
async fn a_refused_resource_is_left_out_as_the_person_says() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript::default()).await;
    let (host, _) = asked(home.path(), &server.resource()).await;
    let refusal =
        r#"{"error":"invalid_target","error_description":"AADSTS9010010: they do not belong together"}"#;
    // The person has to decide whether to trust the server. The resource parameter is never dropped
    // automatically.
    for _ in 0..2 {
        server.reply_once("/token", OAuthReply::json(400, refusal));
        let error = sign_in(&host, SignInOptions::default()).await.unwrap_err();
        let HostError::SignIn(problem) = &error else { panic!("{error:?}") };
        assert_eq!(problem.code.as_str(), "resource_refused");
        assert!(problem.message.to_string().contains("AADSTS9010010"), "{problem}");
        assert_eq!(named(&server), [true, true]);
    }
    let without = SignInOptions { without_resource: true, ..SignInOptions::default() };
    let login = sign_in(&host, without).await.unwrap();
    assert_eq!(named(&server), [false, false]);
    // The account remembers the decision for refreshes and for the next sign-in.
    host.refresh_account(login).await.unwrap();
    assert_eq!(named(&server), [false, false]);
    assert_eq!(sign_in(&host, SignInOptions::default()).await.unwrap(), login);
    assert_eq!(named(&server), [false, false]);
    // The server that the account is for is still known.
    assert_eq!(host.account(login).await.unwrap().login.login.resource, server.resource());
    // After signing out and in again, the person is asked again.
    host.sign_out(login).await.unwrap();
    sign_in(&host, SignInOptions::default()).await.unwrap();
    assert_eq!(named(&server), [true, true]);
    host.shutdown().await;
}

#[tokio::test]
async fn first_sign_in_succeeds_after_another_process_changed_the_key() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript::default()).await;
    let (host, id) = asked(home.path(), &server.resource()).await;
    host.open_vault().await.unwrap();
    let command = HostOptions { vault: with_keychain, ..options(home.path(), false) };
    let command = Host::open(command).await.unwrap();
    command.open_vault().await.unwrap();
    command.rekey_vault(VaultChoice::Keychain).await.unwrap();
    command.shutdown().await;
    let login = sign_in(&host, SignInOptions::default()).await.unwrap();
    until_state(&host, id, StateName::Ready).await;
    assert_eq!(host.accounts().await.unwrap()[0].login.id, login);
    host.shutdown().await;
}

#[tokio::test]
async fn secret_in_a_server_url_is_in_no_row_of_its_sign_in() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript::default()).await;
    // Without metadata, the server's URL identifies it.
    server.reply_always(RESOURCE_METADATA, 404, &[], "");
    server.reply_always("/mcp", 401, &[("www-authenticate", "Bearer")], "");
    let secret = "fd7Qp2mZx0Rk";
    let (host, _) = asked(home.path(), &format!("{}?api_key={secret}", server.resource())).await;
    let login = sign_in(&host, SignInOptions::default()).await.unwrap();
    host.sign_out(login).await.unwrap();
    host.flush_log().await;
    let query = LogQuery { limit: 200, kinds: vec![LogKind::Auth], ..LogQuery::default() };
    let mut ends = 0;
    for row in host.log_page(&query).await.unwrap() {
        let text = host.log_entry(row.id).await.unwrap().unwrap().text().into_owned();
        assert!(!text.contains(secret), "{text}");
        ends += usize::from(text.contains("signed in to") || text.contains("signed out of"));
    }
    assert_eq!(ends, 2);
    host.shutdown().await;
}
