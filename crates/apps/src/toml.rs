//! TOML. Edited with the positions of its parser.

use std::ops::Range;

use mooring_words::Sentence;
use toml_edit::{Document, InlineTable, Item, Table, TableLike, Value as Node};

use crate::format::{Broken, Created, Inserted, Place};
use crate::refusal::{appears_twice, cannot_edit, wrong_type};
use crate::splice::{Splice, apply_splices, line_number, line_start, newline_of, next_line};
use crate::value::Value;

fn parse_document(text: &str) -> Result<Document<&str>, Broken> {
    Document::parse(text).map_err(|error| Broken {
        line: line_number(text, error.span().map_or(0, |span| span.start)),
        why: Sentence::quoted(error.message().trim()),
    })
}

/// Parses the file. Tables are sorted by name, because their order has no meaning.
pub(crate) fn parse(text: &str) -> Result<Value, Broken> {
    Ok(table_value(parse_document(text)?.as_table()))
}

fn table_value(table: &dyn TableLike) -> Value {
    let mut members: Vec<_> = table.iter().map(|(name, item)| (name.to_owned(), item_value(item))).collect();
    members.sort_by(|one, other| one.0.cmp(&other.0));
    Value::Map(members)
}

fn item_value(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => node_value(value),
        Item::Table(table) => table_value(table),
        Item::ArrayOfTables(tables) => Value::List(tables.iter().map(|table| table_value(table)).collect()),
    }
}

fn node_value(node: &Node) -> Value {
    match node {
        Node::String(text) => Value::text(text.value()),
        Node::Boolean(bool) => Value::Bool(*bool.value()),
        Node::Integer(number) => Value::Other(number.value().to_string()),
        Node::Float(number) => Value::Other(format!("{:?}", number.value())),
        Node::Datetime(date) => Value::Other(date.value().to_string()),
        Node::Array(items) => Value::List(items.iter().map(node_value).collect()),
        Node::InlineTable(table) => table_value(table),
    }
}

