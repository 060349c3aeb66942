//! What can be approved of a server, and the states of an approval.

use mooring_base::codes;
use mooring_base::server_id::ServerId;
use mooring_tool_list::ForApps;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::diff::PinChange;
use crate::untrusted::HiddenCharacter;

codes! {
    /// What kind of thing is approved.
    #[derive(Deserialize, Ord, PartialOrd)]
    pub enum PinKind {
        /// How the server is started or reached.
        Server = "server",
        /// The server's instructions for models.
        Instructions = "instructions",
        /// A tool.
        Tool = "tool",
        /// A prompt.
        Prompt = "prompt",
        /// A resource template.
        Template = "template",
    }
}

/// State of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PinState {
    /// Never reviewed.
    New,
    /// Approved by the person in its current form.
    Approved,
    /// Changed since it was first seen or approved. Blocked until the person reviews it.
    Changed,
    /// The server no longer offers the item.
    Gone,
}

/// One item that can be approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PinView {
    /// What kind of item it is.
    pub kind: PinKind,
    /// The item's name, or a template's URI.
    pub name: String,
    /// State of its approval.
    pub state: PinState,
    /// SHA-256 of the current canonical form. An approval names it.
    pub hash: String,
    /// When the item was approved, in milliseconds since the Unix epoch.
    #[serde(rename = "approvedAt")]
    pub approved_ms: Option<i64>,
    /// The changed members, the most important first.
    pub changes: Vec<PinChange>,
    /// How many more members changed.
    pub unshown: usize,
    /// The current canonical form as JSON text.
    pub now: String,
    /// Size of the whole form in bytes, if it is too long to be saved. `now` is then truncated.
    pub whole: Option<u32>,
    /// Characters in the form that are invisible or look like others.
    pub hidden: Vec<HiddenCharacter>,
    /// How apps see the item, if that differs from what the server says.
    #[serde(rename = "forApps")]
    pub for_apps: Option<ForApps>,
}

/// The approvals of a server and of what it offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TrustView {
    /// The server.
    pub server: ServerId,
    /// How the server is started or reached.
    pub definition: PinView,
    /// The server's tools, prompts, templates and instructions, changed ones first.
    pub items: Vec<PinView>,
}

/// An approval of one item in its current form.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
pub struct PinApproval {
    /// What kind of item it is.
    pub kind: PinKind,
    /// The item's name.
    pub name: String,
    /// The hash that the person was shown. An approval of another hash is refused.
    pub hash: String,
}
