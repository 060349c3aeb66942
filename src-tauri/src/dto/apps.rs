//! Data about other apps that only the window needs: their cost in tokens, and their token for HTTP.

use mooring_base::server_id::ServerId;
use serde::Serialize;
use ts_rs::TS;

/// How many tokens an app needs for each new conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AppCost {
    /// The tokenizer that counted the tokens.
    pub tokenizer: &'static str,
    /// The tokens of all servers together.
    pub tokens: usize,
    /// The tokens of all tools, if the app gets a search instead of them.
    pub without_search: Option<usize>,
    /// The cost of each server. A server that is off for this app costs nothing.
    pub servers: Vec<ServerCost>,
}

/// How many tokens an app needs for a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ServerCost {
    /// The server.
    pub server: ServerId,
    /// The tokens of the server's instructions and of the tools that the app sees.
    pub tokens: usize,
    /// The tokens of the server's instructions, as the app gets them.
    pub instructions: usize,
    /// The approved tools, including those that are off for the app.
    pub tools: Vec<ToolCost>,
}

/// The cost of a tool's definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ToolCost {
    /// The name that the server uses.
    pub name: String,
    /// The tokens of the definition, for an app that sees the tool.
    pub tokens: usize,
}

/// An app's token without its value: only its hash is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AppTokenView {
    /// When the token was created, in milliseconds since the Unix epoch.
    #[serde(rename = "createdAt")]
    pub created_ms: i64,
    /// When the token was last used, to the minute, in milliseconds since the Unix epoch.
    #[serde(rename = "usedAt")]
    pub used_ms: Option<i64>,
    /// Whether the token proves which app uses it. Tokens from before app keys existed don't.
    pub vouched: bool,
}

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
