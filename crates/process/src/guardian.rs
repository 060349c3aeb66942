//! The guardian: a helper process that outlives the host's process and ends its servers when the host dies.
//!
//! Servers are children of the guardian. The guardian is a subreaper: orphaned descendants of servers become
//! its children too, even if they fork repeatedly or change their group, session or environment. It has one
//! end of a socket. When the other end closes, because the host ended or was killed, the guardian ends
//! everything below it: SIGTERM at once, SIGKILL a second later.
//!
//! The helper is the host's own program. Every program that links this crate becomes a guardian before its
//! `main` if it is started as one. Therefore, no separate file has to be installed, found or kept at the same
//! version. One guardian serves all servers of a process. It costs one process, and a message instead of a
//! `fork` for each server.

mod client;
mod guarded_child;
mod helper;
mod request;

pub use client::use_program;
pub(crate) use client::{ServerPipes, StartError, start_program};
pub(crate) use guarded_child::GuardedChild;

use std::time::Duration;

/// The variable that makes a program a guardian. Its value is the version of the messages.
const VARIABLE: &str = "MOORING_GUARDIAN";
/// The version of the messages between host and guardian.
const VERSION: &str = "1";

/// How long a server may take to end after the host is gone.
const LAST_GRACE: Duration = Duration::from_secs(1);

// A program that is started as a guardian becomes one. Any other program continues with its `main`.
crate::sys::before_main!(helper::run_if_guardian);
