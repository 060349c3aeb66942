//! Accounts: several for one server, refreshing, choosing, signing out, and expiry.

use std::path::Path;
use std::time::Duration;

use mooring_accounts::{Account, SignInGrant, SignInOptions, SignInStatus};
use mooring_base::server_id::ServerId;
use mooring_connections::{ConnectOptions, Target};
use mooring_errors::HostError;
use mooring_host::{Host, HostOptions};
use mooring_log::{LogKind, LogQuery};
use mooring_oauth::StepObserver;
use mooring_server_state::StateName;
use mooring_settings::Settings;
use mooring_store::RegistrationOrigin;
use mooring_testkit::oauth::{ClientAuthMethod, OAuthReply, OAuthScript, OAuthServer, serve};
use serde_json::json;

use crate::people::{ConsentingBrowser, signing_in, until_status, with_keychain};
use crate::support::{LIMIT, call, http, ignore_events, options, until, until_state};

const METADATA: &str = "/.well-known/oauth-authorization-server";

/// Opens a window with one server and signs in to it.
async fn signed_in(home: &Path, server: &OAuthServer) -> (Host, ServerId) {
    let host = signing_in(home).await;
    let id = host.add_server(http("berth", &server.resource())).await.unwrap().id;
    until_state(&host, id, StateName::SignInNeeded).await;
    sign_in(&host, id, SignInOptions::default()).await;
    (host, id)
}

/// Signs in, waits until the server has restarted with the account, and returns the account's id.
async fn sign_in(host: &Host, id: ServerId, wanted: SignInOptions) -> i64 {
    let before = host.server(id).unwrap().connection.since_ms;
    host.begin_sign_in(id, wanted).unwrap();
    let done = until_status(host, id, SignInStatus::Done).await;
    until_ready_since(host, id, before).await;
    done.login.unwrap()
}

/// Waits for a connection established after this time.
async fn until_ready_since(host: &Host, id: ServerId, before: i64) {
    until(host, id, "ready anew", |view| {
        view.connection.state == StateName::Ready && view.connection.since_ms > before
    })
    .await;
}

/// The result of a tool call: `ok` or the error code.
async fn echo(host: &Host, id: ServerId) -> &'static str {
    match host.call_tool(id, call("echo", &json!({"text": "moored"})), ignore_events()).await {
        Ok(outcome) => outcome.error.map_or("ok", |error| error.code.as_str()),
        Err(_) => "isn’t connected",
    }
}

/// The last token that was presented.
fn shown(server: &OAuthServer) -> String {
    server.requests_to("/mcp").last().unwrap().header("authorization").unwrap_or_default().to_owned()
}

async fn account(host: &Host, login: i64) -> Account {
    host.account(login).await.unwrap()
}

fn uses(account: &Account) -> Vec<(ServerId, bool)> {
    account.servers.iter().map(|server| (server.id, server.chosen)).collect()
}

fn forbidden(scope: &str) -> OAuthReply {
    let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
    OAuthReply::Raw {
        status: 403,
        headers: vec![("www-authenticate".to_owned(), challenge)],
        body: String::new(),
    }
}

// Requirements: AUTH-41.
#[tokio::test]
async fn server_can_have_several_accounts_even_unnamed_ones() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript::default()).await;
    let (host, id) = signed_in(home.path(), &server).await;
    let first = host.accounts().await.unwrap().remove(0).login.id;
    let firsts = shown(&server);
    assert_eq!(server.requests_to("/authorize")[0].parameter("prompt"), None);

    let second = sign_in(&host, id, SignInOptions { other_account: true, ..SignInOptions::default() }).await;
    assert_ne!(first, second);
    assert_eq!(server.requests_to("/authorize")[1].parameter("prompt"), Some("login"));
    assert_eq!(echo(&host, id).await, "ok");
    assert_ne!(shown(&server), firsts);
    assert_eq!(uses(&account(&host, first).await), [(id, false)]);
    assert_eq!(uses(&account(&host, second).await), [(id, true)]);

    let before = host.server(id).unwrap().connection.since_ms;
    host.choose_account(id, Some(first)).await.unwrap();
    until_ready_since(&host, id, before).await;
    assert_eq!(echo(&host, id).await, "ok");
    assert_eq!(shown(&server), firsts);
    host.choose_account(id, None).await.unwrap();
    until_state(&host, id, StateName::SignInNeeded).await;
    assert_eq!(host.accounts().await.unwrap().len(), 2);
    let error = host.choose_account(id, Some(99)).await.unwrap_err();
    assert!(matches!(error, HostError::NoSuchLogin(99)));

    // Signing in without naming an account replaces the one in use.
    host.choose_account(id, Some(second)).await.unwrap();
    assert_eq!(sign_in(&host, id, SignInOptions::default()).await, second);
    assert_eq!(host.accounts().await.unwrap().len(), 2);

    // A rejected edit changes nothing.
    host.add_server(http("taken", "http://127.0.0.1:1/mcp")).await.unwrap();
    let error =
        host.update_server(id, http("taken", &format!("{}?x=1", server.resource()))).await.unwrap_err();
    assert!(matches!(error, HostError::NameTaken(_)), "{error}");
    assert_eq!(uses(&account(&host, second).await), [(id, true)]);

    // Another URL is another server, which gets no token of this one.
    host.update_server(id, http("berth", &format!("{}?x=1", server.resource()))).await.unwrap();
    until_state(&host, id, StateName::SignInNeeded).await;
    let all = host.sign_out_all().await.unwrap();
    assert!(all.len() == 2 && all.iter().all(|one| one.revoked), "{all:?}");
    assert!(host.accounts().await.unwrap().is_empty());
    host.shutdown().await;
}

