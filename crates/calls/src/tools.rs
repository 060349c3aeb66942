//! Tools and calls as a front end sees them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mooring_base::app_call::AppCall;
use mooring_base::{codes, view_serde};
use mooring_forms::{ChosenSchemas, SchemaCheck, check_schema};
use mooring_log::CallTimes;
use mooring_mcp::{Diagnostic, RawJson, RequestCaller, Tool, as_text};
use mooring_policy::{Caller, ToolRules};
use mooring_words::{Sentence, say};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use ts_rs::TS;

/// All tools of a connection.
#[derive(Debug, Clone, Serialize, TS)]
pub struct ToolList {
    /// The tools, in the server's order.
    pub tools: Vec<Tool>,
    /// `{"tools":[…]}` gathered over all pages, each tool as sent.
    #[serde(skip)]
    pub raw: RawJson,
    /// Oddities of the list itself.
    pub diagnostics: Vec<Diagnostic>,
}

/// What the rules say of a tool, and when it was last called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ToolAccess {
    /// The tool's name.
    pub tool: String,
    /// What the rules say.
    #[serde(flatten)]
    pub rules: ToolRules,
    /// When it was last called, in milliseconds since the Unix epoch; none: not in the last calls of its server.
    #[serde(rename = "usedAt")]
    pub used_ms: Option<i64>,
    /// How long its newest calls took; none: there were too few.
    pub times: Option<CallTimes>,
}

/// A call a person or a program wants made.
#[derive(Clone)]
pub struct ToolCall {
    /// The tool's name.
    pub tool: String,
    /// The arguments: a JSON object. `{}` is sent when absent.
    pub arguments: Option<Box<RawValue>>,
    /// Who asks.
    pub caller: Caller,
    /// The front end's name for it, which comes back with the questions that belong to it.
    pub request: Option<Arc<str>>,
    /// How long it may be silent, when it differs from the server's or the settings' value.
    pub idle: Option<Duration>,
    /// How long it may take altogether, when it differs from the settings.
    pub total: Option<Duration>,
}

impl ToolCall {
    /// The call of an app that it is.
    pub fn app_call(&self) -> Option<AppCall> {
        app_call(&self.caller, self.request.as_deref())
    }

    /// Who wants it, for the questions that it leads to.
    pub fn request_caller(&self) -> RequestCaller {
        RequestCaller { name: self.caller.as_str().into(), request: self.request.clone() }
    }
}

/// The call of an app that a request of this name is.
pub fn app_call(caller: &Caller, request: Option<&str>) -> Option<AppCall> {
    AppCall::from_name(caller.as_str(), request?)
}

impl fmt::Debug for ToolCall {
    /// Arguments may hold secrets: only their size is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolCall")
            .field("tool", &self.tool)
            .field("arguments", &self.arguments.as_ref().map(|raw| raw.get().len()))
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}

/// The JSON value that a text is, as [`as_text::json`] writes it.
fn json_from_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RawJson, D::Error> {
    let raw = RawValue::from_string(String::deserialize(deserializer)?).map_err(D::Error::custom)?;
    Ok(raw.into())
}

/// What a server says while a call runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CallEvent {
    /// The server reported progress on this call.
    Progress {
        /// How far it is.
        progress: f64,
        /// How far it goes, when known.
        total: Option<f64>,
        /// The server's words, up to 1 KiB.
        message: Option<String>,
    },
    /// The server sent a log message while this call ran. Log messages belong to the connection, so
    /// every running call hears them.
    Log {
        /// The server's level, such as `info`.
        level: String,
        /// The server's name for its logger.
        logger: Option<String>,
        /// The data, as sent; of more than 16 KiB a text with the start, which says so.
        #[serde(serialize_with = "as_text::json", deserialize_with = "json_from_text")]
        #[ts(type = "string")]
        data: RawJson,
    },
}

/// Who listens while a call runs. Called in wire order, from the connection's inbox: it must not block.
pub type OnCallEvent = Arc<dyn Fn(CallEvent) + Send + Sync>;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// The tool returned a result.
    Ok,
    /// The tool returned a result that says it failed.
    ToolError,
    /// The server answered with a JSON-RPC error.
    RpcError,
    /// No answer in time.
    TimedOut,
    /// The caller cancelled it.
    Cancelled,
    /// The connection or the message failed.
    Failed,
}

