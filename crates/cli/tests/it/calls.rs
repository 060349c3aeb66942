//! `probe`, `tools`, `call` and `bench`.

use std::process::Stdio;

use mooring_testkit::http::{HttpReply, HttpScript, serve};
use mooring_testkit::scripted_server_path;
use serde_json::{Value, json};

use crate::support::TestHome;

#[test]
fn probe_tells_what_was_negotiated_and_why() {
    let json = TestHome::new().run_on(&["probe", "--json"], &["ok"]).ok().json();
    assert_eq!(json["ok"], true);
    assert_eq!(json["result"]["capabilities"], json!({"tools": {"listChanged": true}, "logging": {}}));
    assert_eq!(json["result"]["instructions"], "Does what the test says.");
    assert!(!json["result"]["steps"].as_array().unwrap().is_empty());
    assert_eq!(json["server"], json!({"name": "scripted", "version": "1.2.3"}));
    assert_eq!(
        (json["revision"].as_str(), json["era"].as_str(), json["transport"].as_str()),
        (Some("2025-11-25"), Some("session"), Some("stdio"))
    );
    assert!(json["reason"].is_string() && json["elapsed_ms"].is_u64() && json["diagnostics"].is_array());
}

#[test]
fn tools_gathers_all_pages_into_one_result() {
    let place = TestHome::new();
    let json = place.run_on(&["tools", "--json"], &["pages", "4"]).ok().json();
    assert_eq!(json["result"]["tools"].as_array().unwrap().len(), 12);
    let text = place.run_on(&["tools"], &["ok"]).ok().out;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("echo "), "{text}");
    assert!(lines[1].starts_with("add ") && lines[1].contains(" a b "), "{text}");
    assert_eq!(lines[0].find("Scripted"), lines[1].find("Adds"), "columns are aligned: {text}");
}

#[test]
fn a_tool_that_cannot_be_read_is_a_diagnostic_with_its_place() {
    let json = TestHome::new().run_on(&["tools", "--json"], &["bad-tools"]).ok().json();
    let diagnostics = json["diagnostics"].as_array().unwrap();
    assert!(diagnostics.iter().any(|odd| odd["path"].as_str().unwrap().starts_with("tools[")), "{json}");
}

#[test]
fn a_result_is_printed_to_the_byte() {
    let line = r#"{"jsonrpc":"2.0","id":$ID,"result":{ "content":[],"z":1.0, "a":12345678901234567890,"a":"é\u00e9" }}"#;
    let arguments = json!({"lines": [line]}).to_string();
    let ran = TestHome::new().run_on(&["call", "raw", &arguments, "--json"], &["ok"]).ok();
    let expected = r#""result":{ "content":[],"z":1.0, "a":12345678901234567890,"a":"é\u00e9" },"#;
    assert!(ran.out.contains(expected), "{}", ran.out);
}

