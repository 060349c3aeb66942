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
