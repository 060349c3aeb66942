//! What can be chosen, in the dialects in which generators give choices their titles.

use mooring_base::excerpt;
use mooring_words::say;
use serde_json::Value;

use crate::form::{Choice, Form};
use crate::left_out::{Unsupported, unsupported};
use crate::schema::Keywords;

/// Choices of a field at most.
const MOST_CHOICES: usize = 1_000;
/// Bytes of a title, a description or a choice at most.
pub(crate) const LONGEST_WORDS: usize = 4 << 10;

/// Lists of titles beside `enum`: of MCP's first revision with them, of C# and Java generators, of editors.
const NAMES: [&str; 11] = [
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
/// Objects with the values as keys, and titles.
const BY_VALUE: [&str; 3] = ["meta:enum", "x-enum-map", "x-enumDescriptions"];
/// What the values of a list of choices say themselves.
const SAID: [&str; 8] =
    ["const", "enum", "minLength", "maxLength", "pattern", "format", "minimum", "maximum"];

/// What belongs to a list of choices.
pub(crate) fn of_list() -> Vec<&'static str> {
    SAID.into_iter().chain(NAMES).chain(BY_VALUE).collect()
}

/// The values of `enum` with their titles, and whether null is among them.
pub(crate) fn listed(
    form: &mut Form,
    path: &str,
    values: &Value,
    schema: &Keywords<'_>,
) -> Result<(Vec<Choice>, bool), Unsupported> {
    let place = format!("{path}.enum");
    let Value::Array(values) = values else { return unsupported(&place, say!("is not an array")) };
    let mut choices =
        checked(&place, values.iter().map(|value| Choice { value: value.clone(), title: None }))?;
    for name in NAMES {
        match schema.get(name) {
            None => {}
            Some(Value::Array(names)) if names.len() == choices.len() => {
                for (choice, name) in choices.iter_mut().zip(names) {
                    choice.title = choice.title.take().or_else(|| title(Some(name)));
                }
            }
            Some(names) => {
                let what = say!("does not belong to the choices and was left out");
                form.odd(&format!("{path}.{name}"), names, what);
            }
        }
    }
    for titles in BY_VALUE.iter().filter_map(|name| schema.get(name)) {
        for choice in &mut choices {
            let key = choice.value.as_str().map_or_else(|| choice.value.to_string(), str::to_owned);
            choice.title = choice.title.take().or_else(|| title(titles.get(&key)));
        }
    }
    let has_null = choices.len() > 1 && choices.iter().any(|choice| choice.value.is_null());
    choices.retain(|choice| !has_null || !choice.value.is_null());
    Ok((choices, has_null))
}

/// The choices that alternatives are: each is one value, or several, mostly with a title. None: they are more than that.
pub(crate) fn titled(path: &str, branches: &[&Value]) -> Result<Option<Vec<Choice>>, Unsupported> {
    let mut choices = Vec::new();
    for branch in branches {
        let title = || title(branch.get("title")).or_else(|| title(branch.get("description")));
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
    checked(path, choices.into_iter()).map(Some)
}

fn title(of: Option<&Value>) -> Option<String> {
    Some(excerpt::start(of?.as_str()?.to_owned(), LONGEST_WORDS))
}

fn checked(path: &str, choices: impl ExactSizeIterator<Item = Choice>) -> Result<Vec<Choice>, Unsupported> {
    match choices.len() {
        0 => unsupported(path, say!("has nothing to choose from")),
        1..=MOST_CHOICES => Ok(choices.collect()),
        _ => unsupported(path, say!("has more than {count} choices", count = MOST_CHOICES)),
    }
}
