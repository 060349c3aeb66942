//! Pings idle servers of the session era. Several missed pings end the connection (PING-02, PING-03).

use std::sync::Arc;
use std::time::Duration;

use mooring_words::say;

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::error::{CloseReason, RequestError};
use crate::request::Request;
use crate::wire::RequestSender;

/// The longest delay before the next ping after a ping without a response.
const RETRY_DELAY: Duration = Duration::from_secs(15);
/// After this many consecutive pings without a response, the connection is over.
const MOST_MISSED: u32 = 3;

/// Sends pings until the connection is over, or until pings turn out to be useless.
pub(crate) async fn keep_alive(wire: Arc<RequestSender>, quiet: Duration) {
    let mut closed = wire.link.closed();
    tokio::select! {
        biased;
        _ = closed.wait_for(Option::is_some) => {}
        () = ping_while_idle(&wire, quiet) => {}
    }
}

async fn ping_while_idle(wire: &RequestSender, quiet: Duration) {
    let table = &wire.link.table;
    let (mut missed, mut has_answered) = (0, false);
    let mut asked = table.request_count();
    loop {
        tokio::time::sleep(if missed == 0 { quiet } else { quiet.min(RETRY_DELAY) }).await;
        // Other requests show that the server responds, and many servers don't respond while they work.
        if !table.is_empty() || table.request_count() != asked {
            (missed, asked) = (0, table.request_count());
            continue;
        }
        let outcome = Box::pin(wire.request(&Request::new("ping", None))).await;
        asked = table.request_count();
        let Some(silence) = filter_silence(outcome.err()) else {
            (missed, has_answered) = (0, true);
            continue;
        };
        if !has_answered {
            // Some servers don't know `ping`, so their silence means nothing.
            let message = say!(
                "it stopped answering and is no longer contacted: {reason}",
                reason = silence.sentence()
            );
            wire.link.diagnose(Diagnostic::new(DiagnosticCode::Unmatched, "ping", message));
            return;
        }
        missed += 1;
        wire.link.diagnose(Diagnostic::new(DiagnosticCode::Unmatched, "ping", silence.sentence()));
        if missed == MOST_MISSED {
            wire.link.close(&CloseReason::Unresponsive { pings: missed });
            return;
        }
    }
}

/// Keeps a ping's error only if the server may no longer respond. Any response shows that it does.
fn filter_silence(error: Option<RequestError>) -> Option<RequestError> {
    error.filter(|error| match error {
        RequestError::Timeout { .. }
        | RequestError::StreamEnded
        | RequestError::Unreachable { .. }
        | RequestError::Renewal { .. } => true,
        RequestError::Status { status, .. } => *status >= 500,
        _ => false,
    })
}
