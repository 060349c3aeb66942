//! Mooring's texts, and whether they can be translated.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::source::{Source, is_test, sources, without_tests};
use crate::{assert_found, assert_none};

const CHINESE: &str = "ui/src/locales/zh-CN/sentences.json";

/// The patterns of all `say!` in shipped code with their first places, and any errors in them.
fn say_patterns(files: &[Source]) -> (BTreeMap<String, String>, Vec<String>) {
    let (mut patterns, mut wrong) = (BTreeMap::new(), Vec::new());
    for file in files.iter().filter(|file| file.has_extension(&["rs"]) && !is_test(&file.path)) {
        let text = without_tests(&file.text);
        for (at, _) in text.match_indices("say!(") {
            let place = format!("{}:{}", file.path, text[..at].lines().count().max(1));
            let rest = text[at + "say!(".len()..].trim_start();
            if rest.starts_with('@') {
                continue;
            }
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            let Some(Ok(pattern)) = values.next() else {
                wrong.push(format!("{place}: say! needs a pattern in plain double quotes"));
                continue;
            };
            let arguments = end_of_call(&rest[values.byte_offset()..]);
            for name in placeholders(&pattern) {
                let given = arguments.split(',').any(|part| {
                    let part = part.trim();
                    part == name
                        || part.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='))
                });
                if !given {
                    wrong.push(format!("{place}: nothing fills {{{name}}}"));
                }
            }
            patterns.entry(pattern).or_insert(place);
        }
    }
    (patterns, wrong)
}

/// The text up to the closing parenthesis of the call.
fn end_of_call(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return &text[..at],
            ')' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// The placeholders in `{braces}`.
fn placeholders(pattern: &str) -> Vec<&str> {
    let name = |text: &'_ str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    let mut found: Vec<_> = pattern
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}').map(|(place, _)| place))
        .filter(|place| name(place))
        .collect();
    found.sort_unstable();
    found
}

/// Chinese texts that are missing, unused or have different placeholders.
fn mismatches(patterns: &BTreeMap<String, String>, chinese: &Value) -> Vec<String> {
    let chinese = chinese.as_object().unwrap();
    let mut found = Vec::new();
    for (pattern, place) in patterns {
        match chinese.get(pattern).and_then(Value::as_str) {
            None => found.push(format!("{place}: {CHINESE} lacks: {pattern}")),
            Some(words) if placeholders(words) != placeholders(pattern) => {
                found.push(format!("{CHINESE} has other places than: {pattern}"));
            }
            Some(_) => {}
        }
    }
    let unused = chinese.keys().filter(|pattern| !patterns.contains_key(*pattern));
    found.extend(unused.map(|pattern| format!("{CHINESE} has what nobody says: {pattern}")));
    found
}

#[test]
fn every_sentence_is_there_in_chinese() {
    let files = sources(&["rs", "json"]);
    let (patterns, wrong) = say_patterns(&files);
    assert_none(&wrong);
    let chinese = files.iter().find(|file| file.path == CHINESE).unwrap();
    assert_none(&mismatches(&patterns, &serde_json::from_str(&chinese.text).unwrap()));
}

#[test]
fn what_is_wrong_with_a_sentence_is_found() {
    let source = |text: &str| Source::sample("crates/host/src/new.rs", text);
    let (patterns, wrong) =
        say_patterns(&[source(r#"fn f() { say!("no {name} at {place}", name = f(a, b)); }"#)]);
    assert_found(&wrong, "{place}");
    assert_found(&mismatches(&patterns, &json!({})), "lacks: no {name}");
    assert_found(&mismatches(&patterns, &json!({ "no {name} at {place}": "{name}" })), "other places");
    assert_found(&mismatches(&BTreeMap::new(), &json!({ "gone": "没有" })), "nobody says");
    assert_found(&say_patterns(&[source("fn f() { say!(text); }")]).1, "needs a pattern");
}
