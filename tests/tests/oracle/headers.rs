//! The headers of the stateless era: whether our client and the SDK's client send the same ones, and whether
//! the SDK's server accepts that ours match the body. The reference is 2026-07-28, Streamable HTTP, "Standard
//! headers" and "Custom headers from tool parameters".

mod server;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use mooring_mcp::{
    CallOptions, Client, ClientHandler, ClientOptions, Diagnostic, Era, EraChoice, NoTap, Notification,
    RequestError, ServerTarget, http_client,
};
use mooring_network::Network;
use mooring_testkit::http::{HttpReply, HttpScript, HttpServer, serve};
use rmcp::model::{
    CallToolRequestParams, ClientConfig, GetPromptRequestParams, ProtocolVersion, ReadResourceRequestParams,
};
use rmcp::service::RunningService;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientLifecycleMode, ClientServiceExt as _, RoleClient};
use serde_json::value::to_raw_value;
use serde_json::{Map, Value, json};

use crate::random::RandomSource;

/// Header values that need no encoding, and others that do.
const TEXTS: [&str; 20] = [
    "",
    "us-west1",
    "us west 1",
    " us-west1",
    "us-west1 ",
    "\tus",
    "a\tb",
    "a\r\nX-Evil: b",
    "\0",
    "\u{7f}",
    "~",
    "日本語",
    "é",
    "\u{feff}",
    "=?base64?literal?=",
    "=?base64?",
    "?=",
    "=?base64??=",
    "a=b; c=\"d\"",
    "%20",
];
const NUMBERS: [i64; 6] = [0, 42, -1, 7_000_000_000, 9_007_199_254_740_991, -9_007_199_254_740_991];

/// Tools with valid annotations, with their properties.
fn good() -> Vec<(&'static str, Value)> {
    let plain = json!({
        "text": {"type": "string", "x-mcp-header": "Text"},
        "number": {"type": "integer", "x-mcp-header": "Number"},
        "switch": {"type": "boolean", "x-mcp-header": "X!#$%&'*+-.^_`|~9"},
        "other": {"type": "string"}
    });
    let inner = json!({"text": {"type": "string", "x-mcp-header": "Inner"}});
    vec![
        ("plain", json!({"properties": plain})),
        ("nested", json!({"properties": {"outer": {"type": "object", "properties": inner}}})),
        ("unmarked", json!({"type": "object"})),
        ("called", json!({"properties": {"default": {"type": "string", "x-mcp-header": "D"}}})),
        ("value", json!({"properties": {"a": {"type": "object", "default": {"x-mcp-header": ""}}}})),
        ("defs", json!({"$defs": {"x-mcp-header": {"type": "string"}}})),
    ]
}

/// Schemas with invalid annotations.
fn bad() -> Vec<Value> {
    let marked = json!({"type": "string", "x-mcp-header": "A"});
    let inner = json!({"properties": {"a": marked}});
    let named = |header: Value| json!({"properties": {"a": {"type": "string", "x-mcp-header": header}}});
    let typed = |kind: Value| json!({"properties": {"a": {"type": kind, "x-mcp-header": "A"}}});
    let mut bad = vec![
        json!({"x-mcp-header": "Root"}),
        json!({"properties": {"a": marked, "b": {"type": "string", "x-mcp-header": "a"}}}),
        json!({"properties": {"a": {"x-mcp-header": "A"}}}),
        json!({"properties": {"a": {"type": "array", "items": marked}}}),
    ];
    bad.extend([json!(""), json!("a b"), json!("a:b"), json!("é"), json!("a\r\n"), json!(7)].map(named));
    bad.extend([json!("number"), json!("object"), json!("array"), json!("null")].map(typed));
    for keyword in ["items", "not", "if", "then", "else", "additionalProperties", "contains"] {
        bad.push(json!({keyword: inner}));
    }
    for keyword in ["oneOf", "anyOf", "allOf", "prefixItems"] {
        bad.push(json!({keyword: [inner]}));
    }
    for keyword in ["$defs", "definitions", "dependentSchemas", "patternProperties"] {
        bad.push(json!({keyword: {"A": inner}}));
        bad.push(json!({keyword: {"default": inner}}));
    }
    bad
}

fn schema(mut schema: Value) -> Value {
    schema["type"] = "object".into();
    schema
}

