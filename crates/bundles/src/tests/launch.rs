//! The commands of bundles on every system.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::MANIFEST;
use super::manifests::published;
use crate::{
    BundleError, BundleErrorCode, BundleManifest, ConfigValue, LaunchCommand, TargetSystem, UserFolders,
    launch_command,
};

fn folders() -> UserFolders {
    UserFolders {
        home: PathBuf::from("/home/mia"),
        desktop: PathBuf::from("/home/mia/Desktop"),
        documents: PathBuf::from("/home/mia/Documents"),
        downloads: PathBuf::from("/home/mia/Downloads"),
    }
}

fn values(list: &[(&str, ConfigValue)]) -> BTreeMap<String, ConfigValue> {
    list.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
}

fn text(text: &str) -> ConfigValue {
    ConfigValue::Text(text.to_owned())
}

fn texts(texts: &[&str]) -> ConfigValue {
    ConfigValue::List(texts.iter().map(|text| (*text).to_owned()).collect())
}

fn launch(
    manifest: &BundleManifest,
    list: &[(&str, ConfigValue)],
    system: TargetSystem,
) -> Result<LaunchCommand, BundleError> {
    launch_command(manifest, Path::new("/b"), &values(list), system, &folders())
}

/// The usual manifest with other arguments, variables and options.
fn with(args: &Value, env: &Value, options: &Value) -> BundleManifest {
    let mut manifest: Value = serde_json::from_str(MANIFEST).unwrap();
    manifest["server"]["mcp_config"]["args"] = args.clone();
    manifest["server"]["mcp_config"]["env"] = env.clone();
    manifest["user_config"] = options.clone();
    BundleManifest::read(&serde_json::to_vec(&manifest).unwrap()).unwrap()
}

fn env_of(command: &LaunchCommand) -> Vec<String> {
    command.env.iter().map(|variable| format!("{}={}", variable.name, variable.value)).collect()
}

#[test]
fn several_folders_become_several_arguments() {
    let manifest = published("filesystem");
    let chosen = [("allowed_directories", texts(&["/home/mia/a b", "/srv"]))];
    let command = launch(&manifest, &chosen, TargetSystem::Linux).unwrap();
    assert_eq!(command.program, "node");
    assert_eq!(command.args, ["/b/server/index.js", "/home/mia/a b", "/srv"]);
    assert_eq!(command.cwd, Path::new("/b"));
    let one = [("allowed_directories", text("/srv"))];
    assert_eq!(launch(&manifest, &one, TargetSystem::Linux).unwrap().args, ["/b/server/index.js", "/srv"]);
    let error = launch(&manifest, &[], TargetSystem::Linux).unwrap_err();
    assert_eq!(error.code(), BundleErrorCode::InvalidValue);
    assert_eq!(error.to_string(), "“Allowed folders” is required");
    launch(&manifest, &[("allowed_directories", texts(&[]))], TargetSystem::Linux).unwrap_err();
    launch(&manifest, &[("allowed_directories", texts(&["/a", ""]))], TargetSystem::Linux).unwrap_err();
}

#[test]
fn defaults_and_left_out_values_are_as_expected() {
    let manifest = published("hello-world-node");
    let command = launch(&manifest, &[], TargetSystem::Linux).unwrap();
    let expected =
        ["/b/server/index.js", "--verbose=false", "--max-results=10", "--workspace=/home/mia/Documents"];
    assert_eq!(command.args, expected);
    assert_eq!(env_of(&command), ["DEBUG=info"]);
    assert_eq!(command.left_out, ["config_file", "api_key"]);
    let given = [
        ("api_key", text("s3cret")),
        ("verbose_logging", ConfigValue::Boolean(true)),
        ("max_results", ConfigValue::Number(2.5)),
        ("config_file", text("/c.json")),
        ("unknown", text("ignored")),
    ];
    let command = launch(&manifest, &given, TargetSystem::Linux).unwrap();
    let expected = ["--verbose=true", "--max-results=2.5", "--config=/c.json"];
    assert_eq!(command.args[1..4], expected);
    let key = command.env.first().unwrap();
    assert_eq!((&*key.value, key.is_secret), ("s3cret", true));
    assert!(command.left_out.is_empty() && command.secret_args.is_empty());
    assert!(!format!("{command:?}").contains("s3cret"));
}

#[test]
fn values_are_checked_by_kind_and_bounds() {
    let options = json!({
        "n": { "type": "number", "title": "Count", "min": 1, "max": 5 },
        "b": { "type": "boolean", "title": "Switch" },
        "f": { "type": "file", "title": "File" },
        "d": { "type": "directory", "title": "Folders", "multiple": true },
    });
    let manifest = with(&json!(["${user_config.n}"]), &json!({}), &options);
    for (key, value, expected) in [
        ("n", ConfigValue::Number(0.5), "“Count” has to be at least 1"),
        ("n", ConfigValue::Number(6.0), "“Count” can be at most 5"),
        ("n", ConfigValue::Number(f64::NAN), "“Count” has to be a number"),
        ("n", text("3"), "“Count” has to be a number"),
        ("b", text("true"), "“Switch” has to be on or off"),
        ("f", ConfigValue::Boolean(true), "“File” has to be a text"),
        ("f", texts(&["/a", "/b"]), "“File” can have one value only"),
        ("d", texts(&["/a\0b"]), "“Folders” has a character that no program can receive"),
    ] {
        let error = launch(&manifest, &[(key, value)], TargetSystem::Linux).unwrap_err();
        assert_eq!(error.code(), BundleErrorCode::InvalidValue);
        assert_eq!(error.to_string(), expected);
    }
    for number in [1.0, 5.0] {
        launch(&manifest, &[("n", ConfigValue::Number(number))], TargetSystem::Linux).unwrap();
    }
}

