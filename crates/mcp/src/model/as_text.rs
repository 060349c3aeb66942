//! JSON that crosses to a front end as the text that was sent, not as values: numbers keep their digits and objects
//! the order of their members. For `serialize_with`.

use serde::{Serialize as _, Serializer};
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

/// The text of a JSON value, where there is one.
pub fn some_json<S: Serializer>(json: &Option<RawJson>, serializer: S) -> Result<S::Ok, S::Error> {
    json.as_ref().map(RawJson::get).serialize(serializer)
}