#[tokio::test]
async fn unnamed_sign_in_takes_no_login_of_another_server() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript { rotates: true, ..OAuthScript::default() }).await;
    let (host, id) = signed_in(home.path(), &server).await;
    let first = host.accounts().await.unwrap().remove(0).login.id;
    assert_eq!(echo(&host, id).await, "ok");
    let firsts = shown(&server);
    let other = host.add_server(http("quay", &server.resource())).await.unwrap().id;
    until_state(&host, other, StateName::SignInNeeded).await;
    let second = sign_in(&host, other, SignInOptions::default()).await;
    until(&host, other, "listed", |view| view.connection.tool_count.is_some()).await;
    assert_ne!(first, second);
    assert_eq!(uses(&account(&host, first).await), [(id, true)]);
    assert_eq!(uses(&account(&host, second).await), [(other, true)]);
    assert_eq!(echo(&host, id).await, "ok");
    assert_eq!(shown(&server), firsts);
    // A signed-out account becomes active again with the next sign-in at its own server.
    let over = r#"{"error":"invalid_grant"}"#;
    while account(&host, second).await.ended.is_none() {
        server.reply_once("/token", OAuthReply::json(400, over));
        let _refused = host.refresh_account(second).await;
    }
    until_needed(&host, other).await;
    assert_eq!(sign_in(&host, other, SignInOptions::default()).await, second);
    assert_eq!(uses(&account(&host, first).await), [(id, true)]);
    host.shutdown().await;
}

// Requirements: AUTH-38, AUTH-39.
#[tokio::test]
async fn login_is_renewed_on_request_and_stays_listed_when_expired() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript { rotates: true, ..OAuthScript::default() }).await;
    let (host, id) = signed_in(home.path(), &server).await;
    let login = host.accounts().await.unwrap().remove(0).login;
    assert!(login.tokens.refreshable);
    let renewed = host.refresh_account(login.id).await.unwrap();
    assert_eq!((server.refresh_count(), renewed.login.created_at_us), (1, login.created_at_us));
    assert!(renewed.login.updated_at_us > login.updated_at_us);
    assert!(matches!(host.forget_account(login.id).await, Err(HostError::LoginInForce(_))));

    server.reply_once("/token", OAuthReply::json(503, "{}"));
    server.reply_once("/token", OAuthReply::json(503, "{}"));
    server.reply_once("/token", OAuthReply::json(503, "{}"));
    let HostError::SignIn(problem) = host.refresh_account(login.id).await.unwrap_err() else { panic!() };
    assert_eq!(problem.code.as_str(), "unreachable");
    assert!(account(&host, login.id).await.ended.is_none());

    let over = r#"{"error":"invalid_grant","error_description":"over"}"#;
    while account(&host, login.id).await.ended.is_none() {
        server.reply_once("/token", OAuthReply::json(400, over));
        let _refused = host.refresh_account(login.id).await;
    }
    let ended = account(&host, login.id).await;
    assert!(ended.ended.unwrap().text.contains("over"));
    assert_eq!(ended.login.secret_id, None);
    let HostError::SignIn(problem) = host.refresh_account(login.id).await.unwrap_err() else { panic!() };
    assert_eq!(problem.code.as_str(), "ended");
    // The next call requires a sign-in, and the server says so.
    until_needed(&host, id).await;
    host.forget_account(login.id).await.unwrap();
    assert!(host.accounts().await.unwrap().is_empty());
    assert!(matches!(host.forget_account(login.id).await, Err(HostError::NoSuchLogin(_))));
    assert_eq!(server.requests_to("/authorize").len(), 1);
    host.shutdown().await;
}

