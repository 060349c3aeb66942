//! Restores the tasks and subscriptions of an earlier connection on a new one.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use mooring_mcp::{ClientHandler as _, Diagnostic, DiagnosticCode, RequestError};
use mooring_server_state::retry_delay;
use mooring_words::say;

use super::LiveConnection;
use super::shared::{PeerHandler, SharedState};

/// How often failed subscriptions are retried on one connection.
const MAX_RETRIES: u32 = 5;

/// Reads the list of tasks, and renews the subscriptions of the earlier connection. Each resource may have
/// changed in the meantime, so it is announced as changed (SUB-10, SUB-11). If the server refuses a
/// subscription, it is dropped. After a transient error, a subscription is retried with increasing delays,
/// and then by the next connection.
pub(super) async fn restore_state(shared: Arc<SharedState>, link: Arc<LiveConnection>) {
    let handler = PeerHandler { shared: Arc::clone(&shared), recorder: Arc::clone(&link.recorder) };
    if let Err(error) = link.client.refresh_tasks().await {
        let message = say!(
            "couldn’t be listed: {reason}",
            reason = mooring_errors::failure::call_error(error).summary()
        );
        handler.diagnose(Diagnostic::new(DiagnosticCode::Missing, "tasks", message));
    }
    let mut wanted = shared.subscriptions.uris();
    for attempt in 1.. {
        let mut missed = Vec::new();
        for uri in wanted {
            // The person may have unsubscribed in the meantime.
            if !shared.subscriptions.contains(&uri) {
                continue;
            }
            match link.client.subscribe_resource(&uri).await {
                Ok(()) if shared.subscriptions.contains(&uri) => shared.announce_resource(&uri),
                // The person unsubscribed while the request was running. The server's reply to unsubscribing
                // doesn't matter.
                Ok(()) => drop(link.client.unsubscribe_resource(&uri).await),
                Err(error) if is_permanent(&error) => {
                    shared.subscriptions.remove(&uri);
                    let message = say!(
                        "gets no more change notifications: {reason}",
                        reason = mooring_errors::failure::call_error(error).summary()
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
                let reason = mooring_errors::failure::call_error(error).summary();
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

/// Whether a retry would get the same answer. All other errors are transient, such as a busy or starting
/// server, a network outage, or a missing sign-in.
fn is_permanent(error: &RequestError) -> bool {
    match error {
        RequestError::Rpc(_) | RequestError::Unsendable { .. } => true,
        RequestError::Status { status, .. } => (400..500).contains(status) && !matches!(status, 408 | 429),
        _ => false,
    }
}
