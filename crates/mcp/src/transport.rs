//! Transports: the standard streams of a process, or HTTP.

pub(crate) mod backoff;
pub(crate) mod event_stream;
pub(crate) mod http;
pub(crate) mod sink;
pub(crate) mod sse;
pub(crate) mod stdio;

use mooring_process::ShutdownGrace;
use tokio::sync::watch;

/// The most unawaited messages that are sent over HTTP at once, and the most that wait to be sent. Requests
/// have a separate limit, [`crate::Limits::in_flight`].
pub(crate) const UNAWAITED: usize = 64;

/// Bytes of an oversized message that are kept for the tap and for display.
pub(crate) const OVERSIZE_HEAD: usize = 256 * 1024;

/// Whether and how a connection should end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The connection continues.
    #[default]
    No,
    /// The connection ends. The server's process gets this much time.
    Gently(ShutdownGrace),
    /// The connection ends with little time for the server's process, because the handshake failed.
    Soon,
}

/// Resolves when the connection should end, or when its owner is gone.
pub(crate) async fn wait_for_stop(stop: &mut watch::Receiver<Stop>) -> Stop {
    stop.wait_for(|stop| *stop != Stop::No).await.map_or(Stop::Soon, |stop| *stop)
}
