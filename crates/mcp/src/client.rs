//! The client: one connection to one server, with a verb for each thing that can be asked of it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mooring_process::Spawn;
use serde_json::value::RawValue;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use url::Url;

use crate::call::{CallOptions, Request, Success, cancelled};
use crate::error::{CloseReason, ConnectError, RequestError};
use crate::inbound::Inbound;
use crate::limits::{Deadlines, Limits};
use crate::link::Link;
use crate::model::call_result::CallResult;
use crate::model::handshake::{Handshake, InitializeResult};
use crate::model::listing::{Gathering, Listing};
use crate::model::tool::Tool;
use crate::revision::{Era, Revision};
use crate::transport::Outgoing;
use crate::transport::http::Http;
use crate::transport::stdio::{self, QUOTED_LINES, StderrTail};
use crate::transport::tap::Tap;

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

/// The parts of a connection that a request needs.
pub(crate) struct Wire {
    pub(crate) link: Arc<Link>,
    pub(crate) http: Option<Arc<Http>>,
    pub(crate) in_flight: Semaphore,
    pub(crate) deadlines: Deadlines,
    tail: Arc<StderrTail>,
    pid: Option<u32>,
    stop: watch::Sender<bool>,
    tasks: Mutex<JoinSet<()>>,
}

/// A connection to one server. Clones share it; when the last is dropped, the connection and the server's process
/// tree end at once. [`Client::shutdown`] ends them gently.
#[derive(Clone)]
pub struct Client {
    wire: Arc<Wire>,
    handshake: Arc<Handshake>,
}

