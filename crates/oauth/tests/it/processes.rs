//! Several processes with one login, and processes that are killed.

use crate::support::{BackgroundTask, nobody};
use crate::token_stores::{FileTokenStore, StallPoint, granted, login};
use mooring_network::Network;
use mooring_oauth::{Clock, LoginId, SignInReason, TokenBroker, TokenUnavailable};
use mooring_testkit::oauth::{OAuthReply, OAuthScript, OAuthServer, serve};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

/// What another process is to do.
const ORDERS: &str = "MOORING_TEST_LOGIN";
/// How many processes are killed, when somebody wants more than the few of every run.
const KILLS: &str = "MOORING_KILLS";
const SECOND: Duration = Duration::from_secs(1);

fn broker(folder: &Path, stall: StallPoint) -> TokenBroker<FileTokenStore> {
    let token_store = FileTokenStore::new(folder, stall);
    TokenBroker::new(token_store, &Network::direct(), folder.join("locks"), Clock::system(), |_| nobody())
        .unwrap()
}

/// Asks many times at once, and prints what it gets.
async fn ask(orders: &Value) -> Vec<String> {
    let text = |name: &str| orders[name].as_str().unwrap().to_owned();
    let stall = match text("stall").as_str() {
        "before" => StallPoint::Before,
        "after" => StallPoint::After,
        _ => StallPoint::Nowhere,
    };
    let login = LoginId { issuer: text("issuer"), resource: text("resource"), account: text("account") };
    let broker = Arc::new(broker(Path::new(&text("folder")), stall));
    let asking: Vec<_> = (0..orders["times"].as_u64().unwrap())
        .map(|_| {
            let (broker, login) = (Arc::clone(&broker), login.clone());
            BackgroundTask::new(async move {
                match broker.access_token(&login, SECOND).await {
                    Ok(access) => format!("TOKEN {}", access.token.expose_secret()),
                    Err(needs) => format!("NEEDS {}", needs.sentence()),
                }
            })
        })
        .collect();
    let mut got = Vec::new();
    for asked in asking {
        got.push(asked.end().await);
    }
    got
}

fn orders(running: &OAuthServer, folder: &Path, times: u64, stall: &str) -> Value {
    let login = login(running);
    json!({
        "issuer": login.issuer, "resource": login.resource, "account": login.account,
        "folder": folder, "times": times, "stall": stall,
    })
}

/// Runs this test again as a process of its own, which reads what to do from a variable.
#[expect(clippy::disallowed_methods, reason = "what is to be killed is a process of its own")]
fn process(orders: &Value) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut command = tokio::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "--nocapture", "processes::a_process_asks_for_itself"]);
    command.env(ORDERS, orders.to_string()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (child, lines)
}

/// An expired login in a folder.
async fn scene() -> (OAuthServer, tempfile::TempDir) {
    let running = serve(OAuthScript { rotates: true, ..OAuthScript::default() }).await;
    let folder = tempfile::tempdir().unwrap();
    put(&running, folder.path());
    (running, folder)
}

fn put(running: &OAuthServer, folder: &Path) {
    FileTokenStore::new(folder, StallPoint::Nowhere).write(&granted(running, SystemTime::now() - SECOND));
    running.expire_access_tokens();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_asks_for_itself() {
    if let Ok(told) = std::env::var(ORDERS) {
        for line in ask(&serde_json::from_str(&told).unwrap()).await {
            println!("{line}");
        }
        return;
    }
    let (running, folder) = scene().await;
    let (mut child, mut lines) = process(&orders(&running, folder.path(), 1, "nowhere"));
    let mut token = String::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        if let Some((_, found)) = line.split_once("TOKEN ") {
            found.clone_into(&mut token);
        }
    }
    assert!(child.wait().await.unwrap().success());
    assert!(running.accepts_token(&token), "{token}");
}

// Requirements: AUTH-38, AUTH-39
#[tokio::test(flavor = "multi_thread")]
async fn fifty_calls_of_two_processes_cause_one_refresh() {
    let (running, folder) = scene().await;
    let orders = orders(&running, folder.path(), 25, "nowhere");
    // The answer is held back until both processes are at it.
    let gate = mooring_testkit::http::Gate::new();
    running.reply_once("/token", OAuthReply::After(gate.clone()));
    let mut both = [process(&orders), process(&orders)];
    running.wait_for("/token", 1).await;
    gate.open();
    let mut tokens = Vec::new();
    for (child, lines) in &mut both {
        while let Some(line) = lines.next_line().await.unwrap() {
            assert!(!line.contains("NEEDS"), "{line}");
            tokens.extend(line.split_once("TOKEN ").map(|(_, token)| token.to_owned()));
        }
        assert!(child.wait().await.unwrap().success());
    }
    assert_eq!(tokens.len(), 50);
    assert!(tokens.iter().all(|token| *token == tokens[0]) && running.accepts_token(&tokens[0]));
    assert_eq!((running.refresh_count(), running.reused_count()), (1, 0));
    assert_eq!(running.requests_to("/token").len(), 1);
}

// Requirements: AUTH-39
#[tokio::test(flavor = "multi_thread")]
async fn kill_between_answer_and_commit_keeps_or_clearly_ends_login() {
    let (running, folder) = scene().await;
    let rounds = std::env::var(KILLS).map_or(20, |rounds| rounds.parse().unwrap());
    let (mut kept, mut ended) = (0, 0);
    for round in 0..rounds {
        let stall = ["before", "after", "nowhere", "before"][round % 4];
        let asked = running.requests_to("/token").len();
        let (mut child, mut lines) = process(&orders(&running, folder.path(), 3, stall));
        if stall == "nowhere" {
            // At whatever moment: somewhere between the request and the end.
            running.wait_for("/token", asked + 1).await;
            tokio::time::sleep(Duration::from_micros(u64::try_from(round % 20).unwrap() * 300)).await;
        } else {
            while !lines.next_line().await.unwrap().is_none_or(|line| line.contains("STALLED")) {}
        }
        child.kill().await.unwrap();

        // The next caller gets a token that the server accepts, or has to sign in.
        let next = broker(folder.path(), StallPoint::Nowhere);
        let found =
            tokio::time::timeout(Duration::from_secs(20), next.access_token(&login(&running), SECOND)).await;
        match found.expect("the lock went with its process") {
            Ok(access) => {
                assert!(running.accepts_token(access.token.expose_secret()), "round {round}: a wrong token");
                assert_ne!(stall, "before", "round {round}: nothing was committed");
                kept += 1;
            }
            Err(TokenUnavailable::SignInRequired(SignInReason::Ended(sentence))) => {
                assert!(sentence.as_str().contains("invalid_grant"), "{sentence}");
                assert_ne!(stall, "after", "round {round}: it was committed");
                assert!(FileTokenStore::new(folder.path(), StallPoint::Nowhere).read().is_none());
                ended += 1;
            }
            Err(needs) => panic!("round {round}: {needs:?}"),
        }
        put(&running, folder.path());
    }
    println!("{rounds} killed: {kept} logins kept, {ended} ended by name, 0 wrong tokens");
    assert!(kept >= rounds / 4 && ended >= rounds / 2 && kept + ended == rounds, "{kept} {ended}");
}
