//! What a server offers, each thing in its canonical form.

use std::collections::BTreeMap;

use mooring_base::digest::sha256;

use crate::pin::PinKind;
use crate::truncation::truncate_form;
use mooring_jsonrpc::canonical::{CanonicalNode, parse};

/// One thing as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinItem {
    /// What it is.
    pub kind: PinKind,
    /// Its name.
    pub name: String,
    /// The hash of its canonical form.
    pub hash: String,
    /// The form as it is stored: canonical, and truncated if it is too long.
    form: String,
}

impl PinItem {
    /// A thing with these texts, which are JSON: one, or several of the same name.
    pub fn new(kind: PinKind, name: &str, texts: &[&str]) -> Self {
        let form = match texts {
            [text] => parse(text),
            texts => CanonicalNode::Array(texts.iter().map(|text| parse(text)).collect()),
        };
        Self::from_form(kind, name, form.to_string())
    }

    /// A thing in its canonical form.
    pub fn from_form(kind: PinKind, name: &str, form: String) -> Self {
        let hash = sha256(&form);
        // That of a server is what it was started with; it is always compared.
        let form = if kind == PinKind::Server { form } else { truncate_form(form) };
        Self { kind, name: name.to_owned(), hash, form }
    }

    /// The form as it is stored: canonical, and truncated if it is too long.
    pub fn form(&self) -> &str {
        &self.form
    }
}

/// The things with these names and JSON texts; those of the same name are one.
pub fn items_by_name<'a>(kind: PinKind, things: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<PinItem> {
    let mut named: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, text) in things {
        named.entry(name).or_default().push(text);
    }
    named.into_iter().map(|(name, texts)| PinItem::new(kind, name, &texts)).collect()
}
