//! Secrets in Workbench calls: the page sends their names, and only the server gets the values.

use std::path::Path;

use serde_json::{Value, json};

use crate::journeys::{CALL, with_server};
use crate::support::{TestApp, channel_argument};

/// A value that JSON must escape.
const VALUE: &str = "quay \"7\" \\ ä canary-4711";
/// The part of the value that JSON doesn't escape.
const CANARY: &str = "canary-4711";
const PLACE: &str = "0123456789abcdef0123456789abcdef";

fn call(running: &TestApp, id: i64, text: &str, sealed: &Value) -> Result<Value, Value> {
    let args = json!({
        "id": id, "callId": text, "tool": "echo", "arguments": json!({ "text": text }).to_string(),
        "sealed": sealed, "channel": channel_argument(CALL),
    });
    running.invoke("call_tool", args)
}

fn sealed(name: &str) -> Value {
    json!([{ "place": PLACE, "name": name }])
}

/// The text in the server's answer, which is what it received.
fn answer_text(outcome: &Value) -> String {
    let result: Value = serde_json::from_str(outcome["result"].as_str().unwrap()).unwrap();
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

/// All bytes of the saved files.
fn saved_bytes(folder: &Path) -> Vec<u8> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.is_file()).flat_map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn a_secret_variable_reaches_the_server_and_no_log() {
    let home = tempfile::tempdir().unwrap();
    let (running, id) = with_server(home.path());
    let choice = json!({ "mode": "passphrase", "passphrase": "correct horse" });
    running.invoke("create_vault", json!({ "choice": choice })).unwrap();
    let set = |name: &str, value: &str| {
        running.invoke("set_secret_variable", json!({ "name": name, "value": value }))
    };
    let names = || running.invoke("list_secret_variables", json!({})).unwrap();
    for (name, value) in
        [("7up", VALUE), ("a b", VALUE), ("", VALUE), ("short", "12345"), ("blank", "   abc   ")]
    {
        assert_eq!(set(name, value).unwrap_err()["code"], "invalid_setting", "{name}");
    }
    assert_eq!(names(), json!([]));
    set("key", "before it was renewed").unwrap();
    set("key", VALUE).unwrap();
    set("other", "another one").unwrap();
    assert_eq!(names(), json!(["key", "other"]));

    let text = format!("to {PLACE} and {PLACE}");
    let whole = call(&running, id, &text, &sealed("key")).unwrap();
    assert_eq!(answer_text(&whole), format!("to {VALUE} and {VALUE}"));
    // A placeholder that the page doesn't list is ordinary text.
    assert_eq!(answer_text(&call(&running, id, &text, &json!([])).unwrap()), text);
    for wrong in ["{{key}}", "", "0123456789ABCDEF0123456789ABCDEX"] {
        let refused = call(&running, id, "ahoy", &json!([{ "place": wrong, "name": "key" }])).unwrap_err();
        assert_eq!(refused["code"], "invalid_setting", "{wrong}");
    }
    let unknown = call(&running, id, &text, &sealed("nobody")).unwrap_err();
    assert_eq!(unknown["code"], "invalid_setting");
    running.invoke("remove_secret_variable", json!({ "name": "other" })).unwrap();
    running.invoke("remove_secret_variable", json!({ "name": "other" })).unwrap();
    assert_eq!(names(), json!(["key"]));
    running.close();
    let kept = saved_bytes(home.path());
    let found = |text: &str| kept.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(found(PLACE) && !found(CANARY), "the log has the call, and not the secret");

    // Another start without the key can list the secrets but not use them.
    let again = TestApp::at(home.path());
    assert_eq!(again.invoke("list_secret_variables", json!({})).unwrap(), json!(["key"]));
    let locked = call(&again, id, &text, &sealed("key")).unwrap_err();
    assert_eq!(locked["code"], "vault_locked", "{locked}");
    again.close();
}
