//! Keywords that are checked here instead of in the engine: it compares numbers as doubles, and looks through a list of
//! values one by one.

use std::cmp::Ordering;
use std::collections::HashSet;

use jsonschema::{Keyword, ValidationError, ValidationOptions};
use serde_json::Value;

use super::exact::{Exact, ExactJson};
use crate::decimal::Decimal;

/// Before the name of a keyword that is checked here. No schema that is said anew has one of its own.
const OURS: &str = "mooring:";
pub(super) const ENUM: &str = "mooring:enum";
pub(super) const CONST: &str = "mooring:const";
const BOUNDS: [&str; 5] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/// What a keyword is called where it is checked here.
pub(super) fn named(keyword: &str) -> String {
    format!("{OURS}{keyword}")
}

/// What it is called in JSON Schema.
pub(super) fn own_name(keyword: &str) -> &str {
    keyword.strip_prefix(OURS).unwrap_or(keyword)
}

pub(super) fn with_ours<R>(
    options: ValidationOptions<'_, R, ExactJson>,
) -> ValidationOptions<'_, R, ExactJson> {
    let mut options = options;
    for keyword in BOUNDS {
        options =
            options.with_keyword(named(keyword), move |_, value, _| match Bound::read(keyword, value) {
                Some(bound) => Ok(Box::new(bound)),
                None => Err(ValidationError::schema("not a number")),
            });
    }
    for keyword in [ENUM, CONST] {
        options = options.with_keyword(keyword, |_, values, _| Ok(Box::new(Listed::read(values))));
    }
    options
}

/// A number that a number is compared with.
struct Bound {
    keyword: &'static str,
    limit: Decimal,
    written: String,
}

impl Bound {
    fn read(keyword: &'static str, value: &Value) -> Option<Self> {
        let written = value.as_str()?;
        Some(Self { keyword, limit: Decimal::parse(written)?, written: written.to_owned() })
    }

    fn holds(&self, value: &Exact) -> bool {
        let Exact::Number(number) = value else { return true };
        // A number whose power is beyond all bounds: nobody can say.
        let Some(number) = number.decimal() else { return true };
        match self.keyword {
            "multipleOf" => number.is_multiple_of(&self.limit) != Some(false),
            "minimum" => number >= self.limit,
            "maximum" => number <= self.limit,
            "exclusiveMinimum" => number.cmp(&self.limit) == Ordering::Greater,
            _ => number.cmp(&self.limit) == Ordering::Less,
        }
    }
}

impl<'i> Keyword<'i, ExactJson> for Bound {
    fn validate(&self, instance: &'i Exact) -> Result<(), ValidationError<'i>> {
        if self.holds(instance) { Ok(()) } else { Err(ValidationError::custom(self.written.clone())) }
    }

    fn is_valid(&self, instance: &'i Exact) -> bool {
        self.holds(instance)
    }
}

/// The values that are allowed, by their keys.
struct Listed {
    keys: HashSet<String>,
    has_containers: bool,
}

impl Listed {
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

    fn holds(&self, value: &Exact) -> bool {
        (self.has_containers || !value.is_container()) && self.keys.contains(&value.key())
    }
}

impl<'i> Keyword<'i, ExactJson> for Listed {
    fn validate(&self, instance: &'i Exact) -> Result<(), ValidationError<'i>> {
        if self.holds(instance) { Ok(()) } else { Err(ValidationError::custom(String::new())) }
    }

    fn is_valid(&self, instance: &'i Exact) -> bool {
        self.holds(instance)
    }
}
