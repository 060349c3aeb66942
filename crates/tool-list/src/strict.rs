//! Repairs definitions that strict clients refuse. The official TypeScript SDK parses a list of tools as a
//! whole. One invalid tool then removes all others, including those of other servers. Models' APIs refuse a
//! whole request because of one invalid type name. If the intention is certain, the definition is corrected.
//! Otherwise, only that tool is left out.
//!
//! Sources: server/tools (`inputSchema` and `outputSchema` have `type: "object"` at their top), JSON Schema
//! 2020-12 (Validation §6.1.1: the names of types).

use std::borrow::Cow;
use std::collections::BTreeSet;

use mooring_jsonrpc::{Change, Members, array, elements, quoted, with_members};
use mooring_words::{Sentence, say};
use serde::Serialize;
use serde_json::value::RawValue;
use ts_rs::TS;

/// The depth to which schemas are repaired. Deeper parts are not changed.
const DEPTH: usize = 64;
/// The names of types, each with other words that programs use for the same type.
const TYPES: [(&str, &[&str]); 7] = [
    ("string", &["str", "text"]),
    ("integer", &["int", "long"]),
    ("number", &["float", "double", "decimal"]),
    ("boolean", &["bool"]),
    ("object", &["dict", "map"]),
    ("array", &["list", "tuple"]),
    ("null", &["none"]),
];
/// Words that mean any type. A valid schema expresses that by leaving out `type`.
const ANY: [&str; 2] = ["any", "unknown"];

/// A definition that can't be repaired for strict clients, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable(pub Sentence);

/// Returns a tool's definition in a form that every client can parse. Usually it is unchanged.
pub fn usable_tool(definition: &str) -> Result<Cow<'_, str>, Unusable> {
    let Some(own) = Members::read(definition) else {
        return Err(Unusable(say!("its definition isn’t an object")));
    };
    let mut changed = Changes::default();
    match own.get("inputSchema") {
        None | Some("null") => changed.set_member("inputSchema", r#"{"type":"object"}"#),
        Some(schema) => {
            if let Some(mended) = repair_object_schema(schema)? {
                changed.set_member("inputSchema", mended);
            }
        }
    }
    // Results can be read without the output schema.
    match own.get("outputSchema").map(repair_object_schema) {
        None | Some(Ok(None)) => {}
        Some(Ok(Some(mended))) => changed.set_member("outputSchema", mended),
        Some(Err(_)) => changed.remove_member("outputSchema"),
    }
    for (name, begins) in [("title", '"'), ("description", '"'), ("annotations", '{'), ("_meta", '{')] {
        if own.get(name).is_some_and(|value| !value.starts_with(begins)) {
            changed.remove_member(name);
        }
    }
    let annotations = own.inside("annotations");
    let mut hints = Changes::default();
    for (name, hint) in &annotations {
        if name.ends_with("Hint") && !matches!(hint, "true" | "false") {
            hints.remove_member(name);
        }
    }
    if let Some(mended) = hints.apply_to(&annotations) {
        changed.set_member("annotations", mended);
    }
    Ok(changed.apply_to(&own).map_or(Cow::Borrowed(definition), Cow::Owned))
}

/// New values of members. `None` removes a member.
#[derive(Default)]
struct Changes(Vec<(String, Option<String>)>);

impl Changes {
    fn set_member(&mut self, name: &str, value: impl Into<String>) {
        self.0.push((name.to_owned(), Some(value.into())));
    }

    fn remove_member(&mut self, name: &str) {
        self.0.push((name.to_owned(), None));
    }

    /// Applies the changes to `object`. `None` if nothing changes. Also removes repeated members, because
    /// programs differ in which of them they use.
    fn apply_to(&self, object: &Members<'_>) -> Option<String> {
        if self.0.is_empty() && object.repeated().is_none() {
            return None;
        }
        let changes = self.0.iter().map(|(name, value)| {
            let change = value.as_deref().map_or(Change::Remove, Change::Set);
            (name.as_str(), change)
        });
        Some(object.with(&changes.collect::<Vec<_>>()))
    }
}

