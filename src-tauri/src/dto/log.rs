//! Pages of the log, and the live tail.

use mooring_log::LogRow;
use serde::Serialize;
use ts_rs::TS;

/// A page of past rows, newest first.
#[derive(Clone, Debug, Serialize, TS)]
pub struct LogPage {
    /// The rows.
    pub rows: Vec<LogRow>,
    /// Whether there are more rows after the last one.
    pub more: bool,
}

/// A batch of new rows, oldest first.
#[derive(Clone, Debug, Serialize, TS)]
pub struct LogBatch {
    /// The rows.
    pub rows: Vec<LogRow>,
    /// How many rows before these were skipped because the view was too slow. They can be read by page.
    pub skipped: i64,
}
