//! Keywords that are checked here. The engine would compare numbers as doubles and search `enum` linearly.

use std::cmp::Ordering;
use std::collections::HashSet;

use jsonschema::{Keyword, ValidationError, ValidationOptions};
use serde_json::Value;

use super::exact::{ExactJson, ExactValue};
use crate::decimal::Decimal;

/// The prefix of the keywords that are checked here. No server's keyword in a normalized schema has this
/// prefix.
const PREFIX: &str = "mooring:";
pub(super) const ENUM: &str = "mooring:enum";
pub(super) const CONST: &str = "mooring:const";
const BOUNDS: [&str; 5] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/// The name of a keyword that is checked here.
pub(super) fn with_prefix(keyword: &str) -> String {
    format!("{PREFIX}{keyword}")
}

/// The keyword's name in JSON Schema.
pub(super) fn without_prefix(keyword: &str) -> &str {
    keyword.strip_prefix(PREFIX).unwrap_or(keyword)
}

pub(super) fn add_keywords<R>(
    options: ValidationOptions<'_, R, ExactJson>,
) -> ValidationOptions<'_, R, ExactJson> {
    let mut options = options;
    for keyword in BOUNDS {
        options = options.with_keyword(with_prefix(keyword), move |_, value, _| {
            match NumberLimit::read(keyword, value) {
                Some(bound) => Ok(Box::new(bound)),
                None => Err(ValidationError::schema("not a number")),
            }
        });
    }
    for keyword in [ENUM, CONST] {
        options = options.with_keyword(keyword, |_, values, _| Ok(Box::new(AllowedValues::read(values))));
    }
    options
}

/// A limit for a number.
struct NumberLimit {
    keyword: &'static str,
    limit: Decimal,
    written: String,
}

impl NumberLimit {
    fn read(keyword: &'static str, value: &Value) -> Option<Self> {
        let written = value.as_str()?;
        Some(Self { keyword, limit: Decimal::parse(written)?, written: written.to_owned() })
    }

    fn is_satisfied_by(&self, value: &ExactValue) -> bool {
        let ExactValue::Number(number) = value else { return true };
        // A number with an exponent beyond `i64` can't be compared.
        let Some(number) = number.to_decimal() else { return true };
        match self.keyword {
            "multipleOf" => number.is_multiple_of(&self.limit) != Some(false),
            "minimum" => number >= self.limit,
            "maximum" => number <= self.limit,
            "exclusiveMinimum" => number.cmp(&self.limit) == Ordering::Greater,
            _ => number.cmp(&self.limit) == Ordering::Less,
        }
    }
}

impl<'i> Keyword<'i, ExactJson> for NumberLimit {
    fn validate(&self, instance: &'i ExactValue) -> Result<(), ValidationError<'i>> {
        if self.is_satisfied_by(instance) {
            Ok(())
        } else {
            Err(ValidationError::custom(self.written.clone()))
        }
    }

    fn is_valid(&self, instance: &'i ExactValue) -> bool {
        self.is_satisfied_by(instance)
    }
}

/// The allowed values, as equality keys.
struct AllowedValues {
    keys: HashSet<String>,
    has_containers: bool,
}

impl AllowedValues {
    fn read(values: &Value) -> Self {
        let keys: HashSet<String> = values
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|key| key.as_str().map(str::to_owned))
            .collect();
        let has_containers = keys.iter().any(|key| key.starts_with(['[', '{']));
        Self { keys, has_containers }
    }

    fn is_satisfied_by(&self, value: &ExactValue) -> bool {
        (self.has_containers || !value.is_container()) && self.keys.contains(&value.equality_key())
    }
}

impl<'i> Keyword<'i, ExactJson> for AllowedValues {
    fn validate(&self, instance: &'i ExactValue) -> Result<(), ValidationError<'i>> {
        if self.is_satisfied_by(instance) { Ok(()) } else { Err(ValidationError::custom(String::new())) }
    }

    fn is_valid(&self, instance: &'i ExactValue) -> bool {
        self.is_satisfied_by(instance)
    }
}
