//! Signing in against real HTTP on loopback.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper that fails fails the test that calls it")]

mod discovery;
mod hostile;
mod http;
mod identity;
mod reach;
mod site;
