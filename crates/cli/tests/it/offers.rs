//! `resources`, `templates`, `prompts`, `skills`, `read` and `prompt`.

use mooring_testkit::offers;
use serde_json::{Map, Value, json};

use crate::support::{CommandOutput, TestHome};

/// A home with a server that offers items of every kind.
struct OfferingServer(TestHome);

impl OfferingServer {
    fn with(change: impl FnOnce(&mut Map<String, Value>)) -> Self {
        let place = TestHome::new();
        let mut script = offers::script();
        change(&mut script);
        std::fs::write(place.folder().join("script.json"), serde_json::to_vec(&script).unwrap()).unwrap();
        Self(place)
    }

    fn open() -> Self {
        Self::with(|_| {})
    }

    /// A server whose resources all have these contents.
    fn with_contents(contents: &Value) -> Self {
        let read = json!([offers::response_line(&json!({ "contents": contents }))]);
        Self::with(|script| drop(script.insert("resources/read".to_owned(), read)))
    }

    fn run(&self, words: &[&str]) -> CommandOutput {
        self.0.run_on(words, &["script", "script.json"])
    }
}

#[test]
fn lists_are_printed_aligned_and_to_the_byte_as_json() {
    let harbour = OfferingServer::open();
    let text = harbour.run(&["resources"]).ok();
    let lines: Vec<&str> = text.out.lines().collect();
    assert_eq!(
        lines,
        [
            "harbour://notice          text/plain 9 B  Notice",
            "harbour://lighthouse.png  image/png       The lighthouse",
        ]
    );
    assert!(text.err.contains("remark: resources[2].uri: is missing"), "{text:?}");
    let text = harbour.run(&["templates"]).ok().out;
    assert_eq!(text, "harbour://{city}/berths{?from,to}  application/json  berths\n");
    let text = harbour.run(&["prompts"]).ok().out;
    assert_eq!(text, "plan  to tone?  A passage plan\nbare\n");
    for (verb, member, count) in [("resources", "resources", 3), ("templates", "resourceTemplates", 1)] {
        let json = harbour.run(&[verb, "--json"]).ok().json();
        assert_eq!(json["result"][member].as_array().unwrap().len(), count, "{json}");
    }
    let json = harbour.run(&["prompts", "--json"]).ok().json();
    assert_eq!(json["result"]["prompts"][1], json!({"name": "bare"}));
    assert_eq!((json["revision"].as_str(), json["ok"].as_bool()), (Some("2025-11-25"), Some(true)));
}

#[test]
fn skills_are_listed_with_warnings_and_read_by_uri() {
    let harbour = OfferingServer::open();
    let text = harbour.run(&["skills"]).ok();
    assert_eq!(text.out, "harbour://skills/mooring-lines/SKILL.md  dynamic  How to tie up\n");
    assert!(text.err.contains("remark: skills[1].uri: isn’t the URI of a SKILL.md"), "{text:?}");
    let json = harbour.run(&["skills", "--json"]).ok().json();
    assert_eq!(json["result"]["skills"].as_array().unwrap().len(), 2, "{json}");
    assert_eq!(harbour.run(&["read", "harbour://skills/mooring-lines/SKILL.md"]).ok().out, "fog\tahead");
    assert_eq!(TestHome::new().run_on(&["skills"], &["ok"]).ok().out, "The server offers no skills.\n");
    let refused = json!([offers::error_line(-32603, "flooded")]);
    let broken = OfferingServer::with(|script| drop(script.insert("skills/list".to_owned(), refused)));
    let ran = broken.run(&["skills"]).ok();
    assert!(ran.err.contains("remark: skills: couldn’t be listed"), "{ran:?}");
    assert_eq!(broken.run(&["resources"]).ok().out.lines().count(), 2, "no resource is hidden");
}

#[test]
fn a_server_without_any_says_so_and_one_that_fails_exits_with_4() {
    let place = TestHome::new();
    assert_eq!(place.run_on(&["resources"], &["ok"]).ok().out, "The server offers no resources.\n");
    assert_eq!(place.run_on(&["prompts"], &["ok"]).ok().out, "The server offers no prompts.\n");
    let broken = json!([offers::error_line(-32603, "flooded")]);
    let harbour = OfferingServer::with(|script| drop(script.insert("prompts/list".to_owned(), broken)));
    let ran = harbour.run(&["prompts", "--json"]);
    assert_eq!(ran.error(), (4, "rpc".to_owned()));
    assert_eq!(ran.json()["error"]["message"], "flooded");
}

#[test]
fn a_text_is_printed_exactly_where_no_terminal_is() {
    let text = "fog\tahead\u{1b}[31m\r\n青岛";
    let harbour = OfferingServer::with_contents(&json!([{"uri": "harbour://notice", "text": text}]));
    assert_eq!(harbour.run(&["read", "harbour://notice"]).ok().out, text);
    let json = harbour.run(&["read", "harbour://notice", "--json"]).ok().json();
    assert_eq!(json["result"]["contents"][0]["text"], text);
}

