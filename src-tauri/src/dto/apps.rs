//! What the window shows of another app beside the host's view: what it pays in tokens, and its token for HTTP.

use mooring_base::server_id::ServerId;
use serde::Serialize;
use ts_rs::TS;

/// What an app pays for each new conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AppCost {
    /// The tokenizer that counted.
    pub tokenizer: &'static str,
    /// Its tokens: those of the servers together.
    pub tokens: usize,
    /// What it would pay for all tools, where it gets a search in their place.
    pub without_search: Option<usize>,
    /// The servers, as the app sees them. One that is off for it costs nothing.
    pub servers: Vec<ServerCost>,
}

/// What an app pays for a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ServerCost {
    /// The server.
    pub server: ServerId,
    /// The tokens of its instructions and of the tools that the app sees.
    pub tokens: usize,
    /// The tokens of its instructions, as the app gets them.
    pub instructions: usize,
    /// Its approved tools, also those that are off for the app.
    pub tools: Vec<ToolCost>,
}

/// The definition of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ToolCost {
    /// What the server calls it.
    pub name: String,
    /// Its tokens, for an app that sees it.
    pub tokens: usize,
}

/// The token of an app, without the token itself: only its hash is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AppTokenView {
    /// When it was made, in milliseconds since the Unix epoch.
    #[serde(rename = "createdAt")]
    pub created_ms: i64,
    /// When it was last used, within a minute.
    #[serde(rename = "usedAt")]
    pub used_ms: Option<i64>,
    /// It proves who the app is. One of before there were keys doesn't.
    pub vouched: bool,
}

#[cfg(unix)]
impl From<mooring_catalogue::AppCost> for AppCost {
    fn from(cost: mooring_catalogue::AppCost) -> Self {
        let tool = |tool: mooring_catalogue::ToolCost| ToolCost { name: tool.name, tokens: tool.tokens };
        let server = |server: mooring_catalogue::ServerCost| ServerCost {
            server: server.server,
            tokens: server.tokens,
            instructions: server.instructions,
            tools: server.tools.into_iter().map(tool).collect(),
        };
        Self {
            tokenizer: cost.tokenizer,
            tokens: cost.tokens,
            without_search: cost.without_search,
            servers: cost.servers.into_iter().map(server).collect(),
        }
    }
}
