//! Writes JSON objects. Keys and strings are only encoded here, so that none can end its own string and
//! continue as JSON.

use crate::member::Member;
use crate::text::is_plain;

/// A JSON object, written member by member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonObject {
    /// The text without the closing brace.
    text: String,
}

impl Default for JsonObject {
    fn default() -> Self {
        Self { text: "{".to_owned() }
    }
}

impl JsonObject {
    /// An empty object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a string.
    #[must_use]
    pub fn text(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        push_text(&mut self.text, value);
        self
    }

    /// Adds an integer.
    #[must_use]
    pub fn number(mut self, key: &str, value: impl Into<i128>) -> Self {
        self.key(key);
        self.text.push_str(&value.into().to_string());
        self
    }

    /// Adds a boolean.
    #[must_use]
    pub fn flag(mut self, key: &str, value: bool) -> Self {
        self.key(key);
        self.text.push_str(if value { "true" } else { "false" });
        self
    }

    /// Adds valid JSON. Its line breaks become spaces, because a message of the stdio transport is one line.
    /// In valid JSON they never occur inside strings.
    #[must_use]
    pub fn json(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        self.text.reserve(value.len() + 1);
        if value.contains(['\n', '\r']) {
            self.text.push_str(&value.replace(['\n', '\r'], " "));
        } else {
            self.text.push_str(value);
        }
        self
    }

    /// Adds valid JSON, byte for byte.
    #[must_use]
    pub fn raw(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        self.text.reserve(value.len() + 1);
        self.text.push_str(value);
        self
    }

    /// Adds an object.
    #[must_use]
    pub fn object(mut self, key: &str, value: &Self) -> Self {
        self.key(key);
        self.text.extend([&*value.text, "}"]);
        self
    }

    /// Adds an array of strings.
    #[must_use]
    pub fn texts<'a>(mut self, key: &str, values: impl IntoIterator<Item = &'a str>) -> Self {
        self.key(key);
        self.text.push('[');
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                self.text.push(',');
            }
            push_text(&mut self.text, value);
        }
        self.text.push(']');
        self
    }

    /// Adds an array of values that are valid JSON.
    #[must_use]
    pub fn list(mut self, key: &str, values: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.key(key);
        push_list(&mut self.text, values);
        self
    }

    /// Adds a member of another object, as it is written there.
    #[must_use]
    pub fn member(mut self, member: &Member<'_>) -> Self {
        self.begin();
        self.text.extend(["\"", member.key, "\":", member.value]);
        self
    }

    /// Whether the object has no members.
    pub fn is_empty(&self) -> bool {
        self.members().is_empty()
    }

    /// The members without the braces.
    pub fn members(&self) -> &str {
        self.text.get(1..).unwrap_or_default()
    }

    /// The complete object.
    pub fn whole(mut self) -> String {
        self.text.push('}');
        self.text
    }

    fn begin(&mut self) {
        if !self.is_empty() {
            self.text.push(',');
        }
    }

    fn key(&mut self, key: &str) {
        self.begin();
        push_text(&mut self.text, key);
        self.text.push(':');
    }
}

/// Writes an array of values that are valid JSON.
pub fn array(values: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut json = String::new();
    push_list(&mut json, values);
    json
}

fn push_list(json: &mut String, values: impl IntoIterator<Item = impl AsRef<str>>) {
    json.push('[');
    for (index, value) in values.into_iter().enumerate() {
        if index > 0 {
            json.push(',');
        }
        json.push_str(value.as_ref());
    }
    json.push(']');
}

fn push_text(json: &mut String, text: &str) {
    if is_plain(text) {
        json.extend(["\"", text, "\""]);
    } else {
        json.push_str(&serde_json::Value::from(text).to_string());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::members::Members;

    #[test]
    fn every_text_stays_a_text_and_every_key_a_key() {
        for odd in ["", "a", "a\"b", "\",\"x\":\"", "\\", "\n\u{0}\u{7f}", "é漢\u{2028}", "\u{1f980}"] {
            let params = JsonObject::new().text(odd, odd).texts("list", [odd, odd]);
            let read: Value = serde_json::from_str(&params.whole()).unwrap();
            assert_eq!(read, json!({ odd: odd, "list": [odd, odd] }), "{odd:?}");
        }
    }

    #[test]
    fn members_stand_in_the_order_in_which_they_came() {
        let inner = JsonObject::new().number("n", -1).flag("f", true);
        let object = r#"{ "\u0061" : [1 ] }"#;
        let params = JsonObject::new()
            .object("o", &inner)
            .object("e", &JsonObject::new())
            .json("j", "{\n\"a\":1\r\n}")
            .raw("u", "[\n]")
            .member(Members::of(object).iter().next().unwrap())
            .list("l", ["1", "{}"]);
        assert_eq!(
            params.whole(),
            "{\"o\":{\"n\":-1,\"f\":true},\"e\":{},\"j\":{ \"a\":1  },\"u\":[\n],\"\\u0061\":[1 ],\"l\":[1,{}]}"
        );
    }
}
