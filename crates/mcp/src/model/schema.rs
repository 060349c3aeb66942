//! Measures a schema with expanded local references. A few kilobytes can expand to billions of values.

use std::collections::HashMap;

use mooring_jsonrpc::read_value;
use serde_json::Value;

use crate::frame;

/// Depth limit for references. Schemas for people and models are far below it.
const DEEPEST: usize = 128;

/// Whether a schema, which is valid JSON, has at most `limit` values after replacing every local `$ref`. A
/// recursive reference counts once.
pub(crate) fn is_size_within(schema: &str, limit: usize) -> bool {
    if !frame::has_at_most(schema, limit) {
        return false;
    }
    let finds = |bytes: &[u8]| memchr::memmem::find(schema.as_bytes(), bytes).is_some();
    // Keys can be escaped, such as in `"\u0024ref"`. A schema with only other escapes is not parsed: many
    // servers escape all non-ASCII characters, and parsers refuse lone surrogates in patterns.
    let escaped = [&b"\\u0024"[..], b"\\u0072", b"\\u0065", b"\\u0066"];
    if !finds(b"\"$ref\"") && !escaped.into_iter().any(finds) {
        return true;
    }
    let Ok(root) = read_value(schema) else { return false };
    let mut expansion = RefExpansion { root: &root, known: HashMap::new() };
    expansion.count_values(&root, limit, 0).is_some_and(|cost| cost <= limit)
}

struct RefExpansion<'a> {
    root: &'a Value,
    /// The number of values in a pointer's target. `None` while it is being counted.
    known: HashMap<&'a str, Option<usize>>,
}

impl<'a> RefExpansion<'a> {
    /// Counts the values in `value`. `None` if there are more than `limit`, or if they are too deep.
    fn count_values(&mut self, value: &'a Value, limit: usize, depth: usize) -> Option<usize> {
        if depth > DEEPEST {
            return None;
        }
        let mut cost = 1_usize;
        match value {
            Value::Array(elements) => {
                for element in elements {
                    cost = cost.checked_add(self.count_values(element, limit, depth + 1)?)?;
                    if cost > limit {
                        return None;
                    }
                }
            }
            Value::Object(members) => {
                for (key, member) in members {
                    let member = match (key.as_str(), member) {
                        ("$ref", Value::String(pointer)) => self.follow_ref(pointer, limit, depth)?,
                        (_, member) => self.count_values(member, limit, depth + 1)?,
                    };
                    cost = cost.checked_add(member)?;
                    if cost > limit {
                        return None;
                    }
                }
            }
            _ => {}
        }
        Some(cost)
    }

    fn follow_ref(&mut self, pointer: &'a str, limit: usize, depth: usize) -> Option<usize> {
        if let Some(known) = self.known.get(pointer) {
            return Some(known.unwrap_or(1));
        }
        // References to other documents or anchors count as one value, because they are never fetched.
        let Some(target) = pointer.strip_prefix('#').and_then(|path| self.root.pointer(path)) else {
            return Some(1);
        };
        self.known.insert(pointer, None);
        let cost = self.count_values(target, limit, depth + 1)?;
        self.known.insert(pointer, Some(cost));
        Some(cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: SCH-08, SCH-09, TOOL-18.
    #[test]
    fn references_are_followed_up_to_the_limit() {
        let schema = r##"{"$defs":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/a"},"y":{"$ref":"#/$defs/a"}}}"##;
        // 1 + ($defs 1 + a 2) + (properties 1 + x 1 + 2 + y 1 + 2).
        assert!(is_size_within(schema, 11));
        assert!(!is_size_within(schema, 10));
    }

    // Requirements: SCH-09.
    #[test]
    fn a_small_schema_that_asks_for_billions_is_refused_at_once() {
        let mut definitions: Vec<String> = (0..40)
            .map(|n| {
                format!(
                    r##""d{n}":{{"anyOf":[{{"$ref":"#/$defs/d{m}"}},{{"$ref":"#/$defs/d{m}"}}]}}"##,
                    m = n + 1
                )
            })
            .collect();
        definitions.push(r#""d40":{"type":"string"}"#.to_owned());
        let bomb = format!(r##"{{"$defs":{{{}}},"$ref":"#/$defs/d0"}}"##, definitions.join(","));
        assert!(bomb.len() < 3000);
        assert!(!is_size_within(&bomb, 10_000));
    }

    // Requirements: SCH-06, SCH-08.
    #[test]
    fn a_schema_that_refers_to_itself_is_counted_once() {
        assert!(is_size_within(r##"{"properties":{"next":{"$ref":"#"}}}"##, 100));
        assert!(is_size_within(r##"{"$ref":"#"}"##, 100));
        assert!(is_size_within(r#"{"$ref":"https://example.com/schema"}"#, 100));
    }

    // Requirements: SCH-06, SCH-08.
    #[test]
    fn escapes_that_are_no_reference_cost_nothing() {
        let deep = format!("{}\"\\u00e9\"{}", "[".repeat(200), "]".repeat(200));
        for schema in [r#"{"pattern":"[\ud800-\udfff]"}"#, r#"{"title":"\u00e9"}"#, &deep] {
            assert!(is_size_within(schema, 1_000), "{schema}");
        }
        for key in ["\\u0024ref", "$\\u0072ef", "$r\\u0065f", "$re\\u0066"] {
            let items = format!(r##"{{"a":[1,2,3,4,5,6,7,8],"b":[{{"{key}":"#/a"}},{{"{key}":"#/a"}}]}}"##);
            assert!(is_size_within(&items, 40) && !is_size_within(&items, 20), "{items}");
        }
    }
}
