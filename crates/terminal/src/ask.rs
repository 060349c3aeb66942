//! Asks the person at the terminal for missing values that a tool, a prompt or a template needs.

use std::collections::BTreeMap;

use mooring_calls::check_value;
use mooring_faults::Fault;
use mooring_forms::SchemaProblem;
use mooring_typed::{ARGUMENT_FORMS, Arguments, Property, SchemaView, TypedArgument, object_of, pointer_of};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::input::{Given, read_text};
use crate::line_editor::{Line, LineEditor, Proposal, end_when_asked};
use crate::output::{Output, TextStyle, escape_line};
use crate::schema::{describe_values, problem};
use crate::secret_input::can_ask;

/// A question for the values of one argument.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The argument's name as it is typed: `contact.name`.
    pub name: String,
    /// The allowed values, in a few words.
    pub takes: String,
    /// The server’s description.
    pub about: String,
    /// The values that can be given, if the schema lists them.
    pub values: Vec<String>,
    /// Whether the argument takes several values.
    pub is_list: bool,
}

/// Returns a server's proposals. Its parameters are an argument's name, the text that was typed so far, and
/// the values that other arguments already have.
pub type Proposed<'a> = dyn Fn(&str, &str, &BTreeMap<String, String>) -> Vec<String> + 'a;

/// Fails with the reason if the person can't be asked.
pub fn ensure_terminal() -> Result<(), Fault> {
    if can_ask() {
        return Ok(());
    }
    Err(Fault::usage("--ask needs a terminal").next(ARGUMENT_FORMS))
}

/// Asks for texts, such as the arguments of a prompt. It asks for those in `needed` that are not in `given`.
pub fn ask_texts(
    output: Output,
    needed: &[Question],
    given: &mut BTreeMap<String, String>,
    proposed: &Proposed<'_>,
) -> Result<(), Fault> {
    for asked in needed {
        if !given.contains_key(&asked.name) {
            let chosen = given.clone();
            let propose = |begun: &str| proposed(&asked.name, begun, &chosen);
            let value = ask_value(output, asked, &propose)?;
            given.insert(asked.name.clone(), value);
        }
    }
    Ok(())
}

/// Asks for the members that a schema requires and `given` lacks. Then asks for optional members until the
/// person enters an empty line.
pub async fn ask_members(output: Output, schema: &RawValue, given: Given) -> Result<Given, Fault> {
    let value: Value = serde_json::from_str(schema.get()).map_err(anyhow::Error::from)?;
    let view = SchemaView::new(&value);
    let mut members = to_members(given)?;
    for asked in find_all_lacking(view, &build_object(&members, view)?) {
        loop {
            let count = members.len();
            for text in ask_values(output, &asked)? {
                members.push(TypedArgument::Text { key: asked.name.clone(), value: text });
            }
            let wrong = find_problems_at(schema, view, &members, &asked.name).await?;
            if wrong.is_empty() {
                break;
            }
            members.truncate(count);
            print_mistakes(output, &wrong);
        }
    }
    ask_optional_members(output, schema, view, &mut members).await?;
    Ok(if members.is_empty() { Given::Nothing } else { Given::Members(members) })
}

fn to_members(given: Given) -> Result<Vec<TypedArgument>, Fault> {
    Ok(match given {
        Given::Nothing => Vec::new(),
        Given::Members(members) => members,
        Given::Object(object) => {
            let members: serde_json::Map<String, Value> =
                serde_json::from_str(object.get()).map_err(anyhow::Error::from)?;
            let json = |(key, value): (String, Value)| TypedArgument::Json { key, value: value.to_string() };
            members.into_iter().map(json).collect()
        }
    })
}

fn build_object(members: &[TypedArgument], schema: SchemaView<'_>) -> Result<Value, Fault> {
    let text =
        object_of(members, Some(schema)).map_err(|error| Fault::usage(error.message).next(error.next))?;
    Ok(serde_json::from_str(&text).map_err(anyhow::Error::from)?)
}

/// The names of a schema's required members, as they are typed: `contact.name`.
pub fn needed_names(schema: SchemaView<'_>) -> Vec<String> {
    find_all_lacking(schema, &Value::Null).into_iter().map(|asked| asked.name).collect()
}

/// Questions for the required members that a value lacks, in the order of the schema, including nested ones.
fn find_all_lacking(schema: SchemaView<'_>, value: &Value) -> Vec<Question> {
    let mut found = Vec::new();
    find_lacking(schema, Some(value), "", &mut found);
    found
}

