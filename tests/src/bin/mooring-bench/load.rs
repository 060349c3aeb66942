//! What a client does: how many calls, how many at once, and how big the results are.

use clap::Args;

/// How many bytes a big result has.
pub(crate) const BIG: usize = 1 << 20;

/// One load.
#[derive(Debug, Clone, Args)]
pub(crate) struct Load {
    /// How many calls.
    #[arg(long, default_value_t = 10_000)]
    pub(crate) calls: usize,
    /// How many of them may be in flight.
    #[arg(long, default_value_t = 1)]
    pub(crate) concurrency: usize,
    /// Calls the tool `big` for results of this many bytes instead of `echo`.
    #[arg(long)]
    pub(crate) bytes: Option<usize>,
}

impl Load {
    /// The tool to call.
    pub(crate) fn tool(&self) -> &'static str {
        if self.bytes.is_some() { "big" } else { "echo" }
    }

    /// Its arguments, as JSON text.
    pub(crate) fn arguments(&self) -> String {
        match self.bytes {
            Some(bytes) => format!("{{\"bytes\":{bytes}}}"),
            None => "{\"text\":\"ahoy\"}".to_owned(),
        }
    }

    /// The request, cut at the place where the id belongs.
    pub(crate) fn request(&self) -> (&'static str, String) {
        let (tool, arguments) = (self.tool(), self.arguments());
        (
            "{\"jsonrpc\":\"2.0\",\"id\":",
            format!(
                ",\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",\"arguments\":{arguments}}}}}"
            ),
        )
    }
}

/// The opening request of the minimal clients.
pub(crate) const INITIALIZE: &str = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":\
{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"floor\",\"version\":\"0\"}}}";

/// What follows its answer.
pub(crate) const INITIALIZED: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