impl CallStatus {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ToolError => "tool_error",
            Self::RpcError => "rpc_error",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }
}

codes! {
    /// The kinds of reasons why a request has no result.
    pub enum CallErrorCode {
        /// The server answered with a JSON-RPC error.
        Rpc = "rpc",
        /// No answer in time.
        Timeout = "timeout",
        /// The connection ended before the answer.
        Closed = "closed",
        /// The answer is over the limit.
        TooLarge = "too_large",
        /// The answer is none that the protocol knows.
        Malformed = "malformed",
        /// The request was refused before it left.
        Refused = "refused",
        /// The server asked back too often.
        Rounds = "rounds",
        /// The request cannot be sent as it is.
        Unsendable = "unsendable",
        /// The session was lost, and the request was not sent again.
        NotResent = "not_resent",
        /// The task that it became was cancelled.
        Cancelled = "cancelled",
        /// Something answered that does not speak MCP.
        NotMcp = "not_mcp",
        /// The server answered with an HTTP error.
        HttpStatus = "http_status",
        /// The server wants a login.
        SignIn = "sign_in",
        /// The server was not reached.
        Unreachable = "unreachable",
    }
}

/// Why a request has no result.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallError {
    /// What kind of reason it is.
    pub code: CallErrorCode,
    /// What happened, in English; for `rpc` the server's words.
    pub message: String,
    /// What happened, in words of ours; for `rpc` nothing.
    pub said: Option<Sentence>,
    /// The JSON-RPC error code, for `rpc`.
    pub rpc_code: Option<i64>,
    /// The JSON-RPC error's data, as sent.
    #[serde(serialize_with = "as_text::some_raw")]
    #[ts(type = "string | null")]
    pub data: Option<Box<RawValue>>,
    /// What the person can do, where that is known.
    pub next: Option<Sentence>,
    /// The server's words, where they are no JSON-RPC error.
    pub evidence: Option<String>,
    /// The HTTP status that it came with.
    #[serde(skip)]
    pub status: Option<u16>,
    /// How long the server wants us to wait.
    #[serde(skip)]
    pub retry_after: Option<Duration>,
    /// For `sign_in`: the scopes that the server asks for in addition.
    #[serde(skip)]
    pub scopes: Vec<String>,
}

impl CallError {
    /// What happened, in words of ours; of a server's error the server's words stand in it as a value.
    pub fn sentence(&self) -> Sentence {
        match (&self.said, self.rpc_code) {
            (Some(said), _) => said.clone(),
            (None, Some(0)) => say!("the server answered with an error: {message}", message = &self.message),
            (None, Some(code)) => {
                say!("the server answered with error {code}: {message}", code, message = &self.message)
            }
            (None, None) => Sentence::quoted(self.message.as_str()),
        }
    }

    /// What happened without the server's words, for a sentence of ours.
    pub fn summary(&self) -> Sentence {
        match self.rpc_code {
            Some(0) => say!("the server answered with an error"),
            Some(code) => say!("the server answered with error {code}", code),
            None => self.sentence(),
        }
    }
}

/// How a call went.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallOutcome {
    /// How it ended.
    pub status: CallStatus,
    /// The server's result, as sent.
    #[serde(serialize_with = "as_text::some_json")]
    #[ts(type = "string | null")]
    pub result: Option<RawJson>,
    /// Why there is no result.
    pub error: Option<CallError>,
    /// Oddities of the result.
    pub diagnostics: Vec<Diagnostic>,
    /// From sending the request to its end.
    #[serde(rename = "elapsedMs", serialize_with = "view_serde::millis")]
    #[ts(type = "number")]
    pub elapsed: Duration,
    /// The size of the result in bytes.
    pub bytes: usize,
}

/// What is wrong with a value by a JSON Schema, both as JSON text. Of what is not checked nothing is called wrong.
pub async fn check_value(schema: String, value: String, chosen: ChosenSchemas) -> SchemaCheck {
    let check = move || check_schema(&schema, &value, &chosen);
    tokio::task::spawn_blocking(check).await.unwrap_or_else(|_| SchemaCheck::not_checked())
}