fn find_lacking(schema: SchemaView<'_>, value: Option<&Value>, before: &str, found: &mut Vec<Question>) {
    for Property { name, schema, required } in schema.properties() {
        let inside = value.and_then(|value| value.get(name));
        let key = format!("{before}{name}");
        let is_lacking = required && inside.is_none();
        let count = found.len();
        if !schema.properties().is_empty()
            && before.matches('.').count() < crate::schema::DEEPEST
            && (required || inside.is_some())
        {
            find_lacking(schema, inside, &format!("{key}."), found);
        }
        if is_lacking && found.len() == count {
            found.push(build_question(key, schema));
        }
    }
    let named = |name: &str| schema.properties().iter().any(|member| member.name == name);
    for name in schema.required().into_iter().filter(|name| !named(name)) {
        if value.is_none_or(|value| value.get(name).is_none()) {
            found.push(Question { name: format!("{before}{name}"), ..Question::default() });
        }
    }
}

fn build_question(name: String, schema: SchemaView<'_>) -> Question {
    let about = schema.description().unwrap_or_default().lines().next().unwrap_or_default().to_owned();
    let is_list = schema.types().contains(&"array");
    Question { name, takes: describe_values(schema), about, values: values(schema), is_list }
}

/// The values that a schema allows, as they are typed. Empty if it doesn't list them. For a list, the values
/// of an item.
pub fn values(schema: SchemaView<'_>) -> Vec<String> {
    if schema.choices().is_empty() && schema.types() == ["boolean"] {
        return ["true", "false"].map(str::to_owned).to_vec();
    }
    let choices = schema.items().map_or_else(|| schema.choices(), SchemaView::choices);
    let choices = choices.into_iter().filter_map(|value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    choices.collect()
}

/// Asks for all values of an argument. For a list, these are the values up to an empty line.
fn ask_values(output: Output, asked: &Question) -> Result<Vec<String>, Fault> {
    let propose = |_: &str| Vec::new();
    let mut texts = vec![ask_value(output, asked, &propose)?];
    if !asked.is_list {
        return Ok(texts);
    }
    loop {
        match read_line_with_completion(
            &format!("{}, or Enter: ", escape_line(&asked.name)),
            &asked.values,
            &propose,
        )? {
            text if text.is_empty() => return Ok(texts),
            text => texts.push(text),
        }
    }
}

/// Asks for a value until the person enters one.
fn ask_value(
    output: Output,
    asked: &Question,
    proposed: &dyn Fn(&str) -> Vec<String>,
) -> Result<String, Fault> {
    let Question { name, takes, about, values, .. } = asked;
    let name = escape_line(name);
    if !about.is_empty() {
        output.note(&output.error_tone(TextStyle::Quiet, &escape_line(about)));
    }
    let takes = if takes.is_empty() { String::new() } else { format!(" ({})", escape_line(takes)) };
    loop {
        match read_line_with_completion(&format!("{name}{takes}: "), values, proposed)? {
            text if text.is_empty() => output.note(&format!("{name} is needed. For an empty text: \"\"")),
            text if text == "\"\"" => return Ok(String::new()),
            text => return Ok(text),
        }
    }
}

/// Lets the person add optional members, typed as on the command line.
async fn ask_optional_members(
    output: Output,
    schema: &RawValue,
    view: SchemaView<'_>,
    members: &mut Vec<TypedArgument>,
) -> Result<(), Fault> {
    loop {
        let present = build_object(members, view)?;
        let left: Vec<Property<'_>> =
            view.properties().into_iter().filter(|member| present.get(member.name).is_none()).collect();
        if left.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = left.iter().map(|member| member.name).collect();
        let line = format!("Also taken: {}. Add one as name=value, or press Enter.", names.join(", "));
        output.note(&output.error_tone(TextStyle::Quiet, &escape_line(&line)));
        let propose = |typed: &str| propose_member(&left, typed);
        let _ending = end_when_asked();
        let text = match LineEditor::new(Box::new(propose), None)?.read("> ")? {
            Line::Typed(text) if text.trim().is_empty() => return Ok(()),
            Line::Typed(text) => text,
            Line::Interrupted | Line::Ended => return Err(Fault::interrupted()),
        };
        let Some(words) = shlex::split(&text) else {
            output.note("A quotation mark isn’t closed.");
            continue;
        };
        let added = match Arguments::read(&words, read_text) {
            Ok(Arguments::Members(added)) => added,
            Ok(_) => {
                output.note(ARGUMENT_FORMS);
                continue;
            }
            Err(mistake) => {
                output.note(&escape_line(&format!("{}. {}", mistake.message, mistake.next)));
                continue;
            }
        };
        let count = members.len();
        members.extend(added);
        let mut wrong = Vec::new();
        for member in members.get(count..).unwrap_or_default() {
            let (TypedArgument::Text { key, .. } | TypedArgument::Json { key, .. }) = member;
            wrong.extend(find_problems_at(schema, view, members, key).await?);
        }
        if !wrong.is_empty() {
            members.truncate(count);
            print_mistakes(output, &wrong);
        }
    }
}

/// Proposes names of members, and a member's values after its `=`.
fn propose_member(left: &[Property<'_>], typed: &str) -> (usize, Vec<Proposal>) {
    let start = typed.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let word = &typed[start..];
    let plain = |value: String| Proposal { value, about: String::new() };
    if let Some((name, begun)) = word.split_once('=') {
        let member = left.iter().find(|member| member.name == name);
        let values = member.map(|member| values(member.schema)).unwrap_or_default().into_iter();
        let fitting = values.filter(|value| value.starts_with(begun)).map(plain).collect();
        return (start + name.len() + 1, fitting);
    }
    let fitting = left.iter().filter(|member| member.name.starts_with(word));
    (start, fitting.map(|member| plain(format!("{}=", member.name))).collect())
}

/// The problems of the argument with this name and of its members, as sentences.
async fn find_problems_at(
    schema: &RawValue,
    view: SchemaView<'_>,
    members: &[TypedArgument],
    key: &str,
) -> Result<Vec<String>, Fault> {
    let value = match build_object(members, view) {
        Ok(value) => value,
        Err(fault) => return Ok(vec![fault.message]),
    };
    let check = check_value(schema.get().to_owned(), value.to_string(), BTreeMap::new()).await;
    let pointer = pointer_of(key, view);
    let is_here = |found: &&SchemaProblem| {
        found.at == pointer || found.at.strip_prefix(&pointer).is_some_and(|rest| rest.starts_with('/'))
    };
    Ok(check.problems.iter().filter(is_here).map(|found| problem(view, found)).collect())
}

fn print_mistakes(output: Output, wrong: &[String]) {
    for wrong in wrong {
        output.note(&output.error_tone(TextStyle::Bad, &escape_line(wrong)));
    }
}

/// Reads a line. Ctrl-C and Ctrl-D end the command.
fn read_line_with_completion(
    prompt: &str,
    values: &[String],
    proposed: &dyn Fn(&str) -> Vec<String>,
) -> Result<String, Fault> {
    let propose = |begun: &str| {
        let known = values.iter().filter(|value| value.starts_with(begun)).cloned();
        let found: Vec<String> = if values.is_empty() { proposed(begun) } else { known.collect() };
        (0, found.into_iter().map(|value| Proposal { value, about: String::new() }).collect())
    };
    let _ending = end_when_asked();
    match LineEditor::new(Box::new(propose), None)?.read(prompt)? {
        Line::Typed(text) => Ok(text.trim().to_owned()),
        Line::Interrupted | Line::Ended => Err(Fault::interrupted()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_lacks_is_asked_member_by_member() {
        let schema = json!({
            "required": ["kind", "contact", "tags", "free", "unnamed"],
            "properties": {
                "kind": { "enum": ["small", "large"] },
                "contact": { "required": ["name"], "properties": {
                    "name": { "type": "string", "description": "Who\nto ask" }, "phone": { "type": "string" },
                } },
                "tags": { "type": "array", "items": { "type": "string" } },
                "note": { "type": "string" },
                "place": { "required": ["city"], "properties": { "city": {} } },
                "free": { "type": "object", "properties": { "any": {} } },
            },
        });
        let names = |value: Value| -> Vec<String> {
            find_all_lacking(SchemaView::new(&schema), &value).into_iter().map(|asked| asked.name).collect()
        };
        assert_eq!(names(json!({})), ["kind", "contact.name", "tags", "free", "unnamed"]);
        assert_eq!(
            names(
                json!({ "kind": "small", "contact": { "phone": "1" }, "tags": [], "free": {}, "unnamed": 1 })
            ),
            ["contact.name"]
        );
        assert_eq!(
            names(
                json!({ "kind": 1, "contact": { "name": "a" }, "tags": [], "place": {}, "free": {}, "unnamed": 1 })
            ),
            ["place.city"]
        );
        let first = &find_all_lacking(SchemaView::new(&schema), &json!({}))[0];
        assert_eq!(
            (&*first.takes, &*first.values),
            ("small | large", &["small", "large"].map(str::to_owned)[..])
        );
    }

    #[test]
    fn members_and_their_values_are_proposed() {
        let schema = json!({ "properties": { "kind": { "enum": ["small", "large"] }, "note": {} } });
        let left = SchemaView::new(&schema).properties();
        let found = |typed: &str| {
            let (at, found) = propose_member(&left, typed);
            (at, found.into_iter().map(|found| found.value).collect::<Vec<_>>())
        };
        assert_eq!(found(""), (0, vec!["kind=".to_owned(), "note=".to_owned()]));
        assert_eq!(found("note=a ki"), (7, vec!["kind=".to_owned()]));
        assert_eq!(found("kind=l"), (5, vec!["large".to_owned()]));
    }
}
