//! Rules for every connection: what is sent, what is never sent, and what is received without harm.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mooring_mcp::{
    CallOptions, Client, ClientCapabilities, ClientHandler, CloseReason, Diagnostic, Era, EraChoice, NoTap,
    Notification, RequestError,
};
use mooring_testkit::eventually;
use mooring_testkit::http::{BodyPiece, Gate, HttpReply, HttpScript, RawReply, serve};
use serde_json::{Value, json};

use crate::era::choosing;
use crate::support::{
    Recorder, TestHost, call, connect, connect_with, discovered, endpoint, opening, options, python_server,
    raw, requests, result, rpc_error, scripted, text,
};

const PATIENCE: Duration = Duration::from_secs(20);

fn modern_script() -> HttpScript {
    HttpScript::json().without_session().on("server/discover", discovered(&json!({"tools": {}})))
}

async fn modern(url: &str) -> (Client, Arc<Recorder>) {
    let (client, memory) = connect_with(endpoint(url), choosing(EraChoice::Auto)).await;
    (client.unwrap(), memory)
}

fn fine(words: &str) -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": words}]})
}

// Requirements: BASE-01, BASE-02, BASE-03, BASE-04, BASE-11, BASE-12, SHS-03, SHL-01, CANC-01.
#[tokio::test]
async fn every_message_is_one_object_and_no_id_is_reused() {
    for (script, era) in [
        (HttpScript::json(), EraChoice::Only(Era::Session)),
        (modern_script().on("tools/call", result(&fine("x"))), EraChoice::Auto),
    ] {
        let server = serve(script.once("tools/call", HttpReply::Hang)).await;
        let (client, _) = connect_with(endpoint(&server.url), choosing(era)).await;
        let client = client.unwrap();
        let given_up = client.call_tool("x", None, CallOptions::default());
        assert!(tokio::time::timeout(Duration::from_millis(100), given_up).await.is_err());
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..200 {
            let client = client.clone();
            calls.spawn(async move { call(&client, "echo", r#"{"text":"x"}"#).await });
        }
        while let Some(answer) = calls.join_next().await {
            assert_eq!(answer.unwrap(), "x");
        }
        client.shutdown().await;
        let sent: Vec<Value> = server
            .requests()
            .iter()
            .filter(|request| !request.body.is_empty())
            .map(mooring_testkit::http::RecordedRequest::json)
            .collect();
        assert!(sent.iter().all(|message| message.is_object() && message["jsonrpc"] == "2.0"));
        let ids: Vec<_> = sent.iter().filter_map(|message| message.get("id")).collect();
        assert!(ids.iter().all(|id| id.is_u64()));
        assert_eq!(ids.len(), ids.iter().map(ToString::to_string).collect::<HashSet<_>>().len());
        // Only requests that still ran are cancelled.
        let cancelled = sent.iter().filter(|message| message["method"] == "notifications/cancelled").count();
        assert_eq!(cancelled, usize::from(era != EraChoice::Auto));
    }
}

/// A session that pings and logs before its response to `initialize`, and waits for the response to its ping.
const EARLY: &str = r#"
    kept.setdefault("seen", []).append(method)
    if method == "initialize":
        opening = id
        tell("notifications/message", {"level": "info", "data": "early"})
        tell("notifications/unknown", {"x": 1})
        tell("notifications/progress", {"progressToken": "foreign", "progress": 1})
        say({"id": "p", "method": "ping"})
    if method is None and id == "p": answer(opening, {**SESSION, "capabilities": {"tools": {}}})
    if method == "tools/call": answer(id, text(json.dumps(kept["seen"])))
"#;

// Requirements: BASE-09, BASE-13, LIFE-05, LIFE-06, LIFE-07, LOG-02, PING-01, PROG-03.
#[tokio::test]
async fn messages_before_the_end_of_the_handshake_are_handled() {
    let (client, memory) = connect(python_server(EARLY)).await;
    let seen = call(&client, "x", "{}").await;
    assert_eq!(seen, r#"["initialize", null, "notifications/initialized", "tools/call"]"#);
    let heard = memory.notifications.lock().unwrap().clone();
    assert!(heard.len() == 2 && heard[0].starts_with("notifications/message"), "{heard:?}");
}

// Requirements: BASE-20.
#[tokio::test]
async fn nothing_is_taken_for_granted_about_meta() {
    for meta in [
        json!(7),
        json!(null),
        json!([]),
        json!({"io.modelcontextprotocol/serverInfo": 7}),
        json!({"io.modelcontextprotocol/subscriptionId": {}, "io.modelcontextprotocol/related-task": []}),
    ] {
        let mut answer = fine("x");
        answer["_meta"] = meta.clone();
        let mut found =
            json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {}});
        found["_meta"] = meta.clone();
        let script = HttpScript::json()
            .without_session()
            .on("server/discover", result(&found))
            .on("tools/call", result(&answer));
        let server = serve(script).await;
        let (client, _) = modern(&server.url).await;
        assert_eq!(call(&client, "x", "{}").await, "x", "{meta}");
        assert_eq!(client.handshake().server_name, None);
    }
}

// Requirements: ERA-13, ERA-17.
#[tokio::test]
async fn modern_error_to_initialize_never_leads_to_the_sse_transport() {
    let none = json!({});
    let ours = json!({"supported": ["2026-07-28"]});
    let cases = [
        (404, -32601, &none, true),
        (400, -32020, &none, true),
        (405, -32021, &none, true),
        (400, -32022, &ours, true),
        (400, -32022, &none, false),
    ];
    for (status, code, data, is_modern) in cases {
        let script = HttpScript::json()
            .without_session()
            .on("server/discover", rpc_error(404, -32601, &json!(null)))
            .on("initialize", rpc_error(status, code, data))
            .on("tools/call", result(&fine("x")));
        let server = serve(script).await;
        let (outcome, _) = connect_with(endpoint(&server.url), choosing(EraChoice::Auto)).await;
        assert_eq!(server.methods(), ["server/discover", "initialize"], "{code}");
        match outcome {
            // It is a server of the stateless era that only lacks `server/discover`.
            Ok(client) => {
                assert!(is_modern && client.handshake().era == Era::Modern, "{code}");
                assert!(client.handshake().reason.contains("without server/discover"));
                assert_eq!(call(&client, "x", "{}").await, "x");
            }
            Err(error) => assert!(!is_modern, "{code}: {error}"),
        }
    }
}

const ANNOTATED: &str = r#"{"tools": [{"name": "bad", "inputSchema": {"properties": {"a": {"type": "number", "x-mcp-header": "A"}}}}]}"#;

// Requirements: STD-15, XMH-15.
#[tokio::test]
async fn tools_are_rejected_for_headers_only_over_stateless_http() {
    let tools: Value = serde_json::from_str(ANNOTATED).unwrap();
    let server = serve(HttpScript::json().on("tools/list", result(&tools))).await;
    let (session, _) = connect(endpoint(&server.url)).await;
    let server = serve(modern_script().on("tools/list", result(&tools))).await;
    let (stateless, _) = modern(&server.url).await;
    let body = format!(
        r#"
    if method == "server/discover": answer(id, {{**DISCOVERED, "capabilities": {{"tools": {{}}}}}})
    if method == "tools/list": answer(id, {{"resultType": "complete", **json.loads('{ANNOTATED}')}})
"#
    );
    let (stdio, _) = connect_with(python_server(&body), choosing(EraChoice::Auto)).await;
    let stdio = stdio.unwrap();
    assert_eq!(stdio.handshake().era, Era::Modern);
    for (client, kept) in [(session, 1), (stateless, 0), (stdio, 1)] {
        assert_eq!(client.list_tools().await.unwrap().items.len(), kept);
    }
}

// Requirements: SHS-08, SHS-07.
#[tokio::test]
async fn an_answer_on_a_stream_of_its_own_is_noted_and_harms_nothing() {
    let stray = RawReply::stream()
        .text("data: {\"jsonrpc\":\"2.0\",\"id\":\"stray\",\"result\":{}}\n\n")
        .piece(BodyPiece::Hang);
    let server = serve(HttpScript::json().on("GET", stray.into())).await;
    let (client, memory) = connect(endpoint(&server.url)).await;
    let noted = || memory.diagnostics().iter().any(|odd| odd.contains("doesn’t answer any of our requests"));
    eventually("it was noted", PATIENCE, noted).await;
    assert_eq!(call(&client, "echo", r#"{"text":"x"}"#).await, "x");
    client.shutdown().await;
}

// Requirements: SHL-02, SHL-08, PROG-03.
#[tokio::test]
async fn foreign_progress_and_messages_after_the_answer_are_tolerated() {
    let answer = format!("data: {{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{}}}\n\n", fine("x"));
    let stream = format!(
        "data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":999,\"progress\":1}}}}\n\n\
         {answer}data: {{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{{\"content\":\"again\"}}}}\n\ndata: junk\n\n"
    );
    let server = serve(modern_script().on("tools/call", HttpReply::stream_text(&stream))).await;
    let (client, _) = modern(&server.url).await;
    for _ in 0..3 {
        assert_eq!(call(&client, "x", "{}").await, "x");
    }
}

// Requirements: SHL-14, SHL-15.
#[tokio::test]
async fn the_words_of_an_error_are_read_whatever_its_status() {
    for status in [400, 404, 413, 431, 500, 503] {
        let script = modern_script()
            .once("tools/call", rpc_error(status, -32000, &json!({"a": 1})))
            .once("tools/call", HttpReply::status(status, "too much"));
        let server = serve(script).await;
        let (client, _) = modern(&server.url).await;
        let spoken = client.call_tool("x", None, CallOptions::default()).await;
        assert!(
            matches!(&spoken, Err(RequestError::Rpc(error)) if error.code == -32000 && error.status == Some(status))
        );
        let silent = client.call_tool("x", None, CallOptions::default()).await;
        assert!(
            matches!(&silent, Err(RequestError::Status { status: found, excerpt, .. }) if *found == status && excerpt == "too much")
        );
    }
}

fn wants(requests: &Value, state: Option<&str>) -> HttpReply {
    let mut wants = json!({"resultType": "input_required", "inputRequests": requests});
    if let Some(state) = state {
        wants["requestState"] = json!(state);
    }
    result(&wants)
}

// Requirements: MRTR-04.
#[tokio::test]
async fn round_without_questions_is_retried_up_to_a_limit() {
    let again = || wants(&json!({}), Some("s"));
    let server = serve(
        modern_script()
            .once("tools/call", again())
            .once("tools/call", again())
            .on("tools/call", result(&fine("x"))),
    )
    .await;
    let (client, _) = modern(&server.url).await;
    assert_eq!(call(&client, "x", "{}").await, "x");
    let calls = requests(&server, "tools/call");
    assert_eq!(calls.len(), 3);
    assert_eq!(
        (&calls[2].json()["params"]["requestState"], calls[2].json()["params"].get("inputResponses")),
        (&json!("s"), None)
    );
}

// Requirements: MRTR-09, MRTR-13, ELIC-08, ELIC-09.
#[tokio::test]
async fn parallel_calls_keep_questions_and_states_apart() {
    let body = r#"
    if method == "server/discover": answer(id, {**DISCOVERED, "capabilities": {"tools": {}}})
    if method == "tools/call":
        name, state, replies = params["name"], params.get("requestState"), params.get("inputResponses")
        if state is None:
            kept[name] = id
            # Both are asked before either goes on.
            if len(kept) == 2:
                for who, call in kept.items():
                    answer(call, {"resultType": "input_required", "requestState": "state of " + who, "inputRequests": {"of " + who: {"method": "elicitation/create", "params": {"message": who}}}})
        else: answer(id, text(json.dumps([state, replies])))
"#;
    let host = TestHost::new(|question| {
        let declines = question.params.get().contains("\"b\"");
        Ok(raw(if declines { r#"{"action":"decline"}"# } else { r#"{"action":"accept","content":{}}"# }))
    });
    let client = host.connect(python_server(body), choosing(EraChoice::Auto)).await;
    let (a, b) = tokio::join!(call(&client, "a", "{}"), call(&client, "b", "{}"));
    let read = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    assert_eq!(read(a), json!(["state of a", {"of a": {"action": "accept", "content": {}}}]));
    assert_eq!(read(b), json!(["state of b", {"of b": {"action": "decline"}}]));
}

// Requirements: MRTR-09, MRTR-17.
#[tokio::test]
async fn fifty_interleaved_calls_return_each_state_to_its_own() {
    const CALLS: usize = 50;
    // Responses begin once all calls have arrived, in reverse order, and each call has three rounds with its
    // own state.
    let body = r#"
    if method == "server/discover": answer(id, {**DISCOVERED, "capabilities": {"tools": {}}})
    if method == "tools/call":
        name, state = params["name"], params.get("requestState")
        done = [] if state is None else json.loads(state)
        if any(part.split()[0] != name for part in done): answer(id, text("swapped " + name))
        elif len(done) == 2: answer(id, text(json.dumps(done)))
        else:
            kept[id] = json.dumps(done + [name + " in round " + str(len(done))])
            if len(kept) == 50:
                for call in reversed(list(kept)):
                    answer(call, {"resultType": "input_required", "requestState": kept.pop(call)})
"#;
    let host = TestHost::new(|question| panic!("nothing is asked: {question:?}"));
    let client = host.connect(python_server(body), choosing(EraChoice::Auto)).await;
    let calls = (0..CALLS).map(|number| {
        let client = &client;
        async move {
            let name = format!("t{number}");
            let told: Value = serde_json::from_str(&call(client, &name, "{}").await).unwrap();
            assert_eq!(told, json!([format!("{name} in round 0"), format!("{name} in round 1")]));
        }
    });
    futures_util::future::join_all(calls).await;
}

// Requirements: MRTR-16, BASE-31.
#[tokio::test]
async fn the_time_that_a_person_takes_is_not_the_server_s() {
    let asks = wants(&json!({"r": {"method": "roots/list"}}), None);
    let server = serve(modern_script().once("tools/call", asks).on("tools/call", result(&fine("x")))).await;
    let host = TestHost::waiting(|_| {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(2500)).await;
            Ok(raw(r#"{"roots":[]}"#))
        })
    });
    let mut options = choosing(EraChoice::Auto);
    (options.deadlines.idle, options.deadlines.total) = (Duration::from_secs(2), Duration::from_secs(2));
    let client = host.connect(endpoint(&server.url), options).await;
    assert_eq!(call(&client, "x", "{}").await, "x");
}

// Requirements: RES-11.
#[tokio::test]
async fn a_resource_without_contents_is_no_failure() {
    let script = HttpScript::json()
        .without_session()
        .on("initialize", opening("2025-11-25", &json!({"resources": {}})))
        .on("resources/read", result(&json!({"contents": []})));
    let server = serve(script).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    let read = client.read_resource("a:1", CallOptions::default()).await.unwrap();
    assert_eq!(read.raw.get(), r#"{"contents":[]}"#);
}

// Requirements: CANC-02, CANC-03.
#[tokio::test]
async fn late_answer_is_ignored_and_connecting_is_never_cancelled() {
    let body = r#"
    if method == "initialize": answer(id, {**SESSION, "capabilities": {"tools": {}}})
    if method == "notifications/cancelled": answer(params["requestId"], text("late"))
    if method == "tools/call" and params["name"] == "now": answer(id, text("now"))
"#;
    let (client, memory) = connect(python_server(body)).await;
    let given_up = client.call_tool("never", None, CallOptions::default());
    assert!(tokio::time::timeout(Duration::from_millis(100), given_up).await.is_err());
    assert_eq!(call(&client, "now", "{}").await, "now");
    assert!(memory.diagnostics().is_empty(), "{:?}", memory.diagnostics());
    let server = serve(HttpScript::json().on("initialize", HttpReply::Hang)).await;
    let attempt = connect_with(endpoint(&server.url), options());
    assert!(tokio::time::timeout(Duration::from_millis(300), attempt).await.is_err());
    assert!(server.methods().iter().all(|method| method == "initialize"), "{:?}", server.methods());
}

// Requirements: PING-04, LOG-01, LOG-03, BASE-28.
#[tokio::test]
async fn stateless_era_has_no_ping_and_drops_unrequested_logs() {
    let log = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"fog\"}}\n\n";
    let stream = format!("{log}data: {{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{}}}\n\n", fine("x"));
    let server = serve(modern_script().on("tools/call", HttpReply::stream_text(&stream))).await;
    let (client, memory) = modern(&server.url).await;
    client.ping().await.unwrap();
    call(&client, "x", "{}").await;
    assert_eq!(memory.notifications.lock().unwrap().len(), 0);
    assert!(memory.diagnostics().iter().any(|odd| odd.contains("wasn’t requested")));
    client.set_log_level("info").await.unwrap();
    call(&client, "x", "{}").await;
    assert_eq!(memory.notifications.lock().unwrap().len(), 1);
    let methods = server.methods();
    assert!(
        !methods.contains(&"ping".to_owned()) && !methods.contains(&"logging/setLevel".to_owned()),
        "{methods:?}"
    );
    // A session that does not declare logging gets no request for it.
    let silent =
        HttpScript::json().without_session().on("initialize", opening("2025-11-25", &json!({"tools": {}})));
    let server = serve(silent).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    assert!(matches!(client.set_log_level("info").await, Err(RequestError::Unsendable { .. })));
    assert!(requests(&server, "logging/setLevel").is_empty());
}

// Requirements: PAGE-05, CACHE-14.
#[tokio::test]
async fn listing_restarts_in_the_session_that_replaced_a_lost_one() {
    let page = |cursor: Option<&str>| {
        let mut page = json!({"tools": [{"name": "a", "inputSchema": {}}]});
        if let Some(cursor) = cursor {
            page["nextCursor"] = json!(cursor);
        }
        result(&page)
    };
    let script = HttpScript::json().once("tools/list", page(Some("old"))).on("tools/list", page(None));
    let server = serve(script).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    assert_eq!(client.list_tools().await.unwrap().items.len(), 2);
    server.forget_sessions();
    assert_eq!(call(&client, "echo", r#"{"text":"x"}"#).await, "x");
    client.list_tools().await.unwrap();
    let cursors: Vec<_> =
        requests(&server, "tools/list").iter().map(|page| page.json()["params"]["cursor"].clone()).collect();
    assert_eq!(cursors, [json!(null), json!("old"), json!(null)]);
}

// Requirements: TOOL-13, TOOL-16.
#[tokio::test]
async fn a_result_may_hold_anything_and_is_kept_to_the_byte() {
    for (kept, odd) in [
        (r#"{"content":[{"type":"hologram","x":1.0}],"resultType":"complete"}"#, Some("content[0].type")),
        (r#"{"structuredContent":null,"resultType":"complete"}"#, None),
        (r#"{"structuredContent":[1.0, 2],"resultType":"complete"}"#, None),
        (r#"{"structuredContent":"x","content":[],"resultType":"complete"}"#, None),
    ] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{kept}}}"#);
        let server = serve(modern_script().on("tools/call", HttpReply::json_text(&text))).await;
        let (client, _) = modern(&server.url).await;
        let answer = client.call_tool("x", None, CallOptions::default()).await.unwrap();
        assert_eq!(answer.raw.get(), kept);
        let paths: Vec<&str> = answer.diagnostics.iter().map(|remark| remark.path.as_str()).collect();
        assert_eq!(paths, Vec::from_iter(odd), "{:?}", answer.diagnostics);
        assert!(!answer.is_error);
    }
    let (client, _) = connect(scripted(&["ok"])).await;
    let failed = client.call_tool("tool_error", None, CallOptions::default()).await.unwrap();
    assert!(failed.is_error && text(&failed.raw) == "the tool failed");
}

// Requirements: BASE-17, LIFE-09.
#[tokio::test]
async fn each_request_declares_what_can_be_asked_at_that_moment() {
    /// A host that can show forms only while a person is there.
    struct ToggleHost(AtomicBool);
    impl ClientHandler for ToggleHost {
        fn notify(&self, _: Notification) {}
        fn diagnose(&self, _: Diagnostic) {}
        fn capabilities(&self) -> ClientCapabilities {
            ClientCapabilities { forms: self.0.load(Ordering::Relaxed), ..ClientCapabilities::default() }
        }
    }
    let server = serve(modern_script().on("tools/call", result(&fine("x")))).await;
    let host = Arc::new(ToggleHost(AtomicBool::new(true)));
    let inbound = Arc::clone(&host);
    let client =
        Client::connect(endpoint(&server.url), choosing(EraChoice::Auto), inbound, Arc::new(NoTap)).await;
    let client = client.unwrap();
    call(&client, "x", "{}").await;
    host.0.store(false, Ordering::Relaxed);
    call(&client, "x", "{}").await;
    let declared: Vec<_> = requests(&server, "tools/call")
        .iter()
        .map(|call| call.json()["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"].clone())
        .collect();
    assert_eq!(declared, [json!({"elicitation": {"form": {}}}), json!({})]);
}

// Requirements: LIFE-08, SHS-18.
#[tokio::test]
async fn session_renewed_with_another_version_ends_the_connection() {
    let opening = |revision: &str, session: &str| -> HttpReply {
        let text = json!({"jsonrpc": "2.0", "id": "$ID", "result": {
            "protocolVersion": revision, "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}
        }});
        RawReply::new(200)
            .header("content-type", "application/json")
            .header("mcp-session-id", session)
            .text(&text.to_string().replace("\"$ID\"", "$ID"))
            .into()
    };
    let script = HttpScript::json()
        .once("initialize", opening("2025-11-25", "one"))
        .once("initialize", opening("2025-03-26", "two"))
        .on("notifications/initialized", HttpReply::accepted())
        .on("GET", HttpReply::status(405, ""))
        .on("tools/call", HttpReply::status(404, ""));
    let server = serve(script).await;
    let (client, _) = connect(endpoint(&server.url)).await;
    assert!(client.call_tool("x", None, CallOptions::default()).await.is_err());
    assert_eq!(*client.closed().borrow(), Some(CloseReason::SessionLost));
    assert_eq!(requests(&server, "tools/call").len(), 1);
}

// Requirements: SHS-06, SHS-14.
#[tokio::test]
async fn several_streams_at_once_bring_each_message_once() {
    let log = |who: &str| {
        format!(
            "data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{{\"level\":\"info\",\"data\":\"{who}\"}}}}\n\n"
        )
    };
    let gate = Gate::new();
    let stream = RawReply::stream()
        .text(&log("$ID"))
        .piece(BodyPiece::Wait(gate.clone()))
        .text(&format!("data: {{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{}}}\n\n", fine("x")));
    let own = RawReply::stream().text(&log("own")).piece(BodyPiece::Hang);
    let server = serve(HttpScript::json().on("GET", own.into()).on("tools/call", stream.into())).await;
    let (client, memory) = connect(endpoint(&server.url)).await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..5 {
        let client = client.clone();
        calls.spawn(async move { call(&client, "x", "{}").await });
    }
    eventually("all six were heard", PATIENCE, || memory.notifications.lock().unwrap().len() == 6).await;
    gate.open();
    while let Some(answer) = calls.join_next().await {
        assert_eq!(answer.unwrap(), "x");
    }
    let heard = memory.notifications.lock().unwrap().clone();
    assert_eq!(heard.iter().collect::<HashSet<_>>().len(), 6, "{heard:?}");
    assert_eq!(heard.len(), 6);
    client.shutdown().await;
}
