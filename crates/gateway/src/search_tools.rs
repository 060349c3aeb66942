//! What an app gets in the place of all tools: one that searches them, one that describes them, and one that calls them.
//! A call is decided on and logged as one of the tool that it is for.

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::answer::{Answer, read};
use crate::catalogue::{Catalogue, OfferKind, Offered};

pub(crate) const SEARCH: &str = "search_tools";
pub(crate) const DESCRIBE: &str = "describe_tools";
pub(crate) const CALL: &str = "call_tool";

/// The most tools that a search gives, and how many where nothing is said.
const MAX_FOUND: usize = 50;
const USUALLY_FOUND: usize = 10;
/// The most tools that are described at once.
const MAX_DESCRIBED: usize = 20;
/// How much of a description a search gives, in bytes.
const MAX_SUMMARY: usize = 200;
/// How many servers are named to the model.
const MAX_NAMED: usize = 40;

#[derive(Deserialize)]
struct SearchArguments {
    #[serde(default)]
    query: String,
    limit: Option<usize>,
}

#[derive(Deserialize)]
struct DescribeArguments {
    names: Vec<String>,
}

/// The tool that is to be called, and its arguments.
#[derive(Deserialize)]
pub(crate) struct CallArguments {
    pub(crate) name: String,
    pub(crate) arguments: Option<Box<RawValue>>,
}

/// The definitions of the three.
pub(crate) fn definitions(catalogue: &Catalogue) -> [serde_json::Value; 3] {
    let tools = catalogue.tools();
    let text = json!({"type": "string"});
    let about = format!(
        "Finds tools by words: what you want to do, or a part of a name. {} tools of these servers: {}. Gives names and short descriptions; use {DESCRIBE} for the arguments.",
        tools.len(),
        named(&catalogue.server_names)
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

fn named(servers: &[String]) -> String {
    let more = servers.len().saturating_sub(MAX_NAMED);
    let mut names = servers.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
    if more > 0 {
        names.push_str(&format!(" and {more} more"));
    }
    names
}

/// Answers `search_tools`.
pub(crate) fn search(catalogue: &Catalogue, arguments: Option<&RawValue>) -> Answer {
    let SearchArguments { query, limit } = read(arguments)?;
    let tools = catalogue.tools();
    let places = catalogue.index().search(&query);
    let limit = limit.unwrap_or(USUALLY_FOUND).clamp(1, MAX_FOUND);
    let found: Vec<&Offered> = places.iter().take(limit).filter_map(|place| tools.get(*place)).collect();
    let summaries: Vec<_> = found
        .iter()
        .map(|tool| json!({"name": tool.exposed, "description": summary(tool.definition())}))
        .collect();
    let mut lines: Vec<String> = summaries
        .iter()
        .map(|tool| {
            format!(
                "{}: {}",
                tool["name"].as_str().unwrap_or_default(),
                tool["description"].as_str().unwrap_or_default()
            )
        })
        .collect();
    if places.len() > found.len() {
        lines.push(format!("{} more fit; say more words, or a higher limit.", places.len() - found.len()));
    }
    if lines.is_empty() {
        lines.push(format!("No tool fits. The servers are: {}.", named(&catalogue.server_names)));
    }
    let found = json!({"tools": summaries, "matches": places.len()});
    Ok(json!({"content": [{"type": "text", "text": lines.join("\n")}], "structuredContent": found})
        .to_string())
}

/// The first words of a tool's description.
fn summary(definition: &str) -> String {
    #[derive(Deserialize)]
    struct Described {
        description: Option<String>,
    }
    let described = serde_json::from_str::<Described>(definition).ok().and_then(|tool| tool.description);
    let text = described.unwrap_or_default();
    let first = text.trim().lines().next().unwrap_or_default();
    if first.len() <= MAX_SUMMARY {
        return first.to_owned();
    }
    format!("{}…", &first[..first.floor_char_boundary(MAX_SUMMARY)])
}

/// Answers `describe_tools`.
pub(crate) fn describe(catalogue: &Catalogue, arguments: Option<&RawValue>) -> Answer {
    let DescribeArguments { names } = read(arguments)?;
    let lines = names.iter().take(MAX_DESCRIBED).map(|name| match catalogue.find(OfferKind::Tools, name) {
        Some(tool) => tool.definition().to_owned(),
        None => format!("There is no tool {name}. Use {SEARCH} for the names."),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    Ok(json!({"content": [{"type": "text", "text": text}]}).to_string())
}
