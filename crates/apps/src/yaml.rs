//! YAML. Edited by lines. The grammar allows so much variation that no edit is right in all cases. Therefore
//! this module proposes the likely edits, and the caller takes the first one that is verified.

mod tree;

use std::ops::Range;

use mooring_words::Sentence;

use crate::format::{Broken, Created, Inserted, Place};
use crate::json;
use crate::refusal::{appears_twice, cannot_edit, not_by_name, wrong_type};
use crate::splice::{Splice, apply_splices, indentation, line_start, newline_of, next_line};
use crate::value::Value;
use tree::{Kind, Node};

/// One step of indentation.
const STEP: &str = "  ";
/// Plain scalars that are not strings.
const RESERVED: [&str; 8] = ["true", "false", "null", "yes", "no", "on", "off", "y"];

/// Parses the file. `Null` if it is empty.
pub(crate) fn parse(text: &str) -> Result<Value, Broken> {
    Ok(tree::parse(text)?.map_or(Value::Null, |root| root.to_value()))
}

/// Formats a value on one line, in flow style.
pub(crate) fn format_inline(value: &Value) -> String {
    match value {
        Value::Text(text) => format_scalar(text),
        Value::List(items) => format!("[{}]", items.iter().map(format_inline).collect::<Vec<_>>().join(", ")),
        Value::Map(_) | Value::Null | Value::Bool(_) | Value::Other(_) => json::format_inline(value, " "),
    }
}

/// Formats a string: plain if that is unambiguous, otherwise in double quotes as in JSON.
fn format_scalar(text: &str) -> String {
    let is_plain = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/')
        && text.ends_with(|last: char| last.is_ascii_alphanumeric())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || " _-./".contains(letter))
        && !RESERVED.contains(&text.to_ascii_lowercase().as_str())
        && text != "n";
    if is_plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

/// The lines of a map's members.
fn member_lines(members: &[(String, Value)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, value) in members {
        match value {
            Value::Map(inner) if !inner.is_empty() => {
                lines.push(format!("{}:", format_scalar(name)));
                lines.extend(member_lines(inner).iter().map(|line| format!("{STEP}{line}")));
            }
            _ => lines.push(format!("{}: {}", format_scalar(name), format_inline(value))),
        }
    }
    lines
}

/// The lines of an entry.
fn entry_lines(place: &Place<'_>, value: &Value) -> Vec<String> {
    if !place.path.list {
        return member_lines(&[(place.name.to_owned(), value.clone())]);
    }
    let lines = member_lines(value.members());
    lines
        .iter()
        .enumerate()
        .map(|(at, line)| format!("{}{line}", if at == 0 { "- " } else { STEP }))
        .collect()
}

/// The lines of a section with the entry.
fn section_lines(key: &str, place: &Place<'_>, value: &Value) -> Vec<String> {
    let entry = entry_lines(place, value).into_iter().map(|line| format!("{STEP}{line}"));
    [format!("{}:", format_scalar(key))].into_iter().chain(entry).collect()
}

/// An entry in flow style, which is a member of a map or an item of a list.
fn flow_entry(place: &Place<'_>, value: &Value) -> String {
    let value = json::format_inline(value, " ");
    if place.path.list { value } else { format!("{}: {value}", serde_json::Value::from(place.name)) }
}

/// A section with the entry, in flow style.
fn flow_section(place: &Place<'_>, value: &Value) -> String {
    let entry = flow_entry(place, value);
    if place.path.list { format!("[{entry}]") } else { format!("{{{entry}}}") }
}

/// The name of the section. No app with a YAML file has it below the top level.
fn section_key<'p>(place: &Place<'p>) -> Result<&'p str, Sentence> {
    if let [key] = place.path.keys.as_slice() { Ok(key) } else { Err(cannot_edit()) }
}

struct Text<'a> {
    text: &'a str,
    newline: &'static str,
}

