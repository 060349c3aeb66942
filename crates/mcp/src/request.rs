//! Requests and their responses.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use mooring_jsonrpc::JsonObject;
use mooring_words::Sentence;
use reqwest::header::{HeaderName, HeaderValue};

use crate::call_trace::{CallTrace, OpenQuestion};
use crate::diagnostic::Diagnostic;
use crate::error::RequestError;
use crate::filter::ListenStream;
use crate::inbound::{PendingRequest, RequestCaller};
use crate::raw_json::RawJson;
use crate::table::{LogSink, ProgressSink};

/// Options of one call.
#[derive(Clone, Default)]
pub struct CallOptions {
    /// The longest silence. Defaults to [`Deadlines::idle`](crate::Deadlines::idle).
    pub idle: Option<Duration>,
    /// The longest time in all. Defaults to [`Deadlines::total`](crate::Deadlines::total).
    pub total: Option<Duration>,
    /// Receives progress. If this is `None`, the server is not asked for progress.
    pub on_progress: Option<ProgressSink>,
    /// Receives the log messages that arrive on the call's own exchange over HTTP. Other log messages, and
    /// all if this is `None`, go to [`crate::ClientHandler::notify`].
    pub on_log: Option<LogSink>,
    /// Who makes the call.
    pub caller: Option<RequestCaller>,
    /// Called before the request is sent again for any reason, and before the call's task gets an answer. If
    /// this returns an error, the request ends with that error.
    pub check_resend: Option<ResendCheck>,
    /// Observes the call.
    pub trace: Option<Arc<CallTrace>>,
}

/// Decides whether a request may be sent again.
pub type ResendCheck = Arc<dyn Fn(ResendReason) -> BoxFuture<'static, Result<(), Sentence>> + Send + Sync>;

/// Why a request would be sent again, or why its task would get an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResendReason {
    /// The questions of the request are answered, or the person has visited its URL.
    InputProvided,
    /// The server says that the headers don't match the tool (`-32020`). The tools are listed again first.
    HeaderMismatch,
    /// The server lost the session. Everything may be different in the new session.
    NewSession,
}

impl CallOptions {
    /// Marks a question of the call as open until it is dropped.
    pub(crate) fn open_question(&self) -> Option<OpenQuestion> {
        self.trace.as_ref().map(CallTrace::open_question)
    }

    /// How long the call has waited for answers.
    pub(crate) fn waited_time(&self) -> Duration {
        self.trace.as_ref().map_or(Duration::ZERO, |trace| trace.waited())
    }

    /// Fails if the caller doesn't want the request to be sent again.
    pub(crate) async fn check_may_resend(&self, resend: ResendReason) -> Result<(), RequestError> {
        match &self.check_resend {
            Some(again) => again(resend).await.map_err(|reason| RequestError::NotResent { reason }),
            None => Ok(()),
        }
    }
}

/// A request to send.
#[derive(Clone)]
pub(crate) struct Request<'a> {
    pub(crate) method: &'static str,
    /// The subject, such as a tool's name or a resource's URI.
    pub(crate) subject: Option<Arc<str>>,
    /// The parameters, if there are any.
    pub(crate) params: Option<&'a JsonObject>,
    pub(crate) options: CallOptions,
    /// How long the earlier rounds of the call took.
    pub(crate) ran_before: Duration,
    /// The arguments to mirror into headers, in the stateless era.
    pub(crate) mirrored: Vec<(HeaderName, HeaderValue)>,
    /// Whether this is the probe, which uses the stateless era before it is negotiated.
    pub(crate) probe: bool,
    /// Whether the request lives as long as the connection. Such a request takes no slot and has no deadline.
    pub(crate) is_long_lived: bool,
    /// The name for the headers, if it differs from the subject.
    pub(crate) name: Option<Arc<str>>,
    /// The subscription stream that the request opens.
    pub(crate) stream: Option<Arc<ListenStream>>,
    /// Whether it asks for a task (2025-11-25). It is then never cancelled with a notification (CANC-08).
    pub(crate) augmented: bool,
}

impl<'a> Request<'a> {
    /// A request with default options.
    pub(crate) fn new(method: &'static str, params: Option<&'a JsonObject>) -> Self {
        Self {
            method,
            subject: None,
            params,
            options: CallOptions::default(),
            ran_before: Duration::ZERO,
            mirrored: Vec::new(),
            probe: false,
            is_long_lived: false,
            name: None,
            stream: None,
            augmented: false,
        }
    }

    /// The request as the context of a server's question.
    pub(crate) fn as_pending(&self) -> PendingRequest {
        PendingRequest {
            method: self.method,
            subject: self.subject.clone(),
            caller: self.options.caller.clone(),
        }
    }
}

/// A response with valid JSON.
#[derive(Debug)]
pub(crate) struct Success {
    /// The request's number.
    pub(crate) id: u64,
    pub(crate) raw: RawJson,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) elapsed: Duration,
    pub(crate) kind: ResultKind,
}

/// The kind of a response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ResultKind {
    /// The requested result.
    #[default]
    Plain,
    /// The requested result, after questions.
    AfterInput,
    /// A task that will have the result.
    Task,
}
