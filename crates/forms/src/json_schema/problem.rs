//! The problems of a value. Each has a place and a code, for which front ends have a text.

use std::collections::{HashMap, HashSet};

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde::Serialize;
use serde_json::Value;
use ts_rs::TS;

use super::ChosenSchemas;
use super::exact::{ExactValue, find_duplicate};
use super::keywords::{CONST, ENUM, without_prefix};
use super::pattern::Pattern;

/// The most problems, and the most characters of a detail.
const MAX_PROBLEMS: usize = 1_000;
const MAX_DETAIL_CHARS: usize = 512;

/// A problem of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, TS)]
pub struct SchemaProblem {
    /// The JSON Pointer (RFC 6901) to the value or to the missing member.
    pub at: String,
    /// The kind of the problem.
    pub code: SchemaProblemCode,
    /// The rule's limit, type, pattern or format. For `uniqueItems`, the position of the duplicate.
    pub detail: Option<String>,
}

/// Kinds of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "most have the names of JSON Schema keywords")]
pub enum SchemaProblemCode {
    /// The value is missing, or is null although null is not allowed.
    Required,
    /// The value is not of the type in `detail`.
    WrongType,
    /// The value is a string instead of a number.
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
    /// A name that the schema doesn't allow. Servers often accept it anyway.
    UnknownProperty,
    /// An item that no rule allows.
    UnknownItems,
    Not,
    /// The value matches several schemas of a `oneOf`.
    OneOf,
    /// No value is allowed.
    Never,
}

/// Collects the engine's errors as problems.
pub(super) struct ProblemCollector<'a> {
    value: &'a ExactValue,
    chosen: &'a ChosenSchemas,
    patterns: &'a HashMap<String, Pattern>,
    problems: Vec<SchemaProblem>,
    known: HashSet<SchemaProblem>,
}

impl<'a> ProblemCollector<'a> {
    pub(super) fn new(
        value: &'a ExactValue,
        chosen: &'a ChosenSchemas,
        patterns: &'a HashMap<String, Pattern>,
    ) -> Self {
        Self { value, chosen, patterns, problems: Vec::new(), known: HashSet::new() }
    }

    pub(super) fn into_problems(self) -> Vec<SchemaProblem> {
        self.problems
    }

    pub(super) fn add_error(&mut self, error: &ValidationError<'_>) {
        let mut found = Vec::new();
        self.collect_problems(error, &mut found);
        for problem in found {
            if self.problems.len() < MAX_PROBLEMS && self.known.insert(problem.clone()) {
                self.problems.push(problem);
            }
        }
    }

    fn collect_problems(&self, error: &ValidationError<'_>, out: &mut Vec<SchemaProblem>) {
        use SchemaProblemCode as Code;
        use ValidationErrorKind as Kind;
        if out.len() >= MAX_PROBLEMS {
            return;
        }
        let at = error.instance_path().as_str();
        let instance = error.instance();
        let mut say = |at: String, code: Code, detail: Option<String>| {
            let detail = detail.map(|text| text.chars().take(MAX_DETAIL_CHARS).collect());
            out.push(SchemaProblem { at, code, detail });
        };
        let mut here = |code: Code, detail: Option<String>| say(at.to_owned(), code, detail);
        match error.kind() {
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                self.collect_alternative(at, context, out);
            }
            Kind::Type { kind } => {
                let types = expected_types(kind);
                let (code, detail) = describe_wrong_type(instance, &types);
                here(code, detail);
            }
            Kind::Custom { keyword, .. } if keyword == ENUM || keyword == CONST => {
                here(if instance.is_null() { Code::Required } else { Code::Enum }, None);
            }
            Kind::Custom { keyword, message } => {
                let code = match without_prefix(keyword) {
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
                let position = match self.value.find_at(at) {
                    Some(ExactValue::List(items)) => find_duplicate(items),
                    _ => None,
                };
                here(Code::UniqueItems, position.map(|position| (position + 1).to_string()));
            }
            Kind::Required { property } => say(member_pointer(at, as_text(property)), Code::Required, None),
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                for name in unexpected.iter().take(MAX_PROBLEMS) {
                    say(member_pointer(at, name), Code::UnknownProperty, None);
                }
            }
            Kind::PropertyNames { error } => {
                say(member_pointer(at, as_text(error.instance())), Code::PropertyNames, None);
            }
            Kind::AdditionalItems { .. } | Kind::UnevaluatedItems { .. } => here(Code::UnknownItems, None),
            Kind::Contains => here(Code::Contains, None),
            Kind::Not { .. } => here(Code::Not, None),
            Kind::OneOfMultipleValid { .. } => here(Code::OneOf, None),
            // The other kinds come from keywords that no normalized schema has, or from `false`.
            _ => here(Code::Never, None),
        }
    }

    /// Collects the problems of the chosen alternative, or of the alternative that matches best.
    fn collect_alternative(
        &self,
        at: &str,
        context: &[Vec<ValidationError<'static>>],
        out: &mut Vec<SchemaProblem>,
    ) {
        let read = |errors: &[ValidationError<'static>]| {
            let mut found = Vec::new();
            for error in errors {
                self.collect_problems(error, &mut found);
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
            all.min_by_key(|problems| problems.iter().map(|problem| problem.severity(at)).sum::<usize>())
        };
        out.extend(chosen.or_else(nearest).unwrap_or_default());
    }
}

impl SchemaProblem {
    /// How strongly the problem speaks against an alternative. A wrong type counts more than an exceeded
    /// limit.
    fn severity(&self, whole: &str) -> usize {
        match self.code {
            SchemaProblemCode::WrongType | SchemaProblemCode::Never if self.at == whole => 1_000,
            SchemaProblemCode::WrongType | SchemaProblemCode::Never => 40,
            SchemaProblemCode::Enum => 60,
            SchemaProblemCode::UnknownProperty => 5,
            _ => 10,
        }
    }
}

fn expected_types(kind: &TypeKind) -> Vec<JsonType> {
    match kind {
        TypeKind::Single(one) => vec![*one],
        TypeKind::Multiple(several) => several.iter().collect(),
    }
}

fn describe_wrong_type(instance: &Value, types: &[JsonType]) -> (SchemaProblemCode, Option<String>) {
    let takes = |one: JsonType| types.contains(&one);
    if instance.is_null() {
        return (SchemaProblemCode::Required, None);
    }
    if instance.is_string() && (takes(JsonType::Number) || takes(JsonType::Integer)) {
        return (SchemaProblemCode::NotNumber, None);
    }
    if instance.is_number() && takes(JsonType::Integer) {
        return (SchemaProblemCode::NotInteger, None);
    }
    let expected = types.iter().find(|one| **one != JsonType::Null).or_else(|| types.first());
    (SchemaProblemCode::WrongType, expected.map(ToString::to_string))
}

fn as_text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The JSON Pointer to a member.
pub(crate) fn member_pointer(at: &str, name: &str) -> String {
    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
}
