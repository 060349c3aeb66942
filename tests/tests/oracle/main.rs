//! Compares our client with the official Rust SDK on the same bytes and calls. Where the two differ, a test
//! names the specification.
#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests too")]

mod event_stream;
mod headers;
mod messages;
mod random;
