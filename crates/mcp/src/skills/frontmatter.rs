//! The frontmatter of a `SKILL.md`, compared with the skill's entry. It is limited YAML without aliases.

use mooring_words::{Sentence, say};
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use serde_json::{Map, Number, Value};

/// The longest frontmatter in bytes.
const LONGEST: usize = 64 * 1024;
/// The most levels of nesting.
const DEEPEST: usize = 16;
/// The tag that makes any scalar a string.
const TEXT: &str = "tag:yaml.org,2002:str";

/// A container that is being parsed. A mapping also has the key whose value comes next.
enum YamlContainer {
    Sequence(Vec<Value>),
    Mapping(Map<String, Value>, Option<String>),
}

/// Compares the frontmatter of `document` with `stated`, the JSON object in the skill's entry.
pub(super) fn verify_frontmatter(document: &[u8], stated: &str) -> Result<(), Sentence> {
    let document = std::str::from_utf8(document).map_err(|_| say!("it isn’t UTF-8"))?;
    let written = parse_yaml(find_block(document)?)?;
    let stated: Value = serde_json::from_str(stated).map_err(|error| Sentence::quoted(error.to_string()))?;
    match find_difference(&written, &stated, "frontmatter") {
        None => Ok(()),
        Some(path) => Err(say!("its {path} is different", path)),
    }
}

/// Finds the text between the first line, which must be `---`, and the next such line.
fn find_block(document: &str) -> Result<&str, Sentence> {
    let document = document.strip_prefix('\u{feff}').unwrap_or(document);
    let start = ["---\n", "---\r\n"].iter().find_map(|fence| document.strip_prefix(fence));
    let text = start.ok_or_else(|| say!("it doesn’t begin with frontmatter"))?;
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return text
                .get(..length)
                .filter(|block| block.len() <= LONGEST)
                .ok_or_else(|| say!("its frontmatter is longer than {limit} bytes", limit = LONGEST));
        }
        length += line.len();
    }
    Err(say!("its frontmatter isn’t closed"))
}

/// Parses YAML into JSON by YAML 1.2's core schema. Refuses aliases: they expand a small text to a huge one.
fn parse_yaml(yaml: &str) -> Result<Value, Sentence> {
    let mut open: Vec<YamlContainer> = Vec::new();
    let mut whole = None;
    for event in Parser::new_from_str(yaml) {
        let (event, _) = event
            .map_err(|error| say!("its frontmatter isn’t YAML: {reason}", reason = error.to_string()))?;
        let value = match event {
            Event::Scalar(text, style, _, tag) => read_scalar(&text, style, tag.as_deref())?,
            Event::SequenceStart(_, None) => {
                open.push(YamlContainer::Sequence(Vec::new()));
                continue_within(open.len())?;
                continue;
            }
            Event::MappingStart(_, None) => {
                open.push(YamlContainer::Mapping(Map::new(), None));
                continue_within(open.len())?;
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(YamlContainer::Sequence(items)) => Value::Array(items),
                Some(YamlContainer::Mapping(members, None)) => Value::Object(members),
                _ => return Err(say!("its frontmatter isn’t YAML: a key has no value")),
            },
            Event::Alias(_) => return Err(say!("its frontmatter uses an alias")),
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                return Err(say!("its frontmatter uses a tag"));
            }
            Event::DocumentStart(_) if whole.is_some() => {
                return Err(say!("its frontmatter holds several documents"));
            }
            _ => continue,
        };
        match open.last_mut() {
            None => whole = Some(value),
            Some(YamlContainer::Sequence(items)) => items.push(value),
            Some(YamlContainer::Mapping(members, key @ None)) => match value {
                Value::Array(_) | Value::Object(_) => {
                    return Err(say!("a key of its frontmatter isn’t a string"));
                }
                Value::String(text) if members.contains_key(&text) => {
                    return Err(say!("its frontmatter has the key {key} twice", key = text));
                }
                Value::String(text) => *key = Some(text),
                other => *key = Some(other.to_string()),
            },
            Some(YamlContainer::Mapping(members, key)) => {
                members.extend(key.take().map(|key| (key, value)));
            }
        }
    }
    whole.filter(Value::is_object).ok_or_else(|| say!("its frontmatter isn’t a mapping"))
}

fn continue_within(depth: usize) -> Result<(), Sentence> {
    if depth <= DEEPEST {
        return Ok(());
    }
    Err(say!("its frontmatter is nested deeper than {limit} levels", limit = DEEPEST))
}

fn read_scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, Sentence> {
    let tag = tag.map(|tag| format!("{}{}", tag.handle, tag.suffix));
    match tag.as_deref() {
        None if style == ScalarStyle::Plain => Ok(read_plain_scalar(text)),
        None | Some(TEXT) => Ok(Value::from(text)),
        Some(_) => Err(say!("its frontmatter uses a tag")),
    }
}

