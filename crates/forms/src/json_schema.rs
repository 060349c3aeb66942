//! Whether a value is what a JSON Schema asks for: of every dialect from draft 4 to 2020-12, as servers write them.
//!
//! The engine is the crate `jsonschema`. It never gets a schema or a value as it came (`plain`, `exact`), nothing is ever
//! fetched, and patterns run on an engine that doesn't backtrack. Everything is bounded:
//!
//! - the schema: its bytes, how many schemas it holds and how deep (`plain`), and what its patterns may take (`pattern`)
//! - the value: its bytes, how many values it holds and how deep (`exact`)
//! - the check: what it costs is counted before it is made (`cost`); one that costs too much is not made, and of one that
//!   costs much only the first mistake is told
//! - the stack: a check runs on a thread with one that is large enough for what was counted
//! - what is told: so many mistakes, each with a short text, and so many rules that are not checked
//!
//! What cannot be checked is named and never called wrong.

mod cost;
mod exact;
mod keywords;
mod pattern;
mod plain;
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
use self::problem::Reader;

pub(crate) use self::exact::Exact;
pub(crate) use self::pattern::Patterns;
pub(crate) use self::problem::within;
pub use self::problem::{Problem, ProblemCode};
pub(crate) use self::references::percent_decode;

/// Bytes of a schema, and of a value, at most.
const LARGEST_SCHEMA: usize = 256 << 10;
const LARGEST_VALUE: usize = 1 << 20;
/// What a check may cost (`cost`): for all mistakes, which are kept while it runs, and for the first one.
const MOST_FOR_ALL: u64 = 200_000;
const MOST_FOR_ONE: u64 = 3_000_000;
/// Bytes of the stack of a check: it compiles and counts as deep as the bounds allow, also where nothing was optimised.
const STACK: usize = 64 << 20;

/// Alternatives that a person chose: by the JSON Pointer of the value, the number of the schema in its `oneOf` or `anyOf`.
pub type Chosen = BTreeMap<String, u32>;

/// What is wrong with a value, as far as it can be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "SchemaCheck")]
pub struct Check {
    /// What is wrong; nothing: it is what is asked for, as far as that was checked.
    pub problems: Vec<Problem>,
    /// What of the schema was not checked.
    pub unchecked: Vec<Unchecked>,
}

/// A rule of a schema that is not checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "SchemaUnchecked")]
pub struct Unchecked {
    /// The keyword; empty: a whole schema.
    pub rule: String,
    /// What stands there, where that is a text.
    pub asked: Option<String>,
    /// Why.
    pub why: Why,
}

/// Why something is not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "SchemaUncheckedWhy")]
pub enum Why {
    /// The schema or the value is no JSON, or more than is looked at.
    TooLarge,
    /// The check would take too long.
    TooMuch,
    /// It refers to another document, and nothing is ever fetched.
    RemoteRef,
    /// It refers to a place that is not there.
    MissingRef,
    /// It is not what JSON Schema has there.
    Malformed,
    /// It is nested beyond what is looked at.
    Deep,
    /// The pattern cannot be checked, or may mean something else than it says.
    Pattern,
}

impl Check {
    /// What is said where no check was made.
    pub fn not_made() -> Self {
        Self::without(Why::TooMuch)
    }

    fn without(why: Why) -> Self {
        Self { problems: Vec::new(), unchecked: vec![Unchecked { rule: String::new(), asked: None, why }] }
    }
}

/// Checks a value against a schema, both as JSON text.
pub fn check(schema: &str, value: &str, chosen: &Chosen) -> Check {
    if schema.len() > LARGEST_SCHEMA || value.len() > LARGEST_VALUE {
        return Check::without(Why::TooLarge);
    }
    on_large_stack(|| match (Exact::read(schema), Exact::read(value)) {
        (Ok(schema), Ok(value)) => checked(&schema, &value, chosen),
        _ => Err(Why::TooLarge),
    })
}

/// What is wrong with a value by a schema of our own.
pub(crate) fn check_value(schema: &Value, value: &Exact) -> Vec<Problem> {
    on_large_stack(|| checked(&Exact::from(schema), value, &Chosen::new())).problems
}

fn on_large_stack(check: impl FnOnce() -> Result<Check, Why> + Send) -> Check {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("schema".to_owned()).stack_size(STACK);
        thread.spawn_scoped(scope, check).ok()?.join().ok()
    })
    .unwrap_or(Err(Why::TooMuch))
    .unwrap_or_else(Check::without)
}

fn checked(schema: &Exact, value: &Exact, chosen: &Chosen) -> Result<Check, Why> {
    let plain = plain::plain(schema)?;
    let cost = cost::cost(&plain, value)?;
    if cost > MOST_FOR_ONE {
        return Err(Why::TooMuch);
    }
    let patterns = PatternOptions::regex().size_limit(pattern::LARGEST).dfa_size_limit(pattern::LARGEST);
    let options = jsonschema::options_for::<ExactJson>()
        .with_draft(Draft::Draft202012)
        .with_pattern_options(patterns)
        .offline()
        .should_validate_formats(true)
        .with_format("email", is_email)
        .with_format("uri", is_uri);
    // What was said anew is well formed; whatever it is not is a mistake of ours, not of the value.
    let validator = keywords::with_ours(options).build(&plain.schema).map_err(|_| Why::Malformed)?;
    let mut reader = Reader::new(value, chosen, &plain.patterns);
    if cost > MOST_FOR_ALL {
        if let Err(error) = validator.validate(value) {
            reader.read(&error);
        }
    } else {
        validator.iter_errors(value).for_each(|error| reader.read(&error));
    }
    Ok(Check { problems: reader.into_problems(), unchecked: plain.unchecked })
}

/// Two parts around one `@`, as far as anybody can say without asking.
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
