//! What a server offers, each item in its canonical form.

use std::collections::BTreeMap;

use mooring_base::digest::sha256;

use crate::pin::PinKind;
use crate::truncation::truncate_form;
use mooring_jsonrpc::canonical::{CanonicalNode, parse};

/// Something of a server that can be approved, such as a tool, in its current form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinItem {
    /// What kind of item it is.
    pub kind: PinKind,
    /// The item's name.
    pub name: String,
    /// Hash of the canonical form.
    pub hash: String,
    /// The form as it is stored: canonical, and truncated if it is too long.
    form: String,
}

impl PinItem {
    /// Creates an item from JSON texts. Several texts are several definitions with the same name.
    pub fn new(kind: PinKind, name: &str, texts: &[&str]) -> Self {
        let form = match texts {
            [text] => parse(text),
            texts => CanonicalNode::Array(texts.iter().map(|text| parse(text)).collect()),
        };
        Self::from_form(kind, name, form.to_string())
    }

    /// Creates an item from its canonical form.
    pub fn from_form(kind: PinKind, name: &str, form: String) -> Self {
        let hash = sha256(&form);
        // A server's form says what it was started with. It is always compared, so it is never truncated.
        let form = if kind == PinKind::Server { form } else { truncate_form(form) };
        Self { kind, name: name.to_owned(), hash, form }
    }

    /// The form as it is stored: canonical, and truncated if it is too long.
    pub fn form(&self) -> &str {
        &self.form
    }
}

/// The items with these names and JSON texts. Those with the same name become one item.
pub fn items_by_name<'a>(kind: PinKind, things: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<PinItem> {
    let mut named: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, text) in things {
        named.entry(name).or_default().push(text);
    }
    named.into_iter().map(|(name, texts)| PinItem::new(kind, name, &texts)).collect()
}