/// Formats a value on one line.
pub(crate) fn format_inline(value: &Value) -> String {
    match value {
        // TOML has no null, and no entry contains one.
        Value::Null => "\"\"".to_owned(),
        Value::Bool(bool) => bool.to_string(),
        Value::Text(text) => Node::from(text.as_str()).to_string(),
        Value::Other(text) => text.clone(),
        Value::List(items) => format!("[{}]", items.iter().map(format_inline).collect::<Vec<_>>().join(", ")),
        Value::Map(members) if members.is_empty() => "{}".to_owned(),
        Value::Map(members) => {
            let member =
                |(name, value): &(String, Value)| format!("{} = {}", format_key(name), format_inline(value));
            format!("{{ {} }}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Writes a name as a key, quoted if needed.
fn format_key(name: &str) -> String {
    toml_edit::Key::new(name).display_repr().into_owned()
}

/// Inserts an entry among the servers.
pub(crate) fn insert_entry(text: &str, place: &Place<'_>, value: &Value) -> Result<Inserted, Sentence> {
    let document = parse_document(text).map_err(|broken| broken.why)?;
    let servers = find_servers(document.as_item(), place)?;
    let inserted = match servers {
        Some(Item::Value(Node::InlineTable(table))) => insert_inline(text, table, place.name, value)?,
        Some(Item::Table(_)) | None => append_table(text, place, value),
        Some(_) => return Err(wrong_type(place.last_key())),
    };
    Ok(Inserted { candidates: vec![inserted], created: Created::default() })
}

fn find_servers<'d>(root: &'d Item, place: &Place<'_>) -> Result<Option<&'d Item>, Sentence> {
    let mut item = root;
    for key in &place.path.keys {
        let Some(table) = item.as_table_like() else { return Err(wrong_type(key)) };
        let Some(next) = table.get(key) else { return Ok(None) };
        item = next;
    }
    Ok(Some(item))
}

/// Appends a table at the end, where it is valid after any text.
fn append_table(text: &str, place: &Place<'_>, value: &Value) -> String {
    let newline = newline_of(text);
    let path: Vec<_> =
        place.path.keys.iter().map(|name| format_key(name)).chain([format_key(place.name)]).collect();
    let mut lines = vec![format!("[{}]", path.join("."))];
    lines.extend(
        value
            .members()
            .iter()
            .map(|(name, value)| format!("{} = {}", format_key(name), format_inline(value))),
    );
    let table = lines.join(newline);
    let is_blank = text.trim().is_empty();
    let ends_line = text.is_empty() || text.ends_with('\n');
    let gap = match (is_blank, ends_line) {
        (true, true) => String::new(),
        (_, false) => newline.repeat(2),
        (false, true) if text.trim_end_matches(['\r', ' ', '\t']).ends_with("\n\n") => String::new(),
        (false, true) => newline.to_owned(),
    };
    let end = if ends_line { newline } else { "" };
    format!("{text}{gap}{table}{end}")
}

/// Inserts a member at the start of an inline table, where it is valid before any other member.
fn insert_inline(text: &str, table: &InlineTable, name: &str, value: &Value) -> Result<String, Sentence> {
    let open = table.span().ok_or_else(cannot_edit)?.start + 1;
    let member = format!("{} = {}", format_key(name), format_inline(value));
    let member = match (table.is_empty(), text[open..].starts_with('}')) {
        (false, _) => format!(" {member},"),
        (true, true) => format!(" {member} "),
        (true, false) => format!(" {member}"),
    };
    apply_splices(text, vec![Splice::insert(open, member)]).ok_or_else(cannot_edit)
}

/// The range of the value of a server's member.
pub(crate) fn find_value_range(text: &str, place: &Place<'_>, member: &str) -> Option<Range<usize>> {
    let document = parse_document(text).ok()?;
    let server = find_servers(document.as_item(), place).ok()??.as_table_like()?.get(place.name)?;
    server.as_table_like()?.get(member)?.as_value()?.span()
}

/// Removes an entry.
pub(crate) fn remove_entry(text: &str, place: &Place<'_>) -> Result<Vec<String>, Sentence> {
    let document = parse_document(text).map_err(|broken| broken.why)?;
    let servers = find_servers(document.as_item(), place)?.ok_or_else(cannot_edit)?;
    if let Item::Value(Node::InlineTable(table)) = servers {
        return Ok(vec![remove_inline(text, table, place.name)?]);
    }
    let (key, item) =
        servers.as_table().and_then(|table| table.get_key_value(place.name)).ok_or_else(cannot_edit)?;
    let mut ranges = Vec::new();
    match item {
        Item::Table(table) => collect_table_ranges(text, table, &mut ranges),
        Item::Value(value) => {
            let (key, value) = key.span().zip(value.span()).ok_or_else(cannot_edit)?;
            ranges.push(line_start(text, key.start)..next_line(text, value.end));
        }
        _ => return Err(appears_twice(place.name)),
    }
    let splices = ranges.into_iter().map(|range| Splice::remove(without_gap(text, range)));
    Ok(vec![apply_splices(text, splices.collect()).ok_or_else(cannot_edit)?])
}

/// Collects the lines of a table and its subtables: headers and values, without the comments after them.
fn collect_table_ranges(text: &str, table: &Table, ranges: &mut Vec<Range<usize>>) {
    let header = table.span().filter(|span| !span.is_empty());
    let mut range = header.map(|span| line_start(text, span.start)..next_line(text, span.end));
    for (name, item) in table {
        match item {
            Item::Value(value) => {
                let Some((key, value)) = table.key(name).and_then(toml_edit::Key::span).zip(value.span())
                else {
                    continue;
                };
                let line = line_start(text, key.start)..next_line(text, value.end);
                match &mut range {
                    Some(range) => range.end = range.end.max(line.end),
                    None => ranges.push(line),
                }
            }
            Item::Table(inner) if inner.is_dotted() => {
                let before = ranges.len();
                collect_table_ranges(text, inner, ranges);
                if let Some(range) = &mut range {
                    range.end = ranges.drain(before..).fold(range.end, |end, line| end.max(line.end));
                }
            }
            Item::Table(inner) => collect_table_ranges(text, inner, ranges),
            Item::ArrayOfTables(tables) => {
                tables.iter().for_each(|inner| collect_table_ranges(text, inner, ranges));
            }
            Item::None => {}
        }
    }
    ranges.extend(range);
}

/// Extends a range of lines by the blank line before it, if a blank line or the end of the text follows.
fn without_gap(text: &str, range: Range<usize>) -> Range<usize> {
    let is_blank = |start: usize| text[start..next_line(text, start)].trim().is_empty();
    let before = range.start.checked_sub(1).map(|end| line_start(text, end));
    let has_gap = is_blank(range.end) && before.is_some_and(is_blank);
    let start = before.filter(|_| has_gap).unwrap_or(range.start);
    // At the end of a text without a final line break, the previous line break is removed, too.
    let at_end = range.end == text.len() && !text.ends_with('\n');
    let start = if at_end { text[..start].trim_end_matches(['\r', '\n']).len() } else { start };
    start..range.end
}

fn remove_inline(text: &str, table: &InlineTable, name: &str) -> Result<String, Sentence> {
    let (key, item) = table.get_key_value(name).ok_or_else(cannot_edit)?;
    let (key, value) = key.span().zip(item.span()).ok_or_else(cannot_edit)?;
    let after = text[value.end..].trim_start();
    let range = if after.starts_with(',') {
        text[..key.start].trim_end().len()..text.len() - after.len() + 1
    } else {
        let before = text[..key.start].trim_end();
        let start = before.strip_suffix(',').unwrap_or(before).len();
        start..value.end
    };
    apply_splices(text, vec![Splice::remove(range)]).ok_or_else(cannot_edit)
}
