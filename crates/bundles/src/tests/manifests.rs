//! Manifests of published bundles, described in our own words, and manifests with faults.

use std::path::Path;

use serde_json::{Value, json};

use super::MANIFEST;
use crate::{BundleErrorCode, BundleKind, BundleManifest, ConfigKind, ConfigValue, HostFacts, TargetSystem};

const SYSTEMS: [TargetSystem; 3] = [TargetSystem::Linux, TargetSystem::Macos, TargetSystem::Windows];

/// The manifest of a published bundle.
pub(super) fn published(name: &str) -> BundleManifest {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/manifests");
    BundleManifest::read(&std::fs::read(folder.join(format!("{name}.json"))).unwrap()).unwrap()
}

fn read(value: &Value) -> Result<BundleManifest, crate::BundleError> {
    BundleManifest::read(&serde_json::to_vec(value).unwrap())
}

fn usual() -> Value {
    serde_json::from_str(MANIFEST).unwrap()
}

#[test]
fn published_manifests_are_read() {
    for (name, version, kind, systems) in [
        ("chrome-applescript", "0.1", BundleKind::Node, "m"),
        ("file-manager-python", "0.1", BundleKind::Python, "lmw"),
        ("filesystem", "0.1", BundleKind::Node, "lmw"),
        ("hello-world-node", "0.3", BundleKind::Node, "lmw"),
        ("hello-world-uv", "0.4", BundleKind::Uv, "lmw"),
        ("context7", "0.1", BundleKind::Node, "lmw"),
        ("blockscout", "0.1", BundleKind::Node, "lmw"),
        ("prisma", "0.1", BundleKind::Node, "lmw"),
        ("garmin", "0.3", BundleKind::Python, "lmw"),
        ("openstaad", "0.4", BundleKind::Binary, "w"),
        ("automox", "0.4", BundleKind::Uv, "lmw"),
        ("pagerunner", "0.3", BundleKind::Binary, "lm"),
        ("overrides-0.2", "0.2", BundleKind::Binary, "lmw"),
        ("winget", "0.3", BundleKind::Binary, "w"),
    ] {
        let manifest = published(name);
        assert_eq!((&*manifest.manifest_version, manifest.server.kind), (version, kind), "{name}");
        assert!(!manifest.title().is_empty() && !manifest.author.name.is_empty(), "{name}");
        for (system, letter) in SYSTEMS.into_iter().zip("lmw".chars()) {
            let host = HostFacts {
                system,
                client_version: "0.1.0",
                node_version: Some("v22.4.0"),
                python_version: Some("3.12.1"),
            };
            assert_eq!(manifest.check_host(&host).is_ok(), systems.contains(letter), "{name} on {system:?}");
        }
    }
}

#[test]
fn the_parts_of_a_manifest_are_read() {
    let manifest = published("hello-world-node");
    assert_eq!(manifest.title(), "Hello World");
    assert_eq!(manifest.icon.as_deref(), Some("icon.png"));
    assert_eq!(manifest.repository.as_deref(), Some("https://github.com/acme/my-repo"));
    let keys: Vec<&str> = manifest.user_config.iter().map(|option| &*option.key).collect();
    let expected =
        ["api_key", "verbose_logging", "max_results", "config_file", "workspace_directory", "debug_mode"];
    assert_eq!(keys, expected);
    let max_results = &manifest.user_config[2];
    assert_eq!(max_results.kind, ConfigKind::Number);
    assert_eq!((max_results.min, max_results.max), (Some(1.0), Some(100.0)));
    assert!(max_results.default == Some(ConfigValue::Number(10.0)));
    assert!(manifest.user_config.first().unwrap().sensitive);
    let chrome = published("chrome-applescript");
    assert_eq!(chrome.tools.len(), 2);
    assert_eq!(published("prisma").privacy_policies, ["https://www.prisma.io/privacy"]);
    assert_eq!(published("context7").title(), "Context7");
    let icons = json!({ "icons": [{ "src": "big.png", "size": "64x64" }] });
    let mut with_icons = usual();
    with_icons.as_object_mut().unwrap().extend(icons.as_object().unwrap().clone());
    assert_eq!(read(&with_icons).unwrap().icon.as_deref(), Some("big.png"));
}

