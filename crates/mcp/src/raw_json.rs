//! JSON in its original form, which is validated once and shared without copying.

use bytes::Bytes;
use bytestring::ByteString;
use mooring_words::{Sentence, say};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// Smaller values are copied. Otherwise they would keep the memory of a message that may be much larger.
const SMALL: usize = 32 * 1024;

/// The text of a JSON value. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawJson(ByteString);

impl RawJson {
    /// Validates the JSON value in these bytes.
    pub(crate) fn new(bytes: &Bytes) -> Result<Self, Sentence> {
        let bytes = if bytes.len() < SMALL { Bytes::copy_from_slice(bytes) } else { bytes.clone() };
        let text = ByteString::try_from(bytes).map_err(|_| say!("it isn’t UTF-8"))?;
        serde_json::from_str::<&RawValue>(&text).map_err(|error| Sentence::quoted(error.to_string()))?;
        Ok(Self(text))
    }

    /// The text.
    pub fn get(&self) -> &str {
        &self.0
    }
}

impl Default for RawJson {
    /// `null`.
    fn default() -> Self {
        Self(ByteString::from_static("null"))
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(raw: Box<RawValue>) -> Self {
        Self(ByteString::from(String::from(Box::<str>::from(raw))))
    }
}

impl From<RawJson> for String {
    fn from(raw: RawJson) -> Self {
        raw.0.into()
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::from_str::<&RawValue>(self.get()).map_err(S::Error::custom)?.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_value_is_its_message_and_a_small_one_lets_it_go() {
        let check = |length: usize, shares: bool| {
            let message = Bytes::from(format!("[\"{}\"] ", "x".repeat(length - 4)));
            let value = RawJson::new(&message.slice(..length)).unwrap();
            assert_eq!(value.get().len(), length);
            assert_eq!(value.get().as_ptr() == message.as_ptr(), shares, "{length}");
        };
        check(SMALL - 1, false);
        check(SMALL, true);
    }

    #[test]
    fn what_is_no_json_text_is_refused() {
        let reason = |bytes: &'static [u8]| RawJson::new(&Bytes::from_static(bytes)).unwrap_err();
        assert_eq!(reason(b"\"\xff\"").as_str(), "it isn’t UTF-8");
        assert!(reason(b"{\"a\":1").as_str().starts_with("EOF"));
        assert!(reason(b"1 2").as_str().starts_with("trailing"));
    }

    #[test]
    fn it_is_written_as_it_came() {
        let value =
            RawJson::new(&Bytes::from_static(b"{ \"a\" : 1.0, \"a\" : 10000000000000000001 }")).unwrap();
        assert_eq!(serde_json::to_string(&[&value]).unwrap(), format!("[{}]", value.get()));
        assert_eq!(String::from(value.clone()), value.get());
        assert_eq!(RawJson::default().get(), "null");
    }
}
