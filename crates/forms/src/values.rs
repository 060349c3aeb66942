//! The values of a form. Numbers keep all of their digits, which doubles could not represent.

use mooring_jsonrpc::{JsonObject, Members, array};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::check::{Content, Mistake};
use crate::form::{Form, asks_for_secret};
use crate::json_schema::ExactValue;

/// The values of an answer, in order, with unique names.
#[derive(Clone, Default)]
pub struct FormValues(Vec<(String, FormValue)>);

/// A value, and its JSON text.
#[derive(Clone)]
struct FormValue {
    value: Value,
    text: String,
}

impl FormValue {
    fn from_value(value: Value) -> Self {
        Self { text: value.to_string(), value }
    }

    /// Parses a value. Only numbers keep their spelling. Strings are normalized, so that the log's redaction
    /// finds them.
    fn read(text: &str) -> serde_json::Result<Self> {
        Ok(Self { value: serde_json::from_str(text)?, text: normalize_json(text)? })
    }
}

/// Normalizes a value for sending. Numbers keep their spelling, and other values are normalized. Refuses
/// repeated names.
fn normalize_json(text: &str) -> serde_json::Result<String> {
    match text.bytes().next() {
        Some(b'-' | b'0'..=b'9') => Ok(text.to_owned()),
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text)?;
            let items: Vec<String> =
                items.into_iter().map(|item| normalize_json(item.get())).collect::<Result<_, _>>()?;
            Ok(array(items))
        }
        Some(b'{') => Ok(FormValues::read(text)?.to_json()),
        _ => Ok(serde_json::from_str::<Value>(text)?.to_string()),
    }
}

impl FormValues {
    /// The values by name, with parsed numbers.
    pub(crate) fn to_content(&self) -> Content {
        self.0.iter().map(|(name, entry)| (name.clone(), entry.value.clone())).collect()
    }

    /// Parses an object. Refuses a repeated name, because it is unclear which value is meant.
    fn read(object: &str) -> serde_json::Result<Self> {
        let members = Members::of(object);
        if let Some(name) = members.repeated() {
            return Err(serde_json::Error::custom(format_args!("{name} appears twice")));
        }
        let read = |(name, text): (&str, &str)| Ok((name.to_owned(), FormValue::read(text)?));
        members.into_iter().map(read).collect::<serde_json::Result<_>>().map(Self)
    }

    /// The JSON that is sent.
    pub fn to_json(&self) -> String {
        self.0.iter().fold(JsonObject::new(), |all, (name, entry)| all.raw(name, &entry.text)).whole()
    }

    /// These values, with the form's defaults for missing ones.
    #[must_use]
    pub fn merged_with_defaults(&self, form: &Form) -> Self {
        let mut all = Self::from(form.defaults());
        for field in &form.fields {
            let Some((_, entry)) = self.0.iter().find(|(name, _)| *name == field.name) else { continue };
            match all.0.iter_mut().find(|(name, _)| *name == field.name) {
                Some((_, proposed)) => *proposed = entry.clone(),
                None => all.0.push((field.name.clone(), entry.clone())),
            }
        }
        all
    }

    /// The values of fields that look secret. Returns the field's name with each spelling of its value.
    pub fn secret_values<'a>(&'a self, form: &Form) -> Vec<(&'a str, String)> {
        let of = |(name, entry): &'a (String, FormValue)| {
            form.fields.iter().find(|field| field.name == *name).filter(|field| asks_for_secret(field))?;
            let mut ways = Vec::new();
            match &entry.value {
                Value::Number(number) => {
                    ways.extend([entry.text.clone(), number.to_string()]);
                    ways.dedup();
                }
                value => collect_leaves(value, &mut ways),
            }
            Some(ways.into_iter().map(|way| (name.as_str(), way)).collect::<Vec<_>>())
        };
        self.0.iter().filter_map(of).flatten().collect()
    }
}

/// Collects every text and number of a value.
fn collect_leaves(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::String(text) => all.push(text.clone()),
        Value::Number(number) => all.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| collect_leaves(item, all)),
        Value::Object(members) => members.values().for_each(|member| collect_leaves(member, all)),
        Value::Null | Value::Bool(_) => {}
    }
}

