//! The text of a file in any format: parses it, edits it and verifies every edit.
//!
//! The modules of the formats propose edited texts. The first text whose parsed content only differs in the
//! entry is used. If there is none, the file is not changed.

use std::ops::Range;

use mooring_words::say;

use crate::error::Error;
use crate::format::{Broken, Created, Format, Inserted, Place, ServersPath};
use crate::refusal::{cannot_edit, wrong_type};
use crate::splice::{Splice, apply_splices, indentation, line_start, newline_of};
use crate::value::Value;
use crate::{json, toml, yaml};

/// The text of a file, without its byte order mark.
pub(crate) struct Document<'a> {
    format: Format,
    mark: &'static str,
    text: &'a str,
    value: Value,
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

impl<'a> Document<'a> {
    /// Parses a text.
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

    /// Inserts a new entry. Returns the text, and what had to be created around the entry.
    pub(crate) fn insert_entry(&self, place: Place<'_>, value: &Value) -> Result<(String, Created), Error> {
        self.check_servers(place.path)?;
        let inserted = match self.format {
            Format::Json => json::insert_entry(self.text, &place, value),
            Format::Toml => toml::insert_entry(self.text, &place, value),
            Format::Yaml => yaml::insert_entry(self.text, &place, value),
        };
        let Inserted { candidates, created } = inserted.map_err(Error::NotEditable)?;
        let before = self.value.clone().without_empty(&place.path.keys);
        let is_proven = |text: &String| {
            let Ok(mut after) = parse(self.format, text) else { return false };
            let taken = after.take_servers(place.path, place.name);
            has_same_values(&taken, std::slice::from_ref(value))
                && after.without_empty(&place.path.keys) == before
        };
        let text = candidates.into_iter().find(is_proven).ok_or_else(not_verified_error)?;
        Ok((format!("{}{text}", self.mark), created))
    }

    /// Changes members of an entry, so that it starts something else. Only these members are edited.
    pub(crate) fn replace_members(
        &self,
        place: Place<'_>,
        changes: &[(&str, Value)],
    ) -> Result<String, Error> {
        let mut splices = Vec::new();
        let mut expected = self.value.clone();
        for (member, value) in changes {
            let range = self.find_value_range(place, member).ok_or_else(not_verified_error)?;
            let text = match self.format {
                Format::Json => json::format_inline(value, " "),
                Format::Toml => toml::format_inline(value),
                Format::Yaml => yaml::format_inline(value),
            };
            splices.push(Splice::replace(range, text));
            expected.set_in_server(place.path, place.name, member, value.clone());
        }
        let text = apply_splices(self.text, splices).ok_or_else(not_verified_error)?;
        let is_proven = parse(self.format, &text).is_ok_and(|after| after == expected);
        if is_proven { Ok(format!("{}{text}", self.mark)) } else { Err(not_verified_error()) }
    }

    /// Sets a member of an entry. Replaces an existing member, or inserts it after the member with the
    /// command. If the text can't be edited in place, the whole entry is replaced.
    pub(crate) fn set_member(&self, place: Place<'_>, member: &str, value: &Value) -> Result<String, Error> {
        let mut expected = self.value.clone();
        let mut servers = expected.take_servers(place.path, place.name);
        let in_place = servers.first().and_then(|server| self.with_other_text(server.member(member)?, value));
        let [Value::Map(members)] = servers.as_mut_slice() else { return Err(not_verified_error()) };
        let has_it = members.iter().any(|(name, _)| name == member);
        members.retain(|(name, _)| name != member);
        members.push((member.to_owned(), value.clone()));
        let is_proven = |text: &String| {
            let text = text.strip_prefix(self.mark).unwrap_or(text);
            let Ok(mut after) = parse(self.format, text) else { return false };
            let taken = after.take_servers(place.path, place.name);
            has_same_values(&taken, &servers) && after == expected
        };
        let edited: Vec<String> = if has_it {
            in_place.into_iter().chain(self.replace_members(place, &[(member, value.clone())])).collect()
        } else {
            self.with_member(place, member, value)
        };
        if let Some(text) = edited.into_iter().find(is_proven) {
            return Ok(text);
        }
        let removed = self.remove_entry(place, Created::default())?;
        Ok(Document::read(self.format, &removed)?.insert_entry(place, &servers[0])?.0)
    }

