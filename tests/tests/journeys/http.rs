//! A third-party server over Streamable HTTP.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::command_line::{CommandLineUser, ListeningServer, first_text, names, npm};

/// Starts `mcp-server-everything streamableHttp`.
fn everything() -> ListeningServer {
    // Another process may take the port in between, so this retries.
    for _ in 0..5 {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut child = Command::new(npm("mcp-server-everything"))
            .arg("streamableHttp")
            .env("PORT", port.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let errors = BufReader::new(child.stderr.take().unwrap());
        let server = ListeningServer::from_child(child, format!("http://127.0.0.1:{port}/mcp"));
        if errors.lines().map_while(Result::ok).any(|line| line.contains("listening on port")) {
            return server;
        }
        server.wait_for_exit();
    }
    panic!("server-everything does not listen");
}

#[test]
fn server_everything_lists_and_calls_its_tools_over_http() {
    let (person, everything) = (CommandLineUser::new(), everything());
    let target = ["--url", everything.url.as_str()];
    let listed = person.run_ok(&["tools", "--json", "--url", &everything.url]);
    assert!(names(&listed).iter().any(|name| name == "echo"), "{listed}");
    assert_eq!(
        (listed["revision"].as_str(), listed["transport"].as_str()),
        (Some("2025-11-25"), Some("http"))
    );
    let echo = person.call("echo", json!({"message": "ahoy 青岛"}), &target);
    assert_eq!(first_text(&echo), "Echo: ahoy 青岛");
    let long = person.call("trigger-long-running-operation", json!({"duration": 0.4, "steps": 4}), &target);
    assert!(first_text(&long).starts_with("Long running operation completed"), "{long}");
}

#[test]
fn both_transports_list_the_same_tools() {
    let (person, everything) = (CommandLineUser::new(), everything());
    let over_http = person.run_ok(&["tools", "--json", "--url", &everything.url]);
    let over_stdio = person.run_ok(&["tools", "--json", "--", &npm("mcp-server-everything")]);
    assert_eq!(names(&over_http), names(&over_stdio));
}
