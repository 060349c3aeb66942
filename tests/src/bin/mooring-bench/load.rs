//! The load of a client: how many calls, how many at once, and how big the results are.

use clap::Args;

/// The size of a big result, in bytes.
pub(crate) const BIG: usize = 1 << 20;

/// The load of one measurement.
#[derive(Debug, Clone, Args)]
pub(crate) struct Load {
    /// How many calls to make.
    #[arg(long, default_value_t = 10_000)]
    pub(crate) calls: usize,
    /// How many calls may be in flight.
    #[arg(long, default_value_t = 1)]
    pub(crate) concurrency: usize,
    /// Calls the tool `big` for results of this size in bytes, instead of `echo`.
    #[arg(long)]
    pub(crate) bytes: Option<usize>,
}

impl Load {
    /// The tool to call.
    pub(crate) fn tool(&self) -> &'static str {
        if self.bytes.is_some() { "big" } else { "echo" }
    }

    /// The tool's arguments, as JSON text.
    pub(crate) fn arguments(&self) -> String {
        match self.bytes {
            Some(bytes) => format!("{{\"bytes\":{bytes}}}"),
            None => "{\"text\":\"ahoy\"}".to_owned(),
        }
    }

    /// The parts of the request before and after its id.
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

/// The first request of the minimal clients.
pub(crate) const INITIALIZE: &str = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":\
{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"floor\",\"version\":\"0\"}}}";

/// The notification after the first answer.
pub(crate) const INITIALIZED: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
