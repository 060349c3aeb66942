//! YAML, edited by lines. Its grammar has too many ways to say a thing for edits that are right by construction:
//! the likely ones are candidates, and the caller takes the first that is proven.

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
/// Plain words that are no text.
const RESERVED: [&str; 8] = ["true", "false", "null", "yes", "no", "on", "off", "y"];

/// What the file says; `Null` where it says nothing.
pub(crate) fn parse(text: &str) -> Result<Value, Broken> {
    Ok(tree::parse(text)?.map_or(Value::Null, |root| root.to_value()))
}

/// A value in one line, in flow style.
pub(crate) fn inline(value: &Value) -> String {
    match value {
        Value::Text(text) => scalar(text),
        Value::List(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Map(_) | Value::Null | Value::Bool(_) | Value::Other(_) => json::inline(value, " "),
    }
}

/// A text: plain where it cannot be read as anything else, or in double quotes as in JSON.
fn scalar(text: &str) -> String {
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
                lines.push(format!("{}:", scalar(name)));
                lines.extend(member_lines(inner).iter().map(|line| format!("{STEP}{line}")));
            }
            _ => lines.push(format!("{}: {}", scalar(name), inline(value))),
        }
    }
    lines
}

/// The lines of an entry among its siblings.
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

/// The lines of the members of a path from a depth on, down to the entry.
fn path_lines(place: &Place<'_>, depth: usize, value: &Value) -> Vec<String> {
    let mut lines = entry_lines(place, value);
    for key in place.path.keys[depth..].iter().rev() {
        let inner = lines.iter().map(|line| format!("{STEP}{line}"));
        lines = [format!("{}:", scalar(key))].into_iter().chain(inner).collect();
    }
    lines
}

/// An entry in flow style: a member, or an item of a list.
fn flow_entry(place: &Place<'_>, value: &Value) -> String {
    let value = json::inline(value, " ");
    if place.path.list { value } else { format!("{}: {value}", serde_json::Value::from(place.name)) }
}

struct Text<'a> {
    text: &'a str,
    newline: &'static str,
}

impl<'a> Text<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, newline: newline_of(text) }
    }

    /// The text with lines put in where a line begins, or at the end.
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

    /// The text with something put in behind an opening bracket.
    fn with_flow(&self, node: &Node, entry: &str) -> Option<String> {
        let separator = if node.is_empty() { "" } else { ", " };
        apply_splices(self.text, vec![Splice::insert(node.range.start + 1, format!("{entry}{separator}"))])
    }
}

/// The text with an entry among the servers.
pub(crate) fn insert(text: &str, place: &Place<'_>, value: &Value) -> Result<Inserted, Sentence> {
    let keys = &place.path.keys;
    let root = tree::parse(text).map_err(|broken| broken.why)?;
    let edit = Text::new(text);
    let Some(mut node) = root.as_ref().filter(|root| !root.is_null()) else {
        let candidates = edit.with_lines(text.len(), "", &path_lines(place, 0, value));
        let created = Created { maps: keys.len() + 1, from_null: false };
        return Ok(Inserted { candidates: candidates.into_iter().collect(), created });
    };
    for (depth, key) in keys.iter().enumerate() {
        let Kind::Map(members) = &node.kind else {
            return Err(if depth == 0 { not_by_name() } else { wrong_type(&keys[depth - 1]) });
        };
        let mut found = members.iter().filter(|(name, _)| name.is_text(key));
        let Some((name, next)) = found.next() else {
            let created = Created { maps: keys.len() - depth, from_null: false };
            return Ok(Inserted { candidates: insert_missing(&edit, node, place, depth, value), created });
        };
        if found.next().is_some() {
            return Err(appears_twice(key));
        }
        if next.is_null() {
            let created = Created { maps: keys.len() - depth, from_null: true };
            let lines = path_lines(place, depth + 1, value);
            let indent = format!("{}{STEP}", indent_of(text, name));
            let candidates = if next.range.is_empty() && !node.flow {
                edit.with_lines(next_line(text, name.range.end), &indent, &lines)
            } else {
                let flow = flow_entry(place, value);
                let flow = if place.path.list { format!("[{flow}]") } else { format!("{{{flow}}}") };
                let is_last = depth + 1 == keys.len();
                let splice = Splice::replace(next.range.clone(), flow);
                is_last.then(|| apply_splices(text, vec![splice])).flatten()
            };
            return Ok(Inserted { candidates: candidates.into_iter().collect(), created });
        }
        node = next;
    }
    let fits =
        if place.path.list { matches!(node.kind, Kind::List(_)) } else { matches!(node.kind, Kind::Map(_)) };
    if !fits {
        return Err(wrong_type(place.last_key()));
    }
    let candidates = if node.flow {
        edit.with_flow(node, &flow_entry(place, value)).into_iter().collect()
    } else {
        block_candidates(&edit, node, &entry_lines(place, value))
    };
    Ok(Inserted { candidates, created: Created::default() })
}

