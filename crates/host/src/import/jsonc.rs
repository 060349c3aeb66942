//! JSON as people keep it in configuration files: with comments, trailing commas, a byte order mark and
//! mistakes. Every value knows where it stands, and a mistake costs as little as possible: it is noted,
//! and reading goes on behind it.

use mooring_words::{Sentence, say};

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 64;
/// Most mistakes that are noted; reading stops at the next.
const MAX_ERRORS: usize = 100;

/// A value and the bytes it was read from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A JSON value; objects keep order and repetitions.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    /// The number's text.
    Number(String),
    String(String),
    Array(Vec<Node>),
    Object(Vec<Member>),
    /// Something that is not JSON; the mistake is among the errors.
    Broken,
}

/// One member of an object.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) name_at: usize,
    pub(super) node: Node,
}

/// A mistake and the byte it stands at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mistake {
    pub(super) at: usize,
    pub(super) message: Sentence,
}

impl Node {
    /// The word for the value's type, with its article.
    pub(super) fn kind(&self) -> Sentence {
        match self.value {
            Value::Null => say!("null"),
            Value::Bool(_) => say!("a boolean"),
            Value::Number(_) => say!("a number"),
            Value::String(_) => say!("a text"),
            Value::Array(_) => say!("a list"),
            Value::Object(_) => say!("an object"),
            Value::Broken => say!("not JSON"),
        }
    }

    /// The members, of an object.
    pub(super) fn members(&self) -> Option<&[Member]> {
        match &self.value {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The last member of this name, of an object: as every JSON parser does.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        self.members()?.iter().rev().find(|member| member.name == name).map(|member| &member.node)
    }

    /// The text, of a string.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }
}

/// Tells the line and the column of a byte, both from 1, the column in characters. Goes on from where it was asked last,
/// so that a text is read once by who asks in its order.
pub(super) struct Places<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    column: usize,
}

impl<'a> Places<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1, column: 1 }
    }

    pub(super) fn of(&mut self, at: usize) -> (usize, usize) {
        let at = self.text.floor_char_boundary(at);
        if at < self.at {
            *self = Self::new(self.text);
        }
        for character in self.text[self.at..at].chars() {
            match character {
                '\n' => (self.line, self.column) = (self.line + 1, 1),
                // A byte order mark is no character of the line that it opens.
                '\u{feff}' if self.column == 1 => {}
                _ => self.column += 1,
            }
        }
        self.at = at;
        (self.line, self.column)
    }
}

