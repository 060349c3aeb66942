//! Bundles through the page's commands: reviewed, added, cancelled, updated and brought back.

use std::path::{Path, PathBuf};

use mooring_testkit::bundles::{binary_manifest, write_bundle};
use mooring_testkit::scripted_server_path;
use serde_json::{Value, json};

use crate::support::{TestApp, channel_argument};

const PROGRESS: u32 = 1;

/// Writes a bundle of the scripted server, with this number of other files.
fn write(folder: &Path, version: &str, others: usize) -> PathBuf {
    let path = folder.join(format!("{version}.mcpb"));
    let program = std::fs::read(scripted_server_path()).unwrap();
    let names: Vec<String> = (0..others).map(|number| format!("data/{number}")).collect();
    let mut files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    files.push(("server/run", &program));
    write_bundle(&path, &binary_manifest("tide", version, &["ok"]), &files);
    path
}

fn choice(update: Option<&Value>) -> Value {
    json!({ "update": update, "name": null, "givesSecrets": false })
}

fn read(running: &TestApp, path: &Path) -> Value {
    let asked = json!({ "path": path, "choice": choice(None), "values": [] });
    running.invoke("read_bundle", asked).unwrap()
}

fn wanted(path: &Path, review: &Value, update: Option<&Value>) -> Value {
    json!({
        "callId": "bundle", "path": path, "sha256": review["sha256"], "choice": choice(update), "values": [],
        "channel": channel_argument(PROGRESS),
    })
}

#[test]
fn a_bundle_is_reviewed_added_once_and_brought_back() {
    let (home, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let running = TestApp::at(home.path());
    let one = write(files.path(), "1.0.0", 0);
    let review = read(&running, &one);
    assert_eq!((&review["version"], &review["signature"]), (&json!("1.0.0"), &json!("unsigned")));
    assert_eq!((&review["update"], &review["server"]["args"]), (&Value::Null, &json!(["ok"])));
    let added = running.invoke("add_bundle", wanted(&one, &review, None)).unwrap();
    assert_eq!(added["kind"], "added");
    let progress = running.next(PROGRESS);
    assert!(progress["total"].as_u64().unwrap() > 0, "{progress}");
    let id = added["server"]["id"].clone();
    let again = running.invoke("add_bundle", wanted(&one, &review, None)).unwrap();
    assert_eq!((&again["kind"], &again["server"]["id"]), (&json!("already_installed"), &id));

    let two = write(files.path(), "2.0.0", 0);
    let review = read(&running, &two);
    assert_eq!((&review["update"]["id"], &review["update"]["changes"]), (&id, &json!([])));
    let updated = running.invoke("add_bundle", wanted(&two, &review, Some(&id))).unwrap();
    assert_eq!(updated["kind"], "updated");
    let bundle = running.invoke("server_bundle", json!({ "id": id })).unwrap();
    assert_eq!(
        (&bundle["author"], &bundle["previous"]["version"]),
        (&json!("Harbour Works"), &json!("1.0.0"))
    );
    let other = running.invoke("roll_back_bundle", json!({ "id": id, "hash": "" })).unwrap_err();
    assert_eq!(other["code"], "definition_changed");
    let hash = bundle["previous"]["hash"].clone();
    running.invoke("roll_back_bundle", json!({ "id": id, "hash": hash })).unwrap();
    let bundle = running.invoke("server_bundle", json!({ "id": id })).unwrap();
    assert_eq!(bundle["version"], "1.0.0");
    running.close();
}

#[test]
fn a_cancelled_bundle_saves_nothing_and_a_broken_one_says_why() {
    let (home, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let running = TestApp::at(home.path());
    let large = write(files.path(), "1.0.0", 5_000);
    let review = read(&running, &large);
    let cancelled = std::thread::scope(|scope| {
        let window = running.window.clone();
        let asked = wanted(&large, &review, None);
        let adding = scope.spawn(move || crate::support::invoke(&window, "add_bundle", asked));
        running.next(PROGRESS);
        assert_eq!(running.invoke("cancel_call", json!({ "callId": "bundle" })), Ok(json!(true)));
        adding.join().unwrap()
    });
    assert_eq!(cancelled, Ok(Value::Null));
    assert_eq!(running.invoke("list_servers", json!({})), Ok(json!([])));
    std::fs::write(&large, "no bundle").unwrap();
    let asked = json!({ "path": large, "choice": choice(None), "values": [] });
    let error = running.invoke("read_bundle", asked).unwrap_err();
    assert_eq!(error["code"], "bundle");
    running.close();
}
