//! The envelope of JSON-RPC messages and the error codes, compared with the SDK. The reference is JSON-RPC
//! 2.0 and the specification (Base Protocol, Messages).

use mooring_mcp::properties::{CODES, ParsedView, read_messages};
use rmcp::model::{ErrorCode, JsonRpcMessage, ServerJsonRpcMessage};
use serde_json::{Map, Value, json};

use crate::random::RandomSource;

/// A parsed message of either parser. Absent members are null.
#[derive(Debug, PartialEq)]
enum MessageKind {
    Request { id: Value, method: Value, params: Value },
    Notification { method: Value, params: Value },
    Result { id: Value, result: Value },
    Error { id: Value, code: i64, message: String, data: Value },
}

fn value(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap()
}

fn ours(text: &str) -> Result<Vec<MessageKind>, String> {
    let (messages, _) = read_messages(text.as_bytes()).map_err(|error| error.to_string())?;
    let part = |part: Option<_>| part.map_or(Value::Null, |part: bytes::Bytes| value(&part));
    let kind = |message| match message {
        ParsedView::Request { id, method, params } => {
            MessageKind::Request { id: value(&id), method: method.into(), params: part(params) }
        }
        ParsedView::Notification { method, params } => {
            MessageKind::Notification { method: method.into(), params: part(params) }
        }
        ParsedView::Result { id, result } => MessageKind::Result { id: part(id), result: value(&result) },
        ParsedView::Error { id, error } => {
            let data = error.data.map_or(Value::Null, |data| value(data.get().as_bytes()));
            MessageKind::Error { id: part(id), code: error.code, message: error.message, data }
        }
    };
    Ok(messages.into_iter().map(kind).collect())
}

/// Parses with the SDK, by serialising its message again.
fn theirs(text: &str) -> Result<Vec<MessageKind>, String> {
    let message: ServerJsonRpcMessage = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut again = serde_json::to_value(&message).unwrap();
    let mut part = |name: &str| again.get_mut(name).map(Value::take).unwrap_or_default();
    let (id, method, params, result) = (part("id"), part("method"), part("params"), part("result"));
    Ok(vec![match message {
        JsonRpcMessage::Request(_) => MessageKind::Request { id, method, params },
        JsonRpcMessage::Notification(_) => MessageKind::Notification { method, params },
        JsonRpcMessage::Response(_) => MessageKind::Result { id, result },
        JsonRpcMessage::Error(error) => MessageKind::Error {
            id,
            code: error.error.code.0.into(),
            message: error.error.message.into_owned(),
            data: error.error.data.unwrap_or_default(),
        },
    }])
}

/// Servers' messages, one of each kind in every era.
fn messages() -> Vec<Value> {
    let meta = json!({"io.modelcontextprotocol/serverInfo": {"name": "buoy", "version": "3"}});
    let text = |text: &str| json!({"type": "text", "text": text});
    let form = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    let ask = json!({"mode": "form", "message": "Who goes there?", "requestedSchema": form});
    let results = [
        json!({}),
        json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": true}, "logging": {}},
            "serverInfo": {"name": "buoy", "version": "3"}, "instructions": "Ring twice."}),
        json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
            "ttlMs": 60_000, "cacheScope": "public", "_meta": meta}),
        json!({"tools": [{"name": "ring", "inputSchema": {"type": "object"}}], "nextCursor": "2"}),
        json!({"content": [text("ding"), text("dong 🔔")], "isError": false}),
        json!({"content": [], "structuredContent": {"depth": [1, 2.5, -3]}, "isError": false}),
        json!({"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}], "isError": true}),
        json!({"resources": [{"uri": "chart://1", "name": "chart", "mimeType": "image/png", "size": 12}]}),
        json!({"resourceTemplates": [{"uriTemplate": "chart://{n}", "name": "charts"}]}),
        json!({"contents": [{"uri": "chart://1", "mimeType": "text/plain", "text": "shoals\n"}]}),
        json!({"contents": [{"uri": "chart://1", "mimeType": "image/png", "blob": "AAAA"}]}),
        json!({"prompts": [{"name": "log", "arguments": [{"name": "day", "required": true}]}]}),
        json!({"messages": [{"role": "user", "content": text("What is the tide?")}]}),
        json!({"completion": {"values": ["north", "north-east"], "total": 2, "hasMore": false}}),
        json!({"resultType": "input_required", "requestState": "s",
            "inputRequests": {"who": {"method": "elicitation/create", "params": ask}}}),
    ];
    let errors = [
        json!({"code": -32700, "message": "Parse error"}),
        json!({"code": -32600, "message": ""}),
        json!({"code": -32601, "message": "no such method: tides/list"}),
        json!({"code": -32602, "message": "unknown tool: ring", "data": {"tool": "ring"}}),
        json!({"code": -32002, "message": "no chart", "data": [1, null, "x"]}),
        json!({"code": -32022, "message": "not that one",
            "data": {"supported": ["2026-07-28"], "requested": "1900-01-01"}}),
        json!({"code": -1, "message": "no \"sampling\" here\n"}),
        json!({"code": 40001, "message": "日本語", "data": "why"}),
    ];
    let requests = [
        json!({"method": "ping"}),
        json!({"method": "roots/list"}),
        json!({"method": "elicitation/create", "params": ask}),
        json!({"method": "sampling/createMessage", "params": {"maxTokens": 9,
            "messages": [{"role": "user", "content": text("a word?")}], "temperature": 0.5}}),
    ];
    let notifications = [
        json!({"method": "notifications/tools/list_changed"}),
        json!({"method": "notifications/resources/list_changed"}),
        json!({"method": "notifications/prompts/list_changed"}),
        json!({"method": "notifications/resources/updated", "params": {"uri": "chart://1"}}),
        json!({"method": "notifications/progress",
            "params": {"progressToken": 7, "progress": 0.25, "total": 1.5, "message": "hauling"}}),
        json!({"method": "notifications/progress", "params": {"progressToken": "p", "progress": 2.0}}),
        json!({"method": "notifications/message",
            "params": {"level": "warning", "logger": "mast", "data": {"wind": [8, "Bft"]}}}),
        json!({"method": "notifications/cancelled", "params": {"requestId": 3, "reason": "fog"}}),
        json!({"method": "notifications/of/another/kind", "params": {"a": {"b": []}}}),
    ];
    let mut all = Vec::new();
    let mut add = |parts: &[(&str, Value)]| {
        let parts = parts.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        all.push(Value::Object([("jsonrpc".to_owned(), json!("2.0"))].into_iter().chain(parts).collect()));
    };
    for result in results {
        add(&[("id", json!(12)), ("result", result)]);
    }
    for error in errors {
        add(&[("id", json!(12)), ("error", error.clone())]);
        add(&[("error", error)]);
    }
    let both = |message: &Value| -> Vec<(&'static str, Value)> {
        let params = message.get("params").map(|params| ("params", params.clone()));
        [("method", message["method"].clone())].into_iter().chain(params).collect()
    };
    for request in &requests {
        for id in [json!(0), json!("a-b"), json!("7")] {
            add(&[both(request), vec![("id", id)]].concat());
        }
    }
    for notification in &notifications {
        add(&both(notification));
    }
    all
}

