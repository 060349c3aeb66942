//! What typed lines do beside what they print: what is saved, changed, written and asked.

use std::path::PathBuf;

use crate::lines::Ends::{Leads, Says};
use crate::lines::{check, run};
use crate::support::TestHome;

/// A home with the demo server, saved as `demo`.
pub(crate) fn place_with_demo() -> TestHome {
    let place = TestHome::new();
    place.run(&["add", "demo", &demo_server()]).ok();
    place
}

pub(crate) fn demo_server() -> String {
    let beside = PathBuf::from(env!("CARGO_BIN_EXE_mooring")).with_file_name("mooring-demo-server");
    assert!(beside.is_file(), "cargo build -p mooring-demo-server");
    beside.display().to_string()
}

#[test]
fn a_tool_named_without_its_server_leads_there() {
    let place = place_with_demo();
    run(&place, "tools demo").ok();
    check(&place, "call echo text=hi", &Leads("mooring call demo echo text=hi"));
}

#[test]
fn one_item_is_shown_whole() {
    let place = place_with_demo();
    let tool = run(&place, "tools demo book_berth").ok();
    for part in ["arrival", "required", "contact.", "list of", "true | false", "Takes"] {
        assert!(tool.out.contains(part), "{part}: {tool:?}");
    }
    assert!(tool.err.contains("mooring call demo book_berth"), "{tool:?}");
    let json = run(&place, "tools demo echo --json").ok().json();
    assert_eq!(json["result"]["name"], "echo");
    assert!(json["result"]["inputSchema"].is_object(), "{json}");
    let prompt = run(&place, "prompts demo passage_plan").ok();
    assert!(prompt.out.contains("from") && prompt.out.contains("required"), "{prompt:?}");
    check(&place, "tools demo ecoh", &Leads("Did you mean echo?"));
    check(&place, "tools demo zzzz", &Leads("mooring tools demo"));
}