    /// Replaces one string in a map, if it is the only difference and occurs once in the text.
    fn with_other_text(&self, now: &Value, wanted: &Value) -> Option<String> {
        let pairs = now.members().iter().zip(wanted.members());
        let (old, new) = pairs.map(|((_, old), (_, new))| (old, new)).find(|(old, new)| old != new)?;
        let (old, new) = (old.as_text()?, new.as_text()?);
        (self.text.matches(old).count() == 1).then(|| format!("{}{}", self.mark, self.text.replace(old, new)))
    }

    /// Texts in which the entry may have one more member.
    fn with_member(&self, place: Place<'_>, member: &str, value: &Value) -> Vec<String> {
        let Some(anchor) = ["args", "command", "cmd"]
            .iter()
            .find_map(|name| self.find_value_range(place, name))
            .map(|it| it.end)
        else {
            return Vec::new();
        };
        let (pair, is_lines) = match self.format {
            Format::Json => (json::format_member(member, value), false),
            Format::Toml => (format!("{member} = {}", toml::format_inline(value)), true),
            Format::Yaml => (format!("{member}: {}", json::format_inline(value, " ")), true),
        };
        let (text, newline) = (self.text, newline_of(self.text));
        let line = &text[line_start(text, anchor)..];
        // An item of a list begins with a dash. Its members are indented by the width of the dash.
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

    fn find_value_range(&self, place: Place<'_>, member: &str) -> Option<Range<usize>> {
        match self.format {
            Format::Json => json::find_value_range(self.text, &place, member),
            Format::Toml => toml::find_value_range(self.text, &place, member),
            Format::Yaml => yaml::find_value_range(self.text, &place, member),
        }
    }

    /// Removes an entry, and what was created for it if that is empty now.
    pub(crate) fn remove_entry(&self, place: Place<'_>, created: Created) -> Result<String, Error> {
        let removed = match self.format {
            Format::Json => json::remove_entry(self.text, &place, created),
            Format::Toml => toml::remove_entry(self.text, &place),
            Format::Yaml => yaml::remove_entry(self.text, &place, created),
        };
        let mut expected = self.value.clone();
        let taken = expected.take_servers(place.path, place.name);
        let expected = expected.without_empty(&place.path.keys);
        let is_proven = |text: &String| {
            parse(self.format, text).is_ok_and(|after| after.without_empty(&place.path.keys) == expected)
        };
        let candidates = removed.map_err(Error::NotEditable)?;
        let text = candidates
            .into_iter()
            .find(is_proven)
            .filter(|_| taken.len() == 1)
            .ok_or_else(not_verified_error)?;
        Ok(format!("{}{text}", self.mark))
    }

    /// Checks that the section with the servers is a map (or a list), if it exists.
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

fn not_verified_error() -> Error {
    Error::NotEditable(cannot_edit())
}

/// Whether values are equal, apart from the order of members, which TOML does not keep.
fn has_same_values(one: &[Value], other: &[Value]) -> bool {
    let sorted = |values: &[Value]| -> Vec<Value> { values.iter().cloned().map(sort_members).collect() };
    sorted(one) == sorted(other)
}

fn sort_members(value: Value) -> Value {
    match value {
        Value::Map(members) => {
            let mut members: Vec<_> =
                members.into_iter().map(|(name, value)| (name, sort_members(value))).collect();
            members.sort_by(|one, other| one.0.cmp(&other.0));
            Value::Map(members)
        }
        Value::List(items) => Value::List(items.into_iter().map(sort_members).collect()),
        other => other,
    }
}
