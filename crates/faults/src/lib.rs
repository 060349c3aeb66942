//! Why a command failed: what happened, what to do, and the exit code for scripts. The command line prints
//! it, and a running Mooring sends it to a command that works through it.

mod fault;
pub mod hint;

pub use fault::{Exit, Fault, FaultDetails, FaultJson};
