//! Where a transport brings what it reads. A transport knows frames and nothing of what they mean.

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
    /// A connection that carries everything.
    Shared,
    /// The exchange of this request of ours.
    Exchange(u64),
    /// A stream of the server's own.
    ServerStream,
}

/// What became of a frame.
#[derive(Debug, Default)]
pub(crate) struct FrameOutcome {
    /// The last request that it answered.
    pub(crate) answered: Option<u64>,
    /// An error that names no request.
    pub(crate) orphan: Option<Bytes>,
    /// It is not a message.
    pub(crate) noise: Option<FrameError>,
    /// It is a message, or there is one among it.
    pub(crate) is_message: bool,
}

/// Takes what a transport reads, in the order of the wire, and knows which requests wait for it.
pub(crate) trait FrameSink: Send + Sync + 'static {
    /// What the connection may cost.
    fn limits(&self) -> &Limits;

    /// Takes one frame as it came. It may wait: then nothing more is to be read meanwhile.
    fn receive_on(&self, on: FrameSource, bytes: Bytes) -> impl Future<Output = FrameOutcome> + Send;

    /// Takes one frame as it came, on a connection that carries everything.
    fn receive(&self, bytes: Bytes) -> impl Future<Output = FrameOutcome> + Send {
        self.receive_on(FrameSource::Shared, bytes)
    }

    /// Takes a message over the limit whose beginning is `head`, and ends the request `id` that it answers. It has
    /// `size` bytes, or more where that `is_whole` not.
    fn oversize(
        &self,
        head: Bytes,
        size: usize,
        is_whole: bool,
        id: Option<u64>,
    ) -> impl Future<Output = ()> + Send;

    /// Remembers how the line begins that has no end yet.
    fn on_partial_line(&self, line: &[u8]);

    /// Waits when the server says more unasked than it may; whether it did.
    fn throttle(&self, messages: usize, bytes: usize) -> impl Future<Output = bool> + Send;

    /// Counts what a stream brings that is no message, and waits where that is too much; whether it was.
    fn charge(&self, overhead: Overhead) -> impl Future<Output = bool> + Send {
        async move {
            let Overhead { lines, bytes } = overhead;
            (lines > 0 || bytes > 0) && self.throttle(lines, bytes).await
        }
    }

    /// Passes something to the tap, waiting for room.
    fn record(&self, event: TapEvent) -> impl Future<Output = ()> + Send;

    /// Notes on `event` that it is the error with which request `id` ends, whether it names that or not.
    fn describe_error(&self, event: &mut TapEvent, id: u64);

    /// Reports something odd that belongs to no request.
    fn diagnose(&self, diagnostic: Diagnostic);

    /// Notes that a limit was reached.
    fn on_limit(&self, bound: LimitKind);

    /// How many requests wait.
    fn waiting(&self) -> usize;

    /// Whether this request waits.
    fn is_awaited(&self, id: u64) -> bool;

    /// Notes that a stream for the answer to this request is open, and whether nothing came on it so far.
    fn note_stream(&self, id: u64, is_silent: bool);

    /// Ends a request with an error.
    fn fail(&self, id: u64, error: RequestError);

    /// Ends the connection. Everything that waits ends with `reason`; the first reason stays.
    fn close(&self, reason: &CloseReason);

    /// Why the connection is over, once it is.
    fn closed(&self) -> watch::Receiver<Option<CloseReason>>;
}
