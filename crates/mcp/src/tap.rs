//! The tap receives everything that crosses a connection, as exact bytes, in order.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::future::BoxFuture;

use crate::inbound::RequestCaller;

/// The direction of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From this client to the server.
    Out,
    /// From the server to this client.
    In,
}

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TapKind {
    /// A JSON-RPC message.
    Frame,
    /// A line of the server's stderr.
    Stderr,
    /// Output that is not a message: a line on stdout, or a body that is not MCP.
    Noise,
    /// The start of a message over the limit. `size` is the number of bytes so far.
    Oversize,
}

/// How the request of a response ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// With a result.
    Result,
    /// With an error.
    Error,
}

/// An event of the connection.
#[derive(Debug, Clone)]
pub struct TapEvent {
    /// The time of the event.
    pub at: SystemTime,
    /// The direction.
    pub direction: Direction,
    /// The kind.
    pub kind: TapKind,
    /// The exact bytes, without the line end or the event stream's framing.
    pub bytes: Bytes,
    /// The size in bytes. Only larger than `bytes` for [`TapKind::Oversize`].
    pub size: usize,
    /// The method. For a response, the method of its request.
    pub method: Option<Cow<'static, str>>,
    /// The JSON text of the request's id.
    pub id: Option<Arc<str>>,
    /// What the request is about, such as a tool's name.
    pub subject: Option<Arc<str>>,
    /// For a response, how the request ended.
    pub outcome: Option<Outcome>,
    /// For a response, how long the request took, without the time in which questions waited for answers.
    pub elapsed: Option<Duration>,
    /// The caller of the request to which the event belongs, if that is certain.
    pub caller: Option<RequestCaller>,
}

impl TapEvent {
    /// An event at the current time with only its bytes.
    pub fn new(direction: Direction, kind: TapKind, bytes: Bytes) -> Self {
        Self {
            at: SystemTime::now(),
            direction,
            kind,
            size: bytes.len(),
            bytes,
            method: None,
            id: None,
            subject: None,
            outcome: None,
            elapsed: None,
            caller: None,
        }
    }
}

/// Receives a connection's events. A full tap stops reading and writing, so that nothing is dropped.
pub trait Tap: Send + Sync {
    /// Offers an event. Returns it if there is no room.
    fn offer(&self, event: TapEvent) -> Result<(), Box<TapEvent>>;

    /// Resolves when there may be room again.
    fn wait_for_room(&self) -> BoxFuture<'_, ()>;
}

/// Passes `event` to `tap` as soon as there is room.
pub(crate) async fn record_event(tap: &dyn Tap, event: TapEvent) {
    let mut event = event;
    while let Err(refused) = tap.offer(event) {
        tap.wait_for_room().await;
        event = *refused;
    }
}

/// A tap that discards everything.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoTap;

impl Tap for NoTap {
    fn offer(&self, _event: TapEvent) -> Result<(), Box<TapEvent>> {
        Ok(())
    }

    fn wait_for_room(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}
