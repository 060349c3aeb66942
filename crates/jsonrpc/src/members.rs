//! The members of a JSON object. All checks and parsers use this view: keys are decoded, the last of two
//! members with one name counts, and values keep their original text.

use std::collections::HashSet;

use serde_json::value::RawValue;

use crate::member::Member;
use crate::object::JsonObject;
use crate::text::{is_text, string};
use crate::walk::{decode_key, walk};

/// The members of one object, each name once. Empty for anything but an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Members<'a> {
    found: Vec<Member<'a>>,
    /// The first name that occurs twice.
    repeated: Option<Box<str>>,
}

impl<'a> Members<'a> {
    /// Up to this many members are compared with each other. More are put into a set, so that a hostile
    /// object can't take quadratic time.
    const FEW: usize = 16;

    /// The members of an object that is valid JSON.
    pub fn of(object: &'a str) -> Self {
        let Some(mut found) = all(object) else { return Self::default() };
        let repeated = keep_last(&mut found);
        Self { found, repeated }
    }

    /// The members of an arbitrary text. `None` if it is not a JSON object.
    pub fn read(text: &'a str) -> Option<Self> {
        let object: &RawValue = serde_json::from_str(text).ok()?;
        object.get().starts_with('{').then(|| Self::of(object.get()))
    }

    /// A name that occurs twice in the object, if there is one. Here its last value counts, but another
    /// program may use the first.
    pub fn repeated(&self) -> Option<&str> {
        self.repeated.as_deref()
    }

    /// The value of a member.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.found.iter().find(|member| member.name() == name).map(|member| member.value)
    }

    /// The value of a member that is a string.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name).and_then(string)
    }

    /// Whether a member is this string.
    pub fn is(&self, name: &str, text: &str) -> bool {
        self.get(name).is_some_and(|value| is_text(value, text))
    }

    /// Whether a member exists and is not null.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value != "null")
    }

    /// The members of a member that is an object. Empty if it is not an object.
    #[must_use]
    pub fn inside(&self, name: &str) -> Self {
        self.get(name).map(Self::of).unwrap_or_default()
    }

    /// The members in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Member<'a>> {
        self.found.iter()
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }
}

/// Iterates over the names and values of all members, in order.
impl<'m, 'a> IntoIterator for &'m Members<'a> {
    type Item = (&'m str, &'a str);
    type IntoIter = std::iter::Map<std::slice::Iter<'m, Member<'a>>, fn(&'m Member<'a>) -> Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.found.iter().map(|member| (member.name(), member.value))
    }
}

/// All members of an object, in order, including those with a repeated name.
fn all(object: &str) -> Option<Vec<Member<'_>>> {
    let mut found = Vec::new();
    let visited = walk(object.as_bytes(), usize::MAX, usize::MAX, |key, value| {
        if let (Some(key), Some(value)) = (object.get(key), object.get(value)) {
            found.push(Member { key, decoded: decode_key(key.as_bytes()).map(Into::into), value });
        }
    });
    visited.ok().map(|_| found)
}

/// The names and values of all members of an object that is valid JSON, including those with a repeated name.
pub fn pairs(object: &str) -> impl Iterator<Item = (String, &str)> {
    all(object).unwrap_or_default().into_iter().map(|member| (member.name().to_owned(), member.value))
}

/// Removes each member whose name occurs again later. Returns one of these names.
fn keep_last(members: &mut Vec<Member<'_>>) -> Option<Box<str>> {
    let is_doubled: Vec<bool> = if members.len() <= Members::FEW {
        let behind = |at: usize| members.get(at + 1..).unwrap_or_default();
        let doubled =
            |(at, member): (usize, &Member<'_>)| behind(at).iter().any(|other| other.name() == member.name());
        members.iter().enumerate().map(doubled).collect()
    } else {
        let mut seen = HashSet::with_capacity(members.len());
        let mut doubled: Vec<bool> = members.iter().rev().map(|member| !seen.insert(member.name())).collect();
        doubled.reverse();
        doubled
    };
    let (first, _) = members.iter().zip(&is_doubled).find(|(_, is_doubled)| **is_doubled)?;
    let repeated = first.name().into();
    let mut is_doubled = is_doubled.into_iter();
    members.retain(|_| !is_doubled.next().unwrap_or_default());
    Some(repeated)
}

/// The value of a member of an object that is valid JSON.
pub fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let mut found = None;
    let visited = walk(object.as_bytes(), usize::MAX, usize::MAX, |key, value| {
        let key = object.as_bytes().get(key).unwrap_or_default();
        let is_it = match decode_key(key) {
            Some(decoded) => decoded == name,
            None => key == name.as_bytes(),
        };
        if is_it {
            found = object.get(value);
        }
    });
    found.filter(|_| visited.is_ok())
}

/// The value of a member that is a string. `None` for other values or a missing member.
pub fn text_member(object: &str, name: &str) -> Option<String> {
    member(object, name).and_then(string)
}

