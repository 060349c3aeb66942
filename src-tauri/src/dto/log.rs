//! Pages of the log, and the live tail.

use mooring_log::LogRow;
use serde::Serialize;
use ts_rs::TS;

/// Rows of the past, newest first.
#[derive(Clone, Debug, Serialize, TS)]
pub struct LogPage {
    /// The rows.
    pub rows: Vec<LogRow>,
    /// More rows lie beyond the last one.
    pub more: bool,
}

/// Rows of the present, oldest first.
#[derive(Clone, Debug, Serialize, TS)]
pub struct LogBatch {
    /// The rows.
    pub rows: Vec<LogRow>,
    /// How many rows before these were left out because the view fell behind; pages have them.
    pub skipped: i64,
}
