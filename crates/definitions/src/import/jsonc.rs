//! A lenient parser for JSON in configuration files: with comments, trailing commas, unquoted names, other
//! quotes, a byte order mark and errors. Every value has its position. After an error the parser records it
//! and continues behind it.

mod text;

use std::ops::Range;

use mooring_words::{Sentence, say};

use super::node::{MAX_DEPTH, MAX_ERRORS, Member, Mistake, Node, ParsedText, Value};

/// Parses `range` of `text`. If it starts with a name, it is read as the members of an object without braces.
pub(super) fn parse_range(text: &str, range: &Range<usize>) -> ParsedText {
    let text = text.get(..range.end).unwrap_or(text);
    let mut parser = Parser { text, at: range.start, parsed: ParsedText::default(), is_aborted: false };
    loop {
        parser.skip_blank();
        let root = if parser.starts_with_member() {
            let start = parser.at;
            let members = parser.members(None, 0);
            Node { value: Value::Object(members), start, end: parser.at }
        } else {
            parser.value(0)
        };
        parser.parsed.roots.push(root);
        if parser.is_aborted || !parser.skip_to_next_root() {
            return parser.parsed;
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    parsed: ParsedText,
    /// Whether parsing stopped.
    is_aborted: bool,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn mistake(&mut self, at: usize, message: Sentence) {
        if self.parsed.mistakes.len() >= MAX_ERRORS {
            self.is_aborted = true;
            return;
        }
        self.parsed.mistakes.push(Mistake { at, message });
    }

    /// Describes the next character for a message.
    fn describe_next(&self) -> Sentence {
        match self.rest().chars().next() {
            None => say!("the end of the text"),
            Some(character) => Sentence::quoted(format!("{character:?}")),
        }
    }

    /// Skips white space and comments.
    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let is_blank =
                |it: char| it.is_whitespace() || matches!(it, '\u{feff}' | '\u{200b}'..='\u{200d}');
            self.at += rest.len() - rest.trim_start_matches(is_blank).len();
            let rest = self.rest();
            if rest.starts_with("//") || rest.starts_with('#') {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                if let Some(end) = rest.find("*/") {
                    self.at += end + 2;
                } else {
                    self.mistake(self.at, say!("this comment isn’t closed"));
                    self.at = self.text.len();
                }
            } else {
                return;
            }
        }
    }

    /// Whether a name and a colon follow. Does not move.
    fn starts_with_member(&mut self) -> bool {
        let (at, mistakes, remarks) = (self.at, self.parsed.mistakes.len(), self.parsed.remarks.len());
        let is_member = self.read_name().is_some() && {
            self.skip_blank();
            self.colon_length().is_some()
        };
        self.at = at;
        self.parsed.mistakes.truncate(mistakes);
        self.parsed.remarks.truncate(remarks);
        is_member
    }

    /// Moves to the next top-level value, such as a second block that was copied along. Lines of prose
    /// between blocks are skipped.
    fn skip_to_next_root(&mut self) -> bool {
        let end = self.at;
        self.skip_blank();
        while self.peek() == Some(b',') {
            self.at += 1;
            self.skip_blank();
        }
        let between = self.text.get(end..self.at).unwrap_or_default();
        if self.rest().is_empty() {
            return false;
        }
        if matches!(self.peek(), Some(b'{' | b'[')) || self.starts_with_member() {
            return true;
        }
        let next = find_object(self.text, self.at);
        let found = self.text.get(self.at..next.unwrap_or(self.text.len())).unwrap_or_default();
        if !between.contains('\n') || found.contains(['{', '}', '[', ']', '"']) {
            self.mistake(self.at, say!("there is text after the end of the configuration"));
        }
        if let Some(next) = next {
            self.at = next;
        }
        next.is_some()
    }

    fn value(&mut self, depth: usize) -> Node {
        let start = self.at;
        let value = self.value_kind(depth);
        Node { value, start, end: self.at }
    }

    fn value_kind(&mut self, depth: usize) -> Value {
        if depth > MAX_DEPTH {
            self.mistake(self.at, say!("nested deeper than {limit} levels", limit = MAX_DEPTH));
            self.is_aborted = true;
            self.at = self.text.len();
            return Value::Invalid;
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
            _ if self.closing_quotes().is_some() => match self.read_string() {
                Some(text) => Value::String(text),
                None => Value::Invalid,
            },
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    /// `true`, `false`, `null`, also in the spelling of Python and JavaScript. Anything else is an error.
    fn word(&mut self) -> Value {
        let start = self.at;
        let rest = self.rest();
        let length = rest
            .find(|character: char| !(character.is_alphanumeric() || matches!(character, '_' | '-' | '.')))
            .unwrap_or(rest.len());
        let word = &rest[..length];
        let value = match word {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "null" | "None" | "undefined" => Value::Null,
            _ => Value::Invalid,
        };
        if value == Value::Invalid {
            let message = if word.is_empty() {
                say!("a value is missing before {found}", found = self.describe_next())
            } else {
                say!("not a value: {word} (strings need double quotes)", word)
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
            Value::Invalid
        }
    }

    fn items(&mut self, depth: usize) -> Vec<Node> {
        let open = self.at - 1;
        let mut items = Vec::new();
        loop {
            self.skip_blank();
            match self.peek() {
                _ if self.is_aborted => return items,
                Some(b']') => {
                    self.at += 1;
                    return items;
                }
                None | Some(b'}') => {
                    self.mistake(
                        open,
                        say!(
                            "this list isn’t closed: ] is missing before {found}",
                            found = self.describe_next()
                        ),
                    );
                    return items;
                }
                Some(_) if self.comma_length().is_some() => {
                    self.mistake(self.at, say!("a value is missing before this comma"));
                    self.at += self.comma_length().unwrap_or(1);
                    continue;
                }
                Some(_) => items.push(self.value(depth + 1)),
            }
            self.separator(b']');
        }
    }

    /// Parses members up to `close`, or up to the end of the text.
    fn members(&mut self, close: Option<u8>, depth: usize) -> Vec<Member> {
        let open = self.at.saturating_sub(1);
        let mut members = Vec::new();
        loop {
            self.skip_blank();
            match self.peek() {
                _ if self.is_aborted => return members,
                Some(byte) if Some(byte) == close => {
                    self.at += 1;
                    return members;
                }
                None if close.is_none() => return members,
                // The closing brace of an object whose opening brace was not copied.
                Some(b'}') => {
                    self.at += 1;
                    self.skip_blank();
                    continue;
                }
                None | Some(b']') => {
                    self.mistake(
                        open,
                        say!(
                            "this object isn’t closed: its brace is missing before {found}",
                            found = self.describe_next()
                        ),
                    );
                    return members;
                }
                Some(_) if self.comma_length().is_some() => {
                    self.mistake(self.at, say!("a member is missing before this comma"));
                    self.at += self.comma_length().unwrap_or(1);
                    continue;
                }
                Some(_) if self.starts_name() => self.member(depth, &mut members),
                Some(_) => {
                    let found = self.describe_next();
                    self.mistake(self.at, say!("a name in double quotes is missing before {found}", found));
                    self.skip_item();
                }
            }
            self.separator(close.unwrap_or(b'}'));
        }
    }

    fn member(&mut self, depth: usize, members: &mut Vec<Member>) {
        let name_at = self.at;
        let Some(name) = self.read_name() else {
            self.skip_item();
            return;
        };
        self.skip_blank();
        if let Some(length) = self.colon_length() {
            self.at += length;
        } else {
            let found = self.describe_next();
            self.mistake(self.at, say!("a colon is missing before {found}", found));
            if matches!(self.peek(), None | Some(b',' | b'}' | b']')) {
                return;
            }
        }
        self.skip_blank();
        let node = self.value(depth + 1);
        members.push(Member { name, name_at, node });
    }

    /// Skips the comma after an item. A missing one is recorded as an error.
    fn separator(&mut self, close: u8) {
        let before = self.at;
        self.skip_blank();
        match self.peek() {
            Some(_) if self.comma_length().is_some() => self.at += self.comma_length().unwrap_or(1),
            None => {}
            Some(byte) if byte == close || matches!(byte, b'}' | b']') => {}
            Some(_) if self.is_aborted => {}
            Some(_) => self.mistake(before, say!("a comma is missing here")),
        }
    }

    /// Skips to the comma or bracket that ends the current item, over nested ones.
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
                    let mistakes = self.parsed.mistakes.len();
                    self.read_string();
                    self.parsed.mistakes.truncate(mistakes);
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}

/// The first object at or after `from`: at the start of a line if possible, otherwise anywhere.
pub(super) fn find_object(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    for line in text.get(from..)?.split_inclusive('\n') {
        let blank = line.len() - line.trim_start().len();
        if line.trim_start().starts_with('{') {
            return Some(at + blank);
        }
        at += line.len();
    }
    Some(from + text.get(from..)?.find('{')?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::node::LineIndex;

    /// Formats the values as JSON, with `!` for invalid ones, and the errors as `line:column message`.
    fn check(text: &str) -> (String, Vec<String>) {
        let ParsedText { roots, mistakes, .. } = parse_range(text, &(0..text.len()));
        let mut places = LineIndex::new(text);
        let mistakes = mistakes
            .iter()
            .map(|mistake| {
                let (line, column) = places.line_column(mistake.at);
                format!("{line}:{column} {}", mistake.message)
            })
            .collect();
        (roots.iter().map(show).collect::<Vec<_>>().join(" "), mistakes)
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
            Value::Invalid => "!".to_owned(),
        }
    }

    #[test]
    fn comments_trailing_commas_and_bom_are_accepted() {
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
        let (values, mistakes) = check("{\"a\": tru, \"b\": @x, \"c\": 1, \"d\": , \"e\": [1 2]}");
        assert_eq!(values, "{\"a\":!,\"b\":!,\"c\":1,\"d\":!,\"e\":[1,2]}");
        assert_eq!(
            mistakes,
            [
                "1:7 not a value: tru (strings need double quotes)",
                "1:17 a value is missing before '@'",
                "1:34 a value is missing before ','",
                "1:43 a comma is missing here",
            ]
        );
    }

    #[test]
    fn an_unclosed_text_ends_with_its_line() {
        let (values, mistakes) = check("{\n \"a\": \"x,\n \"b\": 1}");
        assert_eq!(values, "{\"a\":!,\"b\":1}");
        assert_eq!(
            mistakes,
            ["2:7 this text isn’t closed: a double quote is missing", "2:10 a comma is missing here"]
        );
    }

    #[test]
    fn an_unclosed_object_is_noted_where_it_opens() {
        let (values, mistakes) = check("{\"a\": {\"b\": 1");
        assert_eq!(values, "{\"a\":{\"b\":1}}");
        assert_eq!(mistakes.len(), 2);
        assert_eq!(
            mistakes[0],
            "1:7 this object isn’t closed: its brace is missing before the end of the text"
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
