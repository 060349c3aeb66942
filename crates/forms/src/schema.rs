//! The keywords that hold at one place of a schema, as generators write them: references inside the schema followed, `allOf`
//! merged, null taken out of types and alternatives, and types by the names of programming languages read as what they mean.
//! The Workbench reads the same (`ui/src/lib/schema`).

mod spelling;

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Ordering;

use mooring_base::json::{compared, is_same};
use mooring_words::{Sentence, say};
use serde_json::{Map, Value};

/// How many schemas are looked at for one field: references and parts multiply.
const MOST_STEPS: usize = 1_000;
/// How deep references, parts and alternatives may lie in each other.
const DEEPEST: usize = 32;

/// They say nothing about a value.
const SILENT: [&str; 9] = [
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
/// They describe a value and do not limit it.
pub(crate) const ABOUT: [&str; 9] = [
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

/// What stands in one schema or several that hold at once, in their order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keywords<'a> {
    all: Vec<(&'a str, Cow<'a, Value>)>,
    /// Null is an answer too.
    pub(crate) nullable: bool,
    /// A type as it was written, where no such type exists, and what it was read as.
    pub(crate) misspelled: Vec<(Value, Option<String>)>,
    /// Rules that two parts have and that are not one rule.
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

    /// Without what only describes.
    pub(crate) fn limits(&self) -> impl Iterator<Item = (&'a str, &Value)> {
        self.iter().filter(|(key, _)| !ABOUT.contains(key))
    }

    /// What stands in the schema itself, for as long as that does.
    fn borrowed(&self, name: &str) -> Option<&'a Value> {
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

    /// Both at once. What describes is kept as it is here.
    fn merge(&mut self, other: Self) {
        self.misspelled.extend(other.misspelled);
        self.conflicts.extend(other.conflicts);
        for (key, value) in other.all {
            match self.get(key) {
                None => self.all.push((key, value)),
                Some(own) if ABOUT.contains(&key) || is_same(own, &value) => {}
                Some(own) => match both(key, own, &value) {
                    Some(both) => self.set(key, Cow::Owned(both)),
                    None => self.conflicts.push(key),
                },
            }
        }
    }
}

/// One rule for two.
fn both(key: &str, own: &Value, other: &Value) -> Option<Value> {
    let narrower = |wanted: Ordering| {
        let (left, right) = (own.as_number()?, other.as_number()?);
        Some(if compared(right, left)? == wanted { other.clone() } else { own.clone() })
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
                .filter(|one| other.as_array().is_some_and(|all| all.iter().any(|two| is_same(one, two))));
            Some(Value::Array(shared.cloned().collect()))
        }
        "type" => match (own.as_str(), other.as_str()) {
            (Some("number"), Some("integer")) | (Some("integer"), Some("number")) => Some("integer".into()),
            (None, Some(one)) if names(own).any(|name| name == one) => Some(other.clone()),
            (Some(one), None) if names(other).any(|name| name == one) => Some(own.clone()),
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

fn names(types: &Value) -> impl Iterator<Item = &str> {
    types.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// A schema with the places that references in it may point at.
pub(crate) struct Document<'a> {
    root: &'a Value,
    steps: Cell<usize>,
}

impl<'a> Document<'a> {
    pub(crate) fn new(root: &'a Value) -> Self {
        Self { root, steps: Cell::new(0) }
    }

    /// The next field begins: it may be as large as the last one.
    pub(crate) fn begin(&self) {
        self.steps.set(0);
    }

    /// What holds at a schema, with one type or none, and alternatives only where there are several.
    pub(crate) fn read<'b>(&'b self, schema: &'b Value) -> Result<Keywords<'b>, Sentence> {
        let flat = self.flat(schema, 0)?;
        self.plain(flat, 0)
    }

    /// A branch of alternatives together with what holds for all of them.
    pub(crate) fn branch<'b>(
        &'b self,
        branch: &'b Value,
        shared: &Keywords<'b>,
    ) -> Result<Keywords<'b>, Sentence> {
        let mut flat = self.flat(branch, 0)?;
        let limits =
            shared.all.iter().filter(|(key, _)| !ABOUT.contains(key) && !matches!(*key, "anyOf" | "oneOf"));
        flat.merge(Keywords { all: limits.cloned().collect(), ..Keywords::default() });
        self.plain(flat, 0)
    }

    fn flat<'b>(&'b self, schema: &'b Value, depth: usize) -> Result<Keywords<'b>, Sentence> {
        self.step(depth)?;
        let mut keywords = Keywords::default();
        let members = match schema {
            Value::Bool(true) => return Ok(keywords),
            Value::Bool(false) => return Err(say!("takes no value at all")),
            // PHP writes an empty object so.
            Value::Array(none) if none.is_empty() => return Ok(keywords),
            Value::Object(members) => members,
            _ => return Err(say!("is not an object")),
        };
        let mut parts = Vec::new();
        for (key, value) in members {
            match (key.as_str(), value) {
                ("$ref", Value::String(to)) => parts.insert(0, self.target(to)?),
                ("allOf", Value::Array(all)) => parts.extend(all),
                (key, _) if SILENT.contains(&key) => {}
                (key, value) => keywords.all.push((key, Cow::Borrowed(value))),
            }
        }
        spelling::mend(&mut keywords);
        if members.get("nullable") == Some(&Value::Bool(true)) {
            keywords.nullable = true;
        }
        // Null is taken where all that say something of the type take it.
        let typed = keywords.has("type").then_some(keywords.nullable);
        let mut takes_null: Option<bool> = typed.or(keywords.nullable.then_some(true));
        for part in parts {
            let part = self.plain(self.flat(part, depth + 1)?, depth + 1)?;
            takes_null = Some(takes_null.unwrap_or(true) && part.nullable);
            keywords.merge(part);
        }
        keywords.nullable = takes_null.unwrap_or_default();
        Ok(keywords)
    }

    /// Takes null out of alternatives, and reads the only one that is left in their place.
    fn plain<'b>(&'b self, mut keywords: Keywords<'b>, depth: usize) -> Result<Keywords<'b>, Sentence> {
        self.step(depth)?;
        spelling::infer(&mut keywords);
        for name in ["anyOf", "oneOf"] {
            let Some(Value::Array(branches)) = keywords.borrowed(name) else { continue };
            let rest: Vec<&'b Value> = branches.iter().filter(|branch| !self.is_null(branch)).collect();
            let had_null = rest.len() < branches.len();
            keywords.nullable |= had_null;
            match rest.as_slice() {
                [] if had_null => {
                    keywords.take(name);
                    keywords.set("const", Cow::Owned(Value::Null));
                }
                // A choice of one is a choice: its title is no title of the field.
                [only] if only.get("const").is_none() && !only_demands(only) => {
                    keywords.take(name);
                    let branch = self.flat(only, depth + 1)?;
                    let takes_null = keywords.nullable || branch.nullable;
                    keywords.merge(branch);
                    keywords.nullable = takes_null;
                    return self.plain(keywords, depth + 1);
                }
                _ => {}
            }
        }
        Ok(keywords)
    }

    /// The alternatives of a schema, without null and where they change what is answered; the name of their keyword.
    pub(crate) fn alternatives<'b>(
        &'b self,
        keywords: &Keywords<'b>,
    ) -> Option<(&'static str, Vec<&'b Value>)> {
        ["oneOf", "anyOf"].into_iter().find_map(|name| {
            let branches = keywords.borrowed(name)?.as_array()?;
            let rest: Vec<&Value> = branches.iter().filter(|branch| !self.is_null(branch)).collect();
            (!rest.is_empty() && !rest.iter().all(|branch| only_demands(branch))).then_some((name, rest))
        })
    }

    fn is_null(&self, branch: &Value) -> bool {
        let says_null = |schema: &Map<String, Value>| {
            schema.get("const") == Some(&Value::Null)
                || schema.get("enum").is_some_and(|all| *all == serde_json::json!([null]))
                || schema.get("type").and_then(Value::as_str).is_some_and(spelling::is_null)
        };
        let mut here = branch;
        for _ in 0..DEEPEST {
            let Value::Object(schema) = here else { return false };
            if says_null(schema) {
                return true;
            }
            let Some(next) = schema.get("$ref").and_then(Value::as_str).and_then(|to| self.target(to).ok())
            else {
                return false;
            };
            here = next;
        }
        false
    }

    fn target(&self, reference: &str) -> Result<&'a Value, Sentence> {
        let pointer = reference.strip_prefix('#').map(unescaped);
        let id = || self.root.get("$id").and_then(Value::as_str).map(|id| id.trim_end_matches('#'));
        let found = match (&pointer, reference.split_once('#')) {
            (Some(pointer), _) if pointer.is_empty() || pointer.starts_with('/') => {
                self.root.pointer(pointer)
            }
            (Some(name), _) => anchor(self.root, name, 0),
            (None, Some((document, pointer))) if Some(document) == id() => {
                self.root.pointer(&unescaped(pointer))
            }
            (None, None) if Some(reference) == id() => Some(self.root),
            _ => return Err(say!("refers to another document, and nothing is fetched for a form")),
        };
        found.ok_or_else(|| say!("refers to a place that is not in the schema"))
    }

    fn step(&self, depth: usize) -> Result<(), Sentence> {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > MOST_STEPS || depth > DEEPEST {
            return Err(say!("refers to itself, or is nested too deeply"));
        }
        Ok(())
    }
}

/// The schema that calls itself so.
fn anchor<'a>(here: &'a Value, name: &str, depth: usize) -> Option<&'a Value> {
    if depth > DEEPEST {
        return None;
    }
    match here {
        Value::Object(members) => {
            let own = ["$anchor", "$dynamicAnchor"]
                .iter()
                .any(|key| members.get(*key).and_then(Value::as_str) == Some(name));
            if own { Some(here) } else { members.values().find_map(|value| anchor(value, name, depth + 1)) }
        }
        Value::Array(items) => items.iter().find_map(|value| anchor(value, name, depth + 1)),
        _ => None,
    }
}

/// The fragment of a reference without its percent signs (RFC 3986, section 2.1).
fn unescaped(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, more @ ..] = rest {
        let escaped = more.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = byte.map_or(more, |_| &more[2..]);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `{"required": […]}` and nothing more.
pub(crate) fn only_demands(branch: &Value) -> bool {
    branch.as_object().is_some_and(|members| {
        !members.is_empty() && members.keys().all(|key| matches!(key.as_str(), "required" | "not"))
    })
}
