//! The guardian: a helper process that outlives us and ends our servers when we die.
//!
//! Servers are its children. It is a subreaper, so that orphaned descendants of servers become its children
//! too, however often they fork and whatever they do to their group, session and environment. It has one end
//! of a socket. When the other end closes, because we ended or were killed, it ends everything below it:
//! SIGTERM at once, SIGKILL a second later.
//!
//! The helper is our own program: every program that links this crate becomes a guardian before its `main` if
//! it is started as one. So there is no file to install, to find or to keep at the same version. One guardian
//! serves all servers of a host. It costs one process, and a message instead of a `fork` for each server.

mod client;
mod guarded_child;
mod helper;
mod request;

pub use client::use_program;
pub(crate) use client::{ServerPipes, StartError, start};
pub(crate) use guarded_child::GuardedChild;

use std::time::Duration;

/// Says that a program is to be a guardian, and which messages it will get.
const VARIABLE: &str = "MOORING_GUARDIAN";
/// Changes with the messages.
const VERSION: &str = "1";

/// How long a server may take to end after we are gone.
const LAST_GRACE: Duration = Duration::from_secs(1);

// A program that is started as guardian becomes one. Any other continues.
crate::sys::before_main!(helper::run_if_guardian);
