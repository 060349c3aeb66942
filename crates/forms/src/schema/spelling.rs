//! Types as people and generators name them: `int`, `Optional[str]`, `string|null`, `List<String>`, `STRING`.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::Keywords;

/// The types of JSON Schema, each with the names that it has elsewhere.
const NAMES: [(&str, &[&str]); 7] = [
    (
        "string",
        &[
            "string",
            "str",
            "text",
            "char",
            "varchar",
            "uuid",
            "guid",
            "url",
            "uri",
            "email",
            "path",
            "file",
            "date",
            "datetime",
            "date-time",
            "time",
            "timestamp",
            "duration",
            "timedelta",
            "bytes",
            "base64",
            "password",
        ],
    ),
    (
        "integer",
        &[
            "integer",
            "int",
            "long",
            "short",
            "byte",
            "bigint",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "i8",
            "i16",
            "i32",
            "i64",
            "i128",
            "u8",
            "u16",
            "u32",
            "u64",
            "u128",
            "isize",
            "usize",
            "biginteger",
        ],
    ),
    (
        "number",
        &[
            "number",
            "num",
            "float",
            "double",
            "decimal",
            "real",
            "numeric",
            "float32",
            "float64",
            "f32",
            "f64",
            "single",
            "bigdecimal",
        ],
    ),
    ("boolean", &["boolean", "bool"]),
    (
        "object",
        &[
            "object",
            "dict",
            "dictionary",
            "map",
            "hash",
            "hashmap",
            "record",
            "struct",
            "mapping",
            "btreemap",
        ],
    ),
    (
        "array",
        &[
            "array",
            "list",
            "tuple",
            "set",
            "sequence",
            "vec",
            "vector",
            "slice",
            "iterable",
            "arraylist",
            "frozenset",
        ],
    ),
    ("null", &["null", "none", "nil", "nonetype", "undefined", "void"]),
];
/// Any value.
const ANY: [&str; 6] = ["any", "json", "mixed", "unknown", "dynamic", "interface{}"];
/// What is written before the name of a type.
const PREFIXES: [&str; 6] = ["typing.", "builtins.", "java.lang.", "java.util.", "system.", "std::"];
/// Keywords that only one type has.
const HINTS: [(&str, &[&str]); 4] = [
    ("object", &["properties", "required", "additionalProperties", "patternProperties"]),
    ("array", &["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]),
    ("string", &["minLength", "maxLength", "pattern", "format"]),
    ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
];

/// What a type by any name is.
#[derive(Debug, Default, PartialEq, Eq)]
struct Meant {
    /// Types of JSON Schema; none of them: any value.
    types: Vec<&'static str>,
    nullable: bool,
    /// What stands in a list, as it was written.
    items: Option<String>,
}

/// Whether a type is the one of null, by whatever name.
pub(super) fn is_null(name: &str) -> bool {
    meant(name, 0).is_some_and(|meant| meant.types.is_empty() && meant.nullable)
}

/// Reads the type of a schema in the words of JSON Schema, and takes null out of it.
pub(super) fn mend(keywords: &mut Keywords<'_>) {
    let Some(written) = keywords.take("type") else { return };
    let names: Vec<&str> = match &*written {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let mut all = Meant::default();
    let mut is_any = names.is_empty();
    for name in names {
        let read = meant(name, 0);
        let known = NAMES.iter().any(|(own, _)| *own == name);
        if let Some(meant) = read {
            is_any |= meant.types.is_empty() && !meant.nullable;
            all.nullable |= meant.nullable;
            all.items = all.items.or(meant.items);
            for one in meant.types {
                if !all.types.contains(&one) {
                    all.types.push(one);
                }
            }
        } else {
            is_any = true;
        }
        if !known {
            let means = meant(name, 0).map(|meant| meant.said());
            keywords.misspelled.push((Value::from(name), means));
        }
    }
    if !matches!(*written, Value::String(_) | Value::Array(_)) {
        keywords.misspelled.push(((*written).clone(), None));
    }
    if all.types.contains(&"number") {
        all.types.retain(|one| *one != "integer");
    }
    if let Some(items) = all.items
        && !keywords.has("items")
    {
        // In the words of JSON Schema where one word is enough.
        let own = meant(&items, 0).filter(|one| one.items.is_none() && !one.nullable && one.types.len() == 1);
        let name = own.and_then(|one| one.types.first().copied()).map_or(items, str::to_owned);
        keywords.set("items", Cow::Owned(json!({ "type": name })));
    }
    keywords.nullable |= all.nullable;
    match all.types.as_slice() {
        _ if is_any => {}
        [] if all.nullable => keywords.set("const", Cow::Owned(Value::Null)),
        [] => {}
        [one] => keywords.set("type", Cow::Owned(Value::from(*one))),
        several => keywords.set("type", Cow::Owned(json!(several))),
    }
}

/// Says the type where only keywords of one type stand.
pub(super) fn infer(keywords: &mut Keywords<'_>) {
    let says = ["type", "const", "enum", "oneOf", "anyOf"].iter().any(|key| keywords.has(key));
    if says || !keywords.misspelled.is_empty() {
        return;
    }
    let found = HINTS.iter().find(|(_, keys)| keys.iter().any(|key| keywords.has(key)));
    if let Some((name, _)) = found {
        keywords.set("type", Cow::Owned(Value::from(*name)));
    }
}

impl Meant {
    /// In the words of JSON Schema.
    fn said(&self) -> String {
        let null = self.nullable.then_some("null");
        let all: Vec<&str> = self.types.iter().copied().chain(null).collect();
        if all.is_empty() { "any".to_owned() } else { all.join(" | ") }
    }
}

fn meant(name: &str, depth: usize) -> Option<Meant> {
    if depth > 8 || name.len() > 256 {
        return None;
    }
    let trimmed = name.trim();
    let lower = trimmed.to_ascii_lowercase();
    let bare = PREFIXES.iter().fold(lower.as_str(), |rest, prefix| rest.strip_prefix(prefix).unwrap_or(rest));
    // The same part of the name as it was written: names of types may hold others.
    let own = trimmed.get(trimmed.len().checked_sub(bare.len())?..)?;
    if let Some((json, _)) = NAMES.iter().find(|(_, names)| names.contains(&bare)) {
        let nullable = *json == "null";
        return Some(Meant { types: if nullable { Vec::new() } else { vec![*json] }, nullable, items: None });
    }
    if ANY.contains(&bare) {
        return Some(Meant::default());
    }
    let alternatives = split(own, '|');
    if alternatives.len() > 1 {
        return together(&alternatives, depth);
    }
    let list_of = |items: &str| {
        meant(items, depth + 1).map(|_| Meant {
            types: vec!["array"],
            nullable: false,
            items: Some(items.to_owned()),
        })
    };
    if let Some(rest) = own.strip_suffix('?') {
        return Some(Meant { nullable: true, ..meant(rest, depth + 1)? });
    }
    if let Some(items) = own.strip_suffix("[]").or_else(|| own.strip_prefix("[]")) {
        return list_of(items);
    }
    let opened = own.find(['[', '<', '('])?;
    let inner = own.get(opened + 1..)?.strip_suffix([']', '>', ')'])?;
    let inner_parts = split(inner, ',');
    match (bare.get(..opened)?, inner_parts.as_slice()) {
        ("optional" | "nullable" | "option" | "maybe", [one]) => {
            Some(Meant { nullable: true, ..meant(one, depth + 1)? })
        }
        ("union", all) => together(all, depth),
        (outer, parts) => {
            let outer = meant(outer, depth + 1)?;
            match (outer.types.as_slice(), parts) {
                (["array"], [one]) => list_of(one),
                _ => Some(outer),
            }
        }
    }
}

fn together(names: &[&str], depth: usize) -> Option<Meant> {
    let mut all = Meant::default();
    for name in names {
        let one = meant(name, depth + 1)?;
        // Anything, among others, is anything.
        if one.types.is_empty() && !one.nullable {
            return Some(one);
        }
        all.types.extend(one.types.into_iter().filter(|of| !all.types.contains(of)).collect::<Vec<_>>());
        all.nullable |= one.nullable;
        all.items = all.items.or(one.items);
    }
    Some(all)
}

/// The parts between separators that stand in no brackets.
fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut from, mut open) = (Vec::new(), 0, 0_usize);
    for (at, char) in text.char_indices() {
        match char {
            '[' | '<' | '(' => open += 1,
            ']' | '>' | ')' => open = open.saturating_sub(1),
            _ if char == separator && open == 0 => {
                parts.push(text[from..at].trim());
                from = at + char.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: ELIC-11, ELIC-17.
    #[test]
    fn types_of_programming_languages_are_read_as_what_they_mean() {
        for (name, said, items) in [
            ("string", "string", None),
            ("str", "string", None),
            ("STRING", "string", None),
            ("java.lang.String", "string", None),
            ("Int64", "integer", None),
            ("Float", "number", None),
            ("bool", "boolean", None),
            ("dict", "object", None),
            ("Dict[str, int]", "object", None),
            ("Map<String, Object>", "object", None),
            ("list", "array", None),
            ("List[str]", "array", Some("str")),
            ("string[]", "array", Some("string")),
            ("[]string", "array", Some("string")),
            ("Vec<String>", "array", Some("String")),
            ("tuple[int, int]", "array", None),
            ("str | None", "string | null", None),
            ("Optional[List[int]]", "array | null", Some("int")),
            ("Union[int, str, None]", "integer | string | null", None),
            ("int?", "integer | null", None),
            ("NoneType", "null", None),
            ("any", "any", None),
        ] {
            let read = meant(name, 0).unwrap_or_else(|| panic!("{name}"));
            assert_eq!((read.said().as_str(), read.items.as_deref()), (said, items), "{name}");
        }
        for name in ["money", "", "list[money]", "Foo<Bar>", "int|", "[", "<>", &"[]".repeat(100)] {
            assert_eq!(meant(name, 0), None, "{name}");
        }
    }
}
