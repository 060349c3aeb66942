//! The window may call the commands of the table. No other caller may, and no other command is allowed.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{TestApp, invoke, invoke_from, window};

/// The commands in the TypeScript map, which is generated from the table.
fn commands() -> BTreeSet<String> {
    let map = include_str!("../../../ui/src/ipc/bindings/commands.ts");
    map.lines()
        .filter_map(|line| line.strip_prefix("  ")?.split_once(": { args: "))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// The contents of `capabilities/main.json`.
fn capability() -> Value {
    serde_json::from_str(include_str!("../../capabilities/main.json")).unwrap()
}

#[test]
fn the_one_window_is_granted_exactly_the_commands_of_the_table() {
    let expected: BTreeSet<_> =
        commands().iter().map(|name| format!("allow-{}", name.replace('_', "-"))).collect();
    let capability = capability();
    let granted = capability["permissions"].as_array().unwrap();
    let distinct: BTreeSet<_> =
        granted.iter().map(|permission| permission.as_str().unwrap().to_owned()).collect();
    assert_eq!(distinct, expected);
    assert_eq!(granted.len(), expected.len(), "a permission is granted twice");
    assert_eq!(capability["windows"], json!(["main"]));
    for key in ["webviews", "remote", "platforms"] {
        assert_eq!(capability.get(key), None, "{key}");
    }
}

#[test]
fn the_window_reaches_a_handler_for_every_command() {
    let running = TestApp::without_data();
    assert!(commands().len() > 20);
    for name in commands() {
        let answer = running.invoke(&name, json!({}));
        let text = answer.as_ref().err().map(Value::to_string).unwrap_or_default();
        assert!(!text.contains("not allowed") && !text.contains("not found"), "{name}: {text}");
    }
}

#[test]
fn another_window_reaches_no_command() {
    let running = TestApp::without_data();
    let other = window(&running.app, "other");
    for name in commands() {
        let refusal = invoke(&other, &name, json!({})).unwrap_err().to_string();
        assert!(refusal.contains("not allowed"), "{name}: {refusal}");
    }
}

#[test]
fn a_page_from_elsewhere_reaches_no_command() {
    let running = TestApp::without_data();
    for url in ["https://example.com", "http://localhost:5174", "http://127.0.0.1:5173", "data:text/html,x"] {
        for name in commands() {
            let refusal = invoke_from(&running.window, url, &name, json!({})).unwrap_err().to_string();
            assert!(refusal.contains("not allowed"), "{url} {name}: {refusal}");
        }
    }
}

#[test]
fn what_tauri_itself_offers_is_refused() {
    let running = TestApp::without_data();
    for name in [
        "no_such_command",
        "plugin:window|set_title",
        "plugin:webview|create_webview_window",
        "plugin:event|listen",
        "plugin:event|emit",
        "plugin:path|resolve_directory",
        "plugin:app|version",
        "plugin:resources|close",
        "plugin:shell|open",
    ] {
        let refusal = running.invoke(name, json!({})).unwrap_err().to_string();
        assert!(refusal.contains("not allowed") || refusal.contains("not found"), "{name}: {refusal}");
    }
}

#[test]
fn arguments_of_the_wrong_shape_are_named() {
    let running = TestApp::without_data();
    let refusal = |command: &str, args: Value| running.invoke(command, args).unwrap_err().to_string();
    let missing = refusal("start_server", json!({}));
    assert!(missing.contains("`id` of `start_server` is missing"), "{missing}");
    let wrong = refusal("start_server", json!({ "id": "one" }));
    assert!(
        wrong.contains("`id` of `start_server` can’t be read") && wrong.contains("expected i64"),
        "{wrong}"
    );
    let nested = refusal("set_settings", json!({ "settings": { "theme": "pink" } }));
    assert!(nested.contains("pink"), "{nested}");
    let partial = refusal("set_settings", json!({ "settings": { "theme": "dark" } }));
    assert!(partial.contains("missing field `language`"), "{partial}");
    let channel = refusal("watch_host", json!({}));
    assert!(channel.contains("`channel` of `watch_host` is missing"), "{channel}");
}

#[test]
fn every_command_says_why_when_the_data_cannot_be_used() {
    let running = TestApp::without_data();
    for name in ["app_info", "get_settings", "list_servers", "log_facets"] {
        let error = running.invoke(name, json!({})).unwrap_err();
        assert_eq!(error["code"], "open_failed", "{error}");
        assert_eq!(error["details"]["code"], "no_home", "{error}");
    }
}

#[test]
fn a_page_may_do_nothing_but_show_what_came_with_it() {
    let config: Value = serde_json::from_str(include_str!("../../tauri.conf.json")).unwrap();
    let security = &config["app"]["security"];
    assert_eq!(security["freezePrototype"], true);
    assert_eq!(security["assetProtocol"]["enable"], false);
    assert_eq!(security["capabilities"], json!(["main"]));
    assert_eq!(security.get("dangerousDisableAssetCspModification"), None);
    assert_eq!(config["app"]["withGlobalTauri"], false);
    let policy = security["csp"].as_object().unwrap();
    assert_eq!(policy["default-src"], "'none'");
    assert_eq!(policy["script-src"], "'self'");
    assert_eq!(policy["style-src"], "'self'");
    assert_eq!(policy["connect-src"], "ipc: http://ipc.localhost");
    for (directive, sources) in policy {
        let sources = sources.as_str().unwrap();
        assert!(!sources.contains("unsafe") && !sources.contains('*'), "{directive} {sources}");
    }
}
