//! The members of JSON objects, whose values stay the text that they came as.

use std::collections::HashMap;
use std::fmt::{self, Write as _};

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Every member that stands in an object, in their order, each with its value as JSON text; none where it is no object.
pub fn pairs(object: &str) -> Option<Vec<(String, &RawValue)>> {
    struct Pairs<'a>(Vec<(String, &'a RawValue)>);
    impl<'de> Deserialize<'de> for Pairs<'de> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Read;
            impl<'de> Visitor<'de> for Read {
                type Value = Pairs<'de>;
                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("an object")
                }
                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                    let mut pairs = Vec::new();
                    while let Some(pair) = map.next_entry::<String, &'de RawValue>()? {
                        pairs.push(pair);
                    }
                    Ok(Pairs(pairs))
                }
            }
            deserializer.deserialize_map(Read)
        }
    }
    serde_json::from_str::<Pairs<'_>>(object).ok().map(|pairs| pairs.0)
}

/// The members of an object, in their order, each with its value as JSON text; none where it is no object. Of two with
/// one name the last counts, as for all who read JSON here.
pub fn members(object: &str) -> Option<Vec<(String, &RawValue)>> {
    let pairs = pairs(object)?;
    let last: HashMap<&str, usize> =
        pairs.iter().enumerate().map(|(at, (name, _))| (name.as_str(), at)).collect();
    if last.len() == pairs.len() {
        return Some(pairs);
    }
    let kept: Vec<bool> =
        pairs.iter().enumerate().map(|(at, (name, _))| last.get(name.as_str()) == Some(&at)).collect();
    Some(pairs.into_iter().zip(kept).filter_map(|(pair, is_kept)| is_kept.then_some(pair)).collect())
}

/// An object with these members instead of its own of the same names, everything else as it is. A value that is null
/// takes the member away.
pub fn with_members(object: &str, changed: &[(&str, &str)]) -> String {
    let mut written = String::with_capacity(object.len() + 64);
    written.push('{');
    let mut push = |name: &str, value: &str| {
        if written.len() > 1 {
            written.push(',');
        }
        // A text can always be written.
        let _ok = write!(written, "{}:{value}", quoted(name));
    };
    let kept = members(object).unwrap_or_default();
    for (name, value) in &kept {
        match changed.iter().find(|(changed, _)| changed == name) {
            Some((_, "null")) => {}
            Some((name, value)) => push(name, value),
            None => push(name, value.get()),
        }
    }
    for (name, value) in changed {
        if *value != "null" && !kept.iter().any(|(kept, _)| kept == name) {
            push(name, value);
        }
    }
    written.push('}');
    written
}

/// An object without these members, everything else as it is.
pub fn without_members(object: String, names: &[&str]) -> String {
    // Most have none of them, which is seen without reading all.
    if !names.iter().any(|name| object.contains(&format!("\"{name}\""))) {
        return object;
    }
    let is_there =
        |name: &str| members(&object).is_some_and(|members| members.iter().any(|(own, _)| own == name));
    let removed: Vec<_> = names.iter().filter(|name| is_there(name)).map(|name| (*name, "null")).collect();
    if removed.is_empty() { object } else { with_members(&object, &removed) }
}

/// An object's member as JSON; none where it is not there.
pub fn member(object: &str, name: &str) -> Option<Box<RawValue>> {
    members(object)?.into_iter().find(|(own, _)| own == name).map(|(_, value)| value.to_owned())
}

/// The text of an object's member; none where it is another, or not there.
pub fn text_member(object: &str, name: &str) -> Option<String> {
    serde_json::from_str(member(object, name)?.get()).ok()
}

/// A text as JSON.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The elements of an array; none where the text is no array.
pub fn elements(text: &str) -> Option<Vec<Box<RawValue>>> {
    if !text.trim_start().starts_with('[') {
        return None;
    }
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_change_and_the_rest_stays_to_the_byte() {
        let object = r#"{"name":"a","x":1.0e1,"n\u0061me2":[1, 2],"z":null}"#;
        let changed = with_members(object, &[("name", r#""b""#), ("new", "7")]);
        assert_eq!(changed, r#"{"name":"b","x":1.0e1,"name2":[1, 2],"z":null,"new":7}"#);
        assert_eq!(with_members(r#"{"a":1,"b":2}"#, &[("a", "null")]), r#"{"b":2}"#);
        assert!(members("7").is_none());
        let doubled = r#"{"a":1,"b":2,"\u0061":3}"#;
        let read: Vec<_> =
            members(doubled).unwrap().iter().map(|(name, value)| (name.clone(), value.get())).collect();
        assert_eq!(read, [("b".to_owned(), "2"), ("a".to_owned(), "3")]);
    }
}
