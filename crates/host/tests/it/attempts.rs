//! Sign-ins that the host runs itself: their views, and how they end.

use std::path::Path;

use mooring_accounts::{SignInGrant, SignInOptions, SignInStatus};
use mooring_base::server_id::ServerId;
use mooring_errors::HostError;
use mooring_host::Host;
use mooring_oauth::Purpose as SignInPurpose;
use mooring_server_state::{HostEvent, StateName};
use mooring_store::RegistrationOrigin;
use mooring_testkit::oauth::{ClientAuthMethod, OAuthReply, OAuthScript, OAuthServer, serve};

use crate::people::{agreeing, idle, opened_at, signing_in, until_status, with_browser};
use crate::support::{http, scripted, until, until_state};

const METADATA: &str = "/.well-known/oauth-authorization-server";

/// A window with one server that requires a sign-in.
async fn asked(
    home: &Path,
    server: &OAuthServer,
    browser: fn() -> std::sync::Arc<dyn mooring_oauth::Browser>,
) -> (Host, ServerId) {
    let host = with_browser(home, browser).await;
    let id = host.add_server(http("berth", &server.resource())).await.unwrap().id;
    until_state(&host, id, StateName::SignInNeeded).await;
    (host, id)
}

/// Omits a field from the server's metadata in the next response.
fn without(server: &OAuthServer, field: &str) {
    let mut metadata = server.metadata();
    metadata.as_object_mut().unwrap().remove(field);
    server.reply_once(METADATA, OAuthReply::json(200, &metadata.to_string()));
}

// Requirements: AUTH-02, AUTH-44.
#[tokio::test]
async fn sign_in_reports_each_step_and_starts_its_server() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript::default()).await;
    let (host, id) = asked(home.path(), &server, agreeing).await;
    assert!(host.sign_in_attempt(id).is_none());
    assert!(server.requests_to("/authorize").is_empty());
    let mut events = host.events();
    let begun = host.begin_sign_in(id, SignInOptions::default()).unwrap();
    assert_eq!((begun.status, begun.ended_ms, begun.login), (SignInStatus::Working, None, None));
    let done = until_status(&host, id, SignInStatus::Done).await;
    until_state(&host, id, StateName::Ready).await;

    assert!(done.ended_ms >= Some(done.started_ms) && done.problem.is_none() && done.deadline_ms.is_none());
    assert_eq!(done.browser_host.as_deref(), Some("127.0.0.1"));
    let purposes: Vec<_> = done.steps.iter().map(|step| step.step.purpose).collect();
    for purpose in [
        SignInPurpose::ResourceMetadata,
        SignInPurpose::ServerMetadata,
        SignInPurpose::ClientIdentity,
        SignInPurpose::Registration,
        SignInPurpose::Authorization,
        SignInPurpose::Token,
    ] {
        assert!(purposes.contains(&purpose), "{purpose:?} in {purposes:?}");
    }
    assert!(done.steps.iter().all(|step| step.step.ok && step.at_ms >= done.started_ms), "{:?}", done.steps);

    let [account] = &host.accounts().await.unwrap()[..] else { panic!("not one login") };
    assert_eq!(Some(account.login.id), done.login);
    let client = account.client.as_ref().unwrap();
    assert_eq!(client.origin, RegistrationOrigin::Dynamic);
    let (mut sign_in, mut accounts) = (0, 0);
    while let Ok(event) = events.try_recv() {
        sign_in += i32::from(event == HostEvent::SignInChanged { id });
        accounts += i32::from(event == HostEvent::AccountsChanged);
    }
    assert!(sign_in > 3 && accounts > 0, "{sign_in} {accounts}");
    host.shutdown().await;
}

// Requirements: AUTH-02, AUTH-30, AUTH-44.
#[tokio::test]
async fn sign_in_waiting_for_the_browser_can_reopen_it_or_cancel() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript::default()).await;
    let (host, id) = asked(home.path(), &server, idle).await;
    assert!(!host.cancel_sign_in(id) && !host.reopen_browser(id).await.unwrap());
    let first = host.begin_sign_in(id, SignInOptions::default()).unwrap();
    let waits = until_status(&host, id, SignInStatus::Browser).await;
    let left = waits.deadline_ms.unwrap() - waits.started_ms;
    assert!((590_000..=660_000).contains(&left), "{left}");
    // A second click returns the same sign-in.
    let second = host.begin_sign_in(id, SignInOptions::default()).unwrap();
    assert_eq!((second.started_ms, second.status), (first.started_ms, SignInStatus::Browser));
    assert!(host.reopen_browser(id).await.unwrap());
    let [one, again] = &opened_at(server.origin())[..] else { panic!("not opened twice") };
    assert_eq!(one, again);

    assert!(host.cancel_sign_in(id));
    let given_up = host.sign_in_attempt(id).unwrap();
    assert_eq!((given_up.status, given_up.deadline_ms), (SignInStatus::Cancelled, None));
    assert!(given_up.ended_ms.is_some() && !given_up.steps.is_empty());
    assert!(!host.cancel_sign_in(id) && !host.reopen_browser(id).await.unwrap());
    assert!(host.accounts().await.unwrap().is_empty());
    until_nobody_listens(one).await;

    // Start again from the beginning.
    host.begin_sign_in(id, SignInOptions::default()).unwrap();
    until_status(&host, id, SignInStatus::Browser).await;
    assert_eq!(opened_at(server.origin()).len(), 3);
    host.shutdown().await;
}