/// How Mooring changes a tool for apps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ForApps {
    /// Whether apps don't get the tool at all.
    #[serde(rename = "leftOut")]
    pub left_out: bool,
    /// What is changed or why the tool is left out.
    pub why: Sentence,
}

/// How Mooring changes the tool with this definition for apps. The definition may also be an array of all
/// definitions with one name. `None` if apps get the tool unchanged.
pub fn for_apps(definition: &str) -> Option<ForApps> {
    let Some(all) = definition.trim_start().starts_with('[').then(|| elements(definition)).flatten() else {
        return describe_change(definition);
    };
    let odd: Vec<ForApps> = all.iter().filter_map(|one| describe_change(one.get())).collect();
    let left_out = odd.iter().filter(|it| it.left_out).count();
    if left_out == all.len() {
        return odd.into_iter().next();
    }
    // Each definition is changed or left out by itself.
    let one = odd.iter().find(|it| it.left_out).or(odd.first())?;
    Some(ForApps {
        left_out: false,
        why: say!("for one of several definitions of this name, {why}", why = one.why.clone()),
    })
}

fn describe_change(definition: &str) -> Option<ForApps> {
    match usable_tool(definition) {
        Ok(Cow::Borrowed(_)) => None,
        Ok(Cow::Owned(mended)) => {
            let (before, now) = (Members::of(definition), Members::of(&mended));
            let (before, now): (BTreeSet<_>, BTreeSet<_>) =
                (before.into_iter().collect(), now.into_iter().collect());
            let changed = before.symmetric_difference(&now).map(|(name, _)| *name);
            let changed: BTreeSet<&str> = changed.collect();
            let why = say!(
                "apps get it with {members} corrected, because some of them can’t use what it says there",
                members = changed.into_iter().collect::<Vec<_>>().join(", ")
            );
            Some(ForApps { left_out: false, why })
        }
        Err(Unusable(why)) => {
            Some(ForApps { left_out: true, why: say!("apps don’t get it: {why}", why = why) })
        }
    }
}

