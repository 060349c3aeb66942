//! The members of a JSON object, as every gate and reader sees them: keys are decoded, of two members with one name the
//! last counts, and values stay the text that they came as.

use std::collections::HashSet;

use serde_json::value::RawValue;

use crate::member::Member;
use crate::object::JsonObject;
use crate::text::{is_text, string};
use crate::walk::{decode_key, walk};

/// The members of one object, each name once; none where it is no object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Members<'a> {
    found: Vec<Member<'a>>,
    /// The first name that is there twice.
    repeated: Option<Box<str>>,
}

impl<'a> Members<'a> {
    /// Up to this many members are compared with each other; more of them in a set, so that a server cannot make that
    /// take long.
    const FEW: usize = 16;

    /// The members of an object that is valid JSON.
    pub fn of(object: &'a str) -> Self {
        let Some(mut found) = all(object) else { return Self::default() };
        let repeated = keep_last(&mut found);
        Self { found, repeated }
    }

    /// The members of a text that may be anything; none: it is no JSON object.
    pub fn read(text: &'a str) -> Option<Self> {
        let object: &RawValue = serde_json::from_str(text).ok()?;
        object.get().starts_with('{').then(|| Self::of(object.get()))
    }

    /// The name of a member that is in the object twice, if there is one. Of its values the last counts here; another
    /// program may take the first.
    pub fn repeated(&self) -> Option<&str> {
        self.repeated.as_deref()
    }

    /// The value of a member.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.found.iter().find(|member| member.name() == name).map(|member| member.value)
    }

    /// The string that a member is, if it is one.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name).and_then(string)
    }

    /// Whether a member is this string.
    pub fn is(&self, name: &str, text: &str) -> bool {
        self.get(name).is_some_and(|value| is_text(value, text))
    }

    /// Whether a member is there and not null.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value != "null")
    }

    /// The members of the object that a member is; empty if it is no object.
    #[must_use]
    pub fn inside(&self, name: &str) -> Self {
        self.get(name).map(Self::of).unwrap_or_default()
    }

    /// All of them, in their order.
    pub fn iter(&self) -> std::slice::Iter<'_, Member<'a>> {
        self.found.iter()
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }
}

/// The names and values of all members, in their order.
impl<'m, 'a> IntoIterator for &'m Members<'a> {
    type Item = (&'m str, &'a str);
    type IntoIter = std::iter::Map<std::slice::Iter<'m, Member<'a>>, fn(&'m Member<'a>) -> Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.found.iter().map(|member| (member.name(), member.value))
    }
}

/// Every member that is in an object, in order, also those whose name is there once more.
fn all(object: &str) -> Option<Vec<Member<'_>>> {
    let mut found = Vec::new();
    let visited = walk(object.as_bytes(), usize::MAX, usize::MAX, |key, value| {
        if let (Some(key), Some(value)) = (object.get(key), object.get(value)) {
            found.push(Member { key, decoded: decode_key(key.as_bytes()).map(Into::into), value });
        }
    });
    visited.ok().map(|_| found)
}

/// The name and value of every member that is in an object that is valid JSON: both of two with one name.
pub fn pairs(object: &str) -> impl Iterator<Item = (String, &str)> {
    all(object).unwrap_or_default().into_iter().map(|member| (member.name().to_owned(), member.value))
}

/// Leaves out each member whose name is once more behind it, and gives such a name.
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

/// The value of one member of an object that is valid JSON.
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

/// The text that a member of an object is; none where it is another value, or not there.
pub fn text_member(object: &str, name: &str) -> Option<String> {
    member(object, name).and_then(string)
}

/// What becomes of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change<'a> {
    /// It has this value, as JSON text.
    Set(&'a str),
    /// It goes.
    Remove,
}

impl Members<'_> {
    /// The object with these changes, each name once, everything else to the byte. What is new comes last.
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

/// An object that is valid JSON with these changes ([`Members::with`]).
pub fn with_members(object: &str, changes: &[(&str, Change<'_>)]) -> String {
    Members::of(object).with(changes)
}

/// An object that is valid JSON without these members, and each other name once: nothing that was taken out here is still
/// in it for a reader who takes the first of two.
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
        // Another reader could take the first.
        assert_eq!(without(r#"{"b":1,"b":2}"#, "a"), r#"{"b":2}"#);
    }
}
