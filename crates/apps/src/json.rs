//! JSON with comments. Edited with the positions in its syntax tree.

use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use mooring_words::Sentence;

use crate::format::{Broken, Created, Inserted, Place};
use crate::refusal::{appears_twice, cannot_edit, not_by_name, wrong_type};
use crate::splice::{Splice, apply_splices, indentation, is_blank_until_line_end, line_start, newline_of};
use crate::value::Value;

/// Comments and trailing commas are allowed. Other extensions are not, because apps don't allow them either.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// One step of indentation, if the file has none to follow.
const STEP: &str = "  ";

fn parse_tree(text: &str) -> Result<Option<Node<'_>>, Broken> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS).map_err(|error| Broken {
        line: error.line_display(),
        why: Sentence::quoted(error.kind().to_string()),
    })?;
    Ok(parsed.value)
}

/// Parses the file. `Null` if it is empty.
pub(crate) fn parse(text: &str) -> Result<Value, Broken> {
    Ok(parse_tree(text)?.as_ref().map_or(Value::Null, to_value))
}

fn to_value(node: &Node<'_>) -> Value {
    match node {
        Node::StringLit(text) => Value::text(text.value.as_ref()),
        Node::NumberLit(number) => Value::Other(number.value.to_owned()),
        Node::BooleanLit(bool) => Value::Bool(bool.value),
        Node::NullKeyword(_) => Value::Null,
        Node::Array(list) => Value::List(list.elements.iter().map(to_value).collect()),
        Node::Object(map) => {
            let member = |prop: &ObjectProp<'_>| (prop.name.as_str().to_owned(), to_value(&prop.value));
            Value::Map(map.properties.iter().map(member).collect())
        }
    }
}

/// Formats a value on one line.
pub(crate) fn format_inline(value: &Value, space: &str) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(bool) => bool.to_string(),
        Value::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
        Value::Other(text) => text.clone(),
        Value::List(items) => {
            let items: Vec<_> = items.iter().map(|item| format_inline(item, space)).collect();
            format!("[{}]", items.join(&format!(",{space}")))
        }
        Value::Map(members) => {
            let member = |(name, value): &(String, Value)| {
                format_member_line(name, &format_inline(value, space), space)
            };
            let members: Vec<_> = members.iter().map(member).collect();
            format!("{{{}}}", members.join(&format!(",{space}")))
        }
    }
}

/// Formats a member on one line.
pub(crate) fn format_member(name: &str, value: &Value) -> String {
    format_member_line(name, &format_inline(value, " "), " ")
}

fn format_member_line(name: &str, value: &str, space: &str) -> String {
    format!("{}:{space}{value}", serde_json::Value::from(name))
}

/// Formats a value. Maps span several lines, lists only one.
fn format_lines(value: &Value, newline: &str, indent: &str, step: &str) -> String {
    let Value::Map(members) = value else { return format_inline(value, " ") };
    if members.is_empty() {
        return "{}".to_owned();
    }
    let inner = format!("{indent}{step}");
    let member = |(name, value): &(String, Value)| {
        format!(
            "{newline}{inner}{}",
            format_member_line(name, &format_lines(value, newline, &inner, step), " ")
        )
    };
    let members: Vec<_> = members.iter().map(member).collect();
    format!("{{{}{newline}{indent}}}", members.join(","))
}

/// Wraps a value in a map with one member for each key.
fn wrap_in_keys(keys: &[String], value: Value) -> Value {
    keys.iter().rev().fold(value, |value, key| Value::Map(vec![(key.clone(), value)]))
}

/// The layout of a document.
struct Layout<'a> {
    text: &'a str,
    newline: &'static str,
    step: String,
    /// Whether everything is on one line.
    compact: bool,
    /// The white space after a colon, or after a comma within a line.
    space: &'static str,
}

impl<'a> Layout<'a> {
    fn of(text: &'a str, root: &Object<'_>) -> Self {
        let inside = text.get(root.range.start..root.range.end).unwrap_or_default();
        let first = root.properties.first();
        let step =
            first.map(|prop| own_line_indent(text, prop.range.start, root.range.start).unwrap_or_default());
        let after_colon = first.and_then(|prop| text.get(prop.name.range().end..prop.value.range().start));
        Self {
            text,
            newline: newline_of(text),
            step: step.filter(|step| !step.is_empty()).unwrap_or(STEP).to_owned(),
            compact: first.is_some() && !inside.contains('\n'),
            space: if after_colon.is_some_and(|gap| gap.ends_with(':')) { "" } else { " " },
        }
    }