/// Starts a server that offers these tools and accepts every call.
async fn offering(tools: &[(String, Value)]) -> HttpServer {
    let tools: Vec<_> =
        tools.iter().map(|(name, schema)| json!({"name": name, "inputSchema": schema})).collect();
    let reuse = json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private"});
    let answer = |members: Value| {
        let mut result = reuse.clone();
        result.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        HttpReply::Result(result)
    };
    let capabilities = json!({"tools": {}, "prompts": {}, "resources": {}});
    let script = HttpScript::json()
        .without_session()
        .on(
            "server/discover",
            answer(json!({"supportedVersions": ["2026-07-28"], "capabilities": capabilities})),
        )
        .on("tools/list", answer(json!({"tools": tools})))
        .on("tools/call", answer(json!({"content": []})))
        .on("prompts/get", answer(json!({"messages": []})))
        .on("resources/read", answer(json!({"contents": []})));
    serve(script).await
}

struct SilentHandler;

impl ClientHandler for SilentHandler {
    fn notify(&self, _notification: Notification) {}

    fn diagnose(&self, _diagnostic: Diagnostic) {}
}

async fn ours(url: &str) -> Client {
    let http = http_client("mooring-tests/0", &Network::direct());
    let era = EraChoice::Only(Era::Modern);
    let options = ClientOptions { era, ..ClientOptions::new("mooring-tests", "0", http) };
    let target = ServerTarget::Http { url: url.parse().unwrap(), headers: Vec::new() };
    Client::connect(target, options, Arc::new(SilentHandler), Arc::new(NoTap)).await.unwrap()
}

async fn theirs(url: &str) -> RunningService<RoleClient, ClientConfig> {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    ClientConfig::default()
        .serve_with_lifecycle(
            StreamableHttpClientTransport::from_uri(url),
            ClientLifecycleMode::Discover { preferred_versions },
        )
        .await
        .unwrap()
}

/// The protocol's headers of the newest request.
fn newest(server: &HttpServer) -> BTreeMap<String, String> {
    let request = server.requests().pop().unwrap();
    request.headers.into_iter().filter(|(name, _)| name.starts_with("mcp-")).collect()
}

async fn call(client: &Client, tool: &str, arguments: &Value) -> Result<Value, RequestError> {
    let given = to_raw_value(arguments).unwrap();
    let result = client.call_tool(tool, Some(&given), CallOptions::default()).await?;
    Ok(serde_json::from_str(result.raw.get()).unwrap())
}

/// Random arguments for `plain` or `nested`, some of them absent or null.
fn arguments(dice: &mut RandomSource) -> (&'static str, Value) {
    let text = |dice: &mut RandomSource| json!(format!("{}{}", dice.pick(&TEXTS), dice.pick(&TEXTS)));
    if dice.below(4) == 0 {
        let outer = dice.pick(&["text", "other"]);
        return ("nested", json!({"outer": {outer: text(dice)}}));
    }
    let mut given = Map::new();
    for name in ["text", "number", "switch", "other"] {
        let value = match (dice.below(6), name) {
            (0, _) => continue,
            (1, _) => Value::Null,
            (_, "number") => json!(dice.pick(&NUMBERS)),
            (_, "switch") => json!(dice.below(2) == 0),
            _ => text(dice),
        };
        given.insert(name.to_owned(), value);
    }
    ("plain", Value::Object(given))
}

fn tools() -> Vec<(String, Value)> {
    good().into_iter().map(|(name, properties)| (name.to_owned(), schema(properties))).collect()
}

// Requirements: SHL-03, SHL-04, SHL-05, SHL-06, XMH-01, XMH-08, XMH-09, XMH-10, XMH-11, XMH-12.
#[tokio::test]
async fn both_clients_send_the_same_headers_for_the_same_calls() {
    let server = offering(&tools()).await;
    let (ours, theirs) = (ours(&server.url).await, theirs(&server.url).await);
    ours.list_tools().await.unwrap();
    theirs.list_tools(None).await.unwrap();
    for name in TEXTS.iter().filter(|name| !name.is_empty()) {
        ours.get_prompt(name, None, CallOptions::default()).await.unwrap();
        let sent = newest(&server);
        theirs.get_prompt(GetPromptRequestParams::new(*name)).await.unwrap();
        assert_eq!(sent, newest(&server), "the prompt {name:?}");
        ours.read_resource(name, CallOptions::default()).await.unwrap();
        let sent = newest(&server);
        theirs.read_resource(ReadResourceRequestParams::new(*name)).await.unwrap();
        assert_eq!(sent, newest(&server), "the resource {name:?}");
        call(&ours, name, &json!({})).await.unwrap();
        let sent = newest(&server);
        theirs.call_tool(CallToolRequestParams::new(*name)).await.unwrap();
        assert_eq!(sent, newest(&server), "the tool {name:?}");
    }
    let mut dice = RandomSource(0x0dd5_ea50_f5a3);
    for _ in 0..300 {
        let (tool, given) = arguments(&mut dice);
        call(&ours, tool, &given).await.unwrap();
        let sent = newest(&server);
        let request = CallToolRequestParams::new(tool).with_arguments(given.as_object().unwrap().clone());
        theirs.call_tool(request).await.unwrap();
        assert_eq!(sent, newest(&server), "{tool} {given}");
    }
    ours.shutdown().await;
    theirs.cancel().await.unwrap();
}

