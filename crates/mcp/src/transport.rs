//! Transports: the standard streams of a process that we own, or Streamable HTTP.

pub(crate) mod backoff;
pub(crate) mod event_stream;
pub(crate) mod http;
pub(crate) mod sink;
pub(crate) mod sse;
pub(crate) mod stdio;

use mooring_process::ShutdownGrace;
use tokio::sync::watch;

/// Most unawaited messages that are being sent over HTTP at once, and most that wait behind them. Requests
/// have a separate limit, [`crate::Limits::in_flight`].
pub(crate) const UNAWAITED: usize = 64;

/// Bytes of an oversized message that are kept for the tap and for display.
pub(crate) const OVERSIZE_HEAD: usize = 256 * 1024;

/// Whether and how a connection should end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It continues.
    #[default]
    No,
    /// With enough time for a good server; its process gets this much.
    Gently(ShutdownGrace),
    /// With little time, because the handshake failed.
    Soon,
}

/// Resolves when the connection should end, or its owner is gone.
pub(crate) async fn wait_for_stop(stop: &mut watch::Receiver<Stop>) -> Stop {
    stop.wait_for(|stop| *stop != Stop::No).await.map_or(Stop::Soon, |stop| *stop)
}
