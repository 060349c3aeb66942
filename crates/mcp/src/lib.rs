//! The MCP client engine: one [`Client`], one server.
//!
//! Bytes are authoritative: every message passes the [`Tap`] unchanged. Typed views are lenient: a problem
//! becomes a [`Diagnostic`] with a path instead of an error. Every request ends with a response, an error, a
//! cancellation or a deadline. Notifications reach the [`ClientHandler`] in wire order.
//!
//! The crate is independent of storage, keychains and windows.

mod additions;
mod call;
mod call_trace;
mod client;
mod client_capabilities;
mod connection;
mod diagnostic;
mod era;
mod error;
mod extension;
mod filter;
mod frame;
mod headers;
mod inbound;
mod input_rounds;
mod keepalive;
mod limits;
mod link;
mod message;
mod model;
mod options;
mod outgoing;
mod peer;
#[cfg(any(test, fuzzing, feature = "properties"))]
pub mod properties;
mod questions;
mod raw_json;
mod request;
mod revision;
#[cfg(test)]
mod same_reading;
mod sampling;
mod skills;
mod subscriptions;
mod table;
mod tap;
mod task;
mod tasks;
mod text;
mod transport;
mod url_required;

mod wire;

pub use call_trace::CallTrace;
pub use client::{Client, CompletionRef, RawResult};
pub use client_capabilities::{ClientCapabilities, QuestionKind, Refusal};
pub use diagnostic::{Diagnostic, DiagnosticCode};
pub use error::{CloseReason, ConnectError, Deadline, RequestError, RpcError, StatusHints};
pub use extension::Extension;
pub use filter::is_resource_within;
pub use frame::FrameError;
pub use headers::{ParamHeader, decode_header, param_headers};
pub use inbound::{
    CallerAdditions, ClientHandler, PendingRequest, Question, QuestionContext, QuestionOrigin, RequestCaller,
};
pub use limits::{Deadlines, LimitReached, Limits};
pub use model::as_text;
pub use model::call_result::CallResult;
pub use model::handshake::{Handshake, HandshakeStep};
pub use model::listing::Listing;
pub use model::notification::{Notification, Progress};
pub use model::prompt::{Prompt, PromptArgument};
pub use model::resource::{Resource, ResourceTemplate};
pub use model::tool::Tool;
pub use options::{ClientOptions, EraChoice, ServerTarget};
pub use peer::subscriptions::{ListenState, Subscription};
pub use raw_json::RawJson;
pub use request::{CallOptions, ResendCheck, ResendReason};
pub use revision::{Era, Revision};
pub use sampling::check as check_sampling;
pub use skills::{Skill, SkillContent, SkillError, SkillFile, SkillFiles};
pub use table::{LogSink, ProgressSink};
pub use tap::{Direction, NoTap, Outcome, Tap, TapEvent, TapKind};
pub use task::{Task, TaskStatus};
pub use transport::event_stream::{EventStreamParser, Oversize, ServerSentEvent};
pub use transport::http::access::{AccessRefusal, AccessRequest, AccessResponse, AccessRetry, Authorize};
pub use transport::http::{HttpClient, find_issuer, http_client};
pub use transport::stdio::telling_line;
