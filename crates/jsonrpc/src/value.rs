//! Parses JSON of any message into a value. `serde_json` stops at 128 levels, but messages may be deeper.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use crate::walk::count;

/// After this many levels a new parser continues, whose own count of levels starts at zero.
const STRETCH: usize = 100;
/// The most levels of a value. Parsing, comparing, printing and dropping a value recurse once per level. A
/// message adds a few levels around its content.
const MAX_DEPTH: usize = 512;

/// Parses a JSON text with up to 512 levels. The last of two members with one name counts.
pub fn read_value(json: &str) -> Result<Value, serde_json::Error> {
    read(json, ValueVisitor { depth: 0, repeated: None })
}

/// Why [`read_unique`] refuses a text.
#[derive(Debug)]
pub enum ReadUniqueError {
    /// An object contains this name twice, with any escapes.
    Repeated(String),
    /// The text isn't JSON, or is too deep.
    NotJson(serde_json::Error),
}

/// Parses a JSON text with up to 512 levels and refuses repeated names. If the text itself is passed on,
/// another program could use the first of two members.
pub fn read_unique(json: &str) -> Result<Value, ReadUniqueError> {
    let repeated = RefCell::new(None);
    let read = read(json, ValueVisitor { depth: 0, repeated: Some(&repeated) });
    match repeated.into_inner() {
        Some(name) => Err(ReadUniqueError::Repeated(name)),
        None => read.map_err(ReadUniqueError::NotJson),
    }
}

fn read(json: &str, visitor: ValueVisitor<'_>) -> Result<Value, serde_json::Error> {
    count(json.len());
    let mut parser = serde_json::Deserializer::from_str(json);
    let value = parser.deserialize_any(visitor)?;
    parser.end()?;
    Ok(value)
}

/// Builds a value at this depth.
#[derive(Clone, Copy)]
struct ValueVisitor<'a> {
    depth: usize,
    /// Receives a repeated name. `None` if repeated names are allowed.
    repeated: Option<&'a RefCell<Option<String>>>,
}

impl ValueVisitor<'_> {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        let depth = self.depth + 1;
        if depth > MAX_DEPTH {
            Err(E::custom(format_args!("more than {MAX_DEPTH} levels")))
        } else {
            Ok(Self { depth, ..self })
        }
    }
}

impl<'de> DeserializeSeed<'de> for ValueVisitor<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<Value, D::Error> {
        if self.depth.is_multiple_of(STRETCH) {
            let text: &RawValue = serde::Deserialize::deserialize(parser)?;
            return read(text.get(), self).map_err(D::Error::custom);
        }
        parser.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueVisitor<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let below = self.deeper()?;
        let mut array = Vec::new();
        while let Some(element) = elements.next_element_seed(below)? {
            array.push(element);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let below = self.deeper()?;
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if let Some(repeated) = self.repeated.filter(|_| object.contains_key(&name)) {
                repeated.replace(Some(name));
                return Err(A::Error::custom("a name appears twice"));
            }
            object.insert(name, members.next_value_seed(below)?);
        }
        Ok(Value::Object(object))
    }
}

/// Parses a server's JSON leniently: a lone surrogate (half of an emoji that JavaScript cut) becomes U+FFFD, and a
/// number outside the range of a float becomes a string.
pub fn parse_lenient(json: &str) -> Option<Value> {
    read_value(json).or_else(|_| read_value(&replace_unparsable(json))).ok()
}

