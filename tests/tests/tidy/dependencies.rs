//! Which packages may depend on which, checked in the manifests.

use std::collections::{BTreeMap, BTreeSet};

use crate::directions::DIRECTIONS;
use crate::source::{Source, sources};
use crate::{assert_found, assert_none};

/// Crates without side effects. Neither they nor the crates of ours that they use may use anything with side effects.
const PURE_CRATES: [&str; 5] =
    ["mooring-jsonrpc", "mooring-base", "mooring-forms", "mooring-policy", "mooring-models"];
const EFFECT_CRATES: [&str; 5] = ["tokio", "reqwest", "sqlx", "mooring-store", "mooring-mcp"];

/// Third-party packages, by the start of their names, with the only packages of ours that may use them.
const OWNERS: [(&str, &[&str]); 17] = [
    ("tauri", &["mooring-desktop"]),
    ("wry", &["mooring-desktop"]),
    ("gtk", &["mooring-desktop"]),
    ("webkit2gtk", &["mooring-desktop"]),
    ("sqlx", &["mooring-disk", "mooring-store"]),
    ("libsqlite3-sys", &["mooring-store"]),
    ("keyring", &["mooring-vault"]),
    ("secret-service", &["mooring-vault"]),
    ("zbus-secret-service-keyring-store", &["mooring-vault"]),
    ("apple-native-keyring-store", &["mooring-vault"]),
    ("windows-native-keyring-store", &["mooring-vault"]),
    ("process-wrap", &["mooring-process"]),
    ("sysinfo", &["mooring-load"]),
    ("oauth2", &["mooring-oauth"]),
    ("open", &["mooring-process"]),
    ("rmcp", &["mooring-demo-server", "mooring-testkit", "mooring-tests"]),
    // The host's views export TypeScript, and so do the crates with the types in them.
    (
        "ts-rs",
        &[
            "mooring-accounts",
            "mooring-app-access",
            "mooring-approvals",
            "mooring-apps",
            "mooring-base",
            "mooring-bundle-setup",
            "mooring-calls",
            "mooring-definitions",
            "mooring-desktop",
            "mooring-doctor",
            "mooring-errors",
            "mooring-folders",
            "mooring-forms",
            "mooring-host",
            "mooring-inbox",
            "mooring-instances",
            "mooring-load",
            "mooring-log",
            "mooring-mcp",
            "mooring-models",
            "mooring-network",
            "mooring-oauth",
            "mooring-policy",
            "mooring-process",
            "mooring-profiles",
            "mooring-recorder",
            "mooring-registry",
            "mooring-server-state",
            "mooring-settings",
            "mooring-store",
            "mooring-tool-list",
            "mooring-words",
        ],
    ),
];

/// A package's name, and its dependencies by section.
#[derive(Debug, Default)]
struct Manifest {
    path: String,
    package: String,
    dependencies: BTreeMap<String, Vec<String>>,
    text: String,
}

fn manifest(source: &Source) -> Manifest {
    let mut manifest =
        Manifest { path: source.path.clone(), text: source.text.clone(), ..Manifest::default() };
    let mut section = String::new();
    for line in source.text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            // `[target.'cfg(unix)'.dependencies]` counts as `[dependencies]`, and `[dependencies.x]` names a
            // dependency in it.
            let mut parts = name.rsplit('.').map(|part| part.trim_matches('"'));
            let last = parts.next().unwrap_or_default();
            last.clone_into(&mut section);
            if let Some(kind) = parts.next().filter(|kind| kind.ends_with("dependencies")) {
                manifest.dependencies.entry(kind.to_owned()).or_default().push(last.to_owned());
                name.clone_into(&mut section);
            }
        } else if let Some((key, value)) = line.split_once('=') {
            if section == "package" && key.trim() == "name" {
                value.trim().trim_matches('"').clone_into(&mut manifest.package);
            } else if section.ends_with("dependencies") {
                let name = key.trim().split('.').next().unwrap_or_default().to_owned();
                manifest.dependencies.entry(section.clone()).or_default().push(name);
            }
        }
    }
    manifest
}

fn manifests() -> Vec<Manifest> {
    sources(&["toml"])
        .iter()
        .filter(|source| source.path.ends_with("Cargo.toml") && source.path != "Cargo.toml")
        .map(manifest)
        .collect()
}

