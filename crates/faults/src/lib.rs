//! Why a command did not do what it was asked: what happened, what to do, and the exit code that says so to a script. The
//! command line prints it, and a running Mooring sends it to a command that works through it.

mod fault;
pub mod hint;

pub use fault::{Exit, Fault, FaultDetails, FaultJson};