    /// Inserts a member into an object.
    fn insert_member(&self, object: &Object<'_>, name: &str, value: &Value) -> Vec<Splice> {
        let (text, open, close) = (self.text, object.range.start + 1, object.range.end - 1);
        // The end of the last content of the object, which may be a comment.
        let end = open + text[open..close].trim_end().len();
        let Some(last) = object.properties.last() else {
            return vec![self.insert_first_member(object, end, name, value)];
        };
        let last_end = last.range.end;
        let comma = find_comma(text, last_end, close);
        let trailing = if comma.is_some() { "," } else { "" };
        if let Some(indent) = own_line_indent(text, last.range.start, object.range.start) {
            let value = format_lines(value, self.newline, indent, &self.step);
            let member =
                format!("{}{indent}{}{trailing}", self.newline, format_member_line(name, &value, " "));
            let mut splices = vec![Splice::insert(end, member)];
            if comma.is_none() {
                splices.insert(0, Splice::insert(last_end, ","));
            }
            return splices;
        }
        let member = format_member_line(name, &format_inline(value, self.space), self.space);
        match comma {
            Some(comma) => vec![Splice::insert(comma + 1, format!("{}{member},", self.space))],
            None => vec![Splice::insert(last_end, format!(",{}{member}", self.space))],
        }
    }

    /// Inserts the only member of an object.
    fn insert_first_member(&self, object: &Object<'_>, end: usize, name: &str, value: &Value) -> Splice {
        let (text, newline) = (self.text, self.newline);
        if self.compact {
            return Splice::insert(
                end,
                format_member_line(name, &format_inline(value, self.space), self.space),
            );
        }
        let indent = indentation(&text[line_start(text, object.range.start)..]);
        let inner = format!("{indent}{}", self.step);
        let value = format_lines(value, newline, &inner, &self.step);
        let closes_on_own_line = text[end..object.range.end].contains('\n');
        let tail = if closes_on_own_line { String::new() } else { format!("{newline}{indent}") };
        Splice::insert(end, format!("{newline}{inner}{}{tail}", format_member_line(name, &value, " ")))
    }
}

/// The indentation of a member, if it is the first on its line and its object began on an earlier line.
fn own_line_indent(text: &str, member: usize, object: usize) -> Option<&str> {
    let start = line_start(text, member);
    let before = text.get(start..member)?;
    (start > object && before.trim().is_empty()).then_some(before)
}

/// Finds the comma between two offsets, surrounded only by white space and comments.
fn find_comma(text: &str, from: usize, to: usize) -> Option<usize> {
    let mut at = from;
    while let Some(rest) = text.get(at..to).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(',') {
            return Some(at);
        }
        at += if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
    }
    None
}

/// How far a path exists in a document.
enum Walk<'t, 'a> {
    /// The whole path exists, and leads to this object.
    Object(&'t Object<'a>),
    /// This object at this depth lacks the next member.
    Missing(&'t Object<'a>, usize),
    /// The member at this depth is null.
    Null(&'t Node<'a>, usize),
}

fn walk_path<'t, 'a>(root: &'t Object<'a>, keys: &[String]) -> Result<Walk<'t, 'a>, Sentence> {
    let mut object = root;
    for (depth, key) in keys.iter().enumerate() {
        let mut found = object.properties.iter().filter(|prop| prop.name.as_str() == key.as_str());
        let Some(prop) = found.next() else { return Ok(Walk::Missing(object, depth)) };
        if found.next().is_some() {
            return Err(appears_twice(key));
        }
        match &prop.value {
            Node::Object(inner) => object = inner,
            null @ Node::NullKeyword(_) => return Ok(Walk::Null(null, depth)),
            _ => return Err(wrong_type(key)),
        }
    }
    Ok(Walk::Object(object))
}

/// Inserts an entry among the servers.
pub(crate) fn insert_entry(text: &str, place: &Place<'_>, value: &Value) -> Result<Inserted, Sentence> {
    let keys = &place.path.keys;
    let Some(root) = parse_tree(text).map_err(|broken| broken.why)? else {
        let all = [keys.as_slice(), &[place.name.to_owned()]].concat();
        return Ok(insert_root(text, &wrap_in_keys(&all, value.clone()), keys.len() + 1));
    };
    let Node::Object(root) = root else { return Err(not_by_name()) };
    let layout = Layout::of(text, &root);
    let (splices, created) = match walk_path(&root, keys)? {
        Walk::Object(servers) => (layout.insert_member(servers, place.name, value), Created::default()),
        Walk::Missing(object, depth) => {
            let (name, rest) = (&keys[depth], &keys[depth + 1..]);
            let servers = Value::Map(vec![(place.name.to_owned(), value.clone())]);
            let splices = layout.insert_member(object, name, &wrap_in_keys(rest, servers));
            (splices, Created { maps: keys.len() - depth, from_null: false })
        }
        Walk::Null(null, depth) => {
            let servers =
                wrap_in_keys(&keys[depth + 1..], Value::Map(vec![(place.name.to_owned(), value.clone())]));
            let range = null.start()..null.end();
            let indent = indentation(&text[line_start(text, range.start)..]);
            let map = if layout.compact {
                format_inline(&servers, layout.space)
            } else {
                format_lines(&servers, layout.newline, indent, &layout.step)
            };
            let created = Created { maps: keys.len() - depth, from_null: true };
            (vec![Splice::replace(range, map)], created)
        }
    };
    Ok(Inserted { candidates: apply_splices(text, splices).into_iter().collect(), created })
}

