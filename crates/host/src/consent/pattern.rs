//! Patterns of tools' names: `*` stands for any characters.

/// Whether `name` is one that `pattern` means. Takes at most the product of both lengths.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut at, mut here) = (0, 0);
    // Where the last star is, and how much it has swallowed.
    let mut star: Option<(usize, usize)> = None;
    while let Some(byte) = name.get(here) {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, here));
                at += 1;
            }
            Some(expected) if expected == byte => {
                at += 1;
                here += 1;
            }
            _ => match &mut star {
                Some((place, swallowed)) => {
                    *swallowed += 1;
                    at = *place + 1;
                    here = *swallowed;
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|byte| *byte == b'*')
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
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
        let slow = format!("{}b", "*a".repeat(60));
        assert!(!matches(&slow, &"a".repeat(128)));
    }
}