/// Calls a tool until the server requires a sign-in.
async fn until_needed(host: &Host, id: ServerId) -> String {
    let needed = async {
        while host.server(id).unwrap().connection.state != StateName::SignInNeeded {
            assert_ne!(echo(host, id).await, "timeout");
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, needed).await.unwrap();
    let failure = host.server(id).unwrap().connection.failure.unwrap();
    assert_eq!(failure.code.as_str(), "sign_in");
    assert!(failure.next.is_some());
    failure.message.to_string()
}

// Requirements: AUTH-02, AUTH-38.
#[tokio::test]
async fn connection_needs_sign_in_when_its_login_ends_then_restarts() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript { rotates: true, ..OAuthScript::default() }).await;
    let (host, id) = signed_in(home.path(), &server).await;
    // Otherwise the requests of the start would be refused first.
    until(&host, id, "listed", |view| view.connection.tool_count.is_some()).await;
    server.expire_access_tokens();
    server.reply_once("/token", OAuthReply::json(400, r#"{"error":"invalid_grant"}"#));
    assert_eq!(echo(&host, id).await, "sign_in");
    let message = until_needed(&host, id).await;
    assert!(message.contains("the login is over"), "{message}");
    assert_eq!(server.requests_to("/authorize").len(), 1);
    sign_in(&host, id, SignInOptions::default()).await;
    assert_eq!(echo(&host, id).await, "ok");
    // The same account is active again.
    assert_eq!(host.accounts().await.unwrap().len(), 1);
    host.shutdown().await;
}

// Requirements: AUTH-38.
#[tokio::test]
async fn server_rejecting_every_token_costs_few_requests_one_renewal() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript { rotates: true, ..OAuthScript::default() }).await;
    let (host, id) = signed_in(home.path(), &server).await;
    until(&host, id, "listed", |view| view.connection.tool_count.is_some()).await;
    let calls = || {
        let requests = server.requests_to("/mcp");
        requests.iter().filter(|request| request.json["method"] == "tools/call").count()
    };
    for _ in 0..20 {
        let headers = vec![("www-authenticate".to_owned(), "Bearer error=\"invalid_token\"".to_owned())];
        server.reply_once("/mcp", OAuthReply::Raw { status: 401, headers, body: String::new() });
    }
    assert_eq!(echo(&host, id).await, "sign_in");
    assert!(calls() <= 3, "{}", calls());
    let message = until_needed(&host, id).await;
    assert!(message.contains("rejects the token"), "{message}");
    assert_eq!((server.refresh_count(), server.requests_to("/authorize").len()), (1, 1));
    host.shutdown().await;
}

/// Makes the server refuse a call for a missing scope. A concurrent request may be refused first.
async fn forbid(host: &Host, id: ServerId, server: &OAuthServer) {
    for _ in 0..20 {
        server.reply_once("/mcp", forbidden("harbour:write"));
        let code = echo(host, id).await;
        if code == "sign_in" || host.server(id).unwrap().connection.state == StateName::SignInNeeded {
            return;
        }
    }
    panic!("no call was forbidden");
}

// Requirements: AUTH-36.
#[tokio::test]
async fn scopes_that_a_server_wants_are_asked_for_in_the_next_process() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript::default()).await;
    let (host, id) = signed_in(home.path(), &server).await;
    forbid(&host, id, &server).await;
    host.shutdown().await;

    let asked = || server.requests_to("/authorize").last().unwrap().parameter("scope").map(str::to_owned);
    let command = HostOptions { vault: with_keychain, ..options(home.path(), false) };
    let command = Host::open(command).await.unwrap();
    let target = || Target::Saved { name: "berth".to_owned() };
    let trail = || StepObserver::new(|_| {});
    let granted =
        command.sign_in(target(), &SignInOptions::default(), &ConsentingBrowser, trail()).await.unwrap();
    assert_eq!(asked().as_deref(), Some("harbour:write"));
    // The scopes of the account, and those that the person adds.
    let wanted = SignInOptions { scopes: vec!["harbour:read".to_owned()], ..SignInOptions::default() };
    let added = command.sign_in(target(), &wanted, &ConsentingBrowser, trail()).await.unwrap();
    assert_eq!((added.id, asked().as_deref()), (granted.id, Some("harbour:write harbour:read")));
    command.shutdown().await;
}

