//! How files are laid out: their length, their names, what no line of them may hold.

use std::collections::BTreeMap;

use crate::source::{Source, is_test, sources, without_tests};
use crate::{assert_found, assert_none};

/// Lines a source may have, its tests not counted.
const MAX_LINES: usize = 600;
const SOURCE_EXTENSIONS: [&str; 8] = ["rs", "ts", "tsx", "mjs", "css", "sql", "html", "py"];

fn too_long(source: &Source) -> Vec<String> {
    let lines = if is_test(&source.path) { source.text.clone() } else { without_tests(&source.text) };
    let count = lines.lines().count();
    if count <= MAX_LINES { Vec::new() } else { vec![format!("{}: {count} lines", source.path)] }
}

#[test]
fn no_source_is_longer_than_600_lines_without_its_tests() {
    let offences: Vec<_> = sources(&SOURCE_EXTENSIONS).iter().flat_map(too_long).collect();
    assert_none(&offences);
}

#[test]
fn a_source_of_601_lines_is_found() {
    assert_found(&too_long(&Source::sample("crates/host/src/lib.rs", &"line\n".repeat(601))), "601 lines");
    let tested =
        format!("{}#[cfg(test)]\nmod tests {{\n{}}}\n", "line\n".repeat(600), "    line\n".repeat(50));
    assert_none(&too_long(&Source::sample("crates/host/src/lib.rs", &tested)));
}

fn mod_file(source: &Source) -> Vec<String> {
    if source.path.ends_with("/mod.rs") { vec![source.path.clone()] } else { Vec::new() }
}

#[test]
fn no_module_is_named_mod_rs() {
    let offences: Vec<_> = sources(&["rs"]).iter().flat_map(mod_file).collect();
    assert_none(&offences);
}

#[test]
fn a_module_named_mod_rs_is_found() {
    assert_found(&mod_file(&Source::sample("crates/host/src/connection/mod.rs", "")), "connection/mod.rs");
}

/// `//!`, or `//` in a fragment that another module includes.
fn without_opening_comment(source: &Source) -> Vec<String> {
    let opened = source.text.starts_with("//! ") || source.text.starts_with("// ");
    if opened { Vec::new() } else { vec![format!("{}: no header at its top", source.path)] }
}

#[test]
fn every_rust_file_opens_by_saying_what_it_is_for() {
    let offences: Vec<_> = sources(&["rs"]).iter().flat_map(without_opening_comment).collect();
    assert_none(&offences);
}

#[test]
fn a_rust_file_without_a_header_is_found() {
    assert_found(
        &without_opening_comment(&Source::sample("crates/mcp/src/era.rs", "use std::fmt;\n")),
        "no header",
    );
}

/// What stands in no line, assembled so that this file holds none of it.
fn unfinished() -> [String; 5] {
    ["TO DO", "FIX ME", "XX X", "# [ignore", "# [allow("].map(|words| words.replace(' ', ""))
}

fn unfinished_lines(source: &Source) -> Vec<String> {
    unfinished()
        .iter()
        .filter(|words| source.text.contains(words.as_str()))
        .map(|words| source.line_with(words))
        .collect()
}

#[test]
fn nothing_is_left_unfinished_ignored_or_silently_allowed() {
    let offences: Vec<_> = sources(&SOURCE_EXTENSIONS).iter().flat_map(unfinished_lines).collect();
    assert_none(&offences);
}

#[test]
fn an_unfinished_line_is_found() {
    for words in unfinished() {
        let source =
            Source::sample("crates/mcp/src/call.rs", &format!("fn one() {{}}\n// {words} later)]\n"));
        assert_found(&unfinished_lines(&source), "call.rs:2");
    }
}

fn machine_paths(source: &Source) -> Vec<String> {
    let paths = ["/ro ot/", "/wo rk/", "/Users/runner", "/home/runner", "C:\\Users\\runner"];
    paths
        .map(|path| path.replace(' ', ""))
        .iter()
        .filter(|path| source.text.contains(path.as_str()))
        .map(|path| source.line_with(path))
        .collect()
}

#[test]
fn no_file_names_a_path_of_the_machine_it_was_written_on() {
    let every = ["rs", "ts", "tsx", "mjs", "css", "sql", "html", "py", "toml", "json", "md", "txt", "svg"];
    let offences: Vec<_> = sources(&every)
        .iter()
        .filter(|source| source.path != "tests/tests/tidy/files.rs")
        .flat_map(machine_paths)
        .collect();
    assert_none(&offences);
}

#[test]
fn a_path_of_this_machine_is_found() {
    let text = format!("let database = \"/{}/.local/share\";", "root");
    assert_found(&machine_paths(&Source::sample("crates/store/src/open.rs", &text)), "open.rs:1");
}

/// Lines that a crate may have, its tests not counted: an afternoon's reading.
const MAX_CRATE_LINES: usize = 6_000;
/// Crates that may have more. The host is the interface of all front ends; the others are only to become smaller.
const LARGER_CRATES: [(&str, usize); 3] =
    [("crates/host", 11_700), ("crates/mcp", 16_620), ("crates/store", 8_990)];

fn oversized_crates(sources: &[Source]) -> Vec<String> {
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.path.starts_with("crates/")) {
        if let Some((package, inside)) = source.path.split_once("/src/") {
            let is_test = is_test(&source.path)
                || ["hostile.rs", "properties.rs"].iter().any(|end| inside.ends_with(end));
            let count = if is_test { 0 } else { without_tests(&source.text).lines().count() };
            *lines.entry(package).or_default() += count;
        }
    }
    let most = |package: &str| {
        LARGER_CRATES.iter().find(|(name, _)| *name == package).map_or(MAX_CRATE_LINES, |(_, most)| *most)
    };
    let over = lines.into_iter().filter(|(package, count)| *count > most(package));
    over.map(|(package, count)| format!("{package}: {count} lines, of {}", most(package))).collect()
}

#[test]
fn a_crate_can_be_read_in_an_afternoon() {
    assert_none(&oversized_crates(&sources(&["rs"])));
}

#[test]
fn a_crate_that_is_too_long_is_found() {
    let file = |name: &str| Source::sample(&format!("crates/new/src/{name}"), &"line\n".repeat(3_001));
    assert_found(&oversized_crates(&[file("a.rs"), file("b.rs")]), "crates/new: 6002 lines");
    assert_none(&oversized_crates(&[file("a.rs"), file("a/tests.rs")]));
}
