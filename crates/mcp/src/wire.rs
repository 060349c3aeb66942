//! The parts of one connection: its link, its transport and the tasks that carry it; how it begins and ends.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::call::{CallOptions, Request, Success, cancelled};
use crate::client::{ClientOptions, Target};
use crate::error::{CloseReason, ConnectError, RequestError};
use crate::inbound::Inbound;
use crate::limits::Deadlines;
use crate::link::Link;
use crate::model::diagnostic::{Code, Diagnostic};
use crate::model::handshake::{Handshake, InitializeResult};
use crate::revision::{Era, Revision};
use crate::transport::Outgoing;
use crate::transport::http::Http;
use crate::transport::stdio::{self, QUOTED_LINES, StderrTail};
use crate::transport::tap::Tap;

/// How many messages may wait to be written.
const OUTBOX: usize = 256;

/// What a request needs, and what lives as long as the connection.
pub(crate) struct Wire {
    pub(crate) link: Arc<Link>,
    pub(crate) http: Option<Arc<Http>>,
    pub(crate) in_flight: Semaphore,
    pub(crate) deadlines: Deadlines,
    pub(crate) tail: Arc<StderrTail>,
    pub(crate) pid: Option<u32>,
    /// The members of `initialize`'s params.
    greeting: String,
    /// Held while a lost session is replaced.
    renewal: tokio::sync::Mutex<()>,
    log_level: Mutex<Option<String>>,
    stop: watch::Sender<bool>,
    tasks: Mutex<JoinSet<()>>,
}

impl Wire {
    /// Starts the server or prepares its address. Nothing is sent yet.
    pub(crate) fn open(
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
                    let reason = format!("this header cannot be sent: {name}");
                    ConnectError::Unreachable { reason }
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
        let greeting = format!(
            r#""protocolVersion":"{}","capabilities":{{}},"clientInfo":{{"name":{},"version":{}}}"#,
            Revision::NEWEST,
            serde_json::Value::from(options.name),
            serde_json::Value::from(options.version),
        );
        Ok(Self {
            link,
            http,
            in_flight: Semaphore::new(options.limits.in_flight),
            deadlines: options.deadlines,
            tail,
            pid,
            greeting,
            renewal: tokio::sync::Mutex::new(()),
            log_level: Mutex::new(None),
            stop,
            tasks: Mutex::new(tasks),
        })
    }

    /// Sends `initialize` and waits for the answer.
    async fn greet(&self) -> Result<Success, RequestError> {
        let wait = self.deadlines.connect;
        let request = Request {
            method: "initialize",
            subject: None,
            members: Some(&self.greeting),
            options: CallOptions { idle: Some(wait), total: Some(wait), on_progress: None },
            cancellable: false,
        };
        self.request_once(&request).await
    }

    /// Agrees on a revision with `initialize`.
    pub(crate) async fn initialize(&self, started: Instant) -> Result<Handshake, ConnectError> {
        let offered = Revision::NEWEST;
        let answer = self.greet().await;
        let garbage = self.link.end_of_handshake();
        let answer = answer.map_err(|error| self.connect_error(error, garbage))?;
        let mut read = InitializeResult::read(answer.raw.get(), &self.link.limits);
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

    /// Begins the normal life of a connection after its handshake.
    pub(crate) async fn begin(&self) {
        self.notify_initialized().await;
        if let Some(http) = &self.http {
            let listen = Arc::clone(http).listen(Arc::clone(&self.link), self.stop.subscribe());
            self.tasks.lock().unwrap_or_else(PoisonError::into_inner).spawn(listen);
        }
    }

    /// Tells the server that the handshake is done, before anything else leaves (LIFE-05).
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
                let exchange = http.exchange(&self.link, outgoing, None);
                if let Ok(Err(error)) = tokio::time::timeout(self.deadlines.idle, exchange).await {
                    let message = format!("was refused: {error}");
                    self.link.diagnose(Diagnostic::new(Code::Http, "notifications/initialized", message));
                }
            }
            None => drop(self.link.outbox().send(outgoing).await),
        }
    }

    /// Opens a new session in the place of the lost one of `generation`, once however many requests ask for it, and
    /// restores what it held (SHS-18, LIFE-14).
    pub(crate) async fn renew(&self, http: &Http, generation: u64) -> Result<(), RequestError> {
        let _turn = self.renewal.lock().await;
        if !http.forget(generation) {
            return Ok(());
        }
        let renewed = async {
            self.greet().await?;
            self.notify_initialized().await;
            let level = self.log_level().clone();
            if let Some(level) = level {
                self.request_once(&log_level_request(&log_level_members(&level))).await?;
            }
            Ok(())
        };
        let outcome: Result<(), RequestError> = renewed.await;
        match &outcome {
            Ok(()) => {
                let message = "the server had forgotten the session; a new one was opened";
                self.link.diagnose(Diagnostic::new(Code::Http, "mcp-session-id", message));
            }
            Err(_) => self.link.close(&CloseReason::SessionLost),
        }
        outcome
    }

    /// Asks for log messages of `level` and above, in this session and in those that follow it.
    pub(crate) async fn set_log_level(&self, level: &str) -> Result<(), RequestError> {
        self.request(log_level_request(&log_level_members(level))).await?;
        *self.log_level() = Some(level.to_owned());
        Ok(())
    }

    fn log_level(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.log_level.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the connection gently.
    pub(crate) async fn shutdown(&self) {
        self.stop.send_replace(true);
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        while tasks.join_next().await.is_some() {}
        self.link.close(&CloseReason::Stopped);
    }
}

fn log_level_members(level: &str) -> String {
    format!(r#""level":{}"#, serde_json::Value::from(level))
}

fn log_level_request(members: &str) -> Request<'_> {
    Request {
        method: "logging/setLevel",
        subject: None,
        members: Some(members),
        options: CallOptions::default(),
        cancellable: true,
    }
}
