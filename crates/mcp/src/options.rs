//! Where a server is, and how a connection to it is made.

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

/// How long a stdio server may be silent to the probe, once it has read it, before it is asked `initialize` as well
/// (ERA-05). The answer to either counts, so that this may be short.
pub(crate) const PROBE: Duration = Duration::from_secs(1);
/// How long a server may be left alone, unless the person says otherwise. Rarely enough to cost nothing.
pub(crate) const KEEP_ALIVE_INTERVAL: Duration = Duration::from_mins(5);

/// Which era to try.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EraChoice {
    /// Find out.
    #[default]
    Auto,
    /// This one and no other: a person's choice never falls back (ERA-24).
    Only(Era),
    /// It was this one last time: begin there, and find out when that no longer holds (ERA-23).
    Remembered(Era),
}

/// Where a server is.
#[derive(Clone)]
pub enum ServerTarget {
    /// A program that we start and own.
    Stdio(SpawnOptions),
    /// An MCP endpoint.
    Http {
        /// Its address.
        url: Url,
        /// What every request carries besides the protocol's own headers. May hold secrets.
        headers: Vec<(String, String)>,
    },
}

impl fmt::Debug for ServerTarget {
    /// Headers and the parts of an address after its path may be secrets: of headers only the names are shown.
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

/// How a connection is made.
#[derive(Clone)]
pub struct ClientOptions {
    /// Our name and version for the server.
    pub name: &'static str,
    /// Our version for the server.
    pub version: &'static str,
    /// The HTTP client to use, from [`crate::http_client`].
    pub http: HttpClient,
    /// What the connection may cost.
    pub limits: Limits,
    /// How long we wait.
    pub deadlines: Deadlines,
    /// Which era to try.
    pub era: EraChoice,
    /// How long a stdio server may be silent to the first question, once it has read it, before it is asked
    /// `initialize` as well.
    pub probe: Duration,
    /// After how long without a request a server of the session era is pinged; `None`: never.
    pub keep_alive: Option<Duration>,
    /// How long the process of a stdio server may take to end when the connection is shut down.
    pub grace: ShutdownGrace,
    /// The extensions that are switched on.
    pub extensions: Vec<Extension>,
    /// Whether a tool that may run as a task or not runs as one (2025-11-25).
    pub prefer_tasks: bool,
    /// What lets requests in at a server behind a URL.
    pub access: Option<Arc<dyn Authorize>>,
}

impl ClientOptions {
    /// Options with every limit and deadline as it is by default, for a client of this name and version.
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
