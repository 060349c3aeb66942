//! The receiver of a transport's frames. Transports don't know the meaning of frames.

use bytes::Bytes;
use tokio::sync::watch;

use crate::diagnostic::Diagnostic;
use crate::error::{CloseReason, RequestError};
use crate::frame::FrameError;
use crate::limits::{LimitKind, Limits};
use crate::tap::TapEvent;
use crate::transport::event_stream::Overhead;

/// Where a frame came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameSource {
    /// A connection for everything.
    Shared,
    /// The exchange of the request with this number.
    Exchange(u64),
    /// A separate stream for unprompted messages.
    ServerStream,
}

/// The result of handling a frame.
#[derive(Debug, Default)]
pub(crate) struct FrameOutcome {
    /// The last request to which the frame responded.
    pub(crate) answered: Option<u64>,
    /// The error without an id in the frame, as JSON text.
    pub(crate) orphan: Option<Bytes>,
    /// Set if the frame is not a message.
    pub(crate) noise: Option<FrameError>,
    /// Whether the frame is or contains a message.
    pub(crate) is_message: bool,
}

/// Receives a transport's frames in wire order, and knows the pending requests.
pub(crate) trait FrameSink: Send + Sync + 'static {
    fn limits(&self) -> &Limits;

    /// Handles one frame. While this waits, the transport should read nothing more.
    fn receive_on(&self, on: FrameSource, bytes: Bytes) -> impl Future<Output = FrameOutcome> + Send;

    /// Handles one frame of a connection for everything.
    fn receive(&self, bytes: Bytes) -> impl Future<Output = FrameOutcome> + Send {
        self.receive_on(FrameSource::Shared, bytes)
    }

    /// Handles a message over the limit that begins with `head`, and ends its request `id`. The message has
    /// `size` bytes, or more if not `is_whole`.
    fn oversize(
        &self,
        head: Bytes,
        size: usize,
        is_whole: bool,
        id: Option<u64>,
    ) -> impl Future<Output = ()> + Send;

    /// Remembers the start of a line that has no end yet.
    fn on_partial_line(&self, line: &[u8]);

    /// Waits if the server exceeds its limit on unsolicited messages. Returns whether it had to wait.
    fn throttle(&self, messages: usize, bytes: usize) -> impl Future<Output = bool> + Send;

    /// Counts a stream's overhead against the limit on unsolicited messages. Returns whether it had to wait.
    fn charge(&self, overhead: Overhead) -> impl Future<Output = bool> + Send {
        async move {
            let Overhead { lines, bytes } = overhead;
            (lines > 0 || bytes > 0) && self.throttle(lines, bytes).await
        }
    }

    /// Passes an event to the tap as soon as there is room.
    fn record(&self, event: TapEvent) -> impl Future<Output = ()> + Send;

    /// Describes `event` as the error that ends request `id`, even if it doesn't name the request.
    fn describe_error(&self, event: &mut TapEvent, id: u64);

    /// Reports a problem that belongs to no request.
    fn diagnose(&self, diagnostic: Diagnostic);

    fn on_limit(&self, bound: LimitKind);

    /// The number of pending requests.
    fn waiting(&self) -> usize;

    fn is_awaited(&self, id: u64) -> bool;

    /// Records that a stream for the response to this request is open, and whether it is silent so far.
    fn note_stream(&self, id: u64, is_silent: bool);

    fn fail(&self, id: u64, error: RequestError);

    /// Ends the connection and all pending requests with `reason`. The first reason wins.
    fn close(&self, reason: &CloseReason);

    /// Becomes `Some` when the connection is over, with the reason.
    fn closed(&self) -> watch::Receiver<Option<CloseReason>>;
}
