//! Strings and names: with quotes of any kind, unquoted names, and paths with single backslashes.

use mooring_words::say;

use super::{Mistake, Parser};

/// Opening quotes, each with its closing quotes. Chat programs and word processors replace ASCII quotes.
const QUOTES: [(&str, &str); 4] = [
    ("\"", "\""),
    ("\u{201c}\u{201d}\u{201e}\u{201f}\u{ab}\u{bb}\u{ff02}", "\u{201c}\u{201d}\u{ab}\u{bb}\u{ff02}\""),
    ("'\u{2018}\u{2019}\u{201a}", "'\u{2018}\u{2019}"),
    ("`", "`"),
];

impl Parser<'_> {
    fn character(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The closing quotes for the string that starts here.
    pub(super) fn closing_quotes(&self) -> Option<&'static str> {
        let open = self.character()?;
        QUOTES.iter().find(|(opening, _)| opening.contains(open)).map(|(_, closing)| *closing)
    }

    /// The length of the comma here.
    pub(super) fn comma_length(&self) -> Option<usize> {
        self.character().filter(|found| matches!(found, ',' | '\u{ff0c}')).map(char::len_utf8)
    }

    /// The length of the colon here.
    pub(super) fn colon_length(&self) -> Option<usize> {
        self.character().filter(|found| matches!(found, ':' | '\u{ff1a}')).map(char::len_utf8)
    }

    pub(super) fn starts_name(&self) -> bool {
        self.closing_quotes().is_some() || !self.bare_name().is_empty()
    }

    /// The unquoted name here, as in JavaScript. Empty if there is none.
    fn bare_name(&self) -> &str {
        let rest = self.rest();
        let is_first = |it: char| it.is_alphabetic() || matches!(it, '_' | '$');
        if !rest.starts_with(is_first) {
            return "";
        }
        let is_in = |it: char| it.is_alphanumeric() || matches!(it, '_' | '$' | '-' | '.');
        let length = rest.find(|it| !is_in(it)).unwrap_or(rest.len());
        let (name, behind) = rest.split_at_checked(length).unwrap_or_default();
        // Without a colon it is a value where a name should be.
        if behind.trim_start().starts_with([':', '\u{ff1a}']) { name } else { "" }
    }

    /// Parses a member's name. After an error, parsing continues behind the name.
    pub(super) fn read_name(&mut self) -> Option<String> {
        if self.closing_quotes().is_some() {
            return self.read_string();
        }
        let name = self.bare_name().to_owned();
        self.at += name.len();
        (!name.is_empty()).then_some(name)
    }

    /// Parses a quoted string. After an error, parsing continues behind the string.
    pub(super) fn read_string(&mut self) -> Option<String> {
        let start = self.at;
        let closing = self.closing_quotes()?;
        let first = start + self.character().map_or(1, char::len_utf8);
        let Some((end, length)) =
            self.find_closing_quote(first, closing).or_else(|| self.find_closing_quote(first, QUOTES[1].1))
        else {
            let rest = self.text.get(first..).unwrap_or_default();
            self.at = first + rest.find('\n').unwrap_or(rest.len());
            self.mistake(start, say!("this text isn’t closed: a double quote is missing"));
            return None;
        };
        self.at = end + length;
        let inside = self.text.get(first..end)?;
        let quoted = requote(inside);
        let read: Result<String, serde_json::Error> = serde_json::from_str(&quoted);
        if let Some(path) = windows_path(inside) {
            // `c:\temp\new` is a path, not a text with a tab and a line break.
            let message =
                say!("single backslashes were read as path separators: {path}", path = path.clone());
            self.parsed.remarks.push(Mistake { at: start, message });
            return Some(path);
        }
        match read {
            Ok(text) => {
                if has_control_in_word(&text) {
                    let message = say!(
                        "a backslash and the letter after it were read as a control character in {text}: write two backslashes if you mean a path",
                        text = text.escape_default().to_string()
                    );
                    self.parsed.remarks.push(Mistake { at: start, message });
                }
                Some(text)
            }
            Err(error) => {
                let at = start + error.column().saturating_sub(1).min(quoted.len());
                let message = if inside.contains('\\') {
                    say!(
                        "this text contains an escape that JSON doesn’t allow: write each backslash of a path twice"
                    )
                } else {
                    say!("this text contains a character that JSON doesn’t allow")
                };
                self.mistake(at, message);
                None
            }
        }
    }

    /// Where the string that starts at `first` is closed in its line, and the length of the closing quote.
    fn find_closing_quote(&self, first: usize, quotes: &str) -> Option<(usize, usize)> {
        let mut characters = self.text.get(first..)?.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => {
                    characters.next();
                }
                '\n' => return None,
                _ if quotes.contains(character) => return Some((first + at, character.len_utf8())),
                _ => {}
            }
        }
        None
    }
}

/// Replaces the quotes of any kind around a string by double quotes.
fn requote(inside: &str) -> String {
    let mut quoted = String::with_capacity(inside.len() + 2);
    quoted.push('"');
    let mut characters = inside.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if matches!(characters.peek(), Some('\'' | '`')) => {}
            '\\' => {
                quoted.push('\\');
                quoted.extend(characters.next());
            }
            '"' => quoted.push_str("\\\""),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// The intended Windows path, if its backslashes are not doubled.
fn windows_path(inside: &str) -> Option<String> {
    let value = inside.rsplit_once('=').map_or(inside, |(_, value)| value);
    let drive = value.split_once(':').is_some_and(|(drive, rest)| {
        drive.len() == 1 && drive.starts_with(|it: char| it.is_ascii_alphabetic()) && rest.starts_with('\\')
    });
    let variable = value.strip_prefix('%').and_then(|rest| rest.split_once('%'));
    let here = value.trim_start_matches('.').starts_with('\\') && value.starts_with('.');
    if !drive && !here && !variable.is_some_and(|(_, rest)| rest.starts_with('\\')) {
        return None;
    }
    let mut path = String::with_capacity(inside.len());
    let mut is_single = false;
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        path.push(character);
        if character == '\\' {
            match characters.next() {
                Some('\\') => {}
                Some(quote @ '"') => {
                    path.pop();
                    path.push(quote);
                }
                other => {
                    is_single = true;
                    path.extend(other);
                }
            }
        }
    }
    is_single.then_some(path)
}

/// Whether a word contains a control character that is rarely intended.
fn has_control_in_word(text: &str) -> bool {
    let is_letter = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
    text.char_indices().any(|(at, character)| {
        matches!(character, '\t' | '\u{8}' | '\u{c}')
            && is_letter(text.get(..at).and_then(|before| before.chars().next_back()))
            && is_letter(text.get(at + 1..).and_then(|behind| behind.chars().next()))
    })
}
