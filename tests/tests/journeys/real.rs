//! Third-party servers over stdio.

use serde_json::json;

use crate::command_line::{CommandLineUser, first_text, names, npm, python, servers, text};

#[test]
fn server_everything_lists_and_calls_its_tools() {
    let (person, everything) = (CommandLineUser::new(), npm("mcp-server-everything"));
    let listed = person.run_ok(&["tools", "--json", "--", &everything]);
    let names = names(&listed);
    for name in ["echo", "get-sum", "get-tiny-image", "trigger-long-running-operation"] {
        assert!(names.iter().any(|known| known == name), "{name} is missing: {names:?}");
    }
    assert_eq!(
        (listed["revision"].as_str(), listed["era"].as_str(), listed["transport"].as_str()),
        (Some("2025-11-25"), Some("session"), Some("stdio"))
    );
    assert!(listed["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{listed}");
    let target = ["--", everything.as_str()];
    let sum = person.call("get-sum", json!({"a": 2, "b": 40}), &target);
    assert_eq!(first_text(&sum), "The sum of 2 and 40 is 42.");
    let image = person.call("get-tiny-image", json!({}), &target);
    let blocks = image["content"].as_array().unwrap();
    let picture = blocks.iter().find(|block| block["type"] == "image").unwrap();
    assert_eq!(picture["mimeType"], "image/png");
    let weather = person.call("get-structured-content", json!({"location": "Chicago"}), &target);
    assert_eq!(weather["structuredContent"]["temperature"], 36);
}

#[test]
fn npx_starts_a_server_straight_from_its_registry() {
    // The version that the other tests pin too.
    let pins = serde_json::from_str::<serde_json::Value>(include_str!("../../servers/package.json")).unwrap();
    let package = "@modelcontextprotocol/server-everything";
    let pinned = format!("{package}@{}", pins["dependencies"][package].as_str().unwrap());
    let person = CommandLineUser::new();
    // A separate folder, because npx normally uses the person's cache.
    let cache = text(&servers().join("npx"));
    let target = ["--timeout", "180", "--", "npx", "--cache", cache.as_str(), "-y", pinned.as_str()];
    // The first start downloads the package.
    let listed = person.run_ok(&[&["tools", "--json"][..], &target].concat());
    let names = names(&listed);
    for name in ["echo", "get-sum", "trigger-long-running-operation"] {
        assert!(names.iter().any(|known| known == name), "{name} is missing: {names:?}");
    }
    let echo = person.call("echo", json!({"message": "ahoy"}), &target);
    assert_eq!(first_text(&echo), "Echo: ahoy");
}

#[test]
fn a_long_operation_reports_its_progress_and_ends() {
    let (person, everything) = (CommandLineUser::new(), npm("mcp-server-everything"));
    let arguments = json!({"duration": 0.5, "steps": 5});
    let result = person.call("trigger-long-running-operation", arguments, &["--", &everything]);
    assert!(first_text(&result).starts_with("Long running operation completed"), "{result}");
}

#[test]
fn the_caller_directory_and_path_apply_to_an_ad_hoc_command() {
    let mut person = CommandLineUser::new();
    let python = python();
    person.prepend_path(python.strip_suffix("/python").unwrap());
    let git = |arguments: &[&str]| {
        let done = std::process::Command::new("git")
            .args([
                "-c",
                "user.name=Ada",
                "-c",
                "user.email=ada@example.com",
                "-c",
                "init.defaultBranch=main",
            ])
            .args(arguments)
            .current_dir(person.directory())
            .output()
            .unwrap();
        assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    git(&["init", "--quiet"]);
    std::fs::write(person.directory().join("log.txt"), "fair wind\n").unwrap();
    git(&["add", "log.txt"]);
    git(&["commit", "--quiet", "--message", "Weigh anchor"]);
    let target = ["--", "python3", "-m", "mcp_server_git"];
    let result = person.call("git_log", json!({"repo_path": "."}), &target);
    assert!(first_text(&result).contains("Weigh anchor"), "{result}");
}

#[test]
fn the_filesystem_server_writes_and_reads_where_it_may() {
    let (person, server) = (CommandLineUser::new(), npm("mcp-server-filesystem"));
    let folder = text(&person.directory().canonicalize().unwrap());
    let target = ["--", server.as_str(), folder.as_str()];
    let file = format!("{folder}/greeting.txt");
    person.call("write_file", json!({"path": file, "content": "你好，港口\n"}), &target);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "你好，港口\n");
    let read = person.call("read_text_file", json!({"path": file}), &target);
    assert_eq!(first_text(&read), "你好，港口\n");
    let outside = json!({"path": "/etc/hostname"}).to_string();
    let mut words = vec!["call", "read_text_file", &outside, "--json"];
    words.extend(target);
    let refused = person.run(&words);
    assert_eq!(refused.code, 1, "{refused}");
}

#[test]
fn time_server_converts_zones_even_when_it_starts_slowly() {
    let (person, python) = (CommandLineUser::new(), python());
    let arguments = json!({"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Shanghai"});
    let late = format!("sleep 6; exec {python} -m mcp_server_time");
    for target in [&["--", &python, "-m", "mcp_server_time"][..], &["--", "sh", "-c", &late]] {
        let result = person.call("convert_time", arguments.clone(), target);
        assert!(first_text(&result).contains("20:00:00+08:00"), "{result}");
    }
}
