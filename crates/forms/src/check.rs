//! Validates an answer against its form.

use std::cmp::Ordering;
use std::collections::HashSet;

use mooring_base::json::{compare_numbers, is_equal};
use mooring_words::{Sentence, say};
use serde::Serialize;
use serde_json::{Map, Number, Value};
use ts_rs::TS;

use crate::decimal::Decimal;
use crate::form::{Choice, Field, FieldKind, Form};

/// Bytes of a text that is answered at most.
const LONGEST_TEXT: usize = 256 << 10;

/// The values of an answer, by the names of their fields.
pub type Content = Map<String, Value>;

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "FormMistake")]
pub struct Mistake {
    /// The field.
    pub field: String,
    /// What is wrong.
    #[serde(rename = "message")]
    pub what: Sentence,
}

impl Form {
    /// What is wrong with an answer; nothing: it can be sent.
    pub fn mistakes(&self, content: &Content) -> Vec<Mistake> {
        let mut mistakes = Vec::new();
        for field in &self.fields {
            let what = match content.get(&field.name) {
                None if field.required => Err(say!("has to be answered")),
                None => Ok(()),
                Some(value) => field.check(value),
            };
            if let Err(what) = what {
                mistakes.push(Mistake { field: field.name.clone(), what });
            }
        }
        for name in content.keys() {
            if !self.fields.iter().any(|field| field.name == *name) {
                mistakes.push(Mistake { field: name.clone(), what: say!("was not asked for") });
            }
        }
        mistakes
    }

    /// The content if nothing is changed: every default.
    pub fn defaults(&self) -> Content {
        let defaults =
            self.fields.iter().filter_map(|field| Some((field.name.clone(), field.default.clone()?)));
        defaults.collect()
    }
}

impl Field {
    /// What is wrong with a value.
    pub(crate) fn check(&self, value: &Value) -> Result<(), Sentence> {
        if self.nullable && value.is_null() { Ok(()) } else { self.kind.check(value) }
    }
}

