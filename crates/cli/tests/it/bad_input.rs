//! Errors, with their exit codes and the next step.

use mooring_testkit::http::{HttpReply, HttpScript, refused_url, serve};
use mooring_testkit::scripted_server_path;

use crate::support::{CommandOutput, TestHome};

fn check(ran: &CommandOutput, exit: i32, kind: &str) {
    assert_eq!(ran.error(), (exit, kind.to_owned()), "{ran:?}");
    assert!(ran.json()["error"]["next"].is_string(), "{ran:?}");
}

#[test]
fn a_command_line_that_means_nothing_exits_with_2() {
    let place = TestHome::new();
    for words in [&["tools"][..], &["call", "--server", "a"], &["frobnicate"], &["logs", "--limit", "0"]] {
        let ran = place.run(words);
        assert_eq!((ran.exit, ran.out.as_str()), (2, ""), "{ran:?}");
        assert!(ran.err.contains("error:"), "{ran:?}");
    }
    check(&place.run(&["tools", "--json"]), 2, "usage");
    assert_eq!(place.run(&["--help"]).exit, 0);
    assert_eq!(place.run(&["--version"]).exit, 0);
}

#[test]
fn non_object_arguments_exit_with_2_before_anything_starts() {
    let place = TestHome::new();
    for arguments in ["[1]", "{\"a\": tru}", "@missing.json"] {
        let ran = place.run_on(&["call", "echo", arguments, "--json"], &["ok"]);
        assert_eq!(ran.error(), (2, "usage".to_owned()), "{arguments}");
    }
    assert!(!place.home().exists());
}

#[test]
fn a_command_that_does_not_exist() {
    let place = TestHome::new();
    check(&place.run(&["tools", "--json", "--", "no-such-command"]), 3, "command_not_found");
    let ran = place.run(&["tools", "--", "npx-not-there"]);
    assert_eq!(ran.exit, 3);
    assert!(ran.err.contains("npx-not-there wasn’t found in the ") && ran.err.contains("→ "), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_run() {
    let place = TestHome::new();
    std::fs::write(place.folder().join("server"), "x").unwrap();
    check(&place.run(&["tools", "--json", "--", "./server"]), 3, "not_executable");
}

#[test]
fn a_server_that_exits_prints_garbage_or_prints_nothing() {
    let place = TestHome::new();
    let ran = place.run_on(&["tools", "--json"], &["exit-at-once"]);
    check(&ran, 3, "exited");
    assert!(ran.json()["error"]["evidence"].as_str().unwrap().contains("harbour.toml"));
    check(&place.run_on(&["tools", "--json", "--timeout", "1"], &["garbage-only"]), 3, "not_mcp");
    check(&place.run_on(&["tools", "--json", "--timeout", "1"], &["hang"]), 5, "timeout");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_refuses_is_not_mcp_or_fails() {
    let page = serve(HttpScript::json().on("initialize", HttpReply::html())).await;
    let broken = serve(HttpScript::json().on("initialize", HttpReply::status(500, "no"))).await;
    let refused = refused_url().await;
    tokio::task::block_in_place(|| {
        let place = TestHome::new();
        check(&place.run(&["tools", "--json", "--url", &refused]), 3, "refused");
        check(&place.run(&["tools", "--json", "--url", &page.url]), 3, "not_mcp");
        check(&place.run(&["tools", "--json", "--url", &broken.url]), 3, "http_status");
        let ran = place.run(&["tools", "--json", "--url", "ftp://x/"]);
        assert_eq!(ran.error(), (2, "invalid_server".to_owned()));
    });
}

#[test]
fn a_result_of_50_megabytes_is_refused_with_the_limit() {
    let arguments = format!("{{\"bytes\":{}}}", 50 << 20);
    let ran = TestHome::new().run_on(&["call", "huge", &arguments, "--json"], &["ok"]);
    check(&ran, 4, "too_large");
    let error = &ran.json()["error"];
    assert_eq!(error["message"], "the answer is larger than the limit of 16 MiB: it has 50 MiB");
    assert!(error["next"].as_str().unwrap().contains("--max-message"), "{ran:?}");
    let beginning = ran.json()["result"]["content"][0]["text"].as_str().unwrap().len();
    assert!((200_000..256 << 10).contains(&beginning), "{beginning}");
    let ran =
        TestHome::new().run_on(&["call", "huge", &arguments, "--max-message", "64MiB", "--json"], &["ok"]);
    assert_eq!(ran.json()["result"]["content"][0]["text"].as_str().unwrap().len(), 50 << 20);
}

/// Calls a tool of a server that answers with this line.
fn run_with_response(line: &str, json: bool) -> CommandOutput {
    let arguments = serde_json::json!({ "lines": [line] }).to_string();
    let words = ["call", "raw", &arguments, "--json"];
    TestHome::new().run_on(if json { &words } else { &words[..3] }, &["ok"])
}

#[test]
fn a_result_of_250_levels_is_shown() {
    let deep = format!("{}\"keel\"{}", "[".repeat(250), "]".repeat(250));
    let line =
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"content":[],"structuredContent":{deep}}}}}"#);
    let ran = run_with_response(&line, false);
    assert!(ran.ok().out.contains("keel"));
    assert!(run_with_response(&line, true).ok().out.contains(&deep));
    let deeper = line.replace("\"keel\"", "[[[[[\"keel\"]]]]]");
    let ran = run_with_response(&deeper, true);
    assert_eq!(ran.error(), (4, "malformed".to_owned()));
    assert!(ran.out.contains("nested deeper than 256 levels"), "{ran:?}");
}

