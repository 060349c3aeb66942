//! What time it is.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, in milliseconds since the Unix epoch, by a clock that is not set back: for what counts for a time.
pub(crate) fn forward_ms() -> i64 {
    mooring_store::forward_us() / 1_000
}

/// Now, in milliseconds since the Unix epoch.
pub(crate) fn now_ms() -> i64 {
    micros(SystemTime::now()) / 1_000
}

/// Microseconds since the Unix epoch.
pub(crate) fn micros(at: SystemTime) -> i64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}
