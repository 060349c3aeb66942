//! Messages on an exchange belong to its call. Messages elsewhere belong to none.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_mcp::{
    CallOptions, Client, EraChoice, ListenState, Notification, PendingRequest, QuestionContext,
    QuestionOrigin,
};
use mooring_testkit::eventually;
use mooring_testkit::http::{BodyPiece, Gate, HttpReply, HttpScript, RawReply, round_robin, serve};
use serde_json::{Value, json};

use crate::era::choosing;
use crate::support::{
    TestHost, call, connect_with, discovered, endpoint, options, raw, requests, result, text,
};

const PATIENCE: Duration = Duration::from_secs(20);

fn event(message: &Value) -> String {
    // The script replaces the text `$ID` by the request's id.
    format!("data: {message}\n\n").replace("\"$ID\"", "$ID")
}

fn log(data: &str) -> String {
    event(
        &json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": data}}),
    )
}

fn answer(words: &str) -> String {
    let result = json!({"resultType": "complete", "content": [{"type": "text", "text": words}]});
    event(&json!({"jsonrpc": "2.0", "id": "$ID", "result": result}))
}

fn modern_script(capabilities: &Value) -> HttpScript {
    HttpScript::json().without_session().on("server/discover", discovered(capabilities))
}

type ReceivedLogs = Arc<Mutex<Vec<String>>>;

/// Options that record the call's log messages.
fn listening() -> (CallOptions, ReceivedLogs) {
    let heard = ReceivedLogs::default();
    let sink = Arc::clone(&heard);
    let keep = move |told: Notification| sink.lock().unwrap().push(told.params.unwrap().get().to_owned());
    (CallOptions { on_log: Some(Arc::new(keep)), ..CallOptions::default() }, heard)
}

// Requirements: LOG-04, LOG-03.
#[tokio::test]
async fn log_message_belongs_to_the_call_of_its_exchange() {
    let gate = Gate::new();
    let stream = RawReply::stream()
        .text(&log("of $ID"))
        .piece(BodyPiece::Wait(gate.clone()))
        .text(&answer("x"))
        .text(&log("late"));
    let acknowledged = event(&json!({
        "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {
            "_meta": {"io.modelcontextprotocol/subscriptionId": "$ID"},
            "notifications": {"toolsListChanged": true},
        }
    }));
    let changes = RawReply::stream().text(&acknowledged).text(&log("stray")).piece(BodyPiece::Hang);
    let offers = json!({"tools": {"listChanged": true}, "logging": {}});
    let script = modern_script(&offers)
        .on("tools/call", stream.into())
        .once("subscriptions/listen", open_when(&gate, &changes));
    let server = serve(script).await;
    let (client, memory) = connect_with(endpoint(&server.url), choosing(EraChoice::Auto)).await;
    let client = client.unwrap();
    client.set_log_level("info").await.unwrap();
    let begin = |client: &Client| {
        let (client, (options, heard)) = (client.clone(), listening());
        let call = async move { text(&client.call_tool("x", None, options).await.unwrap().raw) };
        (call, heard)
    };
    let ((one, of_one), (other, of_other)) = (begin(&client), begin(&client));
    let both_heard = async {
        let heard = || [&of_one, &of_other].map(|heard| heard.lock().unwrap().len());
        eventually("both were told something while both ran", PATIENCE, || heard() == [1, 1]).await;
        gate.open();
    };
    let (one, other, ()) = tokio::join!(one, other, both_heard);
    assert_eq!((one.as_str(), other.as_str()), ("x", "x"));
    let mut ids: Vec<Value> =
        requests(&server, "tools/call").iter().map(|call| call.json()["id"].clone()).collect();
    ids.sort_by_key(Value::as_u64);
    let mut heard = [&of_one, &of_other].map(|heard| heard.lock().unwrap().clone()).concat();
    heard.sort();
    let expected: Vec<String> =
        ids.iter().map(|id| json!({"level": "info", "data": format!("of {id}")}).to_string()).collect();
    let read = |text: &String| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(heard.iter().map(read).collect::<Vec<_>>(), expected.iter().map(read).collect::<Vec<_>>());
    // Messages on the subscription stream or after the response belong to no call.
    let noted = |what: &str| memory.diagnostics().iter().filter(|odd| odd.contains(what)).count();
    eventually("the stray one was noted", PATIENCE, || noted("the notification stream") == 1).await;
    eventually("the late ones were noted", PATIENCE, || noted("for a call that has ended") == 2).await;
    assert_eq!(client.listening(), ListenState::Live);
    assert!(memory.notifications.lock().unwrap().is_empty());
    client.shutdown().await;
}

/// A reply that waits for the gate.
fn open_when(gate: &Gate, reply: &RawReply) -> HttpReply {
    HttpReply::After(gate.clone(), Box::new(reply.clone().into()))
}

fn asks(id: &str) -> String {
    event(&json!({"jsonrpc": "2.0", "id": id, "method": "roots/list"}))
}

