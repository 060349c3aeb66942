//! What a new connection is asked for, because an earlier one was.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use mooring_mcp::{ClientHandler as _, Diagnostic, DiagnosticCode, RequestError};
use mooring_words::say;

use super::LiveConnection;
use super::shared::{PeerHandler, SharedState};
use super::state::retry_delay;

/// How often a resource is asked for again on one connection.
const MAX_RETRIES: u32 = 5;

/// Asks which tasks there are, and for what an earlier connection told about. What changed meanwhile is not known: each
/// may have (SUB-10, SUB-11). A server that says no is not asked again. Where a fault that may pass is in the way, it
/// is, after growing waits, and in the end by the next connection.
pub(super) async fn restore(shared: Arc<SharedState>, link: Arc<LiveConnection>) {
    let handler = PeerHandler { shared: Arc::clone(&shared), recorder: Arc::clone(&link.recorder) };
    if let Err(error) = link.client.refresh_tasks().await {
        let message =
            say!("couldn’t be listed: {reason}", reason = crate::failure::call_error(error).summary());
        handler.diagnose(Diagnostic::new(DiagnosticCode::Missing, "tasks", message));
    }
    let mut wanted = shared.subscriptions.uris();
    for attempt in 1.. {
        let mut missed = Vec::new();
        for uri in wanted {
            // The person may have taken it back meanwhile.
            if !shared.subscriptions.contains(&uri) {
                continue;
            }
            match link.client.subscribe_resource(&uri).await {
                Ok(()) if shared.subscriptions.contains(&uri) => shared.announce_resource(&uri),
                // Taken back while the server was asked: it need not tell. What it says to that changes nothing.
                Ok(()) => drop(link.client.unsubscribe_resource(&uri).await),
                Err(error) if is_permanent(&error) => {
                    shared.subscriptions.remove(&uri);
                    let message = say!(
                        "gets no more change notifications: {reason}",
                        reason = crate::failure::call_error(error).summary()
                    );
                    handler.diagnose(Diagnostic::new(DiagnosticCode::Missing, uri, message));
                }
                Err(error) => missed.push((uri, error)),
            }
        }
        if missed.is_empty() {
            return;
        }
        if attempt > MAX_RETRIES {
            for (uri, error) in missed {
                let reason = crate::failure::call_error(error).summary();
                let message =
                    say!("gets no change notifications until the next connection: {reason}", reason);
                handler.diagnose(Diagnostic::new(DiagnosticCode::Missing, uri, message));
            }
            return;
        }
        wanted = missed.into_iter().map(|(uri, _)| uri).collect();
        tokio::time::sleep(retry_delay(attempt, RandomState::new().hash_one(attempt))).await;
    }
}

/// Whether asking again would bring the same answer. All else may pass: a server that is busy or on its way up, a
/// network that is away, a login that has to be made first.
fn is_permanent(error: &RequestError) -> bool {
    match error {
        RequestError::Rpc(_) | RequestError::Unsendable { .. } => true,
        RequestError::Status { status, .. } => (400..500).contains(status) && !matches!(status, 408 | 429),
        _ => false,
    }
}
