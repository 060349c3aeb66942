//! Limits that only go down. `tests/limits.toml` contains all of them, and is compared with the previous
//! commit. An ADR of the same change must name a limit that rises, and what else was tried.

use std::collections::BTreeMap;
use std::process::Command;

use crate::source::{Source, is_test, root, sources, without_tests};
use crate::{assert_found, assert_none};

const FILE: &str = "tests/limits.toml";

/// The limits by full name, such as `lines.file`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Limits(BTreeMap<String, usize>);

impl Limits {
    pub(crate) fn parse(text: &str) -> Self {
        let tables: BTreeMap<String, BTreeMap<String, usize>> = toml::from_str(text).unwrap();
        let named = |(table, limits): (String, BTreeMap<String, usize>)| {
            limits.into_iter().map(move |(name, most)| (format!("{table}.{name}"), most))
        };
        Self(tables.into_iter().flat_map(named).collect())
    }

    /// The current limits.
    pub(crate) fn read() -> Self {
        Self::parse(&std::fs::read_to_string(root().join(FILE)).unwrap())
    }

    /// A limit by its full name.
    pub(crate) fn of(&self, name: &str) -> usize {
        self.0[name]
    }

    /// The line limit of a crate: its own, or the common one.
    fn of_crate(&self, package: &str) -> usize {
        self.0.get(&format!("lines.{package}")).copied().unwrap_or(self.of("lines.crate"))
    }
}

/// The limits that rose or were removed without an ADR that names them.
fn raised(before: &Limits, now: &Limits, documents: &[String]) -> Vec<String> {
    // A crate with a new limit of its own had the common one before.
    let earlier = |name: &str| match name.strip_prefix("lines.") {
        Some(package) if package.starts_with("crates/") => Some(before.of_crate(package)),
        _ => before.0.get(name).copied(),
    };
    let risen = now.0.iter().filter_map(|(name, most)| {
        let earlier = earlier(name).filter(|earlier| most > earlier)?;
        Some((name, format!("{name} rises from {earlier} to {most}")))
    });
    let gone =
        before.0.keys().filter(|name| !now.0.contains_key(*name) && !name.starts_with("lines.crates/"));
    risen
        .chain(gone.map(|name| (name, format!("{name} is no limit any more"))))
        .filter(|(name, _)| !documents.iter().any(|document| document.contains(&format!("`{name}`"))))
        .map(|(_, offence)| format!("{offence}: an ADR of the same change has to say why"))
        .collect()
}

/// The output of git. `None` if it fails, for example because the commit doesn't exist.
#[expect(clippy::disallowed_methods, reason = "tests are no part of the product")]
fn git(arguments: &[&str]) -> Option<String> {
    let run = Command::new("git").args(arguments).current_dir(root()).output().ok()?;
    run.status.success().then(|| String::from_utf8(run.stdout).unwrap())
}

/// The base of this change: `origin/main`, or the commit before it if that is HEAD.
fn base() -> Option<String> {
    let head = git(&["rev-parse", "HEAD"])?;
    let is_committed = git(&["status", "--porcelain", "--", FILE, "docs/adr"])?.is_empty();
    match git(&["rev-parse", "--verify", "--quiet", "origin/main"]) {
        Some(main) if main != head => Some(main),
        _ if !is_committed => Some(head),
        _ => git(&["rev-parse", "--verify", "--quiet", "HEAD^"]),
    }
}

#[test]
fn no_limit_is_raised_to_what_stands() {
    // There is nothing to compare with in a copy without git or in the first commit.
    let Some(base) = base() else { return };
    let base = base.trim();
    let Some(before) = git(&["show", &format!("{base}:{FILE}")]) else { return };
    let documents = sources(&["md"]).into_iter().filter(|source| source.path.starts_with("docs/adr/"));
    let is_new = |source: &Source| {
        git(&["show", &format!("{base}:{}", source.path)]).is_none_or(|earlier| earlier != source.text)
    };
    let documents: Vec<String> = documents.filter(is_new).map(|source| source.text).collect();
    assert_none(&raised(&Limits::parse(&before), &Limits::read(), &documents));
}

#[test]
fn a_limit_that_rises_unexplained_is_found() {
    let before = Limits::parse("[lines]\nfile = 600\ncrate = 6000\n\"crates/host\" = 9000\n");
    let with = |text: &str| raised(&before, &Limits::parse(&format!("[lines]\n{text}")), &[]);
    assert_none(&with("file = 599\ncrate = 6000\n\"crates/host\" = 9000\n"));
    // It now has the common limit, which is lower.
    assert_none(&with("file = 600\ncrate = 6000\n"));
    assert_found(&with("file = 601\ncrate = 6000\n"), "lines.file rises from 600 to 601");
    assert_found(
        &with("file = 600\ncrate = 6000\n\"crates/new\" = 6001\n"),
        "lines.crates/new rises from 6000",
    );
    assert_found(&with("crate = 6000\n"), "lines.file is no limit any more");
    let now = Limits::parse("[lines]\nfile = 601\ncrate = 6000\n");
    assert_none(&raised(&before, &now, &["`lines.file` is 601 since …".to_owned()]));
}

