//! Reads the members of a manifest, and notes those that are missing or have a wrong type.

use serde_json::{Map, Value};

/// The members that couldn't be read, by their paths.
#[derive(Debug, Default)]
pub(super) struct Problems {
    pub(super) missing: Vec<String>,
    pub(super) wrong: Vec<String>,
}

impl Problems {
    /// A text that has to be there.
    pub(super) fn required_text(&mut self, value: Option<&Value>, path: &str) -> String {
        match value {
            Some(Value::String(text)) if !text.trim().is_empty() => text.trim().to_owned(),
            None | Some(Value::Null | Value::String(_)) => {
                self.missing.push(path.to_owned());
                String::new()
            }
            Some(_) => {
                self.wrong.push(path.to_owned());
                String::new()
            }
        }
    }

    /// A list of texts. Numbers and booleans are read as texts.
    pub(super) fn texts(&mut self, value: &Value, path: &str) -> Vec<String> {
        let texts = value.as_array().and_then(|items| items.iter().map(plain_text).collect());
        texts.unwrap_or_else(|| {
            self.wrong.push(path.to_owned());
            Vec::new()
        })
    }

    /// Texts by name. Members without a value are left out.
    pub(super) fn named_texts(&mut self, value: &Value, path: &str) -> Vec<(String, String)> {
        let Some(members) = value.as_object() else {
            self.wrong.push(path.to_owned());
            return Vec::new();
        };
        let mut texts = Vec::new();
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            match plain_text(value) {
                Some(text) => texts.push((name.clone(), text)),
                None => self.wrong.push(format!("{path}.{name}")),
            }
        }
        texts
    }
}

/// The member with this name, unless it is null.
pub(super) fn member<'a>(object: Option<&'a Map<String, Value>>, name: &str) -> Option<&'a Value> {
    object?.get(name).filter(|value| !value.is_null())
}

/// A text that may be missing. Other types count as missing, because nothing depends on it.
pub(super) fn optional_text(object: Option<&Map<String, Value>>, name: &str) -> Option<String> {
    let text = member(object, name)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

pub(super) fn optional_flag(object: Option<&Map<String, Value>>, name: &str) -> bool {
    member(object, name).and_then(Value::as_bool).unwrap_or(false)
}

/// A text, a number or a boolean as text.
pub(super) fn plain_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(is_on) => Some(is_on.to_string()),
        _ => None,
    }
}
