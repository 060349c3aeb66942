//! What is wrong with a value, by its place and a code that front ends have words for.

use std::collections::{HashMap, HashSet};

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde::Serialize;
use serde_json::Value;
use ts_rs::TS;

use super::Chosen;
use super::exact::{Exact, repeated};
use super::keywords::{CONST, ENUM, own_name};
use super::pattern::Pattern;

/// How many mistakes are told, and how much of what each is about.
const MOST_PROBLEMS: usize = 1_000;
const LONGEST_DETAIL: usize = 512;

/// One thing that is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, TS)]
#[ts(rename = "SchemaProblem")]
pub struct Problem {
    /// Where: a JSON Pointer (RFC 6901), also to what is missing.
    pub at: String,
    /// What is wrong.
    pub code: ProblemCode,
    /// What the rule names: a limit, a type, a pattern or a format; of an item that is there twice, its position.
    pub detail: Option<String>,
}

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "SchemaProblemCode")]
#[expect(missing_docs, reason = "most are called as the keywords of JSON Schema are")]
pub enum ProblemCode {
    /// It is not there, or null where that is not taken.
    Required,
    /// It is of another type than `detail`.
    WrongType,
    /// A text, where a number is asked for.
    NotNumber,
    NotInteger,
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
    MultipleOf,
    MinLength,
    MaxLength,
    Pattern,
    Format,
    Enum,
    MinItems,
    MaxItems,
    UniqueItems,
    Contains,
    MinProperties,
    MaxProperties,
    PropertyNames,
    /// A name that is not among those that are allowed. Servers often take it all the same.
    UnknownProperty,
    /// An item that no rule allows.
    UnknownItems,
    Not,
    /// It fits several schemas of which it has to fit one.
    OneOf,
    /// Nothing is allowed there.
    Never,
}

