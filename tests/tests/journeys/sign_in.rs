//! Signs in at a third-party authorization server, for a third-party server.

mod kills;
mod matrix;
mod python;
pub(crate) mod support;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use mooring_accounts::SignInOptions;
use mooring_connections::{ConnectOptions, Connection};
use mooring_errors::HostError;
use mooring_host::Host;
use mooring_oauth::StepObserver;
use mooring_store::LoginRow;
use serde_json::{Value, json};

use self::support::{
    KEYCHAIN, KeyringSession, ProtectedServer, TIMEOUT, UserBrowser, call, keychain_folder, open, target,
};
use crate::command_line::CommandLineUser;

pub(crate) const ADA: UserBrowser = UserBrowser { who: "ada", brings: None };

async fn sign_in(
    host: &Host,
    protected: &ProtectedServer,
    browser: &UserBrowser,
) -> Result<LoginRow, HostError> {
    host.sign_in(target(&protected.resource), &SignInOptions::default(), browser, StepObserver::new(drop))
        .await
}

async fn connect(host: &Host, protected: &ProtectedServer) -> Connection {
    host.connect(target(&protected.resource), ConnectOptions::default()).await.unwrap()
}

async fn echo(connection: &Connection) -> String {
    call(connection, "echo", &json!({"text": "moored"})).await
}

/// Calls once with the current account, and shuts the host down.
async fn call_and_leave(host: Host, protected: &ProtectedServer) {
    let connection = connect(&host, protected).await;
    assert_eq!(echo(&connection).await, "moored");
    connection.close().await;
    host.shutdown().await;
}

/// Covers a token's whole life: request, rotation and revocation.
// Requirements: AUTH-02, AUTH-18, AUTH-22, AUTH-25, AUTH-37, AUTH-38, AUTH-39, AUTH-40, AUTH-43, AUTH-44.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cli_signs_in_to_and_out_of_an_independent_server() {
    let (desktop, person) = (KeyringSession::start(), CommandLineUser::new());
    let protected = ProtectedServer::start(&json!({"life": 2}));
    let url = protected.resource.as_str();
    let calls = ["call", "echo", r#"{"text":"x"}"#, "--json", "--url", url];
    assert_eq!(desktop.run(&person, &calls).0, 6);

    let (account, steps) = desktop.login(&person, &["--url", url]);
    assert_eq!((&account["issuer"], &account["resource"]), (&json!(protected.issuer), &json!(url)));
    assert_eq!((&account["account"], &account["label"]), (&json!("ada"), &json!("ada@example.org")));
    assert_eq!((&account["scopes_granted"], &account["refreshable"]), (&json!(["tools"]), &json!(true)));
    assert!(steps.iter().any(|step| step.contains("with this sign-in’s state and issuer")), "{steps:#?}");

    let seen = protected.events().await;
    let [client] = &seen["registered"].as_array().unwrap()[..] else { panic!("{seen}") };
    assert_eq!(client["application_type"], "native");
    assert_eq!(client["token_endpoint_auth_method"], "none");
    let [asked] = &seen["asked"].as_array().unwrap()[..] else { panic!("{seen}") };
    assert_eq!((&asked["code_challenge_method"], &asked["resource"]), (&json!("S256"), &json!(url)));
    let [exchanged] = &protected.grants_of("authorization_code").await[..] else { panic!("{seen}") };
    assert_eq!(exchanged["resource"], url);

    // The token expires, and one with a long lifetime replaces it once.
    protected.set_token_lifetime(3600).await;
    protected.until_expired().await;
    for _ in 0..2 {
        assert_eq!(desktop.run_ok(&person, &calls)["content"][0]["text"], "x");
    }
    let [renewed] = &protected.grants_of("refresh_token").await[..] else { panic!("not one renewal") };
    assert_eq!(renewed["resource"], url);
    let seen = protected.events().await;
    assert_eq!((&seen["rotated"], &seen["refused"]), (&json!(1), &json!([])));

    // The token works until it expires or is revoked, and not afterwards.
    assert!(protected.token_statuses().await.iter().any(|status| *status != 401));
    let id = desktop.run_ok(&person, &["accounts", "--json"])[0]["id"].to_string();
    desktop.run_ok(&person, &["logout", &id, "--json"]);
    let seen = protected.events().await;
    assert!(seen["revoked"].as_u64() >= Some(1) && seen["alive"] == 0, "{seen}");
    assert!(protected.token_statuses().await.iter().all(|status| *status == 401));
    assert_eq!(desktop.run(&person, &calls).0, 6);
}

