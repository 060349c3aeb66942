//! `cargo xtask` as a person starts it, on a system made of scripts that record what they are asked.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

mod packaging;
mod setup;
