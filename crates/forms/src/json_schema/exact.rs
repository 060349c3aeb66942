//! JSON values whose numbers keep every digit, in the form that the validation engine reads.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node, NodeIdentity, Object};
use mooring_jsonrpc::Members;
use serde_json::value::RawValue;
use serde_json::{Number, Value};

use crate::decimal::Decimal;

/// The most levels of nested values.
const MAX_DEPTH: usize = 100;
/// The most values.
const MAX_VALUES: usize = 200_000;
/// The most characters of a string that a problem quotes.
const MAX_SAMPLE_CHARS: usize = 100;

/// A JSON value. If two members have the same name, the last one counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum ExactValue {
    #[default]
    Null,
    Bool(bool),
    Number(NumberText),
    Text(String),
    List(Vec<Self>),
    Members(BTreeMap<String, Self>),
}

/// A number in its original spelling.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NumberText(String);

/// The text isn't JSON, is nested too deeply, or has too many values.
#[derive(Debug)]
pub(crate) struct Unreadable;

impl ExactValue {
    pub(crate) fn read(text: &str) -> Result<Self, Unreadable> {
        let mut left = MAX_VALUES;
        let raw: &RawValue = serde_json::from_str(text).map_err(|_| Unreadable)?;
        read_value(raw.get(), 0, &mut left)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Members(members) => members.get(name),
            _ => None,
        }
    }

    /// The names of the members.
    pub(crate) fn member_names(&self) -> impl Iterator<Item = &str> {
        let members = match self {
            Self::Members(members) => Some(members),
            _ => None,
        };
        members.into_iter().flat_map(|members| members.keys().map(String::as_str))
    }

    /// The item of a list at this index.
    pub(crate) fn item_at(&self, index: usize) -> Option<&Self> {
        match self {
            Self::List(items) => items.get(index),
            _ => None,
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }

    /// The value at a JSON Pointer (RFC 6901).
    pub(crate) fn find_at(&self, pointer: &str) -> Option<&Self> {
        let mut here = self;
        for step in pointer.split('/').skip(1) {
            here = match here {
                Self::Members(members) => members.get(&step.replace("~1", "/").replace("~0", "~"))?,
                Self::List(items) => items.get(step.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(here)
    }

    /// The items of a list. Any other value is a list of one.
    pub(crate) fn as_list(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            one => std::slice::from_ref(one),
        }
    }

    pub(crate) fn is_container(&self) -> bool {
        matches!(self, Self::List(_) | Self::Members(_))
    }

    /// A text that is the same for equal values. `1` and `1.0` are equal, and so are objects with another
    /// order of members (JSON Schema core, 4.2.2).
    pub(crate) fn equality_key(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Number(number) => {
                number.to_decimal().map_or_else(|| number.0.clone(), |decimal| decimal.unique_key())
            }
            Self::Text(text) => Value::from(text.as_str()).to_string(),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(Self::equality_key).collect();
                format!("[{}]", items.join(","))
            }
            Self::Members(members) => {
                let members: Vec<_> = members
                    .iter()
                    .map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), value.equality_key()))
                    .collect();
                format!("{{{}}}", members.join(","))
            }
        }
    }
}

/// The position of the first item that equals an earlier one.
pub(crate) fn find_duplicate(items: &[ExactValue]) -> Option<usize> {
    let mut seen = HashSet::new();
    items.iter().position(|item| !seen.insert(item.equality_key()))
}

fn read_value(text: &str, depth: usize, left: &mut usize) -> Result<ExactValue, Unreadable> {
    *left = left.checked_sub(1).ok_or(Unreadable)?;
    if depth > MAX_DEPTH {
        return Err(Unreadable);
    }
    Ok(match text.as_bytes().first() {
        Some(b'{') => {
            let members = Members::of(text);
            let members = members
                .into_iter()
                .map(|(name, value)| Ok((name.to_owned(), read_value(value, depth + 1, left)?)));
            ExactValue::Members(members.collect::<Result<_, _>>()?)
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = parse_json(text)?;
            ExactValue::List(
                items
                    .into_iter()
                    .map(|raw| read_value(raw.get(), depth + 1, left))
                    .collect::<Result<_, _>>()?,
            )
        }
        Some(b'"') => ExactValue::Text(parse_json(text)?),
        Some(b'-' | b'0'..=b'9') => ExactValue::Number(NumberText(text.to_owned())),
        _ => parse_json::<Option<bool>>(text)?.map_or(ExactValue::Null, ExactValue::Bool),
    })
}

fn parse_json<'a, T: serde::Deserialize<'a>>(text: &'a str) -> Result<T, Unreadable> {
    serde_json::from_str(text).map_err(|_| Unreadable)
}