// Requirements: AUTH-42, AUTH-43.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn login_at_an_independent_server_outlives_the_host() {
    let home = tempfile::tempdir().unwrap();
    let protected = ProtectedServer::start(&json!({"jwt": true, "challenged": ["tools"], "life": 2}));
    let host = open(home.path()).await;
    let login = sign_in(&host, &protected, &ADA).await.unwrap();
    assert_eq!(login.tokens.scopes_granted, ["tools"]);
    // Only the scopes that the server requires, and the one for a refresh token.
    assert_eq!(login.tokens.scopes_asked, ["tools", "offline_access"]);
    host.shutdown().await;

    protected.set_token_lifetime(3600).await;
    protected.until_expired().await;
    let host = open(home.path()).await;
    let connection = connect(&host, &protected).await;
    assert_eq!(echo(&connection).await, "moored");
    assert_eq!(call(&connection, "whoami", &json!({})).await, "ada with tools");
    // The use is recorded in the background.
    let deadline = Instant::now() + TIMEOUT;
    while host.accounts().await.unwrap()[0].login.used_at_us <= login.used_at_us {
        assert!(Instant::now() < deadline, "nobody noted that the login was used");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    connection.close().await;
    host.shutdown().await;

    let seen = protected.events().await;
    assert_eq!(seen["asked"].as_array().map(Vec::len), Some(1));
    assert_eq!(protected.grants_of("refresh_token").await.len(), 1);
    assert_eq!(seen["refused"], json!([]));
}

const CALLER_INSTRUCTIONS: &str = "MOORING_TEST_CALLS";
const CALLS: usize = 25;

/// Runs this test again in another process, with the same accounts.
fn caller(protected: &ProtectedServer, home: &Path) -> (Child, Box<dyn Iterator<Item = String>>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "--nocapture",
        "sign_in::fifty_calls_of_two_processes_renew_an_expired_token_once",
    ]);
    let orders = json!({"url": protected.resource, "home": home});
    command.env(CALLER_INSTRUCTIONS, orders.to_string()).env(KEYCHAIN, keychain_folder());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    (child, Box::new(lines))
}

/// Connects, waits for a line of input, and makes many calls at once.
#[expect(clippy::print_stdout, reason = "one process tells another")]
async fn call_when_told(orders: &Value) {
    let host = open(&PathBuf::from(orders["home"].as_str().unwrap())).await;
    let url = orders["url"].as_str().unwrap().to_owned();
    let target = mooring_connections::Target::Url { url, headers: [].into() };
    let connection = host.connect(target, ConnectOptions::default()).await.unwrap();
    println!("\nREADY");
    let mut word = String::new();
    std::io::stdin().read_line(&mut word).unwrap();
    for said in join_all((0..CALLS).map(|_| echo(&connection))).await {
        println!("\nSAID {said}");
    }
    connection.close().await;
    host.shutdown().await;
}

// Requirements: AUTH-38, AUTH-39.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_calls_of_two_processes_renew_an_expired_token_once() {
    if let Ok(orders) = std::env::var(CALLER_INSTRUCTIONS) {
        return call_when_told(&serde_json::from_str(&orders).unwrap()).await;
    }
    let home = tempfile::tempdir().unwrap();
    let protected = ProtectedServer::start(&json!({}));
    let host = open(home.path()).await;
    sign_in(&host, &protected, &ADA).await.unwrap();
    host.shutdown().await;

    let mut both = [caller(&protected, home.path()), caller(&protected, home.path())];
    for (_, lines) in &mut both {
        assert!(lines.any(|line| line == "READY"));
    }
    assert_eq!(protected.grants_of("refresh_token").await.len(), 0);
    protected.expire().await;
    for (child, _) in &mut both {
        child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    }
    let mut said = 0;
    for (child, lines) in &mut both {
        said += lines.filter(|line| line == "SAID moored").count();
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(said, 2 * CALLS);
    let seen = protected.events().await;
    assert_eq!((&seen["calls"], &seen["rotated"]), (&json!(50), &json!(1)), "{seen}");
    assert_eq!(protected.grants_of("refresh_token").await.len(), 1);
    assert_eq!((&seen["refused"], &seen["revoked"]), (&json!([]), &json!(0)), "{seen}");
}

