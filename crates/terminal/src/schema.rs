//! Describes schemas in words: the arguments of a tool, and problems with them.

use mooring_forms::{SchemaProblem, SchemaProblemCode};
use mooring_typed::{Property, SchemaView, nearest};
use serde_json::Value;

use crate::table::Table;

/// The most levels of nested members in the table.
pub(crate) const DEEPEST: usize = 3;

/// A table of a schema's members: the name as it is typed, the allowed values, and the description.
pub fn members(schema: SchemaView<'_>) -> Table {
    let mut table = Table::default();
    add_rows(&mut table, schema, "", 1);
    table
}

fn add_rows(table: &mut Table, schema: SchemaView<'_>, before: &str, depth: usize) {
    for Property { name, schema, required } in schema.properties() {
        let key = format!("{before}{name}");
        let need = if required { "required" } else { "" };
        table.row([key.as_str(), &describe_values(schema), need, &describe_member(schema)]);
        if depth < DEEPEST {
            add_rows(table, schema, &format!("{key}."), depth + 1);
        }
    }
}

/// The allowed values, in a few words.
pub(crate) fn describe_values(schema: SchemaView<'_>) -> String {
    let choices = schema.choices();
    if !choices.is_empty() {
        return choices.into_iter().map(format_value).collect::<Vec<_>>().join(" | ");
    }
    let types: Vec<&str> = schema.types().into_iter().filter(|name| *name != "null").collect();
    let word = |name: &&str| match *name {
        "string" => "text".to_owned(),
        "integer" => "whole number".to_owned(),
        "boolean" => "true | false".to_owned(),
        "array" => match schema.items().map(describe_values) {
            Some(items) if !items.is_empty() => format!("list of {items}"),
            _ => "list".to_owned(),
        },
        other => other.to_owned(),
    };
    types.iter().map(word).collect::<Vec<_>>().join(" | ")
}

fn describe_member(schema: SchemaView<'_>) -> String {
    let lines = schema.description().into_iter().flat_map(str::lines).map(str::trim);
    let text = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    match schema.default() {
        Some(default) if text.is_empty() => format!("default: {}", format_value(default)),
        Some(default) => format!("{text} (default: {})", format_value(default)),
        None => text,
    }
}

/// Formats a value as it is typed.
fn format_value(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The most choices that are listed in a problem.
const MOST_CHOICES: usize = 12;

/// The values that are allowed for an argument, if they are few. `at` is a JSON Pointer.
fn list_choices(schema: SchemaView<'_>, at: &str) -> Option<String> {
    let mut here = schema;
    for part in at.split('/').skip(1) {
        let item = here.items().filter(|_| part.parse::<usize>().is_ok());
        here = item.or_else(|| here.property(part))?;
    }
    let choices = here.choices();
    if choices.is_empty() || choices.len() > MOST_CHOICES {
        return None;
    }
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Some(choices.into_iter().map(text).collect::<Vec<_>>().join(", "))
}

/// Describes a problem with an argument, in a sentence that begins with its name.
pub fn problem(schema: SchemaView<'_>, problem: &SchemaProblem) -> String {
    use SchemaProblemCode as Code;
    let at = format_argument_name(&problem.at);
    let limit = problem.detail.as_deref().unwrap_or("?");
    let what = match problem.code {
        Code::Required => return format!("{at} is missing"),
        Code::UnknownProperty => return format!("the tool takes no {at}"),
        Code::WrongType => match limit {
            "string" => "must be a text".to_owned(),
            "number" => "must be a number".to_owned(),
            "integer" => "must be a whole number".to_owned(),
            "boolean" => "must be true or false".to_owned(),
            "array" => "must be a list".to_owned(),
            "object" => "must be an object".to_owned(),
            other => format!("must be {other}"),
        },
        Code::NotNumber => "must be a number".to_owned(),
        Code::NotInteger => "must be a whole number".to_owned(),
        Code::Minimum => format!("must be at least {limit}"),
        Code::Maximum => format!("must be at most {limit}"),
        Code::ExclusiveMinimum => format!("must be more than {limit}"),
        Code::ExclusiveMaximum => format!("must be less than {limit}"),
        Code::MultipleOf => format!("must be a multiple of {limit}"),
        Code::MinLength => format!("must have at least {limit} characters"),
        Code::MaxLength => format!("must have at most {limit} characters"),
        Code::Pattern => format!("doesn’t match the pattern {limit}"),
        Code::Format => format!("must be of the format {limit}"),
        Code::Enum => match list_choices(schema, &problem.at) {
            Some(choices) => format!("must be one of {choices}"),
            None => "must be one of the values that the tool takes".to_owned(),
        },
        Code::MinItems => format!("must have at least {limit} items"),
        Code::MaxItems => format!("must have at most {limit} items"),
        Code::UniqueItems => "has an item twice".to_owned(),
        Code::Contains => "lacks an item that is needed".to_owned(),
        Code::MinProperties => format!("must have at least {limit} members"),
        Code::MaxProperties => format!("must have at most {limit} members"),
        Code::PropertyNames => "has a name that the tool doesn’t take".to_owned(),
        Code::UnknownItems => "has items that the tool doesn’t take".to_owned(),
        Code::Not | Code::Never => "has a value that the tool doesn’t take".to_owned(),
        Code::OneOf => "fits several alternatives of which one must be chosen".to_owned(),
    };
    format!("{at} {what}")
}

/// The members of an object that its schema doesn't name, each with the name that was probably meant.
pub fn unknown_members<'a>(schema: SchemaView<'a>, object: &str) -> Vec<(String, Option<&'a str>)> {
    let names: Vec<&str> = schema.properties().iter().map(|member| member.name).collect();
    let Ok(members) = serde_json::from_str::<serde_json::Map<String, Value>>(object) else {
        return Vec::new();
    };
    let unknown = members.into_iter().map(|(key, _)| key).filter(|key| schema.property(key).is_none());
    unknown
        .map(|key| {
            let meant = nearest(&key, names.iter().copied());
            (key, meant)
        })
        .collect()
}

