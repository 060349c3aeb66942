//! Pieces of JSON text that are known to be valid.

use serde_json::value::RawValue;

/// The raw JSON text of a valid, shared piece of JSON.
pub(crate) fn raw(text: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(text.to_owned()).ok()
}

/// The string that a piece of valid JSON is, if it is one.
pub(crate) fn string(text: &str) -> Option<String> {
    if text.starts_with('"') { serde_json::from_str(text).ok() } else { None }
}

/// Whether a piece of valid JSON is this string, however it is written.
pub(crate) fn is_text(json: &str, text: &str) -> bool {
    match json.strip_prefix('"').and_then(|json| json.strip_suffix('"')) {
        Some(inside) if inside.contains('\\') => string(json).as_deref() == Some(text),
        Some(inside) => inside == text,
        None => false,
    }
}

/// Whether a piece of valid JSON plainly means yes: the boolean, or what some servers write for it.
pub(crate) fn means_true(json: &str) -> bool {
    matches!(json, "true" | "1") || is_text(json, "true")
}

/// The elements of the array that a piece of valid JSON is, if it is one.
pub(crate) fn elements(json: &str) -> Option<Vec<&RawValue>> {
    serde_json::from_str(json).ok()
}

/// Whether a text stands in JSON as it is.
pub(crate) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\')
}
