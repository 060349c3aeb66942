//! A release must compile: its code can't use items that only exist with debug assertions.

use std::collections::BTreeSet;

use crate::source::{Source, sources};
use crate::{assert_found, assert_none};

const ATTRIBUTE: &str = "#[cfg(debug_assertions)]";

/// The code without debug-only items, and the names of those items.
fn split(code: &str) -> (String, BTreeSet<String>) {
    let (mut released, mut names) = (String::new(), BTreeSet::new());
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let Some(behind) = line.trim_start().strip_prefix(ATTRIBUTE) else {
            released.push_str(line);
            released.push('\n');
            continue;
        };
        // Up to the end of the item, statement or member that follows.
        let mut depth = 0_i32;
        let mut item = behind.to_owned();
        while depth != 0 || !item.trim_end().ends_with([';', '}', ',']) {
            let Some(next) = lines.next() else { break };
            if depth == 0 && next.trim_start().starts_with("#[") {
                continue;
            }
            for letter in next.chars() {
                depth += i32::from(matches!(letter, '{' | '(' | '['))
                    - i32::from(matches!(letter, '}' | ')' | ']'));
            }
            item.push_str(next);
            item.push('\n');
        }
        names.extend(declared(&item));
    }
    (released, names)
}

/// The functions, types, modules and members that an item declares.
fn declared(item: &str) -> Vec<String> {
    let words: Vec<&str> = item.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
    let is_named = |word: &&&str| ["fn", "struct", "enum", "static", "const"].contains(word);
    let mut names: Vec<String> = words
        .iter()
        .zip(words.iter().skip(1))
        .filter(|(word, _)| is_named(word))
        .map(|(_, name)| (*name).to_owned())
        .collect();
    let member = item.trim().split_once(':').filter(|(name, rest)| {
        !rest.starts_with(':') && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    });
    names.extend(member.map(|(name, _)| name.to_owned()));
    names.retain(|name| !name.is_empty() && name != "fn");
    names.extend(module(item).map(|module| format!("{module}::")));
    names
}

/// The name of the module, if the item is a module in its own file.
fn module(item: &str) -> Option<&str> {
    item.trim().strip_suffix(';')?.rsplit_once("mod ").map(|(_, name)| name)
}

/// The file of a debug-only module.
fn file_of(parent: &str, module: &str) -> String {
    match parent.strip_suffix("/lib.rs").or(parent.strip_suffix("/main.rs")) {
        Some(folder) => format!("{folder}/{module}.rs"),
        None => format!("{}/{module}.rs", parent.trim_end_matches(".rs")),
    }
}

/// Places where a release uses debug-only names.
fn missing(sources: &[Source]) -> Vec<String> {
    let parts: Vec<(&str, String, BTreeSet<String>)> = sources
        .iter()
        // The attacks are tests in their own files.
        .filter(|source| !source.path.ends_with("/hostile.rs"))
        .map(|source| {
            let (released, names) = split(&source.code());
            (source.path.as_str(), released, names)
        })
        .collect();
    let names: BTreeSet<&str> = parts.iter().flat_map(|(_, _, names)| names).map(String::as_str).collect();
    let modules = parts.iter().flat_map(|(path, _, names)| {
        names.iter().filter_map(move |name| Some(file_of(path, name.strip_suffix("::")?)))
    });
    let modules: BTreeSet<String> = modules.collect();
    let uses = |(path, released, _): &(&str, String, BTreeSet<String>)| {
        let words = released.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let mut used: BTreeSet<&str> = words.filter(|word| names.contains(word)).collect();
        let is_path = |name: &&&str| {
            let mut found = released.match_indices(**name);
            name.ends_with("::")
                && found.any(|(at, _)| {
                    !released[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
                })
        };
        used.extend(names.iter().filter(is_path));
        used.into_iter().map(|name| format!("{path}: {name} is in debug builds alone")).collect::<Vec<_>>()
    };
    parts.iter().filter(|(path, ..)| !modules.contains(*path)).flat_map(uses).collect()
}

#[test]
fn a_release_needs_nothing_of_debug_builds() {
    assert_none(&missing(&sources(&["rs"])));
}

#[test]
fn a_use_of_what_a_release_lacks_is_found() {
    let debug = Source::sample(
        "crates/x/src/a.rs",
        "struct A {\n    #[cfg(debug_assertions)]\n    first: i64,\n    other: i64,\n}\n\n#[cfg(debug_assertions)]\nimpl A {\n    pub fn tampered(&self) -> bool {\n        true\n    }\n}\n\nfn other() {}\n",
    );
    let uses = |code: &str| {
        missing(&[Source::sample("crates/y/src/b.rs", code), Source::sample(&debug.path, &debug.text)])
    };
    assert_none(&uses("fn f() {\n    #[cfg(debug_assertions)]\n    a.tampered();\n    other();\n}\n"));
    assert_found(&uses("fn f() {\n    a.tampered();\n}\n"), "tampered is in debug builds alone");
    assert_found(&uses("fn f() {\n    a.first\n}\n"), "first is in debug builds alone");
    let module = Source::sample("crates/z/src/lib.rs", "#[cfg(debug_assertions)]\nmod audit;\n");
    let path =
        Source::sample("crates/z/src/b.rs", "fn f() {\n    audit::check();\n    log_audit::check();\n}\n");
    assert_found(&missing(&[module, path]), "b.rs: audit:: is in debug builds alone");
}