fn tauri_under_crates(manifest: &Manifest) -> Vec<String> {
    if !manifest.path.starts_with("crates/") {
        return Vec::new();
    }
    let all = manifest.dependencies.values().flatten();
    all.filter(|name| name.starts_with("tauri")).map(|name| format!("{}: {name}", manifest.path)).collect()
}

#[test]
fn nothing_under_crates_depends_on_tauri() {
    let offences: Vec<_> = manifests().iter().flat_map(tauri_under_crates).collect();
    assert_none(&offences);
}

#[test]
fn a_crate_that_depends_on_tauri_is_found() {
    let text = "[package]\nname = \"mooring-host\"\n[dependencies]\ntauri.workspace = true\n";
    let manifest = manifest(&Source::sample("crates/host/Cargo.toml", text));
    assert_found(&tauri_under_crates(&manifest), "tauri");
}

/// Names that a crate offers of another one of ours: who needs them imports that one.
fn re_exported(source: &Source) -> Vec<String> {
    if !source.path.starts_with("crates/") {
        return Vec::new();
    }
    let lines = source.text.lines().enumerate().filter(|(_, line)| line.starts_with("pub use mooring_"));
    lines.map(|(at, line)| format!("{}:{}: {line}", source.path, at + 1)).collect()
}

#[test]
fn no_crate_offers_names_of_another_one() {
    let offences: Vec<_> = sources(&["rs"]).iter().flat_map(re_exported).collect();
    assert_none(&offences);
}

#[test]
fn a_name_of_another_crate_that_is_offered_is_found() {
    let text = "pub use call::Permit;\npub use mooring_base::codes;\nuse mooring_log::Item;\n";
    assert_found(&re_exported(&Source::sample("crates/host/src/lib.rs", text)), "mooring_base::codes");
    assert_none(&re_exported(&Source::sample("crates/host/src/lib.rs", "pub use call::Permit;\n")));
}

fn owned_elsewhere(manifest: &Manifest) -> Vec<String> {
    let mut offences = Vec::new();
    for name in manifest.dependencies.values().flatten() {
        for (outside, owners) in OWNERS {
            let belongs = name == outside || name.starts_with(&format!("{outside}-"));
            if belongs && !owners.contains(&manifest.package.as_str()) {
                offences.push(format!("{}: {name} belongs to {}", manifest.path, owners.join(", ")));
            }
        }
    }
    offences
}

#[test]
fn every_outside_dependency_with_an_owner_is_used_by_it_alone() {
    let offences: Vec<_> = manifests().iter().flat_map(owned_elsewhere).collect();
    assert_none(&offences);
}

#[test]
fn an_outside_dependency_in_the_wrong_crate_is_found() {
    let stores = [
        "secret-service",
        "zbus-secret-service-keyring-store",
        "apple-native-keyring-store",
        "windows-native-keyring-store",
    ];
    for name in ["sqlx", "keyring-core", "oauth2", "open", "process-wrap"].into_iter().chain(stores) {
        for dependency in [
            format!("[dependencies]\n{name} = {{ workspace = true }}"),
            format!("[dependencies.{name}]\nworkspace = true"),
            format!("[target.'cfg(unix)'.dependencies.\"{name}\"]\nworkspace = true"),
        ] {
            let text = format!("[package]\nname = \"mooring-host\"\n{dependency}\n");
            assert_found(&owned_elsewhere(&manifest(&Source::sample("crates/host/Cargo.toml", &text))), name);
        }
    }
}

fn forbidden_dependencies(manifest: &Manifest) -> Vec<String> {
    let Some((_, allowed)) = DIRECTIONS.iter().find(|(package, _)| *package == manifest.package) else {
        let is_shipped = manifest.path.starts_with("crates/") || manifest.path.starts_with("src-tauri/");
        let unlisted = format!("{}: {} has no direction", manifest.path, manifest.package);
        return if is_shipped { vec![unlisted] } else { Vec::new() };
    };
    let used = manifest.dependencies.get("dependencies").map(Vec::as_slice).unwrap_or_default();
    used.iter()
        .filter(|name| name.starts_with("mooring-") && !allowed.contains(&name.as_str()))
        .map(|name| format!("{} must not depend on {name}", manifest.package))
        .collect()
}

#[test]
fn our_crates_depend_on_each_other_in_one_direction() {
    let offences: Vec<_> = manifests().iter().flat_map(forbidden_dependencies).collect();
    assert_none(&offences);
}

