//! The tap: everything that crosses a connection, as exact bytes, in order.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::future::BoxFuture;

use crate::inbound::RequestCaller;

/// Which way something went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From us to the server.
    Out,
    /// From the server to us.
    In,
}

/// What kind of thing it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TapKind {
    /// A JSON-RPC message.
    Frame,
    /// A line of the server's stderr.
    Stderr,
    /// Output that is not a message: a line on stdout, a body that is not MCP.
    Noise,
    /// The beginning of a message over the limit; `size` tells the whole of it so far.
    Oversize,
}

/// How the request ended that a frame answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// With a result.
    Result,
    /// With an error.
    Error,
}

/// One thing that crossed the connection.
#[derive(Debug, Clone)]
pub struct TapEvent {
    /// When.
    pub at: SystemTime,
    /// Which way.
    pub direction: Direction,
    /// What.
    pub kind: TapKind,
    /// The exact bytes, without the line end or the event stream's framing.
    pub bytes: Bytes,
    /// How many bytes it was in all; more than `bytes` holds only for [`TapKind::Oversize`].
    pub size: usize,
    /// The method; of an answer, that of the request it answers.
    pub method: Option<Cow<'static, str>>,
    /// The JSON text of the request's id.
    pub id: Option<Arc<str>>,
    /// What the request is about, such as the tool's name.
    pub subject: Option<Arc<str>>,
    /// How the request ended, on an answer.
    pub outcome: Option<Outcome>,
    /// How long the request took, on an answer, without the time in which questions waited for answers.
    pub elapsed: Option<Duration>,
    /// Who wants the request that it is part of, where that is known for sure.
    pub caller: Option<RequestCaller>,
}

impl TapEvent {
    /// An event of now with nothing but its bytes.
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

/// Who listens at the tap. When it is full the connection reads and writes no further until it is ready again:
/// nothing is dropped.
pub trait Tap: Send + Sync {
    /// Takes an event, or gives it back when there is no room.
    fn offer(&self, event: TapEvent) -> Result<(), Box<TapEvent>>;

    /// Resolves when there may be room again.
    fn wait_for_room(&self) -> BoxFuture<'_, ()>;
}

/// Passes `event` to `tap`, waiting for room.
pub(crate) async fn record(tap: &dyn Tap, event: TapEvent) {
    let mut event = event;
    while let Err(refused) = tap.offer(event) {
        tap.wait_for_room().await;
        event = *refused;
    }
}

/// A tap that nobody listens to.
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
