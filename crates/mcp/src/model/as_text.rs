//! Serializes JSON for front ends as a string with the original text, so that numbers keep their digits and
//! objects their order. The functions are for `serialize_with`.

use serde::{Serialize as _, Serializer};
use serde_json::value::RawValue;

use crate::raw_json::RawJson;

/// Writes the text of a JSON value.
pub fn raw<S: Serializer>(raw: &RawValue, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(raw.get())
}

/// Writes the text of a JSON value, or null.
pub fn some_raw<S: Serializer>(raw: &Option<Box<RawValue>>, serializer: S) -> Result<S::Ok, S::Error> {
    raw.as_deref().map(RawValue::get).serialize(serializer)
}

/// Writes the text of a JSON value.
pub fn json<S: Serializer>(json: &RawJson, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(json.get())
}

/// Writes the text of a JSON value, or null.
pub fn some_json<S: Serializer>(json: &Option<RawJson>, serializer: S) -> Result<S::Ok, S::Error> {
    json.as_ref().map(RawJson::get).serialize(serializer)
}
