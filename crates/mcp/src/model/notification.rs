//! Notifications of the server.

use serde_json::value::RawValue;

/// A notification, in wire order.
#[derive(Debug, Clone)]
pub struct Notification {
    /// The method, such as `notifications/message`.
    pub method: String,
    /// The parameters as sent.
    pub params: Option<Box<RawValue>>,
}

/// A progress report of a call (`notifications/progress`).
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// The progress so far, which increases with each report.
    pub progress: f64,
    /// The value at which the call is done, if it is known.
    pub total: Option<f64>,
    /// The server's message about the progress.
    pub message: Option<String>,
}
