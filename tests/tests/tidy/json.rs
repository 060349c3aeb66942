//! Only one crate parses and writes JSON (ADR 0022).

use crate::limits::Limits;
use crate::source::{Source, is_test, sources, without_tests};
use crate::{assert_found, assert_none};

/// Lines of shipped code that build a JSON object as text.
fn written_by_hand(source: &Source) -> Vec<String> {
    let is_exempt = is_test(&source.path)
        || source.path.contains("/examples/")
        || source.path.starts_with("crates/jsonrpc/")
        || source.path.starts_with("xtask/");
    if is_exempt {
        return Vec::new();
    }
    let begins = ["r#\"{{\"", "\"{{\\\""];
    let text = without_tests(&source.text);
    let lines = text.lines().enumerate().filter(|(_, line)| begins.iter().any(|begin| line.contains(begin)));
    lines.map(|(at, line)| format!("{}:{}: {}", source.path, at + 1, line.trim())).collect()
}

/// Shipped code that searches JSON text for a member, although keys can contain escapes.
fn searched_for(source: &Source) -> Vec<String> {
    if is_test(&source.path) {
        return Vec::new();
    }
    let text = without_tests(&source.text);
    let finds = |line: &str| {
        [".contains(", ".find(", ".split(", ".split_once("].iter().any(|call| {
            let member = |literal: &str| {
                let name = literal.split_once("\"#").map(|(name, _)| name.trim_end_matches(':'));
                name.is_some_and(|name| name.len() > 2 && name.starts_with('"') && name.ends_with('"'))
            };
            line.split_once(&format!("{call}r#\"")).is_some_and(|(_, literal)| member(literal))
        })
    };
    let lines = text.lines().enumerate().filter(|(_, line)| finds(line));
    lines.map(|(at, line)| format!("{}:{}: {}", source.path, at + 1, line.trim())).collect()
}

#[test]
fn json_is_written_by_its_crate() {
    let found: Vec<String> = sources(&["rs"]).iter().flat_map(written_by_hand).collect();
    let most = Limits::read().of("json.by-hand");
    assert!(found.len() <= most, "{} lines, of {most}:\n{}", found.len(), found.join("\n"));
}

#[test]
fn members_are_read_and_not_searched_for() {
    assert_none(&sources(&["rs"]).iter().flat_map(searched_for).collect::<Vec<_>>());
}

#[test]
fn json_that_is_written_or_searched_by_hand_is_found() {
    let source = |line: &str| Source::sample("crates/x/src/a.rs", line);
    assert_found(&written_by_hand(&source("let a = format!(r#\"{{\"a\":{b}}}\"#);")), "a.rs:1");
    assert_none(&written_by_hand(&source("let a = JsonObject::new().raw(\"a\", b);")));
    assert_found(&searched_for(&source("if result.contains(r#\"\"structuredContent\"\"#) {")), "a.rs:1");
    assert_found(&searched_for(&source("text.split_once(r#\"\"id\":\"#)")), "a.rs:1");
    assert_none(&searched_for(&source("if text.contains(r#\"a \"quoted\" word\"#) {")));
}
