//! Patterns as JSON Schema has them (ECMA-262), on an engine whose time grows with the text and no faster.

use std::fmt::Write as _;

use regex::{Regex, RegexBuilder};
use serde::{Serialize, Serializer};

/// Bytes of a pattern at most.
const MAX_PATTERN_BYTES: usize = 4 << 10;
/// Bytes that a compiled pattern may take.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// A pattern that a text has to match somewhere, unless it says where.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    regex: Regex,
}

/// As its text.
impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Pattern {
    /// The pattern; an error where it is none, or wants what only an engine without bounds can do.
    pub(crate) fn new(text: &str) -> Result<Self, Box<dyn std::error::Error>> {
        if text.len() > MAX_PATTERN_BYTES {
            return Err("too long".into());
        }
        let (pattern, flags) = strip_slashes(text)?;
        let regex = RegexBuilder::new(&translate(pattern)?)
            .case_insensitive(flags.contains('i'))
            .dot_matches_new_line(flags.contains('s'))
            .size_limit(MAX_COMPILED_BYTES)
            .dfa_size_limit(MAX_COMPILED_BYTES)
            .nest_limit(50)
            .build()?;
        Ok(Self { text: text.to_owned(), regex })
    }

    /// As the server wrote it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// The pattern and flags of `/pattern/flags`. An error where the slashes may be part of the pattern.
fn strip_slashes(text: &str) -> Result<(&str, &str), &'static str> {
    let Some((inner, flags)) = text.strip_prefix('/').and_then(|rest| rest.rsplit_once('/')) else {
        return Ok((text, ""));
    };
    if !flags.chars().all(|flag| flag.is_ascii_lowercase()) {
        return Ok((text, ""));
    }
    let is_anchored = inner.starts_with('^') || inner.ends_with('$') && !inner.ends_with("\\$");
    if !is_anchored || flags.contains(['m', 'x']) {
        return Err("slashes around it");
    }
    Ok((inner, flags))
}

/// Translates an ECMA-262 pattern to the syntax of the `regex` crate.
fn translate(pattern: &str) -> Result<String, &'static str> {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(char) = chars.next() {
        match char {
            '\\' => translate_escape(&mut out, &mut chars)?,
            // Elsewhere a class by its name, as in `[[:alpha:]]`.
            '[' if in_class && chars.peek() == Some(&':') => return Err("a class by its name"),
            '[' if in_class => out.push_str("\\["),
            '[' => {
                in_class = true;
                out.push('[');
                if chars.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                // There an empty class matches nothing, and its complement everything.
                if chars.peek() == Some(&']') {
                    return Err("an empty class");
                }
            }
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            // Twice, these would be operations on classes.
            '&' | '-' | '~' if in_class && chars.peek() == Some(&char) => {
                out.push('\\');
                out.push(char);
            }
            // Elsewhere what takes all that it can and gives nothing back, as in `a++`; there an error.
            '*' | '+' | '?' | '}' if !in_class => {
                out.push(char);
                if matches!(chars.peek(), Some('+' | '*')) {
                    return Err("it gives nothing back");
                }
            }
            '(' if !in_class => {
                out.push(char);
                let mut flags = chars.clone();
                if flags.next() == Some('?')
                    && flags.take_while(char::is_ascii_lowercase).any(|flag| flag == 'm')
                {
                    return Err("its lines have ends of their own");
                }
            }
            // There the end is the end; here it may be before the last line break.
            '$' if !in_class => out.push_str("\\z"),
            char => out.push(char),
        }
    }
    if in_class { Err("a class without an end") } else { Ok(out) }
}