#[test]
fn every_version_of_the_format_is_read() {
    for version in [json!("0.1"), json!("0.2"), json!("0.3"), json!("0.4"), json!(0.3), json!(" 0.2.0 ")] {
        let mut manifest = usual();
        manifest["manifest_version"] = version.clone();
        read(&manifest).unwrap();
        manifest.as_object_mut().unwrap().remove("manifest_version");
        manifest["dxt_version"] = version;
        read(&manifest).unwrap();
    }
    for version in ["0.5", "1.0", "0.10", "2025.1"] {
        // Nothing else of it is known.
        let error = read(&json!({ "manifest_version": version })).unwrap_err();
        assert_eq!(error.code(), BundleErrorCode::NewerManifest);
        let expected = format!(
            "the bundle uses version {version} of the format, and this Mooring reads versions up to 0.4"
        );
        assert_eq!(error.to_string(), expected);
    }
    for version in ["latest", "0", "0.0", "", "-1.2"] {
        let mut manifest = usual();
        manifest["manifest_version"] = json!(version);
        assert_eq!(read(&manifest).unwrap_err().code(), BundleErrorCode::InvalidManifest, "{version}");
    }
}

#[test]
fn what_is_missing_is_named() {
    let error = read(&json!({})).unwrap_err();
    assert_eq!(error.code(), BundleErrorCode::InvalidManifest);
    assert_eq!(
        error.to_string(),
        "the bundle’s manifest.json lacks manifest_version, name, version, description, author.name, \
         server.type, server.entry_point, server.mcp_config"
    );
    for (pointer, name) in [
        ("/name", "name"),
        ("/version", "version"),
        ("/description", "description"),
        ("/author/name", "author.name"),
        ("/server/type", "server.type"),
        ("/server/entry_point", "server.entry_point"),
        ("/server/mcp_config", "server.mcp_config"),
        ("/server/mcp_config/command", "server.mcp_config.command"),
    ] {
        let mut manifest = usual();
        *manifest.pointer_mut(pointer).unwrap() = Value::Null;
        let error = read(&manifest).unwrap_err();
        assert_eq!(error.to_string(), format!("the bundle’s manifest.json lacks {name}"));
    }
    let mut uv = usual();
    uv["server"] = json!({ "type": "uv", "entry_point": "src/server.py" });
    read(&uv).unwrap();
}

#[test]
fn what_has_a_wrong_type_is_named() {
    for (pointer, value, name) in [
        ("/name", json!(7), "name"),
        ("/server/type", json!("ruby"), "server.type"),
        ("/server/mcp_config", json!("node"), "server.mcp_config"),
        ("/server/mcp_config/command", json!({ "args": ["node"] }), "server.mcp_config.command"),
        ("/server/mcp_config/args", json!("index.js"), "server.mcp_config.args"),
        ("/server/mcp_config/args", json!(["a", ["b"]]), "server.mcp_config.args"),
        ("/server/mcp_config/env", json!({ "A": {} }), "server.mcp_config.env.A"),
        ("/user_config", json!([]), "user_config"),
        ("/user_config", json!({ "a": { "type": "date" } }), "user_config.a.type"),
    ] {
        let mut manifest = usual();
        manifest["user_config"] = json!({});
        manifest["server"]["mcp_config"]["env"] = json!({});
        *manifest.pointer_mut(pointer).unwrap() = value;
        let error = read(&manifest).unwrap_err();
        assert_eq!(error.code(), BundleErrorCode::InvalidManifest);
        assert!(error.to_string().contains(name), "{error}");
    }
    for text in ["", "{", "[]", "null", "{\"name\": }", "\u{feff}"] {
        let error = BundleManifest::read(text.as_bytes()).unwrap_err();
        assert_eq!(error.code(), BundleErrorCode::InvalidManifest);
    }
}

