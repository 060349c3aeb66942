//! Checks documents: the tests in ARCHITECTURE.md exist, and links and pictures are valid.

use crate::source::{Source, root, sources};
use crate::{assert_found, assert_none};

/// Names in backticks that look like a test: at least four words joined by underscores.
fn named_tests(text: &str) -> Vec<&str> {
    let inside = text.split('`').skip(1).step_by(2);
    inside
        .filter(|word| {
            word.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
        })
        .filter(|word| word.matches('_').count() >= 3)
        .collect()
}

/// Whether a test has this name: a function with a test attribute.
fn has_test(source: &Source, name: &str) -> bool {
    let start = format!("fn {name}(");
    source.text.match_indices(&start).any(|(at, _)| {
        let before = source.text.get(..at).unwrap_or_default().lines().rev();
        // The attributes and comments between the function and the previous item.
        let own = before.skip_while(|line| matches!(line.trim(), "" | "async")).take_while(|line| {
            let line = line.trim();
            line.starts_with("#[") || line.starts_with("//") || line.ends_with(']')
        });
        own.map(str::trim).any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"))
    })
}

fn missing_tests(document: &Source, code: &[Source]) -> Vec<String> {
    let exists = |name: &str| code.iter().any(|source| has_test(source, name));
    let named = named_tests(&document.text).into_iter();
    named.filter(|name| !exists(name)).map(|name| format!("{}: no test {name}", document.path)).collect()
}

#[test]
fn every_test_that_a_document_names_exists() {
    let code = sources(&["rs"]);
    let documents = sources(&["md"]);
    // Names in that document are JSON members, which another test checks.
    let documents = documents.iter().filter(|document| document.path != "docs/cli-json.md");
    let offences: Vec<_> = documents.flat_map(|document| missing_tests(document, &code)).collect();
    assert_none(&offences);
}

#[test]
fn a_test_that_exists_nowhere_is_found() {
    let document = Source::sample("ARCHITECTURE.md", "Held by `every_promise_is_kept_for_ever`.");
    assert_found(&missing_tests(&document, &[]), "every_promise_is_kept_for_ever");
    let missing = |text: &str| missing_tests(&document, &[Source::sample("crates/host/src/lib.rs", text)]);
    let function = "fn every_promise_is_kept_for_ever() {}";
    for other in ["", "// #[test]\n", "#[test]\nfn another() {}\n\n", "#[cfg(test)]\nasync "] {
        assert_found(&missing(&format!("{other}{function}")), "every_promise_is_kept_for_ever");
    }
    for test in [
        "#[test]\n",
        "    #[test]\n    ",
        "#[cfg(unix)]\n#[test]\n// Requirements: STD-05.\n",
        "#[tokio::test(flavor = \"multi_thread\")]\nasync ",
    ] {
        assert_none(&missing(&format!("{test}{function}")));
    }
}

fn dead_links(document: &Source) -> Vec<String> {
    let directory = document.path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let after = |mark: &'static str, end: char| {
        document.text.split(mark).skip(1).filter_map(move |rest| rest.split(end).next())
    };
    after("](", ')')
        .chain(after("src=\"", '"'))
        .chain(after("srcset=\"", '"'))
        .map(|target| target.split(['#', ' ']).next().unwrap_or_default())
        .filter(|target| !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:"))
        .filter(|target| !root().join(directory).join(target).exists())
        .map(|target| format!("{}: nothing at {target}", document.path))
        .collect()
}

#[test]
fn every_link_and_picture_in_a_document_leads_somewhere() {
    let offences: Vec<_> = sources(&["md"]).iter().flat_map(dead_links).collect();
    assert_none(&offences);
}

/// Paths in a guide that don't exist. Names in capitals are placeholders.
fn dead_paths(document: &Source) -> Vec<String> {
    const FOLDERS: [&str; 6] = ["crates/", "ui/", "src-tauri/", "tests/", "xtask/", "docs/"];
    let is_path = |code: &&str| {
        let is_example = code.split('/').any(|part| {
            let name = part.split(['.', '-', '_']).next().unwrap_or_default();
            name.len() > 3 && name.bytes().all(|byte| byte.is_ascii_uppercase())
        });
        FOLDERS.iter().any(|folder| code.starts_with(folder)) && !code.contains([' ', '*']) && !is_example
    };
    let paths = document.text.split('`').skip(1).step_by(2).filter(is_path);
    paths
        .filter(|path| !root().join(path).exists())
        .map(|path| format!("{}: nothing at {path}", document.path))
        .collect()
}

#[test]
fn every_path_of_the_guide_for_contributors_is_there() {
    let guide: Vec<_> =
        sources(&["md"]).into_iter().filter(|source| source.path == "CONTRIBUTING.md").collect();
    assert_eq!(guide.len(), 1);
    assert_none(&guide.iter().flat_map(dead_paths).collect::<Vec<_>>());
}

#[test]
fn a_path_that_is_gone_is_found() {
    let guide = Source::sample(
        "CONTRIBUTING.md",
        "1. `crates/nowhere/src/lib.rs`, `crates/host/src/SUBJECT.rs`, `crates/host/src/lib.rs`, `tests/e2e/pictures/scenes/NAME.mjs`",
    );
    assert_found(&dead_paths(&guide), "crates/nowhere/src/lib.rs");
}

#[test]
fn a_dead_link_is_found() {
    let document = Source::sample(
        "docs/adr/0001-x.md",
        "See [that](../nowhere.md#part) and [this](https://example.com).",
    );
    assert_found(&dead_links(&document), "../nowhere.md");
}
