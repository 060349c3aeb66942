//! Every limit at its value and one above it, on a real connection, and the limits that the host can show.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mooring_mcp::{CallOptions, Client, ClientOptions, Deadline, EraChoice, Limits, RequestError};
use mooring_testkit::eventually;
use mooring_testkit::http::{Gate, HttpReply, HttpScript, RawReply, serve};
use serde_json::{Value, json};

use crate::era::choosing;
use crate::support::{
    TestHost, connect_with, discovered, endpoint, opening, options, raw, requests, result, scripted,
};

const PATIENCE: Duration = Duration::from_secs(20);

fn reached(client: &Client) -> Vec<(&'static str, u64, &'static str, u64)> {
    client.limits_reached().iter().map(|limit| (limit.name, limit.limit, limit.unit, limit.times)).collect()
}

fn script() -> HttpScript {
    let offers = json!({"tools": {}, "resources": {"subscribe": true}, "prompts": {}});
    HttpScript::json().without_session().on("initialize", opening("2025-11-25", &offers))
}

/// Lists the tools of a server with this list.
async fn listed(limits: Limits, tools: &Value) -> (Vec<mooring_mcp::Tool>, Client) {
    let server = serve(script().on("tools/list", result(&json!({ "tools": tools })))).await;
    let (client, _) = connect_with(endpoint(&server.url), ClientOptions { limits, ..options() }).await;
    let client = client.unwrap();
    (client.list_tools().await.unwrap().items, client)
}

// Requirements: TOOL-21.
#[tokio::test]
async fn names_descriptions_and_schemas_are_taken_up_to_their_limits() {
    let tool = |name: usize, description: usize, schema: usize| {
        // `{"x":""}` takes eight bytes.
        json!([{"name": "n".repeat(name), "description": "d".repeat(description), "inputSchema": {"x": "s".repeat(schema - 8)}}])
    };
    let (kib, schema) = (1024, 256 * 1024);
    let (tools, client) = listed(Limits::default(), &tool(128, 16 * kib, schema)).await;
    assert_eq!((tools.len(), tools[0].diagnostics.len(), reached(&client)), (1, 0, vec![]));
    let (tools, client) = listed(Limits::default(), &tool(129, 1, 10)).await;
    assert_eq!((tools.len(), reached(&client)), (0, vec![("name", 128, "bytes", 1)]));
    let (tools, client) = listed(Limits::default(), &tool(1, 16 * kib + 1, 10)).await;
    assert_eq!(tools[0].description.as_ref().unwrap().len(), 16 * kib);
    assert_eq!(reached(&client), [("description", 16_384, "bytes", 1)]);
    let (tools, client) = listed(Limits::default(), &tool(1, 1, schema + 1)).await;
    assert!(tools[0].input_schema.is_none());
    assert_eq!(reached(&client), [("schema", 262_144, "bytes", 1)]);
}

// Requirements: SCH-09.
#[tokio::test]
async fn schema_holds_ten_thousand_values_including_references() {
    // The object, the list and its elements.
    let tool = |elements: usize| json!([{"name": "a", "inputSchema": {"enum": vec![0; elements]}}]);
    let (tools, client) = listed(Limits::default(), &tool(9_998)).await;
    assert!(tools[0].input_schema.is_some() && reached(&client).is_empty());
    let (tools, client) = listed(Limits::default(), &tool(9_999)).await;
    assert!(tools[0].input_schema.is_none());
    assert_eq!(reached(&client), [("schema_values", 10_000, "values", 1)]);
}