fn too_long(source: &Source, most: usize) -> Vec<String> {
    let lines = if is_test(&source.path) { source.text.clone() } else { without_tests(&source.text) };
    let count = lines.lines().count();
    if count <= most { Vec::new() } else { vec![format!("{}: {count} lines, of {most}", source.path)] }
}

const SOURCE_EXTENSIONS: [&str; 8] = ["rs", "ts", "tsx", "mjs", "css", "sql", "html", "py"];

#[test]
fn no_source_is_too_long_without_its_tests() {
    let most = Limits::read().of("lines.file");
    let offences: Vec<_> =
        sources(&SOURCE_EXTENSIONS).iter().flat_map(|source| too_long(source, most)).collect();
    assert_none(&offences);
}

#[test]
fn a_source_of_601_lines_is_found() {
    let lines = |text: &str| too_long(&Source::sample("crates/host/src/lib.rs", text), 600);
    assert_found(&lines(&"line\n".repeat(601)), "601 lines");
    let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "    line\n".repeat(50));
    assert_none(&lines(&format!("{}{tests}", "line\n".repeat(600))));
}

/// The functions with more lines than `most`, from `fn` to the closing brace.
fn long_functions(source: &Source, most: usize) -> Vec<String> {
    if is_test(&source.path) {
        return Vec::new();
    }
    let text = without_tests(&source.text);
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        let is_function =
            ["fn ", "pub fn ", "async fn ", "pub async fn ", "pub(crate) fn ", "pub(crate) async fn "]
                .iter()
                .any(|start| code.starts_with(start))
                || code.starts_with("pub(super)") && code.contains(" fn ");
        if !is_function || code.ends_with(';') || code.ends_with("{}") {
            continue;
        }
        let end = format!("{}}}", " ".repeat(indent));
        let length = lines[at..].iter().position(|line| *line == end).map_or(1, |length| length + 1);
        if length > most {
            let name = code.split_once("fn ").map_or(code, |(_, name)| name);
            let name = name.split(['(', '<']).next().unwrap_or(name);
            found.push(format!("{}:{}: fn {name} has {length} lines, of {most}", source.path, at + 1));
        }
    }
    found
}

#[test]
fn no_function_is_too_long() {
    let most = Limits::read().of("lines.function");
    assert_none(&sources(&["rs"]).iter().flat_map(|source| long_functions(source, most)).collect::<Vec<_>>());
}

#[test]
fn a_long_function_is_found() {
    let text = format!(
        "impl A {{\n    pub(crate) async fn long(&self) {{\n{}    }}\n}}\n",
        "        x;\n".repeat(9)
    );
    let source = Source::sample("crates/host/src/a.rs", &text);
    assert_found(&long_functions(&source, 10), "fn long has 11 lines");
    assert_none(&long_functions(&source, 11));
}

fn oversized_crates(sources: &[Source], limits: &Limits) -> Vec<String> {
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.path.starts_with("crates/")) {
        if let Some((package, inside)) = source.path.split_once("/src/") {
            let is_test = is_test(&source.path)
                || ["hostile.rs", "properties.rs"].iter().any(|end| inside.ends_with(end));
            let count = if is_test { 0 } else { without_tests(&source.text).lines().count() };
            *lines.entry(package).or_default() += count;
        }
    }
    let over = lines.into_iter().filter(|(package, count)| *count > limits.of_crate(package));
    over.map(|(package, count)| format!("{package}: {count} lines, of {}", limits.of_crate(package)))
        .collect()
}

#[test]
fn a_crate_can_be_read_in_an_afternoon() {
    assert_none(&oversized_crates(&sources(&["rs"]), &Limits::read()));
}

#[test]
fn a_crate_that_is_too_large_is_found() {
    let limits = Limits::parse("[lines]\ncrate = 600\n\"crates/large\" = 700\n");
    let samples = |package: &str, lines: usize| {
        Source::sample(&format!("crates/{package}/src/lib.rs"), &"line\n".repeat(lines))
    };
    let tests = Source::sample("crates/small/src/a/tests.rs", &"line\n".repeat(700));
    let sources = [samples("new", 601), samples("large", 700), samples("small", 600), tests];
    assert_found(&oversized_crates(&sources, &limits), "crates/new: 601 lines, of 600");
}
