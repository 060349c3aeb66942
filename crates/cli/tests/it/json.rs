//! `--json`: the output of every command matches `docs/cli-json.schema.json`, and the page next to it
//! documents all of it.

use std::path::Path;

use mooring_calls::check_value;
use serde_json::{Value, json};

use crate::serve::LIMIT;
use crate::support::CommandOutput;
use crate::typed::place_with_demo;

fn docs(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)).unwrap()
}

fn schema() -> Value {
    serde_json::from_str(&docs("cli-json.schema.json")).unwrap()
}

/// The problems of a value when checked against one of the definitions.
async fn wrong(definition: &str, value: &Value) -> Vec<String> {
    let mut schema = schema();
    assert!(schema["$defs"].get(definition).is_some(), "{definition}");
    schema["$ref"] = json!(format!("#/$defs/{definition}"));
    let checked = check_value(schema.to_string(), value.to_string(), std::collections::BTreeMap::new()).await;
    assert!(checked.unchecked.is_empty(), "{definition}: {:?}", checked.unchecked);
    checked.problems.iter().map(|problem| format!("{definition}: {problem:?}")).collect()
}

pub(crate) async fn check(definition: &str, ran: &CommandOutput) {
    let printed = ran.json();
    let mut problems = wrong("envelope", &printed).await;
    if ran.exit == 0 {
        problems.extend(wrong(definition, &printed["result"]).await);
    }
    assert!(problems.is_empty(), "{problems:#?}\n{printed:#}");
}

/// Commands that fail, so that their errors are checked.
const FAILING: [&str; 7] = [
    "call demo fail",
    "call demo nothing",
    "login far",
    "logout 7",
    "nothing-like-it",
    "tools",
    "call demo echo --tezt",
];

#[tokio::test]
async fn the_schema_finds_what_is_wrong() {
    for (definition, value) in [
        ("version", json!({"version": 1})),
        ("version", json!({"version": "1", "more": true})),
        ("version", json!({})),
        ("envelope", json!({"ok": true})),
        ("envelope", json!({"ok": false, "result": 1})),
        ("list", json!([{"id": 1}])),
    ] {
        assert!(!wrong(definition, &value).await.is_empty(), "{definition}: {value}");
    }
}

