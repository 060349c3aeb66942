//! Questions of third-party servers, answered on the command line.

use serde_json::json;

use crate::command_line::{CommandLineUser, first_text, npm};

// Requirements: ELIC-08, ELIC-13, ELIC-14, ELIC-15.
#[test]
fn a_form_of_every_kind_of_field_is_answered_from_a_file() {
    let (person, everything) = (CommandLineUser::new(), npm("mcp-server-everything"));
    let folder = tempfile::tempdir().unwrap();
    let answers = folder.path().join("answers.json");
    std::fs::write(&answers, json!({ "name": "Ada", "integer": 7, "check": true }).to_string()).unwrap();
    let answers = format!("@{}", answers.display());
    let target = ["--elicit", answers.as_str(), "--", everything.as_str()];
    let result = person.call("trigger-elicitation-request", json!({}), &target);
    let told = result["content"].as_array().unwrap().iter().filter_map(|block| block["text"].as_str());
    let told: String = told.collect::<Vec<_>>().join("\n");
    assert!(told.contains("\"action\": \"accept\"") && told.contains("\"name\": \"Ada\""), "{told}");
    assert!(told.contains("\"integer\": 7") && told.contains("\"check\": true"), "{told}");
    let target = ["--elicit", "decline", "--", everything.as_str()];
    let result = person.call("trigger-elicitation-request", json!({}), &target);
    assert!(first_text(&result).contains("declined"), "{result}");
}

// Requirements: SAMP-09, ROOT-02.
#[test]
fn server_gets_practice_model_answer_and_named_folders() {
    let (person, everything) = (CommandLineUser::new(), npm("mcp-server-everything"));
    let target = ["--sample", "practice", "--", everything.as_str()];
    let result =
        person.call("trigger-sampling-request", json!({ "prompt": "ahoy", "maxTokens": 40 }), &target);
    assert!(first_text(&result).contains("no model has read this"), "{result}");
    assert!(first_text(&result).contains("ahoy"), "{result}");
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("harbour");
    std::fs::create_dir(&folder).unwrap();
    let target = ["--root", folder.to_str().unwrap(), "--", everything.as_str()];
    let result = person.call("get-roots-list", json!({}), &target);
    let uri = format!("file://{}", folder.canonicalize().unwrap().display());
    assert!(first_text(&result).contains(&uri), "{result}");
}

// Requirements: MRTR-01, ELIC-08, SAMP-09, ROOT-02.
#[test]
fn the_same_tool_asks_the_same_in_both_eras() {
    let (person, demo) = (CommandLineUser::new(), crate::command_line::demo());
    let folder = tempfile::tempdir().unwrap();
    // Only the session server has the tool `gate`, which opens after a visit.
    let told = [("modern", 6), ("session", 7)].map(|(era, asking)| {
        person.run_ok(&["add", era, "--era", era, "--json", "--", &demo]);
        let answers = [
            "--elicit",
            "accept-defaults",
            "--sample",
            "practice",
            "--root",
            folder.path().to_str().unwrap(),
        ];
        let silent = person.run_ok(&["tools", "--json", "--server", era]);
        let asked = person.run_ok(&[&["tools", "--json", "--server", era][..], &answers].concat());
        let count = |listed: &serde_json::Value| listed["result"]["tools"].as_array().unwrap().len();
        assert_eq!(count(&asked), count(&silent) + asking, "a tool is offered to whoever answers it");
        ["register_ship", "ask_model", "list_folders"].map(|tool| {
            let result = person.call(tool, json!({}), &[&answers[..], &["--server", era]].concat());
            serde_json::from_str::<serde_json::Value>(first_text(&result)).unwrap()
        })
    });
    assert_eq!(told[0], told[1]);
    assert_eq!(told[0][0]["content"]["name"], "Fair Wind");
}
