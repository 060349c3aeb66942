//! Between the host's types and the shapes that cross to the window.

mod account;
mod models;
mod secret;

use std::time::Duration;

use mooring_host as host;

use crate::dto::IpcError;

impl IpcError {
    /// An error of the window's own.
    pub(crate) fn new(code: &str, message: host::Sentence) -> Self {
        Self { code: code.to_owned(), message, details: None }
    }
}

impl From<host::HostError> for IpcError {
    fn from(error: host::HostError) -> Self {
        Self { code: error.code().to_owned(), message: error.sentence(), details: error.details() }
    }
}

/// A count or a size; past what fits it stays at the largest.
pub(crate) fn whole<T: TryInto<i64>>(number: T) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// Milliseconds with their fraction.
fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
