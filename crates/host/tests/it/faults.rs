//! Servers that can't be connected: the reason, the next step and the evidence for each.

use std::path::Path;
use std::time::{Duration, Instant};

use mooring_connections::{ConnectOptions, Target};
use mooring_errors::{Failure, FailureCode, HostError};
use mooring_host::{Host, HostOptions};
use mooring_server_state::StateName;
use mooring_settings::Settings;
use mooring_testkit::http::{BodyPiece, HttpReply, HttpScript, RawReply, refused_url, serve};

use crate::support::{LIMIT, connect, http, open, scripted, stdio, until, until_state, window};

async fn failure(host: &Host, target: Target, start_timeout: Duration) -> Failure {
    let options = ConnectOptions { start_timeout: Some(start_timeout), ..ConnectOptions::default() };
    match host.connect(target, options).await {
        Err(HostError::Connect(failure)) => *failure,
        other => panic!("{other:?}"),
    }
}

async fn of_command(program: &str, args: &[&str]) -> Failure {
    of_command_within(program, args, LIMIT).await
}

async fn of_command_within(program: &str, args: &[&str], start_timeout: Duration) -> Failure {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    let target = Target::Command {
        program: program.to_owned(),
        args: args.iter().map(ToString::to_string).collect(),
        env: [].into(),
        cwd: home.path().to_owned(),
    };
    let failure = failure(&host, target, start_timeout).await;
    host.shutdown().await;
    failure
}

async fn of_mode(mode: &[&str]) -> Failure {
    of_command(&mooring_testkit::scripted_server_path().display().to_string(), mode).await
}

async fn of_url(url: &str) -> Failure {
    of_url_within(url, LIMIT).await
}

async fn of_url_within(url: &str, start_timeout: Duration) -> Failure {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    let target = Target::Url { url: url.to_owned(), headers: std::collections::BTreeMap::new() };
    let failure = failure(&host, target, start_timeout).await;
    host.shutdown().await;
    failure
}

fn check(failure: &Failure, code: FailureCode, message: &str) {
    assert_eq!(failure.code, code, "{failure:?}");
    assert!(failure.message.contains(message), "{failure:?}");
    assert!(failure.next.is_some(), "{failure:?}");
}

#[tokio::test]
async fn a_command_that_does_not_exist() {
    let failure = of_command("no-such-command-anywhere", &[]).await;
    check(&failure, FailureCode::CommandNotFound, "no-such-command-anywhere wasn’t found in the ");
    assert!(failure.evidence.unwrap().lines().count() > 1);
    check(&of_command("./nowhere", &[]).await, FailureCode::CommandNotFound, "./nowhere doesn’t exist");
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_may_not_be_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("server.py");
    std::fs::write(&file, "print()").unwrap();
    let failure = of_command(file.to_str().unwrap(), &[]).await;
    check(&failure, FailureCode::NotExecutable, "exists but can’t be run");
    check(&of_command(folder.path().to_str().unwrap(), &[]).await, FailureCode::NotExecutable, "is a folder");
}

#[tokio::test]
async fn a_server_that_exits_at_once() {
    let failure = of_mode(&["exit-at-once", "3"]).await;
    check(&failure, FailureCode::Exited, "the server ended before it answered (exit code 3)");
    assert!(failure.evidence.unwrap().contains("no such file: harbour.toml"));
}

#[tokio::test]
async fn a_server_that_prints_garbage() {
    let failure = of_mode(&["garbage-only"]).await;
    check(&failure, FailureCode::NotMcp, "its output isn’t JSON-RPC");
    assert!(failure.evidence.unwrap().contains("Starting server on stdio..."));
    assert!(failure.next.unwrap().contains("standard input and output"));
}

