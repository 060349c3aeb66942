//! What a server offers, each thing in its canonical form.

use std::collections::BTreeMap;

use mooring_base::digest::sha256;

use crate::abridged::keep;
use crate::canonical::{Node, read};
use crate::pin::PinKind;

/// One thing as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: PinKind,
    /// Its name.
    pub name: String,
    /// The hash of its canonical form.
    pub hash: String,
    /// As it is kept.
    form: String,
}

impl Item {
    /// A thing with these texts, which are JSON: one, or several of the same name.
    pub fn new(kind: PinKind, name: &str, texts: &[&str]) -> Self {
        let form = match texts {
            [text] => read(text),
            texts => Node::Array(texts.iter().map(|text| read(text)).collect()),
        };
        Self::of(kind, name, form.to_string())
    }

    /// A thing in its canonical form.
    pub fn of(kind: PinKind, name: &str, form: String) -> Self {
        let hash = sha256(&form);
        // That of a server is what it was started with; it is always compared.
        let form = if kind == PinKind::Server { form } else { keep(form) };
        Self { kind, name: name.to_owned(), hash, form }
    }

    /// As it is kept.
    pub fn form(&self) -> &str {
        &self.form
    }
}

/// The things with these names and JSON texts; those of the same name are one.
pub fn by_name<'a>(kind: PinKind, things: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<Item> {
    let mut named: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, text) in things {
        named.entry(name).or_default().push(text);
    }
    named.into_iter().map(|(name, texts)| Item::new(kind, name, &texts)).collect()
}
