//! One member of a JSON object.

/// One member. Its value is JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member<'a> {
    /// The key as it is written, without its quotes, for whoever writes it again.
    pub key: &'a str,
    /// What the key stands for, where that is something else.
    pub(crate) decoded: Option<Box<str>>,
    /// As JSON text.
    pub value: &'a str,
}

impl Member<'_> {
    /// What its key stands for.
    pub fn name(&self) -> &str {
        self.decoded.as_deref().unwrap_or(self.key)
    }
}