impl<'a> Text<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, newline: newline_of(text) }
    }

    /// Inserts lines at the start of a line, or at the end of the text.
    fn with_lines(&self, at: usize, indent: &str, lines: &[String]) -> Option<String> {
        let mut block = String::new();
        let ends_line = at == 0 || self.text[..at].ends_with('\n');
        if !ends_line {
            block.push_str(self.newline);
        }
        for line in lines {
            block.push_str(indent);
            block.push_str(line);
            block.push_str(self.newline);
        }
        if !ends_line {
            block.truncate(block.len() - self.newline.len());
        }
        apply_splices(self.text, vec![Splice::insert(at, block)])
    }

    /// Inserts text after an opening bracket.
    fn with_flow(&self, node: &Node, entry: &str) -> Option<String> {
        let separator = if node.is_empty() { "" } else { ", " };
        apply_splices(self.text, vec![Splice::insert(node.range.start + 1, format!("{entry}{separator}"))])
    }
}

/// Inserts an entry among the servers.
pub(crate) fn insert_entry(text: &str, place: &Place<'_>, value: &Value) -> Result<Inserted, Sentence> {
    let key = section_key(place)?;
    let tree = tree::parse(text).map_err(|broken| broken.why)?;
    let edit = Text::new(text);
    let Some(root) = tree.as_ref().filter(|root| !root.is_null()) else {
        let candidates = edit.with_lines(text.len(), "", &section_lines(key, place, value));
        let created = Created { maps: 2, from_null: false };
        return Ok(Inserted { candidates: candidates.into_iter().collect(), created });
    };
    let Kind::Map(members) = &root.kind else { return Err(not_by_name()) };
    if members.iter().filter(|(name, _)| name.is_text(key)).count() > 1 {
        return Err(appears_twice(key));
    }
    let (candidates, created) = match root.member(key) {
        None => {
            let candidates = if root.flow {
                let member = format!("{}: {}", serde_json::Value::from(key), flow_section(place, value));
                edit.with_flow(root, &member).into_iter().collect()
            } else {
                block_candidates(&edit, root, &section_lines(key, place, value))
            };
            (candidates, Created { maps: 1, from_null: false })
        }
        Some((name, section)) if section.is_null() => {
            let candidate = if section.range.is_empty() {
                let indent = format!("{}{STEP}", indentation(&text[line_start(text, name.range.start)..]));
                edit.with_lines(next_line(text, name.range.end), &indent, &entry_lines(place, value))
            } else {
                let splice = Splice::replace(section.range.clone(), flow_section(place, value));
                apply_splices(text, vec![splice])
            };
            (candidate.into_iter().collect(), Created { maps: 1, from_null: true })
        }
        Some((_, section)) => {
            let candidates = match (&section.kind, place.path.list) {
                (Kind::Map(_), false) | (Kind::List(_), true) if section.flow => {
                    edit.with_flow(section, &flow_entry(place, value)).into_iter().collect()
                }
                (Kind::Map(_), false) | (Kind::List(_), true) => {
                    block_candidates(&edit, section, &entry_lines(place, value))
                }
                _ => return Err(wrong_type(key)),
            };
            (candidates, Created::default())
        }
    };
    Ok(Inserted { candidates, created })
}

/// Texts with lines inserted into a block: after its last line, or before its first.
fn block_candidates(edit: &Text<'_>, block: &Node, lines: &[String]) -> Vec<String> {
    let text = edit.text;
    let first = line_start(text, block.range.start);
    let indent = indentation(&text[first..]);
    let last = block.last_line_end().map(|end| next_line(text, end));
    let places = last.into_iter().chain([first]);
    places.filter_map(|at| edit.with_lines(at, indent, lines)).collect()
}

/// Finds an entry: the node at which it begins, and its value.
fn find_entry<'n>(servers: &'n Node, place: &Place<'_>) -> Option<(&'n Node, &'n Node)> {
    match &servers.kind {
        Kind::Map(_) if !place.path.list => servers.member(place.name),
        Kind::List(items) if place.path.list => {
            let is_it = |item: &&Node| item.member("name").is_some_and(|(_, name)| name.is_text(place.name));
            items.iter().find(is_it).map(|item| (item, item))
        }
        _ => None,
    }
}

