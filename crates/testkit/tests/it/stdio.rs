//! The scripted stdio server.
#![expect(clippy::disallowed_methods, reason = "these tests start the server by themselves")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use mooring_testkit::{eventually, is_alive, scripted_server_path};
use serde_json::{Value, json};

struct StdioServer {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Drop for StdioServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(arguments: &[&str]) -> StdioServer {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mooring-scripted-server"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    StdioServer { child, stdin, stdout }
}

impl StdioServer {
    fn send(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn line(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        self.stdout.read_until(b'\n', &mut line).unwrap();
        line
    }

    fn next(&mut self) -> Value {
        let line = self.line();
        serde_json::from_slice(&line).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&line)))
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        self.next()
    }

    fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": name, "arguments": arguments}))
    }

    fn text(&mut self, name: &str, arguments: Value) -> String {
        self.call(name, arguments)["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

#[test]
fn a_good_server_answers_and_ends_with_its_input() {
    let mut server = start(&["ok"]);
    let result = server.ask("initialize", json!({"protocolVersion": "2025-06-18"}));
    assert_eq!(result["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(server.text("echo", json!({"text": "青岛"})), "青岛");
    assert_eq!(server.call("error", json!({"code": -7}))["error"]["code"], -7);
    assert_eq!(server.ask("server/discover", json!({}))["error"]["code"], -32601);
    server.stdin = None;
    assert!(server.child.wait().unwrap().success());
}

#[test]
fn a_server_that_exits_says_why_on_standard_error() {
    let mut server = start(&["exit-at-once", "5"]);
    assert_eq!(server.child.wait().unwrap().code(), Some(5));
    let mut text = String::new();
    server.child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(text.contains("no such file"), "{text}");
}

#[test]
fn garbage_surrounds_the_messages() {
    let mut server = start(&["garbage"]);
    server.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    let lines = std::iter::repeat_with(|| server.line()).take(8).collect::<Vec<_>>();
    assert_eq!(lines[0], b"Starting server on stdio...\n");
    assert!(lines[5].contains(&0xff));
    assert_eq!(serde_json::from_slice::<Value>(&lines[7]).unwrap()["id"], 1);
}

#[test]
fn pages_follow_their_cursors() {
    let mut server = start(&["pages", "2"]);
    let first = server.ask("tools/list", json!({}))["result"].clone();
    assert_eq!(first["nextCursor"], "page-1");
    let second = server.ask("tools/list", json!({"cursor": "page-1"}))["result"].clone();
    assert_eq!(second["tools"][0]["name"], "tool_3");
    assert_eq!(second.get("nextCursor"), None);
}

#[test]
fn a_cancelled_call_is_remembered_and_not_answered() {
    let mut server = start(&["ok"]);
    server.send(&json!({"jsonrpc": "2.0", "id": "slow", "method": "tools/call",
        "params": {"name": "sleep", "arguments": {"milliseconds": 60_000}}}));
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": "slow"}}));
    assert_eq!(server.text("cancelled", json!({})), r#"["slow"]"#);
}

#[test]
fn framing_modes_change_the_bytes() {
    let ping = json!({"jsonrpc": "2.0", "id": 4, "method": "ping"});
    let check = |mode: &str, expected: &[u8]| {
        let mut server = start(&[mode]);
        server.send(&ping);
        assert_eq!(server.line(), expected, "{mode}");
    };
    check("crlf", b"{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}\r\n");
    check("bom", b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}\n");
    check("string-ids", b"{\"jsonrpc\":\"2.0\",\"id\":\"4\",\"result\":{}}\n");
    check("split", b"{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}\n");
}

#[test]
fn answers_can_come_backwards() {
    let mut server = start(&["out-of-order", "2"]);
    for id in [1, 2] {
        server.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "echo", "arguments": {"text": "x"}}}));
    }
    assert_eq!((server.next()["id"].clone(), server.next()["id"].clone()), (json!(2), json!(1)));
}

#[test]
fn the_server_can_ask_the_client() {
    let mut server = start(&["ok"]);
    let question = server.call("ask", json!({"method": "ping"}));
    assert_eq!(question["method"], "ping");
    server.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"here": true}}));
    assert!(server.next()["result"]["content"][0]["text"].as_str().unwrap().contains("here"));
}

#[test]
fn raw_lines_pass_unchanged() {
    let mut server = start(&["ok"]);
    server.send(&json!({"jsonrpc": "2.0", "id": 6, "method": "tools/call",
        "params": {"name": "raw", "arguments": {"lines": ["nonsense", "{\"id\":$ID,\"result\":1}"]}}}));
    assert_eq!(server.line(), b"nonsense\n");
    assert_eq!(server.line(), b"{\"id\":6,\"result\":1}\n");
}

#[test]
fn a_script_answers_from_a_file() {
    let file = std::env::temp_dir().join(format!("mooring-script-{}.json", std::process::id()));
    std::fs::write(&file, r#"{"ping": ["{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"odd\":1}}"]}"#)
        .unwrap();
    let mut server = start(&["script", file.to_str().unwrap()]);
    assert_eq!(server.ask("ping", json!({}))["result"]["odd"], 1);
    assert_eq!(server.text("echo", json!({"text": "usual"})), "usual");
    std::fs::remove_file(file).unwrap();
}

#[tokio::test]
async fn a_family_outlives_its_parent_unless_somebody_ends_it() {
    let mut server = start(&["family"]);
    let pids = serde_json::from_str::<Vec<u32>>(&server.text("pids", json!({}))).unwrap();
    assert_eq!(pids.len(), 3);
    assert!(pids.iter().all(|pid| is_alive(*pid)));
    drop(server);
    assert!(!is_alive(pids[0]));
    assert!(is_alive(pids[1]) && is_alive(pids[2]));
    for pid in &pids[1..] {
        Command::new("kill").arg("-KILL").arg(pid.to_string()).status().unwrap();
    }
    eventually("the family is gone", Duration::from_secs(5), || !pids.iter().any(|pid| is_alive(*pid))).await;
}

#[test]
fn sigterm_can_be_ignored() {
    let mut server = start(&["ignore-sigterm"]);
    // The answer shows that the handler is in place.
    server.ask("ping", json!({}));
    Command::new("kill").arg(server.child.id().to_string()).status().unwrap();
    assert_eq!(server.text("echo", json!({"text": "still here"})), "still here");
}

#[test]
fn the_binary_is_found_from_any_test() {
    assert_eq!(scripted_server_path(), std::path::Path::new(env!("CARGO_BIN_EXE_mooring-scripted-server")));
}
