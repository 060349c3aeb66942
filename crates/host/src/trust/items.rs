//! What a server offers, each thing in its canonical form.

use std::collections::BTreeMap;

use mooring_store::PinRow;

use super::PinKind;
use super::abridged::keep;
use crate::canonical::{Node, read};
use crate::prompts::PromptList;
use crate::resources::ResourceList;
use crate::tools::ToolList;
use mooring_base::digest::sha256;

/// What a server says of itself, for what can be approved of it.
#[derive(Debug)]
pub(crate) enum Listed<'a> {
    Tools(&'a ToolList),
    Resources(&'a ResourceList),
    Prompts(&'a PromptList),
    Instructions(Option<&'a str>),
}

/// One thing as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) kind: PinKind,
    pub(crate) name: String,
    pub(super) hash: String,
    /// As it is kept.
    form: String,
}

impl Item {
    /// A thing with these texts, which are JSON: one, or several of the same name.
    fn new(kind: PinKind, name: &str, texts: &[&str]) -> Self {
        let form = match texts {
            [text] => read(text),
            texts => Node::Array(texts.iter().map(|text| read(text)).collect()),
        };
        Self::of(kind, name, form.to_string())
    }

    /// A thing in its canonical form.
    pub(super) fn of(kind: PinKind, name: &str, form: String) -> Self {
        let hash = sha256(&form);
        // That of a server is what it was started with; it is always compared.
        let form = if kind == PinKind::Server { form } else { keep(form) };
        Self { kind, name: name.to_owned(), hash, form }
    }

    pub(super) fn form(&self) -> &str {
        &self.form
    }

    /// Its row, after what was known of it.
    pub(super) fn row(&self, known: Option<PinRow>, now_us: i64) -> PinRow {
        let row = PinRow {
            kind: self.kind.as_str().to_owned(),
            name: self.name.clone(),
            hash: self.hash.clone(),
            form: self.form.clone(),
            known_hash: self.hash.clone(),
            known_form: self.form.clone(),
            gone: false,
            approved_at_us: None,
            seen_at_us: now_us,
        };
        match known {
            Some(known) => PinRow {
                known_hash: known.known_hash,
                known_form: known.known_form,
                approved_at_us: known.approved_at_us,
                ..row
            },
            None => row,
        }
    }
}

/// The things that were listed, and of which kinds they are all that there is.
pub(crate) fn items(listed: &Listed<'_>) -> (Vec<PinKind>, Vec<Item>) {
    match listed {
        Listed::Tools(list) => {
            let tools = list.tools.iter().map(|tool| (tool.name.as_str(), tool.raw.get()));
            (vec![PinKind::Tool], by_name(PinKind::Tool, tools))
        }
        Listed::Prompts(list) => {
            let prompts = list.prompts.iter().map(|prompt| (prompt.name.as_str(), prompt.raw.get()));
            (vec![PinKind::Prompt], by_name(PinKind::Prompt, prompts))
        }
        Listed::Resources(list) => {
            let templates =
                list.templates.iter().map(|template| (template.uri_template.as_str(), template.raw.get()));
            (vec![PinKind::Template], by_name(PinKind::Template, templates))
        }
        Listed::Instructions(text) => {
            let text = text.map(|text| serde_json::Value::from(text).to_string());
            let items = text.map(|text| Item::new(PinKind::Instructions, "", &[&text]));
            (vec![PinKind::Instructions], items.into_iter().collect())
        }
    }
}

fn by_name<'a>(kind: PinKind, things: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<Item> {
    let mut named: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, text) in things {
        named.entry(name).or_default().push(text);
    }
    named.into_iter().map(|(name, texts)| Item::new(kind, name, &texts)).collect()
}
