//! Whether an answer is one to its form.

use std::cmp::Ordering;
use std::collections::HashSet;

use mooring_words::{Sentence, say};
use serde_json::{Map, Number, Value};

use super::decimal::Decimal;
use super::form::{Choice, Field, FieldKind, Form};

/// Bytes of a text that is answered at most.
const LONGEST_TEXT: usize = 256 << 10;

/// The values of an answer, by the names of their fields.
pub type Content = Map<String, Value>;

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The field.
    pub field: String,
    /// What is wrong.
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

    /// What is answered by whoever changes nothing: every default.
    pub fn defaults(&self) -> Content {
        let defaults =
            self.fields.iter().filter_map(|field| Some((field.name.clone(), field.default.clone()?)));
        defaults.collect()
    }
}

impl Field {
    /// What is wrong with a value.
    pub(super) fn check(&self, value: &Value) -> Result<(), Sentence> {
        match (&self.kind, value) {
            (FieldKind::Text { min, max, pattern, format }, Value::String(text)) => {
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
                if let Some(format) = format.filter(|format| !format.holds(text)) {
                    return Err(say!("is not of the format {format}", format = format.as_str()));
                }
                match pattern {
                    Some(pattern) if !pattern.matches(text) => {
                        Err(say!("does not match {pattern}", pattern = pattern.as_str()))
                    }
                    _ => Ok(()),
                }
            }
            (FieldKind::Text { .. }, _) => Err(say!("is not a text")),
            (FieldKind::Number { whole, min, max, above, below, step }, Value::Number(number)) => {
                if *whole && !is_whole(number) {
                    return Err(say!("is not a whole number"));
                }
                let beyond = |bound: &Option<Number>, orders: &[Ordering]| {
                    let is_beyond =
                        |bound: &Number| compared(number, bound).is_some_and(|order| orders.contains(&order));
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
                    let (number, step) = (Decimal::of(number), Decimal::of(step));
                    number.zip(step).and_then(|(number, step)| number.is_multiple_of(step)) == Some(false)
                };
                match step.as_ref().filter(is_off) {
                    Some(step) => Err(say!("is not a multiple of {number}", number = step.to_string())),
                    None => Ok(()),
                }
            }
            (FieldKind::Number { .. }, _) => Err(say!("is not a number")),
            (FieldKind::Boolean, Value::Bool(_)) => Ok(()),
            (FieldKind::Boolean, _) => Err(say!("is neither true nor false")),
            (FieldKind::One(choices), Value::String(text)) if is_choice(choices, text) => Ok(()),
            (FieldKind::One(_), _) => Err(say!("is none of the choices")),
            (FieldKind::Several { choices, min, max }, Value::Array(values)) => {
                let mut seen = HashSet::new();
                for value in values {
                    match value.as_str().filter(|text| is_choice(choices, text)) {
                        None => return Err(say!("has something that is none of the choices")),
                        Some(text) if !seen.insert(text) => {
                            return Err(say!("has the same choice twice: {choice}", choice = text));
                        }
                        Some(_) => {}
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
            (FieldKind::Several { .. }, _) => Err(say!("is not a list of choices")),
        }
    }
}

fn is_choice(choices: &[Choice], text: &str) -> bool {
    choices.iter().any(|choice| choice.value == text)
}

/// Also `2.0`, as JSON Schema has it.
fn is_whole(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|value| value.fract() == 0.0)
}

/// Exact between whole numbers, and as near as a double elsewhere.
fn compared(left: &Number, right: &Number) -> Option<Ordering> {
    let whole = |number: &Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match (whole(left), whole(right)) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}
