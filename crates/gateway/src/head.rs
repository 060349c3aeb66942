//! The metadata of a request (basic#_meta) and its subject. Both are read once.

use mooring_jsonrpc::{Members, Params, raw, string};
use serde_json::value::RawValue;

pub(crate) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";

/// The head of a request. Parts that the request doesn't have are `None`.
#[derive(Debug, Default)]
pub(crate) struct RequestHead {
    /// `_meta`, unchanged.
    pub(crate) meta: Option<Box<RawValue>>,
    /// The progress token.
    pub(crate) token: Option<Box<RawValue>>,
    /// The protocol version of a stateless request. A value that isn't a string is kept as JSON, which
    /// matches no known version.
    pub(crate) version: Option<String>,
    /// The client capabilities.
    pub(crate) capabilities: Option<Box<RawValue>>,
    /// The least important level of log messages that the app wants.
    pub(crate) log_level: Option<Box<RawValue>>,
    /// The name of a tool or prompt, or the URI of a resource.
    pub(crate) subject: Option<String>,
    /// `requestState`: names the call that this request continues.
    pub(crate) state: Option<String>,
}

impl RequestHead {
    pub(crate) fn of(params: &Params) -> Self {
        let meta = params.get("_meta");
        let members = meta.map(|meta| Members::of(meta.get())).unwrap_or_default();
        let part = |key: &str| members.get(key).and_then(raw);
        Self {
            token: part("progressToken").filter(|token| token.get() != "null"),
            version: members.get(VERSION_KEY).map(|text| string(text).unwrap_or_else(|| text.to_owned())),
            capabilities: part(CAPABILITIES_KEY),
            log_level: part(LOG_LEVEL_KEY),
            meta: meta.map(ToOwned::to_owned),
            subject: params.text("name").or_else(|| params.text("uri")),
            state: params.text("requestState"),
        }
    }
}