#[test]
fn a_dependency_that_points_back_is_found() {
    let text = "[package]\nname = \"mooring-mcp\"\n[dependencies]\nmooring-host = { workspace = true }\n";
    let manifest = manifest(&Source::sample("crates/mcp/Cargo.toml", text));
    assert_found(&forbidden_dependencies(&manifest), "mooring-host");
}

#[test]
fn a_crate_without_a_direction_is_found() {
    let manifest = manifest(&Source::sample("crates/new/Cargo.toml", "[package]\nname = \"mooring-new\"\n"));
    assert_found(&forbidden_dependencies(&manifest), "mooring-new");
}

/// Side effects of the pure crates, found in their manifests and those of our crates below them.
fn effects(manifests: &[Manifest]) -> Vec<String> {
    let mut looked = BTreeSet::new();
    let mut left: Vec<&str> = PURE_CRATES.to_vec();
    let mut offences = Vec::new();
    while let Some(package) = left.pop() {
        let Some(manifest) = manifests.iter().find(|manifest| manifest.package == package) else {
            offences.push(format!("{package} is not there"));
            continue;
        };
        if !looked.insert(package) {
            continue;
        }
        for name in manifest.dependencies.get("dependencies").into_iter().flatten() {
            if EFFECT_CRATES.contains(&name.as_str()) {
                offences.push(format!("{package} uses {name}"));
            } else if name.starts_with("mooring-") {
                left.push(name);
            }
        }
    }
    offences
}

#[test]
fn what_decides_has_no_effects() {
    assert_none(&effects(&manifests()));
}

#[test]
fn an_effect_below_what_decides_is_found() {
    let mut all = manifests();
    for manifest in &mut all {
        if manifest.package == "mooring-base" {
            manifest.dependencies.entry("dependencies".to_owned()).or_default().push("tokio".to_owned());
        }
    }
    assert_found(&effects(&all), "mooring-base uses tokio");
}

fn outside_the_shared_lints(manifest: &Manifest) -> Vec<String> {
    let shared = manifest.text.contains("[lints]\nworkspace = true");
    if shared { Vec::new() } else { vec![format!("{}: does not take the workspace's lints", manifest.path)] }
}

#[test]
fn every_package_takes_the_lints_of_the_workspace() {
    let offences: Vec<_> = manifests().iter().flat_map(outside_the_shared_lints).collect();
    assert_none(&offences);
}

#[test]
fn a_package_without_the_shared_lints_is_found() {
    let manifest = manifest(&Source::sample("crates/new/Cargo.toml", "[package]\nname = \"mooring-new\"\n"));
    assert_found(&outside_the_shared_lints(&manifest), "lints");
}

/// The mock window and the keychain in memory for tests. As workspace features, they would be in the shipped
/// program.
const ONLY_FOR_TESTS: [&str; 2] = [
    "tauri = { workspace = true, features = [\"test\"] }",
    "mooring-vault = { workspace = true, features = [\"fake\"] }",
];

/// The tray, which isn't Tauri's on Linux. A workspace feature would add it there as well.
const ONLY_ELSEWHERE: &str = "tauri = { workspace = true, features = [\"tray-icon\"] }";

fn own_versions(manifest: &Manifest) -> Vec<String> {
    let mut section = "";
    let mut offences = Vec::new();
    for line in manifest.text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if section.contains("dependencies") && line.contains('=') {
            let plain = line.ends_with("{ workspace = true }") || line.ends_with(".workspace = true");
            let optional = line.ends_with("{ workspace = true, optional = true }");
            let tests = section == "[dev-dependencies]" && ONLY_FOR_TESTS.contains(&line);
            let elsewhere = section.contains("not(target_os = \"linux\")") && line == ONLY_ELSEWHERE;
            if !plain && !optional && !tests && !elsewhere {
                offences.push(format!("{}: {line}", manifest.path));
            }
        }
    }
    offences
}

#[test]
fn dependency_versions_and_features_stand_in_the_workspace() {
    let offences: Vec<_> = manifests().iter().flat_map(own_versions).collect();
    assert_none(&offences);
}

#[test]
fn a_dependency_with_its_own_features_is_found() {
    let text = "[package]\nname = \"mooring-mcp\"\n[dependencies]\ntokio = { workspace = true, features = [\"fs\"] }\n";
    assert_found(&own_versions(&manifest(&Source::sample("crates/mcp/Cargo.toml", text))), "features");
}