/// How many messages may wait to be written.
const OUTBOX: usize = 256;

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
        match wire.initialize(&options, started).await {
            Ok(handshake) => {
                let client = Self { wire: Arc::new(wire), handshake: Arc::new(handshake) };
                client.wire.notify_initialized().await;
                Ok(client)
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
        let members = format!(r#""level":{}"#, serde_json::Value::from(level));
        self.ask("logging/setLevel", None, Some(&members), CallOptions::default()).await?;
        Ok(())
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

impl Wire {
    fn open(
        target: Target,
        options: &ClientOptions,
        inbound: Arc<dyn Inbound>,
        tap: Arc<dyn Tap>,
    ) -> Result<Self, ConnectError> {
        let (outbox, queue) = mpsc::channel(OUTBOX);
        let link = Arc::new(Link::new(options.limits.clone(), tap, inbound, outbox));
        let stop = watch::Sender::new(false);
        let tail = Arc::new(StderrTail::default());
        let mut tasks = JoinSet::new();
        let (mut http, mut pid) = (None, None);
        match target {
            Target::Stdio(spawn) => {
                let process = mooring_process::spawn(&spawn).map_err(|error| ConnectError::Spawn {
                    program: spawn.program.display().to_string(),
                    reason: error.to_string(),
                })?;
                pid = Some(process.control.pid());
                stdio::run(process, &link, queue, &stop, &tail, &mut tasks);
            }
            Target::Http { url, headers } => {
                let server = Http::new(options.http.clone(), url, &headers).map_err(|name| {
                    ConnectError::Unreachable { reason: format!("this header cannot be sent: {name}") }
                })?;
                let server = Arc::new(server);
                tasks.spawn(Arc::clone(&server).run(Arc::clone(&link), queue, stop.subscribe()));
                http = Some(server);
            }
        }
        let watched = Arc::clone(&link);
        tasks.spawn(async move {
            let mut closed = watched.closed();
            let cancel = |id, method| cancelled(&watched, id, method, "no answer in time");
            tokio::select! {
                () = watched.table.watch_deadlines(cancel) => {}
                _ = closed.wait_for(Option::is_some) => {}
            }
        });
        let in_flight = Semaphore::new(options.limits.in_flight);
        Ok(Self {
            link,
            http,
            in_flight,
            deadlines: options.deadlines,
            tail,
            pid,
            stop,
            tasks: Mutex::new(tasks),
        })
    }

    async fn initialize(&self, options: &ClientOptions, started: Instant) -> Result<Handshake, ConnectError> {
        let offered = Revision::NEWEST;
        let members = format!(
            r#""protocolVersion":"{offered}","capabilities":{{}},"clientInfo":{{"name":{},"version":{}}}"#,
            serde_json::Value::from(options.name),
            serde_json::Value::from(options.version),
        );
        let wait = options.deadlines.connect;
        let request = Request {
            method: "initialize",
            subject: None,
            members: Some(&members),
            options: CallOptions { idle: Some(wait), total: Some(wait), on_progress: None },
            cancellable: false,
        };
        let answer = self.request(request).await;
        let garbage = self.link.end_of_handshake();
        let answer = answer.map_err(|error| self.connect_error(error, garbage))?;
        let mut read = InitializeResult::read(answer.raw.get(), &options.limits);
        let mut diagnostics = answer.diagnostics;
        diagnostics.append(&mut read.diagnostics);
        let named = read
            .revision
            .ok_or_else(|| ConnectError::Handshake { reason: "it names no protocolVersion".to_owned() })?;
        let revision = Revision::from_name(&named).ok_or(ConnectError::Revision { offered: named })?;
        if let Some(http) = &self.http {
            http.agree(revision);
        }
        let elapsed = started.elapsed();
        let took = elapsed.as_millis();
        let reason = if revision == offered {
            format!("Answered initialize with {revision}, the revision offered, in {took} ms.")
        } else {
            format!("Answered initialize with {revision}; {offered} was offered. Took {took} ms.")
        };
        Ok(Handshake {
            server_name: read.server_name,
            server_title: read.server_title,
            server_version: read.server_version,
            instructions: read.instructions,
            revision,
            era: Era::Session,
            reason,
            capabilities: read.capabilities.unwrap_or_else(|| crate::model::raw("{}").unwrap_or_default()),
            diagnostics,
            elapsed,
        })
    }

    fn connect_error(&self, error: RequestError, garbage: Option<String>) -> ConnectError {
        let stderr = self.tail.last(QUOTED_LINES);
        match error {
            RequestError::Rpc(error) => ConnectError::Rejected(error),
            RequestError::Timeout { after, .. } => match garbage {
                Some(excerpt) => {
                    ConnectError::NotMcp { what: "its output is not JSON-RPC".to_owned(), excerpt }
                }
                None => ConnectError::Timeout { after, stderr },
            },
            RequestError::Closed(CloseReason::Exited { exit, stderr }) => {
                ConnectError::Exited { exit, stderr }
            }
            RequestError::Closed(reason) => ConnectError::Exited { exit: reason.to_string(), stderr },
            RequestError::NotMcp { what, excerpt } => ConnectError::NotMcp { what, excerpt },
            RequestError::Status { status, excerpt } => ConnectError::Status { status, excerpt },
            RequestError::SignIn { status, challenge } => ConnectError::SignIn { status, challenge },
            RequestError::Unreachable { reason } => ConnectError::Unreachable { reason },
            error @ (RequestError::TooLarge { .. }
            | RequestError::Malformed { .. }
            | RequestError::StreamEnded) => ConnectError::Handshake { reason: error.to_string() },
        }
    }

    /// Tells the server that the handshake is done, before anything else leaves.
    async fn notify_initialized(&self) {
        let outgoing = Outgoing {
            bytes: r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.into(),
            method: Some("notifications/initialized".into()),
            id: None,
            subject: None,
            outcome: None,
        };
        match &self.http {
            // In its own right and awaited, because a server may refuse requests that overtake it.
            Some(http) => {
                let sent =
                    tokio::time::timeout(self.deadlines.idle, http.exchange(&self.link, outgoing, None))
                        .await;
                if let Ok(Err(error)) = sent {
                    tracing::debug!(%error, "notifications/initialized was refused");
                }
            }
            None => drop(self.link.outbox().send(outgoing).await),
        }
    }

    async fn shutdown(&self) {
        self.stop.send_replace(true);
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        while tasks.join_next().await.is_some() {}
        self.link.close(&CloseReason::Stopped);
    }
}
