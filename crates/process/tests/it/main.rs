//! Servers as real processes: what they get, how they end, and that nothing is left of them.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it finds something wrong")]

#[cfg(target_os = "linux")]
mod guardian;
mod place;
mod shutdown;
mod start;