/// Both official SDKs' servers only accept `Bearer`, even if the authorization server offers DPoP.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_knows_only_bearer_is_used_beside_dpop() {
    // The server's metadata decides, or else its refusal.
    for (proofs, token_type) in [("unknown", "bearer"), ("claimed", "dpop")] {
        let home = tempfile::tempdir().unwrap();
        let protected = ProtectedServer::start(&json!({"dpop": true, "proofs": proofs}));
        let host = open(home.path()).await;
        let login = sign_in(&host, &protected, &ADA).await.unwrap();
        assert_eq!(login.tokens.token_type.to_ascii_lowercase(), token_type);
        let connection = connect(&host, &protected).await;
        assert_eq!(echo(&connection).await, "moored");
        let refused = protected.events().await["unauthorized"].as_u64();
        assert_eq!(echo(&connection).await, "moored");
        assert_eq!(protected.events().await["unauthorized"].as_u64(), refused, "each call is refused first");
        // An expired token is still refreshed.
        protected.expire().await;
        assert_eq!(echo(&connection).await, "moored");
        assert_eq!(protected.grants_of("refresh_token").await.len(), 1);
        connection.close().await;
        host.shutdown().await;
    }
}

/// An authorization server that only accepts pushed authorization requests (RFC 9126).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_is_pushed_where_nothing_else_is_taken() {
    let home = tempfile::tempdir().unwrap();
    let protected = ProtectedServer::start(&json!({"pushed": true}));
    let host = open(home.path()).await;
    sign_in(&host, &protected, &ADA).await.unwrap();
    call_and_leave(host, &protected).await;
}

/// An authorization server that restarted doesn't know its clients any more, and only tells the browser.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forgotten_client_registers_anew_within_the_same_sign_in() {
    for pushed in [false, true] {
        let home = tempfile::tempdir().unwrap();
        let protected = ProtectedServer::start(&json!({"pushed": pushed}));
        let host = open(home.path()).await;
        sign_in(&host, &protected, &ADA).await.unwrap();
        // A client that is still known isn't registered again.
        sign_in(&host, &protected, &ADA).await.unwrap();
        let registered = protected.events().await["registered"].as_array().map(Vec::len);
        assert_eq!(registered, Some(1));
        protected.forget_clients().await;
        sign_in(&host, &protected, &ADA).await.unwrap();
        assert_eq!(protected.events().await["registered"].as_array().map(Vec::len), Some(2));
        call_and_leave(host, &protected).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dpop_is_used_where_taken_and_server_nonces_are_followed() {
    let home = tempfile::tempdir().unwrap();
    let protected = ProtectedServer::start(&json!({"dpop": true}));
    let host = open(home.path()).await;
    let login = sign_in(&host, &protected, &ADA).await.unwrap();
    assert_eq!(login.tokens.token_type.to_ascii_lowercase(), "dpop");
    let connection = connect(&host, &protected).await;
    for _ in 0..12 {
        assert_eq!(echo(&connection).await, "moored");
    }
    // The token is refused without a proof. Its expiry doesn't end the session.
    assert!(protected.token_statuses().await.iter().all(|status| *status == 401));
    protected.expire().await;
    assert_eq!(echo(&connection).await, "moored");
    connection.close().await;
    host.shutdown().await;

    // The DPoP key is saved with the account.
    protected.expire().await;
    let host = open(home.path()).await;
    let connection = connect(&host, &protected).await;
    assert_eq!(echo(&connection).await, "moored");
    connection.close().await;
    let [account] = &host.accounts().await.unwrap()[..] else { panic!("not one login") };
    host.sign_out(account.login.id).await.unwrap();
    host.shutdown().await;
    let seen = protected.events().await;
    assert!(seen["granted"].as_array().unwrap().iter().all(|granted| granted["dpop"] == true), "{seen}");
    assert!(seen["proofs"].as_u64() > Some(14) && seen["revoked"].as_u64() >= Some(1), "{seen}");
    assert_eq!(protected.grants_of("refresh_token").await.len(), 2);
    // Only requests without the current nonce were refused.
    let refused = seen["refused"].as_array().unwrap();
    assert!(refused.iter().all(|refused| refused["error"] == "use_dpop_nonce"), "{seen}");
}

// Requirements: AUTH-27, AUTH-28.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn response_without_issuer_brings_no_code_to_the_server() {
    let protected = ProtectedServer::start(&json!({}));
    let changes: [fn(&str) -> String; 3] = [
        |answer| without_issuer(answer, None),
        |answer| without_issuer(answer, Some("https://evil.example")),
        |answer| without_issuer(answer, Some("http://127.0.0.1:1")),
    ];
    for brings in changes {
        let home = tempfile::tempdir().unwrap();
        let host = open(home.path()).await;
        let browser = UserBrowser { who: "ada", brings: Some(brings) };
        let error = sign_in(&host, &protected, &browser).await.unwrap_err();
        assert!(error.to_string().contains("the answer"), "{error}");
        assert!(host.accounts().await.unwrap().is_empty());
        host.shutdown().await;
    }
    let seen = protected.events().await;
    assert_eq!((&seen["granted"], &seen["refused"]), (&json!([]), &json!([])));
    // A detour through another program without a change doesn't break the sign-in.
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    let browser = UserBrowser { who: "ada", brings: Some(str::to_owned) };
    sign_in(&host, &protected, &browser).await.unwrap();
    host.shutdown().await;
}

