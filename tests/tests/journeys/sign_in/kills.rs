//! Kills processes during a token refresh, between the server's answer and the commit to disk.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use mooring_accounts::SignInOptions;
use mooring_connections::ConnectOptions;
use mooring_host::Host;
use mooring_oauth::{AuthorizationUrl, Browser, BrowserFuture, Error as SignInError, StepObserver};
use mooring_store::LoginState;
use mooring_testkit::http::Gate;
use mooring_testkit::oauth::{OAuthReply, OAuthScript, OAuthServer, follow_redirects, serve};
use mooring_words::say;
use serde_json::{Value, json};

use super::support::{KEYCHAIN, call, keychain_folder, open, target};

const RENEWER_INSTRUCTIONS: &str = "MOORING_TEST_RENEWAL";
/// The variable with the number of kills, for more than the default.
const KILLS: &str = "MOORING_KILLS";

/// A browser whose person approves at once.
struct FollowingBrowser;

impl Browser for FollowingBrowser {
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        Box::pin(async move {
            let followed = follow_redirects(url.as_url().as_str()).await.map(drop);
            followed.map_err(|error| SignInError::Aborted(say!("{quoted}", quoted = error.to_string())))
        })
    }
}

/// Runs this test again in another process, which connects with the saved account.
fn renewing(server: &OAuthServer, home: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let name = "sign_in::kills::host_killed_during_renewal_keeps_or_clearly_ends_the_login";
    let orders = json!({"url": server.resource(), "home": home});
    command
        .args(["--exact", name])
        .env(RENEWER_INSTRUCTIONS, orders.to_string())
        .env(KEYCHAIN, keychain_folder());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

async fn renew(orders: &Value) {
    let host = open(Path::new(orders["home"].as_str().unwrap())).await;
    let connected = host.connect(target(orders["url"].as_str().unwrap()), ConnectOptions::default()).await;
    // Wait for the kill.
    std::future::pending::<()>().await;
    drop((connected, host));
}

async fn is_signed_in(host: &Host) -> bool {
    host.accounts().await.unwrap().iter().any(|account| account.login.state == LoginState::Active)
}

// Requirements: AUTH-38, AUTH-39.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn host_killed_during_renewal_keeps_or_clearly_ends_the_login() {
    if let Ok(orders) = std::env::var(RENEWER_INSTRUCTIONS) {
        return renew(&serde_json::from_str(&orders).unwrap()).await;
    }
    let rounds: u64 = std::env::var(KILLS).map_or(12, |rounds| rounds.parse().unwrap());
    let home = tempfile::tempdir().unwrap();
    let server = serve(OAuthScript { rotates: true, ..OAuthScript::default() }).await;
    let (mut kept, mut ended) = (0, 0);
    for round in 0..rounds {
        let host = open(home.path()).await;
        if !is_signed_in(&host).await {
            let wanted = SignInOptions::default();
            host.sign_in(target(&server.resource()), &wanted, &FollowingBrowser, StepObserver::new(drop))
                .await
                .unwrap();
        }
        host.shutdown().await;
        server.expire_access_tokens();

        // Before the answer arrives; at some moment after it; or after the token was used, so that it must be
        // saved.
        let moment = round % 4;
        let (asked, shown) = (server.requests_to("/token").len(), server.requests_to("/mcp").len());
        if moment == 0 {
            server.reply_once("/token", OAuthReply::AfterDoing(Gate::new()));
        }
        let mut child = renewing(&server, home.path());
        server.wait_for("/token", asked + 1).await;
        match moment {
            0 => tokio::time::sleep(Duration::from_millis(20)).await,
            1 | 2 => tokio::time::sleep(Duration::from_micros(round * 700 % 12_000)).await,
            _ => server.wait_for("/mcp", shown + 2).await,
        }
        child.kill().unwrap();
        child.wait().unwrap();

        let host = open(home.path()).await;
        match host.connect(target(&server.resource()), ConnectOptions::default()).await {
            Ok(connection) => {
                assert_eq!(call(&connection, "echo", &json!({"text": "moored"})).await, "moored");
                assert_ne!(moment, 0, "round {round}: nothing had arrived");
                assert!(is_signed_in(&host).await);
                connection.close().await;
                kept += 1;
            }
            Err(error) => {
                assert_ne!(moment, 3, "round {round}: what was shown was not kept: {error}");
                let [account] = &host.accounts().await.unwrap()[..] else { panic!("not one login") };
                assert!(account.ended.is_some(), "{:?}: {error}", account.login.state);
                ended += 1;
            }
        }
        host.shutdown().await;
    }
    println!("{rounds} hosts killed: {kept} logins kept, {ended} over and said so, none lost");
    assert!(kept >= rounds / 4 && ended >= rounds / 4, "{kept} kept, {ended} ended");
    assert_eq!(kept + ended, rounds);
}
