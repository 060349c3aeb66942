//! A parsed configuration, in whatever format it was written.

use mooring_words::{Sentence, say};

/// Maximum number of levels of nesting.
pub(super) const MAX_DEPTH: usize = 64;
/// Maximum number of recorded errors. Parsing stops at the next one.
pub(super) const MAX_ERRORS: usize = 100;

/// A value and its range of bytes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(super) value: Value,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A JSON value. Objects keep their order and repeated names.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    /// The number as it is written.
    Number(String),
    String(String),
    Array(Vec<Node>),
    Object(Vec<Member>),
    /// Invalid JSON. The error is among the mistakes.
    Invalid,
}

/// One member of an object.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) name_at: usize,
    pub(super) node: Node,
}

/// An error and the offset of its byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mistake {
    pub(super) at: usize,
    pub(super) message: Sentence,
}

impl Node {
    /// The name of the value's type, with an article.
    pub(super) fn kind(&self) -> Sentence {
        match self.value {
            Value::Null => say!("null"),
            Value::Bool(_) => say!("a boolean"),
            Value::Number(_) => say!("a number"),
            Value::String(_) => say!("a string"),
            Value::Array(_) => say!("a list"),
            Value::Object(_) => say!("an object"),
            Value::Invalid => say!("not JSON"),
        }
    }

    /// The members of an object.
    pub(super) fn members(&self) -> Option<&[Member]> {
        match &self.value {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    /// An object's last member with this name, like in every JSON parser.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        self.members()?.iter().rev().find(|member| member.name == name).map(|member| &member.node)
    }

    /// The content of a string.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }
}

/// Converts offsets to lines and columns, both starting at 1 and counted in characters. It continues from the
/// last position, so that ascending offsets only need one pass.
pub(super) struct LineIndex<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    column: usize,
}

impl<'a> LineIndex<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1, column: 1 }
    }

    pub(super) fn line_column(&mut self, at: usize) -> (usize, usize) {
        let at = self.text.floor_char_boundary(at);
        if at < self.at {
            *self = Self::new(self.text);
        }
        for character in self.text[self.at..at].chars() {
            match character {
                '\n' => (self.line, self.column) = (self.line + 1, 1),
                // A byte order mark is not a character of the first line.
                '\u{feff}' if self.column == 1 => {}
                _ => self.column += 1,
            }
        }
        self.at = at;
        (self.line, self.column)
    }
}

/// The result of parsing a text.
#[derive(Debug, Default)]
pub(super) struct ParsedText {
    /// The top-level values. Usually one; several if several were copied one after another.
    pub(super) roots: Vec<Node>,
    pub(super) mistakes: Vec<Mistake>,
    /// What was read differently from how it is written.
    pub(super) remarks: Vec<Mistake>,
    /// What the text is, such as a link for an app.
    pub(super) read_as: Option<Sentence>,
}