#[tokio::test]
async fn output_that_is_no_message_has_its_most_likely_reason() {
    let frames = r#"sys.stdin.readline(); answer = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {}}); print(f"Content-Length: {len(answer)}\r\n\r\n{answer}", end="", flush=True); sys.stdin.read()"#;
    let indents = r#"sys.stdin.readline(); print(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {}}, indent=2), flush=True); sys.stdin.read()"#;
    let echoes = "for line in sys.stdin: print(line, end='', flush=True)";
    let python = |program: &str| ("python3", format!("import json, sys\n{program}"));
    // It waits for input until the start timeout. An interpreter could take that long just to start.
    let asks = ("sh", "printf 'Harbour key: '; while read line; do :; done".to_owned());
    for ((interpreter, program), seconds, what, evidence) in [
        (python(echoes), 30, "not an MCP server: it sends back what it receives", "server/discover"),
        (asks, 1, "as if for input at a terminal", "Harbour key: "),
        (python(frames), 30, "language servers", "Content-Length: 4"),
        (python(indents), 30, "a message must be on one line", "{\n  \"jsonrpc\": \"2.0\","),
    ] {
        let failure = of_command_within(interpreter, &["-c", &program], Duration::from_secs(seconds)).await;
        check(&failure, FailureCode::NotMcp, what);
        assert!(failure.evidence.as_ref().unwrap().contains(evidence), "{failure:?}");
    }
}

#[tokio::test]
async fn a_server_that_prints_nothing() {
    let server = mooring_testkit::scripted_server_path().display().to_string();
    let failure = of_command_within(&server, &["hang"], Duration::from_millis(700)).await;
    check(&failure, FailureCode::Timeout, "the server gave no answer within 0.7 s");
}

#[tokio::test]
async fn a_server_that_refuses_to_initialize() {
    check(&of_mode(&["refuse-initialize"]).await, FailureCode::Handshake, "the server rejected initialize");
}

#[tokio::test]
async fn an_address_that_refuses() {
    let failure = of_url(&refused_url().await).await;
    check(&failure, FailureCode::Refused, "the server couldn’t be reached");
}

#[tokio::test]
async fn an_address_that_answers_with_a_page() {
    let server = serve(HttpScript::json().on("initialize", HttpReply::html())).await;
    let failure = of_url(&server.url).await;
    check(&failure, FailureCode::NotMcp, "not an MCP server");
    assert_eq!(&*failure.next.unwrap(), "Check the URL in the server’s documentation.");
}

#[tokio::test]
async fn an_address_that_answers_with_an_error() {
    let server = serve(HttpScript::json().on("initialize", HttpReply::status(500, "boiler on fire"))).await;
    let failure = of_url(&server.url).await;
    check(&failure, FailureCode::HttpStatus, "HTTP status 500");
    assert!(failure.evidence.unwrap().contains("boiler on fire"));
}

/// A gateway's response when the server behind it is down.
#[tokio::test]
async fn an_address_that_opens_a_stream_and_says_nothing() {
    let silent = || HttpReply::from(RawReply::stream().piece(BodyPiece::Hang));
    let script = HttpScript::json().on("server/discover", silent()).on("initialize", silent());
    let server = serve(script).await;
    let failure = of_url_within(&server.url, Duration::from_millis(900)).await;
    check(&failure, FailureCode::Timeout, "opened a stream for its answer, and nothing came on it");
}

#[tokio::test]
async fn an_address_that_wants_a_login() {
    let server =
        serve(HttpScript::json().on("initialize", HttpReply::unauthorized("Bearer realm=\"x\""))).await;
    check(&of_url(&server.url).await, FailureCode::SignIn, "requires you to sign in");
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(http("login", &server.url)).await.unwrap().id;
    until_state(&host, id, StateName::SignInNeeded).await;
    host.shutdown().await;
}

#[tokio::test]
async fn a_server_that_is_down_is_tried_again_until_it_is_there() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(http("down", &refused_url().await)).await.unwrap().id;
    let view = until(&host, id, "refused", |view| view.connection.failure.is_some()).await;
    assert_eq!(view.connection.state, StateName::Reconnecting);
    assert_eq!(view.connection.failure.unwrap().code, FailureCode::Refused);
    until(&host, id, "tried twice", |view| view.connection.attempt >= 2).await;
    host.shutdown().await;
}

#[tokio::test]
async fn unstartable_saved_server_fails_at_once_with_a_reason() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let id = host.add_server(stdio("typo", "npxx", &[])).await.unwrap().id;
    let failure = until_state(&host, id, StateName::Failed).await.connection.failure.unwrap();
    check(&failure, FailureCode::CommandNotFound, "npxx wasn’t found in the ");
    assert!(host.server(id).unwrap().connection.stderr_tail.is_empty(), "it printed nothing");
    let id = host.add_server(scripted("exits", &["exit-at-once"])).await.unwrap().id;
    // Its dependency may become available later. The reason is shown immediately.
    let view = until_state(&host, id, StateName::Reconnecting).await.connection;
    check(
        view.failure.as_ref().unwrap(),
        FailureCode::Exited,
        "the server ended before it answered (exit code 3)",
    );
    assert_eq!(view.stderr_tail.len(), 3);
    host.shutdown().await;
}