/// Repairs a schema of arguments or of a result, which must describe an object. `None` if nothing changes.
fn repair_object_schema(schema: &str) -> Result<Option<String>, Unusable> {
    let Some(own) = Members::read(schema) else { return Err(Unusable(say!("its schema isn’t an object"))) };
    let mended = repair_schema(schema, DEPTH)?;
    let kind = own.get("type");
    if kind == Some(r#""object""#) {
        return Ok(mended);
    }
    let may_be_object = match kind {
        // The schema has no type. Arguments and structured results are always objects.
        None | Some("null") => true,
        Some(kind) => read_type_names(kind).is_some_and(|names| names.contains(&"object")),
    };
    if !may_be_object {
        return Err(Unusable(say!("its schema isn’t that of an object")));
    }
    Ok(Some(with_members(mended.as_deref().unwrap_or(schema), &[("type", Change::Set(r#""object""#))])))
}

/// The words in the member `type`, in lower case. `None` if it is neither a string nor an array of strings.
fn read_type_words(kind: &str) -> Option<Vec<String>> {
    let words: Vec<String> = match serde_json::from_str(kind) {
        Ok(word) => vec![word],
        Err(_) => serde_json::from_str(kind).ok()?,
    };
    Some(words.iter().map(|word| word.to_ascii_lowercase()).collect())
}

/// The types in the member `type`, by their names in JSON Schema. `None` if one of them is not known.
fn read_type_names(kind: &str) -> Option<Vec<&'static str>> {
    let known = |word: &String| {
        let is_it = |(name, others): &&(&str, &[&str])| *name == word || others.contains(&word.as_str());
        TYPES.iter().find(is_it).map(|(name, _)| *name)
    };
    read_type_words(kind)?.iter().map(known).collect()
}

/// Repairs a schema and its subschemas. `None` if nothing changes.
fn repair_schema(schema: &str, depth: usize) -> Result<Option<String>, Unusable> {
    if depth == 0 || !schema.starts_with('{') {
        return Ok(None);
    }
    let own = Members::of(schema);
    let mut changed = Changes::default();
    for (name, value) in &own {
        let now = match name {
            "type" => {
                repair_type(value, &mut changed)?;
                None
            }
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
                if !value.starts_with('{') {
                    if name == "properties" {
                        changed.remove_member(name);
                    }
                    continue;
                }
                repair_parts(&Members::of(value), depth - 1)?.map(Some)
            }
            "items"
            | "additionalProperties"
            | "not"
            | "contains"
            | "if"
            | "then"
            | "else"
            | "propertyNames" => repair_schema(value, depth - 1)?.map(Some),
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                let Some(parts) = read_elements(value) else { continue };
                let all: Vec<_> =
                    parts.iter().map(|part| repair_schema(part, depth - 1)).collect::<Result<_, _>>()?;
                let parts = parts.iter().zip(&all).map(|(part, now)| now.as_deref().unwrap_or(part));
                all.iter().any(Option::is_some).then(|| Some(array(parts)))
            }
            // JSON Schema has an array of names here. In an older draft, each property had a boolean instead.
            "required" => match read_elements(value) {
                Some(listed) if listed.iter().all(|name| name.starts_with('"')) => None,
                Some(listed) => Some(Some(array(listed.iter().filter(|name| name.starts_with('"'))))),
                None => Some(None),
            },
            _ => None,
        };
        if let Some(now) = now {
            changed.0.push((name.to_owned(), now));
        }
    }
    Ok(changed.apply_to(&own))
}

/// Repairs named subschemas. Some programs require that each of them is an object.
fn repair_parts(parts: &Members<'_>, depth: usize) -> Result<Option<String>, Unusable> {
    let mut changed = Changes::default();
    for (name, schema) in parts {
        match schema {
            "true" => changed.set_member(name, "{}"),
            "false" => changed.set_member(name, r#"{"not":{}}"#),
            "null" => changed.remove_member(name),
            schema => {
                if let Some(now) = repair_schema(schema, depth)? {
                    changed.set_member(name, now);
                }
            }
        }
    }
    Ok(changed.apply_to(parts))
}

/// The elements of an array. `None` for other values.
fn read_elements(array: &str) -> Option<Vec<&str>> {
    let elements = array.starts_with('[').then(|| elements(array))??;
    Some(elements.into_iter().map(RawValue::get).collect())
}

/// Replaces other words for types in the member `type` by the names of JSON Schema.
fn repair_type(kind: &str, changed: &mut Changes) -> Result<(), Unusable> {
    if kind == "null"
        || read_type_words(kind).is_some_and(|words| words.iter().any(|word| ANY.contains(&word.as_str())))
    {
        changed.remove_member("type");
        return Ok(());
    }
    let names = read_type_names(kind)
        .ok_or_else(|| Unusable(say!("a type in its schema is none that JSON Schema knows")))?;
    let is_list = kind.starts_with('[');
    let names = names.iter().map(|name| quoted(name));
    let now = if is_list { array(names) } else { names.collect() };
    let before: String = kind.chars().filter(|character| !character.is_whitespace()).collect();
    if before != now {
        changed.set_member("type", now);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_as_it_should_be_stays_to_the_byte() {
        for definition in [
            r#"{"name":"a","inputSchema":{"type":"object"}}"#,
            r#"{ "inputSchema" : {"type": "object", "properties": {"type": {"type": ["string", "null"]}, "x": {}},
                "required": ["x"]}, "outputSchema":{"type":"object"}, "title":"t","new":{"type":"str"}}"#,
            r#"{"inputSchema":{"type":"object","$defs":{"a":{"anyOf":[{"$ref":"b"},{"enum":["int"]}]}},"default":{"type":"int"}}}"#,
        ] {
            assert_eq!(usable_tool(definition), Ok(Cow::Borrowed(definition)));
        }
    }

    #[test]
    fn what_is_certainly_meant_is_written() {
        for (schema, expect) in [
            ("{}", r#"{"type":"object"}"#),
            ("null", r#"{"type":"object"}"#),
            (r#"{"type":null}"#, r#"{"type":"object"}"#),
            (r#"{"properties":{"a":{}}}"#, r#"{"properties":{"a":{}},"type":"object"}"#),
            (r#"{"type":["object","null"]}"#, r#"{"type":"object"}"#),
            (r#"{"type":"dict"}"#, r#"{"type":"object"}"#),
            (
                r#"{"type":"object","properties":{"a":{"type":"str","description":"int"},"b":{"type":"any"}},"required":true}"#,
                r#"{"type":"object","properties":{"a":{"type":"string","description":"int"},"b":{}}}"#,
            ),
            (
                r#"{"type":"object","properties":{"a":{"anyOf":[{"type":"int"},{"type":"None"}]},"l":{"type":"list","items":{"type":"Float"}}}}"#,
                r#"{"type":"object","properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]},"l":{"type":"array","items":{"type":"number"}}}}"#,
            ),
            (r#"{"type":"object","properties":null}"#, r#"{"type":"object"}"#),
            (
                r#"{"type":"object","properties":{"a":true,"b":false,"c":null,"d":{"type":["string","any"]}},"required":["a",1]}"#,
                r#"{"type":"object","properties":{"a":{},"b":{"not":{}},"d":{}},"required":["a"]}"#,
            ),
        ] {
            let definition = format!(r#"{{"name":"a","inputSchema":{schema}}}"#);
            let expect = format!(r#"{{"name":"a","inputSchema":{expect}}}"#);
            assert_eq!(usable_tool(&definition).as_deref(), Ok(expect.as_str()), "{schema}");
        }
        let odd = r#"{"name":"a","description":null,"inputSchema":{"type":"object"},"outputSchema":{"type":"string"},"annotations":7}"#;
        assert_eq!(usable_tool(odd).as_deref(), Ok(r#"{"name":"a","inputSchema":{"type":"object"}}"#));
        let hint = r#"{"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"yes","title":"t"}}"#;
        assert_eq!(
            usable_tool(hint).as_deref(),
            Ok(r#"{"inputSchema":{"type":"object"},"annotations":{"title":"t"}}"#)
        );
        let missing = usable_tool(r#"{"name":"a"}"#);
        assert_eq!(missing.as_deref(), Ok(r#"{"name":"a","inputSchema":{"type":"object"}}"#));
    }

    #[test]
    fn what_becomes_of_a_tool_for_apps_is_said() {
        let said = |definition: &str| for_apps(definition).map(|it| (it.left_out, it.why.to_string()));
        let plain = r#"{"name":"a","inputSchema":{"type":"object"}}"#;
        let odd = r#"{"name":"a","inputSchema":{"type":"dict"},"annotations":7}"#;
        let unknown = r#"{"name":"a","inputSchema":{"type":"file"}}"#;
        assert_eq!(said(plain), None);
        let mended = "apps get it with annotations, inputSchema corrected, because some of them can’t use what it says there";
        assert_eq!(said(odd), Some((false, mended.to_owned())));
        let mended = said(r#"{"name":"a"}"#).unwrap();
        assert!(!mended.0 && mended.1.contains("with inputSchema corrected"), "{mended:?}");
        let added = said(r#"{"name":"a","annotations":7}"#).unwrap();
        assert!(added.1.contains("with annotations, inputSchema corrected"), "{added:?}");
        let left_out = said(&format!("[{unknown},{unknown}]")).unwrap();
        assert!(left_out.0 && left_out.1.starts_with("apps don’t get it: "), "{left_out:?}");
        // Of several definitions, apps get those that can be used.
        let one = said(&format!("[{odd},{plain},{unknown}]")).unwrap();
        assert!(
            !one.0 && one.1.starts_with("for one of several definitions of this name, apps don’t get it: "),
            "{one:?}"
        );
    }

    #[test]
    fn what_nobody_can_know_is_left_out() {
        for schema in [
            "7",
            "[]",
            r#"{"type":"string"}"#,
            r#"{"type":"object","properties":{"a":{"type":"file"}}}"#,
            r#"{"type":"object","properties":{"a":{"type":7}}}"#,
        ] {
            assert!(usable_tool(&format!(r#"{{"inputSchema":{schema}}}"#)).is_err(), "{schema}");
        }
        assert!(usable_tool("[]").is_err());
        let deep = format!(
            r#"{{"inputSchema":{{"type":"object","items":{}{}}}}}"#,
            r#"{"items":"#.repeat(100),
            "{}".to_owned() + &"}".repeat(100)
        );
        assert_eq!(usable_tool(&deep).as_deref(), Ok(deep.as_str()));
    }
}
