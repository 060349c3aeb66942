//! Conversions between strings and JSON text that is known to be valid.

use serde_json::Value;
use serde_json::value::RawValue;

/// Copies valid JSON text into a raw value.
pub fn raw(text: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(text.to_owned()).ok()
}

/// The string in valid JSON text. `None` for other values.
pub fn string(text: &str) -> Option<String> {
    if text.starts_with('"') { serde_json::from_str(text).ok() } else { None }
}

/// Whether valid JSON text is this string, with any escapes.
pub fn is_text(json: &str, text: &str) -> bool {
    match json.strip_prefix('"').and_then(|json| json.strip_suffix('"')) {
        Some(inside) if inside.contains('\\') => string(json).as_deref() == Some(text),
        Some(inside) => inside == text,
        None => false,
    }
}

/// Writes a string as JSON.
pub fn quoted(text: &str) -> String {
    if is_plain(text) { ["\"", text, "\""].concat() } else { Value::from(text).to_string() }
}

/// The elements of an array in valid JSON text. `None` for other values.
pub fn elements(json: &str) -> Option<Vec<&RawValue>> {
    serde_json::from_str(json).ok()
}

/// Whether a string needs no escapes in JSON.
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
