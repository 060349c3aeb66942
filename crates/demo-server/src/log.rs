//! Log notifications, filtered by the level the client asked for.
//!
//! Newer revisions of the protocol drop this part, and the SDK marks it so; every session-era
//! client still uses it, which is why a demo server has it.
#![expect(
    deprecated,
    reason = "logging is part of every session-era revision, which is what this server shows"
)]

use std::sync::atomic::{AtomicU8, Ordering};

use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::Peer;
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

/// The threshold below which nothing is sent. It starts at `info`.
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

    /// Sends one message unless the level filters it; says whether it was sent.
    ///
    /// A client that has gone away is no error here: the call that logs will find out by itself.
    pub(crate) async fn send(&self, peer: &Peer<RoleServer>, level: LoggingLevel, data: Value) -> bool {
        if severity(level) < self.threshold.load(Ordering::Relaxed) {
            return false;
        }
        let message = LoggingMessageNotificationParam::new(level, data).with_logger("harbour");
        peer.notify_logging_message(message).await.is_ok()
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