#[test]
fn a_server_that_ignores_the_end_of_its_input_costs_a_second() {
    let server = r#"
import json, signal, sys, time
def end(*_):
    open(sys.argv[1], "w").write(str(time.monotonic() - ended_at))
    sys.exit()
signal.signal(signal.SIGTERM, end)
for line in sys.stdin:
    asked = json.loads(line)
    answer = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "late", "version": "1"}}
    if asked.get("method") == "tools/list": answer = {"tools": []}
    if asked.get("method") == "server/discover": answer = {}
    if "id" in asked: print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
ended_at = time.monotonic()
time.sleep(60)
"#;
    let place = TestHome::new();
    let waited = place.folder().join("waited");
    let ran = place.run(&["tools", "--json", "--", "python3", "-c", server, waited.to_str().unwrap()]).ok();
    assert_eq!(ran.json()["result"]["tools"], serde_json::json!([]));
    // The server measures from the end of its input, so the time it takes to start doesn't count.
    let waited: f64 = std::fs::read_to_string(waited).unwrap().parse().unwrap();
    assert!(waited < 3.0, "{waited} s");
}

#[test]
fn numbers_that_json_does_not_have_are_null_and_named() {
    let line = r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":{"knots":[1.5,NaN,-Infinity]}}}"#;
    let ran = run_with_response(line, true);
    let answer = ran.json();
    assert_eq!(answer["result"]["structuredContent"]["knots"], serde_json::json!([1.5, null, null]));
    let remarks = answer["diagnostics"].to_string();
    assert!(
        remarks.contains("JSON has no NaN") && remarks.contains("structuredContent.knots[2]"),
        "{remarks}"
    );
}

#[test]
fn a_database_from_a_newer_version_is_refused_and_left_alone() {
    let place = TestHome::new();
    place.run(&["list"]).ok();
    let file = place.home().join("mooring.db");
    let script = "import sqlite3, sys\n\
        db = sqlite3.connect(sys.argv[1])\n\
        db.execute(\"INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
        VALUES (999, 'later', 1, x'00', 0)\")\n\
        db.commit()";
    #[expect(clippy::disallowed_methods, reason = "the database is changed as by another program")]
    let status = std::process::Command::new("python3").args(["-c", script]).arg(&file).status().unwrap();
    assert!(status.success());
    let before = std::fs::read(&file).unwrap();
    let ran = place.run(&["list", "--json"]);
    check(&ran, 3, "database_newer");
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_data_folder_that_cannot_be_written_is_named() {
    let place = TestHome::new();
    let mut command = place.command(&["list", "--json"]);
    let ran = CommandOutput::from(command.env("MOORING_HOME", "/sys/mooring").output().unwrap());
    check(&ran, 3, "read_only");
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains("/sys/mooring"));
}

/// Runs a command whose standard output is already closed.
fn run_with_closed_stdout(place: &TestHome, words: &[&str]) -> CommandOutput {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    place.command(words).stdout(writer).output().unwrap().into()
}

#[test]
fn output_that_nobody_reads_any_more_is_no_error() {
    let place = TestHome::new();
    place.run(&["add", "kept", "--", "true"]).ok();
    for words in [&["list"][..], &["list", "--json"]] {
        let ran = run_with_closed_stdout(&place, words);
        assert_eq!((ran.exit, ran.err.as_str()), (0, ""), "{words:?}: {ran:?}");
    }
    assert_eq!(run_with_closed_stdout(&place, &["tools", "--", "no-such-command"]).exit, 3);
}

#[test]
fn what_failed_says_so_also_where_nobody_reads_its_output() {
    let place = TestHome::new();
    let server = scripted_server_path().display().to_string();
    let error = r#"{"code":-32001,"message":"no"}"#;
    let failing: [(&[&str], _, _); 5] = [
        (&["call", "tool_error"], 1, "the tool reported an error"),
        (&["call", "tool_error", "--json"], 1, "the tool reported an error"),
        (&["call", "error", error, "--json"], 4, "error -32001"),
        (&["bench", "--calls", "10", "--tool", "tool_error", "--json"], 1, "the tool reported an error"),
        (&["read", "nowhere:///", "--json"], 4, "method not found"),
    ];
    for (words, exit, why) in failing {
        let ran = run_with_closed_stdout(&place, &[words, &["--", &server, "ok"]].concat());
        assert!(ran.exit == exit && ran.err.contains(why), "{words:?}: {ran:?}");
    }
    let ran = run_with_closed_stdout(&place, &["remove", "nobody", "--json"]);
    assert!(ran.exit == 2 && ran.err.contains("nobody"), "{ran:?}");
}
