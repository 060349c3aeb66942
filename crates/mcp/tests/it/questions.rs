//! Questions of a server in a session: forms, URLs, sampling and roots.

use std::sync::Arc;
use std::time::Duration;

use mooring_mcp::{
    CallOptions, Client, ClientCapabilities, ClientOptions, Era, EraChoice, QuestionKind, Refusal,
    RequestError,
};
use mooring_testkit::eventually;
use mooring_testkit::http::Gate;
use serde_json::{Value, json};

use crate::support::{TestHost, call, options, python_server, raw, text, unanswered};

const PATIENCE: Duration = Duration::from_secs(20);

/// A session of `revision`. Its tool `ask` asks the questions in its arguments and returns the answers, and
/// its tool `seen` returns what it received.
fn server(revision: &str) -> mooring_mcp::ServerTarget {
    python_server(&format!(
        r#"
    if method == "initialize":
        kept["capabilities"] = params["capabilities"]
        answer(id, {{**SESSION, "protocolVersion": "{revision}", "capabilities": {{"tools": {{}}}}}})
    kept.setdefault("seen", []).append(method)
    if method == "tools/call":
        arguments = params.get("arguments", {{}})
        if params["name"] == "ask":
            kept["call"] = id
            say({{"id": "q", "method": arguments["method"], "params": arguments.get("params", {{}})}})
        if params["name"] == "many":
            kept["many"], kept["left"], kept["answers"] = id, arguments["count"], []
            for number in range(arguments["count"]): say({{"id": number, "method": "roots/list"}})
        if params["name"] == "flood":
            kept["flood"], kept["due"], kept["told"] = id, arguments["count"] - arguments["held"], []
            for number in range(arguments["count"]): say({{"id": f"f{{number}}", "method": "elicitation/create", "params": {{"message": "?"}}}})
        if params["name"] == "withdraw":
            kept["withdraw"] = id
            say({{"id": "w", "method": "elicitation/create", "params": {{"message": "?"}}}})
        if params["name"] == "take_back":
            tell("notifications/cancelled", {{"requestId": "nothing"}})
            tell("notifications/cancelled", {{}})
            for name in arguments["names"]: tell("notifications/cancelled", {{"requestId": name}})
            answer(id, text("told"))
            if "withdraw" in kept: answer(kept.pop("withdraw"), text("withdrawn"))
        if params["name"] == "crowd":
            kept["crowd"] = id
            for name in ["w", *[f"c{{number}}." for number in range(30)]]:
                say({{"id": name, "method": "elicitation/create", "params": {{"message": name}}}})
        if params["name"] == "answered":
            if "crowd" in kept: answer(kept.pop("crowd"), text("over"))
            answer(id, text(json.dumps(kept.get("answered", []))))
        if params["name"] == "twice":
            kept["twice"] = id
            for message in ["first", "second"]: say({{"id": "t", "method": "elicitation/create", "params": {{"message": message}}}})
        if params["name"] == "seen": answer(id, text(json.dumps(kept["seen"])))
        if params["name"] == "capabilities": answer(id, text(json.dumps(kept["capabilities"])))
    if method is None: kept.setdefault("answered", []).append(id)
    if method is None and id == "t":
        tell("notifications/cancelled", {{"requestId": "t"}})
        answer(kept["twice"], text(json.dumps(message.get("error", {{}}).get("code"))))
    if method is None and id == "q": answer(kept["call"], text(json.dumps(message.get("result", message.get("error")))))
    if method is None and isinstance(id, str) and id.startswith("f"):
        kept["told"].append(message.get("result", message.get("error")))
        if len(kept["told"]) == kept["due"]: answer(kept["flood"], text(json.dumps(kept["told"])))
    if method is None and isinstance(id, int):
        kept["answers"].append("ok" if "result" in message else message["error"]["code"])
        kept["left"] -= 1
        if kept["left"] == 0: answer(kept["many"], text(json.dumps(kept["answers"])))
"#
    ))
}

async fn ask(client: &Client, method: &str, params: &Value) -> Value {
    let arguments = json!({"method": method, "params": params}).to_string();
    serde_json::from_str(&call(client, "ask", &arguments).await).unwrap()
}

