//! A parsed configuration, in whatever format it was written.

use std::collections::{BTreeMap, BTreeSet};

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

/// The place of a text from which a configuration is made. All parts of the configuration have this place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Place {
    pub(super) fn node(self, value: Value) -> Node {
        Node { value, start: self.start, end: self.end }
    }

    pub(super) fn text(self, text: impl Into<String>) -> Node {
        self.node(Value::String(text.into()))
    }

    pub(super) fn texts(self, texts: impl IntoIterator<Item = String>) -> Node {
        self.node(Value::Array(texts.into_iter().map(|text| self.text(text)).collect()))
    }

    pub(super) fn object(self, members: impl IntoIterator<Item = Member>) -> Node {
        self.node(Value::Object(members.into_iter().collect()))
    }

    pub(super) fn member(self, name: impl Into<String>, node: Node) -> Member {
        Member { name: name.into(), name_at: self.start, node }
    }

    /// A configuration with these servers.
    pub(super) fn servers(self, servers: impl IntoIterator<Item = Member>) -> Node {
        self.object([self.member("mcpServers", self.object(servers))])
    }
}

impl Node {
    pub(super) fn place(&self) -> Place {
        Place { start: self.start, end: self.end }
    }

    /// Gives this place to a value that was decoded, with all its parts. Their own places are in the decoded text.
    pub(super) fn moved_to(self, place: Place) -> Self {
        place.node(match self.value {
            Value::Array(items) => Value::Array(items.into_iter().map(|item| item.moved_to(place)).collect()),
            Value::Object(members) => {
                let moved = |member: Member| place.member(member.name, member.node.moved_to(place));
                Value::Object(members.into_iter().map(moved).collect())
            }
            other => other,
        })
    }

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

    /// The items of a list. Other values have none.
    pub(super) fn items(&self) -> &[Self] {
        if let Value::Array(items) = &self.value { items } else { &[] }
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
/// nearest position before that was asked for, so that offsets in almost any order need little more than one pass.
pub(super) struct LineIndex<'a> {
    text: &'a str,
    /// The line and column of each offset that was asked for, and of the start.
    known: BTreeMap<usize, (usize, usize)>,
}

impl<'a> LineIndex<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, known: BTreeMap::from([(0, (1, 1))]) }
    }

    pub(super) fn line_column(&mut self, at: usize) -> (usize, usize) {
        let at = self.text.floor_char_boundary(at);
        let before = self.known.range(..=at).next_back();
        let (from, (mut line, mut column)) = before.map_or((0, (1, 1)), |(from, known)| (*from, *known));
        for character in self.text[from..at].chars() {
            match character {
                '\n' => (line, column) = (line + 1, 1),
                // A byte order mark is not a character of the first line.
                '\u{feff}' if column == 1 => {}
                _ => column += 1,
            }
        }
        self.known.insert(at, (line, column));
        (line, column)
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
    /// Where the configurations start that are other ways to run or reach the server of the one before.
    pub(super) alternatives: BTreeSet<usize>,
}
