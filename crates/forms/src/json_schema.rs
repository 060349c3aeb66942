//! Checks values against JSON Schemas of every dialect from draft 4 to 2020-12, as servers write them.
//!
//! The engine is the crate `jsonschema`. It gets only normalized schemas and values (`normalize`, `exact`),
//! fetches nothing, and runs patterns on an engine that doesn't backtrack. Everything has limits:
//!
//! - the schema: bytes, number of schemas, depth (`normalize`), memory of its patterns (`pattern`)
//! - the value: bytes, number of values, depth (`exact`)
//! - the time: the cost is estimated first (`cost`). Above one limit, only the first problem is reported.
//!   Above another limit, nothing is checked
//! - the stack: a check runs on its own thread with 64 MiB
//! - the result: number of problems, length of their texts, number of unchecked rules
//!
//! A rule that can't be checked is listed in `unchecked` and is never a problem.

mod cost;
mod exact;
mod keywords;
mod normalize;
mod pattern;
mod problem;
mod references;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use jsonschema::{Draft, PatternOptions};
use serde::Serialize;
use serde_json::Value;
use ts_rs::TS;

use self::exact::ExactJson;
use self::problem::ProblemCollector;

pub(crate) use self::exact::ExactValue;
pub(crate) use self::pattern::Patterns;
pub(crate) use self::problem::member_pointer;
pub use self::problem::{SchemaProblem, SchemaProblemCode};
pub(crate) use self::references::percent_decode;

/// The most bytes of a schema and of a value.
const MAX_SCHEMA_BYTES: usize = 256 << 10;
const MAX_VALUE_BYTES: usize = 1 << 20;
/// The highest cost (`cost`) for collecting all problems, and the highest cost for finding the first problem.
const MAX_COST_ALL_PROBLEMS: u64 = 200_000;
const MAX_COST_FIRST_PROBLEM: u64 = 3_000_000;
/// The stack of a check. It is enough for the deepest accepted schema, also in a debug build.
const STACK_BYTES: usize = 64 << 20;

/// The alternatives that the user chose. The key is the JSON Pointer of the value. The value is the index of
/// the schema in its `oneOf` or `anyOf`.
pub type ChosenSchemas = BTreeMap<String, u32>;

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct SchemaCheck {
    /// The problems of the value. If there are none, the value is valid as far as it was checked.
    pub problems: Vec<SchemaProblem>,
    /// The rules that were not checked.
    pub unchecked: Vec<UncheckedRule>,
}

/// A rule of a schema that was not checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct UncheckedRule {
    /// The keyword. Empty for the whole schema.
    pub rule: String,
    /// The keyword's value, if it is a string.
    pub asked: Option<String>,
    /// Why the rule is not checked.
    pub why: UncheckedReason,
}

/// Why a rule was not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum UncheckedReason {
    /// The schema or the value is not JSON, or is too large.
    TooLarge,
    /// The check would take too long.
    TooMuch,
    /// The reference leads to another document, and nothing is fetched.
    RemoteRef,
    /// The target of the reference does not exist.
    MissingRef,
    /// JSON Schema does not allow this value here.
    Malformed,
    /// The schema is nested too deeply.
    Deep,
    /// The pattern needs another engine, or its meaning depends on the engine.
    Pattern,
}

impl SchemaCheck {
    /// The result if no check was possible.
    pub fn not_checked() -> Self {
        Self::without(UncheckedReason::TooMuch)
    }

    fn without(why: UncheckedReason) -> Self {
        Self {
            problems: Vec::new(),
            unchecked: vec![UncheckedRule { rule: String::new(), asked: None, why }],
        }
    }
}

/// Checks a value against a schema, both as JSON text.
pub fn check(schema: &str, value: &str, chosen: &ChosenSchemas) -> SchemaCheck {
    if schema.len() > MAX_SCHEMA_BYTES || value.len() > MAX_VALUE_BYTES {
        return SchemaCheck::without(UncheckedReason::TooLarge);
    }
    with_large_stack(|| match (ExactValue::read(schema), ExactValue::read(value)) {
        (Ok(schema), Ok(value)) => run_check(&schema, &value, chosen),
        _ => Err(UncheckedReason::TooLarge),
    })
}

/// Checks a value against a schema that Mooring created.
pub(crate) fn check_value(schema: &Value, value: &ExactValue) -> Vec<SchemaProblem> {
    with_large_stack(|| run_check(&ExactValue::from(schema), value, &ChosenSchemas::new())).problems
}

fn with_large_stack(check: impl FnOnce() -> Result<SchemaCheck, UncheckedReason> + Send) -> SchemaCheck {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("schema".to_owned()).stack_size(STACK_BYTES);
        thread.spawn_scoped(scope, check).ok()?.join().ok()
    })
    .unwrap_or(Err(UncheckedReason::TooMuch))
    .unwrap_or_else(SchemaCheck::without)
}

fn run_check(
    schema: &ExactValue,
    value: &ExactValue,
    chosen: &ChosenSchemas,
) -> Result<SchemaCheck, UncheckedReason> {
    let normalized = normalize::normalize(schema)?;
    let cost = cost::estimate_cost(&normalized, value)?;
    if cost > MAX_COST_FIRST_PROBLEM {
        return Err(UncheckedReason::TooMuch);
    }
    let patterns = PatternOptions::regex()
        .size_limit(pattern::MAX_COMPILED_BYTES)
        .dfa_size_limit(pattern::MAX_COMPILED_BYTES);
    let options = jsonschema::options_for::<ExactJson>()
        .with_draft(Draft::Draft202012)
        .with_pattern_options(patterns)
        .offline()
        .should_validate_formats(true)
        .with_format("email", is_email)
        .with_format("uri", is_uri);
    // A normalized schema is well formed. A failure here is a bug of Mooring, not a problem of the value.
    let validator =
        keywords::add_keywords(options).build(&normalized.schema).map_err(|_| UncheckedReason::Malformed)?;
    let mut reader = ProblemCollector::new(value, chosen, &normalized.patterns);
    if cost > MAX_COST_ALL_PROBLEMS {
        if let Err(error) = validator.validate(value) {
            reader.add_error(&error);
        }
    } else {
        validator.iter_errors(value).for_each(|error| reader.add_error(&error));
    }
    Ok(SchemaCheck { problems: reader.into_problems(), unchecked: normalized.unchecked })
}

/// Whether a text has two parts around one `@`.
fn is_email(text: &str) -> bool {
    let odd = |char: char| char.is_whitespace() || char.is_control();
    text.len() <= 320
        && !text.contains(odd)
        && text.rsplit_once('@').is_some_and(|(local, domain)| {
            !local.is_empty() && !local.contains('@') && !domain.is_empty() && !domain.starts_with('.')
        })
}

fn is_uri(text: &str) -> bool {
    url::Url::parse(text).is_ok() && !text.contains(char::is_whitespace)
}
