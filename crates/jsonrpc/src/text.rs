//! Pieces of JSON text that are known to be valid, and texts as JSON.

use serde_json::Value;
use serde_json::value::RawValue;

/// The raw JSON text of a valid, shared piece of JSON.
pub fn raw(text: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(text.to_owned()).ok()
}

/// The string that a piece of valid JSON is, if it is one.
pub fn string(text: &str) -> Option<String> {
    if text.starts_with('"') { serde_json::from_str(text).ok() } else { None }
}

/// Whether a piece of valid JSON is this string, however it is written.
pub fn is_text(json: &str, text: &str) -> bool {
    match json.strip_prefix('"').and_then(|json| json.strip_suffix('"')) {
        Some(inside) if inside.contains('\\') => string(json).as_deref() == Some(text),
        Some(inside) => inside == text,
        None => false,
    }
}

/// A text as JSON.
pub fn quoted(text: &str) -> String {
    if is_plain(text) { ["\"", text, "\""].concat() } else { Value::from(text).to_string() }
}

/// The elements of the array that a piece of valid JSON is, if it is one.
pub fn elements(json: &str) -> Option<Vec<&RawValue>> {
    serde_json::from_str(json).ok()
}

/// Whether a text is written in JSON as it is.
pub(crate) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_the_same_however_it_is_written() {
        for json in [r#""a\"é""#, r#""\u0061\"é""#, r#""a\u0022\u00e9""#] {
            assert!(is_text(json, "a\"é"), "{json}");
        }
        for json in ["7", "7.0", "null", "[\"\\u0061\"]", r#""\ud800""#] {
            assert!(!is_text(json, json), "{json}");
        }
    }
}
