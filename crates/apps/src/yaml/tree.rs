//! A YAML document with the positions of its nodes, built from the parser's events.

use std::ops::Range;

use mooring_words::{Sentence, say};
use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::format::Broken;
use crate::value::Value;

/// The deepest nesting that is accepted.
const MAX_DEPTH: usize = 128;

/// A node of a document.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// The range includes an anchor or a tag before the node. For a block, only the start is exact.
    pub(super) range: Range<usize>,
    /// Whether it is in flow style, with brackets.
    pub(super) flow: bool,
    /// Whether it is a block scalar with `|` or `>`.
    pub(super) block_scalar: bool,
    /// The start of the next node, or the end of the text.
    pub(super) next: Option<usize>,
}

/// The kind of a node.
#[derive(Debug)]
pub(super) enum Kind {
    /// A scalar. `plain` means without quotes or a tag, which may not be a string.
    Scalar {
        text: String,
        plain: bool,
    },
    /// An alias, with the number of its anchor.
    Alias(usize),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

impl Node {
    /// The node's value.
    pub(super) fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Scalar { text, plain: false } => Value::text(text),
            Kind::Scalar { text, plain: true } => parse_plain_value(text),
            Kind::Alias(number) => Value::Other(format!("*{number}")),
            Kind::List(items) => Value::List(items.iter().map(Self::to_value).collect()),
            Kind::Map(members) => {
                let member = |(name, value): &(Self, Self)| (name.as_name(), value.to_value());
                Value::Map(members.iter().map(member).collect())
            }
        }
    }

    /// The node's text, as the name of a member.
    fn as_name(&self) -> String {
        match &self.kind {
            Kind::Scalar { text, .. } => text.clone(),
            _ => format!("{:?}", self.to_value()),
        }
    }

    pub(super) fn is_text(&self, wanted: &str) -> bool {
        matches!(&self.kind, Kind::Scalar { text, .. } if text == wanted)
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { text, plain: true } if parse_plain_value(text) == Value::Null)
    }

    /// The number of items or members.
    pub(super) fn len(&self) -> usize {
        match &self.kind {
            Kind::List(items) => items.len(),
            Kind::Map(members) => members.len(),
            _ => 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name and the value of a member of a map.
    pub(super) fn member(&self, name: &str) -> Option<(&Self, &Self)> {
        let Kind::Map(members) = &self.kind else { return None };
        members.iter().find(|(key, _)| key.is_text(name)).map(|(key, value)| (key, value))
    }

    /// The end of the node's last line. `None` if that depends on what follows.
    pub(super) fn last_line_end(&self) -> Option<usize> {
        if self.block_scalar {
            return None;
        }
        if self.flow {
            return Some(self.range.end);
        }
        match &self.kind {
            Kind::List(items) => items.last().and_then(Self::last_line_end),
            Kind::Map(members) => members.last().and_then(|(key, value)| {
                let is_absent = value.range.is_empty() && value.is_null();
                if is_absent { key.last_line_end() } else { value.last_line_end() }
            }),
            _ => Some(self.range.end),
        }
    }
}

/// The value of a plain scalar in the core schema.
fn parse_plain_value(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first))
            && text.parse::<f64>().is_ok() =>
        {
            Value::Other(text.to_owned())
        }
        _ => Value::text(text),
    }
}

/// Converts character indexes to byte offsets.
struct Offsets<'a> {
    text: &'a str,
    /// `None` if every character is one byte.
    bytes: Option<Vec<usize>>,
}

impl<'a> Offsets<'a> {
    fn new(text: &'a str) -> Self {
        let bytes = (!text.is_ascii()).then(|| text.char_indices().map(|(at, _)| at).collect());
        Self { text, bytes }
    }

    fn byte_offset(&self, character: usize) -> usize {
        let byte = match &self.bytes {
            Some(bytes) => bytes.get(character).copied().unwrap_or(self.text.len()),
            None => character,
        };
        byte.min(self.text.len())
    }

    fn byte_range(&self, span: Span) -> Range<usize> {
        let start = self.byte_offset(span.start.index());
        start..self.byte_offset(span.end.index()).max(start)
    }
}