// Requirements: XMH-02, XMH-03, XMH-04, XMH-05, XMH-06.
#[tokio::test]
async fn both_clients_hide_the_same_tools() {
    let bad = bad();
    let hidden = bad.iter().cloned().enumerate().map(|(at, one)| (format!("bad-{at}"), schema(one)));
    let server = offering(&tools().into_iter().chain(hidden).collect::<Vec<_>>()).await;
    let (ours, theirs) = (ours(&server.url).await, theirs(&server.url).await);
    let names: Vec<_> = ours.list_tools().await.unwrap().items.into_iter().map(|tool| tool.name).collect();
    let listed = theirs.list_tools(None).await.unwrap();
    let their_names: Vec<_> = listed.tools.iter().map(|tool| tool.name.to_string()).collect();
    assert_eq!(names, their_names, "{bad:#?}");
    assert_eq!(names, good().iter().map(|(name, _)| *name).collect::<Vec<_>>());
    ours.shutdown().await;
    theirs.cancel().await.unwrap();
}

// Requirements: XMH-09.
#[tokio::test]
async fn our_header_values_follow_the_spec_where_the_sdk_differs() {
    let server = offering(&tools()).await;
    let (ours, theirs) = (ours(&server.url).await, theirs(&server.url).await);
    ours.list_tools().await.unwrap();
    theirs.list_tools(None).await.unwrap();
    let sent = async |given: Value| {
        let request = CallToolRequestParams::new("plain").with_arguments(given.as_object().unwrap().clone());
        theirs.call_tool(request).await.unwrap();
        newest(&server)
    };
    // "Value encoding": an integer is written in decimal digits, and 42.0 is an integer.
    call(&ours, "plain", &json!({"number": 42.0})).await.unwrap();
    assert_eq!(newest(&server).get("mcp-param-number").map(String::as_str), Some("42"));
    assert_eq!(sent(json!({"number": 42.0})).await.get("mcp-param-number").map(String::as_str), Some("42.0"));
    // "Value encoding" also excludes integers that JSON parsers can't represent exactly. A value that doesn't
    // have the schema's type has no encoding.
    for given in [json!({"number": 9_007_199_254_740_992_i64}), json!({"number": 1.5}), json!({"text": 7})] {
        let refused = call(&ours, "plain", &given).await;
        assert!(matches!(refused, Err(RequestError::Unsendable { .. })), "{given}: {refused:?}");
        assert!(sent(given.clone()).await.keys().any(|name| name.starts_with("mcp-param-")), "{given}");
    }
    ours.shutdown().await;
    theirs.cancel().await.unwrap();
}

// Requirements: SHL-03, SHL-04, SHL-05, SHL-06, XMH-01, XMH-08, XMH-10, XMH-11, XMH-12.
#[tokio::test]
async fn sdk_server_accepts_our_headers_for_the_body() {
    let server = server::serve(tools()).await;
    let client = ours(&server.url).await;
    client.list_tools().await.unwrap();
    let mut dice = RandomSource(0x0dd5_ea50_f5a4);
    for _ in 0..300 {
        let (tool, given) = arguments(&mut dice);
        let answer = call(&client, tool, &given).await;
        let answer = answer.unwrap_or_else(|error| panic!("{tool} {given}: {error}"));
        assert_eq!(answer["structuredContent"], given, "{tool}");
    }
    client.shutdown().await;
}

// Requirements: XMH-14.
#[tokio::test]
async fn sdk_server_rejects_headers_that_contradict_the_body() {
    let server = server::serve(tools()).await;
    let client = ours(&server.url).await;
    // The client doesn't know the tool yet, so it sends no custom headers. The error makes it list the tools
    // and call again.
    let answer = call(&client, "plain", &json!({"text": "日本語"})).await.unwrap();
    assert_eq!(answer["structuredContent"], json!({"text": "日本語"}));
    assert_eq!(server.listed.load(Ordering::Relaxed), 1);
    client.shutdown().await;
}
