//! Questions of servers that other people wrote, answered on the command line.

use serde_json::json;

use crate::command_line::{Person, first_text, npm};

// Requirements: ELIC-08, ELIC-13, ELIC-14, ELIC-15.
#[test]
fn a_form_of_every_kind_of_field_is_answered_from_a_file() {
    let (person, everything) = (Person::new(), npm("mcp-server-everything"));
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
fn a_server_gets_the_practice_models_words_and_the_folders_that_were_named() {
    let (person, everything) = (Person::new(), npm("mcp-server-everything"));
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
