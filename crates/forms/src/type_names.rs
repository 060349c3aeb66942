//! Reads type names of programming languages and generators, such as `int`, `Optional[str]`, `List<String>` and
//! `STRING`.

/// The types of JSON Schema, each with its names in other languages.
const TYPE_NAMES: [(&str, &[&str]); 7] = [
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
/// Names for any value.
const ANY_NAMES: [&str; 6] = ["any", "json", "mixed", "unknown", "dynamic", "interface{}"];
/// Prefixes of type names.
const PREFIXES: [&str; 6] = ["typing.", "builtins.", "java.lang.", "java.util.", "system.", "std::"];
/// Keywords that only one type has.
const TYPE_KEYWORDS: [(&str, &[&str]); 4] = [
    (
        "object",
        &[
            "properties",
            "required",
            "additionalProperties",
            "patternProperties",
            "minProperties",
            "maxProperties",
        ],
    ),
    ("array", &["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]),
    ("string", &["minLength", "maxLength", "pattern", "format"]),
    ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
];

/// The JSON Schema types that a type name means.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TypeMeaning {
    /// The types of JSON Schema. Empty for any value.
    pub(crate) types: Vec<&'static str>,
    pub(crate) nullable: bool,
    /// The type of a list's items, in its original spelling.
    pub(crate) items: Option<String>,
}

/// Whether this is a name of the type of null.
pub(crate) fn is_null_type(name: &str) -> bool {
    parse_type(name, 0).is_some_and(|meant| meant.types.is_empty() && meant.nullable)
}

/// Whether this is the name of a type in JSON Schema.
pub(crate) fn is_json_schema_type(name: &str) -> bool {
    TYPE_NAMES.iter().any(|(own, _)| *own == name)
}

/// The type that one of the keywords belongs to, if only one type has it.
pub(crate) fn type_of_keywords(has: impl Fn(&str) -> bool) -> Option<&'static str> {
    TYPE_KEYWORDS.iter().find(|(_, keys)| keys.iter().any(|key| has(key))).map(|(name, _)| *name)
}

impl TypeMeaning {
    /// The type in the terms of JSON Schema.
    pub(crate) fn to_text(&self) -> String {
        let null = self.nullable.then_some("null");
        let all: Vec<&str> = self.types.iter().copied().chain(null).collect();
        if all.is_empty() { "any".to_owned() } else { all.join(" | ") }
    }
}

/// Parses a type by any of its usual names. `None` if the name is unknown.
pub(crate) fn parse_type(name: &str, depth: usize) -> Option<TypeMeaning> {
    if depth > 8 || name.len() > 256 {
        return None;
    }
    let trimmed = name.trim();
    let lower = trimmed.to_ascii_lowercase();
    let bare = PREFIXES.iter().fold(lower.as_str(), |rest, prefix| rest.strip_prefix(prefix).unwrap_or(rest));
    // The same part of the original name. It may contain the names of other types.
    let own = trimmed.get(trimmed.len().checked_sub(bare.len())?..)?;
    if let Some((json, _)) = TYPE_NAMES.iter().find(|(_, names)| names.contains(&bare)) {
        let nullable = *json == "null";
        return Some(TypeMeaning {
            types: if nullable { Vec::new() } else { vec![*json] },
            nullable,
            items: None,
        });
    }
    if ANY_NAMES.contains(&bare) {
        return Some(TypeMeaning::default());
    }
    let alternatives = split_outside_brackets(own, '|');
    if alternatives.len() > 1 {
        return parse_union(&alternatives, depth);
    }
    let list_of = |items: &str| {
        parse_type(items, depth + 1).map(|_| TypeMeaning {
            types: vec!["array"],
            nullable: false,
            items: Some(items.to_owned()),
        })
    };
    if let Some(rest) = own.strip_suffix('?') {
        return Some(TypeMeaning { nullable: true, ..parse_type(rest, depth + 1)? });
    }
    if let Some(items) = own.strip_suffix("[]").or_else(|| own.strip_prefix("[]")) {
        return list_of(items);
    }
    let opened = own.find(['[', '<', '('])?;
    let inner = own.get(opened + 1..)?.strip_suffix([']', '>', ')'])?;
    let inner_parts = split_outside_brackets(inner, ',');
    match (bare.get(..opened)?, inner_parts.as_slice()) {
        ("optional" | "nullable" | "option" | "maybe", [one]) => {
            Some(TypeMeaning { nullable: true, ..parse_type(one, depth + 1)? })
        }
        ("union", all) => parse_union(all, depth),
        (outer, parts) => {
            let outer = parse_type(outer, depth + 1)?;
            match (outer.types.as_slice(), parts) {
                (["array"], [one]) => list_of(one),
                _ => Some(outer),
            }
        }
    }
}

fn parse_union(names: &[&str], depth: usize) -> Option<TypeMeaning> {
    let mut all = TypeMeaning::default();
    for name in names {
        let one = parse_type(name, depth + 1)?;
        // A union with any value is any value.
        if one.types.is_empty() && !one.nullable {
            return Some(one);
        }
        all.types.extend(one.types.into_iter().filter(|of| !all.types.contains(of)).collect::<Vec<_>>());
        all.nullable |= one.nullable;
        all.items = all.items.or(one.items);
    }
    Some(all)
}

/// Splits a text at separators that are outside of brackets.
fn split_outside_brackets(text: &str, separator: char) -> Vec<&str> {
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
            let read = parse_type(name, 0).unwrap_or_else(|| panic!("{name}"));
            assert_eq!((read.to_text().as_str(), read.items.as_deref()), (said, items), "{name}");
        }
        for name in ["money", "", "list[money]", "Foo<Bar>", "int|", "[", "<>", &"[]".repeat(100)] {
            assert_eq!(parse_type(name, 0), None, "{name}");
        }
    }
}
