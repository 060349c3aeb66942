//! Limits on what is fetched from a registry.

use std::time::Duration;

/// Limits on what is fetched.
#[derive(Debug, Clone, Copy)]
pub struct FetchLimits {
    /// Maximum number of entries that are asked for at once.
    pub page_entries: usize,
    /// Maximum number of bytes of a response.
    pub page_bytes: usize,
    /// Maximum number of bytes of an entry. A larger one is left out.
    pub entry_bytes: usize,
    /// Maximum number of pages of one fetch.
    pub pages: usize,
    /// Maximum number of entries of one fetch.
    pub entries: usize,
    /// Maximum number of bytes of one fetch.
    pub total_bytes: usize,
    /// The deadline of one request.
    pub request_time: Duration,
    /// The deadline of one fetch.
    pub total_time: Duration,
    /// How many times a request that failed for the moment is repeated.
    pub retries: u32,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            page_entries: 100,
            page_bytes: 16 << 20,
            entry_bytes: 256 << 10,
            pages: 5_000,
            entries: 500_000,
            total_bytes: 1 << 30,
            request_time: Duration::from_secs(30),
            total_time: Duration::from_mins(30),
            retries: 2,
        }
    }
}
