//! Converts what a server lists into items that can be approved.

use mooring_calls::{PromptList, ResourceList, ToolList};
use mooring_policy::{PinItem, PinKind, items_by_name};

/// The part of a server's lists that can be approved.
#[derive(Debug)]
pub(crate) enum Approvable<'a> {
    Tools(&'a ToolList),
    Resources(&'a ResourceList),
    Prompts(&'a PromptList),
    Instructions(Option<&'a str>),
}

/// The listed items that can be approved, and the kinds for which the list is complete.
pub(crate) fn approvable_items(listed: &Approvable<'_>) -> (Vec<PinKind>, Vec<PinItem>) {
    match listed {
        Approvable::Tools(list) => {
            let tools = list.tools.iter().map(|tool| (tool.name.as_str(), tool.raw.get()));
            (vec![PinKind::Tool], items_by_name(PinKind::Tool, tools))
        }
        Approvable::Prompts(list) => {
            let prompts = list.prompts.iter().map(|prompt| (prompt.name.as_str(), prompt.raw.get()));
            (vec![PinKind::Prompt], items_by_name(PinKind::Prompt, prompts))
        }
        Approvable::Resources(list) => {
            let templates =
                list.templates.iter().map(|template| (template.uri_template.as_str(), template.raw.get()));
            (vec![PinKind::Template], items_by_name(PinKind::Template, templates))
        }
        Approvable::Instructions(text) => {
            let text = text.map(|text| serde_json::Value::from(text).to_string());
            let items = text.map(|text| PinItem::new(PinKind::Instructions, "", &[&text]));
            (vec![PinKind::Instructions], items.into_iter().collect())
        }
    }
}
