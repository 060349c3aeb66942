//! The content of a file in any format. It is only used to read entries, and to verify that an edit changed
//! nothing else.

use crate::format::ServersPath;

/// A value in a file. Members have the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Text(String),
    /// A number, a date, an alias or anything else, as it is written in the file.
    Other(String),
    List(Vec<Self>),
    /// Several members may have the same name.
    Map(Vec<(String, Self)>),
}

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The string. `None` if the value is not a string.
    pub(crate) fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// A member of a map. If several have the name, the last one is returned, as most parsers do.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        self.members().iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The members of a map. Empty if the value is not a map.
    pub(crate) fn members(&self) -> &[(String, Self)] {
        if let Self::Map(members) = self { members } else { &[] }
    }

    /// The value at a path.
    pub(crate) fn at(&self, keys: &[String]) -> Option<&Self> {
        keys.iter().try_fold(self, |value, key| value.member(key))
    }

    fn at_mut(&mut self, keys: &[String]) -> Option<&mut Self> {
        let Some((key, rest)) = keys.split_first() else { return Some(self) };
        let Self::Map(members) = self else { return None };
        members.iter_mut().rev().find(|(known, _)| known == key)?.1.at_mut(rest)
    }

    /// The app's servers with their names, in the file's order.
    pub(crate) fn servers(&self, path: &ServersPath) -> Vec<(&str, &Self)> {
        match self.at(&path.keys) {
            Some(Self::Map(members)) if !path.list => {
                members.iter().map(|(name, value)| (name.as_str(), value)).collect()
            }
            Some(Self::List(items)) if path.list => {
                let named = items.iter().filter_map(|item| Some((item.member("name")?.as_text()?, item)));
                named.collect()
            }
            _ => Vec::new(),
        }
    }

    /// Removes the servers with this name, and returns them.
    pub(crate) fn take_servers(&mut self, path: &ServersPath, name: &str) -> Vec<Self> {
        let mut taken = Vec::new();
        match self.at_mut(&path.keys) {
            Some(Self::Map(members)) if !path.list => {
                for (_, value) in members.extract_if(.., |(known, _)| known == name) {
                    taken.push(value);
                }
            }
            Some(Self::List(items)) if path.list => {
                let is_it = |item: &mut Self| item.member("name").and_then(Self::as_text) == Some(name);
                taken.extend(items.extract_if(.., is_it));
            }
            _ => {}
        }
        taken
    }

    /// Sets the value of a member of the server with this name.
    pub(crate) fn set_in_server(&mut self, path: &ServersPath, name: &str, member: &str, value: Self) {
        let server = match self.at_mut(&path.keys) {
            Some(Self::Map(members)) if !path.list => {
                members.iter_mut().rev().find(|(known, _)| known == name).map(|(_, server)| server)
            }
            Some(Self::List(items)) if path.list => {
                items.iter_mut().find(|item| item.member("name").and_then(Self::as_text) == Some(name))
            }
            _ => None,
        };
        if let Some(place) = server.and_then(|server| server.at_mut(&[member.to_owned()])) {
            *place = value;
        }
    }

    /// Removes empty values along the path: for servers, `null`, an empty map and a missing map are the same.
    pub(crate) fn without_empty(mut self, keys: &[String]) -> Self {
        for depth in (0..=keys.len()).rev() {
            let (outer, inner) = keys.split_at(depth);
            if !inner.is_empty() && self.at(outer).is_none() {
                continue;
            }
            let is_empty = |value: &Self| match value {
                Self::Null => true,
                Self::Map(members) => members.is_empty(),
                Self::List(items) => items.is_empty(),
                _ => false,
            };
            if !self.at(outer).is_some_and(is_empty) {
                continue;
            }
            match outer.split_last() {
                None => self = Self::Null,
                Some((key, parents)) => {
                    if let Some(Self::Map(members)) = self.at_mut(parents)
                        && let Some(last) = members.iter().rposition(|(known, _)| known == key)
                    {
                        members.remove(last);
                    }
                }
            }
        }
        self
    }
}
