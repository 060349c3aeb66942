//! Questions, rules, trust and folders through the page's commands.

use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use crate::journeys::{CALL, HOST, with_server};
use crate::support::{TestApp, channel_argument, invoke};

/// The arguments of a call of this tool.
fn call_args(id: i64, tool: &str, arguments: &Value) -> Value {
    json!({
        "id": id, "callId": tool, "tool": tool, "arguments": arguments.to_string(),
        "sealed": [], "channel": channel_argument(CALL),
    })
}

/// Calls a tool that makes the server ask for a name and a number below ten. Returns the call's outcome.
fn call_asking_tool(running: &TestApp, id: i64) -> JoinHandle<Value> {
    let schema = json!({
        "type": "object", "required": ["name"],
        "properties": { "name": { "type": "string", "minLength": 2 }, "age": { "type": "integer", "maximum": 9 } },
    });
    let params = json!({ "message": "Who?", "requestedSchema": schema });
    let args = call_args(id, "ask", &json!({ "method": "elicitation/create", "params": params }));
    let window = running.window.clone();
    thread::spawn(move || invoke(&window, "call_tool", args).unwrap())
}

/// The waiting question, as soon as there is one.
fn pending_question(running: &TestApp) -> Value {
    loop {
        let inbox = running.invoke("list_inbox", json!({})).unwrap();
        if let Some(question) = inbox["waiting"].get(0) {
            return question.clone();
        }
        running.next(HOST);
    }
}

fn answer(running: &TestApp, question: &Value, nonce: &Value, answer: &Value) -> Result<Value, Value> {
    let args = json!({ "id": question["id"], "nonce": nonce, "answer": answer });
    running.invoke("answer_interaction", args)
}

fn accept(content: &Value) -> Value {
    json!({ "action": "accept", "content": content.to_string(), "remember": "once" })
}

/// The text in the result of the call.
fn tool_text(outcome: &Value) -> Value {
    let result: Value = serde_json::from_str(outcome["result"].as_str().unwrap()).unwrap();
    serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
}