#[test]
fn arguments_come_from_the_line_a_file_or_standard_input() {
    let place = TestHome::new();
    std::fs::write(place.folder().join("arguments.json"), "{\n  \"text\": \"from a file\"\n}\n").unwrap();
    let server = scripted_server_path().display().to_string();
    assert_eq!(place.run_on(&["call", "echo", r#"{"text":"hi"}"#], &["ok"]).ok().out, "hi\n");
    assert_eq!(place.run_on(&["call", "echo", "@arguments.json"], &["ok"]).ok().out, "from a file\n");
    let piped = place.run_with_input(&["call", "echo", "-", "--", &server, "ok"], "{\"text\":\"piped\"}");
    assert_eq!(piped.ok().out, "piped\n");
    assert_eq!(place.run_on(&["call", "echo"], &["ok"]).ok().out, "\n");
}

#[test]
fn server_command_runs_in_the_callers_directory_and_path() {
    let place = TestHome::new();
    let server = scripted_server_path();
    let mut command =
        place.command(&["call", "surroundings", "--json", "--", "mooring-scripted-server", "ok"]);
    command.env("PATH", server.parent().unwrap()).env("PRIVATE_OF_THE_CALLER", "x");
    let output = command.output().unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = json["result"]["content"][0]["text"].as_str().unwrap();
    let surroundings: Value = serde_json::from_str(text).unwrap();
    assert_eq!(surroundings["directory"], json!(place.folder().canonicalize().unwrap()));
    assert_eq!(surroundings["environment"]["PATH"], json!(server.parent().unwrap()));
    assert_eq!(surroundings["environment"]["PRIVATE_OF_THE_CALLER"], Value::Null);
}

#[test]
fn a_variable_is_given_to_a_command_and_offered_at_a_failure() {
    let place = TestHome::new();
    let server = scripted_server_path().display().to_string();
    let call = ["call", "surroundings", "--json", "--env", "TIDE_KEY=a=b", "--", &server, "ok"];
    let json = place.run(&call).ok().json();
    let text = json["result"]["content"][0]["text"].as_str().unwrap();
    let surroundings: Value = serde_json::from_str(text).unwrap();
    assert_eq!(surroundings["environment"]["TIDE_KEY"], "a=b");
    let ended = place.run(&["tools", "--", "sh", "-c", "exit 3"]);
    assert!(ended.exit == 3 && ended.err.contains("--env NAME=VALUE"), "{ended:?}");
    assert_eq!(place.run(&["tools", "--server", "x", "--env", "A=b"]).exit, 2);
}

#[test]
fn a_call_without_arguments_sends_an_empty_object() {
    let place = TestHome::new();
    place.run_on(&["call", "echo"], &["ok"]).ok();
    let sent = place.run(&["logs", "--json", "--method", "tools/call", "--direction", "out"]).ok().json();
    let body = sent["result"][0]["body"].as_str().unwrap();
    assert!(body.contains(r#""name":"echo","arguments":{}"#), "{body}");
}

#[test]
fn the_era_can_be_chosen_for_every_command_that_connects() {
    let place = TestHome::new();
    for command in [&["call", "echo"][..], &["tools"], &["probe"]] {
        let words = [command, &["--json", "--era", "session"]].concat();
        let json = place.run_on(&words, &["ok"]).ok().json();
        assert_eq!(json["era"], "session");
        assert!(!json["reason"].as_str().unwrap().contains("server/discover"), "{json}");
    }
}

#[test]
fn an_error_that_wants_urls_opened_names_them() {
    let data = json!({"elicitations": [{"mode": "url", "elicitationId": "1", "url": "https://pay.example/x", "message": "Pay"}]});
    let arguments = json!({"code": -32042, "message": "URL elicitation required", "data": data}).to_string();
    let ran = TestHome::new().run_on(&["call", "error", &arguments], &["ok"]);
    assert_eq!(ran.exit, 4);
    assert!(ran.err.contains("https://pay.example/x (Pay)") && ran.err.contains("--elicit open"), "{ran:?}");
}

#[test]
fn a_tool_that_fails_exits_with_1_and_still_shows_its_result() {
    let place = TestHome::new();
    let ran = place.run_on(&["call", "tool_error", "--json"], &["ok"]);
    assert_eq!(ran.error(), (1, "tool_error".to_owned()));
    assert_eq!(ran.json()["result"]["isError"], true);
    let ran = place.run_on(&["call", "tool_error"], &["ok"]);
    assert_eq!((ran.exit, ran.out.as_str()), (1, "the tool failed\n"));
    assert!(ran.err.contains("the tool reported an error"));
}

#[test]
fn server_error_exits_with_4_and_keeps_code_and_data() {
    let arguments = r#"{"code":-32001,"message":"no","data":{"a":1.50}}"#;
    let ran = TestHome::new().run_on(&["call", "error", arguments, "--json"], &["ok"]);
    assert_eq!(ran.error(), (4, "rpc".to_owned()));
    let error = &ran.json()["error"];
    assert_eq!((error["code"].as_i64(), error["message"].as_str()), (Some(-32001), Some("no")));
    assert!(ran.json()["server"]["name"].is_string(), "what is known about the server comes along");

    let line = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32001,"message":"no","data":{ "a":1.50,"b":"\u00e9" }}}"#;
    let ran =
        TestHome::new().run_on(&["call", "raw", &json!({"lines": [line]}).to_string(), "--json"], &["ok"]);
    assert_eq!(ran.error(), (4, "rpc".to_owned()));
    assert!(ran.out.contains(r#""data":{ "a":1.50,"b":"\u00e9" }"#), "to the byte: {}", ran.out);
}

#[test]
fn a_call_without_an_answer_exits_with_5() {
    let ran = TestHome::new().run_on(&["call", "never", "--timeout", "3", "--json"], &["ok"]);
    assert_eq!(ran.error(), (5, "timeout".to_owned()));
}

#[cfg(unix)]
#[test]
fn ctrl_c_cancels_the_call_and_exits_with_130() {
    let place = TestHome::new();
    let server = scripted_server_path().display().to_string();
    let log = place.folder().join("log");
    let mut command = place.command(&["call", "never", "--", &server, "ok"]);
    let mut child =
        command.stdout(Stdio::null()).stderr(std::fs::File::create(&log).unwrap()).spawn().unwrap();
    let sent = |place: &TestHome| {
        let ran = place.run(&["logs", "--json", "--method", "tools/call", "--direction", "out"]);
        ran.json()["result"].as_array().is_some_and(|rows| !rows.is_empty())
    };
    let started = std::time::Instant::now();
    while !sent(&place) {
        assert!(started.elapsed().as_secs() < 30, "the call never left");
    }
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let told = place.run(&["logs", "--json", "--method", "notifications/cancelled"]).json();
    assert_eq!(told["result"].as_array().unwrap().len(), 1, "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_over_http_with_headers() {
    let server = serve(HttpScript::sse()).await;
    let place = TestHome::new();
    let words =
        ["call", "echo", r#"{"text":"hi"}"#, "--json", "--url", &server.url, "--header", "X-Team: blue"];
    let json = tokio::task::block_in_place(|| place.run(&words)).ok().json();
    assert_eq!(json["result"]["content"][0]["text"], "hi");
    assert_eq!(json["transport"], "http");
    assert_eq!(server.wait_for_message("tools/call").await.header("x-team"), Some("blue"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_wants_a_login_exits_with_6() {
    let server = serve(HttpScript::json().on("initialize", HttpReply::unauthorized("Bearer"))).await;
    let place = TestHome::new();
    let ran = tokio::task::block_in_place(|| place.run(&["tools", "--json", "--url", &server.url]));
    assert_eq!(ran.error(), (6, "sign_in".to_owned()));
}

#[test]
fn bench_counts_measures_and_leaves_one_verdict() {
    let place = TestHome::new();
    let words = ["bench", "--calls", "200", "--concurrency", "8", "--json"];
    let json = place.run_on(&words, &["ok"]).ok().json()["result"].clone();
    assert_eq!((json["calls"].as_u64(), json["errors"].as_u64()), (Some(200), Some(0)));
    for key in ["p50_us", "p99_us", "rps", "cpu_us_per_call", "rss_kb"] {
        assert!(json[key].as_f64().unwrap() > 0.0, "{key}: {json}");
    }
    let rows = place.run(&["logs", "--json", "--method", "tools/call", "--limit", "1000"]).json();
    let rows = rows["result"].as_array().unwrap().clone();
    let kinds = |kind: &str| rows.iter().filter(|row| row["kind"] == kind).count();
    assert_eq!((kinds("verdict"), kinds("frame")), (1, 2 * (200 + 20 + 1)));

    let before = place.run(&["logs", "--json", "--limit", "1000"]).json();
    place.run_on(&["bench", "--calls", "10", "--no-journal", "--json"], &["ok"]).ok();
    assert_eq!(place.run(&["logs", "--json", "--limit", "1000"]).json(), before);
}

#[test]
fn what_fails_is_not_measured_and_ends_like_a_call_of_it() {
    let place = TestHome::new();
    for (name, exit, kind) in [("tool_error", 1, "tool_error"), ("error", 4, "rpc")] {
        let words = ["bench", "--calls", "10", "--tool", name, "--json"];
        assert_eq!(place.run_on(&words, &["ok"]).error(), (exit, kind.to_owned()), "{name}");
    }
}

#[test]
fn half_a_character_in_a_result_costs_nothing_but_itself() {
    let place = TestHome::new();
    let line = r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"cut \ud83d"}],"structuredContent":{"far":1e999}}}"#;
    let arguments = json!({ "lines": [line] }).to_string();
    let ran = place.run_on(&["call", "raw", &arguments], &["ok"]).ok();
    assert!(ran.out.starts_with("cut \u{fffd}\n") && ran.out.contains("1e999"), "{ran:?}");
    let ran = place.run_on(&["call", "raw", &arguments, "--json"], &["ok"]).ok();
    assert!(ran.out.contains(r#""text":"cut \ud83d""#) && ran.out.contains("1e999"), "{ran:?}");
}

#[test]
fn text_of_a_server_cannot_control_the_terminal() {
    let arguments = json!({"text": "\u{1b}[2Jgone\u{202e}"}).to_string();
    let ran = TestHome::new().run_on(&["call", "echo", &arguments], &["ok"]).ok();
    assert_eq!(ran.out, "\\u{1b}[2Jgone\\u{202e}\n");
}