/// Converts a JSON Pointer (RFC 6901) to the name of an argument, as it is typed.
fn format_argument_name(pointer: &str) -> String {
    let steps = pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
    let key = steps.collect::<Vec<_>>().join(".");
    if key.is_empty() { "the object of arguments".to_owned() } else { key }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_type_is_said_in_words() {
        let said = |schema: Value| describe_values(SchemaView::new(&schema));
        assert_eq!(said(json!({ "type": "string" })), "text");
        assert_eq!(said(json!({ "type": ["integer", "null"] })), "whole number");
        assert_eq!(said(json!({ "enum": ["a", 2] })), "a | 2");
        assert_eq!(said(json!({ "type": "array", "items": { "type": "string" } })), "list of text");
        assert_eq!(said(json!({ "anyOf": [{ "type": "string" }, { "type": "object" }] })), "text | object");
        assert_eq!(said(json!({})), "");
    }

    #[test]
    fn a_problem_names_the_argument_as_it_is_typed() {
        let schema = json!({ "properties": {
            "kind": { "enum": ["small", 2] },
            "many": { "items": { "enum": ["a", "b"] } },
            "any": { "enum": (0..50).collect::<Vec<_>>() },
        } });
        let schema = SchemaView::new(&schema);
        let said = |at: &str, code, detail: Option<&str>| {
            problem(schema, &SchemaProblem { at: at.to_owned(), code, detail: detail.map(str::to_owned) })
        };
        assert_eq!(said("/kind", SchemaProblemCode::Enum, None), "kind must be one of small, 2");
        assert_eq!(said("/many/3", SchemaProblemCode::Enum, None), "many.3 must be one of a, b");
        let any = said("/any", SchemaProblemCode::Enum, None);
        assert_eq!(any, "any must be one of the values that the tool takes");
        assert_eq!(said("/message", SchemaProblemCode::Required, None), "message is missing");
        assert_eq!(said("/a/0/b~1c", SchemaProblemCode::Minimum, Some("3")), "a.0.b/c must be at least 3");
        assert_eq!(said("/x", SchemaProblemCode::WrongType, Some("boolean")), "x must be true or false");
        assert_eq!(
            said("", SchemaProblemCode::MinProperties, Some("1")),
            "the object of arguments must have at least 1 members"
        );
    }
}