/// The host starts at login, before the network or the server is available.
#[tokio::test]
async fn what_is_not_there_yet_is_tried_at_once_when_someone_looks() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let server = serve(HttpScript::json().on("server/discover", HttpReply::status(503, "not yet"))).await;
    let busy = host.add_server(http("busy", &server.url)).await.unwrap().id;
    let nowhere = host.add_server(http("nowhere", "http://no-such-host.invalid/mcp")).await.unwrap().id;
    let there = home.path().join("there");
    let lines = format!("[ -e {there:?} ] || exit 3; exec {:?} ok", mooring_testkit::scripted_server_path());
    let program = host.add_server(stdio("program", "/bin/sh", &["-c", &lines])).await.unwrap().id;
    for id in [busy, nowhere, program] {
        let view = until(&host, id, "tried thrice", |view| view.connection.attempt >= 3).await;
        assert!(view.connection.failure.is_some());
    }
    std::fs::write(&there, "").unwrap();
    let asked = std::time::Instant::now();
    // The person views the servers many times.
    for _ in 0..100 {
        host.retry_servers();
    }
    until_state(&host, program, StateName::Ready).await;
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    host.shutdown().await;
}

#[tokio::test]
async fn the_start_timeout_is_a_setting() {
    let home = tempfile::tempdir().unwrap();
    let host = window(home.path()).await;
    let settings = Settings { start_timeout_seconds: 1, ..Settings::default() };
    host.set_settings(settings.clone()).await.unwrap();
    let started = Instant::now();
    let id = host.add_server(scripted("silent", &["hang"])).await.unwrap().id;
    let failure = until_state(&host, id, StateName::Reconnecting).await.connection.failure.unwrap();
    assert_eq!(failure.code, FailureCode::Timeout);
    assert!(started.elapsed() >= Duration::from_secs(1));
    host.shutdown().await;
    let host = open(home.path(), false).await;
    assert_eq!(host.settings(), settings);
    host.shutdown().await;
}

#[tokio::test]
async fn server_with_failing_tools_list_is_degraded_but_usable() {
    let home = tempfile::tempdir().unwrap();
    let script =
        HttpScript::json().once("tools/list", HttpReply::Error { code: -32603, message: "oops".to_owned() });
    let server = serve(script).await;
    let host = window(home.path()).await;
    let id = host.add_server(http("odd", &server.url)).await.unwrap().id;
    let failure = until_state(&host, id, StateName::Degraded).await.connection.failure.unwrap();
    assert_eq!(failure.evidence.as_deref(), Some("oops"));
    assert_eq!(host.tools(id, true).await.unwrap().tools.len(), 2);
    until_state(&host, id, StateName::Ready).await;
    host.shutdown().await;
}

#[tokio::test]
async fn a_server_without_tools_has_an_empty_list() {
    let home = tempfile::tempdir().unwrap();
    let host = open(home.path(), false).await;
    let connection = connect(&host, &["no-tools"]).await.unwrap();
    let tools = connection.tools(false).await.unwrap();
    assert_eq!((tools.tools.len(), tools.raw.get()), (0, r#"{"tools":[]}"#));
    connection.close().await;
    host.shutdown().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn unwritable_data_folder_is_reported_with_the_next_step() {
    let error = Host::open(HostOptions {
        home: Path::new("/sys/mooring").to_owned(),
        supervise: false,
        has_person: false,
        journal: true,
        demo_server: None,
        client_name: "t",
        client_version: "0",
        vault: mooring_vault::VaultOptions::default,
        browser: mooring_accounts::system_browser,
        clock: crate::clock::test_clock(),
    })
    .await
    .unwrap_err();
    assert_eq!(
        (error.code().as_str(), error.to_string().as_str()),
        ("read_only", "not writable: /sys/mooring")
    );
    assert!(error.next_step().unwrap().contains("MOORING_HOME"));
}