// Requirements: SHS-23, SHS-06, SHS-07.
#[tokio::test]
async fn question_says_whether_it_came_with_a_call_or_alone() {
    let (during, done) = (Gate::new(), Gate::new());
    let own = RawReply::stream()
        .text(&asks("before"))
        .piece(BodyPiece::Wait(during.clone()))
        .text(&asks("during"))
        .piece(BodyPiece::Hang);
    let with = RawReply::stream().text(&asks("with")).piece(BodyPiece::Wait(done.clone())).text(&answer("x"));
    let script = HttpScript::json().on("GET", own.into()).on("tools/call", with.into());
    let server = serve(script).await;
    let host = TestHost::new(|_| Ok(raw(r#"{"roots":[]}"#)));
    let client = host.connect(endpoint(&server.url), options()).await;
    let asked = || host.asked.lock().unwrap().iter().map(|asked| asked.origin.clone()).collect::<Vec<_>>();
    eventually("it asked of its own accord", PATIENCE, || asked().len() == 1).await;
    let others = async {
        eventually("it asked with the call", PATIENCE, || asked().len() == 2).await;
        during.open();
        eventually("it asked beside the call", PATIENCE, || asked().len() == 3).await;
        done.open();
    };
    let (words, ()) = tokio::join!(call(&client, "echo", "{}"), others);
    assert_eq!(words, "x");
    let with_call = QuestionContext::Request(PendingRequest {
        method: "tools/call",
        subject: Some("echo".into()),
        caller: None,
    });
    let expected = [
        ("before", QuestionContext::Unprompted),
        ("with", with_call),
        ("during", QuestionContext::Unprompted),
    ];
    let expected = expected.map(|(id, occasion)| QuestionOrigin::Request {
        id: format!("\"{id}\"").into(),
        task: None,
        occasion,
    });
    assert_eq!(asked(), expected);
    // All questions are answered.
    let answered = || {
        let answers = requests(&server, "response");
        let mut ids: Vec<_> = answers.iter().map(|answer| answer.json()["id"].clone()).collect();
        ids.sort_by_key(Value::to_string);
        assert!(answers.iter().all(|answer| answer.json()["result"] == json!({"roots": []})));
        ids == [json!("before"), json!("during"), json!("with")]
    };
    eventually("all were answered", PATIENCE, answered).await;
    client.shutdown().await;
}

// Requirements: SHL-16, MRTR-17, SHL-10.
#[tokio::test]
async fn any_instance_of_a_server_may_answer_any_message_of_a_call() {
    let instance = |name: &str| {
        let wants = json!({"jsonrpc": "2.0", "id": "$ID", "result": {
            "resultType": "input_required",
            "inputRequests": {"dirs": {"method": "roots/list"}},
            "requestState": format!("left with {name}"),
        }});
        let tied = RawReply::new(200)
            .header("content-type", "application/json")
            .header("set-cookie", &format!("instance={name}"))
            .header("mcp-session-id", name)
            .text(&wants.to_string().replace("\"$ID\"", "$ID"));
        let fine = json!({"resultType": "complete", "content": [{"type": "text", "text": name}]});
        modern_script(&json!({"tools": {}}))
            .closing_connections()
            .once("tools/call", tied.into())
            .on("tools/call", result(&fine))
    };
    let (one, two) = (serve(instance("one")).await, serve(instance("two")).await);
    let front = round_robin(&[&one, &two]).await;
    let host = TestHost::new(|_| Ok(raw(r#"{"roots":[]}"#)));
    let client = host.connect(endpoint(&front.url), choosing(EraChoice::Auto)).await;
    // The question went to the first instance, the call to the second, and its rounds to both in turn.
    let answered = call(&client, "Échange", r#"{"n":1}"#).await;
    assert_eq!(answered, "two");
    assert_eq!(
        (one.methods(), two.methods()),
        (
            vec!["server/discover".to_owned(), "tools/call".to_owned()],
            vec!["tools/call".to_owned(), "tools/call".to_owned()],
        )
    );
    let rounds = [&two.requests()[0], &one.requests()[1], &two.requests()[1]];
    let states = rounds.map(|round| round.json()["params"]["requestState"].clone());
    assert_eq!(states, [json!(null), json!("left with two"), json!("left with one")]);
    for round in rounds {
        // Each request is complete by itself; it doesn't depend on the instance that responded before.
        assert_eq!(round.header("mcp-method"), Some("tools/call"));
        assert_eq!(round.header("mcp-name"), Some("=?base64?w4ljaGFuZ2U=?="));
        assert_eq!(round.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!((round.header("cookie"), round.header("mcp-session-id")), (None, None));
        let params = &round.json()["params"];
        assert_eq!((&params["name"], &params["arguments"]), (&json!("Échange"), &json!({"n": 1})));
        let meta = &params["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"]["roots"], json!({}));
    }
}