// Requirements: PAGE-04, PAGE-06.
#[tokio::test]
async fn a_list_has_up_to_a_thousand_items_on_up_to_fifty_pages() {
    let tools = |count: usize| -> Value {
        (0..count).map(|n| json!({"name": format!("t{n}"), "inputSchema": {}})).collect()
    };
    let (items, client) = listed(Limits::default(), &tools(1000)).await;
    assert_eq!((items.len(), reached(&client)), (1000, vec![]));
    let (items, client) = listed(Limits::default(), &tools(1001)).await;
    assert_eq!((items.len(), reached(&client)), (1000, vec![("items", 1000, "items", 1)]));
    for (pages, expected) in [(50, vec![]), (51, vec![("pages", 50, "pages", 1)])] {
        let mut script = script();
        for page in 1..=pages {
            let mut body = json!({"prompts": [{"name": format!("p{page}")}]});
            if page < pages {
                body["nextCursor"] = json!(page.to_string());
            }
            script = script.once("prompts/list", result(&body));
        }
        let server = serve(script).await;
        let (client, _) = connect_with(endpoint(&server.url), options()).await;
        let client = client.unwrap();
        assert_eq!(client.list_prompts().await.unwrap().items.len(), 50, "{pages}");
        assert_eq!(reached(&client), expected, "{pages}");
    }
}

#[tokio::test]
async fn a_uri_is_taken_up_to_eight_kibibytes() {
    for (length, kept, expected) in [(8192, 1, vec![]), (8193, 0, vec![("uri", 8192, "bytes", 1)])] {
        let resources = json!({"resources": [{"uri": format!("a:{}", "u".repeat(length - 2)), "name": "n"}]});
        let server = serve(script().on("resources/list", result(&resources))).await;
        let (client, _) = connect_with(endpoint(&server.url), options()).await;
        let client = client.unwrap();
        assert_eq!(client.list_resources().await.unwrap().items.len(), kept);
        assert_eq!(reached(&client), expected);
    }
}

// Requirements: BASE-31.
#[tokio::test]
async fn request_65_waits_until_one_of_64_is_answered() {
    let gate = Gate::new();
    let answer = result(&json!({"content": []}));
    let script = script().on("tools/call", HttpReply::After(gate.clone(), Box::new(answer)));
    let server = serve(script).await;
    let (client, _) = connect_with(endpoint(&server.url), options()).await;
    let client = client.unwrap();
    let mut calls = tokio::task::JoinSet::new();
    let one =
        |client: Client| async move { client.call_tool("x", None, CallOptions::default()).await.is_ok() };
    for _ in 0..64 {
        calls.spawn(one(client.clone()));
    }
    eventually("64 arrived", PATIENCE, || requests(&server, "tools/call").len() == 64).await;
    assert_eq!(reached(&client), []);
    calls.spawn(one(client.clone()));
    eventually("the limit is reached", PATIENCE, || !reached(&client).is_empty()).await;
    assert_eq!(reached(&client), [("requests_in_flight", 64, "requests", 1)]);
    assert_eq!(requests(&server, "tools/call").len(), 64);
    // The time spent waiting for a slot counts.
    let short = CallOptions { total: Some(Duration::from_millis(50)), ..CallOptions::default() };
    let outcome = client.call_tool("x", None, short).await;
    assert!(matches!(outcome, Err(RequestError::Timeout { deadline: Deadline::Total, .. })), "{outcome:?}");
    gate.open();
    while let Some(outcome) = calls.join_next().await {
        assert!(outcome.unwrap());
    }
    assert_eq!(requests(&server, "tools/call").len(), 65);
}