#[test]
fn small_faults_of_authors_are_forgiven() {
    let mut manifest = usual();
    manifest["author"] = json!("Harbour Works");
    manifest["homepage"] = json!(17);
    manifest["tools"] = json!([{ "name": "tide" }, { "description": "without a name" }, 3]);
    manifest["server"]["mcp_config"]["args"] = json!(["--port", 80, true]);
    manifest["server"]["mcp_config"]["env"] = json!({ "A": 1, "B": null });
    manifest["user_config"] = json!({
        "port": { "type": "number", "default": "8080" },
        "on": { "type": "boolean", "default": "true" },
        "name": { "type": "string", "default": 5 },
        "many": { "type": "number", "default": 500, "max": 10 },
    });
    let manifest =
        BundleManifest::read(&[&b"\xef\xbb\xbf"[..], &serde_json::to_vec(&manifest).unwrap()].concat());
    let manifest = manifest.unwrap();
    assert_eq!(manifest.author.name, "Harbour Works");
    assert_eq!(manifest.tools.len(), 1);
    let config = manifest.server.launch_config(TargetSystem::Linux).unwrap();
    assert_eq!(config.args, ["--port", "80", "true"]);
    assert_eq!(config.env, [("A".to_owned(), "1".to_owned())]);
    let defaults: Vec<_> = manifest.user_config.iter().map(|option| option.default.clone()).collect();
    let expected = [
        Some(ConfigValue::Number(8080.0)),
        Some(ConfigValue::Boolean(true)),
        Some(ConfigValue::Text("5".to_owned())),
        None,
    ];
    assert!(defaults == expected);
    assert_eq!(manifest.user_config.first().unwrap().title, "port");
}

#[test]
fn each_system_has_its_own_command() {
    let server = published("overrides-0.2").server;
    let config = |system| server.launch_config(system).unwrap();
    let linux = config(TargetSystem::Linux);
    assert_eq!((&*linux.command, linux.args.len(), linux.env.len()), ("server/my-server", 2, 1));
    let mac = config(TargetSystem::Macos);
    assert_eq!(mac.args, linux.args);
    assert_eq!(mac.env, [("DYLD_LIBRARY_PATH".to_owned(), "server/lib".to_owned())]);
    let windows = config(TargetSystem::Windows);
    assert_eq!(windows.command, "server/my-server.exe");
    assert_eq!(windows.args, ["--config", "server/config-windows.json"]);
    assert_eq!(windows.env, linux.env);
}

#[test]
fn why_a_bundle_cannot_run_here_is_said() {
    let host = |system, node_version, python_version| HostFacts {
        system,
        client_version: "0.1.0",
        node_version,
        python_version,
    };
    let said = |manifest: &BundleManifest, host| manifest.check_host(&host).unwrap_err().to_string();
    let linux = host(TargetSystem::Linux, None, None);
    assert_eq!(said(&published("openstaad"), linux), "this bundle isn’t for Linux, only for Windows");
    let old = host(TargetSystem::Linux, Some("v14.1.0"), Some("3.7.2"));
    assert_eq!(
        said(&published("filesystem"), old),
        "this bundle needs Node.js >=16.0.0, and v14.1.0 is here"
    );
    let python = said(&published("file-manager-python"), old);
    assert_eq!(python, "this bundle needs Python >=3.8.0 <4, and 3.7.2 is here");
    // uv brings its own.
    published("hello-world-uv").check_host(&old).unwrap();
    published("filesystem").check_host(&linux).unwrap();
    let mut newer = usual();
    newer["compatibility"] = json!({ "mooring": ">=0.2.0", "other_client": ">9" });
    assert_eq!(said(&read(&newer).unwrap(), linux), "this bundle needs Mooring >=0.2.0, and 0.1.0 is here");
}
