//! Messages to the server.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use mooring_jsonrpc::JsonObject;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::value::RawValue;

use crate::client_capabilities::Refusal;
use crate::inbound::RequestCaller;
use crate::message::write;
use crate::tap::{Direction, Outcome, TapEvent, TapKind};

/// Requests that only read, or that have the same effect if they are repeated. All other requests may act.
const REPEATABLE: [&str; 18] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "completion/complete",
    "logging/setLevel",
    "subscriptions/listen",
    "tasks/list",
    "tasks/get",
    "tasks/result",
    "tasks/cancel",
];

/// Whether a message with this method is safe to send twice.
pub(crate) fn can_repeat(method: &str) -> bool {
    REPEATABLE.contains(&method) || method.starts_with("notifications/") || method.starts_with("skills/")
}

/// A message to the server, with what the tap needs to know about it.
#[derive(Debug, Clone)]
pub(crate) struct OutgoingMessage {
    pub(crate) bytes: Bytes,
    pub(crate) method: Option<Cow<'static, str>>,
    pub(crate) id: Option<Arc<str>>,
    pub(crate) subject: Option<Arc<str>>,
    pub(crate) outcome: Option<Outcome>,
    /// The caller of the request to which the message belongs.
    pub(crate) caller: Option<RequestCaller>,
    /// The headers of a request of the stateless era.
    pub(crate) modern: Option<ModernHeaders>,
}

/// The headers of a request of the stateless era, besides its method.
#[derive(Debug, Clone, Default)]
pub(crate) struct ModernHeaders {
    /// `Mcp-Name`: the name or URI that the request is about.
    pub(crate) name: Option<HeaderValue>,
    /// The arguments that the tool's schema mirrors.
    pub(crate) mirrored: Vec<(HeaderName, HeaderValue)>,
}

impl OutgoingMessage {
    pub(crate) fn notification(method: &'static str, params: Option<&JsonObject>) -> Self {
        Self {
            bytes: write::write_notification(method, params),
            method: Some(Cow::Borrowed(method)),
            id: None,
            subject: None,
            outcome: None,
            caller: None,
            modern: None,
        }
    }

    /// The response to a request of the server.
    pub(crate) fn answer(id: &Arc<str>, method: &str, answer: Result<Box<RawValue>, Refusal>) -> Self {
        let (outcome, bytes) = match answer {
            Ok(result) => (Outcome::Result, write::write_answer(id, Ok(result.get()))),
            Err(Refusal { code, message }) => {
                (Outcome::Error, write::write_answer(id, Err((code, &message))))
            }
        };
        Self {
            bytes,
            method: Some(Cow::Owned(method.to_owned())),
            id: Some(Arc::clone(id)),
            subject: None,
            outcome: Some(outcome),
            caller: None,
            modern: None,
        }
    }

    /// Whether the message is safe to send twice. Calls may act, and responses must be sent once.
    pub(crate) fn can_repeat(&self) -> bool {
        self.outcome.is_none() && self.method.as_deref().is_some_and(can_repeat)
    }

    /// The tap's event for this message.
    pub(crate) fn to_event(&self) -> TapEvent {
        let mut event = TapEvent::new(Direction::Out, TapKind::Frame, self.bytes.clone());
        event.method.clone_from(&self.method);
        event.id.clone_from(&self.id);
        event.subject.clone_from(&self.subject);
        event.outcome = self.outcome;
        event.caller.clone_from(&self.caller);
        event
    }
}