/// The members that a map lacks: at its end, or before its first.
fn insert_missing(
    edit: &Text<'_>,
    map: &Node,
    place: &Place<'_>,
    depth: usize,
    value: &Value,
) -> Vec<String> {
    if map.flow {
        let (key, rest) = (&place.path.keys[depth], &place.path.keys[depth + 1..]);
        let mut inner = flow_entry(place, value);
        inner = if place.path.list { format!("[{inner}]") } else { format!("{{{inner}}}") };
        for key in rest.iter().rev() {
            inner = format!("{{{}: {inner}}}", serde_json::Value::from(key.as_str()));
        }
        let member = format!("{}: {inner}", serde_json::Value::from(key.as_str()));
        return edit.with_flow(map, &member).into_iter().collect();
    }
    block_candidates(edit, map, &path_lines(place, depth, value))
}

/// Lines put into a block: behind its last line, or before its first.
fn block_candidates(edit: &Text<'_>, block: &Node, lines: &[String]) -> Vec<String> {
    let text = edit.text;
    let first = line_start(text, block.range.start);
    let indent = indentation(&text[first..]);
    let last = block.last_line_end().map(|end| next_line(text, end));
    let places = last.into_iter().chain([first]);
    places.filter_map(|at| edit.with_lines(at, indent, lines)).collect()
}

fn indent_of<'t>(text: &'t str, node: &Node) -> &'t str {
    indentation(&text[line_start(text, node.range.start)..])
}

/// The node that holds the servers.
fn servers_of<'n>(root: &'n Node, place: &Place<'_>) -> Option<&'n Node> {
    place.path.keys.iter().try_fold(root, |node, key| Some(node.member(key)?.1))
}

/// An entry: where it begins, and its value.
fn entry_of<'n>(servers: &'n Node, place: &Place<'_>) -> Option<(&'n Node, &'n Node)> {
    match &servers.kind {
        Kind::Map(_) if !place.path.list => servers.member(place.name),
        Kind::List(items) if place.path.list => {
            let is_it = |item: &&Node| item.member("name").is_some_and(|(_, name)| name.is_text(place.name));
            items.iter().find(is_it).map(|item| (item, item))
        }
        _ => None,
    }
}

/// The range of a member of a server, where it stands on one line.
pub(crate) fn value_range(text: &str, place: &Place<'_>, member: &str) -> Option<Range<usize>> {
    let root = tree::parse(text).ok()??;
    let (_, server) = entry_of(servers_of(&root, place)?, place)?;
    let (_, value) = server.member(member)?;
    let is_exact = value.flow || (matches!(value.kind, Kind::Scalar { .. }) && !value.block_scalar);
    let written = &text[value.range.clone()];
    (is_exact && !written.contains('\n') && !written.starts_with(['&', '!'])).then(|| value.range.clone())
}