// Requirements: SEC-19.
#[tokio::test]
async fn a_connection_uses_the_account_that_is_named() {
    let home = tempfile::tempdir().unwrap();
    let (server, other) = (serve(OAuthScript::default()).await, serve(OAuthScript::default()).await);
    let (host, id) = signed_in(home.path(), &server).await;
    let second = sign_in(&host, id, SignInOptions { other_account: true, ..SignInOptions::default() }).await;
    let accounts = host.accounts().await.unwrap();
    let first = accounts.iter().map(|account| account.login.id).find(|id| *id != second).unwrap();
    let target = || Target::Saved { name: "berth".to_owned() };
    let mut tokens = Vec::new();
    for account in [None, Some(first), Some(second)] {
        let used = host.account_for(&target(), account).await.unwrap().unwrap();
        assert_eq!(used.login.id, account.unwrap_or(second));
        let options = ConnectOptions { account, ..ConnectOptions::default() };
        host.connect(target(), options).await.unwrap().close().await;
        tokens.push(shown(&server));
    }
    assert_eq!(tokens[0], tokens[2]);
    assert_ne!(tokens[0], tokens[1]);
    // Neither another server's account nor one that doesn't exist is accepted.
    let elsewhere = Target::Url { url: other.resource(), headers: [].into() };
    for named in [first, 999] {
        let refused = host.account_for(&elsewhere, Some(named)).await;
        assert!(matches!(refused, Err(HostError::NoSuchLogin(id)) if id == named), "{refused:?}");
    }
    let options = ConnectOptions { account: Some(first), ..ConnectOptions::default() };
    assert!(host.connect(elsewhere, options).await.is_err());
    assert!(other.requests_to("/mcp").iter().all(|request| request.header("authorization").is_none()));
    host.shutdown().await;
}

// Requirements: SEC-19, SEC-20.
#[tokio::test]
async fn second_server_of_the_same_issuer_needs_its_own_approval() {
    let home = tempfile::tempdir().unwrap();
    let (first, second) = (serve(OAuthScript::default()).await, serve(OAuthScript::default()).await);
    // The second server names the authorization server where the person is already signed in.
    let described =
        json!({ "resource": second.resource(), "authorization_servers": [first.issuer()] }).to_string();
    let kind = ("content-type", "application/json");
    second.reply_always("/.well-known/oauth-protected-resource", 200, &[kind], &described);
    let (host, _) = signed_in(home.path(), &first).await;
    let other = host.add_server(http("quay", &second.resource())).await.unwrap().id;
    until_state(&host, other, StateName::SignInNeeded).await;
    assert_eq!(first.requests_to("/authorize").len(), 1, "nothing is asked for behind the person's back");
    let is_shown = |server: &OAuthServer| {
        server.requests_to("/mcp").iter().filter_map(|request| request.header("authorization")).count()
    };
    assert_eq!(is_shown(&second), 0, "nor is the first one's token tried");

    // The person's click starts a new authorization, which is unrelated to the first.
    host.begin_sign_in(other, SignInOptions::default()).unwrap();
    first.wait_for("/authorize", 2).await;
    first.wait_for("/token", 2).await;
    let asked = first.requests_to("/authorize");
    for name in ["state", "code_challenge", "resource"] {
        let values: Vec<_> = asked.iter().map(|request| request.parameter(name)).collect();
        assert!(values.iter().all(Option::is_some) && values[0] != values[1], "{name}: {values:?}");
    }
    assert_eq!(asked[1].parameter("resource"), Some(second.resource().as_str()));
    mooring_testkit::eventually("a token of its own", LIMIT, || is_shown(&second) > 0).await;
    let firsts = shown(&first);
    let seconds: Vec<_> = second.requests_to("/mcp");
    assert!(seconds.iter().all(|request| request.header("authorization").is_none_or(|it| it != firsts)));
    host.shutdown().await;
}

