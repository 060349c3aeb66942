//! What our client makes of bytes and of calls, compared with what the official Rust SDK makes of the same. Where the
//! two differ, the test says what the specification says.
#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests too")]

mod event_stream;
mod headers;
mod messages;
mod random;