// Requirements: RES-02, RES-12.
#[test]
fn binary_content_is_described_and_written_to_a_new_file_only() {
    let contents = json!([{"uri": "harbour://bell", "mimeType": "audio/wav", "blob": "AP9oYXJib3Vy"}]);
    let harbour = OfferingServer::with_contents(&contents);
    let ran = harbour.run(&["read", "harbour://bell"]).ok();
    assert_eq!(ran.out, "[audio/wav, 9 B]\n");
    assert!(ran.err.contains("--output FILE"), "{ran:?}");
    let ran = harbour.run(&["read", "harbour://bell", "--output", "bell.wav"]).ok();
    assert!(ran.out.is_empty() && ran.err.contains("bell.wav, 9 B"), "{ran:?}");
    let file = harbour.0.folder().join("bell.wav");
    assert_eq!(std::fs::read(&file).unwrap(), b"\x00\xffharbour");
    std::fs::write(&file, "mine").unwrap();
    let ran = harbour.run(&["read", "harbour://bell", "-o", "bell.wav", "--json"]);
    assert_eq!(ran.error(), (2, "usage".to_owned()));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    let json = harbour.run(&["read", "harbour://bell", "-o", "bell.wav", "--force", "--json"]).ok().json();
    assert_eq!(json["result"]["contents"], contents);
    assert_eq!(std::fs::read(&file).unwrap(), b"\x00\xffharbour");
}

// Requirements: RES-02, RES-11.
#[test]
fn several_parts_none_and_unreadable_ones_are_told_apart() {
    let parts = json!([
        {"uri": "harbour://a", "text": "one\n"},
        {"uri": "harbour://b", "mimeType": "image/png", "blob": "not base64!"},
    ]);
    let harbour = OfferingServer::with_contents(&parts);
    let ran = harbour.run(&["read", "harbour://"]).ok();
    assert_eq!(ran.out, "one\n[image/png: neither text nor base64]\n");
    assert!(ran.err.contains("harbour://a") && ran.err.contains("harbour://b"), "{ran:?}");
    let ran = harbour.run(&["read", "harbour://", "-o", "all", "--json"]);
    assert_eq!(ran.error(), (2, "usage".to_owned()));
    assert!(!harbour.0.folder().join("all").exists());
    let ran = OfferingServer::with_contents(&json!([])).run(&["read", "harbour://"]).ok();
    assert!(ran.out.is_empty() && ran.err.contains("empty or doesn’t exist"), "{ran:?}");
}

// Requirements: RES-03.
#[test]
fn missing_resource_is_a_server_error_with_a_next_step() {
    let missing = json!([offers::error_line(-32002, "no such berth")]);
    let harbour = OfferingServer::with(|script| drop(script.insert("resources/read".to_owned(), missing)));
    let ran = harbour.run(&["read", "harbour://nowhere", "--json"]);
    assert_eq!(ran.error(), (4, "rpc".to_owned()));
    let error = &ran.json()["error"];
    assert_eq!((&error["code"], &error["message"]), (&json!(-32002), &json!("no such berth")));
    assert!(error["next"].as_str().unwrap().contains("mooring resources"), "{error}");
    let silent = OfferingServer::with(|script| drop(script.insert("resources/read".to_owned(), json!([]))));
    let ran = silent.run(&["read", "harbour://fog", "--timeout", "1", "--json"]);
    assert_eq!(ran.error(), (5, "timeout".to_owned()));
}

// Requirements: PROM-01.
#[test]
fn a_prompt_is_filled_in_and_shows_who_says_what() {
    let harbour = OfferingServer::open();
    let ran = harbour.run(&["prompt", "plan", r#"{"to":"青岛"}"#]).ok();
    assert_eq!(ran.out, "user:\n  Plan a passage to 青岛.\nassistant:\n  [image: image/png, 7 B]\n");
    assert_eq!(ran.err, "A passage\n");
    let json = harbour.run(&["prompt", "bare", "--json"]).ok().json();
    assert_eq!(json["result"]["messages"][0]["role"], "user");
    for wrong in [r#"{"to":7}"#, "[]", "{"] {
        let ran = harbour.run(&["prompt", "plan", wrong, "--json"]);
        assert_eq!(ran.exit, 2, "{ran:?}");
    }
}

#[test]
fn a_probe_shows_the_negotiation_step_by_step_and_the_limits() {
    let harbour = OfferingServer::open();
    for _ in 0..2 {
        // A probe always asks again, even if the answer is remembered.
        let json = harbour.run(&["probe", "--json"]).ok().json();
        let steps = json["result"]["steps"].as_array().unwrap();
        let asked: Vec<_> = steps.iter().map(|step| step["request"].as_str().unwrap()).collect();
        assert_eq!(asked, ["server/discover", "initialize"], "{json}");
        assert!(
            steps.iter().all(|step| step["outcome"].is_string() && step["elapsed_ms"].is_u64()),
            "{json}"
        );
        assert_eq!(json["result"]["limits"], json!([]));
        assert!(json["result"]["pid"].is_u64() && json["result"]["program"].is_string());
    }
    let text = harbour.run(&["probe"]).ok().out;
    for words in ["Steps", "server/discover: ", "initialize: ", "Why", "Capabilities", "completions"] {
        assert!(text.contains(words), "{words} is not in {text}");
    }
}

#[test]
fn lone_surrogate_in_resource_or_prompt_spoils_only_itself() {
    let half = |result: &str| json!([format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#)]);
    let harbour = OfferingServer::with(|script| {
        let read = r#"{"contents":[{"uri":"harbour://notice","text":"cut \ud83d"}]}"#;
        script.insert("resources/read".to_owned(), half(read));
        let prompt = r#"{"messages":[{"role":"user","content":{"type":"text","text":"cut \ud83d"}}]}"#;
        script.insert("prompts/get".to_owned(), half(prompt));
    });
    assert_eq!(harbour.run(&["read", "harbour://notice"]).ok().out, "cut \u{fffd}");
    assert!(harbour.run(&["read", "harbour://notice", "--json"]).ok().out.contains(r#""cut \ud83d""#));
    assert_eq!(harbour.run(&["prompt", "bare"]).ok().out, "user:\n  cut \u{fffd}\n");
}
