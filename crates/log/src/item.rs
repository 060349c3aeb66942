//! Items that servers offer. Past calls can be found by their item.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The kinds of items that servers offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// A tool, by its name.
    Tool,
    /// A resource, by its URI.
    Resource,
    /// A resource template, by its pattern. Reads of it are logged under the resulting URI.
    Template,
    /// A prompt, by its name.
    Prompt,
}

impl ItemKind {
    /// The kind's word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Resource => "resource",
            Self::Template => "template",
            Self::Prompt => "prompt",
        }
    }

    /// The kind with this word. `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Tool, Self::Resource, Self::Template, Self::Prompt]
            .into_iter()
            .find(|kind| kind.as_str() == name)
    }

    /// The method that uses an item of this kind.
    pub fn method(self) -> &'static str {
        match self {
            Self::Tool => "tools/call",
            Self::Resource | Self::Template => "resources/read",
            Self::Prompt => "prompts/get",
        }
    }
}

/// An item that a server offers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// The saved server.
    pub server_id: i64,
    /// What kind of item it is.
    pub kind: ItemKind,
    /// The item's name, URI or URI template.
    pub name: String,
}
