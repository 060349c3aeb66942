//! How messages reach a server: over the standard streams of a process we own, or over Streamable HTTP.

pub(crate) mod backoff;
pub(crate) mod event_stream;
pub(crate) mod http;
pub(crate) mod sink;
pub(crate) mod sse;
pub(crate) mod stdio;

use mooring_process::ShutdownGrace;
use tokio::sync::watch;

/// Most messages of ours that nobody waits for and that are on their way to a server over HTTP at once, and most that
/// wait behind them. Requests have a bound of their own, [`crate::Limits::in_flight`].
pub(crate) const UNAWAITED: usize = 64;

/// How much of a message over the limit is kept, for the tap and to be shown, in bytes.
pub(crate) const OVERSIZE_HEAD: usize = 256 * 1024;

/// Whether a connection is to end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It lives on.
    #[default]
    No,
    /// With all the time that a good server needs; its process this much.
    Gently(ShutdownGrace),
    /// With little time, because it came to nothing.
    Soon,
}

/// Resolves when the connection is to end, also when its owner is gone.
pub(crate) async fn wait_for_stop(stop: &mut watch::Receiver<Stop>) -> Stop {
    stop.wait_for(|stop| *stop != Stop::No).await.map_or(Stop::Soon, |stop| *stop)
}
