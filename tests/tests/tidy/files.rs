//! The layout of files: their names, and what no line may contain.

use crate::source::{Source, sources};
use crate::{assert_found, assert_none};

const SOURCE_EXTENSIONS: [&str; 8] = ["rs", "ts", "tsx", "mjs", "css", "sql", "html", "py"];

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

/// Text that no line may contain. Split here, so that this file doesn't contain it.
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