// Requirements: AUTH-35, AUTH-36, AUTH-37, SEC-23.
#[tokio::test]
async fn additional_scopes_need_approval_and_requests_are_limited() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript::default()).await;
    let (host, id) = signed_in(home.path(), &server).await;
    forbid(&host, id, &server).await;
    let message = until_needed(&host, id).await;
    assert!(message.contains("harbour:write"), "{message}");
    assert_eq!(server.requests_to("/authorize").len(), 1);
    sign_in(&host, id, SignInOptions::default()).await;
    let asked = server.requests_to("/authorize")[1].parameter("scope").unwrap_or_default().to_owned();
    assert!(asked.contains("harbour:write"), "{asked}");
    // It does not ask again for scopes that were already granted.
    forbid(&host, id, &server).await;
    assert_eq!(echo(&host, id).await, "ok");
    assert_ne!(host.server(id).unwrap().connection.state, StateName::SignInNeeded);
    host.shutdown().await;

    let home = tempfile::tempdir().unwrap();
    let stingy =
        serve(OAuthScript { scope: Some("harbour:read".to_owned()), ..OAuthScript::default() }).await;
    let (host, id) = signed_in(home.path(), &stingy).await;
    for _ in 0..3 {
        forbid(&host, id, &stingy).await;
        until_needed(&host, id).await;
        sign_in(&host, id, SignInOptions::default()).await;
    }
    forbid(&host, id, &stingy).await;
    assert_eq!(echo(&host, id).await, "ok");
    assert_ne!(host.server(id).unwrap().connection.state, StateName::SignInNeeded);
    host.shutdown().await;
}

// Requirements: AUTH-41, AUTH-43.
#[tokio::test]
async fn login_changes_by_another_process_are_noticed() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript::default()).await;
    let (host, id) = signed_in(home.path(), &server).await;
    let login = host.accounts().await.unwrap().remove(0).login.id;
    let command = HostOptions { vault: with_keychain, ..options(home.path(), false) };
    let command = Host::open(command).await.unwrap();

    assert_eq!(echo(&host, id).await, "ok");
    let before = shown(&server);
    command.refresh_account(login).await.unwrap();
    let renewed = async {
        while shown(&server) == before {
            assert_eq!(echo(&host, id).await, "ok");
        }
    };
    tokio::time::timeout(Duration::from_secs(5), renewed).await.unwrap();

    command.sign_out(login).await.unwrap();
    until_needed(&host, id).await;
    let target = Target::Saved { name: "berth".to_owned() };
    command
        .sign_in(target, &SignInOptions::default(), &ConsentingBrowser, StepObserver::new(|_| {}))
        .await
        .unwrap();
    until_state(&host, id, StateName::Ready).await;
    assert_eq!(echo(&host, id).await, "ok");
    command.shutdown().await;
    host.shutdown().await;
}

// Requirements: AUTH-42.
#[tokio::test]
async fn sign_in_steps_renewals_and_sign_outs_are_logged() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript { rotates: true, ..OAuthScript::default() }).await;
    let (host, id) = signed_in(home.path(), &server).await;
    assert_eq!(echo(&host, id).await, "ok");
    let login = host.accounts().await.unwrap().remove(0).login.id;
    let used = async {
        while account(&host, login).await.login.used_at_us.is_none() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, used).await.unwrap();
    host.refresh_account(login).await.unwrap();
    host.sign_out(login).await.unwrap();
    host.flush_log().await;
    let query = LogQuery { limit: 200, kinds: vec![LogKind::Auth], ..LogQuery::default() };
    let rows = host.log_page(&query).await.unwrap();
    let subjects: Vec<_> = rows.iter().rev().filter_map(|row| row.subject.as_deref()).collect();
    let mut rest = subjects.iter();
    for subject in [
        "resource_metadata",
        "registration",
        "authorization",
        "token",
        "sign_in",
        "token",
        "revocation",
        "sign_out",
    ] {
        assert!(rest.any(|known| *known == subject), "{subject} in {subjects:?}");
    }
    assert!(rows.iter().all(|row| &*row.source == "berth" && row.server_id == Some(id.0)), "{rows:?}");
    let mut bodies = String::new();
    for row in &rows {
        bodies += &host.log_entry(row.id).await.unwrap().unwrap().text();
    }
    assert!(bodies.contains("\"said\":{\"code\":"));
    for request in server.requests_to("/token") {
        for name in ["code", "code_verifier", "refresh_token"] {
            let secret = request.parameter(name).unwrap_or("never there");
            assert!(!bodies.contains(&format!("\"{secret}\"")), "{name}");
        }
    }
    host.shutdown().await;
}

