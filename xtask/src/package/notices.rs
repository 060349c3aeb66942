//! Collects the licences of third-party code in the installers: the crates linked into the programs and the
//! npm packages in the pages. Dependencies for builds, tests or other systems are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::binaries::SELECTION;
use crate::workspace::Workspace;

/// The prefixes of licence files' names.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
/// Not a dependency of the pages, but its style sheet is part of them.
const STYLES: &str = "tailwindcss";

/// A crate or a package.
#[derive(Debug)]
struct Component {
    /// The name and version.
    name: String,
    licence: String,
    /// The URL of the sources, if known.
    place: Option<String>,
    texts: Vec<String>,
}

/// Writes the notices to `file`.
pub(super) fn write(workspace: &Workspace, triple: &str, file: &Path) -> Result<()> {
    let text = collect(workspace, triple)?;
    fs::write(file, text).with_context(|| format!("could not write: {}", file.display()))
}

fn collect(workspace: &Workspace, triple: &str) -> Result<String> {
    let features = SELECTION.iter().skip_while(|word| **word != "--features").take(2).copied();
    let metadata = workspace
        .cargo(&["metadata", "--locked", "--format-version", "1", "--filter-platform", triple])
        .args(features)
        .capture()?;
    let metadata = serde_json::from_str(&metadata).context("cargo metadata printed no JSON")?;
    Ok(render(&crates(&metadata, &shipped_packages())?, &packages(&workspace.ui())?))
}

/// Our packages that contain the shipped programs.
fn shipped_packages() -> Vec<&'static str> {
    SELECTION
        .windows(2)
        .filter(|pair| pair.first() == Some(&"--package"))
        .filter_map(|pair| pair.get(1))
        .copied()
        .collect()
}

/// The third-party crates that are linked into these packages.
fn crates(metadata: &Value, shipped: &[&str]) -> Result<Vec<Component>> {
    let list = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
    let by_id = |values: Vec<Value>| -> BTreeMap<String, Value> {
        values.into_iter().filter_map(|value| Some((value["id"].as_str()?.to_owned(), value))).collect()
    };
    let (known, nodes) = (by_id(list(&metadata["packages"])), by_id(list(&metadata["resolve"]["nodes"])));
    let ours = known.values().filter(|package| shipped.iter().any(|name| package["name"] == *name));
    let mut open: Vec<String> =
        ours.filter_map(|package| package["id"].as_str()).map(str::to_owned).collect();
    ensure!(open.len() == shipped.len(), "cargo metadata does not know all of {}", shipped.join(", "));
    let mut seen = BTreeSet::new();
    let mut parts = Vec::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id.clone()) {
            continue;
        }
        let package = known.get(&id).with_context(|| format!("cargo metadata describes no {id}"))?;
        let writes_code = list(&package["targets"])
            .iter()
            .any(|target| list(&target["kind"]).contains(&"proc-macro".into()));
        // A macro runs at compile time and is not part of the program.
        if writes_code {
            continue;
        }
        if package["source"].is_string() {
            let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
            parts.push(Component::read(
                package,
                manifest.parent().unwrap_or(manifest),
                &package["repository"],
            )?);
        }
        for dependency in
            list(&nodes.get(&id).with_context(|| format!("cargo metadata resolves no {id}"))?["deps"])
        {
            // A normal dependency has no kind. Test and build dependencies do.
            if list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null()) {
                open.extend(dependency["pkg"].as_str().map(str::to_owned));
            }
        }
    }
    Ok(parts)
}

