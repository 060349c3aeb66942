//! Failing servers and commands: the exit code, the reason and the next step.

use std::time::{Duration, Instant};

use mooring_testkit::http::{HttpReply, HttpScript, refused_url, serve};

use crate::command_line::{CommandLineUser, CommandOutput, scripted};

/// Checks the exit code, the kind of error, the next step and the message. They are part of the command
/// line's contract.
fn check(ran: &CommandOutput, code: i32, kind: &str, words: &[&str]) {
    assert_eq!((ran.code, &ran.json["ok"]), (code, &serde_json::json!(false)), "{ran}");
    assert_eq!(ran.json["error"]["kind"], kind, "{ran}");
    assert!(ran.json["error"]["next"].as_str().is_some_and(|next| !next.is_empty()), "{ran}");
    let told = ran.json["error"].to_string().to_lowercase();
    for word in words {
        assert!(told.contains(&word.to_lowercase()), "{word} is not in {told}");
    }
}

#[test]
fn a_command_that_does_not_exist_is_named() {
    let ran = CommandLineUser::new().run(&["tools", "--json", "--", "no-such-server-anywhere"]);
    check(&ran, 3, "command_not_found", &["no-such-server-anywhere"]);
}

#[test]
fn a_file_that_is_not_executable_is_named() {
    let person = CommandLineUser::new();
    std::fs::write(person.directory().join("server.txt"), "not a program").unwrap();
    let ran = person.run(&["tools", "--json", "--", "./server.txt"]);
    check(&ran, 3, "not_executable", &["server.txt"]);
}

#[test]
fn a_server_that_exits_at_once_is_quoted_with_its_exit_code() {
    let ran = CommandLineUser::new().run(&["tools", "--json", "--", &scripted(), "exit-at-once", "7"]);
    check(&ran, 3, "exited", &["exit code 7", "no such file: harbour.toml"]);
}

#[test]
fn a_server_that_prints_nothing_runs_into_the_timeout() {
    let start = Instant::now();
    let ran = CommandLineUser::new().run(&["probe", "--json", "--timeout", "1", "--", &scripted(), "hang"]);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    check(&ran, 5, "timeout", &["no answer within 1 s"]);
}

#[test]
fn a_server_that_prints_garbage_and_works_still_works() {
    let ran = CommandLineUser::new().run_ok(&[
        "call",
        "echo",
        r#"{"text": "x"}"#,
        "--json",
        "--",
        &scripted(),
        "garbage",
    ]);
    assert_eq!(ran["result"]["content"][0]["text"], "x");
    assert!(!ran["diagnostics"].as_array().unwrap().is_empty(), "{ran}");
}

#[test]
fn one_malformed_tool_hides_no_other() {
    let listed = CommandLineUser::new().run_ok(&["tools", "--json", "--", &scripted(), "bad-tools"]);
    let text = listed["result"].to_string();
    assert!(
        text.contains("good_first") && text.contains("good_last") && text.contains("no_schema"),
        "{text}"
    );
    assert!(listed["diagnostics"].as_array().unwrap().len() >= 5, "{listed}");
}

#[test]
fn a_list_is_gathered_over_all_pages() {
    let listed = CommandLineUser::new().run_ok(&["tools", "--json", "--", &scripted(), "pages", "5"]);
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 15);
}

#[test]
fn a_call_that_never_ends_runs_into_the_timeout_it_was_given() {
    let arguments = ["call", "never", "{}", "--json", "--timeout", "1", "--"];
    let ran = CommandLineUser::new().run(&[&arguments[..], &[&scripted()]].concat());
    check(&ran, 5, "timeout", &["no answer within 1 s"]);
}

#[test]
fn a_server_that_crashes_in_a_call_ends_that_call() {
    let ran = CommandLineUser::new().run(&["call", "crash", "{}", "--json", "--", &scripted()]);
    check(&ran, 3, "closed", &["the connection ended", "the server’s process ended"]);
}

#[test]
fn a_huge_result_is_refused_by_its_size_and_says_so() {
    let ran =
        CommandLineUser::new().run(&["call", "huge", r#"{"bytes": 52428800}"#, "--json", "--", &scripted()]);
    check(&ran, 4, "too_large", &["larger than the limit of 16 MiB: it has 50 MiB"]);
}

#[test]
fn wrong_usage_is_exit_code_two() {
    let person = CommandLineUser::new();
    assert_eq!(person.run(&["tools"]).code, 2);
    assert_eq!(person.run(&["call", "echo", "{not json", "--", "true"]).code, 2);
    assert_eq!(person.run(&["no-such-verb"]).code, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn urls_that_are_no_mcp_server_say_what_they_are() {
    let person = CommandLineUser::new();
    let probe = |url: &str| person.run(&["probe", "--json", "--url", url]);
    check(&probe(&refused_url().await), 3, "refused", &["refused"]);
    let page = serve(
        HttpScript::json().on("initialize", HttpReply::html()).on("server/discover", HttpReply::html()),
    )
    .await;
    check(&probe(&page.url), 3, "not_mcp", &["a web page", "<h1>welcome"]);
    let broken = HttpReply::status(500, "the engine room is flooded");
    let server =
        serve(HttpScript::json().on("initialize", broken.clone()).on("server/discover", broken)).await;
    check(&probe(&server.url), 3, "http_status", &["HTTP status 500", "the engine room is flooded"]);
    let challenge = HttpReply::unauthorized("Bearer realm=\"harbour\"");
    let locked =
        serve(HttpScript::json().on("initialize", challenge.clone()).on("server/discover", challenge)).await;
    check(&probe(&locked.url), 6, "sign_in", &["Bearer realm"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn both_kinds_of_http_answers_work() {
    for script in [
        HttpScript::json(),
        HttpScript::sse(),
        HttpScript::sse().with_priming_event(),
        HttpScript::json().without_session(),
    ] {
        let server = serve(script).await;
        let person = CommandLineUser::new();
        let ran =
            person.run_ok(&["call", "echo", r#"{"text": "over http"}"#, "--json", "--url", &server.url]);
        assert_eq!(ran["result"]["content"][0]["text"], "over http");
    }
}
