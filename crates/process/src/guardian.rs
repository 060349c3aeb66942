//! The guardian: a helper process that outlives us and takes our servers down when we die.
//!
//! Servers are its children. It is a subreaper, so that what a server's children leave behind becomes its child too,
//! however often it forks and whatever it does to its group, its session and its environment. It holds one end of a
//! socket; when the other end closes, because we ended or were killed, it ends everything below it: SIGTERM at once,
//! SIGKILL a second later.
//!
//! The helper is our own program once more: every program that links this crate becomes a guardian, before its `main`,
//! when it is started as one. There is no file to install, to find or to keep at the same version. One guardian serves
//! all servers of a host, which costs one process and, for each server, a message instead of a `fork` of ours.

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

/// How long a server may take to end once we are gone.
const LAST_GRACE: Duration = Duration::from_secs(1);

// The program that was started as guardian becomes one, and any other goes on.
crate::sys::before_main!(helper::run_if_guardian);
