//! The text of a file in any format: parsing, editing, and verification of every edit.
//!
//! The formats propose edited texts. The first one whose parsed content only differs by the entry is used. If
//! there is none, the file is not changed.

use std::ops::Range;

use mooring_words::say;

use crate::error::Error;
use crate::format::{Broken, Created, Format, Inserted, Place, ServersPath};
use crate::refusal::{cannot_edit, wrong_type};
use crate::splice::{Splice, apply_splices, indentation, line_start, newline_of};
use crate::value::Value;
use crate::{json, toml, yaml};

/// The text of a file, apart from its byte order mark.
pub(crate) struct Document<'a> {
    format: Format,
    mark: &'static str,
    text: &'a str,
    value: Value,
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

impl<'a> Document<'a> {
    /// Reads a text.
    pub(crate) fn read(format: Format, text: &'a str) -> Result<Self, Error> {
        let (mark, text) = match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => (BYTE_ORDER_MARK, rest),
            None => ("", text),
        };
        let value = parse(format, text).map_err(|Broken { line, why }| {
            Error::Unreadable(say!("line {line} can’t be read: {why}", line, why))
        })?;
        Ok(Self { format, mark, text, value })
    }

    /// The content of the file.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// The text with an entry that it does not have yet.
    pub(crate) fn insert(&self, place: Place<'_>, value: &Value) -> Result<(String, Created), Error> {
        self.check_servers(place.path)?;
        let inserted = match self.format {
            Format::Json => json::insert(self.text, &place, value),
            Format::Toml => toml::insert(self.text, &place, value),
            Format::Yaml => yaml::insert(self.text, &place, value),
        };
        let Inserted { candidates, created } = inserted.map_err(Error::NotEditable)?;
        let before = self.value.clone().without_empty(&place.path.keys);
        let is_proven = |text: &String| {
            let Ok(mut after) = parse(self.format, text) else { return false };
            let taken = after.take_servers(place.path, place.name);
            same(&taken, std::slice::from_ref(value)) && after.without_empty(&place.path.keys) == before
        };
        let text = candidates.into_iter().find(is_proven).ok_or_else(not_proven)?;
        Ok((format!("{}{text}", self.mark), created))
    }

    /// The text with the entry replaced by one that starts something else. Only the members that change are
    /// edited.
    pub(crate) fn replace(&self, place: Place<'_>, changes: &[(&str, Value)]) -> Result<String, Error> {
        let mut splices = Vec::new();
        let mut expected = self.value.clone();
        for (member, value) in changes {
            let range = self.value_range(place, member).ok_or_else(not_proven)?;
            let text = match self.format {
                Format::Json => json::inline(value, " "),
                Format::Toml => toml::inline(value),
                Format::Yaml => yaml::inline(value),
            };
            splices.push(Splice::replace(range, text));
            expected.set_in_server(place.path, place.name, member, value.clone());
        }
        let text = apply_splices(self.text, splices).ok_or_else(not_proven)?;
        let is_proven = parse(self.format, &text).is_ok_and(|after| after == expected);
        if is_proven { Ok(format!("{}{text}", self.mark)) } else { Err(not_proven()) }
    }

    /// Sets a member of an entry. Replaces it, or inserts it after the member with the command. If the text
    /// can't be edited in place, the whole entry is replaced.
    pub(crate) fn set_member(&self, place: Place<'_>, member: &str, value: &Value) -> Result<String, Error> {
        let mut expected = self.value.clone();
        let mut servers = expected.take_servers(place.path, place.name);
        let in_place = servers.first().and_then(|server| self.with_other_text(server.member(member)?, value));
        let [Value::Map(members)] = servers.as_mut_slice() else { return Err(not_proven()) };
        let has_it = members.iter().any(|(name, _)| name == member);
        members.retain(|(name, _)| name != member);
        members.push((member.to_owned(), value.clone()));
        let is_proven = |text: &String| {
            let text = text.strip_prefix(self.mark).unwrap_or(text);
            let Ok(mut after) = parse(self.format, text) else { return false };
            let taken = after.take_servers(place.path, place.name);
            same(&taken, &servers) && after == expected
        };
        let edited: Vec<String> = if has_it {
            in_place.into_iter().chain(self.replace(place, &[(member, value.clone())])).collect()
        } else {
            self.with_member(place, member, value)
        };
        if let Some(text) = edited.into_iter().find(is_proven) {
            return Ok(text);
        }
        let removed = self.remove(place, Created::default())?;
        Ok(Document::read(self.format, &removed)?.insert(place, &servers[0])?.0)
    }

    /// Replaces one string in a map, if that is the only change.
    fn with_other_text(&self, now: &Value, wanted: &Value) -> Option<String> {
        let pairs = now.members().iter().zip(wanted.members());
        let (old, new) = pairs.map(|((_, old), (_, new))| (old, new)).find(|(old, new)| old != new)?;
        let (old, new) = (old.as_text()?, new.as_text()?);
        (self.text.matches(old).count() == 1).then(|| format!("{}{}", self.mark, self.text.replace(old, new)))
    }

    /// Texts that may have one more member in an entry.
    fn with_member(&self, place: Place<'_>, member: &str, value: &Value) -> Vec<String> {
        let Some(anchor) =
            ["args", "command", "cmd"].iter().find_map(|name| self.value_range(place, name)).map(|it| it.end)
        else {
            return Vec::new();
        };
        let (pair, is_lines) = match self.format {
            Format::Json => (json::member(member, value), false),
            Format::Toml => (format!("{member} = {}", toml::inline(value)), true),
            Format::Yaml => (format!("{member}: {}", json::inline(value, " ")), true),
        };
        let (text, newline) = (self.text, newline_of(self.text));
        let line = &text[line_start(text, anchor)..];
        // An item of a list begins with a dash; its members are indented by the width of that.
        let indent: String =
            indentation(line).to_owned() + if line.trim_start().starts_with("- ") { "  " } else { "" };
        let own_line = format!("{newline}{indent}{pair}");
        let (same_line, comma_line) = (format!(", {pair}"), format!(",{own_line}"));
        let candidates = match (is_lines, line[..anchor - line_start(text, anchor)].contains('{')) {
            (true, _) => [own_line, same_line],
            (false, true) => [same_line, comma_line],
            (false, false) => [comma_line, same_line],
        };
        let texts = candidates.into_iter().map(|added| vec![Splice::insert(anchor, added)]);
        texts.filter_map(|splices| Some(format!("{}{}", self.mark, apply_splices(text, splices)?))).collect()
    }

    fn value_range(&self, place: Place<'_>, member: &str) -> Option<Range<usize>> {
        match self.format {
            Format::Json => json::value_range(self.text, &place, member),
            Format::Toml => toml::value_range(self.text, &place, member),
            Format::Yaml => yaml::value_range(self.text, &place, member),
        }
    }

    /// The text without an entry, and without what was made for it and is empty now.
    pub(crate) fn remove(&self, place: Place<'_>, created: Created) -> Result<String, Error> {
        let removed = match self.format {
            Format::Json => json::remove(self.text, &place, created),
            Format::Toml => toml::remove(self.text, &place),
            Format::Yaml => yaml::remove(self.text, &place, created),
        };
        let mut expected = self.value.clone();
        let taken = expected.take_servers(place.path, place.name);
        let expected = expected.without_empty(&place.path.keys);
        let is_proven = |text: &String| {
            parse(self.format, text).is_ok_and(|after| after.without_empty(&place.path.keys) == expected)
        };
        let candidates = removed.map_err(Error::NotEditable)?;
        let text =
            candidates.into_iter().find(is_proven).filter(|_| taken.len() == 1).ok_or_else(not_proven)?;
        Ok(format!("{}{text}", self.mark))
    }

    /// Checks that the servers are a map (or a list), if they exist.
    pub(crate) fn check_servers(&self, path: &ServersPath) -> Result<(), Error> {
        let fits = match self.value.at(&path.keys) {
            None | Some(Value::Null) => true,
            Some(Value::Map(_)) => !path.list,
            Some(Value::List(_)) => path.list,
            Some(_) => false,
        };
        if fits { Ok(()) } else { Err(Error::NotEditable(wrong_type(path.last_key()))) }
    }
}

fn parse(format: Format, text: &str) -> Result<Value, Broken> {
    match format {
        Format::Json => json::parse(text),
        Format::Toml => toml::parse(text),
        Format::Yaml => yaml::parse(text),
    }
}

fn not_proven() -> Error {
    Error::NotEditable(cannot_edit())
}

/// Whether values are the same but for the order of members, which TOML does not keep.
fn same(one: &[Value], other: &[Value]) -> bool {
    let sorted = |values: &[Value]| -> Vec<Value> { values.iter().cloned().map(sort).collect() };
    sorted(one) == sorted(other)
}

fn sort(value: Value) -> Value {
    match value {
        Value::Map(members) => {
            let mut members: Vec<_> = members.into_iter().map(|(name, value)| (name, sort(value))).collect();
            members.sort_by(|one, other| one.0.cmp(&other.0));
            Value::Map(members)
        }
        Value::List(items) => Value::List(items.into_iter().map(sort).collect()),
        other => other,
    }
}
