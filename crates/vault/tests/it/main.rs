//! The vault over a real keyring daemon on a session bus of its own, and a real database.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails where it finds something wrong")]

mod host;
mod keyring;
mod killed;
mod session;
