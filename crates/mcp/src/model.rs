//! Lenient typed views over raw JSON: what can be read is read, every oddity becomes a diagnostic.

pub mod as_text;
pub(crate) mod call_result;
pub(crate) mod diagnostic;
pub(crate) mod fields;
pub(crate) mod handshake;
pub(crate) mod listing;
pub(crate) mod notification;
pub(crate) mod prompt;
pub(crate) mod raw_json;
pub(crate) mod resource;
pub(crate) mod schema;
pub(crate) mod shape;
pub(crate) mod time;
pub(crate) mod tool;

use serde_json::value::RawValue;

/// The raw JSON text of a valid, shared piece of JSON.
pub(crate) fn raw(text: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(text.to_owned()).ok()
}

/// The string that a piece of valid JSON is, if it is one.
pub(crate) fn string(text: &str) -> Option<String> {
    if text.starts_with('"') { serde_json::from_str(text).ok() } else { None }
}

/// Cuts `text` to at most `limit` bytes at the end of a character.
pub(crate) fn cut(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or(text)
}
