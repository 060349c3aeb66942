//! Arguments as people type them: `key=value`, `key:=json`, `key=@file`, `a.b=1` for members of members, the same key
//! again for a list; or one JSON object, `@FILE`, or `-` for standard input.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::schema::SchemaView;

/// The source of a whole object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A text on the command line.
    Here(String),
    /// The path of a file.
    File(String),
    /// `-`.
    StandardInput,
}

/// One argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedArgument {
    /// `key=value`, or `key=@file` with the file's content: a string, or the value that the schema requires.
    Text {
        /// The member, or the way to it.
        key: String,
        /// The value as it was typed.
        value: String,
    },
    /// `key:=json`.
    Json {
        /// The member, or the way to it.
        key: String,
        /// The JSON text.
        value: String,
    },
}

/// All that was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arguments {
    /// No value.
    None,
    /// One JSON object, to the byte.
    Whole(Source),
    /// Members of the object, in the order in which they were typed.
    Members(Vec<TypedArgument>),
}

/// Why typed arguments can't be used, and what to type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedMistake {
    /// What is wrong.
    pub message: String,
    /// What to type instead.
    pub next: String,
}

fn mistake<T>(message: impl Into<String>, next: impl Into<String>) -> Result<T, TypedMistake> {
    Err(TypedMistake { message: message.into(), next: next.into() })
}

/// The forms of arguments, for error messages.
pub const ARGUMENT_FORMS: &str =
    r#"Write arguments as name=value, as name:=JSON, or as one JSON object: '{"name":"value"}'."#;

impl Arguments {
    /// Reads words. `file` gives the content of a file that one of them names, or why it can't be read.
    pub fn read(
        words: &[String],
        mut file: impl FnMut(&str) -> Result<String, String>,
    ) -> Result<Self, TypedMistake> {
        match words {
            [] => return Ok(Self::None),
            [word] if word == "-" => return Ok(Self::Whole(Source::StandardInput)),
            [word] if word.starts_with('@') => return Ok(Self::Whole(Source::File(word[1..].to_owned()))),
            [word] if is_json(word) => return Ok(Self::Whole(Source::Here(word.clone()))),
            _ => {}
        }
        let next = words.iter().skip(1).map(Some).chain([None]);
        let members = words.iter().zip(next).map(|(word, next)| member(word, next, &mut file));
        members.collect::<Result<_, _>>().map(Self::Members)
    }
}

/// Whether a word is meant as JSON. If it is invalid, parsing it reports the error.
fn is_json(word: &str) -> bool {
    word.trim_start().starts_with(['{', '[', '"']) || serde_json::from_str::<&RawValue>(word).is_ok()
}

fn member(
    word: &str,
    next: Option<&String>,
    file: &mut impl FnMut(&str) -> Result<String, String>,
) -> Result<TypedArgument, TypedMistake> {
    if let Some(option) = word.strip_prefix("--") {
        let apart = next.filter(|next| !next.starts_with('-')).map_or("VALUE", String::as_str);
        let (key, value) = option.split_once('=').unwrap_or((option, apart));
        return mistake(
            format!("there is no option {}", word.split('=').next().unwrap_or(word)),
            format!("An argument of the tool is written without dashes: {key}={value}"),
        );
    }
    let Some((key, value)) = word.split_once('=').filter(|(key, _)| !key.is_empty()) else {
        if word.starts_with(['{', '[']) {
            return mistake("a JSON object stands alone", ARGUMENT_FORMS);
        }
        // The notation of other programs.
        return match word.split_once(':') {
            Some((key, value)) if !key.is_empty() && !value.is_empty() => mistake(
                format!("not an argument: {word}"),
                format!("Write it with an equals sign: {key}={value}"),
            ),
            _ => mistake(format!("not an argument: {word}"), ARGUMENT_FORMS),
        };
    };
    let (key, value) = match (key.strip_suffix(':'), value.strip_prefix('@')) {
        (Some(""), _) => return mistake(format!("not an argument: {word}"), ARGUMENT_FORMS),
        (Some(key), _) => {
            return match serde_json::from_str::<&RawValue>(value) {
                Ok(_) => Ok(TypedArgument::Json { key: key.to_owned(), value: value.to_owned() }),
                Err(error) => {
                    mistake(format!("not JSON: {key}: {error}"), format!("For a text: {key}={value}"))
                }
            };
        }
        (None, Some(path)) if !path.is_empty() => match file(path) {
            Ok(text) => (key, text),
            Err(why) => return mistake(why, format!("For a text that begins with @: {key}:='\"@{path}\"'")),
        },
        (None, _) => (key, value.to_owned()),
    };
    Ok(TypedArgument::Text { key: key.to_owned(), value })
}

