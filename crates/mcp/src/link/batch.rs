//! Batches: several messages in one array, which only exist in 2025-03-26.

use std::sync::atomic::Ordering;

use mooring_words::say;

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::link::MessageLink;
use crate::message::{Message, ParsedFrame, ResponseId};
use crate::tap::TapEvent;
use crate::transport::sink::{FrameOutcome, FrameSource};

impl MessageLink {
    /// Handles an array of `size` bytes. Each element is handled like a message of its own.
    pub(super) async fn take_batch(
        &self,
        read: ParsedFrame,
        mut event: TapEvent,
        size: usize,
        on: FrameSource,
        received: &mut FrameOutcome,
    ) {
        self.record(event.clone()).await;
        if !self.batches.load(Ordering::Relaxed) {
            let message =
                say!("several messages in one array, which only 2025-03-26 allows; they were read anyway");
            self.diagnose(Diagnostic::new(DiagnosticCode::Envelope, "", message));
        }
        self.report_diagnostics(read.diagnostics);
        let is_empty = read.messages.is_empty();
        let rest = size.saturating_sub(read.messages.iter().map(|parsed| parsed.size).sum());
        // Responses are handled last, without waiting: an exchange is not read after its response.
        let (answers, others): (Vec<_>, Vec<_>) =
            read.messages.into_iter().partition(|parsed| self.is_answer(&parsed.message));
        for parsed in others {
            let size = parsed.size;
            let step = self.sort_message(parsed, &mut event, received);
            self.dispatch_message(step, on);
            self.throttle(1, size).await;
            // Yields, so that a batch within the limit doesn't delay other tasks.
            tokio::task::coop::consume_budget().await;
        }
        if read.unread > 0 || is_empty {
            self.throttle(read.unread.max(1), rest).await;
        }
        for parsed in answers {
            let step = self.sort_message(parsed, &mut event, received);
            self.dispatch_message(step, on);
        }
    }

    /// Whether a message responds to a pending request.
    fn is_answer(&self, message: &Message) -> bool {
        let Message::Response { id: Some(ResponseId::Ours { number, .. }), .. } = message else {
            return false;
        };
        self.table.find_call(*number).is_some()
    }
}
