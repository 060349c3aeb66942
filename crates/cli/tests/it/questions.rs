//! Questions that a server asks while a command runs, and the answers it gets.

use serde_json::{Value, json};

use crate::support::{CommandOutput, TestHome};

/// Makes the server ask `method` during a call with these words on the command line, and returns the answer.
fn ask_during_call(place: &TestHome, words: &[&str], method: &str, params: &Value) -> (Value, CommandOutput) {
    let arguments = json!({ "method": method, "params": params }).to_string();
    let call = [&["call", "ask", &arguments, "--json"], words].concat();
    let ran = place.run_on(&call, &["ok"]).ok();
    let text = ran.json()["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    (serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")), ran)
}

fn form(properties: &Value, required: &[&str]) -> Value {
    json!({
        "message": "Who are you?",
        "requestedSchema": { "type": "object", "properties": properties, "required": required },
    })
}

fn name_form() -> Value {
    form(
        &json!({
            "name": { "type": "string", "default": "Ada", "maxLength": 5 },
            "size": { "type": "integer", "minimum": 1, "default": 3 },
            "note": { "type": "string" },
        }),
        &["name"],
    )
}

// Requirements: ELIC-03, ELIC-08, ELIC-09, ELIC-15.
#[test]
fn form_is_answered_with_defaults_declined_or_cancelled() {
    let place = TestHome::new();
    let ask = |how: &str| {
        let (answer, ran) = ask_during_call(&place, &["--elicit", how], "elicitation/create", &name_form());
        assert!(ran.err.contains("Who are you?"), "{ran:?}");
        answer["result"].clone()
    };
    assert_eq!(
        ask("accept-defaults"),
        json!({ "action": "accept", "content": { "name": "Ada", "size": 3 } })
    );
    assert_eq!(ask("decline"), json!({ "action": "decline" }));
    assert_eq!(ask("cancel"), json!({ "action": "cancel" }));
}

