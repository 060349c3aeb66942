//! The patterns of one schema (ECMA-262). `regex` runs them in time that is linear in the length of the text.

use std::collections::HashMap;
use std::sync::Arc;

use jsonschema::{Draft, PatternOptions};
use serde_json::json;

/// The maximum size of a pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 4 << 10;
/// The sizes of compiled patterns. The smallest size that is enough decides the cost of a match.
const SIZES: [usize; 5] = [4 << 10, 32 << 10, 256 << 10, 1 << 20, MAX_COMPILED_BYTES];
/// The maximum size of one compiled pattern, in bytes.
pub(super) const MAX_COMPILED_BYTES: usize = 4 << 20;
/// The maximum size of all compiled patterns of one schema together, in bytes, including failed attempts. A
/// pattern of a few bytes can need a megabyte, and a schema can have thousands of patterns.
const MAX_TOTAL_BYTES: usize = 32 << 20;

/// A pattern that can be checked.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    /// The pattern in the schema.
    pub(super) written: Arc<str>,
    /// The pattern for the engine.
    pub(super) text: Arc<str>,
    /// The size of the compiled pattern, rounded up to one of `SIZES`.
    pub(super) size: usize,
}

/// The patterns of one schema.
pub(crate) struct Patterns {
    left: usize,
    known: HashMap<String, Option<Pattern>>,
}

impl Patterns {
    pub(crate) fn new() -> Self {
        Self { left: MAX_TOTAL_BYTES, known: HashMap::new() }
    }

    /// Compiles a pattern. `None` if the pattern is invalid or too large, exceeds the limit of all patterns,
    /// needs a backtracking engine, or is ambiguous.
    pub(crate) fn compile(&mut self, written: &str) -> Option<Pattern> {
        if let Some(known) = self.known.get(written) {
            return known.clone();
        }
        let read =
            strip_slashes(written).filter(|text| text.len() <= MAX_PATTERN_BYTES && is_unambiguous(text));
        let pattern = read.and_then(|text| {
            let size = SIZES.into_iter().find(|size| {
                let Some(left) = self.left.checked_sub(*size) else { return false };
                self.left = left;
                can_compile(&text, *size)
            })?;
            Some(Pattern { written: written.into(), text: text.into(), size })
        });
        self.known.insert(written.to_owned(), pattern.clone());
        pattern
    }
}

/// Whether the pattern compiles within `size` bytes.
fn can_compile(pattern: &str, size: usize) -> bool {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .with_pattern_options(PatternOptions::regex().size_limit(size))
        .build(&json!({ "pattern": pattern }))
        .is_ok()
}

/// The pattern between slashes, as in `/^a$/i`, with its flags. `None` if the slashes may be part of the
/// pattern.
fn strip_slashes(text: &str) -> Option<String> {
    let Some((inner, flags)) = text.strip_prefix('/').and_then(|rest| rest.rsplit_once('/')) else {
        return Some(text.to_owned());
    };
    if !flags.bytes().all(|flag| flag.is_ascii_lowercase()) {
        return Some(text.to_owned());
    }
    let is_anchored = inner.starts_with('^') || inner.ends_with('$') && !inner.ends_with("\\$");
    let known = flags.bytes().all(|flag| b"dgisuvy".contains(&flag));
    let supported: String = flags.chars().filter(|flag| matches!(flag, 'i' | 's')).collect();
    let flags = if supported.is_empty() { supported } else { format!("(?{supported})") };
    (is_anchored && known).then(|| format!("{flags}{inner}"))
}