fn echo() -> Arc<TestHost> {
    TestHost::new(|question| Ok(raw(&format!(r#"{{"to":"{}"}}"#, question.kind.method()))))
}

// Requirements: ELIC-03, ELIC-08, ROOT-02, SAMP-01, SAMP-10, SHS-06, LIFE-09, MRTR-11.
#[tokio::test]
async fn question_reaches_the_host_and_its_answer_the_server() {
    let host = echo();
    let client = host.connect(server("2025-11-25"), options()).await;
    let tools = json!({"messages": [], "maxTokens": 9, "tools": [{"name": "t", "inputSchema": {}}], "toolChoice": {"mode": "auto"}});
    for (method, params) in [
        (
            "elicitation/create",
            json!({"message": "?", "requestedSchema": {"type": "object", "properties": {}}}),
        ),
        ("elicitation/create", json!({"mode": "form", "message": "?"})),
        (
            "elicitation/create",
            json!({"mode": "url", "url": "https://example.com", "elicitationId": "e", "message": "?"}),
        ),
        ("sampling/createMessage", json!({"messages": [], "maxTokens": 9})),
        ("sampling/createMessage", tools),
        ("roots/list", json!({})),
    ] {
        assert_eq!(ask(&client, method, &params).await, json!({"to": method}));
        let asked = host.asked.lock().unwrap().last().unwrap().clone();
        assert_eq!(serde_json::from_str::<Value>(asked.params.get()).unwrap(), params);
    }
    let declared: Value = serde_json::from_str(&call(&client, "capabilities", "{}").await).unwrap();
    let expected = json!({"roots": {"listChanged": true}, "sampling": {"tools": {}}, "elicitation": {"form": {}, "url": {}}});
    assert_eq!(declared, expected);
}

// Requirements: BASE-13, ELIC-01, ELIC-02, ELIC-18, LIFE-08, ROOT-05, SAMP-04, SAMP-11, SAMP-13.
#[tokio::test]
async fn what_was_not_declared_or_is_not_of_the_revision_is_refused() {
    let forms = json!({"message": "?"});
    let url = json!({"mode": "url", "url": "https://example.com", "elicitationId": "e", "message": "?"});
    let tools = json!({"messages": [], "tools": []});
    let mixed = json!({"messages": [{"role": "user", "content": [
        {"type": "text", "text": "x"}, {"type": "tool_result", "toolUseId": "1", "content": []}
    ]}]});
    let none = ClientCapabilities::default();
    let plain = ClientCapabilities { forms: true, sampling: true, ..none };
    let all = echo().abilities;
    let cases = [
        (none, "2025-11-25", "elicitation/create", &forms, -32601),
        (none, "2025-11-25", "sampling/createMessage", &tools, -32601),
        (none, "2025-11-25", "roots/list", &json!({}), -32601),
        (none, "2025-11-25", "foo/bar", &json!({}), -32601),
        (plain, "2025-11-25", "elicitation/create", &url, -32602),
        (plain, "2025-11-25", "sampling/createMessage", &tools, -32602),
        (all, "2025-11-25", "sampling/createMessage", &mixed, -32602),
        (all, "2024-11-05", "elicitation/create", &forms, -32601),
        (all, "2025-03-26", "elicitation/create", &forms, -32601),
        (all, "2025-06-18", "elicitation/create", &url, -32602),
        (all, "2025-06-18", "sampling/createMessage", &tools, -32602),
    ];
    for (abilities, revision, method, params, code) in cases {
        let mut host = Arc::into_inner(echo()).unwrap();
        host.abilities = abilities;
        let host = Arc::new(host);
        let client = host.connect(server(revision), options()).await;
        let refused = ask(&client, method, params).await;
        assert_eq!(refused["code"], code, "{revision} {method} {params}: {refused}");
        assert!(host.asked.lock().unwrap().is_empty());
    }
    let host =
        TestHost::new(|_| Err(Refusal { code: -1, message: "User rejected sampling request".to_owned() }));
    let client = host.connect(server("2025-11-25"), options()).await;
    let refused = ask(&client, "sampling/createMessage", &json!({"messages": []})).await;
    assert_eq!(refused, json!({"code": -1, "message": "User rejected sampling request"}));
}

// Requirements: CANC-04, CANC-05, ELIC-10.
#[tokio::test]
async fn cancelled_question_is_withdrawn_and_never_answered() {
    let withdrawn = Gate::new();
    let gate = withdrawn.clone();
    let host = TestHost::waiting(move |_| unanswered(&gate));
    let client = host.connect(server("2025-11-25"), options()).await;
    let take_back = async {
        eventually("it was asked", PATIENCE, || !host.asked.lock().unwrap().is_empty()).await;
        call(&client, "take_back", r#"{"names": ["w"]}"#).await
    };
    let (outcome, _told) = tokio::join!(call(&client, "withdraw", "{}"), take_back);
    assert_eq!(outcome, "withdrawn");
    tokio::time::timeout(PATIENCE, withdrawn.wait_until_open()).await.unwrap();
    let seen: Vec<Value> = serde_json::from_str(&call(&client, "seen", "{}").await).unwrap();
    assert!(!seen.contains(&Value::Null), "{seen:?}");
}

// Requirements: CANC-04, ELIC-10.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cancellation_is_handled_during_a_flood_of_questions() {
    let withdrawn = Gate::new();
    let gate = withdrawn.clone();
    let (busy, released) = std::sync::mpsc::channel::<()>();
    let (released, entered) = (std::sync::Mutex::new(released), Gate::new());
    let enters = entered.clone();
    let host = TestHost::waiting(move |question| {
        let params = question.params.get();
        // The second question keeps the host busy while the others and their cancellations arrive.
        if params.contains("c0.") {
            enters.open();
            let _ended = released.lock().unwrap().recv();
        }
        if params.contains("\"w\"") { unanswered(&gate) } else { Box::pin(std::future::pending()) }
    });
    let client = host.connect(server("2025-11-25"), options()).await;
    let was_asked =
        |name: &str| host.asked.lock().unwrap().iter().any(|asked| asked.params.get().contains(name));
    let during = async {
        entered.wait_until_open().await;
        // The response is read after the cancellations.
        call(&client, "take_back", r#"{"names": ["w", "c1."]}"#).await;
        drop(busy);
        withdrawn.wait_until_open().await;
        eventually("those behind it are asked", PATIENCE, || was_asked("c5.")).await;
        assert!(was_asked("c2.") && !was_asked("c1."), "it was taken back before it could be asked");
        let answered = call(&client, "answered", "{}").await;
        assert!(!answered.contains("\"w\"") && !answered.contains("c1."), "{answered}");
    };
    let all = async { tokio::join!(call(&client, "crowd", "{}"), during) };
    assert_eq!(tokio::time::timeout(PATIENCE, all).await.unwrap().0, "over");
}

// Requirements: BASE-03, CANC-04.
#[tokio::test]
async fn duplicate_pending_id_is_rejected_and_the_first_cancellable() {
    let withdrawn = Gate::new();
    let gate = withdrawn.clone();
    let host = TestHost::waiting(move |_| unanswered(&gate));
    let client = host.connect(server("2025-11-25"), options()).await;
    let refused = tokio::time::timeout(PATIENCE, call(&client, "twice", "{}")).await;
    assert_eq!(refused.unwrap(), "-32600");
    tokio::time::timeout(PATIENCE, withdrawn.wait_until_open()).await.unwrap();
    assert_eq!(call(&client, "answered", "{}").await, r#"["t"]"#, "only the second was answered");
    let asked: Vec<_> =
        host.asked.lock().unwrap().iter().map(|asked| asked.params.get().to_owned()).collect();
    assert_eq!(asked, [r#"{"message": "first"}"#]);
}

// Requirements: ELIC-10, LIFE-15.
#[tokio::test]
async fn the_end_of_the_connection_withdraws_every_question() {
    let withdrawn = Gate::new();
    let gate = withdrawn.clone();
    let host = TestHost::waiting(move |_| unanswered(&gate));
    let client = host.connect(server("2025-11-25"), options()).await;
    let caller = client.clone();
    let nothing = json!({});
    let asking = ask(&caller, "roots/list", &nothing);
    let asked = async {
        eventually("it was asked", PATIENCE, || !host.asked.lock().unwrap().is_empty()).await;
    };
    tokio::select! {
        answer = asking => panic!("{answer}"),
        () = asked => {}
    }
    client.shutdown().await;
    tokio::time::timeout(PATIENCE, withdrawn.wait_until_open()).await.unwrap();
}

// Requirements: ELIC-19, SAMP-15.
#[tokio::test]
async fn eight_questions_wait_at_once_and_a_ninth_is_refused() {
    for (count, refused) in [(8, 0), (9, 1)] {
        let gate = Gate::new();
        let opened = gate.clone();
        let host = TestHost::waiting(move |question| {
            assert_eq!(question.kind, QuestionKind::Roots);
            let gate = opened.clone();
            Box::pin(async move {
                gate.wait_until_open().await;
                Ok(raw(r#"{"roots":[]}"#))
            })
        });
        let client = host.connect(server("2025-11-25"), options()).await;
        let caller = client.clone();
        let arguments = json!({ "count": count }).to_string();
        let all = call(&caller, "many", &arguments);
        let limits =
            || client.limits_reached().iter().map(|limit| (limit.name, limit.times)).collect::<Vec<_>>();
        let release = async {
            eventually("eight wait", PATIENCE, || host.asked.lock().unwrap().len() == 8).await;
            if refused > 0 {
                eventually("the limit is reached", PATIENCE, || !limits().is_empty()).await;
            }
            gate.open();
        };
        let (answers, ()) = tokio::join!(all, release);
        let answers: Vec<Value> = serde_json::from_str(&answers).unwrap();
        assert_eq!(answers.iter().filter(|answer| **answer == json!(-32603)).count(), refused, "{answers:?}");
        assert_eq!(answers.len(), count);
        assert_eq!(limits(), if refused == 0 { vec![] } else { vec![("questions_in_flight", 1)] });
    }
}

// Requirements: BASE-31, ELIC-10.
#[tokio::test]
async fn time_a_person_takes_does_not_count_against_the_call() {
    let idle = Duration::from_millis(300);
    let host = TestHost::waiting(move |_| {
        Box::pin(async move {
            tokio::time::sleep(idle * 5).await;
            Ok(raw(r#"{"action":"decline"}"#))
        })
    });
    let client = host.connect(server("2025-11-25"), options()).await;
    let arguments = json!({"method": "elicitation/create", "params": {"message": "?"}}).to_string();
    let options = CallOptions { idle: Some(idle), total: Some(idle * 2), ..CallOptions::default() };
    let result = client.call_tool("ask", Some(&raw(&arguments)), options.clone()).await.unwrap();
    assert!(text(&result.raw).contains("decline"));
    // The server's own time counts: this call gets no response.
    let late = client.call_tool("silent", Some(&raw(r#"{"never":true}"#)), options).await;
    assert!(matches!(late, Err(RequestError::Timeout { .. })), "{late:?}");
}

// Requirements: ELIC-10.
#[tokio::test]
async fn a_question_is_taken_back_with_the_call_that_it_belongs_to() {
    let withdrawn = Gate::new();
    let gate = withdrawn.clone();
    let host = TestHost::waiting(move |_| unanswered(&gate));
    let client = host.connect(server("2025-11-25"), options()).await;
    let (caller, params) = (client.clone(), json!({"message": "?"}));
    let asking = ask(&caller, "elicitation/create", &params);
    let asked = eventually("it was asked", PATIENCE, || !host.asked.lock().unwrap().is_empty());
    tokio::select! {
        answer = asking => panic!("{answer}"),
        () = asked => {}
    }
    tokio::time::timeout(PATIENCE, withdrawn.wait_until_open()).await.unwrap();
}

// Requirements: ELIC-19.
#[tokio::test]
async fn forms_beyond_what_is_held_are_cancelled() {
    let host = TestHost::waiting(|_| Box::pin(std::future::pending()));
    let client = host.connect(server("2025-11-25"), options()).await;
    let answers = call(&client, "flood", r#"{"count": 100, "held": 8}"#).await;
    let answers: Vec<Value> = serde_json::from_str(&answers).unwrap();
    assert_eq!(answers, vec![json!({"action": "cancel"}); 92]);
}

// Requirements: ROOT-01, ROOT-04.
#[tokio::test]
async fn session_is_notified_of_changed_roots_where_it_may_list_them() {
    let host = echo();
    let client = host.connect(server("2025-11-25"), options()).await;
    client.roots_changed();
    let seen = call(&client, "seen", "{}").await;
    assert!(seen.contains("notifications/roots/list_changed"), "{seen}");
    let mut host = Arc::into_inner(echo()).unwrap();
    host.abilities.roots = false;
    let client = Arc::new(host).connect(server("2025-11-25"), options()).await;
    client.roots_changed();
    let seen = call(&client, "seen", "{}").await;
    assert!(!seen.contains("roots/list_changed"), "{seen}");
}

// Requirements: LIFE-02, LIFE-03, LIFE-11, ELIC-01, INFO-01.
#[tokio::test]
async fn an_older_revision_is_offered_only_what_it_knows() {
    let body = r#"
    if method == "initialize":
        kept.setdefault("offered", []).append([params["protocolVersion"], params["capabilities"]])
        if params["protocolVersion"] != "2025-06-18":
            say({"id": id, "error": {"code": -32602, "message": "Unsupported protocol version", "data": {"supported": ["2025-06-18"]}}})
        else:
            answer(id, {**SESSION, "protocolVersion": "2025-06-18", "capabilities": {"tools": {}}})
    if method == "tools/call": answer(id, text(json.dumps(kept["offered"])))
"#;
    let host = echo();
    let options = ClientOptions { era: EraChoice::Only(Era::Session), ..options() };
    let client = host.connect(python_server(body), options).await;
    let offered: Value = serde_json::from_str(&call(&client, "x", "{}").await).unwrap();
    assert_eq!(offered[0][0], "2025-11-25");
    let second = json!(["2025-06-18", {"roots": {"listChanged": true}, "sampling": {}, "elicitation": {}}]);
    assert_eq!(offered[1], second);
}

// Requirements: TSKX-17, TSKX-18, TSKX-08.
#[tokio::test]
async fn question_becomes_a_task_only_where_declared() {
    let body = r#"
    if method == "initialize":
        answer(id, {**SESSION, "capabilities": {"tools": {}}})
    def ask_client(name, method, params): say({"id": name, "method": method, "params": params})
    form = {"message": "?", "task": {"ttl": 60000}}
    if method == "tools/call":
        kept["call"], kept["log"] = id, []
        ask_client("create", "elicitation/create", form)
    if method is None:
        reply = message.get("result", message.get("error"))
        kept["log"].append([id, reply])
        def done(): answer(kept["call"], text(json.dumps(kept["log"])))
        if id == "create" and "task" not in reply: done()
        elif id == "create":
            kept["task"] = {"taskId": reply["task"]["taskId"]}
            ask_client("get", "tasks/get", kept["task"])
            ask_client("list", "tasks/list", {})
            ask_client("result", "tasks/result", kept["task"])
            ask_client("unknown", "tasks/get", {"taskId": "guess"})
        elif id == "result": ask_client("late", "tasks/cancel", kept["task"])
        elif id == "late": ask_client("second", "elicitation/create", {"message": "wait", "task": {}})
        elif id == "second":
            kept["task"] = {"taskId": reply["task"]["taskId"]}
            ask_client("blocked", "tasks/result", kept["task"])
            ask_client("cancel", "tasks/cancel", kept["task"])
        elif id == "cancel": done()
"#;
    let answers = |declared: bool| async move {
        let gate = Gate::new();
        let opened = gate.clone();
        let mut host = Arc::into_inner(TestHost::waiting(move |question| {
            let never = question.params.get().contains("wait");
            let gate = opened.clone();
            Box::pin(async move {
                if never {
                    std::future::pending::<()>().await;
                }
                gate.wait_until_open().await;
                Ok(raw(r#"{"action":"decline"}"#))
            })
        }))
        .unwrap();
        host.abilities.tasks = declared;
        let host = Arc::new(host);
        let client = host.connect(python_server(body), options()).await;
        let asked = async {
            eventually("it was asked", PATIENCE, || !host.asked.lock().unwrap().is_empty()).await;
            gate.open();
        };
        let (log, ()) = tokio::join!(call(&client, "x", "{}"), asked);
        let log: Vec<(String, Value)> = serde_json::from_str(&log).unwrap();
        log
    };
    assert_eq!(answers(false).await, [("create".to_owned(), json!({"action": "decline"}))]);
    let log = answers(true).await;
    let said = |id: &str| log.iter().find(|(name, _)| name == id).map(|(_, reply)| reply.clone()).unwrap();
    let created = said("create")["task"].clone();
    assert_eq!((&created["status"], &created["ttl"]), (&json!("working"), &json!(60_000)));
    let id = created["taskId"].as_str().unwrap();
    assert!(id.len() >= 32, "{id}");
    assert_eq!(said("get")["taskId"], id);
    assert_eq!(said("list")["tasks"][0]["taskId"], id);
    let related = json!({"io.modelcontextprotocol/related-task": {"taskId": id}});
    assert_eq!(said("result"), json!({"action": "decline", "_meta": related}));
    assert_eq!((&said("unknown")["code"], &said("late")["code"]), (&json!(-32602), &json!(-32602)));
    assert_eq!((&said("cancel")["status"], &said("blocked")["code"]), (&json!("cancelled"), &json!(-32603)));
}
