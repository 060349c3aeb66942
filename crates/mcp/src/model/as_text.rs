//! JSON that crosses to a front end as the text that was sent, not as values: numbers keep their digits and objects
//! the order of their members. For `serialize_with` and `deserialize_with`.

use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};
use serde_json::value::RawValue;

use crate::raw_json::RawJson;

/// The text of a JSON value.
pub fn raw<S: Serializer>(raw: &RawValue, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(raw.get())
}

/// The text of a JSON value, where there is one.
pub fn some_raw<S: Serializer>(raw: &Option<Box<RawValue>>, serializer: S) -> Result<S::Ok, S::Error> {
    raw.as_deref().map(RawValue::get).serialize(serializer)
}

/// The text of a JSON value.
pub fn json<S: Serializer>(json: &RawJson, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(json.get())
}

/// The JSON value that a text is, as [`json`] writes it.
pub fn read_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RawJson, D::Error> {
    let raw = RawValue::from_string(String::deserialize(deserializer)?).map_err(D::Error::custom)?;
    Ok(raw.into())
}

/// The text of a JSON value, where there is one.
pub fn some_json<S: Serializer>(json: &Option<RawJson>, serializer: S) -> Result<S::Ok, S::Error> {
    json.as_ref().map(RawJson::get).serialize(serializer)
}
