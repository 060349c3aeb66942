//! A request to be made, and the answer to it.

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

/// How one call is made.
#[derive(Clone, Default)]
pub struct CallOptions {
    /// Longest silence; [`Deadlines::idle`](crate::Deadlines::idle) where it is absent.
    pub idle: Option<Duration>,
    /// Longest time in all; [`Deadlines::total`](crate::Deadlines::total) where it is absent.
    pub total: Option<Duration>,
    /// Where reports of progress go. Without it the server is not asked for any.
    pub on_progress: Option<ProgressSink>,
    /// Where log messages go that come on the call's own exchange, as they do over HTTP; without it, and over the other
    /// transports, to [`crate::ClientHandler::notify`].
    pub on_log: Option<LogSink>,
    /// Who wants it.
    pub caller: Option<RequestCaller>,
    /// Called before the request is sent again, for whatever reason, and before a task that it became is given an
    /// answer. An error, in words, ends the request instead.
    pub check_resend: Option<ResendCheck>,
    /// Where its maker follows the call.
    pub trace: Option<Arc<CallTrace>>,
}

/// Says whether a request may be sent once more.
pub type ResendCheck = Arc<dyn Fn(ResendReason) -> BoxFuture<'static, Result<(), Sentence>> + Send + Sync>;

/// Why a request would be sent again, or its task given an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResendReason {
    /// What it asked for, or what had to be done first, is there.
    InputProvided,
    /// The server says that its headers do not fit the tool (`-32020`): the tools have to be listed anew first.
    HeaderMismatch,
    /// The server had forgotten the session and got a new one, in which everything may be another.
    NewSession,
}

impl CallOptions {
    /// A question of the call is open until this is dropped.
    pub(crate) fn open_question(&self) -> Option<OpenQuestion> {
        self.trace.as_ref().map(CallTrace::open_question)
    }

    /// How long the call has waited for answers.
    pub(crate) fn waited(&self) -> Duration {
        self.trace.as_ref().map_or(Duration::ZERO, |trace| trace.waited())
    }

    /// Ends a request where its maker wants nothing more sent for it.
    pub(crate) async fn may_resend(&self, resend: ResendReason) -> Result<(), RequestError> {
        match &self.check_resend {
            Some(again) => again(resend).await.map_err(|reason| RequestError::NotResent { reason }),
            None => Ok(()),
        }
    }
}

/// A request to be made.
#[derive(Clone)]
pub(crate) struct Request<'a> {
    pub(crate) method: &'static str,
    /// What it is about, such as a tool's name or a resource's URI.
    pub(crate) subject: Option<Arc<str>>,
    /// Its parameters; `None` for none.
    pub(crate) params: Option<&'a JsonObject>,
    pub(crate) options: CallOptions,
    /// How long the earlier rounds of its call ran.
    pub(crate) ran_before: Duration,
    /// The arguments that go into headers as well, in the stateless era.
    pub(crate) mirrored: Vec<(HeaderName, HeaderValue)>,
    /// The probe: it has the headers and `_meta` of the stateless era before that is agreed on.
    pub(crate) probe: bool,
    /// Lives as long as the connection: it takes no slot and has no deadline.
    pub(crate) is_long_lived: bool,
    /// What it is about for the headers, where that is not its subject.
    pub(crate) name: Option<Arc<str>>,
    /// The stream of changes that it opens.
    pub(crate) stream: Option<Arc<ListenStream>>,
    /// It asks for a task (2025-11-25): it is never cancelled with a notification (CANC-08).
    pub(crate) augmented: bool,
}

impl<'a> Request<'a> {
    /// A plain request.
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

    /// The request as the cause of a server's question.
    pub(crate) fn as_pending(&self) -> PendingRequest {
        PendingRequest {
            method: self.method,
            subject: self.subject.clone(),
            caller: self.options.caller.clone(),
        }
    }
}

/// An answer whose JSON is valid.
#[derive(Debug)]
pub(crate) struct Success {
    /// The number of the request.
    pub(crate) id: u64,
    pub(crate) raw: RawJson,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) elapsed: Duration,
    pub(crate) kind: ResultKind,
}

/// What kind of answer it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ResultKind {
    /// The result that was asked for.
    #[default]
    Plain,
    /// That result, after questions were answered.
    AfterInput,
    /// A task that will have the result.
    Task,
}
