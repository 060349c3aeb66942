//! Every kind of authorization server with every kind of protected server, unmodified: signing in, calling,
//! refreshing the token during a call, signing out.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, SystemTime};

use mooring_accounts::{SignInOptions, SignInProblemCode};
use mooring_connections::{ConnectOptions, Connection};
use mooring_errors::HostError;
use mooring_host::Host;
use mooring_oauth::{Client, ClientAuthentication, RedirectAddress, StepObserver};
use serde_json::{Value, json};

use super::ADA;
use super::support::{call, open, target};
use crate::command_line::{ListeningServer, python, script};

/// The lifetime of tokens, in seconds. They are refreshed after half of it, which must be over before the
/// first call.
const LIFE: &str = "4";

/// An authorization server. Dropping this ends it.
struct Issuer {
    child: Child,
    lines: BufReader<ChildStdout>,
    /// What a server needs to check its tokens.
    told: Value,
}

impl Drop for Issuer {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

impl Issuer {
    /// Starts `issuer.mjs`, which also has a manually registered client.
    fn node(kind: &str) -> Self {
        let mut command = Command::new("node");
        Self::start(command.args([&script("issuer.mjs"), kind, LIFE]))
    }

    fn start(command: &mut Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let (mut line, mut lines) = (String::new(), BufReader::new(child.stdout.take().unwrap()));
        lines.read_line(&mut line).unwrap();
        let told = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        Self { child, lines, told }
    }

    fn issuer(&self) -> &str {
        self.told["issuer"].as_str().unwrap()
    }

    /// Sends the issuer the servers that it issues tokens for, once they are running.
    fn serve(&mut self, servers: &[ListeningServer]) {
        let resources: Vec<_> = servers.iter().map(|server| server.url.as_str()).collect();
        let redirect = format!("http://127.0.0.1{}", RedirectAddress::path_for_issuer(self.issuer()));
        let line = json!({"resources": resources, "redirect": redirect});
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
        let mut ready = String::new();
        self.lines.read_line(&mut ready).unwrap();
        assert_eq!(ready, "ready\n");
    }
}

/// Starts a server of each kind that checks this authorization server's tokens.
fn servers(told: &Value) -> [ListeningServer; 3] {
    let (told, python) = (told.to_string(), python());
    let python = |kind| ListeningServer::start(&python, &[&script("python_resource.py"), kind, &told]);
    [ListeningServer::start("node", &[&script("resource.mjs"), &told]), python("sdk"), python("fastmcp")]
}

/// Signs in to each server, calls, lets the token expire, calls over the same connection, and signs out.
async fn with_each_server(servers: &[ListeningServer], options: &SignInOptions) {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    for server in servers {
        whole_login(&host, &server.url, options).await;
    }
    host.shutdown().await;
}

async fn sign_in(host: &Host, url: &str, options: &SignInOptions) -> Result<i64, HostError> {
    let login = host.sign_in(target(url), options, &ADA, StepObserver::new(drop)).await?;
    assert!(
        login.tokens.refreshable && login.tokens.scopes_granted.contains(&"tools".to_owned()),
        "{login:?}"
    );
    Ok(login.id)
}

async fn whole_login(host: &Host, url: &str, options: &SignInOptions) {
    let login = sign_in(host, url, options).await.unwrap_or_else(|error| panic!("{url}: {error}"));
    let connection = host.connect(target(url), ConnectOptions::default()).await.unwrap();
    check(&connection).await;

    let expires_at = expires_at(host, login).await;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    tokio::time::sleep((expires_at + Duration::from_secs(1)).saturating_sub(now)).await;
    check(&connection).await;
    assert!(expires_at < self::expires_at(host, login).await, "{url}: it was not renewed");

    host.sign_out(login).await.unwrap();
    connection.close().await;
    let refused = host.connect(target(url), ConnectOptions::default()).await;
    assert!(refused.is_err(), "{url}: nobody is signed in");
}

/// Checks that the server sees the token's scopes.
async fn check(connection: &Connection) {
    let scopes = call(connection, "scopes", &json!({})).await;
    assert!(scopes.split(' ').any(|scope| scope == "tools"), "{scopes}");
}

async fn expires_at(host: &Host, login: i64) -> Duration {
    let accounts = host.accounts().await.unwrap();
    let account = accounts.iter().find(|account| account.login.id == login).unwrap();
    Duration::from_micros(account.login.tokens.expires_at_us.unwrap().try_into().unwrap())
}

// Requirements: AUTH-18, AUTH-38, AUTH-39, AUTH-43.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn oidc_provider_as_it_comes_signs_in_to_each_server() {
    let mut issuer = Issuer::node("oidc-provider");
    let servers = servers(&issuer.told);
    issuer.serve(&servers);
    with_each_server(&servers, &SignInOptions::default()).await;
}

// Requirements: AUTH-18, AUTH-38, AUTH-39, AUTH-43.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn better_auth_as_it_comes_signs_in_to_each_server() {
    let mut issuer = Issuer::node("better-auth");
    let servers = servers(&issuer.told);
    issuer.serve(&servers);
    with_each_server(&servers, &SignInOptions::default()).await;
}

// Requirements: AUTH-18, AUTH-38, AUTH-39, AUTH-43.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn authlib_as_it_comes_signs_in_to_each_server() {
    let mut command = Command::new(python());
    let issuer = Issuer::start(command.args([&script("authlib_issuer.py"), LIFE]));
    with_each_server(&servers(&issuer.told), &SignInOptions::default()).await;
}

// Requirements: AUTH-18, AUTH-38, AUTH-39, AUTH-43.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_python_has_for_sign_in_serves_each_server() {
    for kind in ["sdk", "fastmcp"] {
        let issuer = ListeningServer::start(&python(), &[&script("python_sign_in.py"), kind, LIFE]);
        let base = issuer.url.trim_end_matches("/mcp");
        let told =
            json!({"issuer": base, "introspection": format!("{base}/introspection"), "audience": null});
        with_each_server(&servers(&told), &SignInOptions::default()).await;
    }
}

/// It doesn't allow client registration, and reports that with a misleading code.
// Requirements: AUTH-15, AUTH-18, AUTH-38, AUTH-39, AUTH-43.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_entered_by_hand_signs_in_where_keycloak_decides() {
    let mut issuer = Issuer::node("keycloak");
    let servers = servers(&issuer.told);
    issuer.serve(&servers);
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path()).await;
    let refused = sign_in(&host, &servers[0].url, &SignInOptions::default()).await.unwrap_err();
    let HostError::SignIn(problem) = refused else { panic!("{refused}") };
    assert_eq!(problem.code, SignInProblemCode::ClientNeeded, "{problem:?}");
    // Only the port may differ.
    let registered = problem.redirect.unwrap();
    let path = RedirectAddress::path_for_issuer(issuer.issuer());
    assert!(registered.starts_with("http://127.0.0.1") && registered.ends_with(&path), "{registered}");
    host.shutdown().await;

    let client =
        Client { id: "mooring".to_owned(), secret: None, authentication: ClientAuthentication::None };
    with_each_server(&servers, &SignInOptions { client: Some(client), ..SignInOptions::default() }).await;
}
