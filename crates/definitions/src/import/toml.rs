//! Parses TOML, the format of Codex, into the same values as JSON, with positions. Parsing continues after
//! errors.

use std::ops::Range;

use mooring_words::say;
use toml::de::{DeTable, DeValue};
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

use super::node::{MAX_DEPTH, MAX_ERRORS, Member, Mistake, Node, ParsedText, Value};

/// Parses `range` of `text`.
pub(super) fn parse_range(text: &str, range: &Range<usize>) -> ParsedText {
    let part = text.get(range.clone()).unwrap_or_default();
    let headers = match find_headers(part) {
        Ok(headers) => headers,
        Err(at) => {
            let message = say!("nested deeper than {limit} levels", limit = MAX_DEPTH);
            let mistakes = vec![Mistake { at: range.start + at, message }];
            return ParsedText { mistakes, ..ParsedText::default() };
        }
    };
    let (table, errors) = DeTable::parse_recoverable(part);
    let mistakes = errors
        .iter()
        .take(MAX_ERRORS)
        .map(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let rest = part.get(at..).unwrap_or_default();
            let word = rest.split(|it: char| it.is_whitespace() || it == ',').next().unwrap_or_default();
            // The parser takes words that begin with `n` or `i` for numbers.
            let is_word = ["string values must be quoted", "invalid float"];
            let message =
                if !word.is_empty() && is_word.iter().any(|start| error.message().starts_with(start)) {
                    say!("not a value: {word} (strings need double quotes)", word)
                } else {
                    say!("this isn’t valid TOML: {reason}", reason = error.message())
                };
            Mistake { at: range.start + at, message }
        })
        .collect();
    let reader = TomlReader { part, offset: range.start, headers };
    let root = Node { value: reader.members(table.get_ref()), start: range.start, end: range.end };
    // With more errors than are recorded, the values can't be trusted.
    let roots = if errors.len() > MAX_ERRORS { Vec::new() } else { vec![root] };
    ParsedText { roots, mistakes, ..ParsedText::default() }
}

/// Where tables with their own header line begin. Fails if a value is nested too deeply: the parser limits
/// dotted names and brackets separately, but not their sum.
fn find_headers(part: &str) -> Result<Vec<usize>, usize> {
    let mut headers = Vec::new();
    // The dots of names in each open bracket, and outside of all brackets.
    let mut dots = vec![0];
    let mut is_line_start = true;
    for token in Source::new(part).lex() {
        let start = token.span().start();
        let is_outside = dots.len() == 1;
        match token.kind() {
            TokenKind::Whitespace => continue,
            TokenKind::LeftSquareBracket if is_outside && is_line_start => headers.push(start),
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => dots.push(0),
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket if !is_outside => {
                dots.pop();
            }
            TokenKind::Dot | TokenKind::Comma => {
                if let Some(last) = dots.last_mut() {
                    *last = if token.kind() == TokenKind::Dot { *last + 1 } else { 0 };
                }
            }
            TokenKind::Newline if is_outside => dots = vec![0],
            _ => {}
        }
        is_line_start = token.kind() == TokenKind::Newline;
        if dots.len() + dots.iter().sum::<usize>() > MAX_DEPTH {
            return Err(start);
        }
    }
    Ok(headers)
}

struct TomlReader<'a> {
    part: &'a str,
    /// Where the part begins in the text.
    offset: usize,
    headers: Vec<usize>,
}

impl TomlReader<'_> {
    fn node(&self, span: Range<usize>, value: &DeValue<'_>) -> Node {
        let written = self.part.get(span.clone()).unwrap_or_default();
        let value = match value {
            DeValue::String(text) => Value::String(text.to_string()),
            DeValue::Integer(number) => Value::Number(number.to_string()),
            DeValue::Float(number) => Value::Number(number.as_str().to_owned()),
            DeValue::Boolean(value) => Value::Bool(*value),
            DeValue::Datetime(_) => Value::String(written.to_owned()),
            DeValue::Array(items) => {
                Value::Array(items.iter().map(|item| self.node(item.span(), item.get_ref())).collect())
            }
            DeValue::Table(table) => self.members(table),
        };
        // A table with its own header ends where the next one begins. Its subtables may be anywhere.
        let own = if written.starts_with('[') && matches!(value, Value::Object(_)) {
            let next = self.headers.partition_point(|header| *header <= span.start);
            self.headers.get(next).copied().unwrap_or(self.part.len())
        } else {
            span.end
        };
        let inner = match &value {
            Value::Object(members) => members.iter().map(|member| member.node.end).max(),
            Value::Array(items) => items.iter().map(|item| item.end).max(),
            _ => None,
        };
        let end = (self.offset + own).max(inner.unwrap_or_default());
        Node { value, start: self.offset + span.start, end }
    }

    fn members(&self, table: &DeTable<'_>) -> Value {
        let mut members: Vec<Member> = table
            .iter()
            .map(|(key, value)| {
                let node = self.node(value.span(), value.get_ref());
                let inside = node.members().unwrap_or_default().iter().map(|member| member.name_at);
                let name_at = inside.fold(self.offset + key.span().start, usize::min);
                Member { name: key.get_ref().to_string(), name_at, node }
            })
            .collect();
        // The table has them sorted by name.
        members.sort_by_key(|member| member.name_at);
        Value::Object(members)
    }
}