/// The text without an entry, and without what was made for it and is empty now.
pub(crate) fn remove(text: &str, place: &Place<'_>, created: Created) -> Result<Vec<String>, Sentence> {
    let root = tree::parse(text).map_err(|broken| broken.why)?.ok_or_else(cannot_edit)?;
    let servers = servers_of(&root, place).ok_or_else(cannot_edit)?;
    let (start, entry) = entry_of(servers, place).ok_or_else(cannot_edit)?;
    if servers.flow {
        let range = with_comma(text, start.range.start..entry.range.end);
        let mut candidates = Vec::new();
        if servers.len() == 1 && created.maps > 0 && !created.from_null {
            candidates.extend(without_created(text, &root, start, place, created));
        }
        candidates.extend(apply_splices(text, vec![Splice::remove(range)]));
        return Ok(candidates);
    }
    // What was made for the entry goes with it, once nothing else is in it.
    let mut candidates = Vec::new();
    if servers.len() == 1 {
        candidates.extend(without_created(text, &root, start, place, created));
    }
    candidates.extend(without_lines(text, start.range.start, entry));
    if candidates.is_empty() { Err(cannot_edit()) } else { Ok(candidates) }
}

/// The text without the outermost of the maps that were made, while they hold nothing else.
fn without_created(
    text: &str,
    root: &Node,
    entry: &Node,
    place: &Place<'_>,
    created: Created,
) -> Vec<String> {
    let keys = &place.path.keys;
    let levels = created.maps.min(keys.len()).saturating_sub(usize::from(created.from_null));
    for level in (1..=levels).rev() {
        let (outer, key) = (&keys[..keys.len() - level], &keys[keys.len() - level]);
        let Some(parent) = outer.iter().try_fold(root, |node, key| Some(node.member(key)?.1)) else {
            continue;
        };
        let inner = keys[keys.len() - level + 1..].iter().try_fold(
            parent.member(key).map(|found| found.1),
            |node, key| {
                let node = node?;
                Some((node.len() == 1).then(|| node.member(key).map(|found| found.1)).flatten())
            },
        );
        if let (Some((name, value)), Some(Some(_))) = (parent.member(key), inner) {
            // A comment there is not ours.
            if text[name.range.start..entry.range.start].contains('#') {
                continue;
            }
            if parent.flow {
                let range = with_comma(text, name.range.start..value.range.end);
                return apply_splices(text, vec![Splice::remove(range)]).into_iter().collect();
            }
            return without_lines(text, name.range.start, value);
        }
    }
    Vec::new()
}

/// A member in flow style together with the comma that separates it.
fn with_comma(text: &str, range: Range<usize>) -> Range<usize> {
    let after = text[range.end..].trim_start();
    if let Some(rest) = after.strip_prefix(',') {
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        return range.start..text.len() - rest.len();
    }
    let before = text[..range.start].trim_end();
    before.strip_suffix(',').map_or(range.start, str::len)..range.end
}

/// The text without the lines from a place to the end of a node, which may be known only by what follows.
fn without_lines(text: &str, start: usize, node: &Node) -> Vec<String> {
    let start = line_start(text, start);
    let exact = node.last_line_end().map(|end| next_line(text, end));
    let to_next = node.next.map(|next| without_comments(text, start..line_start(text, next).max(start)));
    let ends = exact.into_iter().chain(to_next).filter(|end| *end > start);
    let mut candidates = Vec::new();
    for end in ends {
        // At the end of a text without a last line end, the one before goes too.
        let at_end = end == text.len() && !text.ends_with('\n');
        let from = if at_end { text[..start].trim_end_matches(['\r', '\n']).len() } else { start };
        candidates.extend(apply_splices(text, vec![Splice::remove(from..end)]));
    }
    candidates
}

/// The end of some lines without the blank ones and the comments after them. A comment that is indented further than
/// the first line may be a text of it.
fn without_comments(text: &str, lines: Range<usize>) -> usize {
    let depth = indentation(&text[lines.clone()]).len();
    let mut end = lines.end;
    while end > lines.start {
        let last = line_start(text, end - 1);
        let line = text[last..end].trim_end();
        let indent = indentation(line).len();
        if !line.is_empty() && !(line[indent..].starts_with('#') && indent <= depth) {
            break;
        }
        end = last;
    }
    end
}
