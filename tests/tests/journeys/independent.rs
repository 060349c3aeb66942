//! Third-party servers with unusual setups, and old ones.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::command_line::{
    CommandLineUser, CommandOutput, ListeningServer, first_text, names, npm, old_everything, python, script,
    text,
};

/// Creates a folder with a file in it. Returns its path too.
fn folder_with(file: &str) -> (tempfile::TempDir, String) {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join(file), "ahoy\n").unwrap();
    let path = text(&place.path().canonicalize().unwrap());
    (place, path)
}

// Requirements: ROOT-02.
#[test]
fn the_filesystem_server_has_the_folders_before_a_first_call() {
    let (person, server) = (CommandLineUser::new(), npm("mcp-server-filesystem"));
    let (_other, other) = folder_with("other.txt");
    let (_place, place) = folder_with("manifest.txt");
    let arguments = json!({"path": place});
    // The server starts with another folder, and replaces it with the roots from the client.
    let target = ["--root", place.as_str(), "--", server.as_str(), other.as_str()];
    for _ in 0..4 {
        let listed = person.call("list_directory", arguments.clone(), &target);
        assert_eq!(first_text(&listed), "[FILE] manifest.txt");
    }
    person.run_ok(&["add", "files", "--json", "--", &server, &other]);
    person.run_ok(&["roots", "add", &place, "--server", "files", "--json"]);
    for _ in 0..4 {
        let listed = person.call("list_directory", arguments.clone(), &["--server", "files"]);
        assert_eq!(first_text(&listed), "[FILE] manifest.txt");
    }
    let roots = person.run_ok(&["roots", "--server", "files", "--json"]);
    person.run_ok(&["roots", "remove", &roots["result"][0]["id"].to_string(), "--json"]);
    let arguments = arguments.to_string();
    let refused = person.run(&["call", "list_directory", &arguments, "--json", "--server", "files"]);
    assert_eq!(refused.code, 1, "without it the folder is none of the server's: {refused}");
}

// Requirements: SSE-08.
#[test]
fn an_http_sse_stream_in_answer_to_a_post_is_known_at_once() {
    let person = CommandLineUser::new();
    let server = ListeningServer::start("node", &[&script("sse-any-method.mjs")]);
    let target = ["--url", server.url.as_str()];
    let start = Instant::now();
    let probed = person.run_ok(&["probe", "--json", "--url", &server.url]);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert_eq!(probed["era"], "sse", "{probed}");
    let echo = person.call("echo", json!({"text": "ahoy"}), &target);
    assert_eq!(first_text(&echo), "ahoy");
}

/// Such servers need `arguments` in every call, and don't exit when their input ends.
#[test]
fn old_servers_are_called_without_arguments_and_end_soon() {
    let person = CommandLineUser::new();
    for version in ["0.6.2", "2025.12.18"] {
        let server = old_everything(version);
        let mut calling = person.command(&["call", "getTinyImage", "--json", "--", "node", &server]);
        let mut calling = calling.stdout(Stdio::piped()).spawn().unwrap();
        let mut printed = String::new();
        let mut out = BufReader::new(calling.stdout.take().unwrap());
        out.read_line(&mut printed).unwrap();
        let answered = Instant::now();
        assert!(calling.wait().unwrap().success(), "{version}: {printed}");
        let took = answered.elapsed();
        assert!(took < Duration::from_secs(4), "{version} took {took:?} after its answer");
        let called: Value = serde_json::from_str(&printed).unwrap();
        let blocks = called["result"]["content"].as_array().unwrap();
        assert!(blocks.iter().any(|block| block["type"] == "image"), "{version}: {called}");
    }
}

/// The next step that the person sees.
fn next(ran: &CommandOutput) -> &str {
    ran.json["error"]["next"].as_str().unwrap_or_else(|| panic!("no next step: {ran}"))
}

#[test]
fn a_tool_that_asks_in_sessions_only_says_so_and_works_there() {
    let (person, python, script) = (CommandLineUser::new(), python(), script("python_elicits.py"));
    for kind in ["sdk", "fastmcp"] {
        let server = ["--", python.as_str(), script.as_str(), kind];
        let words = [&["call", "register", "--json", "--elicit", "accept-defaults"][..], &server].concat();
        let failed = person.run(&words);
        assert_ne!(failed.code, 0, "{kind}: {failed}");
        assert!(next(&failed).contains("--era session"), "{kind}: {failed}");
        let target = [&["--elicit", "accept-defaults", "--era", "session"][..], &server].concat();
        let registered = person.call("register", json!({}), &target);
        assert_eq!(first_text(&registered), "registered Fair Wind", "{kind}");
    }
}

// Requirements: ELIC-18, ELIC-23.
#[test]
fn urls_that_a_server_wants_opened_are_printed() {
    let (person, server) = (CommandLineUser::new(), npm("mcp-server-everything"));
    let server = ["--", server.as_str()];
    let url = "https://example.com/sign?paper=7&copy=2";
    let wanted = json!({"url": url, "message": "Sign the paper"}).to_string();
    // The tool only exists for clients that can open URLs.
    let words = ["call", "trigger-url-elicitation", &wanted, "--elicit", "decline"];
    let ran = person.run(&[&words[..], &server].concat());
    assert_eq!(ran.code, 0, "{ran}");
    let printed = ran.to_string();
    assert!(printed.contains(url) && printed.contains("Sign the paper"), "{printed}");
    assert!(printed.contains("declined to open the URL"), "{printed}");
    assert!(printed.contains("--elicit open"), "{printed}");
    // Instead of asking, the call fails and names the URL that must be opened first.
    let wanted = json!({"url": url, "errorPath": true}).to_string();
    let words = ["call", "trigger-url-elicitation", &wanted, "--elicit", "decline"];
    let ran = person.run(&[&words[..], &server].concat());
    assert_ne!(ran.code, 0, "{ran}");
    assert!(ran.to_string().contains("https://modelcontextprotocol.io"), "{ran}");
}

// Requirements: XMH-01, XMH-02, XMH-06.
#[test]
fn a_tool_with_a_bad_header_name_is_not_offered_nor_called() {
    let person = CommandLineUser::new();
    let server = ListeningServer::start("node", &[&script("mirrored.mjs")]);
    let url = server.url.as_str();
    let listed = person.run_ok(&["tools", "--json", "--url", url]);
    assert_eq!(names(&listed), ["good"], "{listed}");
    let arguments = json!({"berth": "Pier 7"});
    let moored = person.call("good", arguments.clone(), &["--url", url]);
    assert_eq!(first_text(&moored), "moored at Pier 7");
    let refused = person.run(&["call", "bad", &arguments.to_string(), "--json", "--url", url]);
    assert_ne!(refused.code, 0, "{refused}");
    assert!(!refused.json.to_string().contains("moored at"), "{refused}");
}
