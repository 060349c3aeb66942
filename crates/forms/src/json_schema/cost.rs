//! Estimates the cost of a check in advance, because references between schemas multiply and the engine has
//! no limit.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::UncheckedReason;
use super::exact::ExactValue;
use super::keywords::{CONST, ENUM};
use super::normalize::NormalizedSchema;
use super::pattern::Pattern;

/// The deepest recursion of the engine for which `STACK_BYTES` is enough.
const MAX_DEPTH: usize = 1_000;
/// The most steps of the estimate itself.
const MAX_STEPS: u64 = 2_000_000;
/// How many bytes of a compiled pattern cost one step for each character of text.
const BYTES_PER_STEP: usize = 1_000;

/// An upper limit for the number of pairs of schema and value that the engine checks, each weighted with its
/// cost.
///
/// The cost of a definition at a value is computed only once. A definition that refers to itself at the same
/// value adds nothing, because the engine stops there.
pub(super) fn estimate_cost(
    normalized: &NormalizedSchema,
    value: &ExactValue,
) -> Result<u64, UncheckedReason> {
    let definitions =
        normalized.schema.get("$defs").and_then(Value::as_object).ok_or(UncheckedReason::TooMuch)?;
    let mut count = Count { definitions, patterns: &normalized.patterns, known: HashMap::new(), steps: 0 };
    count.estimate_schema_cost(&normalized.schema, value, 0, true)
}

struct Count<'a> {
    definitions: &'a Map<String, Value>,
    patterns: &'a HashMap<String, Pattern>,
    /// The cost of a definition at a value. `None` while it is being computed.
    known: HashMap<(&'a str, *const ExactValue), Option<u64>>,
    steps: u64,
}

