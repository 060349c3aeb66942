//! The script of a server that offers resources, templates, prompts and completion, for the mode `script`.

use serde_json::{Map, Value, json};

use crate::answers;

/// The line that answers a request with `result`.
pub fn response_line(result: &Value) -> Value {
    answer(&format!(r#""result":{result}"#))
}

/// The line that refuses a request.
pub fn error_line(code: i64, message: &str) -> Value {
    answer(&format!(r#""error":{}"#, json!({"code": code, "message": message})))
}

fn answer(member: &str) -> Value {
    Value::from(format!(r#"{{"jsonrpc":"2.0","id":$ID,{member}}}"#))
}

/// The script; what is in it can be replaced.
pub fn script() -> Map<String, Value> {
    let mut initialized = answers::initialize(None);
    initialized["capabilities"] = json!({
        "tools": {"listChanged": true},
        "resources": {"subscribe": true, "listChanged": true},
        "prompts": {"listChanged": true},
        "completions": {},
        "extensions": {"io.modelcontextprotocol/skills": {}},
    });
    let resources = json!({"resources": [
        {"uri": "harbour://notice", "name": "notice", "title": "Notice", "mimeType": "text/plain", "size": 9,
            "annotations": {"priority": 0.5}},
        {"uri": "harbour://lighthouse.png", "description": "The lighthouse\nat dusk", "mimeType": "image/png"},
        {"name": "no address"},
    ]});
    let templates = json!({"resourceTemplates": [
        {"uriTemplate": "harbour://{city}/berths{?from,to}", "name": "berths", "mimeType": "application/json"},
    ]});
    let skills = json!({"skills": [
        {"uri": "harbour://skills/mooring-lines/SKILL.md", "resources": "dynamic",
            "frontmatter": {"name": "mooring-lines", "description": "How to tie up\nin any wind"}},
        {"uri": "harbour://skills/knots", "frontmatter": {"name": "knots", "description": "no SKILL.md"}},
    ]});
    let prompts = json!({"prompts": [
        {"name": "plan", "title": "Plan a passage", "description": "A passage plan", "arguments": [
            {"name": "to", "required": true}, {"name": "tone", "description": "how it sounds"}]},
        {"name": "bare"},
    ]});
    let read =
        json!({"contents": [{"uri": "harbour://notice", "mimeType": "text/plain", "text": "fog\tahead"}]});
    let filled = json!({"description": "A passage", "messages": [
        {"role": "user", "content": {"type": "text", "text": "Plan a passage to 青岛."}},
        {"role": "assistant", "content": {"type": "image", "mimeType": "image/png", "data": "aGFyYm91cg=="}},
    ]});
    let completion = json!({"completion": {"values": ["青岛", "Qinhuangdao"], "total": 2, "hasMore": false}});
    let answers = [
        ("initialize", response_line(&initialized)),
        ("resources/list", response_line(&resources)),
        ("resources/templates/list", response_line(&templates)),
        ("skills/list", response_line(&skills)),
        ("prompts/list", response_line(&prompts)),
        ("resources/read", response_line(&read)),
        ("prompts/get", response_line(&filled)),
        ("completion/complete", response_line(&completion)),
        ("resources/subscribe", response_line(&json!({}))),
        ("resources/unsubscribe", response_line(&json!({}))),
    ];
    answers.into_iter().map(|(method, line)| (method.to_owned(), json!([line]))).collect()
}
