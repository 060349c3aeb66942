//! Resolves the keywords at one place of a schema. Follows references within the schema, merges `allOf`,
//! removes null from types and alternatives, and translates type names of programming languages. The form in
//! the Workbench does the same (`ui/src/lib/schema`).

mod types;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;

use mooring_jsonrpc::{compare_numbers, is_equal};
use mooring_words::{Sentence, say};
use serde_json::{Map, Value};

use crate::json_schema::{Patterns, percent_decode};
use crate::type_names::is_null_type;

/// The most schemas that are read for one field, because references and parts multiply.
const MOST_STEPS: usize = 1_000;
/// The most levels of nested references, parts and alternatives.
const MAX_DEPTH: usize = 32;

/// Keywords that say nothing about a value.
const IGNORED: [&str; 9] = [
    "$schema",
    "$id",
    "$comment",
    "$anchor",
    "$dynamicAnchor",
    "$defs",
    "definitions",
    "$vocabulary",
    "discriminator",
];
/// Annotations: keywords that describe a value without constraining it.
pub(crate) const ANNOTATIONS: [&str; 9] = [
    "title",
    "description",
    "default",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "nullable",
];

/// The keywords of one schema, or of several that apply together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keywords<'a> {
    all: Vec<(&'a str, Cow<'a, Value>)>,
    /// Whether null is allowed.
    pub(crate) nullable: bool,
    /// The types that JSON Schema doesn't have, and the type that each was read as.
    pub(crate) misspelled: Vec<(Value, Option<String>)>,
    /// The keywords that two subschemas have and that can't be combined.
    pub(crate) conflicts: Vec<&'a str>,
}

impl<'a> Keywords<'a> {
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.all.iter().find(|(key, _)| *key == name).map(|(_, value)| &**value)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'a str, &Value)> {
        self.all.iter().map(|(key, value)| (*key, &**value))
    }

    /// The keywords that aren't annotations.
    pub(crate) fn constraints(&self) -> impl Iterator<Item = (&'a str, &Value)> {
        self.iter().filter(|(key, _)| !ANNOTATIONS.contains(key))
    }

    /// A keyword's value, if it is borrowed from the schema and therefore lives as long as the schema.
    fn get_borrowed(&self, name: &str) -> Option<&'a Value> {
        self.all.iter().find_map(|(key, value)| match value {
            Cow::Borrowed(value) if *key == name => Some(*value),
            _ => None,
        })
    }

    fn take(&mut self, name: &str) -> Option<Cow<'a, Value>> {
        let at = self.all.iter().position(|(key, _)| *key == name)?;
        Some(self.all.remove(at).1)
    }

    fn set(&mut self, name: &'a str, value: Cow<'a, Value>) {
        match self.all.iter_mut().find(|(key, _)| *key == name) {
            Some((_, own)) => *own = value,
            None => self.all.push((name, value)),
        }
    }

    /// Merges other keywords into these. If both have an annotation, the one of these keywords is kept.
    fn merge(&mut self, other: Self) {
        self.misspelled.extend(other.misspelled);
        self.conflicts.extend(other.conflicts);
        for (key, value) in other.all {
            match self.get(key) {
                None => self.all.push((key, value)),
                Some(own) if ANNOTATIONS.contains(&key) || is_equal(own, &value) => {}
                Some(own) => match intersect_values(key, own, &value) {
                    Some(both) => self.set(key, Cow::Owned(both)),
                    None => self.conflicts.push(key),
                },
            }
        }
    }
}

/// Combines two values of a keyword into one that requires both.
fn intersect_values(key: &str, own: &Value, other: &Value) -> Option<Value> {
    let narrower = |wanted: Ordering| {
        let (left, right) = (own.as_number()?, other.as_number()?);
        Some(if compare_numbers(right, left)? == wanted { other.clone() } else { own.clone() })
    };
    match key {
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" => narrower(Ordering::Greater),
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" => narrower(Ordering::Less),
        "uniqueItems" => Some(Value::Bool(true)),
        "required" => {
            let mut all = own.as_array()?.clone();
            all.extend(
                other
                    .as_array()?
                    .iter()
                    .filter(|name| !own.as_array().is_some_and(|own| own.contains(name)))
                    .cloned(),
            );
            Some(Value::Array(all))
        }
        "enum" => {
            let shared = own
                .as_array()?
                .iter()
                .filter(|one| other.as_array().is_some_and(|all| all.iter().any(|two| is_equal(one, two))));
            Some(Value::Array(shared.cloned().collect()))
        }
        "type" => match (own.as_str(), other.as_str()) {
            (Some("number"), Some("integer")) | (Some("integer"), Some("number")) => Some("integer".into()),
            (None, Some(one)) if type_names(own).any(|name| name == one) => Some(other.clone()),
            (Some(one), None) if type_names(other).any(|name| name == one) => Some(own.clone()),
            _ => None,
        },
        "properties" => {
            let (mut all, other) = (own.as_object()?.clone(), other.as_object()?);
            for (name, more) in other {
                let here = all.get(name).cloned();
                let one =
                    here.map_or_else(|| more.clone(), |here| serde_json::json!({ "allOf": [here, more] }));
                all.insert(name.clone(), one);
            }
            Some(Value::Object(all))
        }
        "additionalProperties" | "unevaluatedProperties" => match (own, other) {
            (Value::Bool(true), one) | (one, Value::Bool(true)) => Some(one.clone()),
            _ => Some(Value::Bool(false)),
        },
        _ => None,
    }
}

