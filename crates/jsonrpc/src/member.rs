//! One member of a JSON object.

/// One member. Its value is JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member<'a> {
    /// The key as it is written, without quotes, for writing it again.
    pub key: &'a str,
    /// The decoded key, if it differs.
    pub(crate) decoded: Option<Box<str>>,
    /// The value as JSON text.
    pub value: &'a str,
}

impl Member<'_> {
    /// The decoded key.
    pub fn name(&self) -> &str {
        self.decoded.as_deref().unwrap_or(self.key)
    }
}
