//! The normal responses of a server.

use serde_json::{Value, json};

use super::ServerEra;

/// The requests that every case's server answers.
pub const METHODS: [&str; 9] = [
    "server/discover",
    "initialize",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "tools/call",
    "resources/read",
    "prompts/get",
];

/// The result of a method, or `None` where this wire does not know it.
pub fn result(method: &str, wire: ServerEra) -> Option<Value> {
    let mut result = match (method, wire) {
        ("initialize", ServerEra::Session) => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities(),
            "serverInfo": server_info(),
            "instructions": "Mind the tide."
        }),
        ("server/discover", ServerEra::Modern) => json!({
            "supportedVersions": ["2026-07-28"],
            "capabilities": capabilities(),
            "instructions": "Mind the tide.",
            "_meta": {"io.modelcontextprotocol/serverInfo": server_info()}
        }),
        ("tools/list", _) => json!({"tools": [tool("good_first"), tool("odd"), tool("good_last")]}),
        ("resources/list", _) => json!({"resources": [
            resource("good_first"), resource("odd"), resource("good_last")
        ]}),
        ("resources/templates/list", _) => json!({"resourceTemplates": [
            template("good_first"), template("odd"), template("good_last")
        ]}),
        ("prompts/list", _) => json!({"prompts": [prompt("good_first"), prompt("odd"), prompt("good_last")]}),
        ("tools/call", _) => call(),
        ("resources/read", _) => json!({"contents": [
            {"uri": "berth://odd", "mimeType": "text/plain", "text": "free"},
            {"uri": "berth://odd", "mimeType": "image/png", "blob": "AAEC"}
        ]}),
        ("prompts/get", _) => json!({"description": "What to ask", "messages": [
            {"role": "user", "content": {"type": "text", "text": "Is it free?"}}
        ]}),
        ("completion/complete", _) => {
            json!({"completion": {"values": ["north", "south"], "total": 2, "hasMore": false}})
        }
        ("ping", ServerEra::Session) => json!({}),
        _ => return None,
    };
    if wire == ServerEra::Modern {
        result["resultType"] = json!("complete");
        if method.ends_with("/list") || matches!(method, "resources/read" | "server/discover") {
            result["ttlMs"] = json!(0);
            result["cacheScope"] = json!("private");
        }
    }
    Some(result)
}

fn capabilities() -> Value {
    json!({"tools": {"listChanged": true}, "resources": {}, "prompts": {}, "completions": {}, "logging": {}})
}

fn server_info() -> Value {
    json!({"name": "harbour", "title": "Harbour", "version": "1.2.3", "icons": icons()})
}

fn icons() -> Value {
    json!([{"src": "data:image/png;base64,AA==", "mimeType": "image/png", "sizes": ["48x48"]}])
}

fn tool(name: &str) -> Value {
    json!({
        "name": name,
        "title": "A tool",
        "description": "Does something",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
        "outputSchema": {"type": "object"},
        "annotations": {"title": "A tool", "readOnlyHint": true, "destructiveHint": false},
        "icons": icons(),
        "execution": {"taskSupport": "optional"},
        "_meta": {}
    })
}

fn annotations() -> Value {
    json!({"audience": ["user"], "priority": 0.5, "lastModified": "2026-01-01T00:00:00Z"})
}

fn resource(name: &str) -> Value {
    json!({
        "uri": format!("berth://{name}"),
        "name": name,
        "title": "A berth",
        "description": "Somewhere to lie",
        "mimeType": "text/plain",
        "size": 4,
        "annotations": annotations(),
        "icons": icons(),
        "_meta": {}
    })
}

fn template(name: &str) -> Value {
    json!({
        "uriTemplate": format!("berth://{name}/{{number}}"),
        "name": name,
        "title": "Berths",
        "description": "Places to lie",
        "mimeType": "text/plain",
        "annotations": annotations(),
        "icons": icons(),
        "_meta": {}
    })
}

fn prompt(name: &str) -> Value {
    json!({
        "name": name,
        "title": "A question",
        "description": "Asks something",
        "arguments": [
            {"name": "berth", "title": "Berth", "description": "Which", "required": true},
            {"name": "day", "required": false}
        ],
        "icons": icons(),
        "_meta": {}
    })
}

fn call() -> Value {
    json!({
        "content": [
            {"type": "text", "text": "free", "annotations": annotations(), "_meta": {}},
            {"type": "image", "data": "AAEC", "mimeType": "image/png"},
            {"type": "audio", "data": "AAEC", "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "berth://odd", "name": "odd", "mimeType": "text/plain"},
            {"type": "resource", "resource": {"uri": "berth://odd", "mimeType": "text/plain", "text": "free"}}
        ],
        "structuredContent": {"free": true},
        "isError": false,
        "_meta": {}
    })
}
