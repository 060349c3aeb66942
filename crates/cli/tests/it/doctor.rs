//! `mooring doctor` with real programs, servers on loopback and authorization servers.

use mooring_testkit::http::{HttpReply, HttpScript, RawReply, serve as serve_http};
use mooring_testkit::oauth::{OAuthScript, serve as serve_oauth};
use serde_json::Value;

use crate::json::check;
use crate::running::{end, pid, served};
use crate::support::{CommandOutput, TestHome};

const SECRET: &str = "canary-5e1f0b7a9c2d";

/// Runs the command while servers of the test answer.
fn run(home: &TestHome, words: &[&str]) -> CommandOutput {
    tokio::task::block_in_place(|| home.run(words))
}

/// The check with this code.
fn found<'a>(json: &'a Value, code: &str) -> &'a Value {
    let checks = json["result"]["checks"].as_array().unwrap();
    checks.iter().find(|check| check["code"] == code).unwrap_or_else(|| panic!("{code}: {json:#}"))
}

/// The outcome of the check with this code.
fn outcome<'a>(json: &'a Value, code: &str) -> &'a str {
    found(json, code)["outcome"].as_str().unwrap()
}

/// The codes of the failed checks.
fn failed(json: &Value) -> Vec<&str> {
    let checks = json["result"]["checks"].as_array().unwrap().iter();
    checks.filter(|check| check["outcome"] == "failed").map(|check| check["code"].as_str().unwrap()).collect()
}

/// Checks that exactly one check failed and that everything after it was skipped.
fn assert_blamed(ran: &CommandOutput, code: &str, error: &str) -> Value {
    assert_eq!(ran.exit, 1, "{ran:?}");
    let json = ran.json();
    assert_eq!(failed(&json), [code], "{json:#}");
    assert_eq!(found(&json, code)["error"], error, "{json:#}");
    assert!(found(&json, code)["next"].is_string(), "{json:#}");
    let checks = json["result"]["checks"].as_array().unwrap().iter();
    let after = checks.skip_while(|check| check["code"] != code).skip(1);
    assert!(after.clone().all(|check| check["outcome"] == "skipped"), "{json:#}");
    json
}

#[tokio::test]
async fn local_server_that_answers_passes_every_check() {
    let ran = TestHome::new().run_on(&["doctor", "--json"], &["ok"]).ok();
    let json = ran.json();
    for code in ["program", "start", "output", "protocol", "tools"] {
        assert_eq!(outcome(&json, code), "passed", "{json:#}");
    }
    assert!(found(&json, "protocol")["evidence"].as_array().unwrap().len() >= 3, "{json:#}");
    check("doctor", &ran).await;
}

#[test]
fn missing_program_is_named_and_nothing_is_started() {
    let ran = TestHome::new().run(&["doctor", "--json", "--", "no-such-program-anywhere"]);
    let json = assert_blamed(&ran, "program", "command_not_found");
    assert!(found(&json, "program")["quoted"].as_str().unwrap().contains('/'), "{json:#}");
}

#[test]
fn program_that_exits_is_blamed_with_its_last_words() {
    let ran = TestHome::new().run_on(&["doctor", "--json"], &["exit-at-once"]);
    let json = assert_blamed(&ran, "start", "exited");
    assert!(!found(&json, "start")["quoted"].as_str().unwrap().is_empty(), "{json:#}");
}

#[test]
fn text_on_standard_output_is_shown() {
    let ran = TestHome::new().run_on(&["doctor", "--json"], &["garbage-only"]);
    let json = assert_blamed(&ran, "output", "not_mcp");
    assert!(found(&json, "output")["quoted"].is_string(), "{json:#}");
    // A server that works in spite of it.
    let ran = TestHome::new().run_on(&["doctor", "--json"], &["garbage"]);
    let json = ran.json();
    assert_eq!((ran.exit, failed(&json)), (1, vec!["output"]), "{json:#}");
    assert_eq!(outcome(&json, "tools"), "passed", "{json:#}");
}

#[tokio::test]
async fn running_server_is_not_started_a_second_time() {
    let (place, service) = served().await;
    let running = pid(&place, &[]);
    let json = place.run(&["doctor", "demo", "--json"]).ok().json();
    let evidence = found(&json, "start")["evidence"].to_string();
    assert!(evidence.contains(&format!("process {running}; it wasn’t started again")), "{json:#}");
    assert_eq!(outcome(&json, "tools"), "passed", "{json:#}");
    assert_eq!(pid(&place, &[]), running);
    end(&place, service).await;
}

#[test]
fn unapproved_definition_is_never_started() {
    let home = TestHome::new();
    let mark = home.folder().join("started");
    let server = mooring_testkit::scripted_server_path().display().to_string();
    home.run(&["add", "quay", "--", &server, "ok"]).ok();
    let database = home.home().join("mooring.db");
    assert!(database.exists());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = mooring_store::Store::open(&home.home()).await.unwrap();
        let change = format!(
            "UPDATE server SET definition = json_set(definition, '$.command', '/bin/sh', '$.args', \
             json('[\"-c\",\"touch {}\"]'))",
            mark.display()
        );
        store.tamper(change).await.unwrap();
        store.close().await;
    });
    let ran = home.run(&["doctor", "quay", "--json"]);
    let json = assert_blamed(&ran, "approval", "definition_changed");
    assert!(!mark.exists(), "{json:#}");
}

