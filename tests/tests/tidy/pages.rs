//! The window's pages: one access point to the shell, no way for text to become markup, two complete
//! languages.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::source::{Source, is_test, sources};
use crate::{assert_found, assert_none};

fn pages() -> Vec<Source> {
    let mut found = sources(&["ts", "tsx", "html"]);
    found.retain(|source| source.path.starts_with("ui/"));
    found
}

fn shell_outside_ipc(source: &Source) -> Vec<String> {
    let allowed = source.path.starts_with("ui/src/ipc/");
    if allowed || !source.text.contains("@tauri-apps/") {
        Vec::new()
    } else {
        vec![source.line_with("@tauri-apps/")]
    }
}

#[test]
fn only_ui_src_ipc_imports_the_shell() {
    let offences: Vec<_> = pages().iter().flat_map(shell_outside_ipc).collect();
    assert_none(&offences);
}

#[test]
fn an_import_of_the_shell_elsewhere_is_found() {
    let text = "import { invoke } from \"@tauri-apps/api/core\";";
    assert_found(&shell_outside_ipc(&Source::sample("ui/src/features/servers/list.tsx", text)), "list.tsx:1");
}

fn html_sinks(source: &Source) -> Vec<String> {
    const SINKS: [&str; 9] = [
        "dangerouslySetInnerHTML",
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "srcDoc",
        "createContextualFragment",
        "eval(",
        "new Function(",
    ];
    SINKS.iter().filter(|sink| source.text.contains(**sink)).map(|sink| source.line_with(sink)).collect()
}

// Requirements: SEC-18.
#[test]
fn no_text_becomes_markup_or_code_in_the_window() {
    let offences: Vec<_> =
        pages().iter().filter(|source| !is_test(&source.path)).flat_map(html_sinks).collect();
    assert_none(&offences);
}

#[test]
fn a_way_for_text_to_become_markup_is_found() {
    let source =
        Source::sample("ui/src/components/text.tsx", "<p dangerouslySetInnerHTML={{ __html: text }} />");
    assert_found(&html_sinks(&source), "text.tsx:1");
}

/// Ways to change the whole document's style temporarily. WebKit never frees such styles (ADR 0006).
fn document_styles(source: &Source) -> Vec<String> {
    const WAYS: [&str; 5] = [
        "documentElement.style",
        "= document.documentElement",
        "createElement(\"style\")",
        "adoptedStyleSheets",
        "insertRule(",
    ];
    WAYS.iter().filter(|way| source.text.contains(**way)).map(|way| source.line_with(way)).collect()
}

#[test]
fn what_comes_and_goes_changes_no_style_of_the_whole_document() {
    let offences: Vec<_> = pages()
        .iter()
        .filter(|source| !is_test(&source.path) && !source.path.starts_with("ui/dev/test-"))
        .flat_map(document_styles)
        .collect();
    assert_none(&offences);
    let lock = "react-remove-scroll";
    let config = sources(&["ts"]).into_iter().find(|source| source.path == "ui/vite.config.ts").unwrap();
    assert!(config.text.contains(lock), "dialogs lock the scrolling of the page by a style sheet again");
}

#[test]
fn a_style_of_the_whole_document_is_found() {
    let text = "const { style } = document.documentElement;";
    assert_found(&document_styles(&Source::sample("ui/src/features/inbox/screen.tsx", text)), "screen.tsx:1");
}

/// The keys of a locale file, with the placeholders of their texts. Plural forms count as one key.
fn keys(value: &Value, prefix: &str, found: &mut BTreeMap<String, Vec<String>>) {
    let Some(members) = value.as_object() else {
        let mut key = prefix.to_owned();
        let mut counted = false;
        for form in ["_zero", "_one", "_two", "_few", "_many", "_other"] {
            if key.ends_with(form) {
                // "one file" doesn't need the number, so only the general form's placeholders count.
                counted = form != "_other";
                key.truncate(key.len() - form.len());
                break;
            }
        }
        let entry = found.entry(key).or_default();
        if !counted {
            *entry = placeholders(value.as_str().unwrap_or_default());
        }
        return;
    };
    for (name, member) in members {
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        keys(member, &path, found);
    }
}

