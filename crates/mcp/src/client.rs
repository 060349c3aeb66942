//! The client: one connection to one server, with a verb for each thing that can be asked of it.

use std::sync::Arc;
use std::time::Duration;

use mooring_process::Spawn;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::time::Instant;
use url::Url;

use crate::call::{CallOptions, Request, Success};
use crate::error::{CloseReason, ConnectError, RequestError};
use crate::inbound::Inbound;
use crate::limits::{Deadlines, Limits};
use crate::model::call_result::CallResult;
use crate::model::handshake::Handshake;
use crate::model::listing::{Gathering, Listing};
use crate::model::tool::Tool;
use crate::transport::tap::Tap;
use crate::wire::Wire;

/// Where a server is.
#[derive(Debug, Clone)]
pub enum Target {
    /// A program that we start and own.
    Stdio(Spawn),
    /// An MCP endpoint.
    Http {
        /// Its address.
        url: Url,
        /// What every request carries besides the protocol's own headers. May hold secrets.
        headers: Vec<(String, String)>,
    },
}

/// How a connection is made.
#[derive(Clone)]
pub struct ClientOptions {
    /// Our name and version for the server.
    pub name: &'static str,
    /// Our version for the server.
    pub version: &'static str,
    /// The HTTP client to use, from [`crate::http_client`].
    pub http: reqwest::Client,
    /// What the connection may cost.
    pub limits: Limits,
    /// How long we wait.
    pub deadlines: Deadlines,
}

/// A connection to one server. Clones share it; when the last is dropped, the connection and the server's process
/// tree end at once. [`Client::shutdown`] ends them gently.
#[derive(Clone)]
pub struct Client {
    wire: Arc<Wire>,
    handshake: Arc<Handshake>,
}

impl Client {
    /// Connects: starts the server or reaches its address, and agrees on a revision with `initialize`.
    pub async fn connect(
        target: Target,
        options: ClientOptions,
        inbound: Arc<dyn Inbound>,
        tap: Arc<dyn Tap>,
    ) -> Result<Self, ConnectError> {
        let started = Instant::now();
        let wire = Wire::open(target, &options, inbound, tap)?;
        match wire.initialize(started).await {
            Ok(handshake) => {
                wire.begin().await;
                Ok(Self { wire: Arc::new(wire), handshake: Arc::new(handshake) })
            }
            Err(error) => {
                wire.shutdown().await;
                Err(error)
            }
        }
    }

    /// What was agreed with the server.
    pub fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    /// The id of the server's process, where we started one.
    pub fn pid(&self) -> Option<u32> {
        self.wire.pid
    }

    /// The last lines of the server's stderr, oldest first.
    pub fn stderr_tail(&self, lines: usize) -> Vec<String> {
        self.wire.tail.last(lines)
    }

    /// Tells when the connection is over, and why.
    pub fn closed(&self) -> watch::Receiver<Option<CloseReason>> {
        self.wire.link.closed()
    }

    /// All tools, over all pages (`tools/list`).
    pub async fn list_tools(&self) -> Result<Listing<Tool>, RequestError> {
        let mut gathering = Gathering::new("tools", &self.wire.link.limits);
        let mut cursor: Option<String> = None;
        loop {
            let members = cursor.map(|cursor| format!(r#""cursor":{cursor}"#));
            let page = self.ask("tools/list", None, members.as_deref(), CallOptions::default()).await?;
            let Some(next) = gathering.page(page.raw) else {
                let mut listing = gathering.finish(Tool::read);
                Tool::note_namesakes(&mut listing.items);
                return Ok(listing);
            };
            cursor = Some(next);
        }
    }

    /// Calls a tool (`tools/call`). `arguments` is a JSON object; dropping the future cancels the call.
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: Option<&RawValue>,
        options: CallOptions,
    ) -> Result<CallResult, RequestError> {
        let quoted = serde_json::Value::from(name).to_string();
        let members = match arguments {
            Some(arguments) => format!(r#""name":{quoted},"arguments":{}"#, one_line(arguments.get())),
            None => format!(r#""name":{quoted}"#),
        };
        let answer = self.ask("tools/call", Some(name.into()), Some(&members), options).await?;
        Ok(CallResult::read(answer.raw, answer.diagnostics, answer.elapsed))
    }

    /// Asks whether the server lives (`ping`); returns how long it took.
    pub async fn ping(&self) -> Result<Duration, RequestError> {
        Ok(self.ask("ping", None, None, CallOptions::default()).await?.elapsed)
    }

    /// Asks for log messages of `level` and above (`logging/setLevel`): debug, info, notice, warning, error,
    /// critical, alert or emergency.
    pub async fn set_log_level(&self, level: &str) -> Result<(), RequestError> {
        self.wire.set_log_level(level).await
    }

    /// Ends the connection gently: a process gets its stdin closed and time to end, a session is deleted.
    pub async fn shutdown(&self) {
        self.wire.shutdown().await;
    }

    async fn ask(
        &self,
        method: &'static str,
        subject: Option<Arc<str>>,
        members: Option<&str>,
        options: CallOptions,
    ) -> Result<Success, RequestError> {
        self.wire.request(Request { method, subject, members, options, cancellable: true }).await
    }
}

/// JSON without line ends, which the stdio transport cannot carry. Inside strings JSON has none.
fn one_line(json: &str) -> std::borrow::Cow<'_, str> {
    if json.contains(['\n', '\r']) { json.replace(['\n', '\r'], " ").into() } else { json.into() }
}