/// Whether every part of a pattern means the same in ECMA-262 and in `regex`.
fn is_unambiguous(pattern: &str) -> bool {
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(char) = chars.next() {
        match char {
            // These are the start and end of the text in other engines, and letters in ECMA-262.
            '\\' if matches!(chars.next(), Some('A' | 'z' | 'Z')) => return false,
            // A named class, as in `[[:alpha:]]`.
            '[' if in_class && chars.peek() == Some(&':') => return false,
            '[' => in_class = true,
            ']' => in_class = false,
            // A possessive quantifier, as in `a++`.
            '*' | '+' | '?' | '}' if !in_class && matches!(chars.peek(), Some('+' | '*')) => return false,
            // Line-ending classes of other engines.
            '(' if !in_class && chars.peek() == Some(&'?') => {
                let mut flags = chars.clone().skip(1).take_while(char::is_ascii_lowercase);
                if flags.any(|flag| flag == 'm' || flag == 'x') {
                    return false;
                }
            }
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> Option<bool> {
        let read = Patterns::new().compile(pattern)?;
        let schema = json!({ "pattern": &*read.text });
        let options =
            PatternOptions::regex().size_limit(MAX_COMPILED_BYTES).dfa_size_limit(MAX_COMPILED_BYTES);
        Some(
            jsonschema::options()
                .with_pattern_options(options)
                .build(&schema)
                .unwrap()
                .is_valid(&json!(text)),
        )
    }

    // Requirements: ELIC-12.
    #[test]
    fn patterns_match_as_in_the_language_that_they_are_written_in() {
        for (pattern, good, bad) in [
            ("^[a-z]+$", &["abc"][..], &["", "Abc", "abc\n", "ab1"][..]),
            ("b", &["abc"], &["ac"]),
            ("", &["", "x"], &[]),
            (r"^\d{3}-\d{2}$", &["123-45"], &["१२३-४५", "12-345"]),
            (r"^\w+$", &["a_1"], &["ä"]),
            (r"^[\w.-]+@[\w-]+$", &["a.b@c-d"], &["a b@c"]),
            (r"^[[\]]$", &["[", "]"], &["a"]),
            ("^[a&&b]+$", &["a&b"], &["c"]),
            (r"^\u00e9\u{1F600}$", &["é😀"], &["e"]),
            (r"^[\u4e00-\u9fff]+$", &["青岛"], &["abc"]),
            (r"^\/x\-y$", &["/x-y"], &["xy"]),
            (r"^\p{Lu}$", &["Ä"], &["ä"]),
            (r"^(a|bc){2}$", &["abc", "bca"], &["ab"]),
            (r"\bword\b", &["a word here"], &["swords"]),
            ("^(?:a|ab)+y?$", &["aab", "abay"], &["b"]),
            ("^(?<word>[a-z]+)$", &["abc"], &["1"]),
            (r"^-?\d+(\.\d+)?$", &["-1.5", "12"], &["1."]),
            (r"[a\]-]", &["x-"], &["xyz"]),
            ("^a*?b", &["aab"], &["xab"]),
            (r"\x61", &["xaby"], &["b"]),
            ("^.$", &["😀"], &["\n", "ab"]),
            // Patterns in the syntax of other engines.
            ("(?i)^abc$", &["ABC"], &["ABCD"]),
            ("/^[a-z]+$/", &["abc"], &["ABC", "/abc/"]),
            ("/^[a-z]+$/i", &["ABC"], &["1"]),
            ("^/api/$", &["/api/"], &["api"]),
        ] {
            for text in good {
                assert_eq!(matches(pattern, text), Some(true), "{pattern} {text:?}");
            }
            for text in bad {
                assert_eq!(matches(pattern, text), Some(false), "{pattern} {text:?}");
            }
        }
    }

    // Requirements: ELIC-12.
    #[test]
    fn an_ambiguous_or_backtracking_pattern_is_not_checked() {
        for pattern in [
            "(",
            "[",
            "a{2,1}",
            "[z-a]",
            "*",
            "a**",
            r"(a)\1",
            "(?=a)b",
            "(?<!a)b",
            r"\",
            r"\ud800",
            "(a{1000}){1000}",
            "((((a{999}){999}){999}){999})",
            "a++",
            "a{2}+",
            "^[a-z]++$",
            "/a/",
            "/[a-z]/",
            "/^a$/m",
            "/^a$/q",
            "(?m)^a$",
            "[[:alpha:]]",
            r"\Aa\Z",
            r"\Aa\z",
        ] {
            assert!(Patterns::new().compile(pattern).is_none(), "{pattern}");
        }
        assert!(Patterns::new().compile(&"a".repeat(MAX_PATTERN_BYTES + 1)).is_none());
    }

    // Requirements: ELIC-12.
    #[test]
    fn a_pattern_that_would_be_tried_in_every_way_takes_no_longer() {
        let text = format!("{}!", "a".repeat(100_000));
        for pattern in ["^(a+)+$", "^(a|aa)+$", "^(a*)*b$", "(x+x+)+y", "a*a*a*a*a*a*a*a*a*a*b"] {
            assert_eq!(matches(pattern, &text), Some(false), "{pattern}");
        }
    }

    #[test]
    fn patterns_are_checked_up_to_a_size() {
        let mut patterns = Patterns::new();
        let read: Vec<_> =
            (0..4_900).map(|index| patterns.compile(&format!("{index}(?:.?){{1950}}"))).collect();
        let checked = read.iter().flatten().count();
        assert!((1..100).contains(&checked), "{checked}");
        assert!(read[0].is_some() && read[4_899].is_none());
        let mut patterns = Patterns::new();
        let small = patterns.compile("^a$").unwrap();
        assert!(small.size < patterns.compile("^(?:.?){1950}$").unwrap().size);
    }
}
