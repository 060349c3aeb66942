//! What a server lists, as things that can be approved.

use mooring_policy::{Item, PinKind, by_name};

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
