//! Reads the choices of a field, with titles in the various keywords that generators use.

use mooring_base::excerpt;
use mooring_words::say;
use serde_json::Value;

use crate::form::{Choice, Form};
use crate::schema::Keywords;
use crate::unsupported::{UnsupportedSchema, unsupported_schema};

/// The most choices of a field.
const MOST_CHOICES: usize = 1_000;
/// The most bytes of a title, a description or a choice.
pub(crate) const MAX_LABEL_BYTES: usize = 4 << 10;

/// Keywords for lists of titles next to `enum`, from the first MCP revision with titles, from C# and Java
/// generators, and from editors.
const TITLE_LISTS: [&str; 11] = [
    "enumNames",
    "enumTitles",
    "enum_titles",
    "enumLabels",
    "x-enumNames",
    "x-enum-names",
    "x-enum-varnames",
    "x-enumLabels",
    "x-enum-labels",
    "enumDescriptions",
    "x-enum-descriptions",
];
/// Keywords for objects that have the values as keys and titles as values.
const TITLE_MAPS: [&str; 3] = ["meta:enum", "x-enum-map", "x-enumDescriptions"];
/// Keywords that a list of choices already implies.
const CONSTRAINTS: [&str; 8] =
    ["const", "enum", "minLength", "maxLength", "pattern", "format", "minimum", "maximum"];

/// Keywords that may accompany `enum`.
pub(crate) fn choice_keywords() -> Vec<&'static str> {
    CONSTRAINTS.into_iter().chain(TITLE_LISTS).chain(TITLE_MAPS).collect()
}

/// Reads the values of `enum` with their titles, and whether null is among them.
pub(crate) fn read_enum_choices(
    form: &mut Form,
    path: &str,
    values: &Value,
    schema: &Keywords<'_>,
) -> Result<(Vec<Choice>, bool), UnsupportedSchema> {
    let place = format!("{path}.enum");
    let Value::Array(values) = values else { return unsupported_schema(&place, say!("isn’t an array")) };
    let mut choices =
        collect_choices(&place, values.iter().map(|value| Choice { value: value.clone(), title: None }))?;
    for name in TITLE_LISTS {
        match schema.get(name) {
            None => {}
            Some(Value::Array(names)) if names.len() == choices.len() => {
                for (choice, name) in choices.iter_mut().zip(names) {
                    choice.title = choice.title.take().or_else(|| read_title(Some(name)));
                }
            }
            Some(names) => {
                let what = say!("doesn’t match the choices and was skipped");
                form.add_oddity(&format!("{path}.{name}"), names, what);
            }
        }
    }
    for titles in TITLE_MAPS.iter().filter_map(|name| schema.get(name)) {
        for choice in &mut choices {
            let key = choice.value.as_str().map_or_else(|| choice.value.to_string(), str::to_owned);
            choice.title = choice.title.take().or_else(|| read_title(titles.get(&key)));
        }
    }
    let has_null = choices.len() > 1 && choices.iter().any(|choice| choice.value.is_null());
    choices.retain(|choice| !has_null || !choice.value.is_null());
    Ok((choices, has_null))
}

/// Reads the choices of `oneOf` or `anyOf` whose branches have `const` or `enum`. `None` if a branch has
/// anything else.
pub(crate) fn read_branch_choices(
    path: &str,
    branches: &[&Value],
) -> Result<Option<Vec<Choice>>, UnsupportedSchema> {
    let mut choices = Vec::new();
    for branch in branches {
        let title = || read_title(branch.get("title")).or_else(|| read_title(branch.get("description")));
        match (branch.get("const"), branch.get("enum")) {
            (Some(value), _) => choices.push(Choice { value: value.clone(), title: title() }),
            (None, Some(Value::Array(values))) => {
                let title = if values.len() == 1 { title() } else { None };
                choices
                    .extend(values.iter().map(|value| Choice { value: value.clone(), title: title.clone() }));
            }
            _ => return Ok(None),
        }
    }
    collect_choices(path, choices.into_iter()).map(Some)
}

fn read_title(of: Option<&Value>) -> Option<String> {
    Some(excerpt::truncate(of?.as_str()?.to_owned(), MAX_LABEL_BYTES))
}

fn collect_choices(
    path: &str,
    choices: impl ExactSizeIterator<Item = Choice>,
) -> Result<Vec<Choice>, UnsupportedSchema> {
    match choices.len() {
        0 => unsupported_schema(path, say!("has nothing to choose from")),
        1..=MOST_CHOICES => Ok(choices.collect()),
        _ => unsupported_schema(path, say!("has more than {count} choices", count = MOST_CHOICES)),
    }
}