/// A list or map whose end was not read yet.
struct Open {
    start: Range<usize>,
    flow: bool,
    is_map: bool,
    nodes: Vec<Node>,
}

/// Parses a text with one document. `None` if it only contains comments.
pub(super) fn parse(text: &str) -> Result<Option<Node>, Broken> {
    let offsets = Offsets::new(text);
    let mut stack: Vec<Open> = Vec::new();
    let mut root = None;
    let mut documents = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| Broken {
            line: error.marker().line(),
            why: Sentence::quoted(error.info().to_owned()),
        })?;
        let broken = |why: Sentence| Broken { line: span.start.line(), why };
        let range = offsets.byte_range(span);
        let node = match event {
            Event::DocumentStart(_) => {
                documents += 1;
                if documents > 1 {
                    return Err(broken(say!("it holds several documents")));
                }
                continue;
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if stack.len() >= MAX_DEPTH {
                    return Err(broken(say!("it is nested too deeply")));
                }
                let is_map = matches!(event, Event::MappingStart(..));
                let bracket = if is_map { "{" } else { "[" };
                let flow = !range.is_empty() && text[range.clone()].starts_with(bracket);
                stack.push(Open { start: range, flow, is_map, nodes: Vec::new() });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = stack.pop() else { continue };
                build_node(open, &range, text.len())
            }
            Event::Scalar(value, style, _, tag) => {
                let plain = style == ScalarStyle::Plain && tag.is_none();
                let block_scalar = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                let range = range.start..scalar_end(text, &range, style);
                let kind = Kind::Scalar { text: value.into_owned(), plain };
                Node { kind, range, flow: false, block_scalar, next: None }
            }
            Event::Alias(number) => {
                Node { kind: Kind::Alias(number), range, flow: false, block_scalar: false, next: None }
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => continue,
        };
        match stack.last_mut() {
            Some(open) => open.nodes.push(node),
            None => root = Some(node),
        }
    }
    if let Some(root) = &mut root {
        set_next(root, text.len());
    }
    Ok(root)
}

/// The end of a scalar. The parser's range includes a comment after the quotes.
fn scalar_end(text: &str, range: &Range<usize>, style: ScalarStyle) -> usize {
    let quote = match style {
        ScalarStyle::DoubleQuoted => '"',
        ScalarStyle::SingleQuoted => '\'',
        _ => return range.start + text[range.clone()].trim_end().len(),
    };
    let mut letters =
        text[range.clone()].char_indices().skip_while(|(_, letter)| *letter != quote).skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        let next_is_quote = letters.peek().is_some_and(|(_, next)| *next == quote);
        if (letter == '\\' && quote == '"') || (letter == quote && quote == '\'' && next_is_quote) {
            letters.next();
        } else if letter == quote {
            return range.start + at + 1;
        }
    }
    range.end
}

fn build_node(open: Open, end: &Range<usize>, len: usize) -> Node {
    // The parser's range includes the comment after a closing bracket. A block starts with its first node,
    // because an anchor or a tag may be on the line before.
    let first = open.nodes.first().filter(|_| !open.flow).map_or(open.start.start, |node| node.range.start);
    let end = if open.flow { len.min(end.start + 1) } else { end.start };
    let range = first..end.max(first);
    let kind = if open.is_map {
        let mut members = Vec::new();
        let mut nodes = open.nodes.into_iter();
        while let (Some(name), Some(value)) = (nodes.next(), nodes.next()) {
            members.push((name, value));
        }
        Kind::Map(members)
    } else {
        Kind::List(open.nodes)
    };
    Node { kind, range, flow: open.flow, block_scalar: false, next: None }
}

/// Records in every node where the next one starts.
fn set_next(node: &mut Node, next: usize) {
    node.next = Some(next);
    match &mut node.kind {
        Kind::List(items) => {
            let mut next = next;
            for item in items.iter_mut().rev() {
                set_next(item, next);
                next = item.range.start;
            }
        }
        Kind::Map(members) => {
            let mut next = next;
            for (name, value) in members.iter_mut().rev() {
                set_next(value, next);
                name.next = Some(next);
                next = name.range.start;
            }
        }
        Kind::Scalar { .. } | Kind::Alias(_) => {}
    }
}