/// Reads `text`. A text that starts with a name is read as the members of an object whose braces were
/// not copied along.
pub(super) fn parse(text: &str) -> (Node, Vec<Mistake>) {
    let mut parser = Parser { text, at: 0, errors: Vec::new(), stop: false };
    if text.starts_with('\u{feff}') {
        parser.at = '\u{feff}'.len_utf8();
    }
    parser.skip_blank();
    let root = if parser.starts_with_member() {
        let start = parser.at;
        let members = parser.members(None, 0);
        Node { value: Value::Object(members), start, end: parser.at }
    } else {
        parser.value(0)
    };
    parser.skip_blank();
    if !parser.stop && parser.at < text.len() {
        parser.mistake(parser.at, say!("nothing may follow the end of the configuration"));
    }
    (root, parser.errors)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    errors: Vec<Mistake>,
    /// Reading on makes no sense.
    stop: bool,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn mistake(&mut self, at: usize, message: Sentence) {
        if self.errors.len() >= MAX_ERRORS {
            self.stop = true;
            return;
        }
        self.errors.push(Mistake { at, message });
    }

    /// What stands here, for a message.
    fn found(&self) -> Sentence {
        match self.rest().chars().next() {
            None => say!("the end of the text"),
            Some(character) => Sentence::quoted(format!("{character:?}")),
        }
    }

    /// Skips white space and comments.
    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                if let Some(end) = rest.find("*/") {
                    self.at += end + 2;
                } else {
                    self.mistake(self.at, say!("this comment is not closed"));
                    self.at = self.text.len();
                }
            } else {
                return;
            }
        }
    }

    /// Whether a name and a colon stand here, without moving.
    fn starts_with_member(&mut self) -> bool {
        if self.peek() != Some(b'"') {
            return false;
        }
        let (at, errors) = (self.at, self.errors.len());
        let is_member = self.string().is_some() && {
            self.skip_blank();
            self.peek() == Some(b':')
        };
        self.at = at;
        self.errors.truncate(errors);
        is_member
    }

    fn value(&mut self, depth: usize) -> Node {
        let start = self.at;
        let value = self.value_here(depth);
        Node { value, start, end: self.at }
    }

    fn value_here(&mut self, depth: usize) -> Value {
        if depth > MAX_DEPTH {
            self.mistake(self.at, say!("nested deeper than {limit} levels", limit = MAX_DEPTH));
            self.stop = true;
            self.at = self.text.len();
            return Value::Broken;
        }
        match self.peek() {
            Some(b'{') => {
                self.at += 1;
                Value::Object(self.members(Some(b'}'), depth))
            }
            Some(b'[') => {
                self.at += 1;
                Value::Array(self.items(depth))
            }
            Some(b'"') => match self.string() {
                Some(text) => Value::String(text),
                None => Value::Broken,
            },
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    /// `true`, `false`, `null`, or a mistake.
    fn word(&mut self) -> Value {
        let start = self.at;
        let rest = self.rest();
        let length = rest
            .find(|character: char| !(character.is_alphanumeric() || matches!(character, '_' | '-' | '.')))
            .unwrap_or(rest.len());
        let word = &rest[..length];
        let value = match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            _ => Value::Broken,
        };
        if value == Value::Broken {
            let message = match (word.is_empty(), self.peek()) {
                (true, Some(b'\'')) => say!("texts stand in double quotes, not in single ones"),
                (true, _) => say!("a value is missing before {found}", found = self.found()),
                (false, _) => say!("not a value: {word} (texts stand in double quotes)", word),
            };
            self.mistake(start, message);
            self.skip_item();
        } else {
            self.at += length;
        }
        value
    }

    fn number(&mut self) -> Value {
        let start = self.at;
        let rest = self.rest();
        let length = rest
            .find(|character: char| !matches!(character, '0'..='9' | '+' | '-' | '.' | 'e' | 'E'))
            .unwrap_or(rest.len());
        let digits = rest[..length].to_owned();
        self.at += length;
        if serde_json::from_str::<serde_json::Number>(&digits).is_ok() {
            Value::Number(digits)
        } else {
            self.mistake(start, say!("not a number: {digits}", digits));
            Value::Broken
        }
    }

    /// A string in double quotes. On a mistake reading goes on behind the string.
    fn string(&mut self) -> Option<String> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut end = start + 1;
        loop {
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(b'\n') | None => {
                    self.at = end.min(bytes.len());
                    self.mistake(start, say!("this text is not closed: a double quote is missing"));
                    return None;
                }
                Some(_) => end += 1,
            }
        }
        self.at = end + 1;
        let quoted = self.text.get(start..=end)?;
        match serde_json::from_str(quoted) {
            Ok(text) => Some(text),
            Err(error) => {
                let inside = error.column().saturating_sub(1);
                let message = say!("this text holds an escape or a character that JSON does not have");
                self.mistake(start + inside.min(quoted.len()), message);
                None
            }
        }
    }

    fn items(&mut self, depth: usize) -> Vec<Node> {
        let open = self.at - 1;
        let mut items = Vec::new();
        loop {
            self.skip_blank();
            match self.peek() {
                _ if self.stop => return items,
                Some(b']') => {
                    self.at += 1;
                    return items;
                }
                None | Some(b'}') => {
                    self.mistake(
                        open,
                        say!("this list is not closed: ] is missing before {found}", found = self.found()),
                    );
                    return items;
                }
                Some(b',') => {
                    self.mistake(self.at, say!("a value is missing before this comma"));
                    self.at += 1;
                    continue;
                }
                Some(_) => items.push(self.value(depth + 1)),
            }
            self.separator(b']');
        }
    }

    /// The members up to `close`, or up to the end of the text.
    fn members(&mut self, close: Option<u8>, depth: usize) -> Vec<Member> {
        let open = self.at.saturating_sub(1);
        let mut members = Vec::new();
        loop {
            self.skip_blank();
            match self.peek() {
                _ if self.stop => return members,
                Some(byte) if Some(byte) == close => {
                    self.at += 1;
                    return members;
                }
                None if close.is_none() => return members,
                // The closing brace of an object whose opening one was not copied along.
                Some(b'}') => {
                    self.at += 1;
                    self.skip_blank();
                    continue;
                }
                None | Some(b']') => {
                    self.mistake(
                        open,
                        say!(
                            "this object is not closed: its brace is missing before {found}",
                            found = self.found()
                        ),
                    );
                    return members;
                }
                Some(b'"') => self.member(depth, &mut members),
                Some(b',') => {
                    self.mistake(self.at, say!("a member is missing before this comma"));
                    self.at += 1;
                    continue;
                }
                Some(_) => {
                    let found = self.found();
                    self.mistake(self.at, say!("a name in double quotes is missing before {found}", found));
                    self.skip_item();
                }
            }
            self.separator(close.unwrap_or(b'}'));
        }
    }

    fn member(&mut self, depth: usize, members: &mut Vec<Member>) {
        let name_at = self.at;
        let Some(name) = self.string() else {
            self.skip_item();
            return;
        };
        self.skip_blank();
        if self.peek() == Some(b':') {
            self.at += 1;
        } else {
            let found = self.found();
            self.mistake(self.at, say!("a colon is missing before {found}", found));
            if matches!(self.peek(), None | Some(b',' | b'}' | b']')) {
                return;
            }
        }
        self.skip_blank();
        let node = self.value(depth + 1);
        members.push(Member { name, name_at, node });
    }

    /// The comma after an item. A missing one is noted, and forgiven.
    fn separator(&mut self, close: u8) {
        let before = self.at;
        self.skip_blank();
        match self.peek() {
            Some(b',') => self.at += 1,
            None => {}
            Some(byte) if byte == close || matches!(byte, b'}' | b']') => {}
            Some(_) if self.stop => {}
            Some(_) => self.mistake(before, say!("a comma is missing here")),
        }
    }

    /// Goes to the comma or bracket that ends the item at hand, passing over nested ones.
    fn skip_item(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b',' if depth == 0 => return,
                b'}' | b']' if depth == 0 => return,
                b'\n' if depth == 0 => return,
                b'}' | b']' => depth -= 1,
                b'{' | b'[' => depth += 1,
                b'"' => {
                    let errors = self.errors.len();
                    self.string();
                    self.errors.truncate(errors);
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values as JSON, with `!` for what is broken, and the mistakes as `line:column message`.
    fn check(text: &str) -> (String, Vec<String>) {
        let (node, mistakes) = parse(text);
        let mut places = Places::new(text);
        let mistakes = mistakes
            .iter()
            .map(|mistake| {
                let (line, column) = places.of(mistake.at);
                format!("{line}:{column} {}", mistake.message)
            })
            .collect();
        (show(&node), mistakes)
    }

    fn show(node: &Node) -> String {
        match &node.value {
            Value::Null => "null".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Number(text) => text.clone(),
            Value::String(text) => format!("{text:?}"),
            Value::Array(items) => {
                format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(","))
            }
            Value::Object(members) => {
                let members: Vec<_> = members
                    .iter()
                    .map(|member| format!("{:?}:{}", member.name, show(&member.node)))
                    .collect();
                format!("{{{}}}", members.join(","))
            }
            Value::Broken => "!".to_owned(),
        }
    }

    #[test]
    fn comments_trailing_commas_and_a_byte_order_mark_are_no_mistakes() {
        let text = "\u{feff}// one\n{ /* two */ \"a\": [1, 2.5e3, -0,], \"b\": {\"c\": null,}, } // end";
        assert_eq!(check(text), ("{\"a\":[1,2.5e3,-0],\"b\":{\"c\":null}}".to_owned(), vec![]));
    }

    #[test]
    fn comment_marks_inside_texts_belong_to_the_text() {
        let (values, mistakes) = check(r#"{"url": "https://x/*y*/", "u": "\u00e9\n"}"#);
        assert_eq!((values.as_str(), mistakes.len()), ("{\"url\":\"https://x/*y*/\",\"u\":\"é\\n\"}", 0));
    }

    #[test]
    fn a_missing_comma_is_noted_and_forgiven() {
        let (values, mistakes) = check("{\n  \"a\": {}\n  \"b\": 1\n}");
        assert_eq!(values, "{\"a\":{},\"b\":1}");
        assert_eq!(mistakes, ["2:10 a comma is missing here"]);
    }

    #[test]
    fn a_broken_value_does_not_take_its_neighbours_along() {
        let (values, mistakes) = check("{\"a\": tru, \"b\": 'x', \"c\": 1, \"d\": , \"e\": [1 2]}");
        assert_eq!(values, "{\"a\":!,\"b\":!,\"c\":1,\"d\":!,\"e\":[1,2]}");
        assert_eq!(
            mistakes,
            [
                "1:7 not a value: tru (texts stand in double quotes)",
                "1:17 texts stand in double quotes, not in single ones",
                "1:35 a value is missing before ','",
                "1:44 a comma is missing here",
            ]
        );
    }

    #[test]
    fn an_unclosed_text_ends_with_its_line() {
        let (values, mistakes) = check("{\n \"a\": \"x,\n \"b\": 1}");
        assert_eq!(values, "{\"a\":!,\"b\":1}");
        assert_eq!(
            mistakes,
            ["2:7 this text is not closed: a double quote is missing", "2:10 a comma is missing here"]
        );
    }

    #[test]
    fn an_unclosed_object_is_noted_where_it_opens() {
        let (values, mistakes) = check("{\"a\": {\"b\": 1");
        assert_eq!(values, "{\"a\":{\"b\":1}}");
        assert_eq!(mistakes.len(), 2);
        assert_eq!(
            mistakes[0],
            "1:7 this object is not closed: its brace is missing before the end of the text"
        );
    }

    #[test]
    fn members_without_their_braces_are_an_object() {
        assert_eq!(check("\"mcpServers\": {\"a\": {}}"), ("{\"mcpServers\":{\"a\":{}}}".to_owned(), vec![]));
    }

    #[test]
    fn columns_count_characters_not_bytes() {
        let (_, mistakes) = check("{\"名\": \"é\" \"x\": 1}");
        assert_eq!(mistakes, ["1:10 a comma is missing here"]);
    }

    #[test]
    fn nothing_makes_the_parser_panic_or_loop() {
        let seed =
            "{\"mcpServers\": {\"a\": {\"command\": \"x\\\"y\", \"args\": [\"1\", 2, tru]}, /* c */ }} // é";
        let characters: Vec<char> = seed.chars().collect();
        for from in 0..characters.len() {
            for to in from..characters.len() {
                let cut: String = characters[..from].iter().chain(&characters[to..]).collect();
                let (_, mistakes) = check(&cut);
                assert!(mistakes.len() <= MAX_ERRORS);
            }
        }
        let deep = "[".repeat(100_000);
        assert_eq!(check(&deep).1[0], "1:66 nested deeper than 64 levels");
        assert!(check(&"{,".repeat(10_000)).1.len() <= MAX_ERRORS);
    }
}
