//! The normal responses of the scripted servers, over stdio and HTTP.

use serde_json::{Value, json};

/// The revision that the scripted servers speak by default.
pub const REVISION: &str = "2025-11-25";

/// The result of `initialize`, for the revision the client offered when `offered` is a known one.
pub fn initialize(offered: Option<&str>) -> Value {
    let known = ["2024-11-05", "2025-03-26", "2025-06-18", REVISION];
    let revision = offered.filter(|revision| known.contains(revision));
    json!({
        "protocolVersion": revision.unwrap_or(REVISION),
        "capabilities": {"tools": {"listChanged": true}, "logging": {}},
        "serverInfo": {"name": "scripted", "title": "Scripted server", "version": "1.2.3"},
        "instructions": "Does what the test says.",
    })
}

/// One well-formed tool without arguments worth naming.
pub fn tool(name: &str) -> Value {
    json!({
        "name": name,
        "title": format!("The {name} tool"),
        "description": format!("Scripted tool {name}"),
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
    })
}

/// The tools every scripted server has: `echo` and `add`.
pub fn tools() -> Vec<Value> {
    vec![
        tool("echo"),
        json!({
            "name": "add",
            "description": "Adds two numbers",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
                "required": ["a", "b"],
            },
        }),
    ]
}

/// A tool result of one text block.
pub fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

/// A tool result that reports an error.
pub fn tool_error(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": true})
}

/// The answer to a request of the everyday kind, or a JSON-RPC error as `Err((code, message))`.
pub fn answer(method: &str, params: &Value) -> Result<Value, (i64, String)> {
    match method {
        "initialize" => Ok(initialize(params["protocolVersion"].as_str())),
        "ping" | "logging/setLevel" => Ok(json!({})),
        "tools/list" => Ok(json!({"tools": tools()})),
        "tools/call" => call(params["name"].as_str().unwrap_or_default(), &params["arguments"]),
        other => Err((-32601, format!("method not found: {other}"))),
    }
}

fn call(name: &str, arguments: &Value) -> Result<Value, (i64, String)> {
    match name {
        "echo" => Ok(text(arguments["text"].as_str().unwrap_or_default())),
        "add" => {
            let sum =
                arguments["a"].as_f64().unwrap_or_default() + arguments["b"].as_f64().unwrap_or_default();
            Ok(text(&sum.to_string()))
        }
        other => Err((-32602, format!("unknown tool: {other}"))),
    }
}

/// The message that carries `outcome` back to the request `id`.
pub fn response(id: &Value, outcome: Result<Value, (i64, String)>) -> Value {
    match outcome {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err((code, message)) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
    }
}

/// A notification.
pub fn notification(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}
