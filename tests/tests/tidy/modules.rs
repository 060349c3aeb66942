//! The top-level modules of a crate depend on each other in one direction.

use std::collections::{BTreeMap, BTreeSet};

use crate::limits::Limits;
use crate::source::{Source, sources, without_tests, without_text};
use crate::{assert_found, assert_none};

/// The top-level modules of a crate, each with the modules that it needs.
type ModuleDependencies = BTreeMap<String, BTreeSet<String>>;

/// The crate of a source file, and the path of its module.
fn module_path(path: &str) -> Option<(&str, Vec<&str>)> {
    let (package, inside) = path.split_once("/src/")?;
    let mut module: Vec<&str> = inside.strip_suffix(".rs")?.split('/').collect();
    if module.last() == Some(&"mod") {
        module.pop();
    }
    let is_root = module.len() == 1 && ["lib", "main"].contains(&module[0]);
    let is_other = module[0] == "bin" || module.iter().any(|part| ["tests", "hostile"].contains(part));
    (!is_root && !is_other).then_some((package, module))
}

/// Collects the paths in a `use` tree.
fn paths_of(tree: &str, before: &str, paths: &mut Vec<String>) {
    let (mut depth, mut start) = (0, 0);
    let end = tree.len();
    for (at, letter) in tree.char_indices().chain([(end, ',')]) {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = tree[start..at].trim();
                start = (at + 1).min(end);
                match part.split_once('{') {
                    Some((prefix, rest)) => {
                        let inner = rest.trim_end().strip_suffix('}').unwrap_or(rest);
                        paths_of(inner, &format!("{before}{prefix}"), paths);
                    }
                    None if !part.is_empty() => paths.push(format!("{before}{part}")),
                    None => {}
                }
            }
            _ => {}
        }
    }
}

/// Every path in the code that starts with `crate` or `super`.
fn paths(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut rest = String::new();
    for (index, part) in code.split("use ").enumerate() {
        let is_use = index > 0 && (part.starts_with("crate::") || part.starts_with("super::"));
        match part.split_once(';').filter(|_| is_use) {
            Some((tree, behind)) => {
                paths_of(tree, "", &mut paths);
                rest.push_str(behind);
            }
            None => rest.push_str(part),
        }
    }
    for start in ["crate::", "super::"] {
        for (at, _) in rest.match_indices(start) {
            let before = rest[..at].chars().next_back();
            if before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_' && letter != ':') {
                let is_path = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
                paths.push(rest[at..].chars().take_while(|letter| is_path(*letter)).collect());
            }
        }
    }
    paths
}

/// The top-level module of a path, seen from a module.
fn top_of(path: &str, module: &[&str]) -> Option<String> {
    full_path(path, module).into_iter().next()
}

/// The path from the root of the crate.
fn full_path(path: &str, module: &[&str]) -> Vec<String> {
    let mut parts: Vec<&str> = path.split("::").map(str::trim).collect();
    let mut at = if parts[0] == "crate" { Vec::new() } else { module.to_vec() };
    if parts[0] == "crate" {
        parts.remove(0);
    }
    while parts.first() == Some(&"super") {
        at.pop();
        parts.remove(0);
    }
    at.into_iter().chain(parts).map(str::to_owned).collect()
}

fn module_dependencies(sources: &[Source]) -> BTreeMap<String, ModuleDependencies> {
    let mut crates: BTreeMap<String, ModuleDependencies> = BTreeMap::new();
    for source in sources {
        let Some((package, module)) = module_path(&source.path) else { continue };
        let needs = crates.entry(package.to_owned()).or_default().entry(module[0].to_owned()).or_default();
        let code = without_text(&without_tests(&source.text));
        let tops = paths(&code).into_iter().filter_map(|path| top_of(&path, &module));
        needs.extend(tops.filter(|top| top != module[0]));
    }
    for needs in crates.values_mut() {
        let modules: BTreeSet<String> = needs.keys().cloned().collect();
        for others in needs.values_mut() {
            others.retain(|other| modules.contains(other));
        }
    }
    crates
}

