//! What a server may ask or send us. `ping` is answered internally, and unknown methods are refused (-32601).

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::value::RawValue;

use crate::client_capabilities::{ClientCapabilities, QuestionKind, Refusal};
use crate::diagnostic::Diagnostic;
use crate::model::notification::Notification;

/// A request of ours that was pending when a server asked something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingRequest {
    /// The request's method.
    pub method: &'static str,
    /// What the request is about, such as a tool's name.
    pub subject: Option<Arc<str>>,
    /// Who made the request, as in [`crate::CallOptions::caller`].
    pub caller: Option<RequestCaller>,
}

/// Who made a request, in the host's words. Questions that the request causes carry it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestCaller {
    /// The caller's name.
    pub name: Arc<str>,
    /// The host's name for the request.
    pub request: Option<Arc<str>>,
}

/// The pending request that a server's question belongs to, as far as its stream or its task says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionContext {
    /// The question came on this request's exchange, or names the task that the request became.
    Request(PendingRequest),
    /// The only request pending on a shared connection. A server can ask at any time, so it may be unrelated.
    OnlyPending(PendingRequest),
    /// The requests pending on a shared connection. The question may belong to any of them, or to none.
    AnyPending(Vec<PendingRequest>),
    /// The question came unprompted on a separate stream. Newer servers never do that (SHS-23).
    Unprompted,
    /// The question came on a shared connection, with no pending request that it could belong to.
    Unknown,
}

/// How a question arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionOrigin {
    /// As a request of the server.
    Request {
        /// The request's id as JSON text.
        id: Arc<str>,
        /// The task that the question names (2025-11-25).
        task: Option<Arc<str>>,
        /// The request that it belongs to.
        occasion: QuestionContext,
    },
    /// In a result that requires input (`input_required`).
    InputRequired {
        /// The call that waits for the answer.
        call: PendingRequest,
        /// The question's key in that result.
        key: String,
    },
    /// In a task that requires input (extension `io.modelcontextprotocol/tasks`).
    Task {
        /// The task's id.
        id: Arc<str>,
        /// The call that became the task.
        call: PendingRequest,
        /// The question's key in the task.
        key: String,
    },
    /// In an error that names a URL to visit first (`-32042`). Nothing is sent to the server: `accept` means
    /// that the person is done, and the call is repeated.
    UrlRequired {
        /// The call that waits.
        call: PendingRequest,
        /// The elicitation's id.
        key: String,
    },
}

impl QuestionOrigin {
    /// The caller of the request that contains the question. `None` if the server sent a request of its own.
    pub(crate) fn caller(&self) -> Option<&RequestCaller> {
        match self {
            Self::Request { .. } => None,
            Self::InputRequired { call, .. } | Self::Task { call, .. } | Self::UrlRequired { call, .. } => {
                call.caller.as_ref()
            }
        }
    }
}

/// A question of a server.
#[derive(Debug, Clone)]
pub struct Question {
    /// The kind of question.
    pub kind: QuestionKind,
    /// The parameters as sent, or `{}`.
    pub params: Box<RawValue>,
    /// How the question arrived.
    pub origin: QuestionOrigin,
}

/// What a caller adds to its requests, only for the server. JSON objects as they were sent.
#[derive(Debug, Clone, Default)]
pub struct CallerAdditions {
    /// Members for `_meta`. Members of the protocol are not passed on.
    pub meta: Option<Box<RawValue>>,
    /// The caller's extensions. `None` declares the connection's. Only in the stateless era (basic#_meta).
    pub extensions: Option<Box<RawValue>>,
}

/// The host's callbacks for a server's questions and notifications. [`ClientHandler::notify`] and
/// [`ClientHandler::diagnose`] are called in wire order, one at a time, and nothing more is read until they
/// return. They must not block.
pub trait ClientHandler: Send + Sync {
    /// Handles a notification. Progress goes to its own call instead. If changes may have been missed because
    /// the stream for them was lost, the engine creates notifications for everything that the stream covers.
    fn notify(&self, notification: Notification);

    /// Handles a problem that belongs to no call.
    fn diagnose(&self, diagnostic: Diagnostic);

    /// Called when the server's tasks changed; see [`crate::Client::tasks`].
    fn tasks_changed(&self) {}

    /// Called when a limit is reached for the first time; see [`crate::Client::limits_reached`].
    fn limits_changed(&self) {}

    /// The client's capabilities. Read when connecting, and in the stateless era for each request.
    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::default()
    }

    /// The capabilities during a request of this caller, who may be able to answer more. Stateless era only.
    fn capabilities_during(&self, _caller: Option<&RequestCaller>) -> ClientCapabilities {
        self.capabilities()
    }

    /// What this caller adds to its request.
    fn additions(&self, _caller: Option<&RequestCaller>) -> CallerAdditions {
        CallerAdditions::default()
    }

    /// Answers a question with the bare result, such as `{"action":"decline"}`. The future is dropped when
    /// the question is withdrawn: by the server, with its call, or with the connection.
    fn ask(&self, question: Question) -> BoxFuture<'static, Result<Box<RawValue>, Refusal>> {
        let message = format!("{} is not supported", question.kind.method());
        Box::pin(std::future::ready(Err(Refusal { code: -32601, message })))
    }
}
