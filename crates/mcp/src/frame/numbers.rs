//! Handles numbers that JSON does not have: `NaN`, `Infinity` and `-Infinity` in Python, `nan` and `-inf`
//! elsewhere. They are read as `null`, as JavaScript writes them. The log has the original bytes.

use std::borrow::Cow;
use std::fmt::Write as _;

use bytes::Bytes;
use mooring_jsonrpc::{Span, decode_key, odd_number_len, string_end};
use mooring_words::say;

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::text::cut_text;

/// The most numbers with a diagnostic of their own.
const MOST: usize = 8;
/// The most bytes of a member's name in a path.
const LONGEST_NAME: usize = 256;

/// An open container, and the current position in it.
enum OpenContainer {
    Object(Span),
    Array(usize),
}

/// Replaces each number that JSON does not have by `null`. Returns the new frame and the diagnostics.
pub(crate) fn replace_odd_numbers(frame: &[u8]) -> (Bytes, Vec<Diagnostic>) {
    let mut out = Vec::with_capacity(frame.len());
    let mut diagnostics = Vec::new();
    let mut count = 0_usize;
    let mut open: Vec<OpenContainer> = Vec::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(&byte) = frame.get(at) {
        match byte {
            b'"' => {
                let end = string_end(frame, at + 1).unwrap_or(frame.len());
                if let Some(OpenContainer::Object(key)) = open.last_mut()
                    && *key == (0..0)
                {
                    *key = at + 1..end;
                }
                at = end;
            }
            b'{' => open.push(OpenContainer::Object(0..0)),
            b'[' => open.push(OpenContainer::Array(0)),
            b'}' | b']' => drop(open.pop()),
            b',' => match open.last_mut() {
                Some(OpenContainer::Object(key)) => *key = 0..0,
                Some(OpenContainer::Array(index)) => *index += 1,
                None => {}
            },
            b'n' | b'N' | b'i' | b'I' => {
                if let Some(length) = frame.get(at..).and_then(odd_number_len) {
                    let sign = at.checked_sub(1).filter(|at| matches!(frame.get(*at), Some(b'-' | b'+')));
                    let start = sign.unwrap_or(at);
                    out.extend_from_slice(frame.get(copied..start).unwrap_or_default());
                    out.extend_from_slice(b"null");
                    copied = at + length;
                    count += 1;
                    if count <= MOST {
                        let number = String::from_utf8_lossy(frame.get(start..copied).unwrap_or_default());
                        let message = say!("JSON has no {number}; it is read as null", number);
                        diagnostics.push(Diagnostic::new(
                            DiagnosticCode::WrongType,
                            current_path(&open, frame),
                            message,
                        ));
                    }
                    at = copied;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    out.extend_from_slice(frame.get(copied..).unwrap_or_default());
    if count > MOST {
        let message =
            say!("{count} more numbers that JSON doesn’t have are read as null", count = count - MOST);
        diagnostics.push(Diagnostic::new(DiagnosticCode::WrongType, "", message));
    }
    (out.into(), diagnostics)
}

/// The current path. Within a result, the path is relative to the result, as in all diagnostics of results.
fn current_path(open: &[OpenContainer], frame: &[u8]) -> String {
    let mut path = String::new();
    for container in open {
        match container {
            OpenContainer::Object(key) => {
                let key = frame.get(key.clone()).unwrap_or_default();
                let key = decode_key(key).map_or_else(|| String::from_utf8_lossy(key), Cow::Owned);
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(cut_text(&key, LONGEST_NAME));
            }
            OpenContainer::Array(index) => drop(write!(path, "[{index}]")),
        }
    }
    match path.strip_prefix("result.") {
        Some(below) => below.to_owned(),
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str, odd: &[&str]) {
        let (replaced, diagnostics) = replace_odd_numbers(text.as_bytes());
        assert_eq!(String::from_utf8_lossy(&replaced), expected);
        assert_eq!(diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>(), odd);
    }

    #[test]
    fn odd_numbers_become_null_and_are_named() {
        check(
            r#"{"id":1,"result":{"structuredContent":{"knots":NaN,"m":[1, -Infinity ,[inf]],"":"NaN, \"inf"}}}"#,
            r#"{"id":1,"result":{"structuredContent":{"knots":null,"m":[1, null ,[null]],"":"NaN, \"inf"}}}"#,
            &[
                "structuredContent.knots: JSON has no NaN; it is read as null",
                "structuredContent.m[1]: JSON has no -Infinity; it is read as null",
                "structuredContent.m[2][0]: JSON has no inf; it is read as null",
            ],
        );
        check(
            r#"[{"method":"m","params":{"x":nan}}]"#,
            r#"[{"method":"m","params":{"x":null}}]"#,
            &["[0].params.x: JSON has no nan; it is read as null"],
        );
    }

    #[test]
    fn a_name_with_escapes_is_told_as_it_is_read() {
        let text = r#"{"res\u0075lt":{"\u0061":NaN,"b\"":[inf]}}"#;
        let expected = r#"{"res\u0075lt":{"\u0061":null,"b\"":[null]}}"#;
        let odd = ["a: JSON has no NaN; it is read as null", "b\"[0]: JSON has no inf; it is read as null"];
        check(text, expected, &odd);
    }

    #[test]
    fn many_odd_numbers_are_counted() {
        let (_, diagnostics) = replace_odd_numbers(format!("[{}NaN]", "NaN,".repeat(MOST + 1)).as_bytes());
        assert_eq!(diagnostics.len(), MOST + 1);
        let last = diagnostics.last().unwrap().to_string();
        assert_eq!(last, "2 more numbers that JSON doesn’t have are read as null");
    }

    #[test]
    fn other_words_are_no_odd_numbers() {
        for text in ["null", "nano", "information", "NaNs", "in", "Infinite"] {
            assert_eq!(odd_number_len(text.as_bytes()), None, "{text}");
        }
    }
}
