//! What a server tells without being asked.

use serde_json::value::RawValue;

/// A notification, in wire order.
#[derive(Debug, Clone)]
pub struct Notification {
    /// The method, such as `notifications/message`.
    pub method: String,
    /// The parameters as they came.
    pub params: Option<Box<RawValue>>,
}

/// One report of progress on a call (`notifications/progress`).
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// How far the call is; grows with each report.
    pub progress: f64,
    /// The value at which the call is done, where the server knows it.
    pub total: Option<f64>,
    /// What the server says about it.
    pub message: Option<String>,
}
