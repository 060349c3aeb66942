//! The minimal clients: no log, no cancellation, no deadline, no JSON.

pub(crate) mod http;
pub(crate) mod stdio;
