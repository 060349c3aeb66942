//! Parses YAML, the format of Goose and Continue, into the same values as JSON, with positions. Aliases and
//! tags are refused, and parsing stops at the first error.

use std::ops::Range;

use mooring_words::{Sentence, say};
use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};

use super::node::{MAX_DEPTH, MAX_ERRORS, Member, Mistake, Node, ParsedText, Value};

/// Prefix of YAML's own tags.
const CORE_TAGS: &str = "tag:yaml.org,2002:";

struct YamlReader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    /// The offsets of all characters, and the end of the text.
    offsets: Vec<usize>,
    mistakes: Vec<Mistake>,
    /// Whether parsing stopped at the last error.
    is_aborted: bool,
}

/// Parses each document in `range` of `text`.
pub(super) fn parse_range(text: &str, range: &Range<usize>) -> ParsedText {
    let part = text.get(range.clone()).unwrap_or_default();
    let offsets = part.char_indices().map(|(at, _)| range.start + at).chain([range.end]).collect();
    let parser = Parser::new_from_str(part);
    let mut reader = YamlReader { parser, offsets, mistakes: Vec::new(), is_aborted: false };
    let mut roots = Vec::new();
    while let Some((event, place)) = reader.next_event() {
        let is_value =
            matches!(event, Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..));
        roots.extend(is_value.then(|| reader.node(event, place, 0)));
    }
    ParsedText { roots, mistakes: reader.mistakes, ..ParsedText::default() }
}

impl<'a> YamlReader<'a> {
    /// The next event and its position. `None` at the end, or after an error.
    fn next_event(&mut self) -> Option<(Event<'a>, Range<usize>)> {
        let offset = |at: usize| self.offsets.get(at).or(self.offsets.last()).copied().unwrap_or_default();
        match self.parser.next().filter(|_| !self.is_aborted)? {
            Ok((event, span)) => Some((event, offset(span.start.index())..offset(span.end.index()))),
            Err(error) => {
                let at = offset(error.marker().index());
                self.mistake(at, say!("this isn’t valid YAML: {reason}", reason = error.info()));
                self.is_aborted = true;
                None
            }
        }
    }

    fn mistake(&mut self, at: usize, message: Sentence) {
        self.mistakes.push(Mistake { at, message });
        self.is_aborted |= self.mistakes.len() >= MAX_ERRORS;
    }

    /// The value that starts with this event.
    fn node(&mut self, event: Event<'a>, place: Range<usize>, depth: usize) -> Node {
        let Range { start, mut end } = place;
        let tag = match &event {
            Event::Scalar(.., tag) | Event::SequenceStart(_, tag) | Event::MappingStart(_, tag) => {
                tag.as_ref()
            }
            _ => None,
        };
        let tag = tag.map(|tag| format!("{}{}", tag.handle, tag.suffix));
        if let Some(tag) = tag.as_ref().filter(|tag| *tag != "!" && !tag.starts_with(CORE_TAGS)) {
            self.mistake(start, say!("YAML tags aren’t supported: {tag}", tag));
        }
        let mut value = match event {
            Event::Scalar(text, ScalarStyle::Plain, ..) if tag.is_none() => plain(&text),
            Event::Scalar(text, ..) => Value::String(text.into_owned()),
            Event::Alias(_) => {
                self.mistake(start, say!("YAML aliases aren’t supported: write the value out"));
                Value::Invalid
            }
            _ if depth > MAX_DEPTH => {
                self.mistake(start, say!("nested deeper than {limit} levels", limit = MAX_DEPTH));
                self.is_aborted = true;
                Value::Invalid
            }
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                while let Some((event, place)) = self.next_event().filter(|(it, _)| *it != Event::SequenceEnd)
                {
                    items.push(self.node(event, place, depth + 1));
                }
                Value::Array(items)
            }
            _ => Value::Object(self.members(depth)),
        };
        // The end event of a container is where the next one begins, so the container ends with its last
        // element.
        let last = match &mut value {
            Value::Array(items) => items.last_mut(),
            Value::Object(members) => members.last_mut().map(|member| &mut member.node),
            _ => None,
        };
        // Everything that is open at an error extends to it, and so does the last value, whose end may be
        // missing.
        let aborted_at = self.mistakes.last().filter(|_| self.is_aborted).map_or(0, |mistake| mistake.at + 1);
        if let Some(last) = last {
            last.end = last.end.max(aborted_at);
            end = last.end;
        }
        Node { value, start, end: end.max(aborted_at) }
    }

    fn members(&mut self, depth: usize) -> Vec<Member> {
        let mut members = Vec::new();
        while let Some((event, place)) = self.next_event().filter(|(it, _)| *it != Event::MappingEnd) {
            let name_at = place.start;
            let name = match self.node(event, place, depth + 1).value {
                Value::String(text) | Value::Number(text) => text,
                Value::Bool(value) => value.to_string(),
                Value::Null => String::new(),
                Value::Array(_) | Value::Object(_) | Value::Invalid => {
                    self.mistake(name_at, say!("a name must be a string"));
                    String::new()
                }
            };
            let node = match self.next_event() {
                Some((event, place)) => self.node(event, place, depth + 1),
                None => Node { value: Value::Invalid, start: name_at, end: name_at + 1 },
            };
            members.push(Member { name, name_at, node });
        }
        members
    }
}

/// An unquoted scalar, by the core schema of YAML 1.2. Numbers keep their spelling.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if serde_json::from_str::<serde_json::Number>(text).is_ok() => Value::Number(text.to_owned()),
        _ => Value::String(text.to_owned()),
    }
}