/// What a backslash makes of the characters behind it.
fn translate_escape(
    out: &mut String,
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
) -> Result<(), &'static str> {
    match chars.next().ok_or("nothing behind a backslash")? {
        // ASCII only, there.
        'd' => out.push_str("[0-9]"),
        'D' => out.push_str("[^0-9]"),
        'w' => out.push_str("[A-Za-z0-9_]"),
        'W' => out.push_str("[^A-Za-z0-9_]"),
        'b' => out.push_str("(?-u:\\b)"),
        'u' => {
            let digits: String = match chars.next_if_eq(&'{') {
                Some(_) => chars.by_ref().take_while(|char| *char != '}').collect(),
                None => chars.by_ref().take(4).collect(),
            };
            let code = u32::from_str_radix(&digits, 16).map_err(|_| "an unknown character")?;
            char::from_u32(code).ok_or("half a character")?;
            push_char(out, code);
        }
        'c' => {
            let letter = chars.next().filter(char::is_ascii_alphabetic).ok_or("an unknown character")?;
            push_char(out, u32::from(letter) % 32);
        }
        '0' => out.push_str("\\x00"),
        known @ ('s' | 'S' | 't' | 'n' | 'r' | 'v' | 'f' | 'x' | 'p' | 'P') => {
            out.push('\\');
            out.push(known);
        }
        'B' | 'k' | '1'..='9' => return Err("it looks back"),
        other if other.is_ascii_alphanumeric() => return Err("an unknown escape"),
        // Anything else stands for itself.
        other if other.is_ascii_punctuation() => {
            out.push('\\');
            out.push(other);
        }
        other => out.push(other),
    }
    Ok(())
}

/// A character by its number.
fn push_char(out: &mut String, code: u32) {
    // Writing to a String cannot fail.
    let _ = write!(out, "\\x{{{code:x}}}");
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: ELIC-12.
    #[test]
    fn patterns_match_as_in_the_language_that_they_are_written_in() {
        for (pattern, good, bad) in [
            ("^[a-z]+$", &["abc"][..], &["", "Abc", "abc\n", "ab1"][..]),
            ("b", &["abc"], &["ac"]),
            (r"^\d{3}-\d{2}$", &["123-45"], &["१२३-४५", "12-345"]),
            (r"^\w+$", &["a_1"], &["ä"]),
            (r"^[\w.-]+@[\w-]+$", &["a.b@c-d"], &["a b@c"]),
            (r"^[[\]]$", &["[", "]"], &["a"]),
            ("^[a&&b]+$", &["a&b"], &["c"]),
            (r"^\u00e9\u{1F600}$", &["é😀"], &["e"]),
            (r"^\/x\-y$", &["/x-y"], &["xy"]),
            (r"^\p{Lu}$", &["Ä"], &["ä"]),
            (r"^(a|bc){2}$", &["abc", "bca"], &["ab"]),
            (r"\bword\b", &["a word here"], &["swords"]),
            // As other engines write it.
            ("(?i)^abc$", &["ABC"], &["ABCD"]),
            ("/^[a-z]+$/", &["abc"], &["ABC", "/abc/"]),
            ("/^[a-z]+$/i", &["ABC"], &["1"]),
            ("^/api/$", &["/api/"], &["api"]),
        ] {
            let read = Pattern::new(pattern).unwrap();
            assert_eq!(read.as_str(), pattern);
            for text in good {
                assert!(read.matches(text), "{pattern} {text:?}");
            }
            for text in bad {
                assert!(!read.matches(text), "{pattern} {text:?}");
            }
        }
        for pattern in [
            "(",
            "[",
            "[]",
            "a{2,1}",
            r"(a)\1",
            "(?=a)b",
            "(?<!a)b",
            r"\",
            r"\ud800",
            "(a{1000}){1000}",
            "a++",
            "a{2}+",
            "/a/",
            "/^a$/m",
            "(?m)^a$",
            "[[:alpha:]]",
            r"\Aa\Z",
        ] {
            assert!(Pattern::new(pattern).is_err(), "{pattern}");
        }
        assert!(Pattern::new(&"a".repeat(MAX_PATTERN_BYTES + 1)).is_err());
    }

    // Requirements: ELIC-12.
    #[test]
    fn a_pattern_that_would_be_tried_in_every_way_takes_no_longer() {
        let text = format!("{}!", "a".repeat(100_000));
        for pattern in ["^(a+)+$", "^(a|aa)+$", "^(a*)*b$", "(x+x+)+y"] {
            assert!(!Pattern::new(pattern).unwrap().matches(&text), "{pattern}");
        }
    }
}