impl<'a> Count<'a> {
    fn estimate_schema_cost(
        &mut self,
        schema: &'a Value,
        value: &ExactValue,
        depth: usize,
        is_kept: bool,
    ) -> Result<u64, UncheckedReason> {
        self.steps += 1;
        if self.steps > MAX_STEPS || depth > MAX_DEPTH {
            return Err(UncheckedReason::TooMuch);
        }
        let Value::Object(schema) = schema else { return Ok(1) };
        let mut sum = 1_u64;
        let mut add = |cost: u64| sum = sum.saturating_add(cost);
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            add(self.estimate_definition_cost(reference, value, depth + 1, is_kept)?);
        }
        for name in ["allOf", "anyOf", "oneOf"] {
            for part in schema.get(name).and_then(Value::as_array).into_iter().flatten() {
                add(self.estimate_schema_cost(part, value, depth + 1, is_kept)?);
            }
        }
        for name in ["not", "if", "then", "else"] {
            if let Some(part) = schema.get(name) {
                add(self.estimate_schema_cost(part, value, depth + 1, is_kept)?);
            }
        }
        match value {
            ExactValue::Text(text) => {
                let pattern = schema.get("pattern").and_then(|pattern| self.patterns.get(pattern.as_str()?));
                if let Some(pattern) = pattern {
                    add(match_cost(text, pattern.size));
                }
            }
            ExactValue::List(items) => add(self.estimate_list_cost(schema, items, depth, is_kept)?),
            ExactValue::Members(members) => {
                for part in schema.get("dependentSchemas").and_then(Value::as_object).into_iter().flatten() {
                    add(self.estimate_schema_cost(part.1, value, depth + 1, is_kept)?);
                }
                let lists = ["required", "dependentRequired"].iter().filter_map(|name| schema.get(*name));
                add(lists.map(count_names).sum());
                add(u64::try_from(members.len()).unwrap_or(u64::MAX));
                for (name, member) in members {
                    add(self.estimate_member_cost(schema, name, member, depth, is_kept)?);
                }
            }
            _ => {}
        }
        if value.is_container() {
            let looks_inside = schema.contains_key(ENUM)
                || schema.contains_key(CONST)
                || schema.get("uniqueItems").is_some();
            if looks_inside {
                add(count_values(value));
            }
            // These keywords check all other keywords at this place again.
            if schema.contains_key("unevaluatedProperties") || schema.contains_key("unevaluatedItems") {
                sum = sum.saturating_mul(2);
            }
        }
        Ok(sum)
    }

    fn estimate_definition_cost(
        &mut self,
        reference: &'a str,
        value: &ExactValue,
        depth: usize,
        is_kept: bool,
    ) -> Result<u64, UncheckedReason> {
        let found =
            reference.strip_prefix("#/$defs/").and_then(|number| self.definitions.get_key_value(number));
        let (number, schema) = found.ok_or(UncheckedReason::TooMuch)?;
        let key = (number.as_str(), std::ptr::from_ref(value));
        match self.known.get(&key) {
            // The cost is already known.
            Some(Some(cost)) if is_kept => return Ok(*cost),
            Some(None) if is_kept => return Ok(0),
            _ => {}
        }
        if is_kept {
            self.known.insert(key, None);
        }
        let cost = self.estimate_schema_cost(schema, value, depth, is_kept)?;
        if is_kept {
            self.known.insert(key, Some(cost));
        }
        Ok(cost)
    }

    fn estimate_list_cost(
        &mut self,
        schema: &'a Map<String, Value>,
        items: &[ExactValue],
        depth: usize,
        is_kept: bool,
    ) -> Result<u64, UncheckedReason> {
        let places = schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut sum = 0_u64;
        for (index, item) in items.iter().enumerate() {
            let own = places.get(index).or_else(|| schema.get("items"));
            for part in own
                .into_iter()
                .chain(["contains", "unevaluatedItems"].iter().filter_map(|name| schema.get(*name)))
            {
                sum = sum.saturating_add(self.estimate_schema_cost(part, item, depth + 1, is_kept)?);
            }
        }
        Ok(sum)
    }

    fn estimate_member_cost(
        &mut self,
        schema: &'a Map<String, Value>,
        name: &str,
        member: &ExactValue,
        depth: usize,
        is_kept: bool,
    ) -> Result<u64, UncheckedReason> {
        let mut sum = 0_u64;
        let own = schema.get("properties").and_then(|properties| properties.get(name));
        let rest =
            ["additionalProperties", "unevaluatedProperties"].iter().filter_map(|name| schema.get(*name));
        for part in own.into_iter().chain(rest) {
            sum = sum.saturating_add(self.estimate_schema_cost(part, member, depth + 1, is_kept)?);
        }
        for (pattern, part) in
            schema.get("patternProperties").and_then(Value::as_object).into_iter().flatten()
        {
            let size = self.patterns.get(pattern).map_or(0, |pattern| pattern.size);
            sum = sum.saturating_add(match_cost(name, size)).saturating_add(self.estimate_schema_cost(
                part,
                member,
                depth + 1,
                is_kept,
            )?);
        }
        if let Some(part) = schema.get("propertyNames") {
            // The cost for a name can't be stored, because the name is a temporary value without a stable
            // address.
            sum = sum.saturating_add(self.estimate_schema_cost(
                part,
                &ExactValue::Text(name.to_owned()),
                depth + 1,
                false,
            )?);
        }
        Ok(sum)
    }
}

fn match_cost(text: &str, size: usize) -> u64 {
    u64::try_from(text.len().saturating_mul(size) / BYTES_PER_STEP).unwrap_or(u64::MAX)
}

/// Counts the names in a list.
fn count_names(names: &Value) -> u64 {
    let count = match names {
        Value::Array(names) => names.len(),
        Value::Object(all) => all.values().map(|names| names.as_array().map_or(0, Vec::len)).sum(),
        _ => 0,
    };
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Counts the values in a value.
fn count_values(value: &ExactValue) -> u64 {
    match value {
        ExactValue::List(items) => items.iter().map(count_values).sum::<u64>() + 1,
        ExactValue::Members(members) => members.values().map(count_values).sum::<u64>() + 1,
        _ => 1,
    }
}
