//! Translates the type of a schema to JSON Schema if it has another name, and infers a missing type.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::Keywords;
use crate::type_names::{TypeMeaning, is_json_schema_type, parse_type, type_of_keywords};

/// Translates the type of a schema to JSON Schema, and removes null from it.
pub(super) fn normalize_type(keywords: &mut Keywords<'_>) {
    let Some(written) = keywords.take("type") else { return };
    let names: Vec<&str> = match &*written {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let mut all = TypeMeaning::default();
    let mut is_any = names.is_empty();
    for name in names {
        let read = parse_type(name, 0);
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
        if !is_json_schema_type(name) {
            let means = parse_type(name, 0).map(|meaning| meaning.to_text());
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
        // Use the name in JSON Schema if the type is a single one.
        let own =
            parse_type(&items, 0).filter(|one| one.items.is_none() && !one.nullable && one.types.len() == 1);
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

/// Infers a missing type if all keywords belong to one type.
pub(super) fn infer_type(keywords: &mut Keywords<'_>) {
    let says = ["type", "const", "enum", "oneOf", "anyOf"].iter().any(|key| keywords.has(key));
    if says || !keywords.misspelled.is_empty() {
        return;
    }
    if let Some(name) = type_of_keywords(|key| keywords.has(key)) {
        keywords.set("type", Cow::Owned(Value::from(name)));
    }
}
