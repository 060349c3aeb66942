//! What a server may ask of us or tell us. `ping` is answered by the engine itself; requests that nothing here
//! names are refused with -32601 (method not found).

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::value::RawValue;

use crate::client_capabilities::ClientCapabilities;
use crate::diagnostic::Diagnostic;
use crate::model::notification::Notification;

/// What kind of thing a server asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionKind {
    /// `elicitation/create`.
    Elicitation,
    /// `sampling/createMessage`.
    Sampling,
    /// `roots/list`.
    Roots,
}

impl QuestionKind {
    /// The kind that a method asks for.
    pub(crate) fn from_method(method: &str) -> Option<Self> {
        match method {
            "elicitation/create" => Some(Self::Elicitation),
            "sampling/createMessage" => Some(Self::Sampling),
            "roots/list" => Some(Self::Roots),
            _ => None,
        }
    }

    /// The method that asks for it.
    pub fn method(self) -> &'static str {
        match self {
            Self::Elicitation => "elicitation/create",
            Self::Sampling => "sampling/createMessage",
            Self::Roots => "roots/list",
        }
    }
}

/// A request of ours that was pending when a server asked something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingRequest {
    /// The request's method.
    pub method: &'static str,
    /// What the request is about, such as a tool's name.
    pub subject: Option<Arc<str>>,
    /// Who wanted it, as [`crate::CallOptions::caller`] says.
    pub caller: Option<RequestCaller>,
}

/// Who wants a request of ours, in words of the host's. They come back with what the server asks because of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestCaller {
    /// Who.
    pub name: Arc<str>,
    /// The host's name for the request.
    pub request: Option<Arc<str>>,
}

/// Which pending request of ours a server's request belongs to, as far as the stream that it came on or the task that
/// it names tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionContext {
    /// It came on the exchange of this request of ours, or names the task that this became.
    Request(PendingRequest),
    /// It came on a connection that carries everything while this alone waited. It need not belong to it: a server
    /// may ask when it likes.
    OnlyPending(PendingRequest),
    /// It came on a connection that carries everything while these waited, of which it may belong to any, or to none.
    AnyPending(Vec<PendingRequest>),
    /// It came of the server's own accord, on a stream of its own. Newer servers never do that (SHS-23).
    Unprompted,
    /// It came on a connection that carries everything, and nothing of ours waited that it could belong to.
    Unknown,
}

/// How a question reached us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionOrigin {
    /// As a request of the server; its id as JSON text.
    Request {
        /// The id.
        id: Arc<str>,
        /// The task that it belongs to (2025-11-25), where it names one.
        task: Option<Arc<str>>,
        /// What it came with.
        occasion: QuestionContext,
    },
    /// As part of a result that wants input (`input_required`).
    InputRequired {
        /// The call that waits for it.
        call: PendingRequest,
        /// The key of the question in that result.
        key: String,
    },
    /// As part of a task that wants input (extension `io.modelcontextprotocol/tasks`).
    Task {
        /// The task's id.
        id: Arc<str>,
        /// The call that became the task.
        call: PendingRequest,
        /// The key of the question in the task.
        key: String,
    },
    /// As part of an error that says what has to be done first (`-32042`). Nothing is sent to the server: `accept`
    /// means that it was done, and the call is made once more.
    UrlRequired {
        /// The call that waits for it.
        call: PendingRequest,
        /// The elicitation's id.
        key: String,
    },
}

impl QuestionOrigin {
    /// Who wanted the request that the question is part of; none where it need not be part of one.
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
    /// What is asked for.
    pub kind: QuestionKind,
    /// The parameters as they came; `{}` where there were none.
    pub params: Box<RawValue>,
    /// How it reached us.
    pub origin: QuestionOrigin,
}

/// A question that is not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The JSON-RPC code for a server that asked with a request.
    pub code: i64,
    /// Why, in words for the server.
    pub message: String,
}

/// What a caller adds to its requests, for the server alone. JSON objects, as they came.
#[derive(Debug, Clone, Default)]
pub struct CallerAdditions {
    /// `_meta`, of which everything reaches the server but what is the protocol's own.
    pub meta: Option<Box<RawValue>>,
    /// The extensions that the caller declares; none: those of the connection count. Only the stateless era can say so
    /// (basic#_meta).
    pub extensions: Option<Box<RawValue>>,
}

/// The host's callbacks for what a server asks and tells. The engine calls [`ClientHandler::notify`] and
/// [`ClientHandler::diagnose`] in wire order, one at a time, and reads nothing more until they return: they must neither
/// block nor wait.
pub trait ClientHandler: Send + Sync {
    /// The server told something. Progress goes to its own call instead. Where changes may have been missed because
    /// the stream that tells of them was lost, the engine says itself that what it covers has changed.
    fn notify(&self, notification: Notification);

    /// The server sent something odd that belongs to no call.
    fn diagnose(&self, diagnostic: Diagnostic);

    /// The server's tasks are not what they were: [`crate::Client::tasks`] tells.
    fn tasks_changed(&self) {}

    /// A limit was reached for the first time: [`crate::Client::limits_reached`] tells.
    fn limits_changed(&self) {}

    /// What may be asked of us; read when the connection is made, and in the stateless era with each request.
    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::default()
    }

    /// The same during a request for this caller, who may be able to answer more. Only the stateless era can say so.
    fn capabilities_during(&self, _caller: Option<&RequestCaller>) -> ClientCapabilities {
        self.capabilities()
    }

    /// What this caller adds to its request.
    fn additions(&self, _caller: Option<&RequestCaller>) -> CallerAdditions {
        CallerAdditions::default()
    }

    /// Answers a question with the bare result, such as `{"action":"decline"}`. The future is dropped when the
    /// question is withdrawn: by the server, with the call that it belongs to, or with the connection.
    fn ask(&self, question: Question) -> BoxFuture<'static, Result<Box<RawValue>, Refusal>> {
        let message = format!("{} is not supported", question.kind.method());
        Box::pin(std::future::ready(Err(Refusal { code: -32601, message })))
    }
}
