//! The parts of a form that have another form for front ends.

use serde::{Serialize, Serializer};
use serde_json::Value;
use ts_rs::TS;

use super::secret::asks_for_secret;
use super::{Choice, Field};

/// One field of a form.
#[derive(Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub(super) struct FormField<'a> {
    #[serde(flatten)]
    field: &'a Field,
    /// Whether the field's name, title or description asks for something that looks like a secret.
    looks_secret: bool,
}

/// Serializes the fields. Each field says whether it asks for a secret.
pub(super) fn serialize_fields<S: Serializer>(fields: &[Field], serializer: S) -> Result<S::Ok, S::Error> {
    let shown = |field| FormField { field, looks_secret: asks_for_secret(field) };
    serializer.collect_seq(fields.iter().map(shown))
}

/// Serializes a value as JSON text.
#[expect(clippy::ref_option, reason = "serde hands a field over as it is")]
pub(super) fn serialize_json<S: Serializer>(value: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
    value.as_ref().map(Value::to_string).serialize(serializer)
}

/// A choice of a field.
#[derive(Serialize, TS)]
pub(super) struct FormChoice {
    /// The value to send if it is a string, otherwise its JSON.
    value: String,
    /// The title to show.
    title: Option<String>,
    /// The value to send as JSON text, if it is not a string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    json: Option<String>,
}

impl From<Choice> for FormChoice {
    fn from(choice: Choice) -> Self {
        let Choice { value, title } = choice;
        match value {
            Value::String(value) => Self { value, title, json: None },
            other => Self { value: other.to_string(), title, json: Some(other.to_string()) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FieldKind, Form};
    use super::*;

    #[test]
    fn a_field_crosses_with_its_default_as_json_text() {
        let field = Field {
            name: "token".to_owned(),
            title: None,
            description: None,
            required: true,
            nullable: false,
            kind: FieldKind::Boolean,
            default: Some(true.into()),
        };
        let text = FieldKind::Text { min: None, max: None, pattern: None, format: None };
        let asks = Field { kind: text, default: Some("x\"y".into()), ..field.clone() };
        let form = Form { fields: vec![field, asks], oddities: Vec::new() };
        let form = serde_json::to_value(form).unwrap();
        let (field, asks) = (&form["fields"][0], &form["fields"][1]);
        assert_eq!((&field["looksSecret"], &field["required"]), (&Value::from(false), &Value::from(true)));
        assert_eq!(asks["looksSecret"], true);
        assert_eq!(field["default"], "true");
        assert_eq!(asks["default"], r#""x\"y""#);
        assert_eq!(field["input"], serde_json::json!({ "kind": "boolean" }));
    }

    #[test]
    fn a_choice_crosses_with_its_type() {
        let choice = |value: Value| FormChoice::from(Choice { value, title: None });
        assert_eq!((choice("1".into()).value.as_str(), choice("1".into()).json), ("1", None));
        assert_eq!(choice(1.into()).json.as_deref(), Some("1"));
    }
}