/// Reorders the members of a message and writes it in another spelling.
fn rewritten(dice: &mut RandomSource, message: &Value) -> String {
    let Value::Object(members) = message else { panic!("{message}") };
    let mut members: Vec<_> = members.iter().collect();
    let mut shuffled = Map::new();
    while !members.is_empty() {
        let (name, value) = members.swap_remove(dice.below(members.len()));
        shuffled.insert(name.clone(), value.clone());
    }
    let text = serde_json::to_string(&shuffled).unwrap();
    match dice.below(4) {
        0 => text,
        1 => serde_json::to_string_pretty(&shuffled).unwrap(),
        2 => format!(" \t{text}\r\n"),
        _ => text.replace("\"id\"", "\"\\u0069d\"").replace("\"method\"", "\"m\\u0065thod\""),
    }
}

// Requirements: BASE-01, BASE-02, BASE-05, BASE-07, BASE-08, BASE-09.
#[test]
fn well_formed_message_reads_the_same_however_it_is_written() {
    let mut dice = RandomSource(0x0dd5_ea50_f5a2);
    for message in messages() {
        for _ in 0..20 {
            let text = rewritten(&mut dice, &message);
            let ours = ours(&text).unwrap();
            assert_eq!(Ok(&ours), theirs(&text).as_ref(), "{text}");
            assert!(read_messages(text.as_bytes()).unwrap().1.is_empty(), "{text}");
        }
    }
}

// Requirements: BASE-01, BASE-05, BASE-06, BASE-07, BASE-08, BASE-10.
#[test]
fn where_parsers_differ_ours_reads_what_the_spec_allows() {
    let result = |id: Value| MessageKind::Result { id, result: json!({}) };
    let error = |id: Value, code| MessageKind::Error { id, code, message: "x".to_owned(), data: Value::Null };
    let cases = [
        // JSON-RPC 2.0 § 5.1: an error code is an integer of any size.
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":4294967296,"message":"x"}}"#,
            vec![error(json!(1), 4_294_967_296)],
        ),
        // 2025-03-26, Messages: an array may contain several messages.
        (
            r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]"#,
            vec![result(json!(1)), result(json!(2))],
        ),
        // Servers that leave out the version, or send our id as text, are still understood.
        (r#"{"id":1,"result":{}}"#, vec![result(json!(1))]),
        (r#"{"jsonrpc":"2.0","id":"1","result":{}}"#, vec![result(json!(1))]),
    ];
    for (text, expected) in cases {
        let ours = ours(text).unwrap();
        assert_eq!(ours, expected, "{text}");
        // If this fails, the SDK now matches ours: move the message to the common ones.
        assert_ne!(theirs(text).as_ref(), Ok(&ours), "{text}");
    }
}

// Requirements: BASE-02, BASE-06.
#[test]
fn what_is_no_message_is_none_to_both() {
    for text in [
        "",
        "7",
        "null",
        "\"ping\"",
        "{}",
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}"#,
    ] {
        assert!(ours(text).is_err(), "{text}");
        assert!(theirs(text).is_err(), "{text}");
    }
}

// Requirements: BASE-08.
#[test]
fn the_codes_that_the_engine_goes_by_are_those_of_the_sdk() {
    let theirs = [
        ("method not found", ErrorCode::METHOD_NOT_FOUND),
        ("invalid params", ErrorCode::INVALID_PARAMS),
        ("header mismatch", ErrorCode::HEADER_MISMATCH),
        ("missing client capability", ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY),
        ("unsupported protocol version", ErrorCode::UNSUPPORTED_PROTOCOL_VERSION),
    ];
    assert_eq!(CODES, theirs.map(|(name, code)| (name, i64::from(code.0))));
}
