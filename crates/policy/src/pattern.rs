//! Patterns for names of tools. `*` matches any characters, and `\*` matches a star.

/// A part of a pattern.
enum PatternPart {
    /// Any characters.
    Any,
    /// Exactly this byte.
    Byte(u8),
}

/// The part that begins at `at`, and where the next part begins.
fn next_part(pattern: &[u8], at: usize) -> Option<(PatternPart, usize)> {
    Some(match (*pattern.get(at)?, pattern.get(at + 1)) {
        (b'*', _) => (PatternPart::Any, at + 1),
        (b'\\', Some(b'*')) => (PatternPart::Byte(b'*'), at + 2),
        (byte, _) => (PatternPart::Byte(byte), at + 1),
    })
}

/// Whether `pattern` matches `name`. Takes time in proportion to at most the product of both lengths.
pub(crate) fn matches_pattern(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut at, mut here) = (0, 0);
    // The position after the last star, and the end of the text that the star matches so far.
    let mut star: Option<(usize, usize)> = None;
    while let Some(byte) = name.get(here) {
        match next_part(pattern, at) {
            Some((PatternPart::Any, next)) => {
                star = Some((next, here));
                at = next;
            }
            Some((PatternPart::Byte(expected), next)) if expected == *byte => {
                at = next;
                here += 1;
            }
            _ => match &mut star {
                Some((next, swallowed)) => {
                    *swallowed += 1;
                    at = *next;
                    here = *swallowed;
                }
                None => return false,
            },
        }
    }
    while let Some((PatternPart::Any, next)) = next_part(pattern, at) {
        at = next;
    }
    at == pattern.len()
}

/// The pattern that matches only this name.
pub fn escape(name: &str) -> String {
    name.replace('*', r"\*")
}

/// The number of literal bytes in a pattern. `None` if all are literal, so that the pattern matches one name.
pub fn literal_len(pattern: &str) -> Option<usize> {
    let (mut at, mut given, mut is_open) = (0, 0, false);
    while let Some((part, next)) = next_part(pattern.as_bytes(), at) {
        match part {
            PatternPart::Any => is_open = true,
            PatternPart::Byte(_) => given += 1,
        }
        at = next;
    }
    is_open.then_some(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, expected) in [
            ("read", "read", true),
            ("read", "read_file", false),
            ("read*", "read_file", true),
            ("*file", "read_file", true),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
            ("*", "", true),
            ("**", "anything", true),
            ("", "", true),
            ("", "a", false),
            ("Read", "read", false),
            ("*é*", "café!", true),
            ("a*a", "a", false),
            (r"\*", "*", true),
            (r"\*", "a", false),
            (r"\*", r"\*", false),
            (r"*\**", "a*b", true),
            (r"*\**", "ab", false),
            (r"a\b", r"a\b", true),
            (r"a\", r"a\", true),
        ] {
            assert_eq!(matches_pattern(pattern, name), expected, "{pattern} {name}");
        }
        let slow = format!("{}b", "*a".repeat(60));
        assert!(!matches_pattern(&slow, &"a".repeat(128)));
    }

    #[test]
    fn every_name_has_a_pattern_that_means_it_and_no_other() {
        let names =
            ["*", "**", "read_*", " x", "", "a", r"\", r"\*", r"\\*", r"a\b*", r"\\", "é*", "*\u{202e}"];
        for name in names {
            let pattern = escape(name);
            assert_eq!(literal_len(&pattern), None, "{name}");
            for other in names {
                assert_eq!(matches_pattern(&pattern, other), name == other, "{name} {other}");
            }
        }
        assert_eq!(
            [literal_len("*"), literal_len("a*b"), literal_len(r"\**"), literal_len("ab")],
            [Some(0), Some(2), Some(1), None]
        );
    }
}
