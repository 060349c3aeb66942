//! Shows one tool, resource, template, prompt or skill with all of its details.

use mooring_faults::Fault;
use mooring_typed::SchemaView;
use mooring_visits::ListedItem;
use serde_json::Value;

use crate::ask::needed_names;
use crate::content::size;
use crate::output::{Output, TextStyle, escape, escape_line};
use crate::schema::members;
use crate::table::Table;

/// Prints an item's title, description, details, arguments and results, and what the server claims about it.
pub fn print_item(output: Output, item: &Value, name: &str) -> Result<(), Fault> {
    let text =
        |key: &str| item.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let title = text("title").map(|title| format!("  {}", escape_line(title))).unwrap_or_default();
    output.line(&format!("{}{title}", output.tone(TextStyle::Strong, name)))?;
    if let Some(description) = text("description") {
        output.line(&escape(description))?;
    }
    // The details of a resource or a template.
    let facts = ["mimeType", "uriTemplate", "uri"].map(&text);
    let bytes = item.get("size").and_then(Value::as_u64).map(size);
    let facts = facts.into_iter().flatten().filter(|fact| *fact != name).map(str::to_owned).chain(bytes);
    let facts: Vec<String> = facts.map(|fact| escape_line(&fact).into_owned()).collect();
    if !facts.is_empty() {
        output.line(&output.tone(TextStyle::Quiet, &facts.join(", ")))?;
    }
    let heading = |words: &str| output.line(&format!("\n{}", output.tone(TextStyle::Quiet, words)));
    let styles = [(0, TextStyle::Accent), (1, TextStyle::Quiet), (2, TextStyle::Quiet)];
    for (key, words) in [("inputSchema", "Takes"), ("outputSchema", "Gives")] {
        let Some(schema) = item.get(key).map(SchemaView::new) else { continue };
        if schema.properties().is_empty() {
            if key == "inputSchema" {
                heading("Takes no arguments")?;
            }
            continue;
        }
        heading(words)?;
        members(schema).print(output, &styles)?;
    }
    let arguments: Vec<&Value> =
        item.get("arguments").and_then(Value::as_array).into_iter().flatten().collect();
    if !arguments.is_empty() {
        heading("Takes")?;
        let mut table = Table::default();
        for argument in arguments {
            let word = |key: &str| argument.get(key).and_then(Value::as_str).unwrap_or_default();
            let needed = argument.get("required").and_then(Value::as_bool) == Some(true);
            table.row([word("name"), if needed { "required" } else { "" }, word("description")]);
        }
        table.print(output, &styles)?;
    }
    let claims = item.get("annotations").and_then(Value::as_object).into_iter().flatten();
    let claims: Vec<String> = claims.filter_map(|(key, value)| describe_claim(key, value)).collect();
    if !claims.is_empty() {
        heading("The server says that it")?;
        for claim in claims {
            output.line(&claim)?;
        }
    }
    Ok(())
}

/// The names of an item's required arguments.
pub fn needed(item: &Value) -> Vec<String> {
    if let Some(schema) = item.get("inputSchema") {
        return needed_names(SchemaView::new(schema));
    }
    let arguments = item.get("arguments").and_then(Value::as_array).into_iter().flatten();
    let needed = arguments.filter(|argument| argument.get("required").and_then(Value::as_bool) == Some(true));
    let names = needed.filter_map(|argument| argument.get("name").and_then(Value::as_str));
    names.map(str::to_owned).collect()
}

/// What a tool annotation claims about the tool, in words (`ToolAnnotations` in the schema).
fn describe_claim(key: &str, value: &Value) -> Option<String> {
    let words = match (key, value.as_bool()?) {
        ("readOnlyHint", true) => "only reads",
        ("readOnlyHint", false) => "changes things",
        ("destructiveHint", true) => "can delete or overwrite",
        ("destructiveHint", false) => "only adds",
        ("idempotentHint", true) => "does no more when it is called again",
        ("openWorldHint", true) => "reaches beyond this computer",
        ("openWorldHint", false) => "stays within what it has",
        _ => return None,
    };
    Some(words.to_owned())
}

/// An item's row in a list: its name, details and description.
pub fn item_row(item: &ListedItem) -> [String; 3] {
    let extra = escape_line(&item.extra).into_owned();
    let words = Some(extra).filter(|extra| !extra.is_empty()).into_iter().chain(item.size.map(size));
    [
        escape_line(&item.name).into_owned(),
        words.collect::<Vec<_>>().join(" "),
        escape_line(&item.about).into_owned(),
    ]
}