#[test]
fn variables_are_replaced_once() {
    let args = json!([
        "${HOME}|${DESKTOP}|${DOCUMENTS}|${DOWNLOADS}",
        "a${/}b${pathSeparator}c",
        "${UNKNOWN} ${user_config} ${",
        "x${user_config.t}y${user_config.t}",
        "${user_config.none}",
        "--none=${user_config.none}",
        "${user_config.t}"
    ]);
    let options = json!({ "t": { "type": "string" }, "none": { "type": "string" } });
    let manifest = with(&args, &json!({ "D": "${__dirname}" }), &options);
    // What looks like a variable in a value is a text.
    let command = launch(&manifest, &[("t", text("${HOME}"))], TargetSystem::Windows).unwrap();
    assert_eq!(
        command.args,
        [
            "/home/mia|/home/mia/Desktop|/home/mia/Documents|/home/mia/Downloads",
            "a\\b\\c",
            "${UNKNOWN} ${user_config} ${",
            "x${HOME}y${HOME}",
            "${HOME}"
        ]
    );
    assert_eq!(env_of(&command), ["D=/b"]);
    assert_eq!(command.left_out, ["none"]);
    let command = launch(&manifest, &[("t", text("; rm -rf /"))], TargetSystem::Linux).unwrap();
    assert_eq!(command.args.last().unwrap(), "; rm -rf /");
}

#[test]
fn several_values_in_one_text_are_refused() {
    let options = json!({ "dirs": { "type": "directory", "title": "Folders", "multiple": true } });
    let manifest = with(&json!([]), &json!({ "DIRS": "${user_config.dirs}" }), &options);
    let error = launch(&manifest, &[("dirs", texts(&["/a", "/b"]))], TargetSystem::Linux).unwrap_err();
    assert!(error.to_string().starts_with("“Folders” can have one value only, because"), "{error}");
    let command = launch(&manifest, &[("dirs", texts(&["/a"]))], TargetSystem::Linux).unwrap();
    assert_eq!(env_of(&command), ["DIRS=/a"]);
}

#[test]
fn secrets_in_arguments_are_reported() {
    let options = json!({ "key": { "type": "string", "sensitive": true }, "name": { "type": "string" } });
    let args = json!(["--name", "${user_config.name}", "${user_config.key}", "--key=${user_config.key}"]);
    let manifest = with(&args, &json!({}), &options);
    let given = [("key", text("s3cret")), ("name", text("mia"))];
    let command = launch(&manifest, &given, TargetSystem::Linux).unwrap();
    let found: Vec<_> = command.secret_args.iter().map(|secret| (secret.index, &*secret.key)).collect();
    assert_eq!(found, [(2, "key"), (3, "key")]);
    let shown = format!("{command:?} {given:?}");
    assert!(!shown.contains("s3cret") && !shown.contains("Text(\"mia"), "{shown}");
}

#[test]
fn each_kind_of_server_has_its_program() {
    let program = |name: &str, system| {
        let command = launch(&published(name), &[("api_key", text("k"))], system).unwrap();
        [vec![command.program], command.args].concat()
    };
    let (linux, mac, windows) = (TargetSystem::Linux, TargetSystem::Macos, TargetSystem::Windows);
    let python = program("file-manager-python", linux);
    assert_eq!(python, ["python3", "/b/server/main.py", "--workspace=/home/mia/Documents"]);
    assert_eq!(program("file-manager-python", mac).first().unwrap(), "python3");
    assert_eq!(program("file-manager-python", windows).first().unwrap(), "python");
    let env = env_of(&launch(&published("file-manager-python"), &[], linux).unwrap());
    assert_eq!(env, ["DEBUG=false", "PYTHONPATH=/b/server/lib"]);
    for system in [linux, mac, windows] {
        assert_eq!(program("hello-world-uv", system), ["uv", "run", "--directory", "/b", "src/server.py"]);
        assert_eq!(program("automox", system), ["uv", "run", "--directory", "/b", "server/main.py"]);
        assert_eq!(program("garmin", system).first().unwrap(), "uvx");
    }
    assert_eq!(program("pagerunner", linux), ["/b/server/pagerunner", "mcp"]);
    assert_eq!(program("pagerunner", windows), ["/b\\server/pagerunner.exe", "mcp"]);
    assert_eq!(program("overrides-0.2", windows).first().unwrap(), "/b\\server/my-server.exe");
    assert_eq!(program("openstaad", windows), ["/b/openstaad-mcp.exe"]);
    let winget = program("winget", windows);
    assert!(winget.first().unwrap().starts_with("/home/mia/AppData/"), "{winget:?}");
}
