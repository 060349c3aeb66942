//! The checks with real programs and servers on loopback.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails the test that calls it")]

mod asleep;
mod secrets;
mod support;
mod tls;