/// The npm packages that the pages in `ui` depend on.
fn packages(ui: &Path) -> Result<Vec<Component>> {
    let lock = ui.join("package-lock.json");
    let lock = fs::read_to_string(&lock).with_context(|| format!("could not read: {}", lock.display()))?;
    let lock: Value = serde_json::from_str(&lock).context("the lock file is no JSON")?;
    let names = |package: &Value| -> Vec<String> {
        package["dependencies"].as_object().into_iter().flat_map(|all| all.keys().cloned()).collect()
    };
    let root = lock["packages"][""].clone();
    let wanted = names(&root).into_iter().chain([STYLES.to_owned()]);
    let mut open: Vec<(String, String)> = wanted.map(|name| (String::new(), name)).collect();
    let mut seen = BTreeSet::new();
    let mut parts = Vec::new();
    while let Some((from, name)) = open.pop() {
        let place =
            locate_package(&lock, &from, &name).with_context(|| format!("the lock file has no {name}"))?;
        if !seen.insert(place.clone()) {
            continue;
        }
        let folder = ui.join(&place);
        let manifest = folder.join("package.json");
        let text = fs::read_to_string(&manifest);
        let text = text.with_context(|| format!("not installed: {}", folder.display()))?;
        let package: Value =
            serde_json::from_str(&text).with_context(|| format!("no JSON: {}", manifest.display()))?;
        let repository = &package["repository"];
        let repository = if repository.is_object() { &repository["url"] } else { repository };
        parts.push(Component::read(&package, &folder, repository)?);
        open.extend(names(&lock["packages"][&place]).into_iter().map(|name| (place.clone(), name)));
    }
    Ok(parts)
}

/// Resolves a package name like Node: in `from` itself, then in each folder above it.
fn locate_package(lock: &Value, from: &str, name: &str) -> Option<String> {
    let mut holder = from;
    loop {
        let place = if holder.is_empty() {
            format!("node_modules/{name}")
        } else {
            format!("{holder}/node_modules/{name}")
        };
        if lock["packages"][&place].is_object() {
            return Some(place);
        }
        if holder.is_empty() {
            return None;
        }
        holder = holder.rsplit_once("/node_modules/").map_or("", |(outer, _)| outer);
    }
}

impl Component {
    fn read(package: &Value, folder: &Path, repository: &Value) -> Result<Self> {
        let word = |name: &str| package[name].as_str().unwrap_or_default();
        let name = format!("{} {}", word("name"), word("version"));
        let licence = if word("license").is_empty() { "see its text" } else { word("license") };
        let texts = texts(folder).with_context(|| format!("could not read: {}", folder.display()))?;
        let place = repository.as_str().map(str::to_owned);
        ensure!(!texts.is_empty() || !word("license").is_empty(), "nothing says how {name} may be used");
        Ok(Self { name, licence: licence.to_owned(), place, texts })
    }
}

/// The licence texts in a folder.
fn texts(folder: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        if !NAMES.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        if path.is_dir() {
            files.extend(
                fs::read_dir(&path)?
                    .map(|entry| entry.map(|entry| entry.path()))
                    .collect::<Result<Vec<_>, _>>()?,
            );
        } else {
            files.push(path);
        }
    }
    files.retain(|path| path.is_file());
    files.sort();
    files.iter().map(|path| Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())).collect()
}

/// Renders the notices: the components, and each licence text once.
fn render(crates: &[Component], packages: &[Component]) -> String {
    let mut out = String::from(
        "Mooring is made with the work of many others. This names what its programs contain, under which licence, and \
         has the text of each as its authors give it. Sources are at crates.io and npmjs.com under the same names and \
         versions. Rust's standard library, which the programs contain as well, is under MIT or Apache-2.0.\n",
    );
    let mut texts: BTreeMap<String, (String, BTreeSet<&str>)> = BTreeMap::new();
    for (heading, parts) in [("Crates in the programs", crates), ("Packages in the window's pages", packages)]
    {
        let lines: BTreeSet<String> = parts.iter().map(Component::line).collect();
        // Writing to a String cannot fail.
        let _written = write!(out, "\n{heading}:\n\n{}", lines.into_iter().collect::<String>());
        for part in parts {
            for text in &part.texts {
                // Texts that only differ in line breaks count as the same.
                let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
                texts.entry(words).or_insert_with(|| (text.clone(), BTreeSet::new())).1.insert(&part.name);
            }
        }
    }
    for (text, names) in texts.into_values() {
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        let _written = write!(out, "\n{}\n{names}\n\n{}\n", "=".repeat(72), text.trim_end());
    }
    out
}

