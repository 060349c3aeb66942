//! Log notifications, filtered by the level the client asked for: once for the whole session, or, where the protocol
//! has no sessions any more, in each request.
//!
//! The newest revision deprecates this part, and the SDK marks it so; clients still use it, which is why a demo
//! server has it.
#![expect(deprecated, reason = "every revision that this server speaks has logging")]

use std::sync::atomic::{AtomicU8, Ordering};

use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, ProtocolVersion};
use rmcp::service::RequestContext;
use serde_json::Value;

/// Every level with its name, from the least to the most severe.
pub(crate) const LEVELS: [(LoggingLevel, &str); 8] = [
    (LoggingLevel::Debug, "debug"),
    (LoggingLevel::Info, "info"),
    (LoggingLevel::Notice, "notice"),
    (LoggingLevel::Warning, "warning"),
    (LoggingLevel::Error, "error"),
    (LoggingLevel::Critical, "critical"),
    (LoggingLevel::Alert, "alert"),
    (LoggingLevel::Emergency, "emergency"),
];

/// The threshold of a session, below which nothing is sent. It starts at `info`.
pub(crate) struct Log {
    threshold: AtomicU8,
}

impl Log {
    pub(crate) fn new() -> Self {
        Self { threshold: AtomicU8::new(severity(LoggingLevel::Info)) }
    }

    /// Sends only messages at `level` or above from now on.
    pub(crate) fn set_level(&self, level: LoggingLevel) {
        self.threshold.store(severity(level), Ordering::Relaxed);
    }

    /// Sends one message unless the level filters it. Returns whether it was sent.
    ///
    /// A client that is gone is no error here: the call that logs will notice that itself.
    pub(crate) async fn send(
        &self,
        context: &RequestContext<RoleServer>,
        level: LoggingLevel,
        data: Value,
    ) -> bool {
        if self.threshold_for(context).is_none_or(|threshold| severity(level) < threshold) {
            return false;
        }
        let message = LoggingMessageNotificationParam::new(level, data).with_logger("harbour");
        context.peer.notify_logging_message(message).await.is_ok()
    }

    /// The lowest severity for the client that made this request. `None` if it asked for no messages.
    fn threshold_for(&self, context: &RequestContext<RoleServer>) -> Option<u8> {
        if context.protocol_version().is_some_and(|version| version >= ProtocolVersion::NO_INITIALIZE) {
            return context.meta.log_level().map(severity);
        }
        Some(self.threshold.load(Ordering::Relaxed))
    }
}

fn severity(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}
