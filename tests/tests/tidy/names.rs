//! Names that are easy to find: unique type names in a crate, and readable names of tests.

use std::collections::{BTreeMap, BTreeSet};

use crate::limits::Limits;
use crate::source::{Source, sources};
use crate::{assert_found, assert_none};

/// The longest name of a test.
const TEST_NAME: usize = 60;

/// Types with one variant per operating system, of which only one is compiled.
const PER_SYSTEM: [&str; 1] = ["crates/process/src/tree/"];

/// The name after this keyword, if the line declares one.
fn declared<'line>(line: &'line str, keyword: &str) -> Option<&'line str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) => rest.trim_start_matches(|letter| letter != ' ').trim_start(),
        None => line,
    };
    let name = line.strip_prefix("async ").unwrap_or(line).strip_prefix(keyword)?.strip_prefix(' ')?;
    let end = name.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(name.len());
    name.get(..end).filter(|name| !name.is_empty())
}

/// The package of a file.
fn package(path: &str) -> &str {
    path.split_once("/src/").map_or(path, |(package, _)| package)
}

/// Duplicate type names in a package. Associated types (which are indented) have the trait's name.
fn doubled(sources: &[Source]) -> Vec<String> {
    let mut found: BTreeMap<(&str, String), Vec<&str>> = BTreeMap::new();
    for source in
        sources.iter().filter(|source| !PER_SYSTEM.iter().any(|start| source.path.starts_with(start)))
    {
        for line in source
            .code()
            .lines()
            .filter(|line| !(line.starts_with(' ') && line.trim_start().starts_with("type ")))
        {
            let name = ["struct", "enum", "trait", "type"].iter().find_map(|keyword| declared(line, keyword));
            if let Some(name) = name {
                found.entry((package(&source.path), name.to_owned())).or_default().push(&source.path);
            }
        }
    }
    let doubled = found.into_iter().filter(|(_, paths)| paths.len() > 1);
    doubled
        .map(|((_, name), paths)| format!("{name} stands for {} types: {}", paths.len(), paths.join(", ")))
        .collect()
}

/// Names of public types that exist in several crates.
fn shared(sources: &[Source]) -> Vec<String> {
    let mut found: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.path.starts_with("crates/")) {
        let code = source.code();
        for line in code.lines().filter(|line| line.starts_with("pub ")) {
            let name = ["struct", "enum", "trait", "type"].iter().find_map(|keyword| declared(line, keyword));
            if let Some(name) = name {
                found.entry(name.to_owned()).or_default().insert(package(&source.path));
            }
        }
    }
    let shared = found.into_iter().filter(|(_, packages)| packages.len() > 1);
    shared.map(|(name, packages)| format!("{name}: {}", Vec::from_iter(packages).join(", "))).collect()
}

/// Names of tests that are too long to read.
fn long_test_names(source: &Source) -> Vec<String> {
    let mut is_test = false;
    let mut found = Vec::new();
    for line in source.text.lines().map(str::trim) {
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if let Some(name) = declared(line, "fn") {
            if is_test && name.len() > TEST_NAME {
                found.push(format!("{}: {name} has {} characters", source.path, name.len()));
            }
            is_test = false;
        }
    }
    found
}

#[test]
fn a_type_name_stands_once_in_a_crate() {
    assert_none(&doubled(&sources(&["rs"])));
}

#[test]
fn a_doubled_type_name_is_found() {
    let one = Source::sample("crates/x/src/a.rs", "pub(crate) struct Entry {\n");
    let other = Source::sample("crates/x/src/b.rs", "enum Entry {\n");
    let elsewhere = Source::sample("crates/y/src/b.rs", "type Entry<T> = Vec<T>;\n");
    assert_found(&doubled(&[one, other, elsewhere]), "Entry stands for 2 types");
}

#[test]
fn few_public_type_names_are_of_several_crates() {
    let (shared, most) = (shared(&sources(&["rs"])), Limits::read().of("names.shared"));
    assert!(shared.len() <= most, "{} names, of {most}:\n{}", shared.len(), shared.join("\n"));
}

#[test]
fn a_type_name_of_two_crates_is_found() {
    let one = Source::sample("crates/x/src/a.rs", "pub struct Entry {\n");
    let other = Source::sample("crates/y/src/b.rs", "pub enum Entry {\n");
    let private = Source::sample("crates/z/src/b.rs", "pub(crate) struct Entry {\n");
    assert_found(&shared(&[one, other, private]), "Entry: crates/x, crates/y");
}

#[test]
fn no_test_name_is_longer_than_60_characters() {
    assert_none(&sources(&["rs"]).iter().flat_map(long_test_names).collect::<Vec<_>>());
}

#[test]
fn a_long_test_name_is_found() {
    let text = format!("#[tokio::test]\nasync fn {}() {{\n", "a".repeat(61));
    assert_found(&long_test_names(&Source::sample("crates/x/src/a.rs", &text)), "61 characters");
}
