//! The client: a connection to one server, with a method for each request.

pub(crate) mod calls;
pub(crate) mod lists;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mooring_jsonrpc::code::METHOD_NOT_FOUND;
use mooring_jsonrpc::{JsonObject, raw};
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::client::calls::ToolFacts;
use crate::connection::Connection;
use crate::diagnostic::Diagnostic;
use crate::era::Negotiation;
use crate::error::{CloseReason, ConnectError, RequestError};
use crate::inbound::ClientHandler;
use crate::limits::LimitReached;
use crate::model::handshake::Handshake;
use crate::model::shape;
use crate::options::{ClientOptions, ServerTarget};
use crate::outgoing::OutgoingMessage;
use crate::peer::subscriptions::{ListenState, Subscription};
use crate::raw_json::RawJson;
use crate::request::{CallOptions, Request, Success};
use crate::revision::Revision;
use crate::tap::Tap;
use crate::task::Task;
use crate::wire::RequestSender;

/// What a completion is for (`ref` of `completion/complete`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionRef<'a> {
    /// An argument of the prompt with this name.
    Prompt(&'a str),
    /// A variable of the resource template with this URI template.
    Template(&'a str),
}

/// A result as the server sent it, with diagnostics.
#[derive(Debug, Clone)]
pub struct RawResult {
    /// The result.
    pub raw: RawJson,
    /// Problems of the result.
    pub diagnostics: Vec<Diagnostic>,
    /// The time from the request to its response.
    pub elapsed: Duration,
}

impl From<Success> for RawResult {
    fn from(Success { raw, diagnostics, elapsed, .. }: Success) -> Self {
        Self { raw, diagnostics, elapsed }
    }
}

/// A connection to one server. Clones share the connection. When the last clone is dropped, the connection
/// and the server's process tree are killed. [`Client::shutdown`] ends them gracefully.
#[derive(Clone)]
pub struct Client {
    connection: Arc<Connection>,
    pub(crate) wire: Arc<RequestSender>,
    handshake: Arc<Handshake>,
    tools: Arc<Mutex<HashMap<String, Arc<ToolFacts>>>>,
    /// Whether tools that support tasks optionally run as tasks.
    prefer_tasks: bool,
    /// Whether to bypass the cache.
    fresh: bool,
    /// Set once the server has refused a completion request (COMP-02).
    no_completions: Arc<AtomicBool>,
}

impl Client {
    /// Starts the server or connects to its URL, and negotiates the era and revision.
    pub async fn connect(
        target: ServerTarget,
        options: ClientOptions,
        inbound: Arc<dyn ClientHandler>,
        tap: Arc<dyn Tap>,
    ) -> Result<Self, ConnectError> {
        let prefer_tasks = options.prefer_tasks;
        let abilities = inbound.capabilities();
        let negotiation = Negotiation::new(target, options, inbound, tap);
        let (connection, mut handshake) = Box::pin(negotiation.run()).await?;
        for sentence in handshake.deprecated_abilities(abilities) {
            tracing::info!("{sentence}");
            handshake.steps.push(sentence);
        }
        connection.apply_handshake(&handshake);
        Ok(Self {
            wire: Arc::clone(&connection.wire),
            connection: Arc::new(connection),
            handshake: Arc::new(handshake),
            tools: Arc::default(),
            prefer_tasks,
            fresh: false,
            no_completions: Arc::default(),
        })
    }

    /// A handle to the same connection that bypasses the cache. Its results are cached again.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self { fresh: true, ..self.clone() }
    }

    /// Forgets private cached results and all tasks, which belong to the person signed in before (TSKX-16).
    pub fn sign_in_changed(&self) {
        self.wire.peer.cache.sign_in_changed();
        self.wire.peer.tasks.clear();
        self.wire.peer.tasks_changed();
    }

    /// The limits that the server has reached.
    pub fn limits_reached(&self) -> Vec<LimitReached> {
        self.wire.link.limits.limits_reached()
    }

    /// The result of the negotiation.
    pub fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    /// The process id of a stdio server.
    pub fn pid(&self) -> Option<u32> {
        self.wire.pid
    }

    /// The last lines of the server's stderr, oldest first.
    pub fn stderr_tail(&self, lines: usize) -> Vec<String> {
        self.wire.tail.last_lines(lines)
    }

    /// Becomes `Some` when the connection is over, with the reason.
    pub fn closed(&self) -> watch::Receiver<Option<CloseReason>> {
        self.wire.link.closed()
    }

    /// Reads a resource (`resources/read`).
    pub async fn read_resource(&self, uri: &str, options: CallOptions) -> Result<RawResult, RequestError> {
        let params = JsonObject::new().text("uri", uri);
        let request =
            Request { subject: Some(uri.into()), options, ..Request::new("resources/read", Some(&params)) };
        let mut answer = self.request_cached(request).await?;
        shape::check_answer("resources/read", &answer.raw, &mut answer.diagnostics);
        Ok(answer.into())
    }

    /// Expands a prompt (`prompts/get`). `arguments` is a JSON object of strings.
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: Option<&RawValue>,
        options: CallOptions,
    ) -> Result<RawResult, RequestError> {
        let mut params = JsonObject::new().text("name", name);
        if let Some(arguments) = arguments {
            params = params.json("arguments", arguments.get());
        }
        self.send_raw_request("prompts/get", name, &params, options).await
    }

    /// Requests values of an argument that begin with `value` (`completion/complete`). `chosen` is a JSON
    /// object of the arguments that already have a value. It is not sent to servers before 2025-06-18
    /// (COMP-03). For a server without completions, returns no values.
    pub async fn complete(
        &self,
        about: &CompletionRef<'_>,
        argument: &str,
        value: &str,
        chosen: Option<&RawValue>,
    ) -> Result<RawResult, RequestError> {
        let offers = self.handshake.offers;
        // Servers of 2024-11-05 can't declare completions, so the first request is sent anyway (COMP-02).
        let says = self.handshake.revision > Revision::R2024_11_05;
        if self.no_completions.load(Ordering::Relaxed) || (says && offers.known && !offers.completions) {
            return Ok(empty_completion());
        }
        let reference = match about {
            CompletionRef::Prompt(name) => JsonObject::new().text("type", "ref/prompt").text("name", name),
            CompletionRef::Template(uri) => JsonObject::new().text("type", "ref/resource").text("uri", uri),
        };
        let argument = JsonObject::new().text("name", argument).text("value", value);
        let mut params = JsonObject::new().object("ref", &reference).object("argument", &argument);
        if let Some(chosen) = chosen.filter(|_| self.handshake.revision.has_completion_context()) {
            params = params.object("context", &JsonObject::new().json("arguments", chosen.get()));
        }
        match self.wire.request_with_input(Request::new("completion/complete", Some(&params))).await {
            Ok(mut answer) => {
                shape::check_answer("completion/complete", &answer.raw, &mut answer.diagnostics);
                Ok(answer.into())
            }
            Err(RequestError::Rpc(error)) if error.code == METHOD_NOT_FOUND => {
                self.no_completions.store(true, Ordering::Relaxed);
                Ok(empty_completion())
            }
            Err(error) => Err(error),
        }
    }

    /// Subscribes to a resource. Returns when the server has agreed. Updates arrive at
    /// [`ClientHandler::notify`] as `notifications/resources/updated`, and may name a sub-resource.
    pub async fn subscribe_resource(&self, uri: &str) -> Result<(), RequestError> {
        self.wire.subscribe(uri).await
    }

    /// Ends the subscription to a resource (`resources/unsubscribe`).
    pub async fn unsubscribe_resource(&self, uri: &str) -> Result<(), RequestError> {
        self.wire.unsubscribe(uri).await
    }

    /// The current resource subscriptions.
    pub fn subscriptions(&self) -> Vec<Subscription> {
        self.wire.peer.subscriptions.list(self.wire.is_modern())
    }

    /// Whether the server declares that it supports resource subscriptions.
    pub fn can_subscribe(&self) -> bool {
        self.handshake.offers.subscribe
    }

    /// The state of the stream of change notifications (stateless era).
    pub fn listening(&self) -> ListenState {
        self.wire.peer.subscriptions.status.borrow().listening.clone()
    }

    /// The known tasks of the server, newest first.
    pub fn tasks(&self) -> Vec<Task> {
        self.wire.peer.tasks.list()
    }

    /// Requests the tasks, if the server supports `tasks/list`. Otherwise, they are only known from calls.
    pub async fn refresh_tasks(&self) -> Result<(), RequestError> {
        self.wire.refresh_tasks().await
    }

    /// Asks the server to cancel a task. The task's status shows whether it does.
    pub async fn cancel_task(&self, id: &str) -> Result<(), RequestError> {
        self.wire.cancel_task(id).await
    }

    /// Notifies the server that the roots changed, if the client declared roots (session era; ROOT-04).
    pub fn roots_changed(&self) {
        if !self.wire.is_modern() && self.wire.inbound.capabilities().roots {
            let method = "notifications/roots/list_changed";
            self.wire.link.post_message(OutgoingMessage::notification(method, None));
        }
    }

    async fn send_raw_request(
        &self,
        method: &'static str,
        subject: &str,
        params: &JsonObject,
        options: CallOptions,
    ) -> Result<RawResult, RequestError> {
        let request =
            Request { subject: Some(subject.into()), options, ..Request::new(method, Some(params)) };
        let mut answer = self.wire.request_with_input(request).await?;
        shape::check_answer(method, &answer.raw, &mut answer.diagnostics);
        Ok(answer.into())
    }

    /// Checks that the server responds. Returns the time to the response. The stateless era has no `ping`
    /// (PING-04), so `server/discover` is sent instead.
    pub async fn ping(&self) -> Result<Duration, RequestError> {
        if self.wire.is_modern() {
            return Ok(Box::pin(self.wire.send_discover(self.wire.deadlines.idle)).await?.elapsed);
        }
        Ok(self.wire.request_with_input(Request::new("ping", None)).await?.elapsed)
    }

    /// Asks for log messages of `level` and above (`logging/setLevel`): debug, info, notice, warning, error,
    /// critical, alert or emergency.
    pub async fn set_log_level(&self, level: &str) -> Result<(), RequestError> {
        self.wire.set_log_level(level).await
    }

    /// Ends the connection gracefully: closes stdin and gives the process time, or deletes the HTTP session.
    pub async fn shutdown(&self) {
        self.connection.shutdown().await;
    }
}

fn empty_completion() -> RawResult {
    let raw = raw(r#"{"completion":{"values":[]}}"#).unwrap_or_default();
    RawResult { raw: raw.into(), diagnostics: Vec::new(), elapsed: Duration::ZERO }
}
