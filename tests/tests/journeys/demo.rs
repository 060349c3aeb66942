//! Calls every tool of the demo server through the command line.

use serde_json::{Value, json};

use crate::command_line::{CommandLineUser, demo, first_text, names};

#[test]
fn every_tool_of_the_demo_server_answers() {
    let (person, demo) = (CommandLineUser::new(), demo());
    let target = ["--", demo.as_str()];
    let listed = person.run_ok(&["tools", "--json", "--", &demo]);
    assert_eq!(listed["server"]["name"], "mooring-demo-server");
    let mut left = names(&listed);
    let mut call = |name: &str, arguments: Value| {
        left.retain(|known| known != name);
        person.call(name, arguments, &target)
    };
    assert_eq!(first_text(&call("echo", json!({"text": "青岛 ñ 🚢"}))), "青岛 ñ 🚢");
    assert_eq!(first_text(&call("add", json!({"a": 2, "b": 40}))), "42");
    assert!(first_text(&call("progress", json!({"seconds": 0.5}))).contains("on deck"));
    assert!(first_text(&call("log", json!({}))).starts_with("Sent 7"));
    assert_eq!(call("image", json!({"width": 64}))["content"][0]["mimeType"], "image/png");
    assert_eq!(call("audio", json!({"seconds": 0.2}))["content"][0]["mimeType"], "audio/wav");
    assert_eq!(call("structured", json!({"city": "青岛"}))["structuredContent"]["totalFree"], 11);
    assert_eq!(call("link", json!({}))["content"][1]["type"], "resource_link");
    assert_eq!(first_text(&call("long_text", json!({"lines": 5_000}))).lines().count(), 5_000);
    let booking = json!({"ship": "Fair Wind", "arrival": "2026-05-17", "contact": {"name": "Ada"}});
    assert_eq!(call("book_berth", booking)["structuredContent"]["city"], "青岛");
    assert!(first_text(&call("look_at_buoy", json!({}))).contains("red"));
    assert!(first_text(&call("repaint_buoy", json!({}))).contains("new coat"));
    left.retain(|known| known != "fail");
    assert_eq!(left, Vec::<String>::new(), "tools without a call in this test");
    person.assert_every_call_had_a_verdict();
}

#[test]
fn the_two_kinds_of_failure_have_exit_codes_of_their_own() {
    let (person, demo) = (CommandLineUser::new(), demo());
    let tool = person.run(&["call", "fail", "{}", "--json", "--", &demo]);
    assert_eq!(tool.code, 1, "{tool}");
    assert_eq!(tool.json["result"]["isError"], true, "{tool}");
    let arguments = r#"{"kind": "protocol_error", "message": "adrift"}"#;
    let protocol = person.run(&["call", "fail", arguments, "--json", "--", &demo]);
    assert_eq!((protocol.code, &protocol.json["ok"]), (4, &json!(false)), "{protocol}");
    assert_eq!(
        (&protocol.json["error"]["code"], &protocol.json["error"]["message"]),
        (&json!(-32603), &json!("adrift"))
    );
}

#[test]
fn arguments_come_from_a_file_or_from_standard_input_too() {
    use std::io::Write as _;
    let (person, demo) = (CommandLineUser::new(), demo());
    std::fs::write(person.directory().join("arguments.json"), r#"{"a": 1, "b": 2}"#).unwrap();
    let from_file = person.run_ok(&["call", "add", "@arguments.json", "--json", "--", &demo]);
    assert_eq!(first_text(&from_file["result"]), "3");
    let mut child = person
        .command(&["call", "add", "-", "--json", "--", &demo])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(br#"{"a": 20, "b": 22}"#).unwrap();
    let ran = crate::command_line::CommandOutput::from(child.wait_with_output().unwrap());
    assert_eq!(first_text(&ran.json["result"]), "42", "{ran}");
}

#[test]
fn a_probe_tells_who_is_there_and_why_this_revision() {
    let (person, demo) = (CommandLineUser::new(), demo());
    let probe = person.run_ok(&["probe", "--json", "--", &demo]);
    assert_eq!(probe["server"]["version"], env!("CARGO_PKG_VERSION"), "{probe}");
    assert!(probe["result"].to_string().contains("small harbour to practise in"), "{probe}");
    assert!(probe["elapsed_ms"].is_number(), "{probe}");
}