// Requirements: ELIC-16.
#[test]
fn what_does_not_fit_the_form_is_not_sent() {
    let place = TestHome::new();
    let ask = |how: &[&str], params: &Value| ask_during_call(&place, how, "elicitation/create", params);
    let needed = form(&json!({ "pin": { "type": "string" } }), &["pin"]);
    let (answer, ran) = ask(&["--elicit", "accept-defaults"], &needed);
    assert_eq!(answer["result"], json!({ "action": "cancel" }));
    assert!(ran.err.contains("pin: is required"), "{ran:?}");

    let write = |text: &str| std::fs::write(place.folder().join("answers.json"), text).unwrap();
    let given = &["--elicit", "@answers.json"];
    write(r#"{"name": "Grace", "size": 2.0, "unrelated": true}"#);
    let content = json!({ "name": "Grace", "size": 2.0 });
    assert_eq!(ask(given, &name_form()).0["result"], json!({ "action": "accept", "content": content }));
    write(r#"{"name": "Margaret"}"#);
    let (answer, ran) = ask(given, &name_form());
    assert_eq!(answer["result"], json!({ "action": "cancel" }));
    assert!(ran.err.contains("name: is longer than 5 characters"), "{ran:?}");
    write(r#"[{"action": "accept", "content": {"name": "Emmy"}}]"#);
    let content = json!({ "name": "Emmy" });
    assert_eq!(ask(given, &name_form()).0["result"], json!({ "action": "accept", "content": content }));
    write("[]");
    assert_eq!(ask(given, &name_form()).0["result"], json!({ "action": "cancel" }));
}

// Requirements: ELIC-11, ELIC-13, ELIC-15, ELIC-16.
#[test]
fn a_form_as_generators_write_it_is_answered() {
    let place = TestHome::new();
    let optional = |of: Value| json!({ "anyOf": [of, { "type": "null" }], "default": null });
    let mut asked = form(
        &json!({
            "name": { "$ref": "#/$defs/Name", "default": "Ada" },
            "note": optional(json!({ "type": "string" })),
            "seats": optional(json!({ "type": "integer", "minimum": 1 })),
            "level": { "type": "integer", "enum": [1, 2], "default": 2 },
            "tags": { "type": "array", "items": { "type": "string" } },
            "size": { "type": "int" },
        }),
        &["name"],
    );
    asked["requestedSchema"]["$defs"] = json!({ "Name": { "type": "string" } });
    let ask = |how: &str| ask_during_call(&place, &["--elicit", how], "elicitation/create", &asked);
    let content = json!({ "name": "Ada", "level": 2 });
    assert_eq!(ask("accept-defaults").0["result"], json!({ "action": "accept", "content": content }));
    let write = |text: &Value| std::fs::write(place.folder().join("answers.json"), text.to_string()).unwrap();
    let content = json!({ "name": "Bo", "level": 1, "note": null, "seats": 2, "tags": ["a"], "size": 3 });
    write(&content);
    assert_eq!(ask("@answers.json").0["result"]["content"], content);
    write(&json!({ "seats": 0 }));
    let (answer, ran) = ask("@answers.json");
    assert_eq!(answer["result"], json!({ "action": "cancel" }));
    assert!(ran.err.contains("seats: is less than 1"), "{ran:?}");
}

// Requirements: ELIC-02, ELIC-17, ELIC-18.
#[test]
fn question_that_cannot_be_answered_is_declined_with_a_reason() {
    let place = TestHome::new();
    let code = |words: &[&str], method: &str, params: &Value| {
        let (answer, _) = ask_during_call(&place, words, method, params);
        answer["error"]["code"].as_i64()
    };
    let forms = &["--elicit", "accept-defaults"];
    let nested = form(&json!({ "a": { "type": "object" } }), &[]);
    assert_eq!(code(forms, "elicitation/create", &nested), Some(-32602));
    for (method, params) in [
        ("elicitation/create", name_form()),
        ("roots/list", json!({})),
        ("sampling/createMessage", json!({ "messages": [], "maxTokens": 1 })),
    ] {
        assert_eq!(code(&[], method, &params), Some(-32601), "{method}");
    }
}

// Requirements: ELIC-03, ELIC-25.
#[test]
fn a_url_that_a_server_wants_opened_is_printed_and_declined() {
    let place = TestHome::new();
    let url =
        |url: &str| json!({ "mode": "url", "elicitationId": "1", "url": url, "message": "Pay the harbour" });
    for how in ["decline", "accept-defaults"] {
        let (answer, ran) =
            ask_during_call(&place, &["--elicit", how], "elicitation/create", &url("https://pay.example/x"));
        assert_eq!(answer["result"], json!({ "action": "decline" }));
        for part in ["https://pay.example/x", "Pay the harbour", "--elicit open"] {
            assert!(ran.err.contains(part), "{part}: {ran:?}");
        }
    }
    let (answer, ran) =
        ask_during_call(&place, &["--elicit", "open"], "elicitation/create", &url("file:///etc/passwd"));
    assert_eq!(answer["result"], json!({ "action": "decline" }));
    assert!(ran.err.contains("never opened"), "{ran:?}");
    let (answer, _) = ask_during_call(&place, &[], "elicitation/create", &url("https://pay.example/x"));
    assert_eq!(answer["error"]["code"], -32601, "nothing is declared where nothing is said");
}

// Requirements: ROOT-02, ROOT-03, ROOT-07.
#[test]
fn server_receives_only_the_folders_named_on_the_command_line() {
    let place = TestHome::new();
    std::fs::create_dir(place.folder().join("a project")).unwrap();
    let (answer, _) = ask_during_call(&place, &["--root", "a project"], "roots/list", &json!({}));
    let real = place.folder().canonicalize().unwrap();
    let uri = format!("file://{}/a%20project", real.display());
    assert_eq!(answer["result"], json!({ "roots": [{ "uri": uri, "name": "a project" }] }));
    let wide = place.run_on(&["call", "echo", "--root", "/"], &["ok"]);
    assert_eq!(wide.exit, 2, "{wide:?}");
    assert!(wide.err.contains("--wide-root"), "{wide:?}");
    let (answer, _) = ask_during_call(&place, &["--root", "/", "--wide-root"], "roots/list", &json!({}));
    assert_eq!(answer["result"]["roots"][0]["uri"], "file:///");
    let absent = place.run_on(&["call", "echo", "--root", "absent"], &["ok"]);
    assert_eq!(absent.exit, 2, "{absent:?}");
}

// Requirements: SAMP-04, SAMP-09.
#[test]
fn a_model_is_declined_or_practised() {
    let place = TestHome::new();
    let text = json!({ "type": "text", "text": "How deep is it here?" });
    let params = json!({ "messages": [{ "role": "user", "content": text }], "maxTokens": 100 });
    let ask = |how: &str| ask_during_call(&place, &["--sample", how], "sampling/createMessage", &params).0;
    assert_eq!(ask("decline")["error"]["code"], -1);
    let result = ask("practice")["result"].clone();
    assert_eq!((&result["role"], &result["model"]), (&json!("assistant"), &json!("mooring-practice")));
    let words = result["content"]["text"].as_str().unwrap();
    assert!(words.contains("no model") && words.contains("How deep is it here?"), "{words}");
}

// Requirements: SAMP-02.
#[test]
fn unknown_provider_is_reported_before_anything_starts() {
    let place = TestHome::new();
    let ran = place.run(&["call", "echo", "--sample", "nobody/m", "--", "absent-program"]);
    assert_eq!(ran.exit, 2, "{ran:?}");
    assert!(ran.err.contains("no model provider is called: nobody/m"), "{ran:?}");
}

#[test]
fn invalid_answers_option_is_reported_before_anything_starts() {
    let place = TestHome::new();
    std::fs::write(place.folder().join("bad.json"), r#"[{"action": "yes"}]"#).unwrap();
    for (how, message) in
        [("yes", "accept-defaults"), ("@bad.json", "bad.json"), ("@absent.json", "absent.json")]
    {
        let ran = place.run(&["call", "echo", "--elicit", how, "--", "absent-program"]);
        assert_eq!(ran.exit, 2, "{ran:?}");
        assert!(ran.err.contains(message), "{ran:?}");
    }
}