/// Waits until the callback URL of a sign-in is closed.
async fn until_nobody_listens(authorization: &str) {
    let url = url::Url::parse(authorization).unwrap();
    let (_, redirect) = url.query_pairs().find(|(name, _)| name == "redirect_uri").unwrap();
    let redirect = url::Url::parse(&redirect).unwrap();
    let address = format!("127.0.0.1:{}", redirect.port().unwrap());
    let closed = async {
        while tokio::net::TcpStream::connect(&address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(crate::support::LIMIT, closed).await.unwrap();
}

#[tokio::test]
async fn sign_in_ends_with_its_host_or_server() {
    for way in ["shutdown", "drop", "remove"] {
        let home = tempfile::tempdir().unwrap();
        let server = serve(OAuthScript::default()).await;
        let (host, id) = asked(home.path(), &server, idle).await;
        host.begin_sign_in(id, SignInOptions::default()).unwrap();
        until_status(&host, id, SignInStatus::Browser).await;
        match way {
            "shutdown" => host.shutdown().await,
            "remove" => host.remove_server(id).await.unwrap(),
            _ => drop(host),
        }
        until_nobody_listens(&opened_at(server.origin())[0]).await;
    }
}

// Requirements: AUTH-15, AUTH-16, AUTH-20.
#[tokio::test]
async fn without_registration_the_person_enters_a_client() {
    let home = tempfile::tempdir().unwrap();
    let method = ClientAuthMethod::Basic("by-hand".to_owned(), "a secret".to_owned());
    let server = serve(OAuthScript { method, ..OAuthScript::default() }).await;
    let (host, id) = asked(home.path(), &server, agreeing).await;
    without(&server, "registration_endpoint");
    host.begin_sign_in(id, SignInOptions::default()).unwrap();
    let failed = until_status(&host, id, SignInStatus::Failed).await;
    let problem = failed.problem.unwrap();
    let redirect = problem.redirect.unwrap();
    assert_eq!(problem.code.as_str(), "client_needed");
    assert!(redirect.starts_with("http://127.0.0.1:23817/callback/"), "{redirect}");
    assert!(problem.next.unwrap().contains(&redirect));
    assert!(server.requests_to("/authorize").is_empty());

    let entered = |secret: &str| {
        SignInOptions::default().with_client("by-hand", Some(secret.to_owned()), Some(&redirect)).unwrap()
    };
    host.begin_sign_in(id, entered("another secret")).unwrap();
    let failed = until_status(&host, id, SignInStatus::Failed).await;
    assert_eq!(failed.problem.unwrap().code.as_str(), "answered");
    assert!(host.accounts().await.unwrap().is_empty());

    host.begin_sign_in(id, entered("a secret")).unwrap();
    until_status(&host, id, SignInStatus::Done).await;
    until_state(&host, id, StateName::Ready).await;
    let authorize = server.requests_to("/authorize");
    assert_eq!(authorize.last().unwrap().parameter("redirect_uri"), Some(redirect.as_str()));
    let client = host.accounts().await.unwrap().remove(0).client.unwrap();
    assert_eq!((client.id.as_str(), client.origin), ("by-hand", RegistrationOrigin::Entered));

    // From here on the client is remembered. It is forgotten together with the account.
    host.begin_sign_in(id, SignInOptions::default()).unwrap();
    until_status(&host, id, SignInStatus::Done).await;
    assert_eq!(server.requests_to("/authorize").len(), 3);
    let account = host.accounts().await.unwrap().remove(0).login.id;
    host.sign_out(account).await.unwrap();
    without(&server, "registration_endpoint");
    host.begin_sign_in(id, SignInOptions::default()).unwrap();
    assert_eq!(
        until_status(&host, id, SignInStatus::Failed).await.problem.unwrap().code.as_str(),
        "client_needed"
    );
    host.shutdown().await;
}

// Requirements: AUTH-23.
#[tokio::test]
async fn server_silent_about_pkce_needs_approval() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript::default()).await;
    let (host, id) = asked(home.path(), &server, agreeing).await;
    without(&server, "code_challenge_methods_supported");
    host.begin_sign_in(id, SignInOptions::default()).unwrap();
    let failed = until_status(&host, id, SignInStatus::Failed).await;
    assert_eq!(failed.problem.unwrap().code.as_str(), "pkce_unannounced");
    // No client is registered if it could not be used.
    assert!(server.requests_to("/authorize").is_empty() && server.requests_to("/register").is_empty());

    without(&server, "code_challenge_methods_supported");
    host.begin_sign_in(id, SignInOptions { pkce_unannounced: true, ..SignInOptions::default() }).unwrap();
    until_status(&host, id, SignInStatus::Done).await;
    assert_eq!(server.requests_to("/authorize")[0].parameter("code_challenge_method"), Some("S256"));
    host.shutdown().await;
}

