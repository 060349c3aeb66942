//! What can be approved of a server, and where its approval stands.

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
        /// What it says of itself to models.
        Instructions = "instructions",
        /// A tool.
        Tool = "tool",
        /// A prompt.
        Prompt = "prompt",
        /// A resource template.
        Template = "template",
    }
}

/// Where the approval of a thing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PinState {
    /// Nobody has looked at it.
    New,
    /// The person approved it as it is.
    Approved,
    /// It is not what it was: blocked until the person looks at it.
    Changed,
    /// The server no longer has it.
    Gone,
}

/// One thing that can be approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PinView {
    /// What it is.
    pub kind: PinKind,
    /// Its name; of a template its address.
    pub name: String,
    /// Where it stands.
    pub state: PinState,
    /// SHA-256 of its canonical form as it is now; an approval names it.
    pub hash: String,
    /// When it was approved, in milliseconds since the Unix epoch.
    #[serde(rename = "approvedAt")]
    pub approved_ms: Option<i64>,
    /// What changed, by member, what matters most first.
    pub changes: Vec<PinChange>,
    /// How many members changed beside those.
    pub unshown: usize,
    /// Its canonical form as it is now, as JSON text.
    pub now: String,
    /// How many bytes that has, where it is too long to be kept whole: then it is what is kept of it.
    pub whole: Option<u32>,
    /// Characters in it that cannot be seen, or look like others.
    pub hidden: Vec<HiddenCharacter>,
    /// What becomes of it for apps, where that is not what the server says.
    #[serde(rename = "forApps")]
    pub for_apps: Option<ForApps>,
}

/// What of a server was looked at and approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TrustView {
    /// The server.
    pub server: ServerId,
    /// How it is started or reached.
    pub definition: PinView,
    /// Its tools, prompts, templates and instructions, what changed first.
    pub items: Vec<PinView>,
}

/// An approval of one thing as it is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
pub struct PinApproval {
    /// What it is.
    pub kind: PinKind,
    /// Its name.
    pub name: String,
    /// The hash that was shown; another one is refused.
    pub hash: String,
}