fn placeholders(text: &str) -> Vec<String> {
    let mut names: Vec<String> = text
        .split("{{")
        .skip(1)
        .filter_map(|rest| rest.split("}}").next())
        .map(|name| name.split(',').next().unwrap_or_default().trim().to_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}

fn untranslated(english: &Source, other: Option<&Source>) -> Vec<String> {
    let Some(other) = other else { return vec![format!("{}: not translated", english.path)] };
    let read = |source: &Source| {
        let mut found = BTreeMap::new();
        keys(&serde_json::from_str(&source.text).unwrap(), "", &mut found);
        found
    };
    let (ours, theirs) = (read(english), read(other));
    let mut offences = Vec::new();
    for (key, names) in &ours {
        match theirs.get(key) {
            None => offences.push(format!("{}: no {key}", other.path)),
            Some(found) if found != names => {
                offences.push(format!("{}: {key} has {found:?} for {names:?}", other.path));
            }
            Some(_) => {}
        }
    }
    offences.extend(
        theirs
            .keys()
            .filter(|key| !ours.contains_key(*key))
            .map(|key| format!("{}: {key} is not in English", other.path)),
    );
    offences
}

#[test]
fn every_language_has_the_same_keys_and_placeholders() {
    let mut locales = sources(&["json"]);
    locales.retain(|source| source.path.starts_with("ui/src/locales/"));
    let mut offences = Vec::new();
    let languages: Vec<&str> = locales.iter().filter_map(|source| source.path.split('/').nth(3)).collect();
    for english in locales.iter().filter(|source| source.path.starts_with("ui/src/locales/en/")) {
        for language in languages.iter().filter(|language| **language != "en") {
            let path = english.path.replace("/en/", &format!("/{language}/"));
            offences.extend(untranslated(english, locales.iter().find(|source| source.path == path)));
        }
    }
    offences.sort();
    offences.dedup();
    assert!(languages.contains(&"en") && languages.contains(&"zh-CN"), "{languages:?}");
    assert_none(&offences);
}

#[test]
fn a_missing_translation_and_a_lost_placeholder_are_found() {
    let english = Source::sample(
        "ui/src/locales/en/servers.json",
        r#"{"a": {"b_one": "one", "b_other": "{{count}} servers"}}"#,
    );
    let chinese = |text: &str| Source::sample("ui/src/locales/zh-CN/servers.json", text);
    assert_none(&untranslated(&english, Some(&chinese(r#"{"a": {"b_other": "{{count}} 个服务器"}}"#))));
    assert_found(&untranslated(&english, Some(&chinese(r#"{"a": {}}"#))), "no a.b");
    assert_found(&untranslated(&english, Some(&chinese(r#"{"a": {"b_other": "服务器"}}"#))), "count");
    assert_found(&untranslated(&english, None), "not translated");
}

/// The texts in double quotes.
fn quoted(text: &str) -> Vec<&str> {
    text.lines().flat_map(|line| line.split('"').skip(1).step_by(2)).collect()
}

/// Scenes of the mock backend without a picture, and the other way round.
fn unpictured(known: &Source, visited: &[Source]) -> Vec<String> {
    let list = known.text.split_once("const scenes = [").and_then(|(_, rest)| rest.split_once(']'));
    // A text may contain several names.
    let known_names: Vec<&str> =
        quoted(list.map_or("", |(names, _)| names)).into_iter().flat_map(str::split_whitespace).collect();
    let visits: Vec<(&Source, &str)> = visited
        .iter()
        .flat_map(|source| source.text.split("scene: \"").skip(1).map(move |rest| (source, rest)))
        .filter_map(|(source, rest)| rest.split('"').next().map(|name| (source, name)))
        .collect();
    let spoken_of = |name: &&str| visited.iter().any(|source| quoted(&source.text).contains(name));
    let mut offences: Vec<String> = known_names
        .iter()
        .filter(|name| **name != "usual" && !spoken_of(name))
        .map(|name| format!("{}: no picture is taken of {name}", known.path))
        .collect();
    let open = ["failed_", "inbox_refuses_"];
    offences.extend(
        visits
            .iter()
            .filter(|(_, name)| {
                !known_names.contains(name) && !open.iter().any(|start| name.starts_with(start))
            })
            .map(|(source, name)| format!("{}: no such scene: {name}", source.path)),
    );
    offences
}

#[test]
fn pictures_are_taken_of_every_scene_of_the_scripted_backend() {
    let known = pages().into_iter().find(|source| source.path == "ui/dev/mock/scenes.ts").unwrap();
    let mut visited = sources(&["mjs"]);
    visited.retain(|source| source.path.starts_with("tests/e2e/pictures/scenes/"));
    assert_none(&unpictured(&known, &visited));
}

#[test]
fn scene_without_picture_and_picture_without_scene_are_found() {
    let known = Source::sample("ui/dev/mock/scenes.ts", "const scenes = [\n  \"usual empty\",\n] as const;");
    let visits = |text: &str| vec![Source::sample("tests/e2e/pictures/scenes/inbox.mjs", text)];
    assert_none(&unpictured(&known, &visits("{ scene: \"empty\" }, { scene: \"failed_list_models\" }")));
    assert_found(&unpictured(&known, &visits("{ at: \"/inbox\" }")), "no picture is taken of empty");
    assert_found(
        &unpictured(&known, &visits("{ scene: \"empty\" }, { scene: \"unheard\" }")),
        "no such scene: unheard",
    );
}