/// Reads the mistakes that the engine finds.
pub(super) struct Reader<'a> {
    value: &'a Exact,
    chosen: &'a Chosen,
    patterns: &'a HashMap<String, Pattern>,
    problems: Vec<Problem>,
    known: HashSet<Problem>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(value: &'a Exact, chosen: &'a Chosen, patterns: &'a HashMap<String, Pattern>) -> Self {
        Self { value, chosen, patterns, problems: Vec::new(), known: HashSet::new() }
    }

    pub(super) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }

    pub(super) fn read(&mut self, error: &ValidationError<'_>) {
        let mut found = Vec::new();
        self.collect(error, &mut found);
        for problem in found {
            if self.problems.len() < MOST_PROBLEMS && self.known.insert(problem.clone()) {
                self.problems.push(problem);
            }
        }
    }

    fn collect(&self, error: &ValidationError<'_>, out: &mut Vec<Problem>) {
        use ProblemCode as Code;
        use ValidationErrorKind as Kind;
        if out.len() >= MOST_PROBLEMS {
            return;
        }
        let at = error.instance_path().as_str();
        let instance = error.instance();
        let mut say = |at: String, code: Code, detail: Option<String>| {
            let detail = detail.map(|text| text.chars().take(LONGEST_DETAIL).collect());
            out.push(Problem { at, code, detail });
        };
        let mut here = |code: Code, detail: Option<String>| say(at.to_owned(), code, detail);
        match error.kind() {
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => self.alternative(at, context, out),
            Kind::Type { kind } => {
                let types = types(kind);
                let (code, detail) = wrong_type(instance, &types);
                here(code, detail);
            }
            Kind::Custom { keyword, .. } if keyword == ENUM || keyword == CONST => {
                here(if instance.is_null() { Code::Required } else { Code::Enum }, None);
            }
            Kind::Custom { keyword, message } => {
                let code = match own_name(keyword) {
                    "minimum" => Code::Minimum,
                    "maximum" => Code::Maximum,
                    "exclusiveMinimum" => Code::ExclusiveMinimum,
                    "exclusiveMaximum" => Code::ExclusiveMaximum,
                    _ => Code::MultipleOf,
                };
                here(code, Some(message.clone()));
            }
            Kind::MinLength { limit } => here(Code::MinLength, Some(limit.to_string())),
            Kind::MaxLength { limit } => here(Code::MaxLength, Some(limit.to_string())),
            Kind::MinItems { limit } => here(Code::MinItems, Some(limit.to_string())),
            Kind::MaxItems { limit } => here(Code::MaxItems, Some(limit.to_string())),
            Kind::MinProperties { limit } => here(Code::MinProperties, Some(limit.to_string())),
            Kind::MaxProperties { limit } => here(Code::MaxProperties, Some(limit.to_string())),
            Kind::Pattern { pattern } => {
                let written = self.patterns.get(pattern).map_or(pattern.as_str(), |pattern| &pattern.written);
                here(Code::Pattern, Some(written.to_owned()));
            }
            Kind::Format { format } => here(Code::Format, Some(format.clone())),
            Kind::UniqueItems => {
                let position = match self.value.at(at) {
                    Some(Exact::List(items)) => repeated(items),
                    _ => None,
                };
                here(Code::UniqueItems, position.map(|position| (position + 1).to_string()));
            }
            Kind::Required { property } => say(within(at, text(property)), Code::Required, None),
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                for name in unexpected.iter().take(MOST_PROBLEMS) {
                    say(within(at, name), Code::UnknownProperty, None);
                }
            }
            Kind::PropertyNames { error } => {
                say(within(at, text(error.instance())), Code::PropertyNames, None);
            }
            Kind::AdditionalItems { .. } | Kind::UnevaluatedItems { .. } => here(Code::UnknownItems, None),
            Kind::Contains => here(Code::Contains, None),
            Kind::Not { .. } => here(Code::Not, None),
            Kind::OneOfMultipleValid { .. } => here(Code::OneOf, None),
            // The rest comes of keywords that no schema has that is said anew, or of a false one.
            _ => here(Code::Never, None),
        }
    }

    /// What is wrong by the alternative that was chosen, or by the one that comes nearest.
    fn alternative(&self, at: &str, context: &[Vec<ValidationError<'static>>], out: &mut Vec<Problem>) {
        let read = |errors: &[ValidationError<'static>]| {
            let mut found = Vec::new();
            for error in errors {
                self.collect(error, &mut found);
            }
            found
        };
        let chosen = self
            .chosen
            .get(at)
            .and_then(|index| context.get(usize::try_from(*index).ok()?))
            .map(|errors| read(errors));
        let nearest = || {
            let all = context.iter().map(|errors| read(errors));
            all.min_by_key(|problems| problems.iter().map(|problem| problem.weight(at)).sum::<usize>())
        };
        out.extend(chosen.or_else(nearest).unwrap_or_default());
    }
}

impl Problem {
    /// A wrong type or a wrong fixed value says more about an alternative than a limit that is passed.
    fn weight(&self, whole: &str) -> usize {
        match self.code {
            ProblemCode::WrongType | ProblemCode::Never if self.at == whole => 1_000,
            ProblemCode::WrongType | ProblemCode::Never => 40,
            ProblemCode::Enum => 60,
            ProblemCode::UnknownProperty => 5,
            _ => 10,
        }
    }
}

fn types(kind: &TypeKind) -> Vec<JsonType> {
    match kind {
        TypeKind::Single(one) => vec![*one],
        TypeKind::Multiple(several) => several.iter().collect(),
    }
}

fn wrong_type(instance: &Value, types: &[JsonType]) -> (ProblemCode, Option<String>) {
    let takes = |one: JsonType| types.contains(&one);
    if instance.is_null() {
        return (ProblemCode::Required, None);
    }
    if instance.is_string() && (takes(JsonType::Number) || takes(JsonType::Integer)) {
        return (ProblemCode::NotNumber, None);
    }
    if instance.is_number() && takes(JsonType::Integer) {
        return (ProblemCode::NotInteger, None);
    }
    let expected = types.iter().find(|one| **one != JsonType::Null).or_else(|| types.first());
    (ProblemCode::WrongType, expected.map(ToString::to_string))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The pointer to a member.
pub(crate) fn within(at: &str, name: &str) -> String {
    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
}