// Requirements: ELIC-03, ELIC-06, ELIC-08, SEC-01.
#[test]
fn answer_needs_nonce_one_second_and_valid_data_and_counts_once() {
    let home = tempfile::tempdir().unwrap();
    let (running, id) = with_server(home.path());
    let call = call_asking_tool(&running, id);
    let question = pending_question(&running);
    assert_eq!((&question["server"], &question["position"]), (&json!(id), &json!(0)));
    assert_eq!(question["question"]["kind"], "form", "{question}");
    assert_eq!(question["occasion"]["subject"], "ask", "{question}");
    let here = json!({ "id": question["id"] });
    let fits = accept(&json!({ "name": "Ada", "age": 9 }));
    let refused = |nonce: &Value, given: &Value| answer(&running, &question, nonce, given).unwrap_err();
    assert_eq!(refused(&json!("0".repeat(32)), &fits)["code"], "wrong_nonce", "nobody has looked at it yet");
    let opening = running.invoke("open_interaction", here.clone()).unwrap();
    let nonce = &opening["nonce"];
    assert_eq!(refused(nonce, &fits)["code"], "too_early");
    assert_eq!(refused(&json!("0".repeat(32)), &json!({ "action": "cancel" }))["code"], "wrong_nonce");
    let again = running.invoke("open_interaction", here.clone()).unwrap();
    assert_eq!(&again["nonce"], nonce, "looking again changes nothing");

    let draft = json!({ "id": question["id"], "draft": r#"{"name":"A"}"# });
    running.invoke("save_draft", draft).unwrap();
    assert_eq!(pending_question(&running)["draft"], r#"{"name":"A"}"#);
    let check = json!({ "id": question["id"], "content": r#"{"name":"A","age":10}"# });
    let mistakes = running.invoke("check_form", check).unwrap();
    assert_eq!(mistakes.as_array().unwrap().len(), 2, "{mistakes}");

    let left = running.invoke("open_interaction", here).unwrap()["armedIn"].as_u64().unwrap();
    thread::sleep(Duration::from_millis(left));
    let refusal = refused(nonce, &accept(&json!({ "name": "A" })));
    assert_eq!(refusal["code"], "invalid_answer", "{refusal}");
    let decided = answer(&running, &question, nonce, &fits).unwrap();
    assert_eq!((&decided["outcome"], &decided["kind"]), (&json!("accepted"), &json!("form")), "{decided}");
    assert_eq!(refused(nonce, &fits)["code"], "not_waiting");
    let answered = tool_text(&call.join().unwrap());
    assert_eq!(answered["result"], json!({ "action": "accept", "content": { "name": "Ada", "age": 9 } }));
    let decisions = running.invoke("list_decisions", json!({ "limit": 5 })).unwrap();
    assert_eq!(decisions, json!([decided]));
    running.close();
}

// Requirements: SEC-26.
#[test]
fn server_dismissed_three_times_is_muted_until_unmuted() {
    let home = tempfile::tempdir().unwrap();
    let (running, id) = with_server(home.path());
    for _ in 0..3 {
        let call = call_asking_tool(&running, id);
        let question = pending_question(&running);
        let opening = running.invoke("open_interaction", json!({ "id": question["id"] })).unwrap();
        answer(&running, &question, &opening["nonce"], &json!({ "action": "cancel" })).unwrap();
        assert_eq!(tool_text(&call.join().unwrap())["result"], json!({ "action": "cancel" }));
    }
    let silenced = || running.invoke("list_inbox", json!({})).unwrap()["silenced"].clone();
    assert_eq!(silenced()[0]["server"], id);
    let unseen = tool_text(&call_asking_tool(&running, id).join().unwrap());
    assert_eq!(unseen["result"], json!({ "action": "cancel" }));
    assert_eq!(silenced()[0]["putAside"], 1);
    running.invoke("lift_silence", json!({ "server": id })).unwrap();
    assert_eq!(silenced(), json!([]));
    let call = call_asking_tool(&running, id);
    let question = pending_question(&running);
    let opening = running.invoke("open_interaction", json!({ "id": question["id"] })).unwrap();
    let no = json!({ "action": "decline", "remember": "once" });
    answer(&running, &question, &opening["nonce"], &no).unwrap();
    assert_eq!(tool_text(&call.join().unwrap())["result"], json!({ "action": "decline" }));
    running.close();
}

// Requirements: SEC-02.
#[test]
fn rule_is_simulated_on_past_calls_then_applies_and_is_removed() {
    let home = tempfile::tempdir().unwrap();
    let (running, id) = with_server(home.path());
    let echo = || running.invoke("call_tool", call_args(id, "echo", &json!({ "text": "ahoy" })));
    assert_eq!(echo().unwrap()["status"], "ok");
    let condition = json!({ "pointer": "/text", "test": "starts_with", "value": "ah" });
    let rule = json!({
        "effect": "deny", "server": id, "tool": "ec*", "caller": "workbench", "destructiveOnly": false,
        "arguments": [condition], "expiresAt": null,
    });
    let simulation = running.invoke("simulate_rule", json!({ "id": null, "rule": rule })).unwrap();
    assert_eq!((&simulation["calls"], &simulation["matched"]), (&json!(1), &json!(1)), "{simulation}");
    let changed = &simulation["changed"][0];
    assert_eq!((&changed["tool"], &changed["after"]), (&json!("echo"), &json!("deny")), "{simulation}");
    assert_eq!(echo().unwrap()["status"], "ok", "a rule that is only tried decides nothing");

    let saved = running.invoke("save_rule", json!({ "id": null, "rule": rule })).unwrap();
    assert_eq!(saved["rule"], rule);
    assert_eq!(echo().unwrap_err()["code"], "denied");
    assert_eq!(running.invoke("list_rules", json!({})).unwrap()[0]["uses"], 1);
    running.invoke("remove_rule", json!({ "id": saved["id"] })).unwrap();
    assert_eq!(echo().unwrap()["status"], "ok");
    running.invoke("restore_rule", json!({ "id": saved["id"] })).unwrap();
    assert_eq!(echo().unwrap_err()["code"], "denied");

    let trust = running.invoke("get_trust", json!({ "server": id })).unwrap();
    let tool = trust["items"].as_array().unwrap().iter().find(|item| item["name"] == "echo").unwrap().clone();
    let approve = |hash: &Value| {
        let approval = json!({ "kind": "tool", "name": "echo", "hash": hash });
        running.invoke("approve_trust", json!({ "server": id, "approvals": [approval] }))
    };
    assert_eq!(tool["state"], "new", "{tool}");
    assert_eq!(approve(&json!("0".repeat(64))).unwrap_err()["code"], "definition_changed");
    let trust = approve(&tool["hash"]).unwrap();
    let tool = trust["items"].as_array().unwrap().iter().find(|item| item["name"] == "echo").unwrap();
    assert_eq!(tool["state"], "approved", "{tool}");
    running.close();
}

// Requirements: ROOT-06, ROOT-07.
#[test]
fn folder_is_shared_by_real_path_renamed_removed_and_readded() {
    let home = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let (running, id) = with_server(home.path());
    let add = |path: &str, wide: bool| {
        running.invoke("add_root", json!({ "server": id, "path": path, "name": "Harbour", "wide": wide }))
    };
    assert_eq!(add("/", false).unwrap_err()["code"], "root_too_wide");
    for bad in ["", "harbour", real.join("missing").to_str().unwrap()] {
        assert_eq!(add(bad, true).unwrap_err()["code"], "root_unusable", "{bad:?}");
    }
    let detour = real.join("..").join(real.file_name().unwrap());
    let added = add(detour.to_str().unwrap(), false).unwrap();
    assert_eq!((&added["path"], &added["name"]), (&json!(real), &json!("Harbour")), "{added}");
    let listed = || running.invoke("server_roots", json!({ "server": id })).unwrap()["roots"].clone();
    let root = json!({ "id": added["id"] });
    let renamed = running.invoke("rename_root", json!({ "id": added["id"], "name": "Quay" })).unwrap();
    assert_eq!(listed(), json!([renamed]));
    running.invoke("remove_root", root.clone()).unwrap();
    assert_eq!(listed(), json!([]));
    assert_eq!(running.invoke("restore_root", root).unwrap(), renamed);
    running.invoke("share_roots", json!({ "server": id, "shared": true })).unwrap();
    let roots = running.invoke("server_roots", json!({ "server": id })).unwrap();
    assert_eq!(roots["shared"], true, "{roots}");
    running.close();
}