/// A JSON value that is being built. Numbers and strings keep their spelling.
#[derive(Debug)]
enum Node {
    Raw(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Node {
    fn text(text: &str) -> Self {
        Self::Raw(Value::from(text).to_string())
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Raw(raw) => out.push_str(raw),
            Self::List(items) => {
                out.push('[');
                for (number, item) in items.iter().enumerate() {
                    out.push_str(if number == 0 { "" } else { "," });
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (number, (key, member)) in members.iter().enumerate() {
                    out.push_str(if number == 0 { "" } else { "," });
                    out.push_str(&Value::from(key.as_str()).to_string());
                    out.push(':');
                    member.write(out);
                }
                out.push('}');
            }
        }
    }
}

/// Builds a JSON object from members, with the types of the schema.
pub fn object_of(members: &[TypedArgument], schema: Option<SchemaView<'_>>) -> Result<String, TypedMistake> {
    let mut root = Vec::new();
    for typed in members {
        let (TypedArgument::Text { key, value } | TypedArgument::Json { key, value }) = typed;
        let path = path_of(key, schema);
        let place = path.iter().try_fold(schema, |at, step| Some(at?.property(step))).flatten();
        let is_json = matches!(typed, TypedArgument::Json { .. });
        let node = if is_json { Node::Raw(value.clone()) } else { by_schema(value, place) };
        let is_list = !is_json && place.is_some_and(|place| place.types().contains(&"array"));
        put(&mut root, &path, node, is_list, key)?;
    }
    let mut out = String::new();
    Node::Object(root).write(&mut out);
    Ok(out)
}

/// The place in the arguments that a key leads to, as a JSON Pointer (RFC 6901).
pub fn pointer_of(key: &str, schema: SchemaView<'_>) -> String {
    let steps = path_of(key, Some(schema)).into_iter();
    steps.fold(String::new(), |pointer, step| pointer + "/" + &step.replace('~', "~0").replace('/', "~1"))
}

/// The members that a key leads through. A member whose name has a dot is itself.
fn path_of<'k>(key: &'k str, schema: Option<SchemaView<'_>>) -> Vec<&'k str> {
    let named = schema.is_some_and(|schema| schema.properties().iter().any(|member| member.name == key));
    if named || key.split('.').any(str::is_empty) { vec![key] } else { key.split('.').collect() }
}

/// A text as the schema requires it: unchanged if the schema allows a string, otherwise parsed as JSON.
fn by_schema(text: &str, schema: Option<SchemaView<'_>>) -> Node {
    let Some(schema) = schema else { return Node::text(text) };
    let mut types = schema.types();
    if types.is_empty() {
        types = schema.choices().into_iter().map(type_name).collect();
    }
    if types.is_empty() || types.contains(&"string") {
        return Node::text(text);
    }
    let trimmed = text.trim();
    if let Ok(value) = serde_json::from_str::<Value>(trimmed) {
        let is_whole = value.is_number() && types.contains(&"integer");
        if is_whole || types.contains(&type_name(&value)) {
            return Node::Raw(trimmed.to_owned());
        }
    }
    match schema.items().filter(|_| types.contains(&"array")) {
        Some(items) => by_schema(text, Some(items)),
        // It is invalid, and validation reports that in the schema's words.
        None => Node::text(text),
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn put(
    members: &mut Vec<(String, Node)>,
    path: &[&str],
    node: Node,
    is_list: bool,
    key: &str,
) -> Result<(), TypedMistake> {
    let Some((first, rest)) = path.split_first() else { return Ok(()) };
    let known = members.iter().position(|(name, _)| name == first);
    if !rest.is_empty() {
        let at = known.unwrap_or_else(|| {
            members.push(((*first).to_owned(), Node::Object(Vec::new())));
            members.len() - 1
        });
        let Node::Object(inside) = &mut members[at].1 else {
            return mistake(
                format!("{key} is a member of {first}, which is given as a value"),
                ARGUMENT_FORMS,
            );
        };
        return put(inside, rest, node, is_list, key);
    }
    match (known, is_list) {
        // A list that was typed as a whole is not extended.
        (None, true) if !matches!(&node, Node::Raw(raw) if raw.starts_with('[')) => {
            members.push(((*first).to_owned(), Node::List(vec![node])));
        }
        (None, _) => members.push(((*first).to_owned(), node)),
        (Some(at), _) => {
            let before = &mut members[at].1;
            match before {
                Node::List(items) => items.push(node),
                Node::Object(_) => {
                    return mistake(format!("{key} is given as a value and by its members"), ARGUMENT_FORMS);
                }
                Node::Raw(raw) => {
                    let first = Node::Raw(std::mem::take(raw));
                    *before = Node::List(vec![first, node]);
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn build(typed: &[&str], schema: &Value) -> String {
        let read = Arguments::read(&words(typed), |path| Ok(format!("content of {path}")));
        let Arguments::Members(members) = read.unwrap() else { panic!("{typed:?}") };
        object_of(&members, Some(SchemaView::new(schema))).unwrap()
    }

    fn refused(typed: &[&str]) -> TypedMistake {
        match Arguments::read(&words(typed), |_| Ok(String::new())) {
            Ok(Arguments::Members(members)) => object_of(&members, None).unwrap_err(),
            other => other.unwrap_err(),
        }
    }

    #[test]
    fn a_value_becomes_what_the_schema_wants() {
        let schema = json!({ "properties": {
            "text": { "type": "string" }, "count": { "type": "integer" }, "share": { "type": "number" },
            "on": { "type": "boolean" }, "tags": { "type": "array", "items": { "type": "string" } },
            "ids": { "type": "array", "items": { "type": "integer" } }, "any": {},
            "place": { "type": "object", "properties": { "zip": { "type": "string" }, "floor": { "type": "integer" } } },
            "maybe": { "anyOf": [{ "type": "integer" }, { "type": "null" }] }, "a.b": { "type": "integer" },
            "level": { "enum": [1, 2] },
        } });
        for (typed, expected) in [
            (&["text=7", "count=7"][..], r#"{"text":"7","count":7}"#),
            (
                &["count=12345678901234567890123", "share=1.10"],
                r#"{"count":12345678901234567890123,"share":1.10}"#,
            ),
            (&["on=true", "any=true"], r#"{"on":true,"any":"true"}"#),
            (&["tags=a"], r#"{"tags":["a"]}"#),
            (&["tags=a", "tags=b c"], r#"{"tags":["a","b c"]}"#),
            (&[r#"tags=["x"]"#], r#"{"tags":["x"]}"#),
            (&["ids=1", "ids=2"], r#"{"ids":[1,2]}"#),
            (&["place.zip=01234", "place.floor=3"], r#"{"place":{"zip":"01234","floor":3}}"#),
            (&["a.b=1"], r#"{"a.b":1}"#),
            (&["maybe=null", "level=2"], r#"{"maybe":null,"level":2}"#),
            (&["text=a=b", "text2="], r#"{"text":"a=b","text2":""}"#),
            (&["text:=7", "other:={\"x\": 1.0}"], r#"{"text":7,"other":{"x": 1.0}}"#),
            (&["text=@notes.md"], r#"{"text":"content of notes.md"}"#),
            // What doesn't fit goes on as it is, for the check to say so.
            (&["count=many"], r#"{"count":"many"}"#),
            (&["new=1", "new=2"], r#"{"new":["1","2"]}"#),
        ] {
            assert_eq!(build(typed, &schema), expected, "{typed:?}");
        }
    }

    #[test]
    fn one_object_stays_as_it_was_typed() {
        let whole = |text: &str| Arguments::read(&words(&[text]), |_| Ok(String::new())).unwrap();
        assert_eq!(whole(r#" {"a": 1.0}"#), Arguments::Whole(Source::Here(r#" {"a": 1.0}"#.to_owned())));
        assert_eq!(whole("@args.json"), Arguments::Whole(Source::File("args.json".to_owned())));
        assert_eq!(whole("-"), Arguments::Whole(Source::StandardInput));
        assert_eq!(Arguments::read(&[], |_| Ok(String::new())).unwrap(), Arguments::None);
    }

    #[test]
    fn a_mistake_says_what_to_type() {
        for (typed, next) in [
            (&["--message=hi"][..], "message=hi"),
            (&["--message", "hi"], "message=hi"),
            (&["--message"], "message=VALUE"),
            (&["message:hi"], "message=hi"),
            (&["hello"], "name=value"),
            (&["{}", "a=1"], "name=value"),
            (&["a:=tru"], "a=tru"),
            (&["a=1", "a.b=2"], "name=value"),
            (&["a.b=2", "a=1"], "name=value"),
        ] {
            let mistake = refused(typed);
            assert!(mistake.next.contains(next), "{typed:?}: {mistake:?}");
        }
    }
}
