//! Answers `search_tools` and `describe_tools`, and reads the arguments of `call_tool`. Such a call is
//! allowed and logged like a direct call of the tool.

use std::fmt::Write as _;

use mooring_catalogue::{Catalogue, Offered};
use mooring_revisions::OfferKind;
use mooring_tool_list::definitions::{MAX_DESCRIBED, MAX_FOUND, SEARCH, USUALLY_FOUND, named};
use mooring_tool_list::instructions::is_line_break;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::answer::{Answer, read_arguments};

/// The longest description in the result of a search, in bytes.
const MAX_SUMMARY: usize = 200;

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

/// The tool to call, and its arguments.
#[derive(Deserialize)]
pub(crate) struct CallArguments {
    pub(crate) name: String,
    pub(crate) arguments: Option<Box<RawValue>>,
}

/// Answers `search_tools`.
pub(crate) fn answer_search(catalogue: &Catalogue, arguments: Option<&RawValue>) -> Answer {
    let SearchArguments { query, limit } = read_arguments(arguments)?;
    let all = catalogue.tools();
    let places = catalogue.index().search(&query);
    let limit = limit.unwrap_or(USUALLY_FOUND).clamp(1, MAX_FOUND);
    let found: Vec<&Offered> = places.iter().take(limit).filter_map(|place| all.get(*place)).collect();
    let summaries: Vec<(&str, String)> =
        found.iter().map(|tool| (tool.exposed.as_str(), summarize_tool(tool.definition()))).collect();
    let mut lines: Vec<String> = summaries.iter().map(|(name, text)| format!("{name}: {text}")).collect();
    if places.len() > found.len() {
        lines.push(format!("{} more fit; say more words, or a higher limit.", places.len() - found.len()));
    }
    if lines.is_empty() {
        lines.push(format!("No tool fits. The servers are: {}.", named(&catalogue.server_names)));
    }
    let tools: Vec<_> =
        summaries.iter().map(|(name, text)| json!({"name": name, "description": text})).collect();
    let found = json!({"tools": tools, "matches": places.len()});
    Ok(json!({"content": [{"type": "text", "text": lines.join("\n")}], "structuredContent": found})
        .to_string())
}

/// The beginning of a tool's description.
fn summarize_tool(definition: &str) -> String {
    #[derive(Deserialize)]
    struct Described {
        description: Option<String>,
    }
    let described = serde_json::from_str::<Described>(definition).ok().and_then(|tool| tool.description);
    let text = described.unwrap_or_default();
    // A second line could look like another tool.
    let first = text.trim().split(is_line_break).next().unwrap_or_default();
    if first.len() <= MAX_SUMMARY {
        return first.to_owned();
    }
    format!("{}…", &first[..first.floor_char_boundary(MAX_SUMMARY)])
}

/// Puts a definition on one line, because a second line could look like the definition of another tool.
fn to_one_line(definition: &str) -> String {
    let mut line = String::with_capacity(definition.len());
    for character in definition.chars() {
        match character {
            // This is outside of strings, where a line break is only white space.
            '\n' | '\r' => line.push(' '),
            character if is_line_break(character) => {
                // Writing into a string never fails.
                let _written = write!(line, "\\u{:04x}", u32::from(character));
            }
            character => line.push(character),
        }
    }
    line
}

/// Answers `describe_tools`.
pub(crate) fn answer_describe(catalogue: &Catalogue, arguments: Option<&RawValue>) -> Answer {
    let DescribeArguments { names } = read_arguments(arguments)?;
    let lines = names.iter().take(MAX_DESCRIBED).map(|name| match catalogue.find(OfferKind::Tools, name) {
        Some(tool) => to_one_line(tool.definition()),
        None => format!("There is no tool {name}. Use {SEARCH} for the names."),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    Ok(json!({"content": [{"type": "text", "text": text}]}).to_string())
}