#[tokio::test]
async fn messages_are_bounded_by_their_size_values_and_depth() {
    let list = |inner: &str| {
        raw(&json!({"lines": [format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{inner}}}"#)]}).to_string())
    };
    let limits = Limits { message_bytes: 2000, nodes: 100, depth: 10, ..Limits::default() };
    let (client, _) = connect_with(scripted(&["ok"]), ClientOptions { limits, ..options() }).await;
    let client = client.unwrap();
    let send = |inner: String| {
        let (client, arguments) = (client.clone(), list(&inner));
        async move { client.call_tool("raw", Some(&arguments), CallOptions::default()).await }
    };
    // The envelope, its three values, the list and its elements.
    send(format!("[{}0]", "0,".repeat(95))).await.unwrap();
    assert!(matches!(send(format!("[{}0]", "0,".repeat(96))).await, Err(RequestError::Malformed { .. })));
    send(format!("{}{}", "[".repeat(9), "]".repeat(9))).await.unwrap();
    assert!(matches!(
        send(format!("{}{}", "[".repeat(10), "]".repeat(10))).await,
        Err(RequestError::Malformed { .. })
    ));
    let rest = r#"{"jsonrpc":"2.0","id":6,"result":""}"#.len();
    send(format!("\"{}\"", "x".repeat(2000 - rest))).await.unwrap();
    let rest = r#"{"jsonrpc":"2.0","id":7,"result":""}"#.len();
    let large = send(format!("\"{}\"", "x".repeat(2001 - rest))).await;
    assert!(matches!(large, Err(RequestError::TooLarge { limit: 2000, .. })), "{large:?}");
    let expected = [("message", 2000, "bytes", 1), ("values", 100, "values", 1), ("depth", 10, "levels", 1)];
    assert_eq!(reached(&client), expected);
}

// Requirements: LOG-06, PROG-05.
#[tokio::test]
async fn unsolicited_messages_are_throttled_and_reported() {
    let limits = Limits { unasked_burst: 5, unasked_per_second: 20, ..Limits::default() };
    // The exact limits are tested in the unit tests of the bucket, with a fixed clock.
    let flooded = async |count: usize| {
        let options = ClientOptions { limits: limits.clone(), ..options() };
        let (client, memory) = connect_with(scripted(&["ok"]), options).await;
        let client = client.unwrap();
        let arguments = raw(&json!({"count": count, "bytes": 1}).to_string());
        client.call_tool("flood", Some(&arguments), CallOptions::default()).await.unwrap();
        assert_eq!(memory.notifications.lock().unwrap().len(), count);
        reached(&client)
    };
    assert_eq!(flooded(5).await, []);
    assert_eq!(flooded(60).await[0].0, "unasked_messages");
}

// Requirements: BASE-10, LOG-06.
#[tokio::test]
async fn each_message_of_a_batch_counts_and_none_is_lost() {
    let limits = Limits { unasked_burst: 5, unasked_per_second: 5, ..Limits::default() };
    let told = r#",{"jsonrpc":"2.0","method":"notifications/tide"}"#.repeat(8);
    let array = format!(r#"[{{"jsonrpc":"2.0","id":$ID,"result":{{"content":[]}}}}{told}]"#);
    let server = serve(script().on("tools/call", HttpReply::json_text(&array))).await;
    let options = ClientOptions { limits, ..options() };
    let (client, memory) = connect_with(endpoint(&server.url), options).await;
    let client = client.unwrap();
    client.call_tool("x", None, CallOptions::default()).await.unwrap();
    assert_eq!(memory.notifications.lock().unwrap().len(), 8);
    assert!(reached(&client).iter().any(|(name, ..)| *name == "unasked_messages"), "{:?}", reached(&client));
}

// Requirements: BASE-10, LOG-06.
#[tokio::test]
async fn unreadable_batch_items_are_reported_once_and_counted_singly() {
    let limits = Limits { unasked_burst: 20, unasked_per_second: 100, ..Limits::default() };
    let flooded = async |count: usize| {
        let options = ClientOptions { limits: limits.clone(), ..options() };
        let (client, memory) = connect_with(scripted(&["ok"]), options).await;
        let client = client.unwrap();
        let answer = r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}"#;
        let lines = json!({"lines": [format!("[7{}]", ",7".repeat(count - 1)), answer]});
        client.call_tool("raw", Some(&raw(&lines.to_string())), CallOptions::default()).await.unwrap();
        let odd: Vec<_> = memory.diagnostics().into_iter().filter(|odd| odd.starts_with("[0]")).collect();
        assert!(odd.len() == 1 && odd[0].contains(&format!("{count} elements")), "{odd:?}");
        reached(&client)
    };
    assert_eq!(flooded(20).await, []);
    assert_eq!(flooded(60).await[0].0, "unasked_messages");
}

// Requirements: SUB-15.
#[tokio::test]
async fn resources_are_subscribed_to_up_to_the_limit() {
    let limits = Limits { subscriptions: 2, ..Limits::default() };
    let server = serve(script().on("resources/subscribe", result(&json!({})))).await;
    let (client, _) = connect_with(endpoint(&server.url), ClientOptions { limits, ..options() }).await;
    let client = client.unwrap();
    client.subscribe_resource("a:1").await.unwrap();
    client.subscribe_resource("a:2").await.unwrap();
    assert_eq!(reached(&client), []);
    assert!(client.subscribe_resource("a:3").await.is_err());
    assert_eq!(reached(&client), [("subscriptions", 2, "resources", 1)]);
    assert_eq!(client.subscriptions().len(), 2);
}

#[tokio::test]
async fn a_line_on_stderr_is_kept_up_to_the_limit() {
    let limits = Limits { stderr_line_bytes: 10, ..Limits::default() };
    for (line, expected) in [("0123456789", vec![]), ("0123456789+", vec![("stderr_line", 10, "bytes", 1)])] {
        let body = format!(
            r#"
    if method == "initialize":
        print("{line}", file=sys.stderr, flush=True)
        answer(id, {{**SESSION, "capabilities": {{}}}})
"#
        );
        let options = ClientOptions { limits: limits.clone(), ..options() };
        let (client, _) = connect_with(crate::support::python_server(&body), options).await;
        let client = client.unwrap();
        eventually("the line arrived", PATIENCE, || client.stderr_tail(9) == ["0123456789"]).await;
        assert_eq!(reached(&client), expected);
    }
}

#[tokio::test]
async fn stderr_and_skipped_bytes_are_slowed_down_like_messages() {
    let server = |rest: &str| {
        crate::support::python_server(&format!(
            r#"
    if method == "initialize":
        answer(id, {{**SESSION, "capabilities": {{}}}})
    if method == "ping":
        {rest}
        answer(id, {{}})
"#
        ))
    };
    let slowed = async |rest: &str, limits: Limits| {
        let (client, _) = connect_with(server(rest), ClientOptions { limits, ..options() }).await;
        let client = client.unwrap();
        client.ping().await.unwrap();
        eventually("it is slowed down", PATIENCE, || {
            reached(&client).iter().any(|(name, ..)| name.starts_with("unasked"))
        })
        .await;
        reached(&client)
    };
    let few = Limits { unasked_bytes_per_second: 100_000, ..Limits::default() };
    let reports = r#"print("\n" * 50, file=sys.stderr, flush=True)"#;
    assert_eq!(slowed(reports, few).await[0].0, "unasked_bytes");
    let few = Limits { unasked_bytes_per_second: 100_000, ..Limits::default() };
    let blank = r#"print("\n \r\n" * 50, flush=True)"#;
    assert_eq!(slowed(blank, few).await[0].0, "unasked_bytes");
    let small = Limits { message_bytes: 2000, unasked_bytes_per_second: 100_000, ..Limits::default() };
    let endless = r#"print("x" * 300_000, flush=True)"#;
    let names: Vec<_> = slowed(endless, small).await.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names, ["message", "unasked_bytes"]);
}

#[tokio::test]
async fn a_blank_line_behind_each_message_costs_nothing() {
    let server = crate::support::python_server(
        r#"
    if method == "initialize":
        answer(id, {**SESSION, "capabilities": {}})
    elif id is not None:
        answer(id, {})
    if id is not None:
        print(flush=True)
"#,
    );
    let limits = Limits { unasked_bytes_per_second: 2000, ..Limits::default() };
    let (client, _) = connect_with(server, ClientOptions { limits, ..options() }).await;
    let client = client.unwrap();
    for _ in 0..20 {
        client.ping().await.unwrap();
    }
    assert_eq!(reached(&client), []);
}

// Requirements: TSKX-05, BASE-31.
#[tokio::test]
async fn a_task_takes_no_longer_than_it_may() {
    let limits = Limits { task_seconds: 1, ..Limits::default() };
    let task = |status: &str| json!({"taskId": "t", "status": status, "ttl": null, "createdAt": "", "lastUpdatedAt": ""});
    let offers = json!({"tools": {}, "tasks": {"cancel": {}, "requests": {"tools": {"call": {}}}}});
    let tool = json!({"name": "x", "inputSchema": {}, "execution": {"taskSupport": "required"}});
    let script = HttpScript::json()
        .without_session()
        .on("initialize", opening("2025-11-25", &offers))
        .on("tools/list", result(&json!({"tools": [tool]})))
        .on("tools/call", result(&json!({"task": task("working")})))
        .on("tasks/get", result(&task("working")))
        .on("tasks/cancel", RawReply::new(202).into());
    let server = serve(script).await;
    let (client, _) = connect_with(endpoint(&server.url), ClientOptions { limits, ..options() }).await;
    let client = client.unwrap();
    client.list_tools().await.unwrap();
    let outcome = client.call_tool("x", None, CallOptions::default()).await;
    assert!(matches!(outcome, Err(RequestError::Timeout { .. })), "{outcome:?}");
    assert_eq!(reached(&client), [("task_time", 1, "seconds", 1)]);
    server.wait_for_message("tasks/cancel").await;
}

// Requirements: MRTR-15.
#[tokio::test]
async fn a_call_may_ask_in_ten_rounds_and_not_in_eleven() {
    let wants =
        || result(&json!({"resultType": "input_required", "inputRequests": {"r": {"method": "roots/list"}}}));
    for (rounds, ends) in [(10, true), (11, false)] {
        let mut script = HttpScript::json()
            .without_session()
            .on("server/discover", discovered(&json!({"tools": {}})))
            .on("tools/call", result(&json!({"resultType": "complete", "content": []})));
        for _ in 0..rounds {
            script = script.once("tools/call", wants());
        }
        let server = serve(script).await;
        let host = TestHost::new(|_| Ok(raw(r#"{"roots":[]}"#)));
        let client = host.connect(endpoint(&server.url), choosing(EraChoice::Auto)).await;
        let outcome = client.call_tool("x", None, CallOptions::default()).await;
        assert_eq!(outcome.is_ok(), ends, "{outcome:?}");
        assert_eq!(host.asked.lock().unwrap().len(), 10);
        let expected = if ends { vec![] } else { vec![("rounds", 10, "rounds", 1)] };
        assert_eq!(reached(&client), expected);
    }
}

/// `count` questions with different keys.
pub(crate) fn many(count: usize) -> Value {
    (0..count)
        .map(|number| (format!("q{number}"), json!({"method": "roots/list"})))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// A host that answers once eight questions wait together. `most` is the greatest number that ever waited.
pub(crate) fn patient(most: &Arc<AtomicUsize>) -> Arc<TestHost> {
    let (waiting, most) = (Arc::new(AtomicUsize::new(0)), Arc::clone(most));
    TestHost::waiting(move |_| {
        let (waiting, most) = (Arc::clone(&waiting), Arc::clone(&most));
        Box::pin(async move {
            most.fetch_max(waiting.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
            eventually("eight wait", PATIENCE, || most.load(Ordering::Relaxed) >= 8).await;
            waiting.fetch_sub(1, Ordering::Relaxed);
            Ok(raw(r#"{"roots":[]}"#))
        })
    })
}

// Requirements: MRTR-12, SAMP-15.
#[tokio::test]
async fn round_allows_256_questions_eight_at_once_and_rejects_257() {
    for (count, ends) in [(256, true), (257, false)] {
        let wants = result(&json!({"resultType": "input_required", "inputRequests": many(count)}));
        let script = HttpScript::json()
            .without_session()
            .on("server/discover", discovered(&json!({"tools": {}})))
            .once("tools/call", wants)
            .on("tools/call", result(&json!({"resultType": "complete", "content": []})));
        let server = serve(script).await;
        let most = Arc::default();
        let host = patient(&most);
        let client = host.connect(endpoint(&server.url), choosing(EraChoice::Auto)).await;
        let outcome = client.call_tool("x", None, CallOptions::default()).await;
        if ends {
            outcome.unwrap();
            assert_eq!((host.asked.lock().unwrap().len(), most.load(Ordering::Relaxed)), (256, 8));
            assert_eq!(reached(&client), []);
        } else {
            let said = "the answer can’t be read: it sent 257 questions at once; at most 256 are answered";
            assert_eq!(outcome.unwrap_err().to_string(), said);
            assert!(host.asked.lock().unwrap().is_empty());
            assert_eq!(reached(&client), [("questions_in_round", 256, "questions", 1)]);
        }
    }
}