#[tokio::test]
async fn a_sign_in_that_fails_says_by_a_word_what_can_be_done() {
    let home = tempfile::tempdir().unwrap();
    let refusing = |code: &str| OAuthScript {
        answers: vec![("error".to_owned(), code.to_owned())],
        ..OAuthScript::default()
    };
    let denied = serve(refusing("access_denied")).await;
    let host = signing_in(home.path()).await;
    let begin = async |name: &str, server: &OAuthServer, wanted: SignInOptions| {
        let id = host.add_server(http(name, &server.resource())).await.unwrap().id;
        until_state(&host, id, StateName::SignInNeeded).await;
        host.begin_sign_in(id, wanted).unwrap();
        let failed = until_status(&host, id, SignInStatus::Failed).await;
        assert!(failed.steps.iter().any(|step| !step.step.ok), "{:?}", failed.steps);
        failed.problem.unwrap()
    };
    let problem = begin("denied", &denied, SignInOptions::default()).await;
    assert_eq!((problem.code.as_str(), problem.redirect), ("answered", None));
    assert!(problem.next.unwrap().contains("allow access"));

    let failing = serve(OAuthScript::default()).await;
    for _ in 0..9 {
        failing.reply_once("/token", OAuthReply::json(503, "{}"));
    }
    assert_eq!(begin("failing", &failing, SignInOptions::default()).await.code.as_str(), "unreachable");

    let odd = serve(OAuthScript { state: Some("another".to_owned()), ..OAuthScript::default() }).await;
    odd.reply_once(METADATA, OAuthReply::json(200, r#"{"issuer":"https://elsewhere.example"}"#));
    assert_eq!(begin("odd", &odd, SignInOptions::default()).await.code.as_str(), "refused");

    let alone = SignInOptions { grant: SignInGrant::ClientCredentials, ..SignInOptions::default() };
    let unknown = serve(OAuthScript::default()).await;
    let id = host.add_server(http("unknown", &unknown.resource())).await.unwrap().id;
    until_state(&host, id, StateName::SignInNeeded).await;
    host.begin_sign_in(id, alone).unwrap();
    let problem = until_status(&host, id, SignInStatus::Failed).await.problem.unwrap();
    assert_eq!((problem.code.as_str(), problem.redirect), ("client_needed", None));
    host.shutdown().await;
}

#[tokio::test]
async fn sign_in_without_the_vault_key_sends_nothing_and_says_why() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript::default()).await;
    let options = mooring_host::HostOptions {
        vault: crate::people::without_keychain,
        browser: agreeing,
        ..crate::support::options(home.path(), true)
    };
    let host = Host::open(options).await.unwrap();
    let id = host.add_server(http("berth", &server.resource())).await.unwrap().id;
    until_state(&host, id, StateName::SignInNeeded).await;
    let asked = server.requests_to(METADATA).len();
    host.begin_sign_in(id, SignInOptions::default()).unwrap();
    let problem = until_status(&host, id, SignInStatus::Failed).await.problem.unwrap();
    assert_eq!(problem.code.as_str(), "vault");
    assert!(problem.next.is_some());
    assert_eq!(server.requests_to(METADATA).len(), asked);
    assert!(server.requests_to("/register").is_empty() && server.requests_to("/authorize").is_empty());
    host.shutdown().await;
}

#[tokio::test]
async fn only_a_saved_server_behind_an_address_begins_one() {
    let home = tempfile::tempdir().unwrap();
    let host = signing_in(home.path()).await;
    let id = host.add_server(scripted("local", &["good"])).await.unwrap().id;
    until(&host, id, "settled", |view| view.connection.state != StateName::Starting).await;
    let error = host.begin_sign_in(id, SignInOptions::default()).unwrap_err();
    assert!(matches!(&error, HostError::InvalidServer { field: "url", .. }), "{error}");
    let error = host.begin_sign_in(ServerId(999), SignInOptions::default()).unwrap_err();
    assert!(matches!(&error, HostError::ServerNotFound(_)), "{error}");
    let secret = SignInOptions::default().with_client(" ", Some("x".to_owned()), None);
    assert!(matches!(secret.map_err(HostError::from), Err(HostError::InvalidArguments(_))));
    for redirect in ["https://mooring.example/", "http://127.0.0.1:1/x?y=1", "mooring:callback"] {
        let redirect = SignInOptions::default().with_client("x", None, Some(redirect));
        assert!(matches!(redirect.map_err(HostError::from), Err(HostError::InvalidArguments(_))));
    }
    host.shutdown().await;
}