fn type_names(types: &Value) -> impl Iterator<Item = &str> {
    types.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// A schema document, in which references are resolved.
pub(crate) struct SchemaDocument<'a> {
    root: &'a Value,
    steps: Cell<usize>,
    patterns: RefCell<Patterns>,
}

impl<'a> SchemaDocument<'a> {
    pub(crate) fn new(root: &'a Value) -> Self {
        Self { root, steps: Cell::new(0), patterns: RefCell::new(Patterns::new()) }
    }

    /// Starts a new field, with the full number of steps.
    pub(crate) fn reset_steps(&self) {
        self.steps.set(0);
    }

    /// Whether answers are validated against this pattern.
    pub(crate) fn checks_pattern(&self, pattern: &str) -> bool {
        self.patterns.borrow_mut().compile(pattern).is_some()
    }

    /// Resolves the keywords of a schema. The result has at most one type, and alternatives only if there are
    /// several.
    pub(crate) fn resolve_keywords<'b>(&'b self, schema: &'b Value) -> Result<Keywords<'b>, Sentence> {
        let flat = self.flatten_schema(schema, 0)?;
        self.simplify_alternatives(flat, 0)
    }

    /// Resolves a branch of alternatives, and merges it with the keywords for all of them.
    pub(crate) fn resolve_branch<'b>(
        &'b self,
        branch: &'b Value,
        shared: &Keywords<'b>,
    ) -> Result<Keywords<'b>, Sentence> {
        let mut flat = self.flatten_schema(branch, 0)?;
        let limits = shared
            .all
            .iter()
            .filter(|(key, _)| !ANNOTATIONS.contains(key) && !matches!(*key, "anyOf" | "oneOf"));
        flat.merge(Keywords { all: limits.cloned().collect(), ..Keywords::default() });
        self.simplify_alternatives(flat, 0)
    }

    fn flatten_schema<'b>(&'b self, schema: &'b Value, depth: usize) -> Result<Keywords<'b>, Sentence> {
        self.count_step(depth)?;
        let mut keywords = Keywords::default();
        let members = match schema {
            Value::Bool(true) => return Ok(keywords),
            Value::Bool(false) => return Err(say!("accepts no value")),
            // PHP writes an empty object as an empty list.
            Value::Array(none) if none.is_empty() => return Ok(keywords),
            Value::Object(members) => members,
            _ => return Err(say!("isn’t an object")),
        };
        let mut parts = Vec::new();
        for (key, value) in members {
            match (key.as_str(), value) {
                ("$ref", Value::String(to)) => parts.insert(0, self.resolve_ref(to)?),
                ("allOf", Value::Array(all)) => parts.extend(all),
                (key, _) if IGNORED.contains(&key) => {}
                (key, value) => keywords.all.push((key, Cow::Borrowed(value))),
            }
        }
        types::normalize_type(&mut keywords);
        if members.get("nullable") == Some(&Value::Bool(true)) {
            keywords.nullable = true;
        }
        // Null is allowed if every part that constrains the type allows null.
        let typed = keywords.has("type").then_some(keywords.nullable);
        let mut takes_null: Option<bool> = typed.or(keywords.nullable.then_some(true));
        for part in parts {
            let part = self.simplify_alternatives(self.flatten_schema(part, depth + 1)?, depth + 1)?;
            takes_null = Some(takes_null.unwrap_or(true) && part.nullable);
            keywords.merge(part);
        }
        keywords.nullable = takes_null.unwrap_or_default();
        Ok(keywords)
    }

    /// Removes null from alternatives. If one alternative is left, it replaces them.
    fn simplify_alternatives<'b>(
        &'b self,
        mut keywords: Keywords<'b>,
        depth: usize,
    ) -> Result<Keywords<'b>, Sentence> {
        self.count_step(depth)?;
        types::infer_type(&mut keywords);
        for name in ["anyOf", "oneOf"] {
            let Some(Value::Array(branches)) = keywords.get_borrowed(name) else { continue };
            let rest: Vec<&'b Value> =
                branches.iter().filter(|branch| !self.is_null_branch(branch)).collect();
            let had_null = rest.len() < branches.len();
            keywords.nullable |= had_null;
            match rest.as_slice() {
                [] if had_null => {
                    keywords.take(name);
                    keywords.set("const", Cow::Owned(Value::Null));
                }
                // A single choice stays a choice, because its title is not the title of the field.
                [only] if only.get("const").is_none() && !has_only_required(only) => {
                    keywords.take(name);
                    let branch = self.flatten_schema(only, depth + 1)?;
                    let takes_null = keywords.nullable || branch.nullable;
                    keywords.merge(branch);
                    keywords.nullable = takes_null;
                    return self.simplify_alternatives(keywords, depth + 1);
                }
                _ => {}
            }
        }
        Ok(keywords)
    }

    /// Finds the alternatives of a schema, without null, and the name of their keyword. Alternatives that
    /// don't change the answer are ignored.
    pub(crate) fn find_alternatives<'b>(
        &'b self,
        keywords: &Keywords<'b>,
    ) -> Option<(&'static str, Vec<&'b Value>)> {
        ["oneOf", "anyOf"].into_iter().find_map(|name| {
            let branches = keywords.get_borrowed(name)?.as_array()?;
            let rest: Vec<&Value> = branches.iter().filter(|branch| !self.is_null_branch(branch)).collect();
            (!rest.is_empty() && !rest.iter().all(|branch| has_only_required(branch))).then_some((name, rest))
        })
    }

    fn is_null_branch(&self, branch: &Value) -> bool {
        let says_null = |schema: &Map<String, Value>| {
            schema.get("const") == Some(&Value::Null)
                || schema.get("enum").is_some_and(|all| *all == serde_json::json!([null]))
                || schema.get("type").and_then(Value::as_str).is_some_and(is_null_type)
        };
        let mut here = branch;
        for _ in 0..MAX_DEPTH {
            let Value::Object(schema) = here else { return false };
            if says_null(schema) {
                return true;
            }
            let Some(next) =
                schema.get("$ref").and_then(Value::as_str).and_then(|to| self.resolve_ref(to).ok())
            else {
                return false;
            };
            here = next;
        }
        false
    }

    fn resolve_ref(&self, reference: &str) -> Result<&'a Value, Sentence> {
        let pointer = reference.strip_prefix('#').map(percent_decode);
        let id = || self.root.get("$id").and_then(Value::as_str).map(|id| id.trim_end_matches('#'));
        let found = match (&pointer, reference.split_once('#')) {
            (Some(pointer), _) if pointer.is_empty() || pointer.starts_with('/') => {
                self.root.pointer(pointer)
            }
            (Some(name), _) => find_anchor(self.root, name, 0),
            (None, Some((document, pointer))) if Some(document) == id() => {
                self.root.pointer(&percent_decode(pointer))
            }
            (None, None) if Some(reference) == id() => Some(self.root),
            _ => return Err(say!("refers to another document, which is never fetched for a form")),
        };
        found.ok_or_else(|| say!("refers to a place that isn’t in the schema"))
    }

    fn count_step(&self, depth: usize) -> Result<(), Sentence> {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > MOST_STEPS || depth > MAX_DEPTH {
            return Err(say!("refers to itself, or is nested too deeply"));
        }
        Ok(())
    }
}

/// Finds the subschema with this `$anchor`.
fn find_anchor<'a>(here: &'a Value, name: &str, depth: usize) -> Option<&'a Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    match here {
        Value::Object(members) => {
            let own = ["$anchor", "$dynamicAnchor"]
                .iter()
                .any(|key| members.get(*key).and_then(Value::as_str) == Some(name));
            if own {
                Some(here)
            } else {
                members.values().find_map(|value| find_anchor(value, name, depth + 1))
            }
        }
        Value::Array(items) => items.iter().find_map(|value| find_anchor(value, name, depth + 1)),
        _ => None,
    }
}

/// Whether a branch is only `{"required": […]}`.
pub(crate) fn has_only_required(branch: &Value) -> bool {
    branch.as_object().is_some_and(|members| {
        !members.is_empty() && members.keys().all(|key| matches!(key.as_str(), "required" | "not"))
    })
}
