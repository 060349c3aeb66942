//! Validates an answer against its form.

use mooring_words::{Sentence, say};
use serde::Serialize;
use serde_json::{Map, Value, json};
use ts_rs::TS;

use crate::form::{Choice, Field, FieldKind, Form};
use crate::json_schema::{ExactValue, SchemaProblem, SchemaProblemCode, check_value, member_pointer};

/// The longest text that can be answered, in bytes.
const LONGEST_TEXT: usize = 256 << 10;

/// The values of an answer, by the names of their fields.
pub type Content = Map<String, Value>;

/// A mistake in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "FormMistake")]
pub struct Mistake {
    /// The field.
    pub field: String,
    /// What the mistake is.
    #[serde(rename = "message")]
    pub what: Sentence,
}

impl Form {
    /// The mistakes in an answer. If there are none, the answer can be sent.
    pub fn mistakes(&self, content: &Content) -> Vec<Mistake> {
        self.find_mistakes(&ExactValue::from(&Value::Object(content.clone())))
    }

    /// Finds the mistakes in an answer whose numbers keep all of their digits. Each field has at most one.
    pub(crate) fn find_mistakes(&self, content: &ExactValue) -> Vec<Mistake> {
        let properties: Map<_, _> =
            self.fields.iter().map(|field| (field.name.clone(), field.to_schema())).collect();
        let problems = check_value(&json!({ "type": "object", "properties": properties }), content);
        let mut mistakes = Vec::new();
        for (index, field) in self.fields.iter().enumerate() {
            // If a name occurs twice, the last field counts.
            if self.fields.iter().skip(index + 1).any(|other| other.name == field.name) {
                continue;
            }
            let what = match content.get(&field.name) {
                None => field.required.then(|| say!("is required")),
                Some(value) => field.first_mistake(value, &problems, &member_pointer("", &field.name)),
            };
            mistakes.extend(what.map(|what| Mistake { field: field.name.clone(), what }));
        }
        for name in content.member_names() {
            if !self.fields.iter().any(|field| field.name == *name) {
                mistakes.push(Mistake { field: name.to_owned(), what: say!("wasn’t requested") });
            }
        }
        mistakes
    }

    /// The default of every field, which is the answer if nothing is changed.
    pub fn defaults(&self) -> Content {
        let defaults =
            self.fields.iter().filter_map(|field| Some((field.name.clone(), field.default.clone()?)));
        defaults.collect()
    }
}

impl Field {
    /// Validates one value.
    pub(crate) fn check_value(&self, value: &Value) -> Result<(), Sentence> {
        let value = ExactValue::from(value);
        let problems = check_value(&self.to_schema(), &value);
        self.first_mistake(&value, &problems, "").map_or(Ok(()), Err)
    }

    /// Describes the most important problem of the field.
    fn first_mistake(&self, value: &ExactValue, problems: &[SchemaProblem], at: &str) -> Option<Sentence> {
        if matches!(self.kind, FieldKind::Text { .. })
            && value.as_text().is_some_and(|text| text.len() > LONGEST_TEXT)
        {
            return Some(say!("is longer than {bytes} bytes", bytes = LONGEST_TEXT));
        }
        let about = |problem: &&SchemaProblem| {
            problem.at.strip_prefix(at).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let first =
            problems.iter().filter(about).min_by_key(|problem| self.kind.problem_rank(problem, at))?;
        Some(self.kind.describe_problem(first, first.at.strip_prefix(at).unwrap_or_default(), value))
    }

    fn to_schema(&self) -> Value {
        let schema = self.kind.to_schema();
        match schema {
            Value::Object(mut schema) if self.nullable => {
                schema.insert("nullable".to_owned(), true.into());
                schema.into()
            }
            schema => schema,
        }
    }
}

impl FieldKind {
    /// The field's JSON Schema.
    fn to_schema(&self) -> Value {
        match self {
            Self::Text { min, max, pattern, format } => remove_absent_members(json!({
                "type": "string", "minLength": min, "maxLength": max, "pattern": pattern, "format": format,
            })),
            Self::Number { whole, min, max, above, below, step } => remove_absent_members(json!({
                "type": if *whole { "integer" } else { "number" },
                "minimum": min, "maximum": max,
                "exclusiveMinimum": above, "exclusiveMaximum": below, "multipleOf": step,
            })),
            Self::Boolean => json!({ "type": "boolean" }),
            Self::One { choices } => json!({ "enum": choice_values(choices) }),
            Self::Several { choices, min, max } => remove_absent_members(json!({
                "type": "array", "items": { "enum": choice_values(choices) }, "uniqueItems": true,
                "minItems": min, "maxItems": max,
            })),
            Self::List { of, min, max, unique } => remove_absent_members(json!({
                "type": "array", "items": of.to_schema(), "uniqueItems": unique, "minItems": min, "maxItems": max,
            })),
            Self::Either { kinds } => {
                json!({ "anyOf": kinds.iter().map(Self::to_schema).collect::<Vec<_>>() })
            }
            Self::Any => json!({}),
        }
    }

