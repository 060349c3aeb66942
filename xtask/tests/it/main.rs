//! `cargo xtask` as a person runs it, on a fake system of scripts that record their calls.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

mod packaging;
mod setup;