fn replace_unparsable(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + 16);
    let mut rest = json;
    let mut in_text = false;
    while let Some(character) = rest.chars().next() {
        let length = match character {
            '"' => {
                in_text = !in_text;
                1
            }
            '\\' if in_text => match rest.get(2..6).filter(|_| rest.starts_with("\\u")).and_then(unit) {
                Some(0xd800..=0xdbff) if rest.get(6..).and_then(low_surrogate).is_some() => 12,
                Some(0xd800..=0xdfff) => {
                    out.push('\u{fffd}');
                    rest = rest.get(6..).unwrap_or_default();
                    continue;
                }
                _ => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            },
            '-' | '0'..='9' if !in_text => {
                let end = rest.find(|sign: char| !matches!(sign, '0'..='9' | '+' | '-' | '.' | 'e' | 'E'));
                let digits = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
                if digits.parse().is_ok_and(f64::is_infinite) {
                    out.extend(["\"", digits, "\""]);
                    rest = rest.get(digits.len()..).unwrap_or_default();
                    continue;
                }
                digits.len()
            }
            other => other.len_utf8(),
        };
        let (line, left) = rest.split_at_checked(length).unwrap_or((rest, ""));
        out.push_str(line);
        rest = left;
    }
    out
}

/// Parses four hexadecimal digits.
fn unit(digits: &str) -> Option<u16> {
    u16::from_str_radix(digits, 16).ok()
}

/// The low surrogate in an escape at the start.
fn low_surrogate(escape: &str) -> Option<u16> {
    let digits = escape.strip_prefix("\\u")?.get(..4)?;
    unit(digits).filter(|unit| (0xdc00..=0xdfff).contains(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_what_serde_json_makes_of_it() {
        let text = r#" {"b":[1,-2,1.5e3,18446744073709551615,true,null,"a\n\"é"],"a":{},"b":[[]]} "#;
        assert_eq!(read_value(text).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        for broken in ["", "{", "[1,]", "{}{}", "NaN", r#"{"a" 1}"#] {
            assert!(read_value(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn a_value_is_read_up_to_512_levels_and_refused_one_above() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for depth in [1, 99, 100, 101, 128, 199, 200, 256, 512] {
            let text = nested(depth);
            assert_eq!(read_value(&text).unwrap().to_string(), text, "{depth}");
        }
        let refused = read_value(&nested(513)).unwrap_err().to_string();
        assert!(refused.starts_with("more than 512 levels"), "{refused}");
    }

    #[test]
    fn a_name_that_is_there_twice_is_refused_where_it_matters() {
        for text in ["{}", r#"{"a":1,"b":[true,{"a":{"a":2}}]}"#, r#"{"a":{"c":1},"b":{"c":2}}"#] {
            assert_eq!(read_unique(text).unwrap(), read_value(text).unwrap(), "{text}");
        }
        let deep = format!("{}{}{}", "[".repeat(150), r#"{"mode":1,"mod\u0065":1}"#, "]".repeat(150));
        for text in [r#"{"mode":1,"mode":1}"#, r#"{"a":[{"b":{"mode":1,"\u006dode":1}}]}"#, &deep] {
            assert!(
                matches!(read_unique(text), Err(ReadUniqueError::Repeated(name)) if name == "mode"),
                "{text}"
            );
            assert!(read_value(text).is_ok(), "{text}");
        }
        for text in ["{", "{} {}", r#"{"a":1e999}"#, r#"{"a":"\ud800"}"#] {
            assert!(matches!(read_unique(text), Err(ReadUniqueError::NotJson(_))), "{text}");
        }
    }

    #[test]
    fn what_no_text_or_float_can_hold_is_read_all_the_same() {
        let read = parse_lenient(
            r#"{"a":"cut \ud83d","b":"\udc00\ud83d\ude00\\\ud83dx","c":[1e999,-1e999,1.5],"d":"1e999","é":"日\""}"#,
        );
        let expected = serde_json::json!({
            "a": "cut \u{fffd}", "b": "\u{fffd}😀\\\u{fffd}x", "c": ["1e999", "-1e999", 1.5], "d": "1e999", "é": "日\""
        });
        assert_eq!(read, Some(expected));
        for broken in ["", "{", "\"\\", "\"\\u", "\"\\ud8", "{\"a\":}", "\"é\\ud83d"] {
            assert_eq!(parse_lenient(broken), None, "{broken}");
        }
    }
}