    /// The rank of a problem. The problem with the lowest rank is reported, such as a wrong type before a
    /// wrong size.
    fn problem_rank(&self, problem: &SchemaProblem, at: &str) -> (usize, String) {
        let is_inside = problem.at != at;
        let rank = match (self, problem.code) {
            (Self::List { .. }, _) if is_inside => 2,
            (
                _,
                SchemaProblemCode::WrongType | SchemaProblemCode::NotNumber | SchemaProblemCode::NotInteger,
            ) => 0,
            (Self::Several { .. }, _) if is_inside => 1,
            (Self::Several { .. }, SchemaProblemCode::UniqueItems) => 2,
            (_, SchemaProblemCode::MinLength | SchemaProblemCode::MaxLength) => 3,
            (_, SchemaProblemCode::UniqueItems) => 6,
            (_, SchemaProblemCode::Pattern) => 5,
            _ => 4,
        };
        (
            if matches!(self, Self::List { .. }) && !is_inside && rank == 4 { 1 } else { rank },
            problem.at.clone(),
        )
    }

    /// Describes a problem. `inside` is the part of its pointer after the field.
    fn describe_problem(&self, problem: &SchemaProblem, inside: &str, value: &ExactValue) -> Sentence {
        let detail = problem.detail.clone().unwrap_or_default();
        let count = || detail.parse::<u64>().unwrap_or_default();
        let entry = inside.strip_prefix('/').and_then(|rest| rest.split('/').next()?.parse::<usize>().ok());
        match (self, entry) {
            (Self::Several { .. }, Some(_)) => return say!("has something that isn’t one of the choices"),
            (Self::List { of, .. }, Some(index)) => {
                let rest = inside.get(1..).and_then(|rest| rest.find('/').and_then(|end| rest.get(end..)));
                let (place, item) = (index + 1, value.item_at(index).unwrap_or(value));
                let what = of.describe_problem(problem, rest.unwrap_or_default(), item);
                return say!("entry {place} {what}", place, what);
            }
            (Self::Either { kinds }, _) => {
                let lists = |kind: &&Self| matches!(kind, Self::Several { .. } | Self::List { .. });
                if let Some(list) = kinds.iter().find(lists).filter(|_| matches!(value, ExactValue::List(_)))
                {
                    return list.describe_problem(problem, inside, value);
                }
            }
            _ => {}
        }
        match problem.code {
            SchemaProblemCode::MinLength => say!("is shorter than {count} characters", count = count()),
            SchemaProblemCode::MaxLength => say!("is longer than {count} characters", count = count()),
            SchemaProblemCode::Format => match detail.as_str() {
                "email" => say!("isn’t an email address"),
                "uri" => say!("isn’t a URL; write it as https://example.com"),
                "date" => say!("isn’t a date; write it as 2026-11-22"),
                _ => say!("isn’t a date and time; write it as 2026-11-22T15:00:00Z"),
            },
            SchemaProblemCode::Pattern => say!("doesn’t match {pattern}", pattern = detail),
            SchemaProblemCode::NotInteger => say!("isn’t a whole number"),
            SchemaProblemCode::Minimum => say!("is less than {number}", number = detail),
            SchemaProblemCode::Maximum => say!("is more than {number}", number = detail),
            SchemaProblemCode::ExclusiveMinimum => say!("must be more than {number}", number = detail),
            SchemaProblemCode::ExclusiveMaximum => say!("must be less than {number}", number = detail),
            SchemaProblemCode::MultipleOf => say!("isn’t a multiple of {number}", number = detail),
            SchemaProblemCode::Enum => say!("isn’t one of the choices"),
            SchemaProblemCode::MinItems if self.has_choices() => {
                say!("has fewer than {count} choices", count = count())
            }
            SchemaProblemCode::MaxItems if self.has_choices() => {
                say!("has more than {count} choices", count = count())
            }
            SchemaProblemCode::MinItems => say!("has fewer than {count} entries", count = count()),
            SchemaProblemCode::MaxItems => say!("has more than {count} entries", count = count()),
            SchemaProblemCode::UniqueItems if self.has_choices() => {
                let twice =
                    detail.parse::<usize>().ok().and_then(|position| value.item_at(position.checked_sub(1)?));
                let choice =
                    twice.map(|twice| twice.as_text().map_or_else(|| twice.equality_key(), str::to_owned));
                say!("has the same choice twice: {choice}", choice = choice.unwrap_or_default())
            }
            SchemaProblemCode::UniqueItems => say!("has the same entry twice"),
            // The other problems are wrong types.
            _ => match self {
                Self::Text { .. } => say!("isn’t text"),
                Self::Number { .. } => say!("isn’t a number"),
                Self::Boolean => say!("is neither true nor false"),
                Self::One { .. } => say!("isn’t one of the choices"),
                Self::Several { .. } => say!("isn’t a list of choices"),
                Self::List { .. } => say!("isn’t a list"),
                Self::Either { .. } | Self::Any => say!("has none of the allowed types"),
            },
        }
    }

    fn has_choices(&self) -> bool {
        matches!(self, Self::Several { .. })
    }
}

fn choice_values(choices: &[Choice]) -> Vec<&Value> {
    choices.iter().map(|choice| &choice.value).collect()
}

/// Removes members that are null, which are limits that the field does not have.
fn remove_absent_members(mut schema: Value) -> Value {
    if let Some(members) = schema.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    schema
}
