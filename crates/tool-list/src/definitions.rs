//! The tools that an app gets in place of all tools: one to search them, one to describe them, and one to
//! call them.

use serde_json::{Value, json};

/// The tool that searches.
pub const SEARCH: &str = "search_tools";
/// The one that gives definitions.
pub const DESCRIBE: &str = "describe_tools";
/// The one that calls another.
pub const CALL: &str = "call_tool";
/// All three.
pub const NAMES: [&str; 3] = [SEARCH, DESCRIBE, CALL];

/// The most tools that a search gives.
pub const MAX_FOUND: usize = 50;
/// Default number of results of a search.
pub const USUALLY_FOUND: usize = 10;
/// The most tools that are described at once.
pub const MAX_DESCRIBED: usize = 20;
/// Most servers that are named to the model.
const MAX_NAMED: usize = 40;

/// The definitions of the three search tools, for servers with this number of tools.
pub fn definitions(tools: usize, servers: &[String]) -> [Value; 3] {
    let text = json!({"type": "string"});
    let about = format!(
        "Finds tools by words: what you want to do, or a part of a name. {} tools of these servers: {}. Gives names and short descriptions; use {DESCRIBE} for the arguments.",
        tools,
        named(servers)
    );
    [
        json!({
            "name": SEARCH,
            "title": "Search tools",
            "description": about,
            "inputSchema": {
                "type": "object",
                "properties": {
                    "query": text,
                    "limit": {"type": "integer", "minimum": 1, "maximum": MAX_FOUND, "description": format!("How many at most; usually {USUALLY_FOUND}")},
                },
                "required": ["query"],
            },
            "annotations": {"readOnlyHint": true, "openWorldHint": false},
        }),
        json!({
            "name": DESCRIBE,
            "title": "Describe tools",
            "description": format!("Gives the whole definitions of tools, with the schemas of their arguments. At most {MAX_DESCRIBED} at once."),
            "inputSchema": {
                "type": "object",
                "properties": {"names": {"type": "array", "items": text, "minItems": 1, "maxItems": MAX_DESCRIBED}},
                "required": ["names"],
            },
            "annotations": {"readOnlyHint": true, "openWorldHint": false},
        }),
        json!({
            "name": CALL,
            "title": "Call a tool",
            "description": format!("Calls a tool that {SEARCH} found, with the arguments that {DESCRIBE} says."),
            "inputSchema": {
                "type": "object",
                "properties": {"name": text, "arguments": {"type": "object"}},
                "required": ["name"],
            },
        }),
    ]
}

/// The servers' names as a text.
pub fn named(servers: &[String]) -> String {
    let names = servers.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
    match servers.len().saturating_sub(MAX_NAMED) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}