/// The range of the value of a server's member, if it is on one line.
pub(crate) fn find_value_range(text: &str, place: &Place<'_>, member: &str) -> Option<Range<usize>> {
    let root = tree::parse(text).ok()??;
    let (_, section) = root.member(section_key(place).ok()?)?;
    let (_, server) = find_entry(section, place)?;
    let (_, value) = server.member(member)?;
    let is_exact = value.flow || (matches!(value.kind, Kind::Scalar { .. }) && !value.block_scalar);
    let written = &text[value.range.clone()];
    (is_exact && !written.contains('\n') && !written.starts_with(['&', '!'])).then(|| value.range.clone())
}

/// Removes an entry, and the section if it was created for the entry and is empty now.
pub(crate) fn remove_entry(text: &str, place: &Place<'_>, created: Created) -> Result<Vec<String>, Sentence> {
    let root = tree::parse(text).map_err(|broken| broken.why)?.ok_or_else(cannot_edit)?;
    let (key, section) = root.member(section_key(place)?).ok_or_else(cannot_edit)?;
    let (start, entry) = find_entry(section, place).ok_or_else(cannot_edit)?;
    // A comment in the section is not ours.
    let is_commented = text[key.range.start..start.range.start].contains('#');
    let mut candidates = Vec::new();
    if created.maps > 0 && !created.from_null && section.len() == 1 && !is_commented {
        candidates.extend(without_node(text, key, section, root.flow));
    }
    candidates.extend(without_node(text, start, entry, section.flow));
    Ok(candidates)
}

/// Removes the text from the start of one node to the end of another.
fn without_node(text: &str, start: &Node, end: &Node, flow: bool) -> Vec<String> {
    if !flow {
        return without_lines(text, start.range.start, end);
    }
    let range = with_comma(text, start.range.start..end.range.end);
    apply_splices(text, vec![Splice::remove(range)]).into_iter().collect()
}

/// Extends the range of a member in flow style by the comma that separates it.
fn with_comma(text: &str, range: Range<usize>) -> Range<usize> {
    let after = text[range.end..].trim_start();
    if let Some(rest) = after.strip_prefix(',') {
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        return range.start..text.len() - rest.len();
    }
    let before = text[..range.start].trim_end();
    before.strip_suffix(',').map_or(range.start, str::len)..range.end
}

/// Removes the lines from an offset to the end of a node. That end may only be known from what follows.
fn without_lines(text: &str, start: usize, node: &Node) -> Vec<String> {
    let start = line_start(text, start);
    let exact = node.last_line_end().map(|end| next_line(text, end));
    let to_next = node.next.map(|next| without_comments(text, start..line_start(text, next).max(start)));
    let ends = exact.into_iter().chain(to_next).filter(|end| *end > start);
    let mut candidates = Vec::new();
    for end in ends {
        // At the end of a text without a final line break, the previous line break is removed, too.
        let at_end = end == text.len() && !text.ends_with('\n');
        let from = if at_end { text[..start].trim_end_matches(['\r', '\n']).len() } else { start };
        candidates.extend(apply_splices(text, vec![Splice::remove(from..end)]));
    }
    candidates
}

/// The end of a range of lines, without blank lines and comments at its end. A comment that is indented
/// further than the first line may be part of a string.
fn without_comments(text: &str, lines: Range<usize>) -> usize {
    let depth = indentation(&text[lines.clone()]).len();
    let mut end = lines.end;
    while end > lines.start {
        let last = line_start(text, end - 1);
        let line = text[last..end].trim_end();
        let indent = indentation(line).len();
        let is_ours = !line.is_empty() && (indent > depth || !line[indent..].starts_with('#'));
        if is_ours {
            break;
        }
        end = last;
    }
    end
}
