//! Views and requests for tools and their calls.

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
    /// `{"tools":[…]}` of all pages together, each tool as the server sent it.
    #[serde(skip)]
    pub raw: RawJson,
    /// Problems of the list itself.
    pub diagnostics: Vec<Diagnostic>,
}

/// The effect of the rules on a tool, and its past calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ToolAccess {
    /// The tool's name.
    pub tool: String,
    /// The effect of the rules.
    #[serde(flatten)]
    pub rules: ToolRules,
    /// When it was last called, in milliseconds since the Unix epoch. `None` if not among its server's last
    /// calls.
    #[serde(rename = "usedAt")]
    pub used_ms: Option<i64>,
    /// Durations of its newest calls. `None` if there are too few.
    pub times: Option<CallTimes>,
}

/// A request to call a tool.
#[derive(Clone)]
pub struct ToolCall {
    /// The tool's name.
    pub tool: String,
    /// The arguments: a JSON object. `None` sends `{}`.
    pub arguments: Option<Box<RawValue>>,
    /// Who makes the call.
    pub caller: Caller,
    /// The front end's name for the call. Questions that belong to it carry the name.
    pub request: Option<Arc<str>>,
    /// How long the server may be silent. `None` uses the server's setting or the global one.
    pub idle: Option<Duration>,
    /// How long the call may take in all. `None` uses the global setting.
    pub total: Option<Duration>,
}

impl ToolCall {
    /// The app's call that this is part of, if an app makes it.
    pub fn app_call(&self) -> Option<AppCall> {
        app_call(&self.caller, self.request.as_deref())
    }

    /// The caller, for questions that the call leads to.
    pub fn request_caller(&self) -> RequestCaller {
        RequestCaller { name: self.caller.as_str().into(), request: self.request.clone() }
    }
}

/// Parses a request's name as the name of an app's call, if `caller` is an app.
pub fn app_call(caller: &Caller, request: Option<&str>) -> Option<AppCall> {
    AppCall::from_name(caller.as_str(), request?)
}

impl fmt::Debug for ToolCall {
    /// Shows only the size of the arguments, because they may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolCall")
            .field("tool", &self.tool)
            .field("arguments", &self.arguments.as_ref().map(|raw| raw.get().len()))
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}

/// Reads JSON from a string, the inverse of [`as_text::json`].
fn json_from_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RawJson, D::Error> {
    let raw = RawValue::from_string(String::deserialize(deserializer)?).map_err(D::Error::custom)?;
    Ok(raw.into())
}

/// A server's message during a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CallEvent {
    /// The server reported progress on this call.
    Progress {
        /// The progress so far.
        progress: f64,
        /// The final value, if it is known.
        total: Option<f64>,
        /// The server's message, up to 1 KiB.
        message: Option<String>,
    },
    /// The server sent a log message during the call. Log messages belong to the connection, so every running
    /// call gets them.
    Log {
        /// The severity, such as `info`.
        level: String,
        /// The name of the server's logger.
        logger: Option<String>,
        /// The data as sent. If it is longer than 16 KiB, a text with its start that says so.
        #[serde(serialize_with = "as_text::json", deserialize_with = "json_from_text")]
        #[ts(type = "string")]
        data: RawJson,
    },
}

/// Receives events of a running call. Called in wire order by the task that reads the connection, so it must
/// not block.
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
    /// There was no response in time.
    TimedOut,
    /// The caller cancelled it.
    Cancelled,
    /// The connection or the message failed.
    Failed,
}

impl CallStatus {
    /// The status's word in JSON.
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
    /// Kinds of reasons why a request has no result.
    pub enum CallErrorCode {
        /// The server answered with a JSON-RPC error.
        Rpc = "rpc",
        /// There was no response in time.
        Timeout = "timeout",
        /// The connection ended before the response.
        Closed = "closed",
        /// The response is over the size limit.
        TooLarge = "too_large",
        /// The response is invalid.
        Malformed = "malformed",
        /// The request was refused before it was sent.
        Refused = "refused",
        /// The server asked too many questions in a row.
        Rounds = "rounds",
        /// The request can't be sent in this form.
        Unsendable = "unsendable",
        /// The session was lost, and the request was not sent again.
        NotResent = "not_resent",
        /// The request became a task that was cancelled.
        Cancelled = "cancelled",
        /// The peer does not speak MCP.
        NotMcp = "not_mcp",
        /// The server answered with an HTTP error.
        HttpStatus = "http_status",
        /// The server requires signing in.
        SignIn = "sign_in",
        /// The server could not be reached.
        Unreachable = "unreachable",
    }
}

/// Why a request has no result.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallError {
    /// The kind of reason.
    pub code: CallErrorCode,
    /// What happened, in English. For `rpc` it is the server's message.
    pub message: String,
    /// What happened, as a sentence for the person. `None` for `rpc`.
    pub said: Option<Sentence>,
    /// The JSON-RPC error code, for `rpc`.
    pub rpc_code: Option<i64>,
    /// The JSON-RPC error's data, as sent.
    #[serde(serialize_with = "as_text::some_raw")]
    #[ts(type = "string | null")]
    pub data: Option<Box<RawValue>>,
    /// What the person can do, if that is known.
    pub next: Option<Sentence>,
    /// The server's words, if they are not a JSON-RPC error.
    pub evidence: Option<String>,
    /// The HTTP status of the response.
    #[serde(skip)]
    pub status: Option<u16>,
    /// How long the server asks us to wait.
    #[serde(skip)]
    pub retry_after: Option<Duration>,
    /// For `sign_in`: the additional scopes that the server requires.
    #[serde(skip)]
    pub scopes: Vec<String>,
}

impl CallError {
    /// What happened, as a sentence. The message of a server's error is a value in it.
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

    /// What happened, as a sentence without the server's words.
    pub fn summary(&self) -> Sentence {
        match self.rpc_code {
            Some(0) => say!("the server answered with an error"),
            Some(code) => say!("the server answered with error {code}", code),
            None => self.sentence(),
        }
    }
}

/// The outcome of a call.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallOutcome {
    /// How it ended.
    pub status: CallStatus,
    /// The server's result as sent.
    #[serde(serialize_with = "as_text::some_json")]
    #[ts(type = "string | null")]
    pub result: Option<RawJson>,
    /// Why there is no result.
    pub error: Option<CallError>,
    /// Problems of the result.
    pub diagnostics: Vec<Diagnostic>,
    /// The time from sending the request to its end.
    #[serde(rename = "elapsedMs", serialize_with = "view_serde::millis")]
    #[ts(type = "number")]
    pub elapsed: Duration,
    /// The size of the result in bytes.
    pub bytes: usize,
}

/// Validates a value against a JSON Schema, both as JSON text. What can't be checked is not reported as
/// wrong.
pub async fn check_value(schema: String, value: String, chosen: ChosenSchemas) -> SchemaCheck {
    let check = move || check_schema(&schema, &value, &chosen);
    tokio::task::spawn_blocking(check).await.unwrap_or_else(|_| SchemaCheck::not_checked())
}
