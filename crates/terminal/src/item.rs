//! One tool, resource, template, prompt or skill, with all that is said of it.

use mooring_host::{Prompt, Resource, ResourceTemplate, Skill, SkillFiles, Tool};
use mooring_typed::SchemaView;
use serde_json::Value;

use crate::content::size;
use crate::fault::Fault;
use crate::output::{Output, TextStyle, escape, escape_line};
use crate::schema::members;
use crate::table::Table;

/// Name, title, description, what it takes and gives, and what the server claims of it.
pub fn print_item(output: Output, item: &Value, name: &str) -> Result<(), Fault> {
    let text =
        |key: &str| item.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let title = text("title").map(|title| format!("  {}", escape_line(title))).unwrap_or_default();
    output.line(&format!("{}{title}", output.tone(TextStyle::Strong, name)))?;
    if let Some(description) = text("description") {
        output.line(&escape(description))?;
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
    let claims: Vec<String> = claims.filter_map(|(key, value)| claim(key, value)).collect();
    if !claims.is_empty() {
        heading("The server says that it")?;
        for claim in claims {
            output.line(&claim)?;
        }
    }
    Ok(())
}

/// The arguments that an item can't do without.
pub fn needed(item: &Value) -> Vec<&str> {
    if let Some(schema) = item.get("inputSchema") {
        return SchemaView::new(schema).required();
    }
    let arguments = item.get("arguments").and_then(Value::as_array).into_iter().flatten();
    let needed = arguments.filter(|argument| argument.get("required").and_then(Value::as_bool) == Some(true));
    needed.filter_map(|argument| argument.get("name").and_then(Value::as_str)).collect()
}

/// What a tool's annotation claims (`ToolAnnotations` in the schema).
fn claim(key: &str, value: &Value) -> Option<String> {
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

/// A tool in a row: its name, its parameters, what it is about.
pub fn tool_row(tool: &Tool) -> [String; 3] {
    [
        escape_line(&tool.name).into_owned(),
        parameters(tool),
        summary(tool.description.as_deref(), tool.title.as_deref(), None),
    ]
}

/// The names of a tool's parameters; optional ones carry a question mark.
fn parameters(tool: &Tool) -> String {
    let schema: Value =
        tool.input_schema.as_ref().and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let required = |name: &str| {
        let names = schema.get("required").and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|required| required == name))
    };
    let names = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.keys());
    join_words(names.map(|name| parameter(name, required(name))))
}

/// A prompt in a row.
pub fn prompt_row(prompt: &Prompt) -> [String; 3] {
    let arguments = prompt.arguments.iter().map(|argument| parameter(&argument.name, argument.required));
    [
        escape_line(&prompt.name).into_owned(),
        join_words(arguments),
        summary(prompt.description.as_deref(), prompt.title.as_deref(), None),
    ]
}

/// A resource in a row.
pub fn resource_row(resource: &Resource) -> [String; 3] {
    let kind = resource.mime_type.as_deref().map(|kind| escape_line(kind).into_owned());
    // One without a name goes by its address, which stands in the first column.
    let name = Some(resource.name.as_str()).filter(|name| *name != resource.uri);
    [
        escape_line(&resource.uri).into_owned(),
        join_words(kind.into_iter().chain(resource.size.map(size))),
        summary(resource.description.as_deref(), resource.title.as_deref(), name),
    ]
}

/// A resource template in a row.
pub fn template_row(template: &ResourceTemplate) -> [String; 3] {
    let name = Some(template.name.as_str()).filter(|name| *name != template.uri_template);
    [
        escape_line(&template.uri_template).into_owned(),
        template.mime_type.as_deref().map(|kind| escape_line(kind).into_owned()).unwrap_or_default(),
        summary(template.description.as_deref(), template.title.as_deref(), name),
    ]
}

/// A skill in a row.
pub fn skill_row(skill: &Skill) -> [String; 3] {
    let files = match &skill.files {
        SkillFiles::Listed(files) if files.len() == 1 => "1 file".to_owned(),
        SkillFiles::Listed(files) => format!("{} files", files.len()),
        SkillFiles::Dynamic => "dynamic".to_owned(),
    };
    [escape_line(&skill.uri).into_owned(), files, summary(Some(&skill.description), None, Some(&skill.name))]
}

fn parameter(name: &str, required: bool) -> String {
    format!("{}{}", escape_line(name), if required { "" } else { "?" })
}

fn join_words(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

/// The first line of the first of these texts that there is.
fn summary(description: Option<&str>, title: Option<&str>, name: Option<&str>) -> String {
    let text = description.or(title).or(name).unwrap_or_default();
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    escape_line(line).into_owned()
}