fn read_plain_scalar(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let prefixed =
        |prefix, radix| text.strip_prefix(prefix).and_then(|digits| i64::from_str_radix(digits, radix).ok());
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let numeric = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && unsigned.contains(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E'));
    let number = if let Some(number) = prefixed("0o", 8).or_else(|| prefixed("0x", 16)) {
        Some(Number::from(number))
    } else if !numeric {
        None
    } else if let Ok(number) = text.parse::<i64>() {
        Some(number.into())
    } else {
        text.parse().ok().and_then(Number::from_f64)
    };
    number.map_or_else(|| Value::from(text), Value::Number)
}

/// Finds the path of the first difference between two values.
fn find_difference(left: &Value, right: &Value, path: &str) -> Option<String> {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            let missing = right.keys().find(|key| !left.contains_key(*key));
            missing.map(|key| format!("{path}.{key}")).or_else(|| {
                left.iter().find_map(|(key, value)| {
                    let path = format!("{path}.{key}");
                    right
                        .get(key)
                        .map_or_else(|| Some(path.clone()), |other| find_difference(value, other, &path))
                })
            })
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let mut pairs = left.iter().zip(right).enumerate();
            pairs.find_map(|(index, (left, right))| find_difference(left, right, &format!("{path}[{index}]")))
        }
        (Value::Number(left), Value::Number(right)) if left == right || left.as_f64() == right.as_f64() => {
            None
        }
        (left, right) => (left != right).then(|| path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verify_hash(document: &[u8], stated: &str) -> Result<(), String> {
        verify_frontmatter(document, stated).map_err(|odd| odd.to_string())
    }

    fn check(yaml: &str, stated: &str) -> Result<(), String> {
        verify_hash(format!("---\n{yaml}---\n# Body\n").as_bytes(), stated)
    }

    #[test]
    fn frontmatter_is_compared_field_by_field() {
        let yaml = "name: pdf\ndescription: >\n  Fill\n  forms\nmetadata:\n  version: \"1.10\"\n  parts: [1, 2.50, yes]\n  draft: false\nnothing:\n";
        let stated = r#"{"name":"pdf","description":"Fill forms\n","metadata":{"parts":[1,2.5,"yes"],"version":"1.10","draft":false},"nothing":null}"#;
        assert_eq!(check(yaml, stated), Ok(()));
        let other = |from: &str, to: &str| check(yaml, &stated.replace(from, to)).unwrap_err();
        assert_eq!(other("Fill", "Empty"), "its frontmatter.description is different");
        assert_eq!(other("2.5", "2.6"), "its frontmatter.metadata.parts[1] is different");
        assert_eq!(other("1.10", "1.1"), "its frontmatter.metadata.version is different");
        assert_eq!(other(",\"nothing\":null", ""), "its frontmatter.nothing is different");
        assert_eq!(other("\"name\"", "\"more\":1,\"name\""), "its frontmatter.more is different");
    }

    #[test]
    fn a_document_without_frontmatter_is_refused() {
        assert_eq!(verify_hash(b"# Title\n", "{}").unwrap_err(), "it doesn’t begin with frontmatter");
        assert_eq!(verify_hash(b"---\nname: x\n", "{}").unwrap_err(), "its frontmatter isn’t closed");
        assert_eq!(verify_hash(b"---\n\xff\n---\n", "{}").unwrap_err(), "it isn’t UTF-8");
        assert!(verify_hash(b"\xef\xbb\xbf---\r\nname: x\r\n---\r\n", r#"{"name":"x"}"#).is_ok());
    }

    #[test]
    fn what_makes_little_text_into_much_or_hides_a_type_is_refused() {
        let refused = |yaml: &str| check(yaml, "{}").unwrap_err();
        assert_eq!(refused("a: &a [1]\nb: [*a, *a]\n"), "its frontmatter uses an alias");
        assert_eq!(refused("a: !!python/object:os.system x\n"), "its frontmatter uses a tag");
        assert_eq!(refused("a: 1\na: 2\n"), "its frontmatter has the key a twice");
        assert_eq!(refused("- a\n"), "its frontmatter isn’t a mapping");
        let deep = |depth: usize| format!("a: {}1{}\n", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(refused(&deep(15)), "its frontmatter.a is different");
        assert_eq!(refused(&deep(16)), "its frontmatter is nested deeper than 16 levels");
    }

    #[test]
    fn frontmatter_is_accepted_up_to_the_limit() {
        let of = |length: usize| check(&format!("a: {}\n", "x".repeat(length - 4)), "{}").unwrap_err();
        assert_eq!(of(LONGEST), "its frontmatter.a is different");
        assert_eq!(of(LONGEST + 1), "its frontmatter is longer than 65536 bytes");
    }

    #[test]
    fn plain_scalars_follow_the_core_schema() {
        let read = |text: &str| read_plain_scalar(text).to_string();
        for (text, json) in
            [("0x1f", "31"), ("0o17", "15"), ("-7", "-7"), ("1e3", "1000.0"), (".5", "0.5"), ("+2", "2")]
        {
            assert_eq!(read(text), json, "{text}");
        }
        for text in ["1.2.3", "2025-01-01", "yes", "-", ".", "1e", "0b1", ".inf"] {
            assert_eq!(read(text), format!("{text:?}"), "{text}");
        }
    }
}