/// The files of a crate by module, each with the files that it needs. A module's submodules are left out,
/// because they are parts of it.
fn file_dependencies(sources: &[Source]) -> BTreeMap<String, ModuleDependencies> {
    let modules: BTreeMap<&str, BTreeSet<String>> = sources
        .iter()
        .filter_map(|source| module_path(&source.path))
        .fold(BTreeMap::new(), |mut all, (package, module)| {
            all.entry(package).or_default().insert(module.join("::"));
            all
        });
    let mut crates: BTreeMap<String, ModuleDependencies> = BTreeMap::new();
    for source in sources {
        let Some((package, module)) = module_path(&source.path) else { continue };
        let name = module.join("::");
        let code = without_text(&without_tests(&source.text));
        let needs = paths(&code).into_iter().filter_map(|path| {
            let path = full_path(&path, &module);
            // The longest prefix that is a file.
            let file = (1..=path.len()).rev().map(|length| path[..length].join("::"));
            file.into_iter().find(|file| modules[package].contains(file))
        });
        let needs = needs.filter(|other| *other != name && !other.starts_with(&format!("{name}::")));
        crates
            .entry(package.to_owned())
            .or_default()
            .entry(name.clone())
            .or_default()
            .extend(needs.collect::<Vec<_>>());
    }
    crates
}

/// The modules that depend on themselves through others.
fn cyclic_modules(needs: &ModuleDependencies) -> Vec<&String> {
    let reached = |from: &String| {
        let mut reached: BTreeSet<&String> = BTreeSet::new();
        let mut next: Vec<&String> = needs[from].iter().collect();
        while let Some(module) = next.pop() {
            if reached.insert(module) {
                next.extend(&needs[module]);
            }
        }
        reached
    };
    needs.keys().filter(|module| reached(module).contains(module)).collect()
}

fn offences(sources: &[Source]) -> Vec<String> {
    let crates = module_dependencies(sources);
    crates
        .iter()
        .map(|(package, needs)| (package, cyclic_modules(needs)))
        .filter(|(_, circles)| !circles.is_empty())
        .map(|(package, circles)| format!("{package}: {} in circles: {circles:?}", circles.len()))
        .collect()
}

#[test]
fn no_top_module_needs_one_that_needs_it() {
    let sources = sources(&["rs"]);
    let found = module_dependencies(&sources);
    assert!(
        found["crates/connections"]["registry"].contains("connection"),
        "{:?}",
        found["crates/connections"]
    );
    assert_none(&offences(&sources));
}

#[test]
fn few_files_need_one_that_needs_them() {
    let crates = file_dependencies(&sources(&["rs"]));
    let in_circles = crates.iter().flat_map(|(package, needs)| {
        cyclic_modules(needs).into_iter().map(move |module| format!("{package}: {module}"))
    });
    let in_circles: Vec<String> = in_circles.collect();
    let most = Limits::read().of("circles.files");
    assert!(in_circles.len() <= most, "{} files, of {most}:\n{}", in_circles.len(), in_circles.join("\n"));
}

#[test]
fn files_in_a_circle_are_found() {
    let sources = [
        Source::sample("crates/new/src/a.rs", "mod one;\nmod other;\nuse one::One;\n"),
        Source::sample("crates/new/src/a/one.rs", "use super::other::Other;\n"),
        Source::sample("crates/new/src/a/other.rs", "use crate::a::one::One;\n"),
        Source::sample("crates/new/src/a/third.rs", "use super::one::One;\n"),
    ];
    let needs = &file_dependencies(&sources)["crates/new"];
    assert_eq!(cyclic_modules(needs), ["a::one", "a::other"]);
}

#[test]
fn a_circle_of_modules_is_found_however_it_is_written() {
    let ends = Source::sample("crates/new/src/c.rs", "pub fn end() {}\n");
    for (one, other) in [
        ("use crate::b::Thing;", "use crate::a::Other;"),
        ("use crate::{c, b::{self, Thing}};", "fn f() { crate::a::call() }"),
        ("pub(crate) use crate::b::deep::Thing;", "use super::a::Other;"),
        ("type T = crate::b::T;", "#[cfg(unix)]\nuse crate::{\n    c::end,\n    a::Other,\n};"),
    ] {
        let sources = [
            Source::sample("crates/new/src/lib.rs", "mod a;\nmod b;\npub use a::Other;\n"),
            Source::sample("crates/new/src/a.rs", one),
            Source::sample("crates/new/src/b/deep.rs", &other.replace("super::", "super::super::")),
        ];
        assert_found(&offences(&sources), "crates/new: 2 in circles: [\"a\", \"b\"]");
    }
    let one_way = [
        Source::sample(
            "crates/new/src/a.rs",
            "use crate::c::end;\n// crate::b\nconst B: &str = \"crate::b\";",
        ),
        Source::sample(
            "crates/new/src/b.rs",
            "use crate::a::Other;\n\n#[cfg(test)]\nmod tests {\n    use crate::b;\n}\n",
        ),
        ends,
    ];
    assert_none(&offences(&one_way));
}