impl Component {
    fn line(&self) -> String {
        let Self { name, licence, place, texts } = self;
        match place {
            Some(place) if texts.is_empty() => {
                format!("  {name}: {licence} (without a text of its own; {place})\n")
            }
            None if texts.is_empty() => format!("  {name}: {licence} (without a text of its own)\n"),
            _ => format!("  {name}: {licence}\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn folder(of: &Path, name: &str, files: &[(&str, &str)]) -> String {
        let folder = of.join(name);
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in files {
            fs::write(folder.join(name), text).unwrap();
        }
        folder.join("Cargo.toml").display().to_string()
    }

    #[test]
    fn only_what_is_linked_is_named_and_each_text_stands_there_once() {
        let place = tempfile::tempdir().unwrap();
        let package = |name: &str, kind: &str, ours: bool, files: &[(&str, &str)]| {
            json!({
                "id": name, "name": name, "version": "1.0.0", "license": "MIT", "repository": "https://example.com",
                "source": if ours { Value::Null } else { "registry".into() }, "targets": [{ "kind": [kind] }],
                "manifest_path": folder(place.path(), name, files),
            })
        };
        let dependency = |name: &str, kind: Value| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let metadata = json!({
            "packages": [
                package("ours", "bin", true, &[]),
                package("linked", "lib", false, &[("LICENSE-MIT", "Be kind.\n"), ("README", "no")]),
                package("deep", "lib", false, &[("license.txt", "Be\n  kind.")]),
                package("bare", "lib", false, &[]),
                package("macro", "proc-macro", false, &[("LICENSE", "macro")]),
                package("tests", "lib", false, &[("LICENSE", "tests")]),
                package("builds", "lib", false, &[("LICENSE", "builds")]),
            ],
            "resolve": { "nodes": [
                { "id": "ours", "deps": [
                    dependency("linked", Value::Null), dependency("macro", Value::Null),
                    dependency("tests", "dev".into()), dependency("builds", "build".into()),
                ] },
                { "id": "linked", "deps": [dependency("deep", Value::Null), dependency("bare", Value::Null)] },
                { "id": "deep", "deps": [] }, { "id": "bare", "deps": [] }, { "id": "macro", "deps": [] },
            ] },
        });
        let told = render(&crates(&metadata, &["ours"]).unwrap(), &[]);
        assert!(told.contains("\ndeep 1.0.0, linked 1.0.0\n\nBe kind.\n"), "{told}");
        assert!(
            told.contains("  bare 1.0.0: MIT (without a text of its own; https://example.com)\n"),
            "{told}"
        );
        for absent in ["ours", "macro", "tests", "builds"] {
            assert!(!told.contains(&format!("{absent} 1.0.0")), "{absent}: {told}");
        }
        assert!(crates(&metadata, &["ours", "nobody"]).is_err());
    }

    #[test]
    fn a_package_is_the_one_that_is_nearest_to_who_needs_it() {
        let lock = json!({ "packages": {
            "node_modules/a": {}, "node_modules/b": {}, "node_modules/@s/c": {}, "node_modules/@s/c/node_modules/b": {},
        } });
        let check = |from: &str, name: &str| locate_package(&lock, from, name);
        assert_eq!(check("", "b").as_deref(), Some("node_modules/b"));
        assert_eq!(check("node_modules/a", "b").as_deref(), Some("node_modules/b"));
        assert_eq!(check("node_modules/@s/c", "b").as_deref(), Some("node_modules/@s/c/node_modules/b"));
        assert_eq!(check("node_modules/@s/c/node_modules/b", "a").as_deref(), Some("node_modules/a"));
        assert_eq!(check("node_modules/a", "nobody"), None);
    }

    #[test]
    fn shipped_dependencies_are_listed_with_their_licence_texts() {
        let workspace = Workspace::find().unwrap();
        let told = collect(&workspace, &super::super::triple().unwrap()).unwrap();
        for part in
            ["tokio ", "rmcp ", "sqlx", "reqwest ", "react-dom ", "@codemirror/state ", "tailwindcss "]
        {
            assert!(told.contains(&format!("\n  {part}")), "{part} is not named");
        }
        for text in [
            "Mozilla Public License",
            "Redistribution and use in source and binary forms",
            "Permission to use, copy, modify, and/or distribute",
        ] {
            assert!(told.contains(text), "there is no text with: {text}");
        }
        for absent in ["rcgen", "oxlint", "vitest", "mooring-"] {
            assert!(!told.contains(&format!("\n  {absent}")), "{absent} does not ship");
        }
    }
}