impl Form {
    /// The mistakes in the values. If there are none, they can be sent.
    pub fn validate(&self, values: &FormValues) -> Vec<Mistake> {
        // The values were parsed before, so this fails only if they exceed the limits of a check.
        let content = ExactValue::read(&values.to_json());
        content.map_or_else(|_| self.mistakes(&values.to_content()), |content| self.find_mistakes(&content))
    }
}

impl From<Content> for FormValues {
    fn from(content: Content) -> Self {
        Self(content.into_iter().map(|(name, value)| (name, FormValue::from_value(value))).collect())
    }
}

impl<'de> Deserialize<'de> for FormValues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        if !text.get().starts_with('{') {
            return Err(D::Error::custom("not an object"));
        }
        Self::read(text.get()).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form(properties: &Value) -> Form {
        let schema = json!({ "properties": properties }).to_string();
        Form::from_schema(&RawValue::from_string(schema).unwrap()).unwrap()
    }

    fn entered(text: &str) -> FormValues {
        serde_json::from_str(text).unwrap()
    }

    // Requirements: ELIC-16.
    #[test]
    fn what_was_entered_is_sent_to_the_digit_and_in_its_order() {
        let text = r#"{"b":100000000000000000000,"a":12345678901234567890.10,"d":4.20,"c":1E2,"t":"4.20","s":["x"]}"#;
        assert_eq!(entered(text).to_json(), text);
        assert_eq!(entered(r#"{ "t" : "\u0041\/" , "\u0061": 1.0 }"#).to_json(), r#"{"t":"A/","a":1.0}"#);
        let nested = r#"{"l":[4.20,"x",{"a":1e2}]}"#;
        assert_eq!(entered(r#"{ "l": [ 4.20, "\u0078", { "\u0061" : 1e2 } ] }"#).to_json(), nested);
        for bad in [
            r#"{"a":[{"b":1,"b":2}]}"#,
            r#"{"a":1,"a":2}"#,
            r#"{"a":1,"\u0061":2}"#,
            "[]",
            r#"{"a":1e999}"#,
            "{",
        ] {
            assert!(serde_json::from_str::<FormValues>(bad).is_err(), "{bad}");
        }
    }

    // Requirements: ELIC-16.
    #[test]
    fn a_fraction_that_its_nearest_double_has_not_is_one() {
        let form = form(&json!({ "n": { "type": "integer" } }));
        let wrong = |number: &str| form.validate(&entered(&format!(r#"{{"n":{number}}}"#))).len();
        for good in ["100000000000000000000", "2.0", "1e3", "-7"] {
            assert_eq!(wrong(good), 0, "{good}");
        }
        for bad in ["12345678901234567890.10", "0.5", "1e-3"] {
            assert_eq!(wrong(bad), 1, "{bad}");
        }
    }

    // Requirements: ELIC-20, SEC-21.
    #[test]
    fn secret_number_is_recognised_in_every_notation() {
        let form = form(&json!({
            "pin": { "type": "number" }, "token": { "type": "string" }, "age": { "type": "number" },
            "passwords": { "type": "array", "items": { "type": "string" } },
        }));
        let entered = entered(r#"{"pin":4.20,"token":"\u0041","age":3.0,"passwords":["p","q"]}"#);
        let secrets: Vec<_> = entered.secret_values(&form);
        let expected =
            [("pin", "4.20"), ("pin", "4.2"), ("token", "A"), ("passwords", "p"), ("passwords", "q")];
        assert_eq!(secrets, expected.map(|(name, text)| (name, text.to_owned())));
    }

    #[test]
    fn what_was_written_down_for_a_form_stands_over_its_proposals() {
        let form = form(&json!({
            "a": { "type": "string", "default": "x" }, "b": { "type": "number", "default": 1 },
            "c": { "type": "number" },
        }));
        let all = entered(r#"{"c":1.50,"other":true,"a":"y"}"#).merged_with_defaults(&form);
        assert_eq!(all.to_json(), r#"{"a":"y","b":1,"c":1.50}"#);
    }
}
