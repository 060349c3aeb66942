//! The three tools that an app can get in place of all tools: one searches for tools, one describes them, and
//! one calls them.

use serde_json::{Value, json};

/// Name of the tool that searches for tools.
pub const SEARCH: &str = "search_tools";
/// Name of the tool that gives definitions of tools.
pub const DESCRIBE: &str = "describe_tools";
/// Name of the tool that calls another tool.
pub const CALL: &str = "call_tool";
/// The names of the three search tools.
pub const NAMES: [&str; 3] = [SEARCH, DESCRIBE, CALL];

/// The most tools in the result of a search.
pub const MAX_FOUND: usize = 50;
/// Default number of results of a search.
pub const USUALLY_FOUND: usize = 10;
/// The most tools in one call of [`DESCRIBE`].
pub const MAX_DESCRIBED: usize = 20;
/// The most servers that the description of [`SEARCH`] names.
const MAX_NAMED: usize = 40;

/// The definitions of the three search tools. `tools` is the number of tools that they cover.
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

/// The servers' names, separated by commas.
pub fn named(servers: &[String]) -> String {
    let names = servers.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
    match servers.len().saturating_sub(MAX_NAMED) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}
