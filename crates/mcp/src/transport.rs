//! How messages reach a server: over the standard streams of a process we own, or over Streamable HTTP.

mod backoff;
pub(crate) mod event_stream;
pub(crate) mod http;
pub(crate) mod stdio;
pub(crate) mod tap;

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;

use crate::transport::tap::{Direction, Outcome, TapEvent, TapKind};

/// One message on its way to the server, with what the tap needs to know about it.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    pub(crate) bytes: Bytes,
    pub(crate) method: Option<Cow<'static, str>>,
    pub(crate) id: Option<Arc<str>>,
    pub(crate) subject: Option<Arc<str>>,
    pub(crate) outcome: Option<Outcome>,
}

impl Outgoing {
    /// The message as the tap sees it.
    pub(crate) fn event(&self) -> TapEvent {
        let mut event = TapEvent::new(Direction::Out, TapKind::Frame, self.bytes.clone());
        event.method.clone_from(&self.method);
        event.id.clone_from(&self.id);
        event.subject.clone_from(&self.subject);
        event.outcome = self.outcome;
        event
    }
}