impl From<&Value> for ExactValue {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(NumberText(number.to_string())),
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Value::Object(members) => {
                Self::Members(members.iter().map(|(name, value)| (name.clone(), Self::from(value))).collect())
            }
        }
    }
}

impl NumberText {
    pub(crate) fn as_text(&self) -> &str {
        &self.0
    }

    pub(crate) fn to_decimal(&self) -> Option<Decimal> {
        Decimal::parse(&self.0)
    }
}

/// Makes `ExactValue` the engine's representation of values.
pub(crate) struct ExactJson;

impl Json for ExactJson {
    type Node<'a> = &'a ExactValue;
    type PreparedKey = String;
    type StringBuffer = ExactValue;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(buffer: &mut ExactValue, string: &str, f: impl FnOnce(&ExactValue) -> T) -> T {
        *buffer = ExactValue::Text(string.to_owned());
        f(buffer)
    }
}

impl<'a> Node<'a, ExactJson> for &'a ExactValue {
    type Object = &'a BTreeMap<String, ExactValue>;
    type Array = &'a [ExactValue];
    type Number = &'a NumberText;

    fn as_object(&self) -> Option<Self::Object> {
        match self {
            ExactValue::Members(members) => Some(members),
            _ => None,
        }
    }

    fn as_array(&self) -> Option<Self::Array> {
        match self {
            ExactValue::List(items) => Some(items),
            _ => None,
        }
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        match self {
            ExactValue::Text(text) => Some(Cow::Borrowed(text)),
            _ => None,
        }
    }

    fn as_number(&self) -> Option<Self::Number> {
        match self {
            ExactValue::Number(number) => Some(number),
            _ => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        match self {
            ExactValue::Bool(value) => Some(*value),
            _ => None,
        }
    }

    fn is_null(&self) -> bool {
        matches!(self, ExactValue::Null)
    }

    fn json_type(&self) -> JsonType {
        match self {
            ExactValue::Null => JsonType::Null,
            ExactValue::Bool(_) => JsonType::Boolean,
            ExactValue::Number(_) => JsonType::Number,
            ExactValue::Text(_) => JsonType::String,
            ExactValue::List(_) => JsonType::Array,
            ExactValue::Members(_) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        self.equality_key() == ExactValue::from(expected).equality_key()
    }

    /// Returns only the parts of the value that a problem shows: its type, and the start of a string. Every
    /// problem has a copy.
    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(match self {
            ExactValue::Null => Value::Null,
            ExactValue::Bool(value) => Value::Bool(*value),
            ExactValue::Number(number) => Value::Number(number.to_number().into_owned()),
            ExactValue::Text(text) => Value::String(text.chars().take(MAX_SAMPLE_CHARS).collect()),
            ExactValue::List(_) => Value::Array(Vec::new()),
            ExactValue::Members(_) => Value::Object(serde_json::Map::new()),
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref::<ExactValue>(self) as usize))
    }
}

impl<'a> Object<'a, ExactJson> for &'a BTreeMap<String, ExactValue> {
    type Node = &'a ExactValue;
    type MemberName = &'a str;
    type MembersIter = MembersIter<'a>;

    fn len(&self) -> usize {
        BTreeMap::len(self)
    }

    fn get(&self, key: &String) -> Option<&'a ExactValue> {
        (*self).get(key)
    }

    fn members(&self) -> MembersIter<'a> {
        MembersIter(self.iter())
    }
}

pub(crate) struct MembersIter<'a>(std::collections::btree_map::Iter<'a, String, ExactValue>);

impl<'a> Iterator for MembersIter<'a> {
    type Item = (&'a str, &'a ExactValue);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, value)| (name.as_str(), value))
    }
}

impl<'a> Array<'a, ExactJson> for &'a [ExactValue] {
    type Node = &'a ExactValue;
    type ElementsIter = std::slice::Iter<'a, ExactValue>;

    fn len(&self) -> usize {
        <[ExactValue]>::len(self)
    }

    fn elements(&self) -> Self::ElementsIter {
        self.iter()
    }

    fn is_unique(&self) -> bool {
        find_duplicate(self).is_none()
    }
}

impl JsonNumber for &NumberText {
    fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    fn as_f64(&self) -> Option<f64> {
        self.0.parse().ok().filter(|number: &f64| number.is_finite())
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.0)
    }

    fn to_number(&self) -> Cow<'_, Number> {
        // This is not used for decisions, because numbers are compared by their digits.
        let nearest = || Number::from_f64(self.as_f64().unwrap_or(f64::MAX)).unwrap_or_else(|| 0.into());
        Cow::Owned(self.0.parse().unwrap_or_else(|_| nearest()))
    }

    fn is_integer(&self) -> bool {
        self.to_decimal().is_none_or(|decimal| decimal.is_whole())
    }

    fn is_written_as_integer(&self) -> bool {
        self.is_integer()
    }
}