#[tokio::test]
async fn refused_connection_stops_the_checks() {
    // Nothing listens on the discard port.
    let ran = TestHome::new().run(&["doctor", "http://127.0.0.1:9/mcp", "--json"]);
    assert_blamed(&ran, "connection", "refused");
    let ran = TestHome::new().run(&["doctor", "http://nothing.invalid/mcp", "--json"]);
    assert_eq!(failed(&ran.json()), ["name_lookup"], "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_answers_of_a_url_are_told_apart() {
    let served = serve_http(HttpScript::json()).await;
    let ran = run(&TestHome::new(), &["doctor", &served.url, "--json"]).ok();
    check("doctor", &ran).await;
    assert_eq!(outcome(&ran.json(), "tools"), "passed", "{ran:?}");
    assert_eq!(outcome(&ran.json(), "tls"), "skipped", "{ran:?}");

    for (reply, error) in [
        (HttpReply::html(), "not_mcp"),
        (HttpReply::redirect(308, "http://elsewhere.invalid/mcp"), "http_status"),
        (HttpReply::status(404, "nothing here"), "http_status"),
    ] {
        let methods = ["initialize", "server/discover", "GET"];
        let script = methods.into_iter().fold(HttpScript::json(), |script, on| script.on(on, reply.clone()));
        let served = serve_http(script).await;
        let ran = run(&TestHome::new(), &["doctor", &served.url, "--json"]);
        let json = assert_blamed(&ran, "answer", error);
        assert_eq!(outcome(&json, "connection"), "passed", "{json:#}");
        if json.to_string().contains("308") {
            assert!(json.to_string().contains("http://elsewhere.invalid"), "{json:#}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn required_sign_in_is_followed_to_its_metadata() {
    let served = serve_oauth(OAuthScript::default()).await;
    let ran = run(&TestHome::new(), &["doctor", &served.resource(), "--json"]);
    let json = assert_blamed(&ran, "account", "sign_in");
    for code in ["answer", "resource_metadata", "authorization_server", "client", "redirect_address"] {
        assert_eq!(outcome(&json, code), "passed", "{json:#}");
    }
    let text = found(&json, "authorization_server").to_string();
    assert!(text.contains(&served.issuer()), "{json:#}");
    // Nothing was registered.
    assert!(served.requests_to("/register").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn report_has_no_secret_wherever_it_was() {
    let home = TestHome::new();
    let report = home.folder().join("report.txt");
    let report = report.to_str().unwrap();
    let read = || std::fs::read_to_string(report).unwrap();
    // The program repeats a variable and an argument in its last words.
    let script = "echo \"the key is $API_KEY and $2, bearer $3\" >&2; exit 3";
    let variable = format!("API_KEY={SECRET}1");
    let argument = format!("{SECRET}2");
    let line = ["doctor", "--json", "--report", report, "--env", &variable, "--", "sh", "-c", script, "x"];
    let ran = run(
        &home,
        &[&line[..], &["--api-key", &argument, "ghp_0123456789abcdefghijklmnopqrstuvwxyz"]].concat(),
    );
    let text = read();
    assert!(text.contains("the key is") && text.contains("[failed] Start (exited)"), "{text}");
    assert!(!text.contains(SECRET) && !ran.out.contains(SECRET), "{text}{ran:?}");
    assert!(!text.contains("ghp_0123456789"), "{text}");

    // The server repeats a header and a parameter of the URL.
    let body = format!("no access with {SECRET}3 and {SECRET}4");
    let reply: HttpReply = RawReply::new(500).header("content-type", "text/plain").text(&body).into();
    let methods = ["initialize", "server/discover", "GET"];
    let script = methods.into_iter().fold(HttpScript::json(), |script, on| script.on(on, reply.clone()));
    let served = serve_http(script).await;
    let url = format!("{}?api_key={SECRET}4", &served.url);
    let header = format!("X-Api-Key: {SECRET}3");
    let ran = run(&home, &["doctor", &url, "--header", &header, "--json", "--report", report]);
    let text = read();
    assert!(text.contains("no access with") && text.contains("(http_status)"), "{text}");
    assert!(!text.contains(SECRET) && !ran.out.contains(SECRET), "{text}{ran:?}");
}

#[tokio::test]
async fn mooring_itself_is_checked_without_a_target() {
    let home = TestHome::new();
    let mut command = home.command(&["doctor", "--json"]);
    let ran: CommandOutput = command.env("HOME", home.folder()).output().unwrap().into();
    check("doctor", &ran).await;
    let json = ran.json();
    for code in ["data_folder", "disk_space", "database", "log", "keychain", "network_settings"] {
        assert_eq!(outcome(&json, code), "passed", "{json:#}");
    }
    assert_eq!(outcome(&json, "app_entry"), "skipped", "{json:#}");
    let text = home.run(&["doctor"]).out;
    assert!(text.contains("passed   Data folder"), "{text}");
}

#[test]
fn damaged_database_is_a_finding_of_its_own() {
    let home = TestHome::new();
    home.run(&["list"]).ok();
    std::fs::write(home.home().join("mooring.db"), "no database at all, and longer than a header".repeat(50))
        .unwrap();
    let ran = home.run(&["doctor", "--json"]);
    let json = ran.json();
    assert_eq!((ran.exit, failed(&json)), (1, vec!["database"]), "{json:#}");
}
