//! What a server lists, as things that can be approved.

use mooring_policy::{Item, PinKind, by_name};
use mooring_store::PinRow;

use crate::prompts::PromptList;
use crate::resources::ResourceList;
use crate::tools::ToolList;

/// What a server says of itself, for what can be approved of it.
#[derive(Debug)]
pub(crate) enum Listed<'a> {
    Tools(&'a ToolList),
    Resources(&'a ResourceList),
    Prompts(&'a PromptList),
    Instructions(Option<&'a str>),
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

/// The row of a thing, after what was known of it.
pub(super) fn row(item: &Item, known: Option<PinRow>, now_us: i64) -> PinRow {
    let row = PinRow {
        kind: item.kind.as_str().to_owned(),
        name: item.name.clone(),
        hash: item.hash.clone(),
        form: item.form().to_owned(),
        known_hash: item.hash.clone(),
        known_form: item.form().to_owned(),
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