/// Adds a document to a text that only has comments or white space, after the comments.
fn insert_root(text: &str, root: &Value, maps: usize) -> Inserted {
    let newline = newline_of(text);
    let end = text.trim_end().len();
    let before = if end == 0 { "" } else { newline };
    let after = if text[end..].contains('\n') { "" } else { newline };
    let document = format!("{before}{}{after}", format_lines(root, newline, "", STEP));
    let candidates = apply_splices(text, vec![Splice::insert(end, document)]).into_iter().collect();
    Inserted { candidates, created: Created { maps, from_null: false } }
}

/// The range of the value of a server's member.
pub(crate) fn find_value_range(
    text: &str,
    place: &Place<'_>,
    member: &str,
) -> Option<std::ops::Range<usize>> {
    let Ok(Some(Node::Object(root))) = parse_tree(text) else { return None };
    let Ok(Walk::Object(servers)) = walk_path(&root, &place.path.keys) else { return None };
    let server = servers.get_object(place.name)?;
    let value = &server.properties.iter().find(|prop| prop.name.as_str() == member)?.value;
    Some(value.start()..value.end())
}

/// Removes an entry, and what was created for it if that is empty now.
pub(crate) fn remove_entry(text: &str, place: &Place<'_>, created: Created) -> Result<Vec<String>, Sentence> {
    let mut keys = place.path.keys.clone();
    let mut text = remove_member(text, &keys, place.name)?;
    for level in 1..=created.maps {
        let Ok(Some(Node::Object(root))) = parse_tree(&text) else { break };
        let Ok(Walk::Object(object)) = walk_path(&root, &keys) else { break };
        let inside = &text[object.range.start + 1..object.range.end - 1];
        if !inside.trim().is_empty() {
            break;
        }
        let range = object.range.start..object.range.end;
        text = if created.from_null && level == created.maps {
            apply_splices(&text, vec![Splice::replace(range, "null")]).ok_or_else(cannot_edit)?
        } else if let Some(key) = keys.pop() {
            remove_member(&text, &keys, &key)?
        } else {
            let start = text[..range.start].trim_end().len();
            let end =
                if is_blank_until_line_end(&text, range.end) && start == 0 { text.len() } else { range.end };
            apply_splices(&text, vec![Splice::remove(start..end)]).ok_or_else(cannot_edit)?
        };
    }
    Ok(vec![text])
}

fn remove_member(text: &str, keys: &[String], name: &str) -> Result<String, Sentence> {
    let Ok(Some(Node::Object(root))) = parse_tree(text) else { return Err(not_by_name()) };
    let Walk::Object(object) = walk_path(&root, keys)? else { return Err(cannot_edit()) };
    let is_it = |prop: &ObjectProp<'_>| prop.name.as_str() == name;
    let at = object.properties.iter().position(is_it).ok_or_else(cannot_edit)?;
    if object.properties.iter().filter(|prop| is_it(prop)).count() > 1 {
        return Err(appears_twice(name));
    }
    let (open, close) = (object.range.start + 1, object.range.end - 1);
    let range = object.properties[at].range;
    let before = if at == 0 { open } else { object.properties[at - 1].range.end };
    let after = object.properties.get(at + 1).map_or(close, |next| next.range.start);
    let mut splices = Vec::new();
    let own_comma = find_comma(text, range.end, after);
    if own_comma.is_none() && at > 0 {
        let comma = find_comma(text, before, range.start).ok_or_else(cannot_edit)?;
        splices.push(Splice::remove(comma..comma + 1));
    }
    let end = own_comma.map_or(range.end, |comma| comma + 1);
    let start = before.max(text[..range.start].trim_end().len());
    // A comment may end the previous line. The rest of this line must not become part of that comment.
    let joins_lines = text[start..range.start].contains('\n') && !is_blank_until_line_end(text, end);
    splices.push(Splice::remove(if joins_lines { range.start..end } else { start..end }));
    if object.properties.len() == 1
        && text[open..start].trim().is_empty()
        && text[end..close].trim().is_empty()
    {
        splices = vec![Splice::remove(open..close)];
    }
    apply_splices(text, splices).ok_or_else(cannot_edit)
}
