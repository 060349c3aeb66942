//! Servers as real processes: what they get, how they end, and that nothing is left of them.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails where it finds something wrong")]

mod place;
mod shutdown;
mod start;
