//! How much a check may cost, counted before it is made: schemas that refer to each other multiply, and the engine itself
//! has no bound.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::Why;
use super::exact::Exact;
use super::keywords::{CONST, ENUM};
use super::pattern::Pattern;
use super::plain::Plain;

/// How deep the engine may call itself; it has a stack for that (`STACK`).
const DEEPEST: usize = 1_000;
/// Steps of the count itself.
const MOST_STEPS: u64 = 2_000_000;
/// About how many bytes of a pattern the engine looks at, for one character each, in the time of one step.
const BYTES_PER_STEP: usize = 1_000;

/// Counts at least the schemas that the engine holds against values, each with what it costs there.
///
/// A schema that is referred to is counted once for a value, however often it is held against it. Where it comes to itself
/// at the same value, the engine stops, and nothing is added.
pub(super) fn cost(plain: &Plain, value: &Exact) -> Result<u64, Why> {
    let definitions = plain.schema.get("$defs").and_then(Value::as_object).ok_or(Why::TooMuch)?;
    let mut count = Count { definitions, patterns: &plain.patterns, known: HashMap::new(), steps: 0 };
    count.visit(&plain.schema, value, 0, true)
}

struct Count<'a> {
    definitions: &'a Map<String, Value>,
    patterns: &'a HashMap<String, Pattern>,
    /// What a definition costs at a value; none while it is counted.
    known: HashMap<(&'a str, *const Exact), Option<u64>>,
    steps: u64,
}

impl<'a> Count<'a> {
    fn visit(&mut self, schema: &'a Value, value: &Exact, depth: usize, is_kept: bool) -> Result<u64, Why> {
        self.steps += 1;
        if self.steps > MOST_STEPS || depth > DEEPEST {
            return Err(Why::TooMuch);
        }
        let Value::Object(schema) = schema else { return Ok(1) };
        let mut sum = 1_u64;
        let mut add = |cost: u64| sum = sum.saturating_add(cost);
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            add(self.definition(reference, value, depth + 1, is_kept)?);
        }
        for name in ["allOf", "anyOf", "oneOf"] {
            for part in schema.get(name).and_then(Value::as_array).into_iter().flatten() {
                add(self.visit(part, value, depth + 1, is_kept)?);
            }
        }
        for name in ["not", "if", "then", "else"] {
            if let Some(part) = schema.get(name) {
                add(self.visit(part, value, depth + 1, is_kept)?);
            }
        }
        match value {
            Exact::Text(text) => {
                let pattern = schema.get("pattern").and_then(|pattern| self.patterns.get(pattern.as_str()?));
                if let Some(pattern) = pattern {
                    add(matching(text, pattern.size));
                }
            }
            Exact::List(items) => add(self.list(schema, items, depth, is_kept)?),
            Exact::Members(members) => {
                for part in schema.get("dependentSchemas").and_then(Value::as_object).into_iter().flatten() {
                    add(self.visit(part.1, value, depth + 1, is_kept)?);
                }
                let named = ["required", "dependentRequired"].iter().filter_map(|name| schema.get(*name));
                add(named.map(weight).sum());
                add(u64::try_from(members.len()).unwrap_or(u64::MAX));
                for (name, member) in members {
                    add(self.member(schema, name, member, depth, is_kept)?);
                }
            }
            _ => {}
        }
        if value.is_container() {
            let looks_inside = schema.contains_key(ENUM)
                || schema.contains_key(CONST)
                || schema.get("uniqueItems").is_some();
            if looks_inside {
                add(size(value));
            }
            // They look at all that holds there once more.
            if schema.contains_key("unevaluatedProperties") || schema.contains_key("unevaluatedItems") {
                sum = sum.saturating_mul(2);
            }
        }
        Ok(sum)
    }

    fn definition(
        &mut self,
        reference: &'a str,
        value: &Exact,
        depth: usize,
        is_kept: bool,
    ) -> Result<u64, Why> {
        let found =
            reference.strip_prefix("#/$defs/").and_then(|number| self.definitions.get_key_value(number));
        let (number, schema) = found.ok_or(Why::TooMuch)?;
        let key = (number.as_str(), std::ptr::from_ref(value));
        match self.known.get(&key) {
            // A multiple of what is known already.
            Some(Some(cost)) if is_kept => return Ok(*cost),
            Some(None) if is_kept => return Ok(0),
            _ => {}
        }
        if is_kept {
            self.known.insert(key, None);
        }
        let cost = self.visit(schema, value, depth, is_kept)?;
        if is_kept {
            self.known.insert(key, Some(cost));
        }
        Ok(cost)
    }

    fn list(
        &mut self,
        schema: &'a Map<String, Value>,
        items: &[Exact],
        depth: usize,
        is_kept: bool,
    ) -> Result<u64, Why> {
        let places = schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut sum = 0_u64;
        for (index, item) in items.iter().enumerate() {
            let own = places.get(index).or_else(|| schema.get("items"));
            for part in own
                .into_iter()
                .chain(["contains", "unevaluatedItems"].iter().filter_map(|name| schema.get(*name)))
            {
                sum = sum.saturating_add(self.visit(part, item, depth + 1, is_kept)?);
            }
        }
        Ok(sum)
    }

    fn member(
        &mut self,
        schema: &'a Map<String, Value>,
        name: &str,
        member: &Exact,
        depth: usize,
        is_kept: bool,
    ) -> Result<u64, Why> {
        let mut sum = 0_u64;
        let own = schema.get("properties").and_then(|properties| properties.get(name));
        let rest =
            ["additionalProperties", "unevaluatedProperties"].iter().filter_map(|name| schema.get(*name));
        for part in own.into_iter().chain(rest) {
            sum = sum.saturating_add(self.visit(part, member, depth + 1, is_kept)?);
        }
        for (pattern, part) in
            schema.get("patternProperties").and_then(Value::as_object).into_iter().flatten()
        {
            let size = self.patterns.get(pattern).map_or(0, |pattern| pattern.size);
            sum = sum.saturating_add(matching(name, size)).saturating_add(self.visit(
                part,
                member,
                depth + 1,
                is_kept,
            )?);
        }
        if let Some(part) = schema.get("propertyNames") {
            // A name is no value with a place of its own, by which its cost could be known again.
            sum = sum.saturating_add(self.visit(part, &Exact::Text(name.to_owned()), depth + 1, false)?);
        }
        Ok(sum)
    }
}

fn matching(text: &str, size: usize) -> u64 {
    u64::try_from(text.len().saturating_mul(size) / BYTES_PER_STEP).unwrap_or(u64::MAX)
}

/// How many names are listed.
fn weight(names: &Value) -> u64 {
    let count = match names {
        Value::Array(names) => names.len(),
        Value::Object(all) => all.values().map(|names| names.as_array().map_or(0, Vec::len)).sum(),
        _ => 0,
    };
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// How many values a value is made of.
fn size(value: &Exact) -> u64 {
    match value {
        Exact::List(items) => items.iter().map(size).sum::<u64>() + 1,
        Exact::Members(members) => members.values().map(size).sum::<u64>() + 1,
        _ => 1,
    }
}