#[test]
fn a_pipe_needs_no_dash() {
    let place = place_with_demo();
    let ran = place.run_with_input(&["call", "demo", "echo"], r#"{"text":"piped"}"#).ok();
    assert_eq!(ran.out, "piped\n");
    let typed = place.run_with_input(&["call", "demo", "echo", "text=typed"], r#"{"text":"piped"}"#).ok();
    assert_eq!(typed.out, "typed\n");
    let ran = place.run_with_input(&["call", "demo", "echo"], "[1]");
    assert!(ran.exit == 2 && ran.err.contains("not a JSON object: standard input"), "{ran:?}");
}

#[test]
fn a_server_is_saved_from_its_words() {
    let place = TestHome::new();
    for (line, member, value) in [
        ("add a http://127.0.0.1:9/mcp --json", "url", "http://127.0.0.1:9/mcp"),
        ("add b 127.0.0.1:9/mcp --json", "url", "http://127.0.0.1:9/mcp"),
        ("add c --url 127.0.0.1:9/mcp --json", "url", "http://127.0.0.1:9/mcp"),
        ("add d mcp.example.com/mcp --json", "url", "https://mcp.example.com/mcp"),
        ("add e node y.js --json", "command", "node"),
        ("add f npx -y a-package --json", "command", "npx"),
        ("add g --json -- npx -y a-package --json", "command", "npx"),
    ] {
        let json = run(&place, line).ok().json();
        assert_eq!(json["result"][member], value, "{line}");
    }
    let args = |name: &str| {
        let listed = run(&place, "ls --json").ok().json();
        let found =
            listed["result"].as_array().unwrap().iter().find(|server| server["name"] == name).cloned();
        found.unwrap()["args"].clone()
    };
    assert_eq!(args("f"), serde_json::json!(["-y", "a-package"]));
    assert_eq!(args("g"), serde_json::json!(["-y", "a-package", "--json"]));
    for line in
        ["add h", "add h --frobnicate npx", "add h npx x --header A:b", "add h http://x.test/ --env A=b"]
    {
        let ran = run(&place, line);
        assert_eq!((ran.exit, ran.out.as_str()), (2, ""), "{line}: {ran:?}");
    }
}

#[test]
fn a_name_that_is_also_a_program_asks_which() {
    let place = TestHome::new();
    place.run(&["add", "node", &demo_server()]).ok();
    check(&place, "tools node y.js", &Leads("mooring tools --server node y.js"));
    check(&place, "tools node y.js", &Leads("mooring tools -- node y.js"));
    check(&place, "tools node", &Says("echo"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_server_is_changed_without_losing_what_is_approved() {
    let place = place_with_demo();
    place.approve("demo").await;
    tokio::task::block_in_place(|| {
        let approved = |name: &str| {
            let trust = run(&place, &format!("trust {name} --json")).ok().json();
            let items = trust["result"]["items"].as_array().cloned().unwrap_or_default();
            items.iter().filter(|item| item["state"] == "approved" && item["kind"] == "tool").count()
        };
        let before = approved("demo");
        assert!(before > 10);
        assert_eq!(run(&place, "rename demo harbour").ok().out, "Renamed harbour.\n");
        assert_eq!(approved("harbour"), before);
        run(&place, "edit harbour --timeout 30 --era session").ok();
        assert_eq!(approved("harbour"), before);
        let listed = run(&place, "ls --json").ok().json();
        assert_eq!(
            (&listed["result"][0]["timeout_ms"], &listed["result"][0]["name"]),
            (&30_000.into(), &"harbour".into())
        );
        assert_eq!(run(&place, "disable harbour").ok().out, "Disabled harbour.\n");
        assert_eq!(run(&place, "ls --json").ok().json()["result"][0]["enabled"], false);
        assert_eq!(run(&place, "enable harbour").ok().out, "Enabled harbour.\n");
        assert_eq!(run(&place, "ls --json").ok().json()["result"][0]["enabled"], true);
        // With another command it is another server than the one that was approved.
        let edited = run(&place, "edit harbour no-such-program --flag").ok();
        assert!(edited.err.contains("no-such-program"), "{edited:?}");
        let listed = run(&place, "ls --json").ok().json();
        assert_eq!(listed["result"][0]["args"], serde_json::json!(["--flag"]));
        for (line, text) in [
            ("edit harbour", "nothing to change"),
            ("edit harbour http://x.test/", "can’t become a URL"),
            ("edit nobody --timeout 3", "no saved server"),
            ("rename harbour", "needs NEW_NAME"),
        ] {
            let ran = run(&place, line);
            assert!(ran.exit == 2 && ran.err.contains(text), "{line}: {ran:?}");
        }
    });
}

#[test]
fn a_program_that_is_missing_is_said_when_its_server_is_saved() {
    let place = TestHome::new();
    let added = run(&place, "add nope -- no-such-program").ok();
    assert!(added.err.contains("warning: no-such-program"), "{added:?}");
    assert_eq!(run(&place, "add here SERVER").ok().err.matches("warning").count(), 0);
}

#[test]
fn a_result_is_saved_or_printed_in_part() {
    let place = place_with_demo();
    let saved = run(&place, "call demo image -o light.png").ok();
    assert_eq!((saved.out.as_str(), saved.err.trim_end()), ("", "Saved: light.png"));
    let bytes = std::fs::read(place.folder().join("light.png")).unwrap();
    assert!(bytes.starts_with(b"\x89PNG"));
    check(&place, "call demo image -o light.png", &Leads("--force"));
    run(&place, "call demo image -o light.png --force").ok();
    let sound = run(&place, "call demo audio --output sounds/ --json").ok().json();
    assert!(sound["result"]["content"].is_array(), "{sound}");
    assert!(std::fs::read(place.folder().join("sounds/1.wav")).unwrap().starts_with(b"RIFF"));
    run(&place, "call demo structured -o berths.json").ok();
    let berths: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.folder().join("berths.json")).unwrap()).unwrap();
    assert!(berths.is_object());
    let printed: serde_json::Value =
        serde_json::from_str(&run(&place, "call demo structured --structured").ok().out).unwrap();
    assert_eq!(printed, berths);
    assert_eq!(run(&place, "call demo echo text=as␣it␣is --text").ok().out, "as it is");
    let none = run(&place, "call demo echo text=a --structured");
    assert!(none.exit == 4 && none.err.contains("--text"), "{none:?}");
    // A tool's error is said, and not written into a file.
    let failed = run(&place, "call demo fail -o error.txt");
    assert!(failed.exit == 1 && !place.folder().join("error.txt").exists(), "{failed:?}");
}

#[test]
fn a_part_of_a_result_is_found_by_its_path() {
    let place = place_with_demo();
    let at = |path: &str| place.run(&["call", "demo", "structured", "--jsonpath", path]);
    let cities = at("$.structuredContent.harbours[*].city").ok().out;
    assert!(cities.lines().count() > 2 && cities.contains("Rotterdam\n"), "{cities}");
    let whole = at("$.structuredContent").ok().out;
    assert!(whole.starts_with('{') && serde_json::from_str::<serde_json::Value>(&whole).is_ok(), "{whole}");
    let nothing = at("$.nothing");
    assert!(nothing.exit == 4 && nothing.err.contains("nothing at $.nothing"), "{nothing:?}");
    let wrong = at("$..[");
    assert!(wrong.exit == 2 && wrong.err.contains("--jsonpath"), "{wrong:?}");
}
