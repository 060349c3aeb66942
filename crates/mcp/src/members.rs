//! The members of a JSON object, as every gate and reader here sees them.
//!
//! A key can be written with escapes and can stand in its object twice. Two readers that disagree about that let
//! through what one of them would refuse. So there is one view: keys are decoded, of two members with one name the
//! last one counts, as in `serde_json`, and values stay the text that they came as.

#[cfg(test)]
mod tests;

use crate::frame;
use crate::json::{is_text, string};

/// One member. Its value is JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member<'a> {
    /// The key as it is written, without its quotes, for whoever writes it again.
    pub(crate) key: &'a str,
    /// What the key stands for, where that is something else.
    decoded: Option<Box<str>>,
    pub(crate) value: &'a str,
}

impl Member<'_> {
    /// What its key stands for.
    pub(crate) fn name(&self) -> &str {
        self.decoded.as_deref().unwrap_or(self.key)
    }
}

/// The members of one object, each name once; none where it is no object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Members<'a>(Vec<Member<'a>>);

impl<'a> Members<'a> {
    /// Up to this many members are compared with each other; more of them in a set, so that a server cannot make that
    /// take long.
    const FEW: usize = 16;

    /// The members of an object that is valid JSON.
    pub(crate) fn of(object: &'a str) -> Self {
        let mut found: Vec<Member<'a>> = Vec::new();
        let visited = frame::walk(object.as_bytes(), usize::MAX, usize::MAX, |key, value| {
            if let (Some(key), Some(value)) = (object.get(key), object.get(value)) {
                let decoded = frame::decode_key(key.as_bytes()).map(Into::into);
                found.push(Member { key, decoded, value });
            }
        });
        if visited.is_err() {
            return Self::default();
        }
        keep_last(&mut found);
        Self(found)
    }

    /// The value of a member.
    pub(crate) fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|member| member.name() == name).map(|member| member.value)
    }

    /// The string that a member is, if it is one.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.get(name).and_then(string)
    }

    /// Whether a member is this string.
    pub(crate) fn is(&self, name: &str, text: &str) -> bool {
        self.get(name).is_some_and(|value| is_text(value, text))
    }

    /// Whether a member is there and not null.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value != "null")
    }

    /// The members of the object that a member is; none where it is none.
    pub(crate) fn inside(&self, name: &str) -> Self {
        self.get(name).map(Self::of).unwrap_or_default()
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Member<'a>> {
        self.0.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The names and values of all members, in their order.
impl<'m, 'a> IntoIterator for &'m Members<'a> {
    type Item = (&'m str, &'a str);
    type IntoIter = std::iter::Map<std::slice::Iter<'m, Member<'a>>, fn(&'m Member<'a>) -> Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|member| (member.name(), member.value))
    }
}

/// Leaves out each member whose name stands once more behind it.
fn keep_last(members: &mut Vec<Member<'_>>) {
    let is_doubled: Vec<bool> = if members.len() <= Members::FEW {
        let behind = |at: usize| members.get(at + 1..).unwrap_or_default();
        let doubled =
            |(at, member): (usize, &Member<'_>)| behind(at).iter().any(|other| other.name() == member.name());
        if !members.iter().enumerate().any(doubled) {
            return;
        }
        members.iter().enumerate().map(doubled).collect()
    } else {
        let mut seen = std::collections::HashSet::with_capacity(members.len());
        let mut doubled: Vec<bool> = members.iter().rev().map(|member| !seen.insert(member.name())).collect();
        doubled.reverse();
        doubled
    };
    let mut is_doubled = is_doubled.into_iter();
    members.retain(|_| !is_doubled.next().unwrap_or_default());
}

/// The value of one member of an object that is valid JSON.
pub(crate) fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let mut found = None;
    let visited = frame::walk(object.as_bytes(), usize::MAX, usize::MAX, |key, value| {
        let key = object.as_bytes().get(key).unwrap_or_default();
        let is_it = match frame::decode_key(key) {
            Some(decoded) => decoded == name,
            None => key == name.as_bytes(),
        };
        if is_it {
            found = object.get(value);
        }
    });
    found.filter(|_| visited.is_ok())
}
