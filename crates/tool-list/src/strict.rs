//! Definitions that strict clients refuse. The official TypeScript SDK reads a list of tools as a whole: one that is not as
//! the specification has it takes all others along, those of other servers too; and APIs of models refuse a request for
//! one word that is no type. Where it is certain what is meant, that is written; otherwise the tool is left out alone.
//!
//! Sources: server/tools (`inputSchema` and `outputSchema` have `type: "object"` at their top), JSON Schema 2020-12
//! (Validation §6.1.1: the names of types).

use std::borrow::Cow;
use std::collections::BTreeSet;

use mooring_base::json_members::{elements, members, quoted, with_members};
use mooring_words::{Sentence, say};
use serde::Serialize;
use serde_json::value::RawValue;
use ts_rs::TS;

/// How deep schemas are looked into; below, they are as they are.
const DEPTH: usize = 64;
/// The names of types, and what programs write instead.
const TYPES: [(&str, &[&str]); 7] = [
    ("string", &["str", "text"]),
    ("integer", &["int", "long"]),
    ("number", &["float", "double", "decimal"]),
    ("boolean", &["bool"]),
    ("object", &["dict", "map"]),
    ("array", &["list", "tuple"]),
    ("null", &["none"]),
];
/// Words for a value of any type, which is said by naming none.
const ANY: [&str; 2] = ["any", "unknown"];

/// A definition that cannot be given to strict clients, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable(pub Sentence);

/// A tool's definition as every client can read it: mostly as it is.
pub fn usable_tool(definition: &str) -> Result<Cow<'_, str>, Unusable> {
    let Some(own) = members(definition) else {
        return Err(Unusable(say!("its definition isn’t an object")));
    };
    let find = |name: &str| own.iter().find(|(own, _)| own == name).map(|(_, value)| value.get());
    let mut changed: Vec<(&str, String)> = Vec::new();
    match find("inputSchema") {
        None | Some("null") => changed.push(("inputSchema", r#"{"type":"object"}"#.to_owned())),
        Some(schema) => {
            if let Some(mended) = usable_top(schema)? {
                changed.push(("inputSchema", mended));
            }
        }
    }
    // Results can be read without it.
    match find("outputSchema").map(usable_top) {
        None | Some(Ok(None)) => {}
        Some(Ok(Some(mended))) => changed.push(("outputSchema", mended)),
        Some(Err(_)) => changed.push(("outputSchema", "null".to_owned())),
    }
    for name in ["title", "description"] {
        if find(name).is_some_and(|text| !text.starts_with('"')) {
            changed.push((name, "null".to_owned()));
        }
    }
    for name in ["annotations", "_meta"] {
        if find(name).is_some_and(|object| !object.starts_with('{')) {
            changed.push((name, "null".to_owned()));
        }
    }
    if let Some(annotations) = find("annotations").filter(|object| object.starts_with('{')) {
        let wrong: Vec<(String, &str)> = members(annotations)
            .into_iter()
            .flatten()
            .filter(|(name, hint)| name.ends_with("Hint") && !matches!(hint.get(), "true" | "false"))
            .map(|(name, _)| (name, "null"))
            .collect();
        if !wrong.is_empty() {
            let wrong: Vec<(&str, &str)> = wrong.iter().map(|(name, null)| (name.as_str(), *null)).collect();
            changed.push(("annotations", with_members(annotations, &wrong)));
        }
    }
    if changed.is_empty() {
        return Ok(Cow::Borrowed(definition));
    }
    let changed: Vec<(&str, &str)> = changed.iter().map(|(name, value)| (*name, value.as_str())).collect();
    Ok(Cow::Owned(with_members(definition, &changed)))
}

/// What becomes of a tool for apps, where that is not what the server says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ForApps {
    /// They don't get it at all.
    #[serde(rename = "leftOut")]
    pub left_out: bool,
    /// What is done, and why.
    pub why: Sentence,
}

/// What becomes of a tool with this definition, or with several of one name; none: it is as the server says.
pub fn for_apps(definition: &str) -> Option<ForApps> {
    let Some(all) = elements(definition) else { return of_one(definition) };
    let odd: Vec<ForApps> = all.iter().filter_map(|one| of_one(one.get())).collect();
    let left_out = odd.iter().filter(|it| it.left_out).count();
    if left_out == all.len() {
        return odd.into_iter().next();
    }
    // Each is given or left out by itself.
    let one = odd.iter().find(|it| it.left_out).or(odd.first())?;
    Some(ForApps {
        left_out: false,
        why: say!("for one of several definitions of this name, {why}", why = one.why.clone()),
    })
}