#[tokio::test]
async fn every_command_prints_what_the_schema_says() {
    let place = place_with_demo();
    place.run(&["roots", "add", place.folder().to_str().unwrap()]).ok();
    std::fs::write(place.folder().join("value"), "hush").unwrap();
    std::fs::write(place.folder().join("passphrase"), "correct horse battery").unwrap();
    let folder = place.folder().join("shared");
    std::fs::create_dir(&folder).unwrap();
    let folder = folder.to_str().unwrap();
    for (definition, line) in [
        ("version", "version"),
        ("text", "help"),
        ("text", "help calls"),
        ("text", "completions zsh"),
        ("saved_server", "add other SERVER"),
        ("saved_server", "set other --env A=1"),
        ("saved_server", "edit other --timeout 9"),
        ("saved_server", "rename other another"),
        ("saved_server", "disable another"),
        ("saved_server", "enable another"),
        ("saved_server", "remove another"),
        ("saved_server", "add far https://127.0.0.1:9/mcp"),
        ("list", "list"),
        ("probe", "probe demo"),
        ("doctor", "doctor demo"),
        ("tools", "tools demo"),
        ("item", "tools demo echo"),
        ("resources", "resources demo"),
        ("item", "resources demo harbour://guide"),
        ("templates", "templates demo"),
        ("prompts", "prompts demo"),
        ("item", "prompts demo explain_guide"),
        ("skills", "skills demo"),
        ("call", "call demo echo text=a"),
        ("call", "call demo structured"),
        ("call", "call demo fail"),
        ("call", "call demo nothing"),
        ("read", "read demo harbour://guide"),
        ("prompt", "prompt demo explain_guide"),
        ("found", "search echo"),
        ("bench", "bench --calls 5 -- SERVER"),
        ("trust", "trust demo"),
        ("trust", "trust demo --approve --yes"),
        ("vault", "vault"),
        ("vault", "vault rekey --to passphrase --passphrase-file passphrase"),
        ("accounts", "accounts"),
        ("account", "login far"),
        ("signed_out", "logout 7"),
        ("roots", "roots"),
        ("root", "roots add FOLDER"),
        ("root", "roots remove 2"),
        ("shared", "roots share demo --withhold"),
        ("profile", "profile create Work --server demo --hide demo/echo --project FOLDER"),
        ("profiles", "profile"),
        ("profile", "profile show work"),
        ("profile_use", "profile use Work"),
        ("profile_use", "profile use none"),
        ("profile_file", "profile export Work work.json"),
        ("profile", "profile delete Work"),
        ("profile_import", "profile import work.json --name Other --project --yes"),
        ("profile_import", "profile import work.json --yes"),
        ("logs", "logs --limit 50"),
        ("backups", "restore"),
        ("imports", "import"),
        ("config", "export"),
        ("apps", "apps --all"),
        ("app", "apps show cursor"),
        ("app", "apps set cursor --level read-only"),
        ("change", "connect cursor --dry-run"),
        ("change", "connect cursor --yes"),
        ("change", "disconnect cursor --yes"),
        ("app_entry", "apps add pier"),
        ("app_token", "apps token pier"),
        ("service", "serve --background"),
        ("service", "serve --stop"),
        ("deleted", "logs --delete --yes"),
        ("restored", "restore 1"),
        ("list", "nothing-like-it"),
        ("list", "tools"),
        ("list", "call demo echo --tezt"),
    ] {
        let words: Vec<String> = line
            .split(' ')
            .map(|word| word.replace("SERVER", &crate::typed::demo_server()).replace("FOLDER", folder))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["--json"]).collect();
        // After `--`, the option would be passed to the server.
        let words = match words.iter().position(|word| *word == "--") {
            Some(at) => [&words[..at], &["--json"], &words[at..words.len() - 1]].concat(),
            None => words,
        };
        if line == "restore 1" {
            // Wait until the stopped service has exited.
            let is_held = || place.run(&["serve", "--stop", "--json"]).exit == 2;
            mooring_testkit::eventually("it ends", LIMIT, is_held).await;
        }
        let mut command = place.command(&words);
        command.env("HOME", place.folder()).env("MOORING_PASSPHRASE_FILE", place.folder().join("passphrase"));
        let ran: CommandOutput = command.output().unwrap().into();
        assert_eq!(ran.exit == 0, !FAILING.contains(&line), "{line}: {ran:?}");
        check(definition, &ran).await;
    }
}

#[tokio::test]
async fn a_followed_log_prints_a_row_a_line() {
    let place = place_with_demo();
    place.run(&["call", "demo", "echo", "text=a"]).ok();
    let mut follow = place.command(&["logs", "-f", "--json"]);
    follow.stdout(std::process::Stdio::piped());
    let mut follow = follow.spawn().unwrap();
    let mut line = String::new();
    let mut lines = std::io::BufReader::new(follow.stdout.take().unwrap());
    place.run(&["call", "demo", "echo", "text=b"]).ok();
    std::io::BufRead::read_line(&mut lines, &mut line).unwrap();
    follow.kill().unwrap();
    follow.wait().unwrap();
    let problems = wrong("log_row", &serde_json::from_str(&line).unwrap()).await;
    assert!(problems.is_empty(), "{problems:#?}\n{line}");
}

#[test]
fn the_page_tells_of_every_member() {
    let (page, schema) = (docs("cli-json.md"), schema());
    let mut untold = Vec::new();
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        let section = page.split("\n## ").find(|section| section.starts_with(&format!("`{name}`")));
        let Some(section) = section else {
            untold.push(name.clone());
            continue;
        };
        let members = definition["properties"].as_object().into_iter().flatten();
        let missing = members.filter(|(member, _)| !section.contains(&format!("| `{member}` |")));
        untold.extend(missing.map(|(member, _)| format!("{name}.{member}")));
    }
    assert!(untold.is_empty(), "{untold:?}");
}