/// A change of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change<'a> {
    /// Sets this value, which is JSON text.
    Set(&'a str),
    /// Removes the member.
    Remove,
}

impl Members<'_> {
    /// The object with these changes, each name once. Everything else keeps its bytes, and new members come
    /// last.
    pub fn with(&self, changes: &[(&str, Change<'_>)]) -> String {
        let mut object = JsonObject::new();
        for member in &self.found {
            match changes.iter().find(|(name, _)| *name == member.name()) {
                Some((name, Change::Set(value))) => object = object.raw(name, value),
                Some((_, Change::Remove)) => {}
                None => object = object.member(member),
            }
        }
        for (name, change) in changes {
            if let Change::Set(value) = change
                && self.get(name).is_none()
            {
                object = object.raw(name, value);
            }
        }
        object.whole()
    }
}

/// Applies changes to an object that is valid JSON, like [`Members::with`].
pub fn with_members(object: &str, changes: &[(&str, Change<'_>)]) -> String {
    Members::of(object).with(changes)
}

/// Removes members from an object that is valid JSON, and all but the last of repeated ones. A parser that
/// uses the first of two members doesn't find a removed member either.
pub fn without_members(object: String, names: &[&str]) -> String {
    let members = Members::of(&object);
    let removed: Vec<_> =
        names.iter().filter(|name| members.get(name).is_some()).map(|name| (*name, Change::Remove)).collect();
    if removed.is_empty() && members.repeated().is_none() { object } else { members.with(&removed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(object: &str) -> Vec<(String, &str)> {
        Members::of(object).into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    #[test]
    fn keys_are_decoded_and_the_last_of_two_counts() {
        let object = r#"{ "a" : 1,"\u0062":"x","a":[2],"b\"":null }"#;
        assert_eq!(read(object), [("b".into(), "\"x\""), ("a".into(), "[2]"), ("b\"".into(), "null")]);
        let members = Members::of(object);
        assert_eq!((members.get("a"), members.text("b")), (Some("[2]"), Some("x".to_owned())));
        assert!(members.is("b", "x") && members.has("a") && !members.has("b\"") && !members.has("c"));
        assert_eq!(members.repeated(), Some("a"));
        assert_eq!((member(object, "a"), member(object, "c")), (Some("[2]"), None));
        assert_eq!(pairs(object).filter(|(name, _)| name == "a").count(), 2);
    }

    #[test]
    fn of_many_members_the_last_counts_as_of_few() {
        for count in [Members::FEW - 1, Members::FEW, Members::FEW + 1, 1000] {
            let members: Vec<String> =
                (0..count).map(|n| format!(r#""{}":{n}"#, if n == 0 { count - 1 } else { n })).collect();
            let object = format!("{{{}}}", members.join(","));
            let members = Members::of(&object);
            assert_eq!(members.len(), count - 1, "{count}");
            assert_eq!(members.get(&(count - 1).to_string()), Some(&*(count - 1).to_string()), "{count}");
            assert_eq!(members.repeated(), Some(&*(count - 1).to_string()), "{count}");
        }
    }

    #[test]
    fn what_is_no_object_has_no_members() {
        for text in ["", "7", "null", "\"a\"", "[{\"a\":1}]", "{", "{\"a\":1}}"] {
            assert!(Members::of(text).is_empty(), "{text}");
            assert_eq!(Members::read(text), None, "{text}");
            assert_eq!(member(text, "a"), None, "{text}");
        }
        assert_eq!(Members::read(r#"{"a":tru}"#), None);
        assert_eq!(Members::read(" { \"a\" : 1 } ").unwrap().get("a"), Some("1"));
    }

    #[test]
    fn members_change_and_the_rest_stays_to_the_byte() {
        let object = r#"{"name":"a","x":1.0e1,"n\u0061me2":[1, 2],"z":null}"#;
        let changed = with_members(object, &[("name", Change::Set(r#""b""#)), ("new", Change::Set("7"))]);
        assert_eq!(changed, r#"{"name":"b","x":1.0e1,"n\u0061me2":[1, 2],"z":null,"new":7}"#);
        let without = |object: &str, name: &str| without_members(object.to_owned(), &[name]);
        assert_eq!(without(r#"{"a":1, "b":2}"#, "c"), r#"{"a":1, "b":2}"#);
        assert_eq!(without(r#"{"a":1,"b":2}"#, "a"), r#"{"b":2}"#);
        for hidden in [r#"{"a":1,"b":2,"a":3}"#, r#"{"\u0061":1,"b":2}"#, r#"{"a":1,"b":2,"\u0061":3}"#] {
            assert_eq!(without(hidden, "a"), r#"{"b":2}"#, "{hidden}");
        }
        // Another parser could use the first one.
        assert_eq!(without(r#"{"b":1,"b":2}"#, "a"), r#"{"b":2}"#);
    }
}
