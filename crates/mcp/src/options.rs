//! How to reach a server, and the options of a connection.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mooring_process::{ShutdownGrace, SpawnOptions};
use url::Url;

use crate::extension::Extension;
use crate::limits::{Deadlines, Limits};
use crate::revision::Era;
use crate::transport::http::HttpClient;
use crate::transport::http::access::Authorize;

/// How long a stdio server may be silent after it has read the probe before `initialize` is sent as well
/// (ERA-05). The first response to either request counts, so this may be short.
pub(crate) const PROBE: Duration = Duration::from_secs(1);
/// The default interval without requests before a ping. It is long, so that pings cost almost nothing.
pub(crate) const KEEP_ALIVE_INTERVAL: Duration = Duration::from_mins(5);

/// Which era to use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EraChoice {
    /// Negotiate the era.
    #[default]
    Auto,
    /// Only this era. A person's choice has no fallback (ERA-24).
    Only(Era),
    /// The era of the last connection. The era is negotiated again if it no longer works (ERA-23).
    Remembered(Era),
}

/// How to reach a server.
#[derive(Clone)]
pub enum ServerTarget {
    /// A program that this client starts and ends.
    Stdio(SpawnOptions),
    /// An MCP endpoint.
    Http {
        /// The endpoint's URL.
        url: Url,
        /// The headers of every request besides the protocol's headers. They may contain secrets.
        headers: Vec<(String, String)>,
    },
}

impl fmt::Debug for ServerTarget {
    /// Shows only the names of headers, and no query of the URL, because values and queries may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio(spawn) => f.debug_tuple("Stdio").field(spawn).finish(),
            Self::Http { url, headers } => {
                let names: Vec<_> = headers.iter().map(|(name, _)| name).collect();
                let place = format!("{}{}", url.origin().ascii_serialization(), url.path());
                f.debug_struct("Http").field("url", &place).field("headers", &names).finish()
            }
        }
    }
}

/// Options of a connection.
#[derive(Clone)]
pub struct ClientOptions {
    /// The client's name that is sent to the server.
    pub name: &'static str,
    /// The client's version that is sent to the server.
    pub version: &'static str,
    /// The HTTP client to use, from [`crate::http_client`].
    pub http: HttpClient,
    /// Limits of what the server may send, such as the size and nesting of messages.
    pub limits: Limits,
    /// How long to wait for the connection and for each request.
    pub deadlines: Deadlines,
    /// Which era to use.
    pub era: EraChoice,
    /// How long a stdio server may be silent after it has read the probe before `initialize` is sent as well.
    pub probe: Duration,
    /// The interval without requests before a server of the session era is pinged. `None` disables pings.
    pub keep_alive: Option<Duration>,
    /// Whether requests wait a moment after the start of a session, because the server may ask for the roots.
    pub awaits_roots: bool,
    /// How long a stdio server's process may take to end when the connection is shut down.
    pub grace: ShutdownGrace,
    /// The enabled extensions.
    pub extensions: Vec<Extension>,
    /// Whether tools that optionally run as tasks do so (2025-11-25).
    pub prefer_tasks: bool,
    /// Authorizes requests to a server with a URL.
    pub access: Option<Arc<dyn Authorize>>,
}

impl ClientOptions {
    /// The default options for a client with this name and version.
    pub fn new(name: &'static str, version: &'static str, http: HttpClient) -> Self {
        Self {
            name,
            version,
            http,
            limits: Limits::default(),
            deadlines: Deadlines::default(),
            era: EraChoice::Auto,
            probe: PROBE,
            keep_alive: Some(KEEP_ALIVE_INTERVAL),
            awaits_roots: true,
            grace: ShutdownGrace::default(),
            extensions: Vec::new(),
            prefer_tasks: false,
            access: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_header_or_query_shows_in_debug_output() {
        let url = "https://user:CANARY@host/mcp?key=CANARY".parse().unwrap();
        let headers = vec![("Authorization".to_owned(), "Bearer CANARY".to_owned())];
        let shown = format!("{:?}", ServerTarget::Http { url, headers });
        assert!(
            !shown.contains("CANARY") && shown.contains("Authorization") && shown.contains("/mcp"),
            "{shown}"
        );
    }
}