/// Replaces or removes the answer's `iss`.
fn without_issuer(answer: &str, other: Option<&str>) -> String {
    let mut answer = url::Url::parse(answer).unwrap();
    let kept: Vec<(String, String)> =
        answer.query_pairs().filter(|(name, _)| name != "iss").map(|(n, v)| (n.into(), v.into())).collect();
    assert_eq!(kept.len(), 2, "{answer}");
    answer.query_pairs_mut().clear().extend_pairs(kept);
    if let Some(other) = other {
        answer.query_pairs_mut().append_pair("iss", other);
    }
    answer.into()
}

// Requirements: AUTH-15, AUTH-21, OCC-02, OCC-06.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn preregistered_clients_sign_in_as_a_person_or_themselves() {
    let (desktop, person) = (KeyringSession::start(), CommandLineUser::new());
    let protected = ProtectedServer::start(&json!({}));
    let url = protected.resource.as_str();
    let secret_file = person.directory().join("secret");
    let calls = ["call", "whoami", "--json", "--url", url];
    for method in ["client_secret_basic", "client_secret_post"] {
        let (id, secret) = protected.register(method).await;
        std::fs::write(&secret_file, &secret).unwrap();
        let file = secret_file.to_str().unwrap();
        let (account, _) =
            desktop.login(&person, &["--url", url, "--client-id", &id, "--client-secret-file", file]);
        assert_eq!(account["account"], "ada");
        protected.expire().await;
        assert_eq!(desktop.run_ok(&person, &calls)["content"][0]["text"], "ada with tools");
        let renewed = protected.grants_of("refresh_token").await;
        assert_eq!(renewed.last().unwrap()["client"]["id"], id);
        desktop.run_ok(&person, &["logout", &account["id"].to_string(), "--json"]);
    }
    let seen = protected.events().await;
    // Only the developer registered clients.
    assert_eq!(seen["registered"].as_array().map(Vec::len), Some(2), "{seen}");

    let machine = |name: &str| protected.machine[name].as_str().unwrap();
    std::fs::write(&secret_file, machine("secret")).unwrap();
    let file = secret_file.to_str().unwrap();
    let words =
        ["--url", url, "--client-id", machine("id"), "--client-secret-file", file, "--client-credentials"];
    let (account, _) = desktop.login(&person, &words);
    assert_eq!(account["account"], Value::Null);
    assert_eq!(desktop.run_ok(&person, &calls)["content"][0]["text"], "machine with tools");
    let seen = protected.events().await;
    assert_eq!(seen["registered"].as_array().map(Vec::len), Some(2), "it was known beforehand: {seen}");
    // It gets another token without a person, and without a refresh token.
    protected.expire().await;
    assert_eq!(desktop.run_ok(&person, &calls)["content"][0]["text"], "machine with tools");
    assert_eq!(protected.grants_of("client_credentials").await.len(), 2);
    desktop.run_ok(&person, &["logout", &account["id"].to_string(), "--json"]);
    assert!(protected.token_statuses().await.iter().all(|status| *status == 401));
}