// Requirements: AUTH-15, AUTH-17, AUTH-20.
#[tokio::test]
async fn client_identity_is_shown_for_document_and_own_client() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript::default()).await;
    let host = signing_in(home.path()).await;
    let url = "https://mooring.example/client.json";
    let settings = Settings { client_document: url.to_owned(), ..Settings::default() };
    host.set_settings(settings).await.unwrap();
    let id = host.add_server(http("berth", &server.resource())).await.unwrap().id;
    until_state(&host, id, StateName::SignInNeeded).await;
    let mut metadata = server.metadata();
    metadata["client_id_metadata_document_supported"] = json!(true);
    server.reply_once(METADATA, OAuthReply::json(200, &metadata.to_string()));
    let login = sign_in(&host, id, SignInOptions::default()).await;
    let client = account(&host, login).await.client.unwrap();
    assert_eq!((client.id.as_str(), client.origin), (url, RegistrationOrigin::Cimd));
    assert_eq!(server.requests_to("/authorize")[0].parameter("client_id"), Some(url));
    assert!(server.requests_to("/register").is_empty());

    let method = ClientAuthMethod::Basic("machine".to_owned(), "its secret".to_owned());
    let machines = serve(OAuthScript { method, ..OAuthScript::default() }).await;
    let id = host.add_server(http("machine", &machines.resource())).await.unwrap().id;
    until_state(&host, id, StateName::SignInNeeded).await;
    let wanted = SignInOptions { grant: SignInGrant::ClientCredentials, ..SignInOptions::default() };
    let wanted = wanted.with_client("machine", Some("its secret".to_owned()), None).unwrap();
    let login = sign_in(&host, id, wanted).await;
    let known = account(&host, login).await;
    assert_eq!(known.client.unwrap().origin, RegistrationOrigin::Entered);
    // It is refreshed without a person, with its own credentials.
    assert!(known.login.tokens.refreshable);
    host.refresh_account(login).await.unwrap();
    assert!(machines.requests_to("/authorize").is_empty());
    host.shutdown().await;
}

// Requirements: AUTH-42.
#[tokio::test]
async fn echoed_credentials_reach_neither_log_nor_account_list() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript::default()).await;
    let (host, id) = signed_in(home.path(), &server).await;
    let login = host.accounts().await.unwrap().remove(0).login.id;
    // The first refresh token is predictable, because the server numbers them.
    host.refresh_account(login).await.unwrap();
    let shown = server.requests_to("/token").last().unwrap().parameter("refresh_token").unwrap().to_owned();
    let words = format!(r#"{{"error":"invalid_grant","error_description":"no {shown} here"}}"#);
    server.reply_once("/token", OAuthReply::json(400, &words));
    let _refused = host.refresh_account(login).await;
    let reason = account(&host, login).await.ended.unwrap().text;
    assert!(reason.contains("no … here") && !reason.contains(&shown), "{reason}");
    host.flush_log().await;
    let query = LogQuery { limit: 200, kinds: vec![LogKind::Auth], ..LogQuery::default() };
    for row in host.log_page(&query).await.unwrap() {
        let text = host.log_entry(row.id).await.unwrap().unwrap().text().into_owned();
        assert!(!text.contains(&shown), "{text}");
    }
    until_needed(&host, id).await;
    host.shutdown().await;
}

// Requirements: AUTH-43.
#[tokio::test]
async fn a_sign_out_says_honestly_what_became_of_the_tokens() {
    let home = tempfile::tempdir().unwrap();
    let host = signing_in(home.path()).await;
    for (name, change) in [("silent", true), ("failing", false)] {
        let server = serve(OAuthScript::default()).await;
        let id = host.add_server(http(name, &server.resource())).await.unwrap().id;
        until_state(&host, id, StateName::SignInNeeded).await;
        if change {
            let mut metadata = server.metadata();
            metadata.as_object_mut().unwrap().remove("revocation_endpoint");
            server.reply_once(METADATA, OAuthReply::json(200, &metadata.to_string()));
        } else {
            for _ in 0..9 {
                server.reply_once("/revoke", OAuthReply::json(503, "{}"));
            }
        }
        let login = sign_in(&host, id, SignInOptions::default()).await;
        let signed_out = host.sign_out(login).await.unwrap();
        assert!(!signed_out.revoked && signed_out.login == login);
        let problem = signed_out.problem.unwrap();
        assert!(problem.message.contains(if change { "doesn’t support" } else { "503" }), "{problem}");
        assert!(problem.next.is_some());
        assert!(host.accounts().await.unwrap().is_empty());
        until(&host, id, "without a login", |view| view.connection.state == StateName::SignInNeeded).await;
    }
    assert!(matches!(host.sign_out(99).await, Err(HostError::NoSuchLogin(99))));
    host.shutdown().await;
}