impl FieldKind {
    fn check(&self, value: &Value) -> Result<(), Sentence> {
        match (self, value) {
            (Self::Text { min, max, pattern, format }, Value::String(text)) => {
                if text.len() > LONGEST_TEXT {
                    return Err(say!("is longer than {bytes} bytes", bytes = LONGEST_TEXT));
                }
                let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
                if let Some(least) = min.filter(|least| length < *least) {
                    return Err(say!("is shorter than {count} characters", count = least));
                }
                if let Some(most) = max.filter(|most| length > *most) {
                    return Err(say!("is longer than {count} characters", count = most));
                }
                if let Some(format) = format.filter(|format| !format.matches(text)) {
                    return Err(say!("is not of the format {format}", format = format.as_str()));
                }
                match pattern {
                    Some(pattern) if !pattern.matches(text) => {
                        Err(say!("does not match {pattern}", pattern = pattern.as_str()))
                    }
                    _ => Ok(()),
                }
            }
            (Self::Text { .. }, _) => Err(say!("is not a text")),
            (Self::Number { whole, min, max, above, below, step }, Value::Number(number)) => {
                if *whole && !is_whole(number) {
                    return Err(say!("is not a whole number"));
                }
                let beyond = |bound: &Option<Number>, orders: &[Ordering]| {
                    let is_beyond = |bound: &Number| {
                        compare_numbers(number, bound).is_some_and(|order| orders.contains(&order))
                    };
                    bound.as_ref().filter(|bound| is_beyond(bound)).map(ToString::to_string)
                };
                if let Some(least) = beyond(min, &[Ordering::Less]) {
                    return Err(say!("is less than {number}", number = least));
                }
                if let Some(most) = beyond(max, &[Ordering::Greater]) {
                    return Err(say!("is more than {number}", number = most));
                }
                if let Some(bound) = beyond(above, &[Ordering::Less, Ordering::Equal]) {
                    return Err(say!("is not more than {number}", number = bound));
                }
                if let Some(bound) = beyond(below, &[Ordering::Greater, Ordering::Equal]) {
                    return Err(say!("is not less than {number}", number = bound));
                }
                let is_off = |step: &&Number| {
                    let parse = |number: &Number| Decimal::parse(&number.to_string());
                    parse(number).zip(parse(step)).and_then(|(number, step)| number.is_multiple_of(&step))
                        == Some(false)
                };
                match step.as_ref().filter(is_off) {
                    Some(step) => Err(say!("is not a multiple of {number}", number = step.to_string())),
                    None => Ok(()),
                }
            }
            (Self::Number { .. }, _) => Err(say!("is not a number")),
            (Self::Boolean, Value::Bool(_)) => Ok(()),
            (Self::Boolean, _) => Err(say!("is neither true nor false")),
            (Self::One { choices }, value) if is_choice(choices, value) => Ok(()),
            (Self::One { .. }, _) => Err(say!("is none of the choices")),
            (Self::Several { choices, min, max }, Value::Array(values)) => {
                // There are no more of them than choices before one is there twice.
                for (index, value) in values.iter().enumerate() {
                    if !is_choice(choices, value) {
                        return Err(say!("has something that is none of the choices"));
                    }
                    if values.iter().take(index).any(|other| is_equal(other, value)) {
                        let twice = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                        return Err(say!("has the same choice twice: {choice}", choice = twice));
                    }
                }
                let count = u64::try_from(values.len()).unwrap_or(u64::MAX);
                if let Some(least) = min.filter(|least| count < *least) {
                    return Err(say!("has fewer than {count} choices", count = least));
                }
                match max.filter(|most| count > *most) {
                    Some(most) => Err(say!("has more than {count} choices", count = most)),
                    None => Ok(()),
                }
            }
            (Self::Several { .. }, _) => Err(say!("is not a list of choices")),
            (Self::List { of, min, max, unique }, Value::Array(values)) => {
                let count = u64::try_from(values.len()).unwrap_or(u64::MAX);
                if let Some(least) = min.filter(|least| count < *least) {
                    return Err(say!("has fewer than {count} entries", count = least));
                }
                if let Some(most) = max.filter(|most| count > *most) {
                    return Err(say!("has more than {count} entries", count = most));
                }
                for (index, value) in values.iter().enumerate() {
                    let place = index + 1;
                    of.check(value).map_err(|what| say!("entry {place} {what}", place, what))?;
                }
                if *unique && !are_unique(values) {
                    return Err(say!("has the same entry twice"));
                }
                Ok(())
            }
            (Self::List { .. }, _) => Err(say!("is not a list")),
            (Self::Either { kinds }, value) => {
                let mut mistakes = Vec::new();
                for kind in kinds {
                    match kind.check(value) {
                        Ok(()) => return Ok(()),
                        Err(what) if kind.is_type_of(value) => mistakes.push(what),
                        Err(_) => {}
                    }
                }
                Err(mistakes
                    .into_iter()
                    .next()
                    .unwrap_or_else(|| say!("is of none of the types that are asked for")))
            }
            (Self::Any, _) => Ok(()),
        }
    }

    /// Whether a value has the right type, regardless of other constraints.
    fn is_type_of(&self, value: &Value) -> bool {
        match self {
            Self::Text { .. } => value.is_string(),
            Self::Number { .. } => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Several { .. } | Self::List { .. } => value.is_array(),
            Self::One { .. } | Self::Either { .. } | Self::Any => false,
        }
    }
}

fn is_choice(choices: &[Choice], value: &Value) -> bool {
    choices.iter().any(|choice| is_equal(&choice.value, value))
}

/// Whether no value is there twice.
fn are_unique(values: &[Value]) -> bool {
    let mut seen = HashSet::new();
    // A whole number is one number, written as `2` or as `2.0`.
    let written =
        |value: &Value| match value.as_f64().filter(|number| value.is_f64() && number.fract() == 0.0) {
            Some(number) => format!("{:.0}", number + 0.0),
            None => value.to_string(),
        };
    values.iter().all(|value| seen.insert(written(value)))
}

/// Also `2.0`, as JSON Schema has it.
fn is_whole(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|value| value.fract() == 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_differ_by_what_they_are() {
        let check = |values: Value, expect: bool| {
            assert_eq!(are_unique(values.as_array().unwrap()), expect, "{values}");
        };
        check(json!([9_007_199_254_740_992_i64, 9_007_199_254_740_993_i64]), true);
        check(json!([2, 2.5, "2", -2]), true);
        check(json!([2, 2.0]), false);
        check(json!([0.0, -0.0]), false);
        check(json!([1e16, 10_000_000_000_000_000_i64]), false);
        check(json!(["a", "a"]), false);
    }
}
