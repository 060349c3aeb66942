//! Servers as real processes: what they get, how they end, and that nothing is left of them.

#![expect(clippy::unwrap_used, reason = "a test fails where it finds something wrong")]
#![cfg_attr(unix, expect(clippy::panic, reason = "a test fails where it finds something wrong"))]

#[cfg(target_os = "linux")]
mod guardian;
#[cfg(windows)]
mod job;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod shutdown;
#[cfg(unix)]
mod start;
#[cfg(unix)]
mod test_dir;