fn of_one(definition: &str) -> Option<ForApps> {
    match usable_tool(definition) {
        Ok(Cow::Borrowed(_)) => None,
        Ok(Cow::Owned(mended)) => {
            let (before, now) = (members(definition)?, members(&mended)?);
            let of = |members: &[(String, &RawValue)]| -> BTreeSet<(String, String)> {
                members.iter().map(|(name, value)| (name.clone(), value.get().to_owned())).collect()
            };
            let (before, now) = (of(&before), of(&now));
            let changed = before.symmetric_difference(&now).map(|(name, _)| name.as_str());
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

/// The schema of arguments or of a result, if it has to be another one than it is.
fn usable_top(schema: &str) -> Result<Option<String>, Unusable> {
    let Some(own) = members(schema) else { return Err(Unusable(say!("its schema isn’t an object"))) };
    let mended = mended(schema, DEPTH)?;
    let kind = own.iter().find(|(name, _)| name == "type").map(|(_, kind)| kind.get());
    if kind == Some(r#""object""#) {
        return Ok(mended);
    }
    let may_be_object = match kind {
        // What is called with is an object all the same.
        None | Some("null") => true,
        Some(kind) => names(kind).is_some_and(|names| names.contains(&"object")),
    };
    if !may_be_object {
        return Err(Unusable(say!("its schema isn’t that of an object")));
    }
    Ok(Some(with_members(mended.as_deref().unwrap_or(schema), &[("type", r#""object""#)])))
}

/// The words at `type`, in small letters; none: there stands something else.
fn words(kind: &str) -> Option<Vec<String>> {
    let words: Vec<String> = match serde_json::from_str(kind) {
        Ok(word) => vec![word],
        Err(_) => serde_json::from_str(kind).ok()?,
    };
    Some(words.iter().map(|word| word.to_ascii_lowercase()).collect())
}

/// The types that a schema names, in words of JSON Schema; none: one of them is no type that anybody knows.
fn names(kind: &str) -> Option<Vec<&'static str>> {
    let known = |word: &String| {
        let is_it = |(name, others): &&(&str, &[&str])| *name == word || others.contains(&word.as_str());
        TYPES.iter().find(is_it).map(|(name, _)| *name)
    };
    words(kind)?.iter().map(known).collect()
}

/// A schema with names of types in the place of other words; none where it can stay.
fn mended(schema: &str, depth: usize) -> Result<Option<String>, Unusable> {
    let (Some(own), true) = (members(schema), depth > 0) else { return Ok(None) };
    let mut changed: Vec<(String, String)> = Vec::new();
    for (name, value) in &own {
        let now = match name.as_str() {
            "type" => mended_type(value.get())?,
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
                let Some(parts) = members(value.get()) else {
                    if name == "properties" {
                        changed.push((name.clone(), "null".to_owned()));
                    }
                    continue;
                };
                let mut inner = Vec::new();
                for (part, schema) in parts {
                    let now = match schema.get() {
                        // As good, and read by those who want an object at each name.
                        "true" => Some("{}".to_owned()),
                        "false" => Some(r#"{"not":{}}"#.to_owned()),
                        "null" => Some("null".to_owned()),
                        schema => mended(schema, depth - 1)?,
                    };
                    inner.extend(now.map(|now| (part, now)));
                }
                replaced(value.get(), &inner)
            }
            "items"
            | "additionalProperties"
            | "not"
            | "contains"
            | "if"
            | "then"
            | "else"
            | "propertyNames" => mended(value.get(), depth - 1)?,
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                let Some(parts) = elements(value.get()) else { continue };
                let mut all = Vec::with_capacity(parts.len());
                let mut is_other = false;
                for part in &parts {
                    let now = mended(part.get(), depth - 1)?;
                    is_other |= now.is_some();
                    all.push(now.unwrap_or_else(|| part.get().to_owned()));
                }
                is_other.then(|| format!("[{}]", all.join(",")))
            }
            // A list of names; the draft of before had a flag at each property.
            "required" => match elements(value.get()) {
                Some(listed) if listed.iter().all(|name| name.get().starts_with('"')) => None,
                Some(listed) => {
                    let names = listed.iter().map(|name| name.get()).filter(|name| name.starts_with('"'));
                    Some(format!("[{}]", names.collect::<Vec<_>>().join(",")))
                }
                None => Some("null".to_owned()),
            },
            _ => None,
        };
        changed.extend(now.map(|now| (name.clone(), now)));
    }
    Ok(replaced(schema, &changed))
}

fn replaced(object: &str, changed: &[(String, String)]) -> Option<String> {
    let changed: Vec<(&str, &str)> =
        changed.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    (!changed.is_empty()).then(|| with_members(object, &changed))
}

/// The member `type` in words of JSON Schema; none where it is so already.
fn mended_type(kind: &str) -> Result<Option<String>, Unusable> {
    if kind == "null"
        || words(kind).is_some_and(|words| words.iter().any(|word| ANY.contains(&word.as_str())))
    {
        return Ok(Some("null".to_owned()));
    }
    let names =
        names(kind).ok_or_else(|| Unusable(say!("a type in its schema is none that JSON Schema knows")))?;
    let is_list = kind.starts_with('[');
    let now: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    let now = if is_list { format!("[{}]", now.join(",")) } else { now.concat() };
    let before: String = kind.chars().filter(|character| !character.is_whitespace()).collect();
    Ok((before != now).then_some(now))
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
        // Apps get those of several that can be used.
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
