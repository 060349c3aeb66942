//! The scripted servers do what they say, so that a test that uses them tests something.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    reason = "the helpers of tests are tests too"
)]

mod http;
mod stdio;
