//! Resources, templates and prompts of real servers, through the command line.

use serde_json::{Value, json};

use crate::command_line::{CommandLineUser, demo, npm};

/// The value of `key` in each item of a printed list.
fn each<'a>(listed: &'a Value, member: &str, key: &str) -> Vec<&'a str> {
    let things = listed["result"][member].as_array().unwrap_or_else(|| panic!("no {member}: {listed}"));
    things.iter().map(|thing| thing[key].as_str().unwrap()).collect()
}

// Requirements: RES-01, RES-02, PROM-01.
#[test]
fn every_offer_of_the_demo_server_is_listed_and_used() {
    let (person, demo) = (CommandLineUser::new(), demo());
    let ask = |words: &[&str]| person.run_ok(&[words, &["--json", "--", &demo]].concat());
    let listed = ask(&["resources"]);
    let uris = each(&listed, "resources", "uri");
    assert_eq!(uris.len(), 4, "{listed}");
    for uri in uris {
        let read = ask(&["read", uri]);
        assert_eq!(read["result"]["contents"][0]["uri"], uri, "{read}");
    }
    let templates = ask(&["templates"]);
    assert_eq!(each(&templates, "resourceTemplates", "uriTemplate"), ["harbour://berths/{city}"]);
    let berths = ask(&["read", "harbour://berths/%E9%9D%92%E5%B2%9B"]);
    assert!(berths["result"]["contents"][0]["text"].as_str().unwrap().contains("青岛"), "{berths}");
    let prompts = ask(&["prompts"]);
    assert_eq!(each(&prompts, "prompts", "name").len(), 2, "{prompts}");
    let arguments = json!({"from": "Rotterdam", "to": "青岛", "tone": "cheerful"}).to_string();
    let filled = ask(&["prompt", "passage_plan", &arguments]);
    let text = filled["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("cheerful passage plan from Rotterdam"), "{filled}");
}

#[test]
fn a_picture_of_the_demo_server_is_written_to_a_file() {
    let (person, demo) = (CommandLineUser::new(), demo());
    let written =
        person.run(&["read", "harbour://lighthouse.png", "--output", "lighthouse.png", "--", &demo]);
    assert_eq!(written.code, 0, "{written}");
    let picture = std::fs::read(person.directory().join("lighthouse.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG"), "{} bytes", picture.len());
}

#[test]
fn what_the_demo_server_does_not_have_is_its_answer() {
    let (person, demo) = (CommandLineUser::new(), demo());
    let missing = person.run(&["read", "harbour://atlantis", "--json", "--", &demo]);
    assert_eq!(missing.code, 4, "{missing}");
    assert_eq!(missing.json["error"]["message"], "no such resource: harbour://atlantis", "{missing}");
    let nowhere = r#"{"from": "Rotterdam", "to": "Atlantis"}"#;
    let refused = person.run(&["prompt", "passage_plan", nowhere, "--json", "--", &demo]);
    assert_eq!((refused.code, &refused.json["error"]["code"]), (4, &json!(-32602)), "{refused}");
}

#[test]
fn server_everything_offers_resources_templates_and_prompts() {
    let (person, everything) = (CommandLineUser::new(), npm("mcp-server-everything"));
    let ask = |words: &[&str]| person.run_ok(&[words, &["--json", "--", &everything]].concat());
    let resources = ask(&["resources"]);
    let uri = each(&resources, "resources", "uri")[0];
    let read = ask(&["read", uri]);
    assert!(!read["result"]["contents"].as_array().unwrap().is_empty(), "{read}");
    let templates = ask(&["templates"]);
    assert!(!each(&templates, "resourceTemplates", "uriTemplate").is_empty(), "{templates}");
    let prompts = ask(&["prompts"]);
    let simple = prompts["result"]["prompts"].as_array().unwrap().iter();
    let simple = simple
        .filter(|prompt| prompt["arguments"].as_array().is_none_or(Vec::is_empty))
        .map(|prompt| prompt["name"].as_str().unwrap())
        .next()
        .unwrap_or_else(|| panic!("no prompt without arguments: {prompts}"));
    let filled = ask(&["prompt", simple]);
    assert!(!filled["result"]["messages"].as_array().unwrap().is_empty(), "{filled}");
}
