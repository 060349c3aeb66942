//! JSON objects that we write: the parameters of our messages above all.
//!
//! Keys and texts are encoded here and nowhere else, so that none can end the string that it stands in and go on as
//! JSON.

use crate::json::is_plain;
use crate::members::Member;

/// The members of an object, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Params {
    members: String,
}

impl Params {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// With a text.
    pub(crate) fn text(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        push_text(&mut self.members, value);
        self
    }

    /// With a whole number.
    pub(crate) fn number(mut self, key: &str, value: impl Into<i128>) -> Self {
        self.key(key);
        self.members.push_str(&value.into().to_string());
        self
    }

    /// With a boolean.
    pub(crate) fn flag(mut self, key: &str, value: bool) -> Self {
        self.key(key);
        self.members.push_str(if value { "true" } else { "false" });
        self
    }

    /// With JSON that is known to be valid. Its line ends, which the stdio transport cannot carry, become spaces:
    /// inside strings JSON has none.
    pub(crate) fn json(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        if value.contains(['\n', '\r']) {
            self.members.push_str(&value.replace(['\n', '\r'], " "));
        } else {
            self.members.push_str(value);
        }
        self
    }

    /// With JSON that is known to be valid, byte for byte.
    pub(crate) fn raw(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        self.members.push_str(value);
        self
    }

    /// With an object.
    pub(crate) fn object(mut self, key: &str, value: &Self) -> Self {
        self.key(key);
        self.members.extend(["{", &value.members, "}"]);
        self
    }

    /// With a list of texts.
    pub(crate) fn texts<'a>(mut self, key: &str, values: impl IntoIterator<Item = &'a str>) -> Self {
        self.key(key);
        self.members.push('[');
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                self.members.push(',');
            }
            push_text(&mut self.members, value);
        }
        self.members.push(']');
        self
    }

    /// With a list of JSON that is known to be valid.
    pub(crate) fn list(mut self, key: &str, values: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.key(key);
        self.members.push('[');
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                self.members.push(',');
            }
            self.members.push_str(value.as_ref());
        }
        self.members.push(']');
        self
    }

    /// With a member of another object, as it is written there.
    pub(crate) fn member(mut self, member: &Member<'_>) -> Self {
        self.begin();
        self.members.extend(["\"", member.key, "\":", member.value]);
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The members without their braces.
    pub(crate) fn members(&self) -> &str {
        &self.members
    }

    /// The object.
    pub(crate) fn whole(&self) -> String {
        let mut whole = String::with_capacity(self.members.len() + 2);
        whole.extend(["{", &self.members, "}"]);
        whole
    }

    fn begin(&mut self) {
        if !self.members.is_empty() {
            self.members.push(',');
        }
    }

    fn key(&mut self, key: &str) {
        self.begin();
        push_text(&mut self.members, key);
        self.members.push(':');
    }
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
            let params = Params::new().text(odd, odd).texts("list", [odd, odd]);
            let read: Value = serde_json::from_str(&params.whole()).unwrap();
            assert_eq!(read, json!({ odd: odd, "list": [odd, odd] }), "{odd:?}");
        }
    }

    #[test]
    fn members_stand_in_the_order_in_which_they_came() {
        let inner = Params::new().number("n", -1).flag("f", true);
        let object = r#"{ "\u0061" : [1 ] }"#;
        let params = Params::new()
            .object("o", &inner)
            .object("e", &Params::new())
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
